//! Threads, atomics and locks of the standard library, by the names that loom has for its own. What
//! is written against them is also compiled in `gt-loom`, which tries every order of threads.

pub use std::sync::atomic::{self, Ordering};
pub use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
pub use std::{hint, thread};

use std::cell::UnsafeCell;

/// How often a thread looks for a change before it lets others have the processor or sleeps.
pub const LOOKS: u32 = 512;

/// A cell that is written by one thread at a time, by a protocol that the compiler cannot see.
#[derive(Debug, Default)]
pub struct SharedCell<T>(UnsafeCell<T>);

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
        unsafe { *self.0.get() }
    }

    /// Writes the value.
    ///
    /// # Safety
    /// Nobody reads or writes it meanwhile.
    pub unsafe fn write(&self, value: T) {
        // SAFETY: as promised by the caller.
        unsafe { *self.0.get() = value };
    }
}

/// A flag of each thread.
#[macro_export]
macro_rules! thread_flag {
    ($(#[$doc:meta])* $name:ident) => {
        thread_local! {
            $(#[$doc])*
            static $name: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
        }
    };
}
pub use thread_flag;
