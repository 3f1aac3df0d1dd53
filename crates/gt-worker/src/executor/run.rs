//! A plan while it runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gt_core::kernel::Kernel;
use gt_core::{DType, Meta, Provenance, RequestId, SessionId, WorkerId};
use gt_transport::{Checksum, Failure, Holder, Message};
use smallvec::SmallVec;

use super::store::{Store, Stored, Untold};
use super::{Runner, panicked};
use crate::engine::{Engine, EngineValue, Operand, Operands, Results};
use crate::memory::NAMED;
use crate::panic_hook::in_kernel;
use crate::plan::{
    Compute, Fused, Input, Job, Plan, Position, Register, Replace, Replacement, Step, Then, Use,
    ValueId, Wanted,
};

/// A plan while it runs.
pub(super) struct Run<'a, E: Engine + ?Sized> {
    pub(super) runner: &'a Runner<E>,
    pub(super) session: SessionId,
    pub(super) worker: WorkerId,
    pub(super) registers: Vec<Option<Stored<E::Value>>>,
    pub(super) places: Vec<Provenance>,
    /// What is to be sent.
    pub(super) messages: Vec<Message>,
    pub(super) untold: Untold,
    /// Who held the memory when it ran out, if it did.
    pub(super) holders: Option<SmallVec<[Holder; NAMED]>>,
}

impl<'a, E: Engine + ?Sized> Run<'a, E> {
    /// A plan that begins.
    pub(super) fn new(runner: &'a Runner<E>, plan: &mut Plan) -> Self {
        let (session, worker) = (plan.session, plan.worker);
        let places = std::mem::take(&mut plan.places);
        let (registers, messages) = (vec![None; places.len()], Vec::new());
        let (untold, holders) = (Untold::default(), None);
        Run { runner, session, worker, registers, places, messages, untold, holders }
    }

    /// Begins with values that are there.
    pub(super) fn load(&mut self, store: &mut Store<E::Value>, loads: &[(ValueId, Register)]) {
        self.untold = std::mem::take(&mut store.untold);
        for &(id, register) in loads {
            let (stored, place) = store.load(id).expect("a plan loads what an earlier one kept");
            let index = register.0 as usize;
            (self.registers[index], self.places[index]) = (Some(stored), place);
        }
    }

    /// Ends with values that are kept.
    pub(super) fn keep(&mut self, store: &mut Store<E::Value>, keeps: &[(Register, ValueId)]) {
        store.untold = std::mem::take(&mut self.untold);
        for &(register, id) in keeps {
            let index = register.0 as usize;
            // Two values may be one: an old one, and what would have replaced it.
            let stored = self.registers[index].clone().expect("a plan makes what it keeps");
            store.put(id, stored, self.places[index]);
        }
    }

    /// Does one thing.
    pub(super) fn step(&mut self, step: &mut Step) {
        match *step {
            Step::Compute(ref compute) => self.compute(compute),
            Step::Fused(ref fused) => self.fused(fused),
            Step::Replace(ref replace) => self.replace(replace),
            Step::Check(ref check) => self.check(check),
            Step::Bear { out, ref meta, ref failure } => {
                self.set(out, Stored::Failed(meta.clone(), failure.clone()));
            }
            Step::Poison(position, ref failure) => {
                self.untold.entry(position).or_insert_with(|| failure.clone());
            }
            Step::Report { position, barrier, then } => {
                let failure = match then {
                    Then::Stay => self.failed_before(position).cloned(),
                    Then::Settle(_) => self.settle(position),
                };
                self.report(barrier, failure, SmallVec::new());
            }
            Step::Vote { position, barrier, ref values, compare } => {
                self.vote(position, barrier, values, compare);
            }
            Step::Sync { position, request } => self.answer(position, request, Ok(nothing())),
            Step::GiveUp { position, request } => {
                self.answer(position, request, Err(Arc::new(Failure::given_up())));
            }
            Step::Fail(position, ref failure) => self.tell(position, failure.clone()),
            Step::Upload { out, ref mut value, origin } => {
                // The plan is there for longer than some of its values.
                let (meta, data) = (value.meta.clone(), std::mem::take(&mut value.data));
                let result = self.runner.engine.upload(meta, data);
                let stored = match result {
                    Ok(stored) => Stored::Value(stored),
                    Err(error) => Stored::Failed(value.meta.clone(), self.fail(error, origin)),
                };
                self.set(out, stored);
            }
            Step::Answer { position, request, value, wanted } => {
                let result = self.fetch(value, position).map(|value| {
                    let data = match wanted {
                        Wanted::Elements => value.to_bytes(),
                        Wanted::Meta => Default::default(),
                    };
                    gt_transport::Value { meta: value.meta().clone(), data }
                });
                self.answer(position, request, result);
            }
            Step::Handover { position, to, tag, value } => {
                let stored = self.registers[value.register.0 as usize].as_ref();
                let meta = stored.expect("a plan makes what it hands over").meta().clone();
                let result = self.fetch(value, position).map(|value| value.to_bytes());
                let session = self.session;
                self.messages.push(Message::Handover { session, to, tag, meta, result });
            }
        }
    }

