//! Names of parameters, buffers and submodules as attributes of a module's class. Without one,
//! Python fails to find the name, makes an error of that, and only then asks the module.

use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Gives what a module has under a name. An attribute of the instance goes first.
#[pyclass(module = "gt", frozen)]
pub struct _Member {
    name: Py<PyString>,
}

#[pymethods]
impl _Member {
    #[new]
    fn new(name: Py<PyString>) -> Self {
        _Member { name }
    }

    fn __get__<'py>(
        &self,
        module: &Bound<'py, PyAny>,
        owner: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = owner;
        let (py, name) = (module.py(), self.name.bind(module.py()));
        if !module.is_none() {
            // SAFETY: Python is attached; the result is a reference of our own, or null with an
            // error set.
            let own = unsafe {
                let own = ffi::PyObject_GenericGetDict(module.as_ptr(), std::ptr::null_mut());
                Bound::from_owned_ptr_or_err(py, own)?
            };
            let own = own.cast_into::<PyDict>()?;
            let kinds =
                [intern!(py, "_parameters"), intern!(py, "_buffers"), intern!(py, "_modules")];
            for kind in kinds {
                let places = own.get_item(kind)?;
                let Some(places) = places.and_then(|places| places.cast_into::<PyDict>().ok())
                else {
                    continue;
                };
                if let Some(found) = places.get_item(name)? {
                    return Ok(found);
                }
            }
        }
        // Python asks `__getattr__` next, which says what is missing.
        Err(PyAttributeError::new_err(self.name.clone_ref(py)))
    }
}
