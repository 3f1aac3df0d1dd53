//! Elements between Python and the client: numbers, nested lists, NumPy arrays.

use bytes::Bytes;
use gt::{DType, MAX_RANK, Meta, Scalar, Shape};
use half::{bf16, f16};
use pyo3::IntoPyObjectExt;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PySequence, PyString, PyTuple};

use crate::dtype;
use crate::operand::scalar;

/// Dtype, shape and elements of whatever Python gave. Its own floats are float64: they keep all
/// their digits if they are to become anything but float32.
pub fn from_python(value: &Bound<'_, PyAny>, asked: Option<DType>) -> PyResult<(Meta, Bytes)> {
    if value.hasattr("__array_interface__")? {
        return from_array(value);
    }
    let (mut shape, mut items) = (Vec::new(), Vec::new());
    flatten(value, 0, &mut shape, &mut items)?;
    let dtype = items.iter().map(|(_, dtype)| *dtype).max_by_key(|dtype| (dtype.kind(), *dtype));
    let dtype = match (dtype.unwrap_or(DType::F32), asked) {
        (DType::F32, Some(asked)) if asked != DType::F32 => DType::F64,
        (dtype, _) => dtype,
    };
    let mut bytes = Vec::with_capacity(items.len() * dtype.size());
    for (item, _) in items {
        match dtype {
            DType::Bool => bytes.push(u8::from(item.as_i64() != 0)),
            DType::I64 => bytes.extend_from_slice(&item.as_i64().to_le_bytes()),
            DType::F64 => bytes.extend_from_slice(&item.as_f64().to_le_bytes()),
            _ => bytes.extend_from_slice(&(item.as_f64() as f32).to_le_bytes()),
        }
    }
    Ok((Meta { dtype, shape: shape.into_iter().collect() }, bytes.into()))
}

fn from_array(array: &Bound<'_, PyAny>) -> PyResult<(Meta, Bytes)> {
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
    // whoever keeps to Python's lock does not write to the array meanwhile.
    unsafe {
        std::ptr::copy_nonoverlapping(buffer.buf_ptr().cast(), bytes.as_mut_ptr(), count);
        bytes.set_len(count);
    }
    Ok((Meta { dtype, shape: shape.into_iter().collect() }, bytes.into()))
}

/// Appends the numbers in nested sequences, and finds their shape.
fn flatten(
    value: &Bound<'_, PyAny>,
    depth: usize,
    shape: &mut Vec<usize>,
    items: &mut Vec<(Scalar, DType)>,
) -> PyResult<()> {
    if let Some(number) = scalar(value)? {
        if depth < shape.len() {
            return Err(PyValueError::new_err("expected lists of equal lengths, found a number"));
        }
        // NumPy's float64 is also one of Python's floats, but keeps its precision.
        let double = matches!(number, Scalar::Float(_)) && value.hasattr("dtype")?;
        items.push((number, if double { DType::F64 } else { number.dtype() }));
        return Ok(());
    }
    let text = value.cast::<PyString>().is_ok() || value.cast::<PyBytes>().is_ok();
    let Some(sequence) = value.cast::<PySequence>().ok().filter(|_| !text) else {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a tensor cannot be made of a {kind}")));
    };
    let len = sequence.len()?;
    // A list may hold itself.
    if depth == MAX_RANK {
        return Err(PyValueError::new_err(format!("too many dimensions: at most {MAX_RANK}")));
    }
    if depth == shape.len() {
        if !items.is_empty() {
            return Err(PyValueError::new_err("expected numbers and lists at the same depth"));
        }
        shape.push(len);
    } else if shape[depth] != len {
        let expected = shape[depth];
        let message = format!("expected sequence of length {expected} at dim {depth} (got {len})");
        return Err(PyValueError::new_err(message));
    }
    sequence.try_iter()?.try_for_each(|item| flatten(&item?, depth + 1, shape, items))
}

/// A NumPy array of its own with these elements.
pub fn to_numpy<'py>(py: Python<'py>, meta: &Meta, bytes: &Bytes) -> PyResult<Bound<'py, PyAny>> {
    if meta.dtype == DType::BF16 {
        let message = "NumPy has no bfloat16; use .float().numpy()";
        return Err(PyTypeError::new_err(message));
    }
    let numpy = py.import("numpy")?;
    let shape = PyTuple::new(py, meta.shape.iter())?;
    let array = numpy.call_method1("empty", (shape, meta.dtype.name()))?;
    let flat = array.call_method1("reshape", (-1,))?.call_method1("view", ("uint8",))?;
    let buffer = PyBuffer::<u8>::get(&flat)?;
    buffer.copy_from_slice(py, bytes)?;
    Ok(array)
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
