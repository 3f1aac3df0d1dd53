//! A thread of the program that waits for an answer uses the connection itself: a message that
//! wakes the thread of the connection first, which wakes the program, takes longer to arrive.

use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use gt_core::{Error, Result};
use gt_zmq::Waker;

use super::Shared;
use super::wire::Wire;

/// Who waits, as the thread of the connection sees it.
pub(super) struct Driver {
    /// A thread of the program hears what comes.
    is_there: AtomicBool,
    /// How often one did.
    count: AtomicU64,
    /// Several threads wait for answers, or the connection was out of reach; it is left to its own
    /// thread for a while.
    is_barred: AtomicBool,
    waker: Waker,
}

/// So many looks after a thread has heard for itself, it is not expected any more.
const LOOKS: u32 = 20;

/// What the thread of the connection has seen of drivers.
#[derive(Default)]
pub(super) struct Drives {
    count: u64,
    /// Looks since the last one.
    looks: u32,
}

impl Driver {
    pub(super) fn new() -> Result<Driver> {
        let waker = Waker::new().map_err(|error| Error::runtime(error.to_string()))?;
        let (is_there, count, is_barred) = Default::default();
        Ok(Driver { is_there, count, is_barred, waker })
    }

    /// Whether the thread of the connection need not hear: somebody else does, or did a short while
    /// ago and is likely to do so again.
    pub(super) fn is_active(&self, seen: &mut Drives) -> bool {
        let count = self.count.load(Ordering::Relaxed);
        let is_there = self.is_there.load(Ordering::SeqCst);
        seen.looks = if is_there || seen.count != count { 0 } else { seen.looks.saturating_add(1) };
        seen.count = count;
        seen.looks < LOOKS && count > 0 && !self.is_barred.load(Ordering::SeqCst)
    }

    /// Something was brought by the thread of the connection.
    pub(super) fn wake(&self) {
        if self.is_there.load(Ordering::SeqCst) {
            self.waker.wake();
        }
    }

    /// The connection is left to its own thread, until [`Driver::admit`].
    pub(super) fn bar(&self) {
        self.is_barred.store(true, Ordering::SeqCst);
    }

    /// Threads that wait may use the connection.
    pub(super) fn admit(&self) {
        self.is_barred.store(false, Ordering::SeqCst);
    }
}

impl Shared {
    /// Sends and hears for itself until an answer is there or time is up. False if that is left to
    /// the thread of the connection.
    pub(super) fn drive(&self, is_answered: &dyn Fn() -> bool, patience: Duration) -> bool {
        let driver = &self.driver;
        if driver.is_barred.load(Ordering::SeqCst) {
            return false;
        }
        if driver.is_there.swap(true, Ordering::SeqCst) {
            driver.bar();
            return false;
        }
        let stayed = self.hear_until(is_answered, Instant::now() + patience);
        if !stayed {
            driver.bar();
        }
        driver.count.fetch_add(1, Ordering::Relaxed);
        driver.is_there.store(false, Ordering::SeqCst);
        stayed
    }

    /// The connection, or nothing if its own thread keeps it.
    fn wire_for_driver(&self) -> Option<MutexGuard<'_, Option<Wire>>> {
        while !self.driver.is_barred.load(Ordering::SeqCst) {
            if let Some(wire) = self.wire.try_lock() {
                return Some(wire);
            }
            // Its own thread has it for a moment, unless it bars others first.
            std::thread::yield_now();
        }
        None
    }

    fn hear_until(&self, is_answered: &dyn Fn() -> bool, until: Instant) -> bool {
        loop {
            let sleep = {
                let Some(mut wire) = self.wire_for_driver() else { return false };
                let Some(wire) = wire.as_mut() else { return false };
                if !wire.exchange() {
                    return false;
                }
                // Looked at under the lock: whatever is brought after it wakes this thread.
                if is_answered() {
                    return true;
                }
                wire.sleep()
            };
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            let waited = match sleep {
                Ok(Some(sleep)) => sleep.wait(&self.driver.waker, left).is_ok(),
                Ok(None) => true,
                Err(_) => false,
            };
            if !waited {
                return false;
            }
        }
    }
}
