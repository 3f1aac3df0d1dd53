//! Abstract evaluation: a call followed through its expansions down to the kernels that an engine
//! would run, with dtypes and shapes in the place of elements. Each value carries a note, which the
//! kernel that makes it gives it.

use std::marker::PhantomData;

use smallvec::SmallVec;

use crate::attrs::Attrs;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Emit, Evaluator, Subject, Term};
use crate::kernel::Kernel;
use crate::op::{Arg, Call, Op, Role};
use crate::shape::Meta;

/// The notes of a call's results. `start` gives the note of each input, and `kernel` that of what a
/// kernel makes, from the dtype it computes in and the notes of its inputs.
pub fn abstract_eval<N: Clone>(
    op: &'static Op,
    inputs: &[Term<Meta>],
    attrs: &Attrs,
    start: impl Fn(usize) -> N,
    mut kernel: impl FnMut(&Kernel, DType, &[N]) -> N,
) -> Result<Vec<N>> {
    visit_kernels(op, inputs, attrs, start, |run| kernel(run.kernel, run.compute, run.notes))
}

/// One kernel that a call comes to.
pub struct Run<'a, N> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The dtype it computes in.
    pub compute: DType,
    /// Its tensors.
    pub inputs: &'a [&'a Meta],
    /// Their notes.
    pub notes: &'a [N],
    /// What it makes.
    pub outputs: &'a [Meta],
}

/// The same with all there is to know of each kernel.
pub fn visit_kernels<N: Clone>(
    op: &'static Op,
    inputs: &[Term<Meta>],
    attrs: &Attrs,
    start: impl Fn(usize) -> N,
    kernel: impl FnMut(Run<N>) -> N,
) -> Result<Vec<N>> {
    let noted = |(index, input): (usize, &Term<Meta>)| match input {
        Term::Value(meta) => Term::Value((meta.clone(), start(index))),
        Term::Scalar(scalar) => Term::Scalar(*scalar),
        Term::Zero => Term::Zero,
    };
    let terms: SmallVec<[_; 3]> = inputs.iter().enumerate().map(noted).collect();
    let results = Evaluation { kernel, note: PhantomData }.emit(op, &terms, attrs)?;
    Ok(results.into_iter().map(|(_, note)| note).collect())
}

struct Evaluation<N, F> {
    kernel: F,
    note: PhantomData<N>,
}

impl<N: Clone, F: FnMut(Run<N>) -> N> Emit for Evaluation<N, F> {
    type Value = (Meta, N);

    fn emit(
        &mut self,
        op: &'static Op,
        terms: &[Term<(Meta, N)>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[(Meta, N); 1]>> {
        let mut args: SmallVec<[Arg; 3]> = SmallVec::new();
        let mut notes: SmallVec<[N; 3]> = SmallVec::new();
        for term in terms {
            args.push(match term {
                Term::Value((meta, note)) => {
                    notes.push(note.clone());
                    Arg::Tensor(meta)
                }
                Term::Scalar(scalar) => Arg::Scalar(*scalar),
                Term::Zero => return Err(Error::bug(format!("{}: an input is missing", op.name))),
            });
        }
        let call = Call { op, inputs: &args, attrs };
        let inferred = call.infer()?;
        let kernel = (op.kernel)(&call)?;
        if kernel != Kernel::Expansion || op.expansion.is_none() {
            let tensors = terms.iter().filter_map(|term| match term {
                Term::Value((meta, _)) => Some(meta),
                _ => None,
            });
            let inputs: SmallVec<[&Meta; 3]> = tensors.collect();
            let (compute, outputs) = (inferred.compute, &inferred.outputs[..]);
            let run = Run { kernel: &kernel, compute, inputs: &inputs, notes: &notes, outputs };
            let note = (self.kernel)(run);
            return Ok(inferred.outputs.into_iter().map(|meta| (meta, note.clone())).collect());
        }
        let formulas = op.expansions(&call);
        let cast = |(index, term): (usize, &Term<(Meta, N)>)| match term {
            Term::Value((meta, note)) => {
                let dtype = match call.role(index) {
                    Role::Operand => inferred.compute,
                    Role::Index => DType::I64,
                    _ => meta.dtype,
                };
                Term::Value((Meta { dtype, shape: meta.shape.clone() }, note.clone()))
            }
            other => other.clone(),
        };
        let inputs: SmallVec<[Term<(Meta, N)>; 3]> = terms.iter().enumerate().map(cast).collect();
        let subject = Subject { grads: &[], inputs: &inputs, outputs: &[] };
        let mut evaluator = Evaluator::new(self, subject);
        let results = formulas.iter().map(|formula| match evaluator.evaluate(formula)? {
            Term::Value(value) => Ok(value),
            _ => Err(Error::bug(format!("{}: a formula without a value", op.name))),
        });
        results.collect()
    }
}
