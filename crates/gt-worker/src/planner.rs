//! Makes plans: every instruction becomes kernels, every name a register.

use std::sync::Arc;

use gt_core::attrs::{Attrs, NO_ATTRS};
use gt_core::expr::{Emit, Evaluator, Expr, Subject, Term};
use gt_core::instruction::{Instruction, Operand, Replaces};
use gt_core::kernel::Kernel;
use gt_core::op::{Arg, Call, Inferred, Op, Role};
use gt_core::record::{Parts, Record};
use gt_core::{DType, Error, Meta, Provenance, RequestId, Result, SessionId, Slot, WorkerId};
use smallvec::{SmallVec, smallvec};

use crate::queue::Arrival;
use crate::store::{Found, Register, Store, Stored};

use crate::plan::{Compute, Input, Origin, Plan, Step, Use};
/// Makes a plan out of commands.
pub struct Planner<'a> {
    store: &'a mut Store,
    plan: Plan,
    metas: Vec<Meta>,
    touched: Vec<Slot>,
    origin: Origin,
}

impl<'a> Planner<'a> {
    /// A planner for the values in `store`.
    pub fn new(worker: WorkerId, session: SessionId, store: &'a mut Store) -> Self {
        let origin = Origin { worker, op: None, slot: Slot(0), provenance: Provenance::UNKNOWN };
        let plan = Plan::new(session);
        Planner { store, plan, metas: Vec::new(), touched: Vec::new(), origin }
    }

    /// About how long what was planned so far takes one core.
    pub fn cost_ns(&self) -> u64 {
        self.plan.cost_ns
    }

    /// Plans an instruction.
    pub fn apply(&mut self, instruction: &Instruction) -> Result<()> {
        let Instruction { op, outputs, inputs, attrs, replaces, provenance } = instruction;
        self.origin =
            Origin { op: Some(op), slot: outputs[0], provenance: *provenance, ..self.origin };
        self.plan_apply(op, outputs, inputs, attrs, replaces)
    }

    /// Plans an instruction that fits into its record.
    pub fn apply_record(&mut self, record: &Record, parts: &Parts) -> Result<()> {
        let Parts { op, operands, replaces } = parts;
        let (out, provenance) = (Slot(record.out), Provenance(record.provenance));
        self.origin = Origin { op: Some(op), slot: out, provenance, ..self.origin };
        self.plan_apply(op, &[out], operands, &NO_ATTRS, &Replaces::first(*replaces))
    }

    fn plan_apply(
        &mut self,
        op: &'static Op,
        outputs: &[Slot],
        inputs: &[Operand],
        attrs: &Attrs,
        replaces: &Replaces,
    ) -> Result<()> {
        let mut terms: SmallVec<[Term<Register>; 3]> = SmallVec::new();
        for input in inputs {
            terms.push(match *input {
                Operand::Slot(slot) => Term::Value(self.load(slot)?),
                Operand::Scalar(scalar) => Term::Scalar(scalar),
            });
        }
        let replaced: SmallVec<[(usize, Slot, Register); 1]> = (0..outputs.len())
            .filter_map(|result| Some((result, replaces.get(result)?)))
            .map(|(result, slot)| Ok((result, slot, self.load(slot)?)))
            .collect::<Result<_>>()?;
        let first = self.plan.steps.len();
        let mut results = match self.emit(op, &terms, attrs) {
            Ok(results) => results,
            Err(error) => {
                let mut failed = self.fail(op, &terms, attrs, error)?;
                replaced.iter().for_each(|&(result, _, old)| failed[result] = old);
                failed
            }
        };
        for (result, slot, old) in replaced {
            results[result] = self.replace(first, old, results[result]);
            self.store.free(slot);
        }
        for (&slot, &register) in outputs.iter().zip(&results) {
            self.store.promise(slot, register)?;
            self.touched.push(slot);
        }
        Ok(())
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
        let metas = self.resolve(op, terms, attrs)?.inferred.outputs;
        let failure = Arc::new(self.origin.failure(error));
        self.plan.steps.push(Step::Fail(failure.clone()));
        let mut results = SmallVec::new();
        for meta in metas {
            let register = self.register(meta.clone());
            let failed = Stored::Failed(meta, failure.clone());
            self.plan.registers[register.0 as usize] = Some(failed);
            results.push(register);
        }
        Ok(results)
    }

    /// Plans an upload.
    pub fn upload(
        &mut self,
        out: Slot,
        value: gt_transport::Value,
        provenance: Provenance,
    ) -> Result<()> {
        let origin = Origin { op: None, slot: out, provenance, ..self.origin };
        self.origin = origin;
        let register = self.register(value.meta.clone());
        self.plan.cost_ns += value.data.len() as u64 / 8;
        self.plan.steps.push(Step::Upload { out: register, value, origin });
        self.touched.push(out);
        self.store.promise(out, register)
    }

