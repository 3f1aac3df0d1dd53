//! `gt.device`: a session has one, so that a device is a name to compare and print.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::kind::kind_of;
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyUserWarning};
use pyo3::prelude::*;

/// Where tensors live, as programs write it: `cpu`, `cuda`, `cuda:1`.
#[pyclass(name = "device", module = "gt", frozen)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Device {
    kind: String,
    index: Option<u32>,
}

impl Device {
    /// The device of every tensor of a session.
    pub fn of_session() -> Device {
        Device { kind: "cpu".to_string(), index: None }
    }

    /// What a text such as `cuda:1` names.
    fn named(text: &str) -> PyResult<Device> {
        let (kind, index) = match text.split_once(':') {
            Some((kind, index)) => (kind, Some(index)),
            None => (text, None),
        };
        let wrong = || PyRuntimeError::new_err(format!("Invalid device string: '{text}'"));
        let index = index.map(|index| index.parse().map_err(|_| wrong())).transpose()?;
        match kind {
            "cpu" | "cuda" | "mps" | "xpu" | "hip" => Ok(Device { kind: kind.to_string(), index }),
            "meta" => Err(PyRuntimeError::new_err("'meta': every tensor of GT has elements")),
            _ => Err(wrong()),
        }
    }
}

/// The device that an argument names, if it names one.
pub fn parse(value: &Bound<'_, PyAny>) -> PyResult<Device> {
    if let Ok(device) = value.cast::<Device>() {
        return Ok(device.get().clone());
    }
    if let Ok(text) = value.extract::<String>() {
        return Device::named(&text);
    }
    if let Ok(index) = value.extract::<u32>() {
        return Ok(Device { kind: "cuda".to_string(), index: Some(index) });
    }
    let kind = kind_of(value);
    Err(PyTypeError::new_err(format!("'device' must be a device or its name, not {kind}")))
}

/// Whether a program was told that the session is not on the device that it names.
static WARNED: AtomicBool = AtomicBool::new(false);

/// Refuses a device that cannot be; every other means the session's. The first that is not the
/// session's is warned about.
pub fn check(value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(()) };
    let (named, own) = (parse(value)?, Device::of_session());
    if named.kind == own.kind || WARNED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let (named, own) = (named.__str__(), own.__str__());
    let message = format!(
        "device '{named}' has no effect: the tensors of this session are on its \
                           workers, whose device is '{own}'. This is said once"
    );
    let message =
        CString::new(message).map_err(|_| PyRuntimeError::new_err("a NUL in a device"))?;
    PyErr::warn(value.py(), &value.py().get_type::<PyUserWarning>(), &message, 1)
}

/// The same for code in Python.
#[pyfunction]
fn _check_device(device: &Bound<'_, PyAny>) -> PyResult<()> {
    check(Some(device))
}

/// Puts the class and the function into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Device>()?;
    module.add_function(wrap_pyfunction!(_check_device, module)?)
}

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (r#type, index=None))]
    fn new(r#type: &Bound<'_, PyAny>, index: Option<u32>) -> PyResult<Device> {
        let device = parse(r#type)?;
        match (device.index, index) {
            (Some(_), Some(_)) => Err(PyRuntimeError::new_err("the index is given twice")),
            (own, given) => Ok(Device { index: own.or(given), ..device }),
        }
    }

    /// The kind of device: `cpu` or `cuda`.
    #[getter(r#type)]
    fn kind(&self) -> &str {
        &self.kind
    }

    /// Which of them; None for the current one.
    #[getter]
    fn index(&self) -> Option<u32> {
        self.index
    }

    fn __str__(&self) -> String {
        match self.index {
            Some(index) => format!("{}:{index}", self.kind),
            None => self.kind.clone(),
        }
    }

    fn __repr__(&self) -> String {
        match self.index {
            Some(index) => format!("device(type='{}', index={index})", self.kind),
            None => format!("device(type='{}')", self.kind),
        }
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<bool> {
        let equal = other.cast::<Device>().is_ok_and(|other| other.get() == self);
        match op {
            CompareOp::Eq => Ok(equal),
            CompareOp::Ne => Ok(!equal),
            _ => Err(PyTypeError::new_err("devices have no order")),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        pyo3::types::PyString::new(py, &self.__str__()).hash()
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        Ok((slf.get_type().into_any().unbind(), (slf.get().__str__(),)))
    }
}
