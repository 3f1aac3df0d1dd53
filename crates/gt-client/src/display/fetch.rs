//! Reads of a tensor what is shown of it.

use gt_core::Result;
use gt_core::attrs::Attrs;
use gt_core::ops::builtin::CAT;

use super::{Options, format, gaps};
use crate::grad;
use crate::tensor::Tensor;

impl Tensor {
    /// The tensor as text, with suffixes such as `requires_grad=True`. Of a large tensor only the
    /// corners are fetched.
    pub fn to_text(&self, options: &Options, suffixes: &[String]) -> Result<String> {
        let corners = grad::with(false, || self.corners(options))?;
        Ok(format(self.meta(), &corners.read()?, options, suffixes))
    }

    fn corners(&self, options: &Options) -> Result<Tensor> {
        let mut shown = self.clone();
        for (axis, gap) in gaps(self.meta(), options) {
            let ends = [0..gap.start, gap.end..self.shape()[axis]];
            let [first, last] = ends.map(|positions| shown.part(axis, positions));
            let (first, last) = (first?, last?);
            let inputs = [(&first).into(), (&last).into()];
            shown = self.session().apply_one(&CAT, &inputs, Attrs::of([axis.into()]))?;
        }
        Ok(shown)
    }
}
