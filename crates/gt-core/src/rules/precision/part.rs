//! What operations do with halves: what computes with them, what only moves them, and what takes
//! and gives them as they are stored.

use smallvec::SmallVec;

use super::Metas;
use crate::attrs::Attrs;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Emit, Evaluator, Subject, Term};
use crate::kernel::{BinaryFn, Kernel, ReduceFn, ScanFn, UnaryFn};
use crate::op::{Arg, Call, Op, Role};
use crate::shape::Meta;

/// What an operation within a formula does with halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Each element of its result is an element of its inputs, perhaps with another sign. It can
    /// pass on either precision.
    Selection,
    /// Its result is rounded, and it wants to compute with what is not.
    Arithmetic,
    /// It takes and gives what is stored. Products are: they are written for halves, sum in
    /// float32, and would cost twice the memory.
    Stored,
    /// A cast is what the formula says.
    Cast,
}

fn part_of(kernel: &Kernel) -> Part {
    use Kernel::*;
    match kernel {
        Map(UnaryFn::Neg | UnaryFn::Abs | UnaryFn::Relu) => Part::Selection,
        Zip(BinaryFn::Max | BinaryFn::Min) | Where => Part::Selection,
        Reduce { with: ReduceFn::Max | ReduceFn::Min, .. } => Part::Selection,
        Scan { with: ScanFn::Max | ScanFn::Min, .. } => Part::Selection,
        Map(_) | Zip(_) | Reduce { .. } | Scan { .. } | Fold(_) => Part::Arithmetic,
        Permute(_) | Reshape | Expand | Slice(_) | Diagonal(_) | SliceWrite(_) | Concat(_) => {
            Part::Selection
        }
        // What repeated positions add is rounded one by one, because the base may be large.
        Gather(_) | Scatter { .. } | Take(_) | Put { .. } | Window(_) => Part::Selection,
        TopK { .. } | Extreme { .. } | ArgExtreme { .. } | Sort { .. } => Part::Selection,
        Require(_) => Part::Selection,
        Fill(_) | Iota { .. } | Random(_) | Matmul | Ravel(_) | NonZero => Part::Stored,
        Cast => Part::Cast,
        // What its formulas come to is found by `Classify`.
        Expansion => Part::Selection,
    }
}

pub(super) fn term(arg: &Arg) -> Term<Meta> {
    match *arg {
        Arg::Tensor(meta) => Term::Value(meta.clone()),
        Arg::Scalar(scalar) => Term::Scalar(scalar),
    }
}

/// The inputs as an expansion meets them.
pub(super) fn cast_inputs(call: &Call, compute: DType) -> SmallVec<[Term<Meta>; 3]> {
    let cast = |(index, arg)| match term(arg) {
        Term::Value(meta) => Term::Value(match call.role(index) {
            Role::Operand => Meta { dtype: compute, ..meta },
            Role::Index => Meta { dtype: DType::I64, ..meta },
            Role::Mask | Role::Any => meta,
        }),
        other => other,
    };
    call.inputs.iter().enumerate().map(cast).collect()
}

/// What an operation does with halves, and what it gives.
pub(super) fn classify(
    op: &'static Op,
    terms: &[Term<Meta>],
    attrs: &Attrs,
) -> Result<(Part, Metas)> {
    with_call(op, terms, attrs, |call| {
        let inferred = call.infer()?;
        let outputs: Metas = inferred.outputs.into_iter().collect();
        let kernel = (op.kernel)(call)?;
        let Some(formulas) = op.expansion.filter(|_| kernel == Kernel::Expansion) else {
            return Ok((part_of(&kernel), outputs));
        };
        let inputs = cast_inputs(call, inferred.compute);
        let subject = Subject { grads: &[], inputs: &inputs, outputs: &[] };
        let mut parts = Classify { part: Part::Selection };
        let mut evaluator = Evaluator::new(&mut parts, subject);
        for formula in formulas(call) {
            evaluator.evaluate(&formula)?;
        }
        Ok((parts.part, outputs))
    })
}

pub(super) fn with_call<T>(
    op: &'static Op,
    terms: &[Term<Meta>],
    attrs: &Attrs,
    with: impl FnOnce(&Call) -> Result<T>,
) -> Result<T> {
    let args = terms.iter().map(|term| match term {
        Term::Value(meta) => Ok(Arg::Tensor(meta)),
        Term::Scalar(scalar) => Ok(Arg::Scalar(*scalar)),
        Term::Zero => Err(Error::bug(format!("{}: an input is missing", op.name))),
    });
    let args: SmallVec<[Arg; 3]> = args.collect::<Result<_>>()?;
    with(&Call { op, inputs: &args, attrs })
}

/// Finds what the formulas of a composite come to: stored, if there is a product among them.
struct Classify {
    part: Part,
}

impl Emit for Classify {
    type Value = Meta;

    fn emit(
        &mut self,
        op: &'static Op,
        inputs: &[Term<Meta>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Meta; 1]>> {
        let (part, outputs) = classify(op, inputs, attrs)?;
        let reads_tensors = inputs.iter().any(|input| matches!(input, Term::Value(_)));
        // Casts within it, and what it makes of nothing, do not make it stored.
        if part != Part::Cast && reads_tensors {
            self.part = self.part.max(part);
        }
        Ok(outputs.into_iter().collect())
    }
}
