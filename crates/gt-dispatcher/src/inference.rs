//! What the rules of a row say of one use of it.

use gt_core::op::Call;
use gt_core::rules::memo::Memo;
use gt_core::rules::risk::{Risk, risk};
use gt_core::rules::work::{Work, work};
use gt_core::{Meta, Result};
use smallvec::SmallVec;

/// What the rules say of one use of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inference {
    /// Its results.
    pub(crate) metas: SmallVec<[Meta; 1]>,
    /// How much there is to compute, by which everything is priced: scheduling, credits and
    /// rehearsals.
    pub(crate) work: Work,
    /// What can make it fail.
    pub(crate) risk: Risk,
}

/// What is known of uses of rows.
#[derive(Debug)]
pub(crate) struct Inferences(Memo<Inference>);

impl Default for Inferences {
    fn default() -> Self {
        Inferences(Memo::ignoring_seeds())
    }
}

impl Inferences {
    /// What the rules say of a call; an error if they do not allow it.
    pub(crate) fn infer(&mut self, call: &Call) -> Result<Inference> {
        self.0.find(call, infer)
    }
}

fn infer(call: &Call) -> Result<Inference> {
    let inferred = call.infer()?;
    let kernel = (call.op.kernel)(call)?;
    let risk = risk(call.op, &kernel, inferred.compute);
    Ok(Inference { metas: inferred.outputs, work: work(call).unwrap_or_default(), risk })
}
