//! The commands of a session that a worker has: where each comes from, and what became of it.

use std::collections::VecDeque;
use std::sync::Arc;

use gt_core::event::{Event, Outcome, Span};
use gt_core::record::Record;
use gt_transport::Batch;

use super::times::Times;
use crate::session::trail::Mark;

/// Failures that wait for their commands, at most.
const MOST_FAILURES: usize = 1 << 16;

/// The commands that a worker has and is not done with.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) batches: VecDeque<Kept>,
    pub(super) sent: Cursor,
    pub(super) ended: Cursor,
    pub(super) times: Times,
    failures: Vec<(u32, Box<str>)>,
}

/// A batch that a worker is not done with.
#[derive(Debug)]
pub(super) struct Kept {
    /// The position of the first command that is not done …
    pub(super) next: u64,
    /// … and its place in the batch.
    pub(super) index: usize,
    pub(super) batch: Arc<Batch>,
}

/// Finds which command of the client each command for a worker comes from.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    pub(super) marks: VecDeque<Mark>,
    pub(super) current: Option<Mark>,
}

impl Cursor {
    /// The mark of a command; positions are asked for in order.
    pub(super) fn at(&mut self, position: u64) -> Option<Mark> {
        while self.marks.front().is_some_and(|mark| mark.position <= position) {
            self.current = self.marks.pop_front();
        }
        self.current
    }
}

impl Ledger {
    /// A batch is sent; its marks are among the first of these.
    pub(super) fn keep(&mut self, position: u64, batch: &Arc<Batch>, marks: &mut VecDeque<Mark>) {
        let end = position + batch.len() as u64;
        while marks.front().is_some_and(|mark| mark.position < end) {
            let mark = marks.pop_front();
            self.sent.marks.extend(mark);
            self.ended.marks.extend(mark);
        }
        self.batches.push_back(Kept { next: position, index: 0, batch: batch.clone() });
    }

    /// The next commands of one batch that are done, if the worker is done with those before the
    /// `done`-th: the batch, the place of the first of them there, its position, and how many.
    pub(super) fn finished(&mut self, done: u64) -> Option<(Arc<Batch>, usize, u64, usize)> {
        let first = self.batches.front_mut().filter(|first| first.next < done)?;
        let (index, position) = (first.index, first.next);
        let left = (first.batch.len() - index) as u64;
        let count = left.min(done - position) as usize;
        if count as u64 == left {
            return self.batches.pop_front().map(|kept| (kept.batch, index, position, count));
        }
        (first.next, first.index) = (position + count as u64, index + count);
        Some((first.batch.clone(), index, position, count))
    }

    /// How many commands the worker is not done with.
    pub(super) fn commands(&self) -> u64 {
        self.batches.iter().map(|kept| (kept.batch.len() - kept.index) as u64).sum()
    }

    /// Something has failed.
    pub(super) fn fail(&mut self, slot: u32, reason: String) {
        if self.failures.len() < MOST_FAILURES {
            self.failures.push((slot, reason.into()));
        }
    }

    /// What came of a command, and the reason if it failed.
    pub(super) fn outcome(&mut self, event: Event, position: u64) -> (Event, Option<Box<str>>) {
        let span = self.times.take(position);
        let made = event.record.out;
        let told = match span {
            Some(Span { failed: 0, .. }) => None,
            _ => self.failures.iter().position(|(slot, _)| *slot == made),
        };
        let error = told.map(|index| self.failures.swap_remove(index).1);
        let has_failed = error.is_some() || span.is_some_and(|span| span.failed != 0);
        let event = event.with(if has_failed { Outcome::Failure } else { Outcome::Success });
        let Some(Span { start_ns, duration_ns, bytes, fused, .. }) = span else {
            return (event, error);
        };
        (Event { start_ns, duration_ns, bytes, fused, ..event }, error)
    }
}

/// An event about a command that comes from a client's.
#[inline]
pub(super) fn marked(event: Event, mark: Option<Mark>, record: Record) -> Event {
    let Some(Mark { instruction, share, shares, .. }) = mark else {
        return event.about(0, record);
    };
    Event { share, shares, ..event.about(instruction, record) }
}
