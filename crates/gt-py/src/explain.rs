//! What was decided of a program, as dictionaries; `gt/explanation.py` puts them into words.

use gt::placement::{Layout, Span};
use gt::rehearsal::{Held, Moved, Row};
use gt::{Explanation, provenance};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::to_python;
use crate::tensor::Tensor;

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_explain_begin, module)?)?;
    module.add_function(wrap_pyfunction!(_auto_shard, module)?)?;
    module.add_function(wrap_pyfunction!(_explain, module)?)
}

/// Keeps account of what is decided in the default session from now on, if it has not begun; says
/// whether account is kept.
#[pyfunction]
fn _explain_begin(py: Python<'_>) -> PyResult<bool> {
    py.detach(|| gt::session().map(|session| session.begin_explaining())).map_err(to_python)
}

/// What was decided since this was last asked, or what would be with so many workers.
#[pyfunction]
fn _explain<'py>(
    py: Python<'py>,
    workers: Option<usize>,
    tensors: Vec<PyRef<'py, Tensor>>,
) -> PyResult<Bound<'py, PyDict>> {
    let tensors: Vec<gt::Tensor> = tensors.iter().map(|tensor| tensor.0.clone()).collect();
    let found = py.detach(|| gt::session()?.explanation(workers, &tensors)).map_err(to_python)?;
    let Explanation { workers, rows, seconds, left_out, .. } = found;
    let Explanation { held_bytes, peak_bytes, places, notes, .. } = found;
    let dict = PyDict::new(py);
    dict.set_item("workers", workers)?;
    dict.set_item("seconds", seconds)?;
    dict.set_item("left_out", left_out)?;
    dict.set_item("held_bytes", held_bytes)?;
    dict.set_item("peak_bytes", peak_bytes)?;
    dict.set_item("notes", notes)?;
    let (decisions, held) = (PyList::empty(py), PyList::empty(py));
    rows.iter().try_for_each(|row| decisions.append(row_of(py, row)?))?;
    for place in &places {
        held.append(place.as_ref().map(|place| held_of(py, place)).transpose()?)?;
    }
    dict.set_item("decisions", decisions)?;
    dict.set_item("places", held)?;
    Ok(dict)
}

/// What automatic sharding has decided, and between what; None if it has not.
#[pyfunction]
fn _auto_shard(py: Python<'_>) -> PyResult<Option<Bound<'_, PyDict>>> {
    let Some(verdict) = gt::open_session().and_then(|session| session.auto_verdict()) else {
        return Ok(None);
    };
    let (dict, trials) = (PyDict::new(py), PyList::empty(py));
    dict.set_item("chosen", verdict.chosen)?;
    for trial in &verdict.trials {
        let one = PyDict::new(py);
        one.set_item("name", trial.name)?;
        one.set_item("seconds", trial.seconds)?;
        one.set_item("bytes", trial.bytes)?;
        one.set_item("messages", trial.messages)?;
        one.set_item("peak_bytes", trial.peak_bytes)?;
        one.set_item("fits", trial.fits)?;
        one.set_item("problem", &trial.problem)?;
        trials.append(one)?;
    }
    dict.set_item("trials", trials)?;
    Ok(Some(dict))
}

fn row_of<'py>(py: Python<'py>, row: &Row) -> PyResult<Bound<'py, PyDict>> {
    let (dict, decided) = (PyDict::new(py), &row.decided);
    let place = provenance::place(decided.provenance);
    dict.set_item("op", decided.op)?;
    dict.set_item("line", place.map(|place| format!("{}:{}", place.file, place.line)))?;
    dict.set_item("within", provenance::called(decided.provenance).as_deref())?;
    dict.set_item("entry", decided.scope.as_deref())?;
    dict.set_item("results", &decided.results)?;
    dict.set_item("way", &decided.way)?;
    let second = decided.runner_up.as_ref();
    dict.set_item("runner_up", second.map(|second| &second.way))?;
    dict.set_item("cost", second.map(|second| second.chosen_cost))?;
    dict.set_item("runner_up_cost", second.map(|second| second.cost))?;
    dict.set_item("count", row.count)?;
    dict.set_item("compute_seconds", row.compute_ns as f64 * 1e-9)?;
    dict.set_item("transfer_seconds", row.transfer_ns as f64 * 1e-9)?;
    dict.set_item("bytes", row.bytes())?;
    dict.set_item("messages", row.messages())?;
    let moves = row.moves.iter().filter(|moved| moved.messages > 0);
    let moves = moves.map(|Moved { what, bytes, messages }| (what, bytes, messages));
    dict.set_item("moves", moves.collect::<Vec<_>>())?;
    Ok(dict)
}

fn held_of<'py>(py: Python<'py>, held: &Held) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("place", &held.place)?;
    dict.set_item("dtype", held.meta.dtype.to_string())?;
    dict.set_item("shape", held.meta.shape.to_vec())?;
    dict.set_item("bytes", held.meta.bytes())?;
    let layouts = held.layouts.iter().map(|(axis, layout)| match layout {
        Layout::Shard(cut) => (axis, Some(cut.axis), "shard"),
        Layout::Replicate => (axis, None, "replicate"),
        Layout::Partial(_) => (axis, None, "partial"),
    });
    dict.set_item("layouts", layouts.collect::<Vec<_>>())?;
    // In blocks a part has something of every block; its outline is drawn.
    let span = |span: &Span| match span.blocks {
        1 => (span.start, span.start + span.len, span.inner),
        blocks => (0, span.size(), blocks * span.inner),
    };
    let parts = held.parts.iter();
    let parts = parts.map(|(worker, part)| (*worker, part.iter().map(span).collect::<Vec<_>>()));
    dict.set_item("parts", parts.collect::<Vec<_>>())?;
    dict.set_item("whole_while_used", held.copies.whole)?;
    dict.set_item("keep", held.copies.kept)?;
    Ok(dict)
}
