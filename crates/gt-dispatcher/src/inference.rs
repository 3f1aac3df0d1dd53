//! What the rules of a row say of one use of it.

use gt_core::op::{Arg, Call};
use gt_core::rules::memo::Memo;
use gt_core::rules::risk::{Risk, risk};
use gt_core::{Meta, Result};
use smallvec::SmallVec;

/// What the rules say of one use of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inference {
    /// Its results.
    pub(crate) metas: SmallVec<[Meta; 1]>,
    /// About how long it takes.
    pub(crate) cost_ns: u64,
    /// What can make it fail.
    pub(crate) risk: Risk,
}

/// What is known of uses of rows.
#[derive(Debug, Default)]
pub(crate) struct Inferences(Memo<Inference>);

impl Inferences {
    /// What the rules say of a call; an error if they do not allow it.
    pub(crate) fn infer(&mut self, call: &Call) -> Result<Inference> {
        self.0.find(call, infer)
    }
}

fn infer(call: &Call) -> Result<Inference> {
    let inferred = call.infer()?;
    let kernel = (call.op.kernel)(call)?;
    let inputs: SmallVec<[&Meta; 4]> = call.inputs.iter().filter_map(tensor).collect();
    let cost_ns = kernel.cost_ns(&inputs, &inferred.outputs);
    let risk = risk(call.op, &kernel, inferred.compute);
    Ok(Inference { metas: inferred.outputs, cost_ns, risk })
}

fn tensor<'a>(arg: &Arg<'a>) -> Option<&'a Meta> {
    match arg {
        Arg::Tensor(meta) => Some(meta),
        Arg::Scalar(_) => None,
    }
}
