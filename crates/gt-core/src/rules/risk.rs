//! Whether the elements of its inputs can make an operation fail. Of a composite this is read from
//! its expansion.

use std::sync::atomic::{AtomicU8, Ordering};

use smallvec::SmallVec;

use crate::attrs::Attrs;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Emit, Evaluator, Subject, Term};
use crate::kernel::Kernel;
use crate::op::{Arg, Call, Op, Role, Sample, SampleInput};
use crate::ops;
use crate::shape::Meta;

/// What can make an operation fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// Only want of memory.
    Memory,
    /// The elements of its inputs too.
    Data,
}

/// What can make a call fail that is computed by `kernel` in `compute`.
pub fn risk(op: &'static Op, kernel: &Kernel, compute: DType) -> Risk {
    match kernel {
        Kernel::Expansion => row_risk(op),
        kernel if kernel.depends_on_data(compute) => Risk::Data,
        _ => Risk::Memory,
    }
}

/// What can make some call of a row fail: what can make the kernels fail that its samples come to.
/// It is found once for each row. Nothing is locked meanwhile, because a process may fork there.
pub fn row_risk(op: &'static Op) -> Risk {
    static KNOWN: [AtomicU8; ops::CODE_LIMIT as usize] =
        [const { AtomicU8::new(UNKNOWN) }; ops::CODE_LIMIT as usize];
    let known = &KNOWN[op.code as usize];
    match known.load(Ordering::Relaxed) {
        MEMORY => Risk::Memory,
        DATA => Risk::Data,
        _ => {
            let risk = samples_risk(op);
            known.store(if risk == Risk::Data { DATA } else { MEMORY }, Ordering::Relaxed);
            risk
        }
    }
}

const UNKNOWN: u8 = 0;
const MEMORY: u8 = 1;
const DATA: u8 = 2;

fn samples_risk(op: &'static Op) -> Risk {
    let samples = (op.samples)();
    let tried = samples.iter().flat_map(|sample| {
        [DType::F32, DType::I64].into_iter().filter_map(|dtype| sample_risk(op, sample, dtype))
    });
    tried.max().unwrap_or(Risk::Data)
}

/// What can make one sample of a row fail; `None` if the row does not take the dtype.
fn sample_risk(op: &'static Op, sample: &Sample, dtype: DType) -> Option<Risk> {
    let term = |(index, input): (usize, &SampleInput)| match input {
        SampleInput::Scalar(scalar) => Term::Scalar(*scalar),
        SampleInput::Index { shape, .. } => Term::Value(Meta::new(DType::I64, shape.clone())),
        SampleInput::Numbers(shape) => {
            let role = op.inputs[if op.variadic { 0 } else { index }].role;
            let dtype = if role == Role::Mask { DType::Bool } else { dtype };
            Term::Value(Meta::new(dtype, shape.clone()))
        }
    };
    let terms: SmallVec<[Term<Meta>; 3]> = sample.inputs.iter().enumerate().map(term).collect();
    let mut kernels = Kernels { risk: Risk::Memory };
    kernels.emit(op, &terms, &sample.attrs).ok().map(|_| kernels.risk)
}

/// Follows expansions with dtypes and shapes in the place of values.
struct Kernels {
    risk: Risk,
}

impl Emit for Kernels {
    type Value = Meta;

    fn emit(
        &mut self,
        op: &'static Op,
        terms: &[Term<Meta>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Meta; 1]>> {
        let mut args: SmallVec<[Arg; 3]> = SmallVec::new();
        for term in terms {
            args.push(match term {
                Term::Value(meta) => Arg::Tensor(meta),
                Term::Scalar(scalar) => Arg::Scalar(*scalar),
                Term::Zero => return Err(Error::bug(format!("{}: an input is missing", op.name))),
            });
        }
        let call = Call { op, inputs: &args, attrs };
        let inferred = call.infer()?;
        let kernel = (op.kernel)(&call)?;
        let Some(expansion) = op.expansion.filter(|_| kernel == Kernel::Expansion) else {
            if kernel.depends_on_data(inferred.compute) {
                self.risk = Risk::Data;
            }
            return Ok(inferred.outputs);
        };
        let formulas = expansion(&call);
        let cast = |(index, term): (usize, &Term<Meta>)| match term {
            Term::Value(meta) => {
                let dtype = match call.role(index) {
                    Role::Operand => inferred.compute,
                    Role::Index => DType::I64,
                    _ => meta.dtype,
                };
                Term::Value(Meta { dtype, shape: meta.shape.clone() })
            }
            other => other.clone(),
        };
        let inputs: SmallVec<[Term<Meta>; 3]> = terms.iter().enumerate().map(cast).collect();
        let subject = Subject { grads: &[], inputs: &inputs, outputs: &[] };
        let mut evaluator = Evaluator::new(self, subject);
        formulas.iter().try_for_each(|formula| evaluator.evaluate(formula).map(drop))?;
        Ok(inferred.outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_risk_of_a_composite_is_that_of_its_parts() {
        let composite = |name: &str| {
            let op = ops::by_name(name).expect(name);
            assert!(op.expansion.is_some(), "{name}");
            row_risk(op)
        };
        for name in ["softmax", "gelu", "addmm", "celu"] {
            assert_eq!(composite(name), Risk::Memory, "{name}");
        }
        assert_eq!(composite("multinomial"), Risk::Data);
    }
}
