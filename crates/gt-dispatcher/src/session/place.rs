//! Where an instruction runs, and how its inputs come there.

use gt_core::attrs::Attrs;
use gt_core::instruction::{Command, Instruction, Operand};
use gt_core::op::{Arg, Call, Op};
use gt_core::{Error, Meta, Provenance, Result, Slot, WorkerId};
use gt_transport::Peer;
use gt_transport::batch::INLINE_BYTES;
use smallvec::SmallVec;

use super::Session;
use crate::context::{Context, Observer};
use crate::expected::{Reply, Way};
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
        let request = Request { op, outputs, attrs, replaces: *replaces };
        let worker = self.place(&request, inputs, context, sent)?;
        self.emit(worker, Command::Apply(instruction), sent);
        Ok(())
    }

    /// Decides where an instruction runs, brings its inputs there under the names they have there,
    /// and enters its results.
    pub(super) fn place(
        &mut self,
        request: &Request,
        inputs: &mut [Operand],
        context: &mut Context,
        sent: &mut Observer,
    ) -> Result<WorkerId> {
        let Estimate { metas, cost, risky } = self.infer(request, inputs)?;
        let worker = match request.replaces {
            Some(replaced) => {
                let old = self.registry.get(replaced)?;
                check_replaced(old, request.op, &metas[0])?;
                old.home
            }
            None => self.choose(inputs, cost, context)?,
        };
        let ready_ns = context.load.assign(worker, context.now_ns, cost);
        for input in inputs {
            if let Operand::Slot(slot) = *input {
                *input = Operand::Slot(self.bring(slot, worker, context, sent)?);
            }
        }
        if let Some(replaced) = request.replaces {
            self.hear(worker, context, sent)?;
            let entry = self.forget(replaced)?;
            self.free_copies(&entry, sent);
        }
        match risky {
            true => self.failure_barrier.risk(worker),
            false => self.failure_barrier.busy(worker),
        }
        let known = !request.op.data_dependent;
        for (&slot, meta) in request.outputs.iter().zip(metas) {
            self.insert(slot, meta, known, worker, ready_ns)?;
        }
        Ok(worker)
    }

    /// What the results will be, and how long they take; an error if the client did not check.
    fn infer(&self, request: &Request, inputs: &[Operand]) -> Result<Estimate> {
        let mut args: SmallVec<[Arg; 4]> = SmallVec::new();
        let mut metas: SmallVec<[&Meta; 4]> = SmallVec::new();
        for input in inputs {
            match input {
                Operand::Scalar(scalar) => args.push(Arg::Scalar(*scalar)),
                Operand::Slot(slot) => {
                    let entry = self.registry.get(*slot)?;
                    if !entry.described {
                        return Err(Error::bug(format!("the shape of {slot} is not known yet")));
                    }
                    args.push(Arg::Tensor(&entry.meta));
                    metas.push(&entry.meta);
                }
            }
        }
        let call = Call { op: request.op, inputs: &args, attrs: request.attrs };
        let inferred = call.infer()?;
        let kernel = (request.op.kernel)(&call)?;
        let cost = kernel.cost_ns(&metas, &inferred.outputs);
        let risky = kernel.depends_on_data(inferred.compute);
        Ok(Estimate { metas: inferred.outputs, cost, risky })
    }

    /// Before `worker` replaces a value it must know whether something has failed elsewhere.
    fn hear(&mut self, worker: WorkerId, context: &mut Context, sent: &mut Observer) -> Result<()> {
        for other in self.failure_barrier.ask(worker) {
            let tag = context.tag();
            self.emit(other, Command::Vouch { to: worker, tag }, sent);
            self.expect_reply(other, Reply::Handover { to: worker, tag }, Way::Message)?;
            self.emit(worker, Command::Heed { tag }, sent);
        }
        Ok(())
    }

    /// The client is about to hear from `worker`, which must speak for all.
    pub(super) fn settle(
        &mut self,
        worker: WorkerId,
        context: &mut Context,
        sent: &mut Observer,
    ) -> Result<()> {
        for other in self.failure_barrier.settle(worker) {
            let tag = context.tag();
            self.emit(other, Command::Settle { to: worker, tag }, sent);
            self.expect_reply(other, Reply::Handover { to: worker, tag }, Way::Message)?;
            self.emit(worker, Command::Heed { tag }, sent);
        }
        Ok(())
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
        let entries: SmallVec<[(Slot, &Entry); 4]> = inputs
            .iter()
            .filter_map(|input| match input {
                Operand::Slot(slot) => Some((*slot, self.registry.get(*slot).ok()?)),
                Operand::Scalar(_) => None,
            })
            .collect();
        let missing = |worker: WorkerId| {
            let (mut present_ns, mut absent) = (0, None::<Needed>);
            for (slot, entry) in &entries {
                if entry.name_on(worker, *slot).is_some() {
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
        let idle = context.load.least_busy(context.now_ns, self.workers());
        let idle = idle.ok_or_else(no_worker)?;
        let holders = entries.iter().flat_map(|(_, entry)| entry.holders());
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
        if let Some(name) = entry.name_on(worker, slot) {
            return Ok(name);
        }
        let (home, meta, tag) = (entry.home, entry.meta.clone(), context.tag());
        let name = self.registry.name_copy();
        self.registry.get_mut(slot)?.copies.push((worker, name));
        let mut way = Way::Message;
        if meta.bytes() > INLINE_BYTES && context.tickets.is_some() {
            way = Way::Apart;
            let local = context.tickets.as_ref().is_some_and(|tickets| tickets.is_local(home));
            let (connects, cargo) = (Peer::Worker(home), Cargo::Handover);
            let session = self.id;
            let passage = Passage { session, meta, connects, local, listens: worker, cargo };
            self.send_off(tag, passage, context);
        }
        self.emit(home, Command::Send { slot, to: worker, tag }, sent);
        self.expect_reply(home, Reply::Handover { to: worker, tag }, way)?;
        let provenance = Provenance::UNKNOWN;
        self.emit(worker, Command::Receive { out: name, tag, provenance }, sent);
        Ok(name)
    }
}

pub(super) fn no_worker() -> Error {
    Error::Lost("there is no worker; start one with `gt worker`".to_string())
}

/// An instruction apart from its inputs.
pub(super) struct Request<'a> {
    pub(super) op: &'static Op,
    pub(super) outputs: &'a [Slot],
    pub(super) attrs: &'a Attrs,
    pub(super) replaces: Option<Slot>,
}

/// What an instruction will make, how long it takes, and whether data can make it fail.
struct Estimate {
    metas: SmallVec<[Meta; 1]>,
    cost: u64,
    risky: bool,
}

/// A result that fails is the value it replaces, so both must be alike for everybody who knows only
/// dtype and shape.
fn check_replaced(old: &Entry, op: &Op, result: &Meta) -> Result<()> {
    if old.described && !op.data_dependent && old.meta == *result {
        return Ok(());
    }
    let (name, old) = (op.name, &old.meta);
    Err(Error::bug(format!("{name} puts {result} in the place of {old}")))
}
