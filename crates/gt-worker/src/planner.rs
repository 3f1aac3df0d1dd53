//! Makes plans: every instruction becomes kernels, every value a register.

use std::sync::Arc;

use gt_core::attrs::Attrs;
use gt_core::expr::{Emit, Term};
use gt_core::op::Op;
use gt_core::{Error, Meta, Provenance, Result, SessionId, Slot, WorkerId};
use smallvec::{SmallVec, smallvec};

use crate::bound::{Apply, Bound, Task};
use crate::engine::Takes;
use crate::names::Names;
use crate::plan::{Origin, Plan, Position, Register, Replace, Replacement, Step, Use, ValueId};
use crate::queue::{Arrival, Arrived, Verdict};

mod check;
mod expand;
mod fuse;
mod moved;
mod resolve;
mod share;

pub use resolve::Resolutions;

/// Makes a plan out of commands.
pub struct Planner<'a> {
    names: &'a mut Names,
    resolutions: &'a mut Resolutions,
    engine: &'a dyn Takes,
    plan: Plan,
    /// What is in each register.
    metas: Vec<Meta>,
    /// The bytes of everything that it makes, and of what it gives to other workers.
    bytes: u64,
    origin: Origin,
}

/// What planning a command means for the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It goes on.
    More,
    /// It ends, because others wait for a shape that depends on data.
    Last,
}

impl<'a> Planner<'a> {
    /// A planner for a session's values, and for an engine.
    pub fn new(
        worker: WorkerId,
        session: SessionId,
        names: &'a mut Names,
        resolutions: &'a mut Resolutions,
        engine: &'a dyn Takes,
    ) -> Self {
        let (slot, provenance, position) = (Slot(0), Provenance::UNKNOWN, Position(0));
        let origin = Origin { worker, op: None, slot, provenance, position };
        let plan = Plan::new(worker, session);
        Planner { names, resolutions, engine, plan, metas: Vec::new(), bytes: 0, origin }
    }

    /// About how long what was planned so far takes one core.
    pub fn cost_ns(&self) -> u64 {
        self.plan.cost_ns
    }

    /// How many commands were planned so far.
    pub fn commands(&self) -> u64 {
        self.plan.commands
    }

    /// The bytes of everything that is made, and of what is given to other workers.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The worker that plans.
    pub fn worker(&self) -> WorkerId {
        self.origin.worker
    }

    /// The values of the session.
    pub fn names(&mut self) -> &mut Names {
        self.names
    }

    /// Counts a command that there is nothing to plan of.
    pub fn pass(&mut self) {
        self.plan.commands += 1;
    }

    /// Plans a command. What it needs is known, and has arrived.
    pub fn plan(&mut self, bound: &Bound, arrived: &mut Arrived) -> Result<Flow> {
        self.plan.commands += 1;
        let position = bound.position;
        self.origin = Origin { position, ..self.origin };
        match &bound.task {
            Task::Apply(apply) => return self.apply(apply),
            Task::Upload { out, slot, value, provenance } => {
                let origin = Origin { slot: *slot, provenance: *provenance, ..self.origin };
                self.upload(*out, (**value).clone(), origin);
            }
            Task::Receive { out, slot, tag, provenance } => {
                let origin = Origin { slot: *slot, provenance: *provenance, ..self.origin };
                let arrival = arrived.values.remove(tag);
                let missing = || Error::bug(format!("{slot} has not arrived"));
                self.receive(*out, arrival.ok_or_else(missing)?, origin);
            }
            Task::Give(give) => self.give(give)?,
            Task::Get(get) => self.get(get, arrived)?,
            Task::Answer { value, request, wanted } => {
                let (request, wanted) = (*request, *wanted);
                let value = Use::of(self.load(*value)?);
                self.plan.steps.push(Step::Answer { position, request, value, wanted });
            }
            Task::Sync(request) => self.plan.steps.push(Step::Sync { position, request: *request }),
            Task::GiveUp(request) => {
                self.plan.steps.push(Step::GiveUp { position, request: *request });
            }
            Task::Report(barrier, then) => {
                let (barrier, then) = (*barrier, *then);
                self.plan.steps.push(Step::Report { position, barrier, then });
            }
            Task::Vote { barrier, values, compare } => {
                let (barrier, compare) = (*barrier, *compare);
                let values = values.iter().map(|id| Ok(Use::of(self.load(*id)?)));
                let values = values.collect::<Result<_>>()?;
                self.plan.steps.push(Step::Vote { position, barrier, values, compare });
            }
            Task::Wait(barrier) => self.hear(arrived.verdicts.remove(barrier).flatten().as_ref()),
            Task::Agree { barrier, values, outputs } => {
                let verdict = arrived.verdicts.remove(barrier).flatten();
                self.hear(verdict.as_ref());
                for (&value, &out) in values.iter().zip(outputs) {
                    self.agree(value, out, verdict.as_ref())?;
                }
            }
            Task::Nothing => {}
        }
        Ok(Flow::More)
    }