    /// Plans to take in what another worker has handed over.
    pub fn receive(&mut self, out: Slot, arrival: Arrival, provenance: Provenance) -> Result<()> {
        let Arrival { meta, result } = arrival;
        match result {
            Ok(data) => {
                let value = gt_transport::Value { meta, data };
                self.upload(out, value, provenance)
            }
            Err(failure) => {
                let register = self.register(meta.clone());
                let failed = Stored::Failed(meta, failure);
                self.plan.registers[register.0 as usize] = Some(failed);
                self.touched.push(out);
                self.store.promise(out, register)
            }
        }
    }

    /// Plans an answer to the client.
    pub fn answer(&mut self, slot: Slot, request: RequestId, described: bool) -> Result<()> {
        let value = Use { register: self.load(slot)?, last: false };
        self.plan.steps.push(Step::Answer { request, value, described });
        Ok(())
    }

    /// Plans to hand a value to another worker.
    pub fn hand_over(&mut self, slot: Slot, to: WorkerId, tag: u64) -> Result<()> {
        let value = Use { register: self.load(slot)?, last: false };
        self.plan.steps.push(Step::Handover { to, tag, value });
        Ok(())
    }

    /// Plans anything that is about no value.
    pub fn push_step(&mut self, step: Step) {
        self.plan.steps.push(step);
    }

    /// The value has no name any more.
    pub fn free(&mut self, slot: Slot) {
        self.store.free(slot);
    }

    /// The plan for `commands` commands.
    pub fn finish(mut self, commands: u64) -> Plan {
        self.plan.commands = commands;
        self.touched.sort_unstable();
        self.touched.dedup();
        for &slot in &self.touched {
            if let Some(register) = self.store.register(slot) {
                self.plan.kept.push((slot, register));
            }
        }
        self.plan.mark_last_uses();
        self.plan
    }

    fn load(&mut self, slot: Slot) -> Result<Register> {
        let next = Register(self.metas.len() as u32);
        match self.store.load(slot, next)? {
            Found::Planned(register) => Ok(register),
            Found::Loaded(stored, place) => {
                let register = self.register(stored.meta().clone());
                self.plan.places[register.0 as usize] = place;
                self.plan.registers[register.0 as usize] = Some(stored);
                self.touched.push(slot);
                Ok(register)
            }
        }
    }

    fn register(&mut self, meta: Meta) -> Register {
        self.metas.push(meta);
        self.plan.registers.push(None);
        self.plan.places.push(self.origin.provenance);
        Register(self.metas.len() as u32 - 1)
    }

    /// Says of the step that makes `result` that it replaces `old`; all steps since `first` fail
    /// into the old value, because the last one does. A step replaces with its first result, so
    /// that another one takes a step of its own.
    fn replace(&mut self, first: usize, old: Register, result: Register) -> Register {
        let makes = |step: &Step, place: usize| match step {
            Step::Compute(compute) => compute.outputs.get(place) == Some(&result),
            _ => false,
        };
        let steps = &self.plan.steps[first..];
        let mut result = result;
        if !steps.iter().any(|step| makes(step, 0)) && steps.iter().any(|step| makes(step, 1)) {
            let meta = self.metas[result.0 as usize].clone();
            let copy = self.register(meta.clone());
            let inputs = smallvec![Input::Register(Use { register: result, last: false })];
            self.push(Kernel::Cast, inputs, smallvec![copy], smallvec![meta]);
            result = copy;
        }
        let first_result = |step: &&mut Step| match step {
            Step::Compute(compute) => compute.outputs.first() == Some(&result),
            _ => false,
        };
        let step = self.plan.steps[first..].iter_mut().find(first_result);
        if let Some(Step::Compute(compute)) = step {
            compute.replaces = Some(Use { register: old, last: false });
        }
        result
    }

    /// The register with its value in `dtype`.
    fn cast(&mut self, register: Register, dtype: DType) -> Register {
        let meta = &self.metas[register.0 as usize];
        if meta.dtype == dtype {
            return register;
        }
        let meta = Meta { dtype, shape: meta.shape.clone() };
        let out = self.register(meta.clone());
        let inputs = smallvec![Input::Register(Use { register, last: false })];
        self.push(Kernel::Cast, inputs, smallvec![out], smallvec![meta]);
        out
    }

    fn push(
        &mut self,
        kernel: Kernel,
        inputs: SmallVec<[Input; 3]>,
        outputs: SmallVec<[Register; 1]>,
        metas: SmallVec<[Meta; 1]>,
    ) {
        let (replaces, origin) = (None, self.origin);
        let compute = Compute { kernel, inputs, outputs, metas, replaces, origin };
        self.plan.steps.push(Step::Compute(compute));
    }
}

