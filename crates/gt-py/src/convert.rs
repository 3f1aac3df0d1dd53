//! A tensor as something else: another dtype, another device, bytes, a copy.

use bytes::Bytes;
use gt::DType;
use gt::attrs::{Attr, Attrs};
use gt::op::Op;
use gt::{Meta, Shape, ops};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::device::{self, Device};
use crate::error::to_python;
use crate::kind::Given;
use crate::tensor::Tensor;
use crate::{dtype, provenance};

static TRANSPOSE: &Op = &ops::builtin::TRANSPOSE;

/// The tensor in another dtype; itself if it has that dtype.
fn cast<'py>(slf: &Bound<'py, Tensor>, dtype: DType) -> PyResult<Bound<'py, Tensor>> {
    if slf.borrow().0.dtype() == dtype {
        return Ok(slf.clone());
    }
    provenance::mark(slf.py());
    let cast = slf.borrow().0.to_dtype(dtype).map_err(to_python)?;
    Bound::new(slf.py(), Tensor(cast))
}

/// The name that PyTorch's older interface has for a dtype.
fn class_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "Bool",
        DType::U8 => "Byte",
        DType::I8 => "Char",
        DType::I16 => "Short",
        DType::I32 => "Int",
        DType::I64 => "Long",
        DType::F16 => "Half",
        DType::BF16 => "BFloat16",
        DType::F64 => "Double",
        _ => "Float",
    }
}

#[pymethods]
impl Tensor {
    /// Where the tensor lives.
    #[getter]
    fn device(&self) -> Device {
        Device::of_session()
    }

    /// Whether the tensor lives on a GPU.
    #[getter]
    fn is_cuda(&self) -> bool {
        false
    }

    /// How many bytes an element takes.
    #[getter]
    fn itemsize(&self) -> usize {
        self.0.dtype().size()
    }

    /// How many bytes all elements take.
    #[getter]
    fn nbytes(&self) -> usize {
        self.0.meta().bytes()
    }

    /// The last two axes exchanged.
    #[getter(mT)]
    fn matrix_transposed(&self, py: Python<'_>) -> PyResult<Tensor> {
        let rank = self.0.shape().rank();
        if rank < 2 {
            let message = format!("mT is for at least two axes, not {rank}");
            return Err(PyRuntimeError::new_err(message));
        }
        provenance::mark(py);
        let attrs = Attrs::of([Attr::Int(-2), Attr::Int(-1)]);
        self.0.apply_one(TRANSPOSE, &[], attrs).map(Tensor).map_err(to_python)
    }

    /// The tensor in another dtype, or in that of another tensor; a device has no effect.
    #[pyo3(signature = (*args, **kwargs))]
    fn to<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Self>> {
        let named = |name: &str| match kwargs {
            Some(kwargs) => Ok(kwargs.get_item(name)?.filter(|value| !value.is_none())),
            None => Ok::<_, PyErr>(None),
        };
        device::check(named("device")?.as_ref())?;
        let mut target = named("dtype")?.as_ref().map(dtype::parse).transpose()?;
        let other = named("other")?;
        // Further arguments are `non_blocking` and `copy`.
        for argument in args.iter().take(2).chain(other) {
            if argument.is_none() || argument.is_instance_of::<pyo3::types::PyBool>() {
                continue;
            }
            if let Ok(other) = argument.cast::<Tensor>() {
                target = Some(other.borrow().0.dtype());
            } else if let Ok(dtype) = dtype::parse(&argument) {
                target = Some(dtype);
            } else {
                device::check(Some(&argument))?;
            }
        }
        let copy = named("copy")?.map_or(Ok(false), |copy| copy.is_truthy())?;
        if copy {
            provenance::mark(slf.py());
            return Bound::new(slf.py(), slf.borrow().copy_as(target)?);
        }
        cast(slf, target.unwrap_or(slf.borrow().0.dtype()))
    }

