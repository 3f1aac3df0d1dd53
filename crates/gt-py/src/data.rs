//! Elements between Python and the client: numbers, nested lists, NumPy arrays.

use bytes::Bytes;
use gt::rules::promote;
use gt::{DType, Elements, MAX_RANK, Meta, Scalar, Shape};
use half::{bf16, f16};
use pyo3::IntoPyObjectExt;
use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PySequence, PyString, PyTuple};

use crate::dtype;
use crate::error::to_python;
use crate::host_memory::Memory;
use crate::kind::kind_of;
use crate::operand::scalar;
use crate::tensor::Tensor;

/// Elements as Python gave them.
pub struct Given {
    /// Their shape, and the dtype of the bytes.
    pub meta: Meta,
    pub bytes: Bytes,
    /// The dtype they are meant to have.
    pub dtype: DType,
}

/// The elements of whatever Python gave. Its own floats are float64: they keep all their digits if
/// they are to become anything but float32.
pub fn from_python(value: &Bound<'_, PyAny>, asked: Option<DType>) -> PyResult<Given> {
    if value.hasattr("__array_interface__")? {
        return from_array(value);
    }
    if is_foreign_tensor(value) {
        return from_foreign(value);
    }
    let mut list = Flat { asked, ..Flat::default() };
    list.add(value, 0)?;
    let dtypes = list.items.iter().map(|(_, dtype)| *dtype);
    let dtype = dtypes.reduce(promote::common).unwrap_or(DType::F32);
    let wide = match dtype {
        DType::Bool => DType::Bool,
        dtype if dtype.is_int() => DType::I64,
        DType::F32 if asked.is_none_or(|asked| asked == DType::F32) => DType::F32,
        _ => DType::F64,
    };
    let mut bytes = Vec::with_capacity(list.items.len() * wide.size());
    for (item, _) in &list.items {
        check_range(*item, asked.unwrap_or(dtype))?;
        match wide {
            DType::Bool => bytes.push(u8::from(item.as_i64() != 0)),
            DType::I64 => bytes.extend_from_slice(&item.as_i64().to_le_bytes()),
            DType::F64 => bytes.extend_from_slice(&item.as_f64().to_le_bytes()),
            _ => bytes.extend_from_slice(&(item.as_f64() as f32).to_le_bytes()),
        }
    }
    let meta = Meta { dtype: wide, shape: list.shape.into_iter().collect() };
    Ok(Given { meta, bytes: bytes.into(), dtype })
}

fn check_range(item: Scalar, dtype: DType) -> PyResult<()> {
    if item.fits(dtype) {
        return Ok(());
    }
    let message = format!("{item} cannot be converted to {dtype} without overflow");
    Err(PyRuntimeError::new_err(message))
}

/// Whether it is a tensor of another framework, which can become a NumPy array.
fn is_foreign_tensor(value: &Bound<'_, PyAny>) -> bool {
    let has = |name| value.hasattr(name).unwrap_or(false);
    has("__array__") && has("detach") && has("numel")
}

/// The elements of a tensor of another framework. NumPy has no bfloat16: half of a float32.
fn from_foreign(value: &Bound<'_, PyAny>) -> PyResult<Given> {
    let here = value.call_method0("detach")?.call_method0("cpu")?;
    if !value.getattr("dtype")?.str()?.to_string().ends_with("bfloat16") {
        return from_array(&here.call_method0("__array__")?);
    }
    let wide = from_array(&here.call_method0("float")?.call_method0("__array__")?)?;
    Ok(Given { dtype: DType::BF16, ..wide })
}

/// The elements of a NumPy array.
pub fn from_array(array: &Bound<'_, PyAny>) -> PyResult<Given> {
    let py = array.py();
    let numpy = py.import("numpy")?;
    let native = array.getattr("dtype")?.call_method1("newbyteorder", ("=",))?;
    let kwargs = PyDict::new(py);
    kwargs.set_item("dtype", &native)?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let array = numpy.call_method("ascontiguousarray", (array,), Some(&kwargs))?;
    let dtype = dtype::parse(&native).map_err(|_| {
        PyTypeError::new_err(format!("can't convert an array of {native}; see gt.dtype"))
    })?;
    let flat = array.call_method1("reshape", (-1,))?.call_method1("view", ("uint8",))?;
    let buffer = PyBuffer::<u8>::get(&flat)?;
    if !buffer.is_c_contiguous() {
        let message = "an array that NumPy calls contiguous does not lie in one piece";
        return Err(PyValueError::new_err(message));
    }
    let count = buffer.len_bytes();
    let mut bytes = gt::host::room(count);
    // SAFETY: the buffer has so many bytes in one piece, the room is as large and ours alone, and
    // code that holds Python's lock does not write to the array meanwhile.
    unsafe {
        std::ptr::copy_nonoverlapping(buffer.buf_ptr().cast(), bytes.as_mut_ptr(), count);
        bytes.set_len(count);
    }
    let meta = Meta { dtype, shape: shape.into_iter().collect() };
    Ok(Given { meta, bytes: bytes.into(), dtype })
}

