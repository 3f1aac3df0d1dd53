//! Segments of shared memory that a depot lends to one courier: the value lies in it, the courier
//! looks at it for as long as it likes and gives the segment back.
//!
//! A segment is never lent to another connection: whoever has seen it may still have it mapped,
//! and would see what is written there later.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::bulk::system::{self, Map};

/// Values below this size go through the ring, which costs less than a segment each.
pub(super) const SMALLEST_LOAN: usize = 1 << 20;
/// More segments than this are not lent on one connection.
pub(in crate::bulk) const MOST_SEGMENTS: usize = 64;
/// Segments are this much longer than asked for at most, so that one fits many values.
const GRAIN: usize = 2 << 20;

/// The segments of one connection.
pub(super) struct Lender {
    segments: Vec<Segment>,
    next: u64,
    /// What all connections of the depot have together.
    total: Arc<AtomicUsize>,
    limit: usize,
}

struct Segment {
    id: u64,
    map: Map,
    /// Since when nobody uses it; `None` while it is lent.
    free: Option<Instant>,
}

/// A segment that holds a value and can be handed over.
pub(super) struct Loan {
    pub id: u64,
    /// The descriptor, if the courier has not got it yet.
    pub fd: Option<OwnedFd>,
}

impl Lender {
    pub fn open(total: Arc<AtomicUsize>, limit: usize) -> Lender {
        Lender { segments: Vec::new(), next: 0, total, limit }
    }

    /// Copies a value into a segment, or says that there is no room for it.
    pub fn lend(&mut self, data: &[u8]) -> io::Result<Option<Loan>> {
        let fits = |s: &Segment| {
            s.free.is_some() && s.map.len() >= data.len() && s.map.len() <= 2 * data.len() + GRAIN
        };
        let best = self.segments.iter_mut().filter(|s| fits(s)).min_by_key(|s| s.map.len());
        if let Some(segment) = best {
            segment.free = None;
            segment.map.write(0, data);
            return Ok(Some(Loan { id: segment.id, fd: None }));
        }
        let bytes = data.len().next_multiple_of(GRAIN);
        if self.segments.len() >= MOST_SEGMENTS || !self.reserve(bytes) {
            return Ok(None);
        }
        let (fd, mut map) = system::share(bytes).inspect_err(|_| self.release(bytes))?;
        map.write(0, data);
        self.next += 1;
        self.segments.push(Segment { id: self.next, map, free: None });
        Ok(Some(Loan { id: self.next, fd: Some(fd) }))
    }

    /// The courier gives a segment back; false if it has no such segment.
    #[must_use]
    pub fn give_back(&mut self, id: u64, now: Instant) -> bool {
        let lent = self.segments.iter_mut().find(|s| s.id == id && s.free.is_none());
        lent.map(|segment| segment.free = Some(now)).is_some()
    }

    /// Lets segments go that nobody has used for so long, and names them.
    pub fn shrink(&mut self, now: Instant, idle: Duration) -> Vec<u64> {
        let is_idle =
            |s: &Segment| s.free.is_some_and(|since| now.saturating_duration_since(since) >= idle);
        let gone: Vec<u64> = self.segments.iter().filter(|s| is_idle(s)).map(|s| s.id).collect();
        let bytes = self.segments.iter().filter(|s| is_idle(s)).map(|s| s.map.len()).sum();
        self.segments.retain(|s| !is_idle(s));
        self.release(bytes);
        gone
    }

    /// Since when the segment that is next to be let go is not used.
    pub fn free_since(&self) -> Option<Instant> {
        self.segments.iter().filter_map(|segment| segment.free).min()
    }

    fn reserve(&self, bytes: usize) -> bool {
        let grown = |total: usize| total.checked_add(bytes).filter(|sum| *sum <= self.limit);
        self.total.fetch_update(Relaxed, Relaxed, grown).is_ok()
    }

    fn release(&self, bytes: usize) {
        self.total.fetch_sub(bytes, Relaxed);
    }
}

impl Drop for Lender {
    fn drop(&mut self) {
        self.release(self.segments.iter().map(|segment| segment.map.len()).sum());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_used_again_and_let_go_when_idle() {
        let total = Arc::new(AtomicUsize::new(0));
        let (mut lender, now) = (Lender::open(total.clone(), 3 * GRAIN), Instant::now());
        let value = vec![7; GRAIN];
        let lend = |lender: &mut Lender| lender.lend(&value).expect("shared memory");
        let first = lend(&mut lender).expect("room for three");
        assert!(first.fd.is_some());
        let second = lend(&mut lender).expect("room for three");
        assert_ne!(first.id, second.id);
        assert!(lender.give_back(first.id, now));
        assert!(!lender.give_back(first.id, now), "given back once");
        let again = lend(&mut lender).expect("the first is free");
        assert_eq!((again.id, again.fd.is_none()), (first.id, true));
        assert!(lend(&mut lender).is_some());
        assert!(lend(&mut lender).is_none(), "the limit is reached");
        assert!(lender.give_back(first.id, now));
        assert_eq!(lender.shrink(now, Duration::from_secs(1)), []);
        assert_eq!(lender.shrink(now, Duration::ZERO), [first.id]);
        assert_eq!(total.load(Relaxed), 2 * GRAIN);
        drop(lender);
        assert_eq!(total.load(Relaxed), 0);
    }
}
