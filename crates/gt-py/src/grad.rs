//! Gradients for Python: what a tensor knows of its own, and the functions behind `gt.autograd`.

use std::sync::Arc;

use gt::grad::{self, AfterHook, Backward, Forward, Hook, HookId, Node, Request};
use gt::{Error, Result};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::error::to_python;
use crate::kind::{Given, kind_of};
use crate::provenance;
use crate::tensor::Tensor;

/// Adds the functions and classes to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<GradFn>()?;
    module.add_class::<Handle>()?;
    module.add_function(wrap_pyfunction!(is_grad_enabled, module)?)?;
    module.add_function(wrap_pyfunction!(_set_grad_enabled, module)?)?;
    module.add_function(wrap_pyfunction!(_is_anomaly_enabled, module)?)?;
    module.add_function(wrap_pyfunction!(_set_anomaly_enabled, module)?)?;
    module.add_function(wrap_pyfunction!(_gradients, module)?)?;
    module.add_function(wrap_pyfunction!(_record, module)?)?;
    module.add_function(wrap_pyfunction!(_mark, module)?)?;
    module.add_function(wrap_pyfunction!(_tape, module)?)?;
    module.add_function(wrap_pyfunction!(_checkpoint, module)?)
}

#[pymethods]
impl Tensor {
    /// Whether operations on it are recorded for its gradient.
    #[getter]
    fn requires_grad(&self) -> bool {
        self.0.is_tracked()
    }

    #[setter(requires_grad)]
    fn assign_requires_grad(&self, required: bool) -> PyResult<()> {
        self.0.set_requires_grad(required).map_err(to_python)
    }

    /// Asks for the gradient of this tensor, or no longer.
    #[pyo3(signature = (requires_grad=true))]
    fn requires_grad_<'py>(
        slf: &Bound<'py, Self>,
        requires_grad: bool,
    ) -> PyResult<Bound<'py, Self>> {
        slf.borrow().0.set_requires_grad(requires_grad).map_err(to_python)?;
        Ok(slf.clone())
    }

    /// The gradient that `backward` has accumulated.
    #[getter]
    fn grad(&self) -> Option<Tensor> {
        self.0.grad().map(Tensor)
    }

    #[setter(grad)]
    fn assign_grad(&self, gradient: Option<Given<'_>>) -> PyResult<()> {
        self.0.set_grad(gradient.map(|gradient| gradient.borrow().0.clone())).map_err(to_python)
    }

    /// What made the tensor, if its gradient is wanted and it is not a leaf.
    #[getter]
    fn grad_fn(&self) -> PyResult<Option<GradFn>> {
        let edge = self.0.edge().map_err(to_python)?;
        Ok(edge.filter(|_| !self.0.is_leaf()).map(|edge| GradFn(edge.node)))
    }

    /// Whether it was not made by a recorded operation.
    #[getter]
    fn is_leaf(&self) -> bool {
        self.0.is_leaf()
    }

    /// Whether a tensor that was computed keeps its gradient.
    #[getter]
    fn retains_grad(&self) -> bool {
        self.0.retains_grad()
    }

    /// Lets a tensor that was computed keep its gradient in `grad`.
    fn retain_grad(&self) -> PyResult<()> {
        self.0.retain_grad().map_err(to_python)
    }

    /// Accumulates the gradients of all leaves this tensor was made from, or of `inputs` alone.
    #[pyo3(signature = (gradient=None, retain_graph=None, create_graph=false, inputs=None))]
    fn backward(
        slf: PyRef<'_, Self>,
        gradient: Option<Given<'_>>,
        retain_graph: Option<bool>,
        create_graph: bool,
        inputs: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        provenance::mark(slf.py());
        let outputs = [(slf.0.clone(), gradient.map(|gradient| gradient.borrow().0.clone()))];
        // A hook may give this tensor other data.
        drop(slf);
        let inputs = inputs.map(one_or_many).transpose()?;
        let retain_graph = retain_graph.unwrap_or(create_graph);
        let request =
            Request { outputs: &outputs, inputs: inputs.as_deref(), retain_graph, create_graph };
        let found = grad::run(&request).map_err(to_python)?;
        for (input, gradient) in inputs.iter().flatten().zip(found) {
            let gradient = gradient.as_ref();
            gradient.map_or(Ok(()), |found| input.accumulate_grad(found)).map_err(to_python)?;
        }
        Ok(())
    }

    /// Lets Python find a hook that holds its own tensor.
    fn __traverse__(&self, visit: PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        let held = self.0.held_by_hooks();
        let mut hooks = held.iter().filter_map(|held| held.downcast_ref::<Py<PyAny>>());
        hooks.try_for_each(|hook| visit.call(hook))
    }

    fn __clear__(&self) {
        self.0.clear_hooks();
    }

    /// Calls `hook(grad)` with each gradient of this tensor; what it returns takes its place.
    fn register_hook(&self, hook: Py<PyAny>) -> PyResult<Handle> {
        let hook = Arc::new(hook);
        let registered = self.0.register_hook(python_hook(hook.clone()));
        let (node, id) = registered.map_err(to_python)?;
        node.hold(id, hook);
        Ok(Handle { node, id })
    }

    /// Calls `hook(tensor)` whenever this leaf has accumulated a gradient.
    fn register_post_accumulate_grad_hook(
        slf: &Bound<'_, Self>,
        hook: Py<PyAny>,
    ) -> PyResult<Handle> {
        // The tensor holds the hook, so that the hook may not hold the tensor.
        let (weak, hook) = (py_weak(slf)?, Arc::new(hook));
        let held = hook.clone();
        let call: AfterHook = Arc::new(move |node| {
            Python::attach(|py| {
                let tensor = weak.bind(py).call0().and_then(|tensor| match node.left_tensor() {
                    Some(left) if tensor.is_none() => Ok(Bound::new(py, Tensor(left))?.into_any()),
                    _ => Ok(tensor),
                });
                let called = tensor.and_then(|tensor| hook.call1(py, (tensor,)));
                called.map(drop).map_err(|error| pending(py, error))
            })
        });
        let (node, id) = slf.borrow().0.register_hook_after(call).map_err(to_python)?;
        node.hold(id, held);
        Ok(Handle { node, id })
    }
}