    /// Nothing is replaced after a failure that the client does not know of.
    fn hear(&mut self, verdict: Option<&Verdict>) {
        if let Some(Verdict { failure, told: false }) = verdict {
            self.plan.steps.push(Step::Poison(self.origin.position, failure.clone()));
        }
    }

    /// Names a value anew. It has failed here if its part has failed anywhere.
    fn agree(&mut self, value: ValueId, out: ValueId, verdict: Option<&Verdict>) -> Result<()> {
        let whole = self.names.whole(value).cloned();
        let register = self.load(value)?;
        let register = match verdict {
            Some(Verdict { failure, .. }) => {
                self.bear(self.metas[register.0 as usize].clone(), failure.clone())
            }
            None => register,
        };
        self.make(out, register);
        whole.iter().for_each(|whole| self.names.describe_whole(out, whole));
        Ok(())
    }

    /// The plan, complete.
    pub fn finish(self, number: u64) -> Plan {
        let Planner { names, mut plan, metas, engine, .. } = self;
        names.settle(&mut plan);
        plan.mark_last_uses();
        fuse::fuse(&mut plan, &metas, engine);
        plan.number = number;
        plan
    }

    fn apply(&mut self, apply: &Apply) -> Result<Flow> {
        let Apply { op, outputs, slot, inputs, attrs, replaces, provenance, .. } = apply;
        self.origin = Origin { op: Some(op), slot: *slot, provenance: *provenance, ..self.origin };
        let mut terms: SmallVec<[Term<Register>; 3]> = SmallVec::with_capacity(inputs.len());
        for input in inputs {
            terms.push(match input {
                Term::Value(id) => Term::Value(self.load(*id)?),
                Term::Scalar(scalar) => Term::Scalar(*scalar),
                Term::Zero => Term::Zero,
            });
        }
        let mut old: SmallVec<[Option<Register>; 1]> = SmallVec::new();
        for id in replaces {
            old.push(id.map(|id| self.load(id)).transpose()?);
        }
        let mut share = self.share(apply)?;
        let first = self.plan.steps.len();
        if let Some(share) = &mut share {
            self.widen(apply, share, &mut terms);
        }
        let attrs = share.as_ref().map_or(attrs, |share| &share.attrs);
        let results = match self.emit(op, &terms, attrs) {
            Ok(results) => {
                let results = self.narrow(results, share.as_ref());
                if apply.checked {
                    self.check(&terms, attrs, &results);
                }
                self.replace(first, results, &old)
            }
            Err(error) => {
                let failed = self.fail(op, &terms, attrs, error)?;
                let old = old.iter().copied().chain(std::iter::repeat(None));
                failed.into_iter().zip(old).map(|(failed, old)| old.unwrap_or(failed)).collect()
            }
        };
        for (&id, &register) in outputs.iter().zip(&results) {
            match op.data_dependent {
                true => self.promise(id, register),
                false => self.make(id, register),
            }
        }
        if let Some(share) = share {
            for (&id, whole) in outputs.iter().zip(&share.wholes) {
                self.names.describe_whole(id, whole);
            }
        }
        Ok(if op.data_dependent { Flow::Last } else { Flow::More })
    }