/// The numbers in nested sequences, and their shape.
#[derive(Default)]
struct Flat {
    shape: Vec<usize>,
    items: Vec<(Scalar, DType)>,
    /// The dtype of what is added, if it is not its own: that of the array it is from.
    within: Option<DType>,
    asked: Option<DType>,
}

impl Flat {
    fn add(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
        if let Some((number, dtype)) = self.number(value)? {
            if depth < self.shape.len() {
                let message = "expected lists of equal lengths, found a number";
                return Err(PyValueError::new_err(message));
            }
            self.items.push((number, dtype));
            return Ok(());
        }
        if value.hasattr("__array_interface__")? {
            // The numbers are Python's in a list, and still those of the array.
            let dtype = dtype::parse(&value.getattr("dtype")?)?;
            let outer = self.within.replace(dtype);
            self.add(&value.call_method0("tolist")?, depth)?;
            self.within = outer;
            return Ok(());
        }
        let text = value.cast::<PyString>().is_ok() || value.cast::<PyBytes>().is_ok();
        let Some(sequence) = value.cast::<PySequence>().ok().filter(|_| !text) else {
            let kind = kind_of(value);
            return Err(PyTypeError::new_err(format!("a tensor cannot be made of a {kind}")));
        };
        self.begin(sequence.len()?, depth)?;
        sequence.try_iter()?.try_for_each(|item| self.add(&item?, depth + 1))
    }

    /// A list of so many items begins.
    fn begin(&mut self, len: usize, depth: usize) -> PyResult<()> {
        // A list may hold itself.
        if depth == MAX_RANK {
            return Err(PyValueError::new_err(format!("too many dimensions: at most {MAX_RANK}")));
        }
        if depth == self.shape.len() {
            if !self.items.is_empty() {
                let message = "expected numbers and lists at the same depth";
                return Err(PyValueError::new_err(message));
            }
            self.shape.push(len);
        } else if self.shape[depth] != len {
            let expected = self.shape[depth];
            let message =
                format!("expected sequence of length {expected} at dim {depth} (got {len})");
            return Err(PyValueError::new_err(message));
        }
        Ok(())
    }

    /// A number of Python's or NumPy's, or a tensor that holds one, and its dtype.
    fn number(&self, value: &Bound<'_, PyAny>) -> PyResult<Option<(Scalar, DType)>> {
        if is_plain(value) {
            let number = self.plain(value)?;
            return Ok(number.map(|number| (number, self.within.unwrap_or(number.dtype()))));
        }
        if value.cast::<Tensor>().is_ok() || is_foreign_tensor(value) {
            if value.call_method0("numel")?.extract::<usize>()? != 1 {
                let message = "only one element tensors can be converted to Python scalars";
                return Err(PyValueError::new_err(format!("{message}; use gt.stack")));
            }
            let name = value.getattr("dtype")?.str()?.to_string();
            let dtype = name.rsplit('.').next().unwrap_or_default().parse().map_err(to_python)?;
            return Ok(scalar(&value.call_method0("item")?)?.map(|number| (number, dtype)));
        }
        let Some(number) = scalar(value)? else { return Ok(None) };
        let own = match value.getattr("dtype") {
            Ok(dtype) => dtype::parse(&dtype).unwrap_or(number.dtype()),
            Err(_) => number.dtype(),
        };
        Ok(Some((number, own)))
    }

    /// A number of Python's own. A whole one that is too large for int64 is still a float.
    fn plain(&self, value: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
        match scalar(value) {
            Err(_) if self.asked.is_some_and(DType::is_float) => {
                Ok(Some(Scalar::Float(value.extract()?)))
            }
            number => number,
        }
    }
}

