//! Python's `Session`, its state and its memory.

use std::collections::HashMap;
use std::path::PathBuf;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::error::to_python;
use crate::tensor::Tensor;
use crate::{host, provenance};

/// A stream of instructions to a dispatcher and its workers. In a `with` statement it is the one
/// that this thread uses, and it is closed at the end.
#[pyclass(module = "gt", frozen)]
pub struct Session(gt::Session);

#[pymethods]
impl Session {
    /// Whether it can be used.
    #[getter]
    fn is_open(&self) -> bool {
        self.0.is_open()
    }

    /// Ends the session. Its tensors can be dropped, but not used.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.0.close());
    }

    /// A context in which this thread uses the session; it stays open afterwards.
    fn using(&self) -> Using {
        Using(self.0.clone())
    }

    /// Waits for everything that was asked for, and raises what failed.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        provenance::mark(py);
        self.0.synchronize().map_err(to_python)
    }

    /// Defers what was asked for and has not begun: it runs only if something that is read later
    /// needs it, and is dropped once nothing can. Updates of tensors in use are not lost.
    fn cancel(&self) -> PyResult<()> {
        self.0.cancel().map_err(to_python)
    }

    /// What the session is at.
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        status_of(py, Some(&self.0))
    }

    /// Who holds its memory.
    fn memory<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        memory_of(py, &self.0)
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        gt::enter(&slf.0);
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        gt::leave();
        self.close(py);
    }

    fn __repr__(&self) -> String {
        let state = if self.0.is_open() { "open" } else { "closed" };
        let place = match gt::server_of(&self.0) {
            Some(address) => format!("at {address}"),
            None => "in this process".to_string(),
        };
        format!("<gt.Session, {} workers {place}, {state}>", self.0.status().workers)
    }
}

/// What `Session.using` gives.
#[pyclass(module = "gt", frozen)]
pub struct Using(gt::Session);

#[pymethods]
impl Using {
    fn __enter__(&self) -> Session {
        gt::enter(&self.0);
        Session(self.0.clone())
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        gt::leave();
    }
}

/// Adds the class and the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Session>()?;
    module.add_function(wrap_pyfunction!(connect, module)?)?;
    module.add_function(wrap_pyfunction!(disconnect, module)?)?;
    module.add_function(wrap_pyfunction!(close, module)?)?;
    module.add_function(wrap_pyfunction!(_close_all, module)?)?;
    module.add_function(wrap_pyfunction!(workers, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_workers, module)?)?;
    module.add_function(wrap_pyfunction!(synchronize, module)?)?;
    module.add_function(wrap_pyfunction!(cancel, module)?)?;
    module.add_function(wrap_pyfunction!(status, module)?)?;
    module.add_function(wrap_pyfunction!(memory, module)?)?;
    module.add_function(wrap_pyfunction!(counters, module)?)?;
    module.add_function(wrap_pyfunction!(_dashboard, module)?)?;
    module.add_function(wrap_pyfunction!(_placement, module)?)?;
    module.add_function(wrap_pyfunction!(_moved_bytes, module)?)
}

/// A number of bytes, or a text that means one.
#[derive(FromPyObject)]
enum Size {
    Bytes(u64),
    Text(String),
}

impl Size {
    fn bytes(self) -> gt::Result<u64> {
        match self {
            Size::Bytes(bytes) => Some(bytes),
            Size::Text(text) => gt::settings::parse_bytes(&text).map(|bytes| bytes as u64),
        }
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| gt::Error::value("connect: memory= is bytes or a text such as '4GiB'"))
    }
}

/// Opens a session and makes it the default. Without an address it is at `GT_SERVER`, or lives in
/// this process with `workers` workers of its own. The default session is given again if it has the
/// same address, unless `new` is true. `memory`, in bytes or as a text such as `'4GiB'`, is the
/// most that it may hold on each worker of a server.
#[pyfunction]
#[pyo3(signature = (
    address=None, *, name=None, workers=None, memory=None, new=false, key=None, insecure=false
))]
#[expect(clippy::too_many_arguments, reason = "they are words of Python")]
fn connect(
    py: Python<'_>,
    address: Option<String>,
    name: Option<String>,
    workers: Option<usize>,
    memory: Option<Size>,
    new: bool,
    key: Option<PathBuf>,
    insecure: bool,
) -> PyResult<Session> {
    let trust = gt::address::Trust::asked(key, insecure).map_err(to_python)?;
    let memory_bytes = memory.map(Size::bytes).transpose().map_err(to_python)?;
    let options = gt::ConnectOptions { address, name, workers, memory_bytes, new, trust };
    py.detach(|| gt::connect(&options)).map(Session).map_err(to_python)
}

/// Ends the default session, if there is one; the one before it is the default again.
#[pyfunction]
fn disconnect(py: Python<'_>) {
    py.detach(gt::close);
}