    fn set(&mut self, register: Register, stored: Stored<E::Value>) {
        self.registers[register.0 as usize] = Some(stored);
    }

    /// Whether what a register holds has failed.
    pub(super) fn has_failed(&self, register: Register) -> bool {
        matches!(self.registers[register.0 as usize], Some(Stored::Failed(..)))
    }

    /// What has failed before a command and was not told to the client.
    fn failed_before(&self, position: Position) -> Option<&Arc<Failure>> {
        self.untold.range(..position).next().map(|(_, failure)| failure)
    }

    /// The client knows what failed before a command; gives the first of it.
    fn settle(&mut self, position: Position) -> Option<Arc<Failure>> {
        if self.untold.is_empty() {
            return None;
        }
        let later = self.untold.split_off(&position);
        let told = std::mem::replace(&mut self.untold, later);
        told.into_values().next()
    }

    /// Answers the client: with a failure it was not told of, if there is one.
    fn answer(
        &mut self,
        position: Position,
        request: RequestId,
        result: Result<gt_transport::Value, Arc<Failure>>,
    ) {
        let (session, failure) = (self.session, self.settle(position));
        let result = failure.map_or(result, Err);
        self.messages.push(Message::Answer { session, request, result });
    }

    /// Reports what failed before a command, or else what has failed of these values.
    fn vote(&mut self, position: Position, barrier: u64, values: &[Use], compare: bool) {
        let mut failure = self.failed_before(position).cloned();
        let mut checksums = SmallVec::new();
        for &used in values {
            let provenance = self.places[used.register.0 as usize];
            if compare && let Err(error) = self.recall([used.register].into_iter(), 0) {
                failure = failure.or(Some(self.fail_recall(used.register, position, error)));
                continue;
            }
            match self.use_value(used) {
                Stored::Value(value) if compare => {
                    checksums.push(Checksum { sum: checksum(&value.to_bytes()), provenance });
                }
                Stored::Value(_) | Stored::Away(_) => {}
                Stored::Failed(_, first) => {
                    // The verdict brings it back, or what failed before it on another worker.
                    self.untold.retain(|_, untold| untold.id != first.id);
                    failure = failure.or(Some(first));
                }
            }
        }
        self.report(barrier, failure, checksums);
    }

    fn report(
        &mut self,
        barrier: u64,
        failure: Option<Arc<Failure>>,
        checksums: SmallVec<[Checksum; 3]>,
    ) {
        let session = self.session;
        self.messages.push(Message::FailureReport { session, barrier, failure, checksums });
    }

