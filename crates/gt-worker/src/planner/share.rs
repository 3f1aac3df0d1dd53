//! An instruction that the workers of a mesh share: what one of them does of it.

use gt_core::attrs::{Attr, Attrs};
use gt_core::expr::Term;
use gt_core::op::{Arg, Call, OutputType};
use gt_core::placement::{Combine, Signature};
use gt_core::rules::shard::{Factors, Part};
use gt_core::{DType, Error, Meta, Result};
use smallvec::SmallVec;

use super::Planner;
use crate::bound::Apply;
use crate::plan::Register;

/// What a worker does of an instruction.
pub(super) struct Share {
    /// The attributes for its part.
    pub(super) attrs: Attrs,
    /// The results of the whole instruction.
    pub(super) wholes: SmallVec<[Meta; 1]>,
    /// The dtype in which this worker has each of them.
    pub(super) dtypes: SmallVec<[DType; 1]>,
}

impl Share {
    /// The dtype to compute in, if that is wider than the operation's own.
    fn wider(&self) -> Option<DType> {
        let mut pairs = self.dtypes.iter().zip(&self.wholes);
        pairs.find(|(own, whole)| **own != whole.dtype).map(|(own, _)| *own)
    }
}

impl Planner<'_> {
    /// What this worker does of an instruction that the workers of a mesh share, or that is made of
    /// parts of sums; `None` if it does all of it.
    pub(super) fn share(&self, apply: &Apply) -> Result<Option<Share>> {
        let is_wide = |input: &Term<_>| match input {
            Term::Value(id) => self.names.is_wide(*id),
            _ => false,
        };
        let sums = apply.inputs.iter().any(is_wide);
        if apply.signature.is_none() && !sums {
            return Ok(None);
        }
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
        let factors = (apply.op.shard)(&call);
        let parts = match &apply.signature {
            Some(signature) => self.parts(&factors, signature)?,
            None => SmallVec::new(),
        };
        let dtype = |(output, whole): (usize, &Meta)| {
            let mut how = parts.iter().filter_map(|part| factors.combine(output, part.letter));
            let combined = how.find_map(|how| {
                let dtype = how.part_dtype(whole.dtype);
                (dtype != whole.dtype).then_some(dtype)
            });
            let passed = sums.then(|| Combine::Sum.part_dtype(whole.dtype));
            combined.or(passed).unwrap_or(whole.dtype)
        };
        let dtypes = wholes.iter().enumerate().map(dtype).collect();
        let attrs = (apply.op.localise)(&call, &parts);
        Ok(Some(Share { attrs, wholes, dtypes }))
    }

    /// The results in the dtypes in which this worker has them.
    pub(super) fn narrow(
        &mut self,
        mut results: SmallVec<[Register; 1]>,
        share: Option<&Share>,
    ) -> SmallVec<[Register; 1]> {
        if let Some(share) = share {
            for (result, dtype) in results.iter_mut().zip(&share.dtypes) {
                *result = self.cast(*result, *dtype);
            }
        }
        results
    }

    /// What this worker has of each index that is cut.
    fn parts(&self, factors: &Factors, signature: &Signature) -> Result<SmallVec<[Part; 2]>> {
        let index = signature.mesh.index(self.origin.worker);
        let index =
            index.ok_or_else(|| Error::bug(format!("{signature} is not for this worker")))?;
        let mut parts: SmallVec<[Part; 2]> = SmallVec::new();
        for (axis, cut) in signature.cuts.iter().enumerate() {
            let Some((letter, at)) = cut else { continue };
            let points = at.resolve(factors.size(*letter), signature.mesh.size(axis));
            let coordinate = signature.mesh.coordinate(index, axis);
            let (start, end) = (points[coordinate], points[coordinate + 1]);
            parts.push(Part { letter: *letter, start, len: end - start });
        }
        Ok(parts)
    }

    /// Lets an operation compute in the dtype that parts of sums have.
    pub(super) fn widen(&mut self, apply: &Apply, share: &mut Share, terms: &mut [Term<Register>]) {
        let Some(dtype) = share.wider() else { return };
        let narrow = |found: DType| Combine::Sum.part_dtype(found) == dtype;
        for term in terms.iter_mut() {
            if let Term::Value(register) = term
                && narrow(self.metas[register.0 as usize].dtype)
            {
                *register = self.cast(*register, dtype);
            }
        }
        let is_given = |output: &gt_core::op::Output| output.dtype == OutputType::Attr;
        if apply.op.outputs.iter().any(is_given) {
            for attr in &mut share.attrs.0 {
                if matches!(attr, Attr::DType(found) if narrow(*found)) {
                    *attr = Attr::DType(dtype);
                }
            }
        }
    }
}