/// Whether it is a number of Python's own, of which NumPy has descendants.
fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyBool>()
}

/// A NumPy array of its own with these elements.
pub fn to_numpy<'py>(
    py: Python<'py>,
    meta: &Meta,
    elements: Elements,
) -> PyResult<Bound<'py, PyAny>> {
    if meta.dtype == DType::BF16 {
        let message = "NumPy has no bfloat16; use .float().numpy()";
        return Err(PyTypeError::new_err(message));
    }
    let numpy = Numpy::get(py)?;
    let shape = PyTuple::new(py, meta.shape.iter())?;
    let dtype = numpy.dtypes[meta.dtype.code() as usize].bind(py);
    let bytes = match elements {
        Elements::Shared(bytes) => bytes,
        Elements::Own(memory) => {
            let memory = Bound::new(py, Memory(memory))?;
            let flat = numpy.frombuffer.bind(py).call1((memory, dtype))?;
            return flat.call_method1("reshape", (shape,));
        }
    };
    if meta.shape.rank() == 0 {
        // Buffers without axes have no shape, which Rust's side of them does not accept.
        let one = Meta { dtype: meta.dtype, shape: Shape::from([1]) };
        return to_numpy(py, &one, Elements::Shared(bytes))?.call_method1("reshape", (shape,));
    }
    let array = numpy.empty.bind(py).call1((shape, dtype))?;
    let buffer = PyUntypedBuffer::get(&array)?;
    if buffer.readonly() || !buffer.is_c_contiguous() || buffer.len_bytes() != bytes.len() {
        let message = "an empty array of NumPy's does not have the size of the elements";
        return Err(PyValueError::new_err(message));
    }
    // SAFETY: the buffer has so many bytes in one piece, which nobody else has seen.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.buf_ptr().cast(), bytes.len());
    }
    Ok(array)
}

/// What arrays are made with. Finding it takes longer than making a small array.
struct Numpy {
    empty: Py<PyAny>,
    frombuffer: Py<PyAny>,
    /// By the code of a dtype; nothing where NumPy has no such dtype.
    dtypes: Vec<Py<PyAny>>,
}

impl Numpy {
    fn get(py: Python<'_>) -> PyResult<&'static Numpy> {
        static NUMPY: PyOnceLock<Numpy> = PyOnceLock::new();
        NUMPY.get_or_try_init(py, || {
            let numpy = py.import("numpy")?;
            let of = |dtype: &DType| match numpy.call_method1("dtype", (dtype.name(),)) {
                Ok(dtype) => dtype.unbind(),
                Err(_) => py.None(),
            };
            let dtypes = DType::ALL.iter().map(of).collect();
            let [empty, frombuffer] = ["empty", "frombuffer"].map(|name| numpy.getattr(name));
            Ok(Numpy { empty: empty?.unbind(), frombuffer: frombuffer?.unbind(), dtypes })
        })
    }
}

/// Elements as nested lists; a number if there are no axes.
pub fn to_list<'py>(py: Python<'py>, meta: &Meta, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let Some((&first, rest)) = meta.shape.split_first() else {
        return element(py, meta.dtype, bytes);
    };
    let inner = Meta { dtype: meta.dtype, shape: Shape::from(rest) };
    let size = inner.bytes();
    let items = (0..first).map(|index| to_list(py, &inner, &bytes[index * size..][..size]));
    Ok(PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any())
}

/// One element as a Python number.
pub fn element<'py>(py: Python<'py>, dtype: DType, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    macro_rules! read {
        ($type:ty) => {
            <$type>::from_le_bytes(bytes.try_into()?)
        };
    }
    match dtype {
        DType::Bool => (bytes[0] != 0).into_bound_py_any(py),
        DType::U8 => bytes[0].into_bound_py_any(py),
        DType::I8 => read!(i8).into_bound_py_any(py),
        DType::I16 => read!(i16).into_bound_py_any(py),
        DType::I32 => read!(i32).into_bound_py_any(py),
        DType::I64 => read!(i64).into_bound_py_any(py),
        DType::F16 => read!(f16).to_f64().into_bound_py_any(py),
        DType::BF16 => read!(bf16).to_f64().into_bound_py_any(py),
        DType::F32 => f64::from(read!(f32)).into_bound_py_any(py),
        DType::F64 => read!(f64).into_bound_py_any(py),
        other => Err(PyTypeError::new_err(format!("{other} is not supported yet"))),
    }
}
