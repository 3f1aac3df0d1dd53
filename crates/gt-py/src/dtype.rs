//! `gt.float32` and the others: objects that are equal to their names.

use gt::DType;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::error::to_python;

/// The type of a tensor's elements.
#[pyclass(name = "dtype", module = "gt", frozen)]
#[derive(Clone, Copy)]
pub struct PyDType(pub DType);

#[pymethods]
impl PyDType {
    /// Its name, as in NumPy.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// How many bytes an element takes.
    #[getter]
    fn itemsize(&self) -> usize {
        self.0.size()
    }

    /// Whether its elements are floating point numbers.
    #[getter]
    fn is_floating_point(&self) -> bool {
        self.0.is_float()
    }

    fn __repr__(&self) -> String {
        format!("gt.{}", self.0)
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<bool> {
        let equal = parse(other).is_ok_and(|other| other == self.0);
        match op {
            CompareOp::Eq => Ok(equal),
            CompareOp::Ne => Ok(!equal),
            _ => Err(PyTypeError::new_err("dtypes have no order")),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        // Equal to its name, so it must hash like its name.
        pyo3::types::PyString::new(py, self.0.name()).hash()
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, (&'static str,))> {
        Ok((py.import("gt._gt")?.getattr("_dtype")?.unbind(), (self.0.name(),)))
    }
}

static OBJECTS: PyOnceLock<Vec<Py<PyDType>>> = PyOnceLock::new();

/// The object for a dtype; there is one of each.
pub fn object(py: Python<'_>, dtype: DType) -> PyResult<Py<PyDType>> {
    let objects = OBJECTS.get_or_try_init(py, || {
        DType::ALL.iter().map(|&dtype| Py::new(py, PyDType(dtype))).collect::<PyResult<_>>()
    })?;
    Ok(objects[dtype.code() as usize].clone_ref(py))
}

/// The dtype that an argument names: a dtype, a name, a Python type or a NumPy dtype.
pub fn parse(value: &Bound<'_, PyAny>) -> PyResult<DType> {
    if let Ok(dtype) = value.cast::<PyDType>() {
        return Ok(dtype.get().0);
    }
    if let Ok(name) = value.extract::<&str>() {
        return name.parse().map_err(to_python);
    }
    let py = value.py();
    if value.is(py.get_type::<pyo3::types::PyFloat>()) {
        return Ok(DType::F32);
    }
    if value.is(py.get_type::<pyo3::types::PyBool>()) {
        return Ok(DType::Bool);
    }
    if value.is(py.get_type::<pyo3::types::PyInt>()) {
        return Ok(DType::I64);
    }
    let name = value.getattr("__name__").or_else(|_| value.getattr("name"));
    if let Ok(Ok(dtype)) = name.and_then(|name| Ok(name.extract::<String>()?.parse())) {
        return Ok(dtype);
    }
    Err(PyTypeError::new_err(format!("{} is not a dtype", value.repr()?)))
}

/// Adds the dtypes and their other names to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<PyDType>()?;
    for &dtype in &DType::SUPPORTED {
        module.add(dtype.name(), object(py, dtype)?)?;
    }
    for alias in ["float", "half", "double", "int", "long", "short"] {
        module.add(alias, object(py, alias.parse().map_err(to_python)?)?)?;
    }
    Ok(())
}
