//! What a program asks about its own run: profiles, reads, and statistics.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use gt::profile::{Profile, Profiling, Row};
use pyo3::prelude::*;

use crate::error::to_python;

/// A profile, under way or complete.
#[pyclass(name = "_Profile", module = "gt", frozen)]
struct PyProfile {
    under_way: Mutex<Option<Profiling>>,
    complete: Mutex<Option<Profile>>,
}

/// An operation, its kind, its line, count, nanoseconds, bytes, failures.
type Entry = (&'static str, &'static str, Option<String>, u64, u64, u64, u64);

#[pymethods]
impl PyProfile {
    /// Ends it, after everything that was asked for meanwhile is done.
    fn finish(&self) -> PyResult<()> {
        let under_way = self.under_way.lock().ok().and_then(|mut one| one.take());
        let complete = under_way.map(Profiling::finish).transpose().map_err(to_python)?;
        if let (Some(complete), Ok(mut place)) = (complete, self.complete.lock()) {
            *place = Some(complete);
        }
        Ok(())
    }

    /// What workers were done with, by operation and line.
    fn rows(&self) -> Vec<Entry> {
        let entry = |row: Row| {
            let Row { name, kind, place, count, total_ns, bytes, failed } = row;
            (name, kind.name(), place, count, total_ns, bytes, failed)
        };
        let rows = |profile: &Profile| profile.rows().into_iter().map(entry).collect();
        self.look(rows).unwrap_or_default()
    }

    /// How many events there are, and how many are missing.
    fn events(&self) -> (u64, u64) {
        self.look(|profile| (profile.events(), profile.lost())).unwrap_or_default()
    }

    /// Writes a trace for Chrome and Perfetto.
    fn write_chrome(&self, path: PathBuf) -> PyResult<()> {
        let mut out = BufWriter::new(File::create(path)?);
        let written = self.look(|profile| profile.write_chrome(&mut out));
        written.unwrap_or(Ok(())).and_then(|()| out.flush()).map_err(PyErr::from)
    }
}

impl PyProfile {
    fn look<T>(&self, see: impl FnOnce(&Profile) -> T) -> Option<T> {
        self.complete.lock().ok()?.as_ref().map(see)
    }
}

/// Begins to profile the default session.
#[pyfunction]
fn _profile(py: Python<'_>) -> PyResult<PyProfile> {
    let session = gt::session().map_err(to_python)?;
    let under_way = py.detach(|| gt::profile::start(&session)).map_err(to_python)?;
    let under_way = Mutex::new(Some(under_way));
    Ok(PyProfile { under_way, complete: Mutex::default() })
}

/// How often each line has waited for a value: file, line, count.
#[pyfunction]
fn _reads() -> Vec<(Option<String>, u32, u64)> {
    let reads = gt::open_session().map_or(Vec::new(), |session| session.reads());
    let line = |(place, count): (Option<gt::provenance::Place>, u64)| match place {
        Some(place) => (Some(place.file), place.line, count),
        None => (None, 0, count),
    };
    reads.into_iter().map(line).collect()
}

/// What workers and modifiers of the stream have done, in lines of words.
#[pyfunction]
fn _stats(py: Python<'_>) -> PyResult<String> {
    py.detach(|| gt::session().and_then(|session| session.stats())).map_err(to_python)
}

/// Adds the class and the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyProfile>()?;
    module.add_function(wrap_pyfunction!(_profile, module)?)?;
    module.add_function(wrap_pyfunction!(_reads, module)?)?;
    module.add_function(wrap_pyfunction!(_stats, module)?)
}
