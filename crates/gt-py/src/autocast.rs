//! Mixed precision for Python: the state behind `gt.autocast`.

use gt::autocast::{self, Mode};
use pyo3::prelude::*;

use crate::dtype::{self, PyDType};

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_autocast, module)?)?;
    module.add_function(wrap_pyfunction!(_autocast_enter, module)?)?;
    module.add_function(wrap_pyfunction!(_autocast_exit, module)?)?;
    module.add_function(wrap_pyfunction!(clear_autocast_cache, module)?)
}

type State = (Option<Py<PyDType>>, bool);

fn to_state(py: Python<'_>, mode: Mode) -> PyResult<State> {
    Ok((mode.lower.map(|lower| dtype::object(py, lower)).transpose()?, mode.keeps))
}

fn to_mode(lower: Option<&Bound<'_, PyAny>>, keeps: bool) -> PyResult<Mode> {
    Ok(Mode { lower: lower.map(dtype::parse).transpose()?, keeps })
}

/// The lower precision of this thread, if it casts, and whether casts of leaves are kept.
#[pyfunction]
fn _autocast(py: Python<'_>) -> PyResult<State> {
    to_state(py, autocast::mode())
}

/// Begins a context; gives what `_autocast_exit` wants.
#[pyfunction]
fn _autocast_enter(
    py: Python<'_>,
    lower: Option<&Bound<'_, PyAny>>,
    keeps: bool,
) -> PyResult<State> {
    let before = to_state(py, autocast::mode())?;
    autocast::enter(to_mode(lower, keeps)?);
    Ok(before)
}

/// Ends a context.
#[pyfunction]
fn _autocast_exit(lower: Option<&Bound<'_, PyAny>>, keeps: bool) -> PyResult<()> {
    autocast::exit(to_mode(lower, keeps)?);
    Ok(())
}

/// Forgets the parameters that autocast has cast.
#[pyfunction]
fn clear_autocast_cache() {
    autocast::clear();
}
