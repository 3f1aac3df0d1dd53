//! Functions of the module: those of the table, and those that no row describes.

use std::ffi::CString;

use gt::op::Op;
use gt::{DType, ops};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

use crate::call::function;
use crate::error::to_python;
use crate::generated::FUNCTION_DOCS;
use crate::kind::Given;
use crate::tensor::Tensor;
use crate::{convert, data, device, dtype, each, parts, provenance};

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    for op in ops::ALL.iter().copied().filter(|op| op.python.function) {
        for name in op.names() {
            // What is already there decides by its arguments, and calls the row.
            if module.hasattr(name)? {
                continue;
            }
            module.add(name, table_function(py, op, name)?)?;
        }
    }
    parts::register(module)?;
    module.add_function(wrap_pyfunction!(tensor, module)?)?;
    module.add_function(wrap_pyfunction!(from_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(as_tensor, module)?)?;
    module.add_function(wrap_pyfunction!(t, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(convert::_tensor, module)?)?;
    module.add_function(wrap_pyfunction!(convert::_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(convert::_snapshot, module)?)?;
    module.add_function(wrap_pyfunction!(each::_update_each, module)?)?;
    module.add_function(wrap_pyfunction!(convert::_elements, module)?)?;
    module.add_function(wrap_pyfunction!(_dtype, module)?)
}

/// The function of a row. Its name and documentation live as long as the process.
fn table_function<'py>(
    py: Python<'py>,
    op: &'static Op,
    name: &str,
) -> PyResult<Bound<'py, PyCFunction>> {
    let name = &*Box::leak(CString::new(name)?.into_boxed_c_str());
    let doc = FUNCTION_DOCS.iter().find(|(code, _)| *code == op.code).map_or("", |(_, doc)| doc);
    let doc = &*Box::leak(CString::new(doc)?.into_boxed_c_str());
    PyCFunction::new_closure(
        py,
        Some(name),
        Some(doc),
        move |args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>| {
            function(op, args, kwargs).map(Bound::unbind)
        },
    )
}

/// A tensor with the elements of a number, a nested list or an array.
#[pyfunction]
#[pyo3(signature = (data, dtype=None, *, device=None, requires_grad=false))]
fn tensor(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: bool,
) -> PyResult<Tensor> {
    device::check(device)?;
    provenance::mark(py);
    let dtype = dtype.map(dtype::parse).transpose()?;
    let tensor = created(data, dtype)?;
    if requires_grad {
        let whole = !tensor.0.dtype().is_float() && dtype.is_none();
        let tensor = if whole { tensor.copy_as(Some(DType::F32))? } else { tensor };
        tensor.0.set_requires_grad(true).map_err(to_python)?;
        return Ok(tensor);
    }
    Ok(tensor)
}

/// A tensor with elements that Python gave, in the dtype they are meant to have or another.
pub fn uploaded(given: data::Given, dtype: Option<DType>) -> PyResult<Tensor> {
    let data::Given { meta, bytes, dtype: own } = given;
    let made = gt::session().and_then(|session| session.upload(meta, bytes));
    let made = made.and_then(|made| made.to_dtype(dtype.unwrap_or(own)));
    made.map(Tensor).map_err(to_python)
}

/// A tensor of its own with the elements of a number, a nested list, an array or a tensor.
pub fn created(data: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Tensor> {
    if let Ok(tensor) = data.cast::<Tensor>() {
        return Tensor(tensor.borrow().0.detach()).copy_as(dtype);
    }
    uploaded(data::from_python(data, dtype)?, dtype)
}

/// A tensor with the elements of a NumPy array: a snapshot, taken now.
#[pyfunction]
#[pyo3(signature = (array, *, requires_grad=false))]
fn from_numpy(py: Python<'_>, array: &Bound<'_, PyAny>, requires_grad: bool) -> PyResult<Tensor> {
    tensor(py, array, None, None, requires_grad)
}

/// A tensor with these elements: the tensor itself if it is one, of that dtype.
#[pyfunction]
#[pyo3(signature = (data, dtype=None, device=None))]
fn as_tensor<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Ok(own) = data.cast::<Tensor>() else {
        return Ok(Bound::new(py, tensor(py, data, dtype, device, false)?)?.into_any());
    };
    device::check(device)?;
    let dtype = dtype.map_or(Ok(own.borrow().0.dtype()), dtype::parse)?;
    if dtype == own.borrow().0.dtype() {
        return Ok(data.clone());
    }
    provenance::mark(py);
    let cast = own.borrow().0.to_dtype(dtype).map(Tensor).map_err(to_python)?;
    Ok(Bound::new(py, cast)?.into_any())
}

/// The axes of a matrix exchanged; a vector as it is.
#[pyfunction]
fn t(input: Given<'_>) -> PyResult<Tensor> {
    input.borrow().t(input.py())
}

/// The dtype with this name; what pickled dtypes are made of.
#[pyfunction]
fn _dtype(py: Python<'_>, name: &str) -> PyResult<Py<dtype::PyDType>> {
    dtype::object(py, name.parse().map_err(to_python)?)
}
