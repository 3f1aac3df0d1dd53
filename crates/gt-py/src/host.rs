//! Python while the client waits: its lock is released, and Ctrl-C is noticed.

use std::sync::OnceLock;
use std::thread::{self, ThreadId};
use std::time::Duration;

use gt::host::{Host, PATIENCE};
use gt::{Error, Result};
use pyo3::prelude::*;

use crate::{provenance, scope};

/// The thread that ends the interpreter, once it does.
static ENDING: OnceLock<ThreadId> = OnceLock::new();

/// The interpreter ends on this thread.
pub fn end() {
    let _ = ENDING.set(thread::current().id());
}

/// Stays here if the interpreter ends on another thread: there is no Python to return to, and the
/// result of the wait is not used.
fn rest_in_peace() {
    while ENDING.get().is_some_and(|ending| *ending != thread::current().id()) {
        thread::park();
    }
}

/// Waits as a Python program should.
pub struct PythonHost;

impl Host for PythonHost {
    fn wait(&self, poll: &mut (dyn FnMut(Duration) -> bool + Send)) -> Result<()> {
        let mut poll = || {
            let done = poll(PATIENCE);
            rest_in_peace();
            done
        };
        Python::attach(|py| {
            while !py.detach(&mut poll) {
                if let Err(interrupt) = py.check_signals() {
                    // Kept until the error crosses the border; see `error::to_python`.
                    interrupt.restore(py);
                    return Err(Error::Interrupted);
                }
            }
            Ok(())
        })
    }

    fn warn(&self, text: &str) -> Result<()> {
        Python::attach(|py| {
            let told = provenance::warn(py, text);
            told.map_err(|raised| {
                raised.restore(py);
                Error::Interrupted
            })
        })
    }

    fn configured(&self) {
        Python::attach(scope::name_modules);
    }
}