/// Ends the default session, if there is one.
#[pyfunction]
fn close(py: Python<'_>) {
    py.detach(gt::close);
}

/// Ends every session; called when the interpreter ends.
#[pyfunction]
fn _close_all(py: Python<'_>) {
    host::end();
    py.detach(gt::close_all);
}

/// Asks for so many workers, before the first operation.
#[pyfunction]
fn workers(count: usize) -> PyResult<()> {
    gt::workers(count).map_err(to_python)
}

/// Asks for a worker on each of `count` GPUs, before the first operation. Where there are fewer,
/// the workers use the CPU, and a warning says so.
#[pyfunction]
fn gpu_workers(py: Python<'_>, count: usize) -> PyResult<()> {
    gt::workers(count).map_err(to_python)?;
    let category = py.get_type::<PyUserWarning>();
    PyErr::warn(py, &category, c"gpu_workers: no GPU can be used here; the workers use the CPU", 1)
}

/// Waits for everything that was asked for, and raises what failed.
#[pyfunction]
fn synchronize(py: Python<'_>) -> PyResult<()> {
    provenance::mark(py);
    gt::open_session().map_or(Ok(()), |session| session.synchronize()).map_err(to_python)
}

/// Defers what was asked for and has not begun: it runs only if something that is read later needs
/// it, and is dropped once nothing can. Updates of tensors in use are not lost. An interrupted wait
/// does the same.
#[pyfunction]
fn cancel() -> PyResult<()> {
    gt::open_session().map_or(Ok(()), |session| session.cancel()).map_err(to_python)
}

/// What the default session is at. Starts nothing.
#[pyfunction]
fn status(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    status_of(py, gt::open_session().as_ref())
}

/// Who holds the memory of the default session: by dtype, and by line of code.
#[pyfunction]
fn memory(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    memory_of(py, &gt::session().map_err(to_python)?)
}

/// How many messages were sent, how often the program waited, how many bytes it has read, and how
/// many values were stored.
#[pyfunction]
fn counters(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let counters = gt::session().and_then(|session| session.counters()).map_err(to_python)?;
    let dict = PyDict::new(py);
    dict.set_item("messages", counters.messages)?;
    dict.set_item("waits", counters.waits)?;
    dict.set_item("read_bytes", counters.read_bytes)?;
    dict.set_item("stored", counters.stored)?;
    Ok(dict)
}

fn status_of<'py>(py: Python<'py>, session: Option<&gt::Session>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("open", session.is_some_and(gt::Session::is_open))?;
    if let Some(session) = session {
        let status = session.status();
        dict.set_item("workers", status.workers)?;
        dict.set_item("threads", status.threads)?;
        dict.set_item("commands_sent", status.commands_sent)?;
        dict.set_item("commands_done", status.commands_done)?;
        dict.set_item("memory_bytes", status.memory_bytes)?;
        dict.set_item("memory_limit_bytes", status.memory_limit_bytes)?;
    }
    Ok(dict)
}

fn memory_of<'py>(py: Python<'py>, session: &gt::Session) -> PyResult<Bound<'py, PyDict>> {
    let memory = session.memory().map_err(to_python)?;
    let (dict, by_dtype, by_line) = (PyDict::new(py), PyDict::new(py), PyList::empty(py));
    dict.set_item("used_bytes", memory.used_bytes)?;
    dict.set_item("cached_bytes", memory.cached_bytes)?;
    dict.set_item("peak_bytes", memory.peak_bytes)?;
    dict.set_item("limit_bytes", memory.limit_bytes)?;
    for (dtype, bytes) in memory.by_dtype {
        by_dtype.set_item(dtype.to_string(), bytes)?;
    }
    for line in memory.by_line {
        let place = line.place.map_or("unknown".to_string(), |place| place.to_string());
        by_line.append((place, line.bytes))?;
    }
    dict.set_item("by_dtype", by_dtype)?;
    dict.set_item("by_line", by_line)?;
    Ok(dict)
}

/// The address of a page that shows the default session.
#[pyfunction]
fn _dashboard(py: Python<'_>, port: u16) -> PyResult<String> {
    py.detach(|| gt_cli::dashboard(&gt::session()?, port)).map_err(to_python)
}

/// Where a tensor is, in words.
#[pyfunction]
fn _placement(py: Python<'_>, tensor: PyRef<'_, Tensor>) -> PyResult<String> {
    let tensor = tensor.0.clone();
    py.detach(|| tensor.placement()).map_err(to_python)
}

/// How many bytes went from which worker to which.
#[pyfunction]
fn _moved_bytes(py: Python<'_>) -> PyResult<HashMap<(u32, u32), u64>> {
    let links = py.detach(|| gt::session().and_then(|session| session.moved_bytes()));
    let links = links.map_err(to_python)?;
    Ok(links.into_iter().map(|(from, to, bytes)| ((from, to), bytes)).collect())
}
