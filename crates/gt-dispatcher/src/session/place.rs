//! Where an instruction runs, and how its inputs come there.

use std::sync::Arc;

use gt_core::attrs::{Attr, Attrs};
use gt_core::instruction::{Command, Instruction, Operand, Replaces};
use gt_core::op::Op;
use gt_core::ops::builtin::CAST;
use gt_core::{Error, Meta, Provenance, Result, Slot, WorkerId};
use gt_transport::batch::INLINE_BYTES;
use gt_transport::{Failure, Peer};
use smallvec::SmallVec;

use super::Session;
use crate::context::{Context, Observer};
use crate::decide::{Decision, Place, Request, decide};
use crate::expected::{Expected, Reply, Way};
use crate::failure_barrier::{Whom, Words};
use crate::load::{Health, Needed};
use crate::registry::Entry;
use crate::tickets::{Cargo, Passage};

impl Session {
    pub(super) fn apply(
        &mut self,
        mut instruction: Instruction,
        context: &mut Context,
        sent: &mut Observer,
    ) -> Result<()> {
        let Instruction { op, outputs, inputs, attrs, replaces, .. } = &mut instruction;
        let request = Request { op, outputs, attrs, inputs, replaces };
        if let Some(worker) = self.place(request, context, sent)? {
            self.emit(worker, Command::Apply(instruction), sent);
        }
        Ok(())
    }

    /// Decides what becomes of an instruction, has it entered, and brings its inputs to where it
    /// runs. The request is left with the names that its values have there. Nobody runs it if
    /// one of its inputs is lost.
    pub(super) fn place(
        &mut self,
        request: Request,
        context: &mut Context,
        sent: &mut Observer,
    ) -> Result<Option<WorkerId>> {
        let mut decision = decide(&request, &self.registry, &mut self.inferences)?;
        let worker = match std::mem::replace(&mut decision.place, Place::Anywhere) {
            Place::Lost(failure) => {
                self.enter_lost(&request, decision.metas, &failure, sent)?;
                return Ok(None);
            }
            Place::At(worker) => worker,
            Place::Anywhere => self.choose(request.inputs, decision.cost_ns, context)?,
        };
        for input in request.inputs {
            if let Operand::Slot(slot) = *input {
                *input = Operand::Slot(self.bring(slot, worker, context, sent)?);
            }
        }
        if !request.replaces.is_empty() {
            self.hear_failures(worker, sent);
            self.end_replaced(request.replaces, worker, context, sent)?;
        }
        self.commit(request.op, request.outputs, decision, worker, context)?;
        Ok(Some(worker))
    }

    /// Enters the results of an instruction that nobody can run. One that replaces a value is that
    /// value, under its new name.
    fn enter_lost(
        &mut self,
        request: &Request,
        metas: SmallVec<[Meta; 1]>,
        failure: &Arc<Failure>,
        sent: &mut Observer,
    ) -> Result<()> {
        for (result, (&slot, meta)) in request.outputs.iter().zip(metas).enumerate() {
            let old = request.replaces.get(result).map(|old| self.forget(old)).transpose()?;
            let home = old.and_then(|old| {
                let mut names = old.holders.into_iter();
                let home = names.next();
                names.for_each(|(worker, name)| self.emit_free(worker, name, sent));
                home
            });
            let Some((worker, name)) = home else {
                let (ready_ns, holders, lost) = (0, SmallVec::new(), Some(failure.clone()));
                let entry = Entry { meta, described: true, ready_ns, holders, lost };
                self.registry.insert(slot, entry)?;
                continue;
            };
            self.insert(slot, meta.clone(), true, worker, 0)?;
            self.emit(worker, Command::Apply(renamed(name, slot, &meta)), sent);
        }
        Ok(())
    }

    /// Enters the results of an instruction.
    fn commit(
        &mut self,
        op: &Op,
        outputs: &[Slot],
        decision: Decision,
        worker: WorkerId,
        context: &mut Context,
    ) -> Result<()> {
        let ready_ns = context.load.assign(worker, context.now_ns, decision.cost_ns);
        self.outgoing(worker).add_cost(decision.cost_ns);
        let bytes = decision.metas.iter().map(Meta::bytes).sum();
        self.failure_barrier.assign(worker, decision.risk, bytes);
        for (&slot, meta) in outputs.iter().zip(decision.metas) {
            self.insert(slot, meta, !op.data_dependent, worker, ready_ns)?;
        }
        Ok(())
    }

    /// Ends the names of values that are replaced on `worker`, and leaves those they have there.
    fn end_replaced(
        &mut self,
        replaces: &mut Replaces,
        worker: WorkerId,
        context: &mut Context,
        sent: &mut Observer,
    ) -> Result<()> {
        for old in &mut replaces.0 {
            // A value that is lost has no place to take.
            let is_lost =
                |slot: &Slot| self.registry.get(*slot).is_ok_and(|old| old.lost.is_some());
            if let Some(slot) = old.take_if(|slot| is_lost(slot)) {
                self.forget(slot)?;
            }
            let Some(slot) = old else { continue };
            let name = self.bring(*slot, worker, context, sent)?;
            let entry = self.forget(*slot)?;
            for (holder, name) in entry.holders.into_iter().filter(|(holder, _)| *holder != worker)
            {
                self.emit_free(holder, name, sent);
            }
            *slot = name;
        }
        Ok(())
    }

