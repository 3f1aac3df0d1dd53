//! Random numbers for Python: the session's own, and generators beside them.

use gt::RandomState;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::device::{self, Device};
use crate::error::to_python;
use crate::kind::kind_of;

/// Adds the functions and the class to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Generator>()?;
    module.add_function(wrap_pyfunction!(manual_seed, module)?)?;
    module.add_function(wrap_pyfunction!(_random_state, module)?)?;
    module.add_function(wrap_pyfunction!(_set_random_state, module)?)
}

/// Starts the random numbers anew.
#[pyfunction]
fn manual_seed(seed: i128) -> PyResult<()> {
    _set_random_state(seed as u64, 0)
}

/// The key of the session's random numbers, and how often it was used.
#[pyfunction]
fn _random_state() -> PyResult<(u64, u64)> {
    let state = gt::session().map_err(to_python)?.random_state();
    Ok((state.seed, state.count))
}

/// Goes on with random numbers from another state.
#[pyfunction]
fn _set_random_state(seed: u64, count: u64) -> PyResult<()> {
    gt::session().map_err(to_python)?.set_random_state(RandomState { seed, count });
    Ok(())
}

/// Random numbers apart from the session's. `gt.Generator` adds the words for it.
#[pyclass(name = "_Generator", module = "gt", frozen, subclass)]
pub struct Generator(gt::Generator);

#[pymethods]
impl Generator {
    #[new]
    #[pyo3(signature = (device=None))]
    fn new(device: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        device::check(device)?;
        Ok(Generator(gt::Generator::default()))
    }

    /// The device of the session.
    #[getter]
    fn device(&self) -> Device {
        Device::of_session()
    }

    fn _state(&self) -> (u64, u64) {
        let state = self.0.state();
        (state.seed, state.count)
    }

    fn _set_state(&self, seed: u64, count: u64) {
        self.0.set_state(RandomState { seed, count });
    }
}

/// Runs `body` with the random numbers of a generator, if one is given.
pub fn with<T>(generator: Option<&gt::Generator>, body: impl FnOnce() -> T) -> T {
    match generator {
        Some(generator) => generator.with(body),
        None => body(),
    }
}

/// The generator that an argument is; `None` stands for the session's own.
pub fn parse(value: &Bound<'_, PyAny>) -> PyResult<Option<gt::Generator>> {
    if value.is_none() {
        return Ok(None);
    }
    match value.cast::<Generator>() {
        Ok(generator) => Ok(Some(generator.get().0.clone())),
        Err(_) => {
            let kind = kind_of(value);
            Err(PyTypeError::new_err(format!("'generator' must be a gt.Generator, not {kind}")))
        }
    }
}
