//! An instruction that the workers of a mesh share: what one of them does of it.

use gt_core::attrs::Attrs;
use gt_core::expr::Term;
use gt_core::op::{Arg, Call};
use gt_core::placement::Signature;
use gt_core::rules::shard::Part;
use gt_core::{Error, Meta, Result};
use smallvec::SmallVec;

use super::Planner;
use crate::bound::Apply;

/// What a worker does of an instruction.
pub(super) struct Share {
    /// The attributes for its part.
    pub(super) attrs: Attrs,
    /// The results of the whole instruction.
    pub(super) wholes: SmallVec<[Meta; 1]>,
}

impl Planner<'_> {
    /// What this worker does of an instruction that the workers of a mesh share.
    pub(super) fn share(&self, apply: &Apply, signature: &Signature) -> Result<Share> {
        let mut args: SmallVec<[Arg; 4]> = SmallVec::with_capacity(apply.inputs.len());
        for input in &apply.inputs {
            args.push(match input {
                Term::Value(id) => {
                    let whole = self.names.whole(*id);
                    Arg::Tensor(whole.ok_or_else(|| Error::bug("a value is not known yet"))?)
                }
                Term::Scalar(scalar) => Arg::Scalar(*scalar),
                Term::Zero => return Err(Error::bug("an input is missing")),
            });
        }
        let call = Call { op: apply.op, inputs: &args, attrs: &apply.attrs };
        let wholes = call.infer()?.outputs;
        let index = signature.mesh.index(self.origin.worker);
        let index =
            index.ok_or_else(|| Error::bug(format!("{signature} is not for this worker")))?;
        let factors = (apply.op.shard)(&call);
        let mut parts: SmallVec<[Part; 2]> = SmallVec::new();
        for (axis, cut) in signature.cuts.iter().enumerate() {
            let Some((letter, at)) = cut else { continue };
            let points = at.resolve(factors.size(*letter), signature.mesh.size(axis));
            let coordinate = signature.mesh.coordinate(index, axis);
            let (start, end) = (points[coordinate], points[coordinate + 1]);
            parts.push(Part { letter: *letter, start, len: end - start });
        }
        let attrs = (apply.op.localise)(&call, &parts);
        Ok(Share { attrs, wholes })
    }
}
