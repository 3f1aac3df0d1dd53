//! Tensors written to be read, and a machine that runs rows of the op table on them: with the
//! native engine, or with the reference beside it.

pub mod array;
pub mod native;
pub mod reference;
pub mod tape;

use gt_core::attrs::Attrs;
use gt_core::expr::{Emit, Evaluator, Expr, Subject, Term};
use gt_core::kernel::Kernel;
use gt_core::op::{Arg, Call, Inferred, Op, Role};
use gt_core::{DType, Error, Meta, Result};
use smallvec::SmallVec;

use array::Array;

/// Something that can run one kernel.
pub trait Kernels {
    /// Runs it. Operands arrive in the dtype the row computes in, numbers of the program as tensors
    /// without axes if `outputs` is not enough to tell.
    fn run(&self, kernel: &Kernel, inputs: &[Term<Array>], outputs: &[Meta]) -> Result<Vec<Array>>;

    /// Runs a composite in one piece; `None` if it is left to its expansion.
    fn run_whole(
        &self,
        _call: &Call,
        _inputs: &[Term<Array>],
        _outputs: &[Meta],
    ) -> Option<Result<Vec<Array>>> {
        None
    }
}

/// Runs rows, their kernels or their expansions.
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    /// What computes.
    pub kernels: &'a dyn Kernels,
}

/// What the rules know of these inputs.
pub fn args(inputs: &[Term<Array>]) -> Vec<Arg<'_>> {
    let arg = |input| match input {
        &Term::Value(Array { ref meta, .. }) => Arg::Tensor(meta),
        &Term::Scalar(scalar) => Arg::Scalar(scalar),
        Term::Zero => Arg::Scalar(0.0.into()),
    };
    inputs.iter().map(arg).collect()
}

impl Machine<'_> {
    /// All results of a row.
    pub fn run(
        &self,
        op: &'static Op,
        inputs: &[Term<Array>],
        attrs: &Attrs,
    ) -> Result<Vec<Array>> {
        let args = args(inputs);
        let call = Call::checked(op, &args, attrs)?;
        let inferred = call.infer()?;
        let kernel = (op.kernel)(&call)?;
        let cast = self.cast(&call, &inferred, inputs)?;
        if kernel == Kernel::Expansion {
            let whole = self.kernels.run_whole(&call, &cast, &inferred.outputs);
            return whole.unwrap_or_else(|| self.expand(&call, inputs));
        }
        let inputs = cast;
        self.kernels.run(&kernel, &inputs, &inferred.outputs)
    }

    /// All results of a row, by its expansion.
    pub fn expand(&self, call: &Call, inputs: &[Term<Array>]) -> Result<Vec<Array>> {
        let inferred = call.infer()?;
        let inputs = self.cast(call, &inferred, inputs)?;
        let mut machine = *self;
        let subject = Subject { grads: &[], inputs: &inputs, outputs: &[] };
        let mut evaluator = Evaluator::new(&mut machine, subject);
        let mut results = Vec::new();
        for formula in call.op.expansions(call) {
            assert!(matches!(formula, Expr::Apply(..)), "{} expands to {formula}", call.op.name);
            match evaluator.evaluate(&formula)? {
                Term::Value(value) => results.push(value),
                other => return Err(Error::bug(format!("{formula} is {other:?}"))),
            }
        }
        Ok(results)
    }

    /// Inputs in the dtypes that their roles ask for.
    fn cast(
        &self,
        call: &Call,
        known: &Inferred,
        inputs: &[Term<Array>],
    ) -> Result<Vec<Term<Array>>> {
        let inputs = inputs.iter().enumerate();
        let cast = |(index, input): (usize, &Term<Array>)| match (input, call.role(index)) {
            (Term::Value(value), Role::Operand) => self.cast_to(value, known.compute),
            (Term::Value(value), Role::Index) => self.cast_to(value, DType::I64),
            (other, _) => Ok(other.clone()),
        };
        inputs.map(cast).collect()
    }

    fn cast_to(&self, value: &Array, dtype: DType) -> Result<Term<Array>> {
        if value.meta.dtype == dtype {
            return Ok(Term::Value(value.clone()));
        }
        let meta = Meta { dtype, shape: value.meta.shape.clone() };
        let inputs = [Term::Value(value.clone())];
        Ok(Term::Value(self.kernels.run(&Kernel::Cast, &inputs, &[meta])?.remove(0)))
    }
}

impl Emit for Machine<'_> {
    type Value = Array;

    fn emit(
        &mut self,
        op: &'static Op,
        inputs: &[Term<Array>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Array; 1]>> {
        Ok(self.run(op, inputs, attrs)?.into())
    }
}
