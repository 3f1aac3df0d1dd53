//! What one operation comes to: a kernel, or the kernels of its expansion, with casts before them.

use std::sync::Arc;

use gt_core::attrs::Attrs;
use gt_core::expr::{Emit, Evaluator, Expr, Subject, Term};
use gt_core::kernel::Kernel;
use gt_core::op::{Arg, Call, Op, Role};
use gt_core::{DType, Error, Meta, Result};
use smallvec::{SmallVec, smallvec};

use super::Planner;
use super::resolve::{Resolved, Way, resolved};
use crate::plan::{Compute, Input, Job, Register, Step, Use};

impl Emit for Planner<'_> {
    type Value = Register;

    fn emit(
        &mut self,
        op: &'static Op,
        terms: &[Term<Register>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Register; 1]>> {
        let resolved = self.resolve(op, terms, attrs)?;
        let Resolved { inferred, way, cost_ns } = &*resolved;
        self.plan.cost_ns += cost_ns;
        let job = match way {
            Way::Expand(formulas) => return self.expand(op, terms, inferred.compute, formulas),
            Way::Compute(job) => job,
        };
        // A cast computes in the dtype it comes from.
        let compute = (*job != Job::Kernel(Kernel::Cast)).then_some(inferred.compute);
        let inputs = self.cast_inputs(op, terms, compute)?;
        let mut outputs: SmallVec<[Register; 1]> = SmallVec::new();
        for meta in &inferred.outputs {
            outputs.push(self.register(meta.clone()));
        }
        self.push(job.clone(), inputs, outputs.clone(), inferred.outputs.clone());
        Ok(outputs)
    }
}

impl Planner<'_> {
    /// What the rules of the row say of this use of it.
    pub(super) fn resolve(
        &mut self,
        op: &'static Op,
        terms: &[Term<Register>],
        attrs: &Attrs,
    ) -> Result<Arc<Resolved>> {
        let mut args: SmallVec<[Arg; 4]> = SmallVec::with_capacity(terms.len());
        for term in terms {
            args.push(match term {
                Term::Value(register) => Arg::Tensor(&self.metas[register.0 as usize]),
                Term::Scalar(scalar) => Arg::Scalar(*scalar),
                Term::Zero => return Err(Error::bug(format!("{}: an input is missing", op.name))),
            });
        }
        resolved(self.resolutions, &Call { op, inputs: &args, attrs }, self.engine)
    }

    /// The inputs of a kernel, each in the dtype that its role asks for.
    fn cast_inputs(
        &mut self,
        op: &Op,
        terms: &[Term<Register>],
        compute: Option<DType>,
    ) -> Result<SmallVec<[Input; 3]>> {
        let mut inputs = SmallVec::with_capacity(terms.len());
        for (index, term) in terms.iter().enumerate() {
            let role = op.inputs[if op.variadic { 0 } else { index }].role;
            inputs.push(match (term, role, compute) {
                (Term::Scalar(scalar), ..) => Input::Scalar(*scalar),
                (Term::Value(register), Role::Operand, Some(dtype)) => {
                    Input::Register(Use::of(self.cast(*register, dtype)))
                }
                (Term::Value(register), Role::Index, _) => {
                    let register = self.cast(*register, DType::I64);
                    Input::Register(Use::of(register))
                }
                (Term::Value(register), ..) => Input::Register(Use::of(*register)),
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

    /// The register with its value in `dtype`.
    pub(super) fn cast(&mut self, register: Register, dtype: DType) -> Register {
        let meta = &self.metas[register.0 as usize];
        if meta.dtype == dtype {
            return register;
        }
        let meta = Meta { dtype, shape: meta.shape.clone() };
        let out = self.register(meta.clone());
        let inputs = smallvec![Input::Register(Use::of(register))];
        self.push(Job::Kernel(Kernel::Cast), inputs, smallvec![out], smallvec![meta]);
        out
    }

    fn push(
        &mut self,
        job: Job,
        inputs: SmallVec<[Input; 3]>,
        outputs: SmallVec<[Register; 1]>,
        metas: SmallVec<[Meta; 1]>,
    ) {
        let (replaces, origin) = (None, self.origin);
        let compute = Compute { job, inputs, outputs, metas, replaces, origin };
        self.plan.steps.push(Step::Compute(compute));
    }
}
