//! Grad mode: whether this thread traces operations, and whether backward checks gradients for NaN.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static ENABLED: Cell<bool> = const { Cell::new(true) };
}

static ANOMALIES: AtomicBool = AtomicBool::new(false);

/// Whether this thread records gradients.
pub fn is_enabled() -> bool {
    ENABLED.get()
}

/// Whether a thread records gradients, until the value is dropped.
pub struct Grad {
    before: bool,
}

impl Grad {
    /// Records gradients, or not, from here on.
    pub fn set(enabled: bool) -> Grad {
        Grad { before: ENABLED.replace(enabled) }
    }

    /// Keeps the mode when the value is dropped, and returns what it was before.
    pub fn keep(self) -> bool {
        let before = self.before;
        std::mem::forget(self);
        before
    }
}

impl Drop for Grad {
    fn drop(&mut self) {
        ENABLED.set(self.before);
    }
}

/// Runs `body` with or without recording gradients.
pub fn with<T>(enabled: bool, body: impl FnOnce() -> T) -> T {
    let _mode = Grad::set(enabled);
    body()
}

/// Whether backward reads every gradient and stops at the first that is not a number.
pub fn detects_anomalies() -> bool {
    ANOMALIES.load(Ordering::Relaxed)
}

/// Lets backward read every gradient and stop at the first that is not a number.
pub fn set_detect_anomalies(detect: bool) {
    ANOMALIES.store(detect, Ordering::Relaxed);
}
