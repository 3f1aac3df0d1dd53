//! On which inputs of an instruction each of its results depends. Of an input whose shape alone
//! matters nothing depends, and it may have failed.

use gt_core::attrs::Attrs;
use gt_core::expr::{Emit, Evaluator, Subject, Term};
use gt_core::kernel::Kernel;
use gt_core::op::{Arg, Call, Op, Role};
use gt_core::{DType, Error, Meta, Result, Scalar};
use smallvec::SmallVec;

/// For each result, one bit for each input it depends on.
///
/// # Panics
/// If the instruction is not one that a client may send.
pub fn dependence(
    op: &'static Op,
    inputs: &[std::result::Result<Meta, Scalar>],
    attrs: &Attrs,
) -> Vec<u64> {
    let term = |(index, input): (usize, &std::result::Result<Meta, Scalar>)| match input {
        Ok(meta) => Term::Value((meta.clone(), 1 << index)),
        Err(scalar) => Term::Scalar(*scalar),
    };
    let terms: Vec<Term<Traced>> = inputs.iter().enumerate().map(term).collect();
    let results = Trace.emit(op, &terms, attrs).expect("programs are checked before");
    results.into_iter().map(|(_, mask)| mask).collect()
}

/// A value's dtype and shape, and the inputs it depends on.
type Traced = (Meta, u64);

struct Trace;

impl Emit for Trace {
    type Value = Traced;

    fn emit(
        &mut self,
        op: &'static Op,
        terms: &[Term<Traced>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Traced; 1]>> {
        let mut args: SmallVec<[Arg; 3]> = SmallVec::new();
        let mut all = 0;
        for term in terms {
            args.push(match term {
                Term::Value((meta, mask)) => {
                    all |= mask;
                    Arg::Tensor(meta)
                }
                Term::Scalar(scalar) => Arg::Scalar(*scalar),
                Term::Zero => return Err(Error::bug("an input is missing")),
            });
        }
        let call = Call { op, inputs: &args, attrs };
        let inferred = call.infer()?;
        let kernel = (op.kernel)(&call)?;
        let Some(expansion) = op.expansion.filter(|_| kernel == Kernel::Expansion) else {
            return Ok(inferred.outputs.into_iter().map(|meta| (meta, all)).collect());
        };
        let formulas = expansion(&call);
        let cast = |(index, term): (usize, &Term<Traced>)| match term {
            Term::Value((meta, mask)) => {
                let dtype = match call.role(index) {
                    Role::Operand => inferred.compute,
                    Role::Index => DType::I64,
                    _ => meta.dtype,
                };
                Term::Value((Meta { dtype, shape: meta.shape.clone() }, *mask))
            }
            other => other.clone(),
        };
        let inputs: Vec<Term<Traced>> = terms.iter().enumerate().map(cast).collect();
        let subject = Subject { grads: &[], inputs: &inputs, outputs: &[] };
        let mut evaluator = Evaluator::new(self, subject);
        let results = formulas.iter().map(|formula| match evaluator.evaluate(formula)? {
            Term::Value(value) => Ok(value),
            _ => Err(Error::bug("a formula without a value")),
        });
        results.collect()
    }
}