    /// Results that have failed, because something that the instruction is made of cannot be
    /// planned. An error if not even their shapes are known.
    fn fail(
        &mut self,
        op: &'static Op,
        terms: &[Term<Register>],
        attrs: &Attrs,
        error: Error,
    ) -> Result<SmallVec<[Register; 1]>> {
        let metas = self.resolve(op, terms, attrs)?.inferred.outputs.clone();
        let failure = Arc::new(self.origin.failure(error));
        self.plan.steps.push(Step::Fail(self.origin.position, failure.clone()));
        Ok(metas.into_iter().map(|meta| self.bear(meta, failure.clone())).collect())
    }

    /// A register with a value that has failed.
    fn bear(&mut self, meta: Meta, failure: Arc<gt_transport::Failure>) -> Register {
        let out = self.register(meta.clone());
        self.plan.steps.push(Step::Bear { out, meta, failure });
        out
    }

    fn upload(&mut self, out: ValueId, value: gt_transport::Value, origin: Origin) {
        self.origin = Origin { op: None, ..origin };
        let register = self.register(value.meta.clone());
        self.plan.cost_ns += value.data.len() as u64 / 8;
        self.plan.steps.push(Step::Upload { out: register, value, origin: self.origin });
        self.make(out, register);
    }

    /// Plans to take in what another worker has handed over.
    fn receive(&mut self, out: ValueId, arrival: Arrival, origin: Origin) {
        let Arrival { meta, result } = arrival;
        match result {
            Ok(data) => self.upload(out, gt_transport::Value { meta, data }, origin),
            Err(failure) => {
                let register = self.bear(meta, failure);
                self.make(out, register);
            }
        }
    }

    /// The register of a value.
    fn load(&mut self, id: ValueId) -> Result<Register> {
        if let Some(register) = self.names.register(id) {
            return Ok(register);
        }
        let meta = self.names.meta(id).cloned();
        let register = self.register(meta.ok_or_else(|| Error::bug("a value is not known yet"))?);
        self.names.place(id, register);
        self.plan.loads.push((id, register));
        Ok(register)
    }

    /// The value is made there.
    fn make(&mut self, id: ValueId, register: Register) {
        let meta = self.metas[register.0 as usize].clone();
        self.bytes += meta.bytes() as u64;
        self.names.place(id, register);
        self.names.describe(id, meta);
    }

    /// The value is made there; its shape is known when the plan has run.
    fn promise(&mut self, id: ValueId, register: Register) {
        self.names.place(id, register);
        self.names.hold(id);
        self.plan.described.push(id);
    }

    fn register(&mut self, meta: Meta) -> Register {
        self.metas.push(meta);
        self.plan.places.push(self.origin.provenance);
        Register(self.metas.len() as u32 - 1)
    }

    /// Lets results take the places of old values; all steps since `first` make them. If a single
    /// kernel comes last and makes all that matters, it may write over the old value; otherwise
    /// the results wait for each other.
    fn replace(
        &mut self,
        first: usize,
        results: SmallVec<[Register; 1]>,
        old: &[Option<Register>],
    ) -> SmallVec<[Register; 1]> {
        if old.iter().all(Option::is_none) {
            return results;
        }
        if let ([Some(old)], Some(Step::Compute(compute))) =
            (old, self.plan.steps[first..].last_mut())
            && compute.outputs == results
        {
            compute.replaces = Some(Use::of(*old));
            return results;
        }
        let old = old.iter().copied().chain(std::iter::repeat(None));
        let mut replacements: SmallVec<[Replacement; 3]> = smallvec![];
        for (computed, old) in results.into_iter().zip(old) {
            let out = self.register(self.metas[computed.0 as usize].clone());
            let (computed, old) = (Use::of(computed), old.map(Use::of));
            replacements.push(Replacement { computed, old, out });
        }
        let outs = replacements.iter().map(|result| result.out).collect();
        let origin = self.origin;
        self.plan.steps.push(Step::Replace(Replace { results: replacements, origin }));
        outs
    }
}