impl Emit for Planner<'_> {
    type Value = Register;

    fn emit(
        &mut self,
        op: &'static Op,
        terms: &[Term<Register>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Register; 1]>> {
        let Resolved { inferred, kernel, expansion, cost_ns } = self.resolve(op, terms, attrs)?;
        self.plan.cost_ns += cost_ns;
        if kernel == Kernel::Expansion {
            return self.expand(op, terms, inferred.compute, &expansion);
        }
        // A cast computes in the dtype it comes from.
        let compute = (kernel != Kernel::Cast).then_some(inferred.compute);
        let inputs = self.cast_inputs(op, terms, compute)?;
        let mut outputs: SmallVec<[Register; 1]> = SmallVec::new();
        for meta in &inferred.outputs {
            outputs.push(self.register(meta.clone()));
        }
        self.push(kernel, inputs, outputs.clone(), inferred.outputs);
        Ok(outputs)
    }
}

/// What the rules of a row say of one use of it.
struct Resolved {
    inferred: Inferred,
    kernel: Kernel,
    expansion: Vec<Expr>,
    cost_ns: u64,
}

impl Planner<'_> {
    fn resolve(
        &self,
        op: &'static Op,
        terms: &[Term<Register>],
        attrs: &Attrs,
    ) -> Result<Resolved> {
        let mut args: SmallVec<[Arg; 3]> = SmallVec::new();
        let mut metas: SmallVec<[&Meta; 3]> = SmallVec::new();
        for term in terms {
            match term {
                Term::Value(register) => {
                    let meta = &self.metas[register.0 as usize];
                    args.push(Arg::Tensor(meta));
                    metas.push(meta);
                }
                Term::Scalar(scalar) => args.push(Arg::Scalar(*scalar)),
                Term::Zero => return Err(Error::bug(format!("{}: an input is missing", op.name))),
            }
        }
        let call = Call::checked(op, &args, attrs)?;
        let inferred = call.infer()?;
        let kernel = (op.kernel)(&call)?;
        let expansion = match (&kernel, op.expansion) {
            (Kernel::Expansion, Some(expand)) => expand(&call),
            _ => Vec::new(),
        };
        let cost_ns = kernel.cost_ns(&metas, &inferred.outputs);
        Ok(Resolved { inferred, kernel, expansion, cost_ns })
    }

    /// The inputs of a kernel, each in the dtype that its role asks for.
    fn cast_inputs(
        &mut self,
        op: &Op,
        terms: &[Term<Register>],
        compute: Option<DType>,
    ) -> Result<SmallVec<[Input; 3]>> {
        let mut inputs = SmallVec::new();
        for (index, term) in terms.iter().enumerate() {
            let role = op.inputs[if op.variadic { 0 } else { index }].role;
            inputs.push(match (term, role, compute) {
                (Term::Scalar(scalar), ..) => Input::Scalar(*scalar),
                (Term::Value(register), Role::Operand, Some(dtype)) => {
                    Input::Register(Use { register: self.cast(*register, dtype), last: false })
                }
                (Term::Value(register), Role::Index, _) => {
                    let register = self.cast(*register, DType::I64);
                    Input::Register(Use { register, last: false })
                }
                (Term::Value(register), ..) => {
                    Input::Register(Use { register: *register, last: false })
                }
                (Term::Zero, ..) => return Err(Error::bug("an input is missing")),
            });
        }
        Ok(inputs)
    }

    /// Plans the row's expansion, with its operands in the dtype it computes in.
    fn expand(
        &mut self,
        op: &'static Op,
        terms: &[Term<Register>],
        compute: DType,
        formulas: &[Expr],
    ) -> Result<SmallVec<[Register; 1]>> {
        if formulas.len() != op.outputs.len() {
            return Err(Error::bug(format!("{} has no expansion here", op.name)));
        }
        let inputs = self.cast_inputs(op, terms, Some(compute))?;
        let inputs: SmallVec<[Term<Register>; 3]> = inputs
            .into_iter()
            .map(|input| match input {
                Input::Register(used) => Term::Value(used.register),
                Input::Scalar(scalar) => Term::Scalar(scalar),
            })
            .collect();
        let subject = Subject { grads: &[], inputs: &inputs, outputs: &[] };
        let mut evaluator = Evaluator::new(self, subject);
        let results = formulas.iter().map(|formula| match evaluator.evaluate(formula)? {
            Term::Value(register) => Ok(register),
            _ => Err(Error::bug(format!("{} expands to nothing", op.name))),
        });
        results.collect()
    }
}
