//! Mutexes and condition variables of the system itself. They consist of a word each and share no
//! table of waiting threads, which a forked child would inherit locked; and a thread that panicked
//! while it held one leaves it usable, because panics are caught where they are answered for.

use std::time::Duration;

use crate::sync::atomic::AtomicU32;
use crate::sync::{self, MutexGuard, Ordering, PoisonError, TryLockError};

/// A mutex whose `lock` always succeeds.
#[derive(Debug, Default)]
pub struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// A mutex around a value.
    #[cfg(not(loom))]
    pub const fn new(value: T) -> Self {
        Mutex(sync::Mutex::new(value))
    }

    /// The same for loom, whose mutexes belong to a run.
    #[cfg(loom)]
    pub fn new(value: T) -> Self {
        Mutex(sync::Mutex::new(value))
    }

    /// Waits until nobody else holds it.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value, if nobody else holds it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// Wakes threads that wait for a change of what a mutex guards. Where nobody waits, that costs no
/// call of the system.
#[derive(Debug, Default)]
pub struct Condvar {
    condvar: sync::Condvar,
    /// How many wait. It grows while the mutex is held, so that whoever changes what the mutex
    /// guards afterwards knows of all who did not see the change.
    waiting: AtomicU32,
}

impl Condvar {
    /// Gives the mutex away until somebody notifies or the time is over.
    pub fn wait_for<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> MutexGuard<'a, T> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let waited = self.condvar.wait_timeout(guard, timeout);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Wakes one waiting thread.
    pub fn notify_one(&self) {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            self.condvar.notify_one();
        }
    }

    /// Wakes all waiting threads.
    pub fn notify_all(&self) {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            self.condvar.notify_all();
        }
    }
}