    /// Before `worker` replaces a value it must know whether something has failed elsewhere.
    fn hear_failures(&mut self, worker: WorkerId, sent: &mut Observer) {
        let Some(Words { barrier, report, wait }) = self.failure_barrier.replace(worker) else {
            return;
        };
        for other in report {
            self.emit(other, Command::Report { barrier }, sent);
        }
        if wait {
            self.emit(worker, Command::Wait { barrier }, sent);
        }
    }

    /// The client is about to hear from `reader`, which must speak for all.
    pub(super) fn settle(&mut self, reader: WorkerId, whom: Whom, sent: &mut Observer) {
        let Some(words) = self.failure_barrier.settle(reader, whom) else { return };
        let barrier = words.barrier;
        for other in words.report {
            self.emit(other, Command::Settle { barrier }, sent);
        }
        self.emit(reader, Command::Wait { barrier }, sent);
    }

    /// The worker through which the client hears of everything: the first that is not silent.
    pub(super) fn speaker(&self, context: &Context) -> Option<WorkerId> {
        let well = |worker: &WorkerId| context.load.health(*worker) == Health::Well;
        self.workers().find(well).or_else(|| self.workers().next())
    }

    /// The worker where this ends soonest: work goes where its inputs are and the load is low.
    pub(super) fn choose(
        &self,
        inputs: &[Operand],
        cost: u64,
        context: &Context,
    ) -> Result<WorkerId> {
        let mut there = self.workers();
        let first = there.next().ok_or_else(no_worker)?;
        if there.next().is_none() {
            return Ok(first);
        }
        let entries: SmallVec<[&Entry; 4]> = inputs
            .iter()
            .filter_map(|input| match input {
                Operand::Slot(slot) => self.registry.get(*slot).ok(),
                Operand::Scalar(_) => None,
            })
            .collect();
        let missing = |worker: WorkerId| {
            let (mut present_ns, mut absent) = (0, None::<Needed>);
            for entry in &entries {
                if entry.name_on(worker).is_some() {
                    present_ns = present_ns.max(entry.ready_ns);
                    continue;
                }
                let before = absent.unwrap_or(Needed { ready_ns: 0, bytes: 0 });
                let ready_ns = before.ready_ns.max(entry.ready_ns);
                let bytes = before.bytes.saturating_add(entry.meta.bytes());
                absent = Some(Needed { ready_ns, bytes });
            }
            (present_ns, absent)
        };
        // Of those that hold none of the inputs, nobody ends sooner than the least busy.
        let (load, now_ns) = (&context.load, context.now_ns);
        let soonest = if self.wanted.is_none() { load.least_busy(now_ns) } else { None };
        let idle = soonest.or_else(|| load.least_busy_of(now_ns, self.workers()));
        let idle = idle.ok_or_else(no_worker)?;
        let holders =
            entries.iter().flat_map(|entry| entry.holders.iter().map(|&(worker, _)| worker));
        let candidates = std::iter::once(idle).chain(holders);
        let end = |worker: &WorkerId| {
            let end_ns = context.load.end_ns(*worker, context.now_ns, cost, missing(*worker));
            (context.load.health(*worker), end_ns, *worker)
        };
        candidates.min_by_key(end).ok_or_else(no_worker)
    }

    /// The name of a value on `worker`, after having it handed over if it is not there.
    fn bring(
        &mut self,
        slot: Slot,
        worker: WorkerId,
        context: &mut Context,
        sent: &mut Observer,
    ) -> Result<Slot> {
        let entry = self.registry.get(slot)?;
        if let Some(name) = entry.name_on(worker) {
            return Ok(name);
        }
        let (home, there) = entry.home().map_err(|failure| failure.error.clone())?;
        let (meta, tag) = (entry.meta.clone(), context.tag());
        let name = self.registry.name_copy();
        self.registry.get_mut(slot)?.holders.push((worker, name));
        let mut way = Way::Message;
        if meta.bytes() > INLINE_BYTES && context.tickets.is_some() {
            way = Way::Apart;
            let local = context.tickets.as_ref().is_some_and(|tickets| tickets.is_local(home));
            let (connects, cargo) = (Peer::Worker(home), Cargo::Handover);
            let session = self.id;
            let meta = meta.clone();
            let passage = Passage { session, meta, connects, local, listens: worker, cargo };
            self.send_off(tag, passage, context);
        }
        self.emit(home, Command::Send { slot: there, to: worker, tag }, sent);
        let what = Expected { way, meta: Some(meta) };
        self.expect_reply(home, Reply::Handover { to: worker, tag }, what)?;
        let provenance = Provenance::UNKNOWN;
        self.emit(worker, Command::Receive { out: name, tag, provenance }, sent);
        Ok(name)
    }
}

/// A value under another name, in the place of what it was.
fn renamed(name: Slot, slot: Slot, meta: &Meta) -> Instruction {
    Instruction {
        op: &CAST,
        outputs: [slot].into_iter().collect(),
        inputs: [Operand::Slot(name)].into_iter().collect(),
        attrs: Attrs::of([Attr::DType(meta.dtype)]),
        replaces: Replaces::first(Some(name)),
        provenance: Provenance::UNKNOWN,
    }
}

pub(super) fn no_worker() -> Error {
    Error::Lost("there is no worker; start one with `gt worker`".to_string())
}
