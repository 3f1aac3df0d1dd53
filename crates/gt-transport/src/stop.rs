//! The switch by which a process that serves is asked to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gt_core::{Error, Result};
use gt_zmq::Waker;

/// Asks whoever serves to end. Clones are the same switch.
#[derive(Clone, Debug)]
pub struct Stop {
    stopped: Arc<AtomicBool>,
    waker: Waker,
}

impl Stop {
    /// A switch that nobody has turned yet.
    pub fn new() -> Result<Stop> {
        let waker = Waker::new().map_err(|error| Error::runtime(error.to_string()))?;
        Ok(Stop { stopped: Arc::default(), waker })
    }

    /// Asks for the end. May be called more than once, and from any thread.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.waker.wake();
    }

    /// Whether the end was asked for.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// What ends a wait when the end is asked for.
    pub fn waker(&self) -> &Waker {
        &self.waker
    }
}