fn py_weak(tensor: &Bound<'_, Tensor>) -> PyResult<Py<PyAny>> {
    let weakref = tensor.py().import("weakref")?.getattr("ref")?;
    Ok(weakref.call1((tensor,))?.unbind())
}

/// Tensors from a tensor or a sequence of them.
fn one_or_many(value: &Bound<'_, PyAny>) -> PyResult<Vec<gt::Tensor>> {
    if let Ok(tensor) = value.cast::<Tensor>() {
        return Ok(vec![tensor.borrow().0.clone()]);
    }
    value.try_iter()?.map(|item| tensor_of(&item?)).collect()
}

fn tensor_of(value: &Bound<'_, PyAny>) -> PyResult<gt::Tensor> {
    match value.cast::<Tensor>() {
        Ok(tensor) => Ok(tensor.borrow().0.clone()),
        Err(_) => {
            let kind = kind_of(value);
            Err(PyTypeError::new_err(format!("expected a tensor, not {kind}")))
        }
    }
}

/// An exception of the user's own code: kept until the error crosses the border.
fn pending(py: Python<'_>, error: PyErr) -> Error {
    error.restore(py);
    Error::Interrupted
}

fn python_hook(hook: Arc<Py<PyAny>>) -> Hook {
    Arc::new(move |gradient| {
        Python::attach(|py| {
            let result = hook.call1(py, (Tensor(gradient.clone()),));
            let result = result.map_err(|error| pending(py, error))?;
            if result.is_none(py) {
                return Ok(None);
            }
            tensor_of(result.bind(py)).map(Some).map_err(|error| pending(py, error))
        })
    })
}

/// A node of the graph, as `grad_fn` shows it.
#[pyclass(module = "gt", frozen)]
pub struct GradFn(Arc<Node>);

#[pymethods]
impl GradFn {
    /// What it is called.
    fn name(&self) -> String {
        self.0.name()
    }

    /// What its inputs were made by, each with the number of the result.
    #[getter]
    fn next_functions(&self) -> Vec<(Option<GradFn>, usize)> {
        let next = self.0.next().map(|edge| match edge {
            Some(edge) => (Some(GradFn(edge.node.clone())), edge.output),
            None => (None, 0),
        });
        next.collect()
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.0.name())
    }
}

/// By which a hook can be removed.
#[pyclass(module = "gt", frozen)]
pub struct Handle {
    node: Arc<Node>,
    id: HookId,
}

#[pymethods]
impl Handle {
    /// Removes the hook.
    fn remove(&self) {
        self.node.remove_hook(self.id);
    }
}

/// Whether this thread records gradients.
#[pyfunction]
fn is_grad_enabled() -> bool {
    grad::is_enabled()
}

