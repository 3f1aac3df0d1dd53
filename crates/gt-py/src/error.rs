//! GT's errors as Python's exceptions: those that PyTorch raises.

use gt::{Error, Fault};
use pyo3::exceptions::{
    PyIndexError, PyKeyboardInterrupt, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::{PyErr, create_exception};

create_exception!(gt, OutOfMemoryError, PyRuntimeError, "A worker's memory limit was reached.");
create_exception!(gt, LostError, PyRuntimeError, "A value, a worker or a connection is gone.");
create_exception!(gt, WorkerLost, LostError, "A worker is gone, and with it a value.");
create_exception!(gt, SessionLost, LostError, "The session is over, and its values are gone.");

/// The exception for an error.
pub fn to_python(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Input { fault: Fault::Runtime, .. } => PyRuntimeError::new_err(message),
        Error::Input { fault: Fault::Value, .. } => PyValueError::new_err(message),
        Error::Input { fault: Fault::Type, .. } => PyTypeError::new_err(message),
        Error::Input { fault: Fault::Index, .. } => PyIndexError::new_err(message),
        Error::OutOfMemory(_) => OutOfMemoryError::new_err(message),
        Error::Lost(_) => LostError::new_err(message),
        Error::WorkerLost(_) => WorkerLost::new_err(message),
        Error::SessionLost(_) => SessionLost::new_err(message),
        Error::Bug(_) => PyRuntimeError::new_err(message),
        // The host has left the exception that its signal handler raised.
        Error::Interrupted => Python::attach(|py| {
            PyErr::take(py).unwrap_or_else(|| PyKeyboardInterrupt::new_err(message))
        }),
    }
}

/// Adds the exceptions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("OutOfMemoryError", py.get_type::<OutOfMemoryError>())?;
    module.add("LostError", py.get_type::<LostError>())?;
    module.add("WorkerLost", py.get_type::<WorkerLost>())?;
    module.add("SessionLost", py.get_type::<SessionLost>())
}