    fn compute(&mut self, compute: &Compute) {
        let Compute { outputs, metas, replaces, origin, .. } = compute;
        let result = match (replaces, self.failed_before(origin.position)) {
            // The program does not know of the failure yet and would not have come here.
            (Some(_), Some(failure)) => Err(failure.clone()),
            (Some(_), None) => {
                let result = self.run_kernel(compute);
                result.map_err(|failure| self.tell_of_update(failure, *origin))
            }
            (None, _) => self.run_kernel(compute),
        };
        let old = replaces.and_then(|old| self.take_or_clone(old));
        match result {
            Ok(values) => {
                for (register, value) in outputs.iter().zip(values) {
                    self.set(*register, Stored::Value(value));
                }
            }
            Err(failure) => {
                for (register, meta) in outputs.iter().zip(metas) {
                    self.set(*register, Stored::Failed(meta.clone(), failure.clone()));
                }
                if let Some(old) = old {
                    self.set(outputs[0], old);
                }
            }
        }
    }

    /// Runs kernels together if nothing stands in the way of one of them, else one by one.
    fn fused(&mut self, fused: &Fused) {
        let inputs = fused.inputs.iter().map(|used| used.register);
        let result = |&step: &usize| fused.computes[step].metas[0].bytes();
        let results = fused.program.outputs.iter().map(result).sum();
        let is_there = self.recall(inputs, results).is_ok();
        if !is_there || !self.can_run_together(fused) || !self.run_together(fused) {
            fused.computes.iter().for_each(|compute| self.compute(compute));
        }
    }

    fn can_run_together(&self, fused: &Fused) -> bool {
        let has_failed = |used: &Use| self.has_failed(used.register);
        let keeps_old = |compute: &Compute| {
            compute.replaces.is_some() && self.failed_before(compute.origin.position).is_some()
        };
        !fused.inputs.iter().any(has_failed)
            && (self.untold.is_empty() || !fused.computes.iter().any(keeps_old))
    }

    /// Runs a program; says whether that worked. If not, everything is as it was.
    fn run_together(&mut self, fused: &Fused) -> bool {
        let Fused { computes, program, inputs, ended } = fused;
        let mut values: SmallVec<[E::Value; 4]> = SmallVec::with_capacity(inputs.len());
        for &used in inputs {
            match self.use_value(used) {
                Stored::Value(value) => values.push(value),
                Stored::Failed(..) | Stored::Away(_) => {
                    unreachable!("what has failed is not computed with, and the rest is there")
                }
            }
        }
        let engine = &self.runner.engine;
        let run = AssertUnwindSafe(|| in_kernel(|| engine.run_program(program, &mut values)));
        let Ok(Ok(results)) = catch_unwind(run) else {
            for (used, value) in inputs.iter().zip(values) {
                self.set(used.register, Stored::Value(value));
            }
            return false;
        };
        for (&step, value) in program.outputs.iter().zip(results) {
            self.set(computes[step].outputs[0], Stored::Value(value));
        }
        for register in ended {
            self.registers[register.0 as usize] = None;
        }
        true
    }

    /// Lets all results take the places of old values, or none.
    fn replace(&mut self, replace: &Replace) {
        let mut failure = self.failed_before(replace.origin.position).cloned();
        if failure.is_none() {
            let computed = |result: &Replacement| result.computed.register.0 as usize;
            let failed = replace.results.iter().map(|result| &self.registers[computed(result)]);
            let first = failed.into_iter().find_map(|stored| match stored {
                Some(Stored::Failed(_, first)) => Some(first.clone()),
                _ => None,
            });
            failure = first.map(|first| self.tell_of_update(first, replace.origin));
        }
        for result in &replace.results {
            let computed = self.use_value(result.computed);
            let old = result.old.map(|old| self.use_value(old));
            let stored = match (&failure, old) {
                (None, _) => computed,
                (Some(_), Some(old)) => old,
                (Some(failure), None) => Stored::Failed(computed.meta().clone(), failure.clone()),
            };
            self.set(result.out, stored);
        }
    }

