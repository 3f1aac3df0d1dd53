//! Signals for Python: which are around what this thread does, and what they are configured to be.

use gt::{scope, signals};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyList;

use crate::error::to_python;
use crate::provenance;
use crate::tensor::Tensor;

/// Empty until a session has a config. Every call of a module looks at it, and a list is what
/// Python looks at in the least time.
static CONFIGURED: PyOnceLock<Py<PyList>> = PyOnceLock::new();

/// From here on calls of modules have names.
pub fn name_modules(py: Python<'_>) {
    let configured = CONFIGURED.get(py).map(|list| list.bind(py));
    if let Some(list) = configured.filter(|list| list.is_empty()) {
        list.append(true).expect("a list takes another item");
    }
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("_configured", CONFIGURED.get_or_init(py, || PyList::empty(py).unbind()))?;
    module.add_function(wrap_pyfunction!(_signal_enter, module)?)?;
    module.add_function(wrap_pyfunction!(_signal_exit, module)?)?;
    module.add_function(wrap_pyfunction!(_signal_tensor, module)?)?;
    module.add_function(wrap_pyfunction!(_module_enter, module)?)?;
    module.add_function(wrap_pyfunction!(_module_is_configured, module)?)?;
    module.add_function(wrap_pyfunction!(_scope_restore, module)?)?;
    module.add_function(wrap_pyfunction!(_parameter_place, module)?)?;
    module.add_function(wrap_pyfunction!(_tensor_follow, module)?)?;
    module.add_function(wrap_pyfunction!(_auto_is_recording, module)?)?;
    module.add_function(wrap_pyfunction!(_auto_before, module)?)?;
    module.add_function(wrap_pyfunction!(_set_name, module)?)?;
    module.add_function(wrap_pyfunction!(_is_over, module)?)?;
    module.add_function(wrap_pyfunction!(_config_epoch, module)?)
}

/// Begins a signal; gives how many names are around it.
#[pyfunction]
fn _signal_enter(name: &str, backward: Option<&str>) -> PyResult<usize> {
    let depth = scope::depth();
    signals::enter(name, backward).map_err(to_python)?;
    Ok(depth)
}

/// Ends the innermost signal, which must have this name.
#[pyfunction]
fn _signal_exit(name: &str) -> PyResult<()> {
    scope::exit(name).map_err(to_python)
}

/// Ends what was begun after so many names; gives what should have been ended before.
#[pyfunction]
fn _scope_restore(depth: usize) -> Option<String> {
    scope::restore(depth)
}

/// A tensor with the same elements where a signal wants them.
#[pyfunction]
fn _signal_tensor(py: Python<'_>, tensor: &Tensor, name: &str) -> PyResult<Tensor> {
    provenance::mark(py);
    signals::check_name("the signal", name).map_err(to_python)?;
    tensor.0.place_in_signal(name).map(Tensor).map_err(to_python)
}

/// Begins a call of a module; gives how many names are around it.
#[pyfunction]
fn _module_enter(path: &str, full: &str) -> usize {
    let depth = scope::depth();
    scope::enter_module(path, full);
    depth
}

/// Whether a config has an entry about a module.
#[pyfunction]
fn _module_is_configured(path: &str, full: &str) -> bool {
    let names = if path.is_empty() { &[full][..] } else { &[path, full] };
    signals::is_configured(names)
}

/// Moves a parameter or a buffer of the module at `path` to where a pattern of the config wants
/// it; False if none does.
#[pyfunction]
fn _parameter_place(
    py: Python<'_>,
    tensor: &Tensor,
    root: &str,
    path: &str,
    name: &str,
) -> PyResult<bool> {
    provenance::mark(py);
    tensor.0.place_as_parameter(root, path, name).map_err(to_python)
}

/// Moves a tensor to where another one is.
#[pyfunction]
fn _tensor_follow(py: Python<'_>, tensor: &Tensor, other: &Tensor) -> PyResult<()> {
    provenance::mark(py);
    tensor.0.move_beside(&other.0).map_err(to_python)
}

/// Whether automatic sharding waits for the first step.
#[pyfunction]
fn _auto_is_recording() -> bool {
    signals::is_auto_recording()
}

/// A module is about to be called by itself, with these parameters and buffers; says whether it was
/// decided where they should be.
#[pyfunction]
fn _auto_before(
    py: Python<'_>,
    name: &str,
    tensors: Vec<(String, PyRef<'_, Tensor>)>,
    learns: bool,
) -> PyResult<bool> {
    provenance::mark(py);
    let tensors: Vec<(String, gt::Tensor)> =
        tensors.into_iter().map(|(name, tensor)| (name, tensor.0.clone())).collect();
    py.detach(|| signals::before_call(name, &tensors, learns)).map_err(to_python)
}

/// Gives a tensor a name by which errors call it.
#[pyfunction]
fn _set_name(tensor: &Tensor, name: &str) {
    tensor.0.set_name(name);
}

/// Whether the session of a tensor is over, and its elements are gone.
#[pyfunction]
fn _is_over(tensor: &Tensor) -> bool {
    tensor.0.is_over()
}

/// How many configs there were; zero if names have no meaning.
#[pyfunction]
fn _config_epoch() -> u64 {
    signals::epoch()
}
