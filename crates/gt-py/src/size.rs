//! Shapes as Python sees them: `gt.Size`, a tuple that can count its elements.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

static SIZE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    SIZE.import(py, "gt.size", "Size")
}

/// These sizes as a `gt.Size`.
pub fn of(sizes: Bound<'_, PyTuple>) -> PyResult<Bound<'_, PyTuple>> {
    let made = class(sizes.py())?.call1((sizes,))?;
    Ok(made.cast_into::<PyTuple>()?)
}

/// Whether it is a `gt.Size`.
pub fn is(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.is_instance(class(value.py())?)
}
