//! Functions of the module: those of the table, and those that no row describes.

use std::ffi::CString;

use gt::op::Op;
use gt::{DType, ops};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

use crate::call::function;
use crate::error::to_python;
use crate::generated::FUNCTION_DOCS;
use crate::tensor::Tensor;
use crate::{convert, data, device, dtype, parts, provenance};

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    for op in ops::ALL.iter().copied().filter(|op| op.python.function) {
        for name in op.names() {
            module.add(name, table_function(py, op, name)?)?;
        }
    }
    parts::register(module)?;
    module.add_function(wrap_pyfunction!(tensor, module)?)?;
    module.add_function(wrap_pyfunction!(from_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(convert::_tensor, module)?)?;
    module.add_function(wrap_pyfunction!(convert::_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(convert::_snapshot, module)?)?;
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

fn created(data: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Tensor> {
    if let Ok(tensor) = data.cast::<Tensor>() {
        return Tensor(tensor.get().0.detach()).copy_as(dtype);
    }
    let (meta, bytes) = data::from_python(data, dtype)?;
    let uploaded = gt::session().and_then(|session| session.upload(meta, bytes));
    let uploaded = uploaded.map_err(to_python)?;
    match dtype {
        Some(dtype) => uploaded.to_dtype(dtype).map(Tensor).map_err(to_python),
        None => Ok(Tensor(uploaded)),
    }
}

/// A tensor with the elements of a NumPy array: a snapshot, taken now.
#[pyfunction]
fn from_numpy(py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    tensor(py, array, None, None, false)
}

/// The dtype with this name; what pickled dtypes are made of.
#[pyfunction]
fn _dtype(py: Python<'_>, name: &str) -> PyResult<Py<dtype::PyDType>> {
    dtype::object(py, name.parse().map_err(to_python)?)
}