    fn run_kernel(&mut self, compute: &Compute) -> Result<Results<E::Value>, Arc<Failure>> {
        let Compute { job, metas, replaces, origin, .. } = compute;
        let inputs = compute.inputs.iter().filter_map(|input| match input {
            Input::Register(used) => Some(used.register),
            Input::Scalar(_) => None,
        });
        let registers = inputs.chain(replaces.iter().map(|old| old.register));
        let results = metas.iter().map(Meta::bytes).sum();
        self.recall(registers, results).map_err(|error| self.fail(error, *origin))?;
        let over = replaces.filter(|old| old.last && self.can_write_over(*old, compute));
        let inputs = self.operands(compute, over.map(|old| old.register))?;
        let engine = &self.runner.engine;
        let run = || match job {
            Job::Kernel(kernel) => engine.run(kernel, inputs, metas),
            Job::Whole(op, attrs) => engine.run_whole(op, attrs, inputs, metas),
        };
        let run = AssertUnwindSafe(|| in_kernel(run));
        let result = catch_unwind(run).unwrap_or_else(|panic| Err(panicked(&*panic)));
        result.map_err(|error| self.fail(error, *origin))
    }

    /// Whether the kernel can write its result into the buffer of the value it replaces. Then it
    /// needs no memory and cannot fail; otherwise the old value must be kept for that case.
    fn can_write_over(&mut self, old: Use, compute: &Compute) -> bool {
        let Job::Kernel(kernel) = &compute.job else { return false };
        let elementwise = matches!(
            kernel,
            Kernel::Map(_) | Kernel::Zip(_) | Kernel::Where | Kernel::SliceWrite(_)
        );
        let reads_it = |input: &&Input| match input {
            Input::Register(used) => used.register == old.register,
            Input::Scalar(_) => false,
        };
        let alone = compute.inputs.iter().filter(reads_it).count() == 1;
        match &mut self.registers[old.register.0 as usize] {
            Some(Stored::Value(old)) => {
                let fits = old.meta() == &compute.metas[0];
                let divides = matches!(kernel, Kernel::Zip(function) if function.divides());
                let may_fail = divides && !old.meta().dtype.is_float();
                elementwise && !may_fail && alone && fits && old.can_be_overwritten()
            }
            _ => false,
        }
    }

    /// The inputs of a kernel, or the failure that one of them carries. The last input that is
    /// `over` is given away for good.
    fn operands(
        &mut self,
        compute: &Compute,
        over: Option<Register>,
    ) -> Result<Operands<E::Value>, Arc<Failure>> {
        for input in &compute.inputs {
            if let Input::Register(used) = input
                && let Some(Stored::Failed(_, failure)) = &self.registers[used.register.0 as usize]
            {
                return Err(failure.clone());
            }
        }
        let is_over = |input: &Input| match input {
            Input::Register(used) => Some(used.register) == over,
            Input::Scalar(_) => false,
        };
        let given_away = compute.inputs.iter().rposition(is_over);
        let mut operands = Operands::new();
        for (index, input) in compute.inputs.iter().enumerate() {
            operands.push(match *input {
                Input::Scalar(scalar) => Operand::Scalar(scalar),
                Input::Register(used) => {
                    let used = Use { last: used.last || given_away == Some(index), ..used };
                    Operand::Tensor(self.use_value(used).into_result()?)
                }
            });
        }
        Ok(operands)
    }

    /// The value, moved out of its register if this is its last use.
    pub(super) fn use_value(&mut self, used: Use) -> Stored<E::Value> {
        self.take_or_clone(used).expect("a plan makes a value before it uses it")
    }

    pub(super) fn take_or_clone(&mut self, used: Use) -> Option<Stored<E::Value>> {
        let register = &mut self.registers[used.register.0 as usize];
        if used.last { register.take() } else { register.clone() }
    }
}

/// The bits of a value in short: FNV-1a, eight bytes at a time.
fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(PRIME).rotate_left(23);
    let (words, rest) = bytes.as_chunks::<8>();
    let sum =
        words.iter().fold(0xcbf2_9ce4_8422_2325, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)))
}

/// What is said where only the word counts.
fn nothing() -> gt_transport::Value {
    gt_transport::Value { meta: Meta::new(DType::Bool, [0]), data: Default::default() }
}
