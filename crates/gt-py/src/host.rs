//! Python while the client waits: its lock is released, and Ctrl-C is noticed.

use std::time::Duration;

use gt::host::{Host, PATIENCE};
use gt::{Error, Result};
use pyo3::prelude::*;

/// Waits as a Python program should.
pub struct PythonHost;

impl Host for PythonHost {
    fn wait(&self, poll: &mut (dyn FnMut(Duration) -> bool + Send)) -> Result<()> {
        Python::attach(|py| {
            while !py.detach(|| poll(PATIENCE)) {
                if let Err(interrupt) = py.check_signals() {
                    // Kept until the error crosses the border; see `error::to_python`.
                    interrupt.restore(py);
                    return Err(Error::Interrupted);
                }
            }
            Ok(())
        })
    }
}
