//! What workers report to a session. It counts only if the session asked that worker for it.

use std::sync::Arc;

use gt_core::instruction::{After, Command};
use gt_core::{Error, Meta, RequestId, Result, WorkerId};
use gt_transport::{Checksum, Failure, FailureId, Message, Peer, Value};
use smallvec::SmallVec;

use super::Session;
use crate::context::Pace;
use crate::expected::Reply;
use crate::failure_barrier::Verdict;
use crate::outbox::Outbox;

/// Clients wait for the answer; whoever asks so often without waiting keeps to no rules.
const MOST_MEMORY_QUERIES: usize = 1 << 10;

/// A request about memory that somebody has not answered.
#[derive(Debug)]
pub(super) struct PendingMemoryQuery {
    /// How many were asked.
    parts: u32,
    /// Those who have not answered.
    asked: Vec<WorkerId>,
}

impl Session {
    /// A worker is done with so many commands; gives what the client may be told of its own.
    pub fn finish(
        &mut self,
        worker: WorkerId,
        commands: u64,
        pace: Pace,
        out: &mut Outbox,
    ) -> Result<Option<(u64, u64)>> {
        let lane = self.lanes.of(worker);
        let finished = lane.finish(commands)?;
        for batch in lane.take(pace) {
            out.send_commands(Peer::Worker(worker), self.id, batch);
        }
        if self.is_in_run(worker) {
            // What waited for a busy worker of a mesh may go to all of them.
            self.send_due(pace, out);
        }
        self.note_held();
        Ok(self.in_flight.finish_parts(finished))
    }

    /// A worker answers a request of the client. A shape that depends on data is known then.
    pub fn answer(
        &mut self,
        worker: WorkerId,
        request: RequestId,
        result: &std::result::Result<Value, Arc<Failure>>,
        pace: Pace,
        out: &mut Outbox,
    ) -> Result<()> {
        if !self.take_reply(worker, Reply::Answer(request)) {
            return Err(Error::bug(format!("{request} is answered by somebody it was not asked")));
        }
        if let Err(failure) = result
            && failure.id != FailureId::NONE
        {
            self.settle_told(worker, failure.id, pace, out);
        }
        self.describe(request, result.as_ref().ok().map(|value| &value.meta))
    }

    /// A worker reports what has failed there.
    pub fn report_failure(
        &mut self,
        worker: WorkerId,
        barrier: u64,
        (failure, checksums): (Option<Arc<Failure>>, SmallVec<[Checksum; 3]>),
        out: &mut Outbox,
    ) -> Result<()> {
        if !self.failure_barrier.report(worker, barrier, failure, checksums) {
            return Err(Error::bug(format!("barrier {barrier} did not ask {worker}")));
        }
        self.judge(out);
        Ok(())
    }

    /// Tells the workers that wait for failure barriers what was reported.
    pub(super) fn judge(&mut self, out: &mut Outbox) {
        let session = self.id;
        while let Some(verdict) = self.failure_barrier.complete() {
            let Verdict { barrier, waiting, failure, told } = verdict;
            for worker in waiting {
                let failure = failure.clone();
                let verdict = Message::FailureVerdict { session, barrier, failure, told };
                out.send(Peer::Worker(worker), verdict);
            }
        }
    }

    /// A worker says that something has failed there. If the client was told by another, nothing
    /// is held back any more.
    pub fn note_failure(
        &mut self,
        worker: WorkerId,
        failure: FailureId,
        pace: Pace,
        out: &mut Outbox,
    ) {
        if let Some(barrier) = self.failure_barrier.failed(worker, failure) {
            self.emit(worker, &Command::Settle { barrier, after: After::Risks });
            self.flush(0, 0, pace, out);
        }
    }

    /// The client is told of a failure, so that nothing is held back any more because of it.
    fn settle_told(&mut self, reader: WorkerId, failure: FailureId, pace: Pace, out: &mut Outbox) {
        let poisoned = self.failure_barrier.tell(reader, failure);
        if poisoned.is_empty() {
            return;
        }
        for (worker, barrier) in poisoned {
            self.emit(worker, &Command::Settle { barrier, after: After::Risks });
        }
        self.flush(0, 0, pace, out);
    }

    /// A worker hands something over to another one.
    pub fn hand_over(&mut self, worker: WorkerId, to: WorkerId, tag: u64) -> Result<()> {
        if self.take_reply(worker, Reply::Handover { to, tag }) {
            return Ok(());
        }
        Err(Error::bug(format!("{tag} is handed over by somebody who was not asked to")))
    }

    /// A worker sent something; says whether it was asked to.
    fn take_reply(&mut self, worker: WorkerId, reply: Reply) -> bool {
        self.lanes.get_mut(worker).is_some_and(|lane| lane.expected.take(reply))
    }

    /// The client asks what it holds: those who are to answer. An error if it asks without end.
    pub fn begin_memory_query(&mut self, request: RequestId) -> Result<Vec<WorkerId>> {
        if self.memory_queries.len() >= MOST_MEMORY_QUERIES
            || self.memory_queries.contains_key(&request)
        {
            return Err(Error::value("memory is asked for again before anybody has answered"));
        }
        let workers: Vec<WorkerId> = self.workers().collect();
        if !workers.is_empty() {
            let (parts, asked) = (workers.len() as u32, workers.clone());
            self.memory_queries.insert(request, PendingMemoryQuery { parts, asked });
        }
        Ok(workers)
    }

    /// How many were asked what the session holds.
    pub fn memory_query_parts(&self, request: RequestId) -> u32 {
        self.memory_queries.get(&request).map_or(0, |query| query.parts)
    }

    /// A worker says what the session holds there.
    pub fn note_memory_reply(&mut self, worker: WorkerId, request: RequestId) -> Result<()> {
        let unasked = || Error::bug(format!("{request} is answered by somebody it was not asked"));
        let asked = &mut self.memory_queries.get_mut(&request).ok_or_else(unasked)?.asked;
        let place = asked.iter().position(|asked| *asked == worker).ok_or_else(unasked)?;
        asked.swap_remove(place);
        if asked.is_empty() {
            self.memory_queries.remove(&request);
        }
        Ok(())
    }

    /// The requests about memory that a worker leaves unanswered, and how many were asked.
    pub fn unanswered(&mut self, worker: WorkerId) -> Vec<(RequestId, u32)> {
        let open = self
            .memory_queries
            .iter()
            .filter(|(_, memory_queries)| memory_queries.asked.contains(&worker));
        let open: Vec<_> =
            open.map(|(&request, memory_queries)| (request, memory_queries.parts)).collect();
        open.iter().for_each(|&(request, _)| drop(self.note_memory_reply(worker, request)));
        open
    }

    /// Whether a worker was given anything to do. A worker that was not has nothing to report.
    pub fn has_given(&self, worker: WorkerId) -> bool {
        self.lanes.get(worker).is_some_and(|lane| lane.given() > 0)
    }

    /// The worker has told the shape of a value that depends on data.
    fn describe(&mut self, request: RequestId, meta: Option<&Meta>) -> Result<()> {
        let Some(slot) = self.described.remove(&request) else { return Ok(()) };
        let entry = self.registry.get(slot).ok().filter(|entry| entry.is_awaited());
        let (Some(entry), Some(meta)) = (entry, meta) else { return Ok(()) };
        if entry.meta.dtype != meta.dtype {
            return Err(Error::bug(format!("{slot} is described as {meta}")));
        }
        self.registry.describe(slot, meta.clone())
    }
}