/// Records gradients, or not, from here on; gives what was before.
#[pyfunction]
fn _set_grad_enabled(enabled: bool) -> bool {
    grad::Grad::set(enabled).keep()
}

#[pyfunction]
fn _is_anomaly_enabled() -> bool {
    grad::detects_anomalies()
}

#[pyfunction]
fn _set_anomaly_enabled(enabled: bool) {
    grad::set_detect_anomalies(enabled);
}

/// The gradients of `outputs` by `inputs`; by all leaves, accumulated there, if there are none.
#[pyfunction]
fn _gradients(
    py: Python<'_>,
    outputs: &Bound<'_, PyAny>,
    grad_outputs: Vec<Option<Bound<'_, Tensor>>>,
    inputs: Option<&Bound<'_, PyAny>>,
    retain_graph: bool,
    create_graph: bool,
) -> PyResult<Vec<Option<Tensor>>> {
    provenance::mark(py);
    let given = grad_outputs.into_iter().map(|given| given.map(|given| given.borrow().0.clone()));
    let outputs: Vec<_> = one_or_many(outputs)?.into_iter().zip(given).collect();
    let inputs = inputs.map(one_or_many).transpose()?;
    let request =
        Request { outputs: &outputs, inputs: inputs.as_deref(), retain_graph, create_graph };
    let found = grad::run(&request).map_err(to_python)?;
    Ok(found.into_iter().map(|gradient| gradient.map(Tensor)).collect())
}

struct PythonFunction(Py<PyAny>);

impl Backward for PythonFunction {
    fn backward(&self, grads: Vec<Option<gt::Tensor>>) -> Result<Vec<Option<gt::Tensor>>> {
        Python::attach(|py| {
            let grads: Vec<_> = grads.into_iter().map(|grad| grad.map(Tensor)).collect();
            let result = self.0.call1(py, (grads,)).and_then(|result| {
                let items = result.bind(py).try_iter()?.map(|item| {
                    let item = item?;
                    if item.is_none() { Ok(None) } else { tensor_of(&item).map(Some) }
                });
                items.collect::<PyResult<Vec<_>>>()
            });
            result.map_err(|error| pending(py, error))
        })
    }
}

/// Lets `backward` find the gradients of `inputs` from those of `results`.
#[pyfunction]
fn _record(
    py: Python<'_>,
    name: String,
    backward: Py<PyAny>,
    inputs: &Bound<'_, PyAny>,
    results: &Bound<'_, PyAny>,
) -> PyResult<()> {
    provenance::mark(py);
    let (inputs, results) = (one_or_many(inputs)?, one_or_many(results)?);
    let function = Box::new(PythonFunction(backward));
    grad::custom(name, function, &inputs, &results).map_err(to_python)
}

/// A mark for `_checkpoint`.
#[pyfunction]
fn _mark() -> u64 {
    grad::mark()
}

struct PythonForward(Py<PyAny>);

impl Forward for PythonForward {
    fn forward(&self) -> Result<Vec<gt::Tensor>> {
        Python::attach(|py| {
            let results = self.0.call0(py).and_then(|results| one_or_many(results.bind(py)));
            results.map_err(|error| pending(py, error))
        })
    }
}

/// Forgets what was recorded for `results` since the mark; `forward` computes it again.
#[pyfunction]
fn _checkpoint(
    py: Python<'_>,
    mark: u64,
    forward: Py<PyAny>,
    results: &Bound<'_, PyAny>,
) -> PyResult<()> {
    provenance::mark(py);
    let forward = Box::new(PythonForward(forward));
    grad::checkpoint(mark, forward, &one_or_many(results)?).map_err(to_python)
}

/// A node of the tape: number, operation, inputs, results, placement, file, line and function.
type Entry = (u64, String, Vec<String>, Vec<String>, Option<String>, Option<(String, u32, String)>);

/// The nodes that this thread has made, or those behind a tensor, in the order of their making.
#[pyfunction]
#[pyo3(signature = (tensor=None))]
fn _tape(py: Python<'_>, tensor: Option<PyRef<'_, Tensor>>) -> PyResult<Vec<Entry>> {
    let tensor = tensor.map(|tensor| tensor.0.clone());
    let entries = py.detach(|| grad::tape(tensor.as_ref())).map_err(to_python)?;
    let entry = |entry: grad::Entry| {
        let outputs = entry.outputs.iter().map(ToString::to_string).collect();
        let place = entry.place.map(|place| (place.file, place.line, place.function));
        (entry.number, entry.op, entry.inputs, outputs, entry.placement, place)
    };
    Ok(entries.into_iter().map(entry).collect())
}
