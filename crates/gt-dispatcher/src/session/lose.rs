//! What a session does without a worker that is gone: values that only that worker had are lost,
//! whoever waits for something from there is told, and everything else goes on.

use std::sync::Arc;

use gt_core::instruction::Command;
use gt_core::rules::risk::Risk;
use gt_core::{Error, Meta, Provenance, RequestId, Result, Slot, WorkerId};
use gt_transport::{Failure, FailureId, Message, Peer};
use smallvec::SmallVec;

use super::Session;
use crate::context::Context;
use crate::expected::{Expected, Reply, Way};
use crate::failure_barrier::Whom;
use crate::outbox::Outbox;
use crate::registry::{Entry, State};

/// What everybody is told who asks for a value that is lost.
pub(crate) fn failure_of_lost(message: String) -> Arc<Failure> {
    Arc::new(Failure {
        id: FailureId::NONE,
        error: Error::WorkerLost(message),
        instruction: "a value that was lost".to_string(),
        slot: Slot(0),
        provenance: Provenance::UNKNOWN,
        holders: SmallVec::new(),
    })
}

/// The same where nobody is left who could have it.
pub(super) fn no_worker() -> Arc<Failure> {
    failure_of_lost("there is no worker; start one with `gt worker`".to_string())
}

impl Session {
    /// Whether all workers are gone. What is asked for meanwhile is lost; the session stays.
    pub(super) fn is_deserted(&self) -> bool {
        self.workers().next().is_none()
    }

    /// Finds out where a lost value would lie among the workers that there are now: on those that
    /// have the seats of its former workers. Along one axis vacant seats are left out, as for every
    /// wish; an array of workers with a vacant seat is no mesh.
    pub(super) fn rehouse(&mut self, slot: Slot) -> Result<()> {
        let loss = self.registry.get(slot)?.loss();
        let Some(former) = loss.and_then(|loss| loss.former.clone()) else { return Ok(()) };
        // Where a session without wishes had something whole is of no interest.
        if former.mesh().workers().len() == 1 && !self.scopes.has_wishes() {
            return Ok(());
        }
        let members = former.mesh().workers().iter();
        let heirs: Vec<Option<WorkerId>> = members.map(|it| self.seats.heir(*it)).collect();
        let rehoused = match former.among(&heirs) {
            Some(placement) => Some(self.registry.placements.intern(placement)?),
            None => None,
        };
        if let State::Lost(loss) = &mut self.registry.get_mut(slot)?.state {
            loss.rehoused = rehoused;
        }
        Ok(())
    }

    /// Enters a value that nobody takes in.
    pub(super) fn insert_lost(
        &mut self,
        slot: Slot,
        meta: Meta,
        provenance: Provenance,
    ) -> Result<()> {
        let state = State::lost(no_worker());
        self.registry.insert(slot, Entry { provenance, state, ..Entry::new(meta) })
    }

    /// A worker is gone; `failure` is what everybody is told who asks for something it had.
    pub fn lose(&mut self, worker: WorkerId, failure: &Arc<Failure>, out: &mut Outbox) {
        let was_leaving = self.seats.undrain(worker);
        // One that was drained and taken back may have no seat, and commands to finish.
        if !self.seats.lose(worker) && !was_leaving && self.lanes.get(worker).is_none() {
            return;
        }
        self.close_run();
        for (other, name) in self.registry.lose(worker, failure) {
            self.emit_free(other, name);
        }
        self.move_scopes();
        let lane = self.lanes.remove(worker).unwrap_or_default();
        let finished = self.in_flight.finish_parts(lane.unfinished_batches());
        for (reply, expected) in lane.expected.into_open() {
            self.fail(reply, expected, failure, out);
        }
        let session = self.id;
        if let Some((commands, bytes)) = finished {
            let done = Message::Done { session, commands, bytes, busy_ns: 0 };
            out.send(Peer::Client(session), done);
        }
        self.failure_barrier.forget(worker);
        self.judge(out);
        for (request, parts) in self.unanswered(worker) {
            let usage = Box::default();
            out.send(
                Peer::Client(session),
                Message::MemoryReply { session, request, parts, usage },
            );
        }
    }

    /// The client asks for a value that is lost. As with every failure that it is told, nothing
    /// that failed before holds up updates afterwards, so that a worker answers for all of them.
    pub(super) fn answer_lost(
        &mut self,
        request: RequestId,
        failure: Arc<Failure>,
        context: &Context,
    ) -> Result<()> {
        if let Some(worker) = self.speaker(context) {
            self.failure_barrier.note(&failure);
            self.settle(worker, Whom::ThoseAtRisk);
            self.emit(worker, &Command::Sync { request });
            return self.expect_reply(worker, Reply::Answer(request), Way::Message.into());
        }
        self.failure_barrier.tell_all();
        let session = self.id;
        let answer = Message::Answer { session, request, result: Err(failure) };
        self.letters.push((Peer::Client(session), answer));
        Ok(())
    }

    /// Whoever waits for something that does not come is told why.
    fn fail(&mut self, reply: Reply, what: Expected, failure: &Arc<Failure>, out: &mut Outbox) {
        let session = self.id;
        match (reply, what.meta) {
            (Reply::Answer(request), _) => {
                self.described.remove(&request);
                let result = Err(failure.clone());
                out.send(Peer::Client(session), Message::Answer { session, request, result });
            }
            (Reply::Handover { to, tag }, Some(meta)) => {
                // An update may need it, which fails then.
                if self.seats.busy().any(|worker| worker == to) {
                    self.failure_barrier.assign(to, Risk::Data, 0);
                }
                let result = Err(failure.clone());
                out.send(Peer::Worker(to), Message::Handover { session, to, tag, meta, result });
            }
            (Reply::Handover { .. }, None) => {}
        }
    }
}
