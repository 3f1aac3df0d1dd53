//! What the rules of a row say of one use of it, and how the engine computes it.

use std::sync::Arc;

use gt_core::expr::Expr;
use gt_core::kernel::Kernel;
use gt_core::op::{Arg, Call, Inferred};
use gt_core::rules::memo::Memo;
use gt_core::rules::work::work;
use gt_core::{Meta, Result};
use smallvec::SmallVec;

use crate::engine::Takes;
use crate::plan::Job;

/// What the rules of a row say of one use of it.
#[derive(Debug)]
pub struct Resolved {
    /// Its results.
    pub(super) inferred: Inferred,
    /// How it is computed.
    pub(super) way: Way,
    /// About how long one core needs, without the kernels of an expansion.
    pub(super) cost_ns: u64,
}

/// How an operation is computed.
#[derive(Debug)]
pub enum Way {
    /// In one piece.
    Compute(Job),
    /// As these formulas say.
    Expand(Vec<Expr>),
}

/// What is known of uses of rows.
pub type Resolutions = Memo<Arc<Resolved>>;

/// What the rules say of a use; an error if they do not allow it.
pub(super) fn resolved(
    known: &mut Resolutions,
    call: &Call,
    engine: &dyn Takes,
) -> Result<Arc<Resolved>> {
    known.find(call, |call| resolve(call, engine).map(Arc::new))
}

fn resolve(call: &Call, engine: &dyn Takes) -> Result<Resolved> {
    let Call { op, inputs, attrs } = *call;
    let call = Call::checked(op, inputs, attrs)?;
    let inferred = call.infer()?;
    let kernel = (op.kernel)(&call)?;
    let metas: SmallVec<[&Meta; 4]> = inputs.iter().filter_map(tensor).collect();
    let (way, cost_ns) = match (kernel, op.expansion) {
        (Kernel::Expansion, _) if engine.takes(&call) => (
            Way::Compute(Job::Whole(op, Box::new(attrs.clone()))),
            work(&call).unwrap_or_default().cost_ns(),
        ),
        // Each of its kernels is priced when it is planned.
        (Kernel::Expansion, Some(_)) => (Way::Expand(op.expansions(&call)), 0),
        (kernel, _) => {
            let cost_ns = kernel.cost_ns(&metas, &inferred.outputs);
            (Way::Compute(Job::Kernel(kernel)), cost_ns)
        }
    };
    Ok(Resolved { inferred, way, cost_ns })
}

fn tensor<'a>(arg: &Arg<'a>) -> Option<&'a Meta> {
    match arg {
        Arg::Tensor(meta) => Some(meta),
        Arg::Scalar(_) => None,
    }
}
