//! Bytes outside of buffers that count as memory of the pool: the entries of values in tables.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gt_core::error::Result;
use gt_transport::heap::Leftovers;
use gt_transport::lock::Mutex;

use super::Pool;
use crate::account::Account;

/// Where fewer bytes were charged, their end leaves nothing worth giving back.
const MUCH_CHARGED: usize = 16 << 20;

/// What is in use outside of buffers.
pub(super) struct Charged {
    bytes: AtomicUsize,
    /// The most of these since the last tick.
    most: AtomicUsize,
    /// Memory that freed values leave between others.
    leftovers: Mutex<Leftovers>,
}

impl Default for Charged {
    fn default() -> Self {
        let (bytes, most) = Default::default();
        Charged { bytes, most, leftovers: Mutex::new(Leftovers::of_at_least(MUCH_CHARGED)) }
    }
}

impl Pool {
    /// Counts bytes outside of buffers as in use, by the pool and by an account.
    pub(crate) fn charge(&self, bytes: usize, account: Option<&Account>) -> Result<()> {
        account.map_or(Ok(()), |account| self.charge_account(bytes, bytes, account))?;
        let reserved = self.reserve_or_reclaim(bytes, bytes);
        reserved.inspect_err(|_| account.into_iter().for_each(|account| account.release(bytes)))?;
        self.count_charged(bytes);
        Ok(())
    }

    /// The same for bytes that are there already, whatever the limits are.
    pub(crate) fn charge_anyway(&self, bytes: usize, account: Option<&Account>) {
        account.into_iter().for_each(|account| account.charge_anyway(bytes));
        self.held.fetch_add(bytes, Relaxed);
        self.count_charged(bytes);
    }

    /// Bytes outside of buffers are free again.
    pub(crate) fn release(&self, bytes: usize, account: Option<&Account>) {
        account.into_iter().for_each(|account| account.release(bytes));
        self.used.fetch_sub(bytes, Relaxed);
        self.charged.bytes.fetch_sub(bytes, Relaxed);
        self.held.fetch_sub(bytes, Relaxed);
    }

    fn count_charged(&self, bytes: usize) {
        let charged = self.charged.bytes.fetch_add(bytes, Relaxed) + bytes;
        if charged > self.charged.most.load(Relaxed) {
            self.charged.most.fetch_max(charged, Relaxed);
        }
        self.count_used(bytes);
    }

    /// Gives memory back to the system after most of many values were freed.
    pub(super) fn clear_leftovers(&self) {
        let charged = self.charged.bytes.load(Relaxed);
        let mut leftovers = self.charged.leftovers.lock();
        leftovers.note(self.charged.most.swap(charged, Relaxed));
        leftovers.clear(charged, || self.trim());
    }
}