    /// The name of the tensor's type, or the tensor in another dtype.
    #[pyo3(signature = (dtype=None, non_blocking=false))]
    fn r#type<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        non_blocking: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, _) = (slf.py(), non_blocking);
        match dtype {
            Some(dtype) => Ok(cast(slf, dtype::parse(dtype)?)?.into_any()),
            None => {
                let name = format!("gt.{}Tensor", class_name(slf.borrow().0.dtype()));
                Ok(name.into_pyobject(py)?.into_any())
            }
        }
    }

    /// The tensor in the dtype of another.
    fn type_as<'py>(slf: &Bound<'py, Self>, other: Given<'py>) -> PyResult<Bound<'py, Self>> {
        cast(slf, other.borrow().0.dtype())
    }

    /// The tensor itself: a session has one device.
    #[pyo3(signature = (**_options))]
    fn cpu<'py>(slf: &Bound<'py, Self>, _options: Option<&Bound<'py, PyDict>>) -> Bound<'py, Self> {
        slf.clone()
    }

    /// The tensor itself: a session has one device.
    #[pyo3(signature = (device=None, **_options))]
    fn cuda<'py>(
        slf: &Bound<'py, Self>,
        device: Option<&Bound<'py, PyAny>>,
        _options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, Self>> {
        match device.filter(|device| !device.is_none()) {
            Some(device) => device::check(Some(device))?,
            None => device::check(Some(PyString::new(slf.py(), "cuda").as_any()))?,
        }
        Ok(slf.clone())
    }

    /// How many elements there are.
    fn nelement(&self) -> usize {
        self.0.shape().count()
    }

    /// How many bytes an element takes.
    fn element_size(&self) -> usize {
        self.0.dtype().size()
    }

    /// Whether the elements are floating point numbers.
    fn is_floating_point(&self) -> bool {
        self.0.dtype().is_float()
    }

    fn __format__<'py>(slf: &Bound<'py, Self>, format: &str) -> PyResult<Bound<'py, PyAny>> {
        if slf.borrow().0.shape().rank() == 0 {
            let number = slf.call_method0("item")?;
            return number.call_method1("__format__", (format,));
        }
        if !format.is_empty() {
            let message = "unsupported format string passed to Tensor.__format__";
            return Err(PyTypeError::new_err(message));
        }
        Ok(slf.str()?.into_any())
    }

    fn __copy__(&self) -> Tensor {
        Tensor(self.0.clone())
    }

    fn __deepcopy__<'py>(
        slf: &Bound<'py, Self>,
        memo: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let key = slf.as_ptr() as usize;
        if let Some(done) = memo.get_item(key)? {
            return Ok(done);
        }
        let tensor = &slf.borrow().0;
        if !tensor.is_leaf() {
            let message = "only tensors that the user created can be copied deeply; detach() it";
            return Err(PyRuntimeError::new_err(message));
        }
        provenance::mark(slf.py());
        let copy = Tensor(tensor.detach()).copy_as(None)?;
        copy.0.set_requires_grad(tensor.is_tracked()).map_err(to_python)?;
        let copy = Bound::new(slf.py(), copy)?.into_any();
        memo.set_item(key, &copy)?;
        Ok(copy)
    }

    #[expect(clippy::type_complexity, reason = "Python's own protocol of pickling")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (&'static str, Vec<usize>, Bound<'py, PyBytes>, bool))> {
        let (py, tensor) = (slf.py(), slf.borrow().0.clone());
        let bytes = PyBytes::new(py, &tensor.read().map_err(to_python)?);
        let rebuild = py.import("gt._gt")?.getattr("_tensor")?;
        let tracked = tensor.is_leaf() && tensor.is_tracked();
        Ok((rebuild, (tensor.dtype().name(), tensor.shape().to_vec(), bytes, tracked)))
    }
}

/// Methods that cast to a dtype.
macro_rules! casts {
    ($($(#[$doc:meta])* $name:ident $dtype:ident;)*) => {
        #[pymethods]
        impl Tensor {
            $(
                $(#[$doc])*
                fn $name<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
                    cast(slf, DType::$dtype)
                }
            )*
        }
    };
}

casts! {
    /// The tensor as float32.
    float F32;
    /// The tensor as float64.
    double F64;
    /// The tensor as float16.
    half F16;
    /// The tensor as bfloat16.
    bfloat16 BF16;
    /// The tensor as int64.
    long I64;
    /// The tensor as int32.
    int I32;
    /// The tensor as int16.
    short I16;
    /// The tensor as int8.
    char I8;
    /// The tensor as uint8.
    byte U8;
    /// The tensor as bool.
    bool Bool;
}

/// The tensor with these elements; what pickled tensors are made of.
#[pyfunction]
pub fn _tensor(
    py: Python<'_>,
    dtype: &str,
    shape: Vec<usize>,
    data: &[u8],
    requires_grad: bool,
) -> PyResult<Tensor> {
    let made = made_of(py, dtype, shape, Bytes::copy_from_slice(data))?;
    made.0.set_requires_grad(requires_grad).map_err(to_python)?;
    Ok(made)
}

/// The elements of a tensor that arrive piece by piece. They become its memory without a copy.
#[pyclass]
pub struct _Elements {
    bytes: Vec<u8>,
}

#[pymethods]
impl _Elements {
    #[new]
    fn new(byte_count: usize) -> _Elements {
        _Elements { bytes: gt::host::room(byte_count) }
    }

    /// Adds the next piece.
    fn append(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }

    /// The tensor that has them; nothing is left here.
    fn tensor(&mut self, py: Python<'_>, dtype: &str, shape: Vec<usize>) -> PyResult<Tensor> {
        made_of(py, dtype, shape, std::mem::take(&mut self.bytes).into())
    }
}

fn made_of(py: Python<'_>, dtype: &str, shape: Vec<usize>, data: Bytes) -> PyResult<Tensor> {
    provenance::mark(py);
    let dtype: DType = dtype.parse().map_err(to_python)?;
    let shape = shape.into_iter().collect::<Shape>().checked(dtype).map_err(to_python)?;
    let made = gt::session().and_then(|session| session.upload(Meta { dtype, shape }, data));
    made.map(Tensor).map_err(to_python)
}

/// The elements of a tensor, row by row.
#[pyfunction]
pub fn _bytes<'py>(py: Python<'py>, tensor: &Bound<'py, Tensor>) -> PyResult<Bound<'py, PyBytes>> {
    let tensor = tensor.borrow().0.clone();
    Ok(PyBytes::new(py, &tensor.read().map_err(to_python)?))
}

/// A tensor of its own with the value and the history that another has now; nothing is copied.
#[pyfunction]
pub fn _snapshot(tensor: &Bound<'_, Tensor>) -> PyResult<Tensor> {
    tensor.borrow().0.snapshot().map(Tensor).map_err(to_python)
}

/// The same for all tensors with the same elements: a write through one is a write through each.
#[pyfunction]
pub fn _elements(tensor: &Bound<'_, Tensor>) -> (usize, String) {
    tensor.borrow().0.elements()
}
