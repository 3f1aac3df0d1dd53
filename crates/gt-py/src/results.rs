//! What a call gives back: a tensor, a named tuple of several, or what `out=` was given.

use gt::op::Op;
use gt::ops;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use smallvec::SmallVec;

use crate::error::to_python;
use crate::kind::kind_of;
use crate::tensor::Tensor;

static TYPES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// What a program calls a row: one that is reached through another name is called by that.
fn called(op: &Op) -> &str {
    op.name.trim_end_matches("_along")
}

/// A class of named tuples for each row with several results, by the row's name.
fn types(py: Python<'_>) -> PyResult<&Bound<'_, PyDict>> {
    let types = TYPES.get_or_try_init(py, || {
        let named = py.import("collections")?.getattr("namedtuple")?;
        let types = PyDict::new(py);
        for op in ops::ALL.iter().filter(|op| op.outputs.len() > 1) {
            let fields: Vec<&str> = op.outputs.iter().map(|output| output.name).collect();
            let kwargs = PyDict::new(py);
            kwargs.set_item("module", "gt._gt")?;
            types.set_item(op.name, named.call((called(op), fields), Some(&kwargs))?)?;
        }
        Ok::<_, PyErr>(types.unbind())
    })?;
    Ok(types.bind(py))
}

/// Adds the classes of results to the module, for type checkers.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for (name, class) in types(module.py())? {
        module.add(&*format!("_{name}_result"), class)?;
    }
    Ok(())
}

/// The results of a row as Python wants them.
pub fn deliver<'py>(
    py: Python<'py>,
    op: &'static Op,
    results: SmallVec<[gt::Tensor; 1]>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(out) = out {
        write_out(op, &results, out)?;
        return Ok(out.clone());
    }
    let tensors = results.into_iter().map(|result| Bound::new(py, Tensor(result)));
    let mut tensors: SmallVec<[Bound<'py, Tensor>; 1]> = tensors.collect::<PyResult<_>>()?;
    match tensors.len() {
        1 => Ok(tensors.remove(0).into_any()),
        _ => {
            let class = types(py)?.get_item(op.name)?;
            let tensors = PyTuple::new(py, tensors)?;
            class.map_or_else(
                || Ok(tensors.clone().into_any()),
                |class| class.call1(tensors.clone()),
            )
        }
    }
}

fn write_out(op: &Op, results: &[gt::Tensor], out: &Bound<'_, PyAny>) -> PyResult<()> {
    let targets: Vec<Bound<'_, PyAny>> = match results.len() {
        1 => vec![out.clone()],
        _ => out.try_iter()?.collect::<PyResult<_>>()?,
    };
    let (name, count) = (called(op), results.len());
    if targets.len() != count {
        return Err(PyTypeError::new_err(format!("{name}: 'out' must be {count} tensors")));
    }
    for (target, result) in targets.iter().zip(results) {
        let kind = kind_of(target);
        let Ok(target) = target.cast::<Tensor>() else {
            return Err(PyTypeError::new_err(format!(
                "{name}: 'out' must be a tensor, not {kind}"
            )));
        };
        let target = &target.borrow().0;
        if result.dtype().kind() > target.dtype().kind() {
            let (from, to) = (result.dtype(), target.dtype());
            return Err(PyRuntimeError::new_err(format!(
                "{name}: result type {from} can't be cast to the desired output type {to}"
            )));
        }
        // PyTorch gives `out` another size, with a warning; a cell keeps its own.
        if result.shape() != target.shape() {
            let (made, has) = (result.shape(), target.shape());
            return Err(PyRuntimeError::new_err(format!(
                "{name}: 'out' has shape {has}, the result has {made}"
            )));
        }
        target.copy(result).map_err(to_python)?;
    }
    Ok(())
}
