//! What `gt_transport::sync` offers, by loom.

pub use loom::sync::{Condvar, Mutex, MutexGuard};
pub use loom::{hint, thread};
pub use std::sync::atomic::Ordering;
pub use std::sync::{Arc, PoisonError, TryLockError};

/// Atomics whose values depend on what threads have seen of each other.
pub mod atomic {
    pub use loom::sync::atomic::*;
}

/// How often a thread looks for a change before it sleeps: each look is an order to be tried.
pub const LOOKS: u32 = 0;

/// A cell that is written by one thread at a time, which loom checks.
#[derive(Debug, Default)]
pub struct SharedCell<T>(loom::cell::UnsafeCell<T>);

impl<T> SharedCell<T> {
    /// Reads the value.
    ///
    /// # Safety
    /// Nobody writes it meanwhile.
    pub unsafe fn read(&self) -> T
    where
        T: Copy,
    {
        // SAFETY: as promised by the caller.
        self.0.with(|value| unsafe { *value })
    }

    /// Writes the value.
    ///
    /// # Safety
    /// Nobody reads or writes it meanwhile.
    pub unsafe fn write(&self, value: T) {
        // SAFETY: as promised by the caller.
        self.0.with_mut(|place| unsafe { *place = value });
    }
}

/// A flag of each thread.
macro_rules! thread_flag {
    ($(#[$doc:meta])* $name:ident) => {
        loom::thread_local! {
            $(#[$doc])*
            static $name: std::cell::Cell<bool> = std::cell::Cell::new(false);
        }
    };
}
pub(crate) use thread_flag;
