//! What becomes of an instruction, as a pure function of the operation, its attributes, and what is
//! known of its values. It knows no load, no clock and no worker that could be chosen: load only
//! picks *which* worker gets a whole value.

use std::sync::Arc;

use gt_core::expr::Expr;
use gt_core::instruction::{Instruction, Operand};
use gt_core::op::{Arg, Call};
use gt_core::ops::builtin::{PLACE, PLACE_LIKE};
use gt_core::placement::{Layouts, OnUse};
use gt_core::rules::risk::Risk;
use gt_core::rules::work::Work;
use gt_core::{DType, Error, Meta, Result};
use gt_transport::Failure;
use smallvec::SmallVec;

pub(crate) use self::cost::travel;
pub(crate) use self::memo::Memo;
pub(crate) use self::shard::check_replaced;
use self::shard::{shard, shard_as, whole};
pub(crate) use self::signature::Chosen;
use crate::inference::{Inference, Inferences};
use crate::placements::{PlacementId, Placements};
use crate::registry::{Copies, Entry, Registry};
use crate::scopes::{Scopes, Wanted};

mod cost;
mod memo;
mod shard;
mod signature;
mod ways;

/// What was inferred and chosen before. It changes how long a decision takes, and never what is
/// decided.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    /// What the rules said of uses of rows: shape, dtype, cost, risk.
    inferences: Inferences,
    /// Choices of signatures.
    pub(crate) memo: Memo,
}

impl Caches {
    /// What the rules say of a call; an error if they do not allow it.
    pub(crate) fn infer(&mut self, call: &Call) -> Result<Inference> {
        self.inferences.infer(call)
    }
}

/// What becomes of an instruction.
#[derive(Debug)]
pub(crate) struct Decision {
    /// Its results.
    pub(crate) metas: SmallVec<[Meta; 1]>,
    /// Where they will be.
    pub(crate) place: Place,
    /// How much there is to compute.
    pub(crate) work: Work,
    /// Among how many workers that is divided.
    pub(crate) shares: u64,
    /// What can make it fail.
    pub(crate) risk: Risk,
    /// How its results are used, if the config places them.
    pub(crate) copies: Copies,
    /// Whether its result is a gradient that others will be added to.
    pub(crate) accumulates: bool,
}

impl Decision {
    /// About how long each of its workers computes.
    pub(crate) fn cost_ns(&self) -> u64 {
        self.work.share(self.shares).cost_ns()
    }
}

/// Where the results of an instruction will be.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// Whole, on a worker that `choose` picks.
    Anywhere,
    /// Whole on every worker of a mesh, which may be one worker.
    On(PlacementId),
    /// On a mesh whose workers share the work.
    Shared(Arc<Shared>),
    /// Wherever the operations are placed that it is made of.
    Parts(Arc<Expansion>),
    /// Nowhere: one of the inputs is lost.
    Lost(Arc<Failure>),
}

impl Place {
    /// Among how many workers the work is divided; the others on a mesh repeat it.
    fn shares(&self, placements: &Placements) -> u64 {
        let Place::Shared(shared) = self else { return 1 };
        let Chosen { mesh, cuts, .. } = &shared.chosen;
        let mesh = placements.get(*mesh).mesh();
        let cut = cuts.iter().enumerate().filter(|(_, cut)| cut.is_some());
        cut.map(|(axis, _)| mesh.size(axis) as u64).product()
    }
}

/// How an instruction is shared, and how its results lie in the end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shared {
    /// How the workers share it.
    pub(crate) chosen: Chosen,
    /// Where each result goes from there: to the place of what it replaces, or together if its
    /// parts are to be combined at once.
    pub(crate) finals: SmallVec<[Layouts; 1]>,
    /// Whether copies of inputs that were moved for it are kept.
    pub(crate) keep: bool,
}

/// What an instruction is made of.
#[derive(Clone, Debug)]
pub(crate) struct Expansion {
    /// The dtype its operands are cast to.
    pub(crate) compute: DType,
    /// A formula for each result.
    pub(crate) formulas: Vec<Expr>,
}

/// Decides; an error if the client did not check what it asks for. `signal` says what its scope
/// wants, and `shard` where it runs.
pub(crate) fn decide(
    said: &Instruction,
    scopes: &Scopes,
    registry: &Registry,
    caches: &mut Caches,
) -> Result<Decision> {
    let inputs = Inputs::of(said, registry)?;
    let call = Call { op: said.op, inputs: &inputs.args, attrs: &said.attrs };
    let Inference { metas, work, risk } = caches.infer(&call)?;
    let lost = inputs.entries.iter().flatten().find_map(|entry| entry.loss());
    let wish = signal(scopes);
    let place = match lost {
        Some(loss) => Place::Lost(loss.failure.clone()),
        None if !scopes.has_wishes() => whole(said, &inputs.entries, registry, &metas)?,
        None => shard(said, &inputs.entries, registry, &call, &metas, wish, &mut caches.memo)?,
    };
    let copies = wish
        .filter(|_| *said.op == PLACE)
        .map(|wish| Copies { whole: wish.on_use == OnUse::Replicate, kept: wish.keep });
    let (copies, accumulates) = (copies.unwrap_or_default(), *said.op == PLACE_LIKE);
    let shares = place.shares(&registry.placements);
    Ok(Decision { metas, place, work, shares, risk, copies, accumulates })
}

/// Decides over an instruction whose result has to be in a placement.
pub(crate) fn decide_for(
    said: &Instruction,
    wanted: PlacementId,
    registry: &Registry,
    caches: &mut Caches,
) -> Result<Decision> {
    let inputs = Inputs::of(said, registry)?;
    let call = Call { op: said.op, inputs: &inputs.args, attrs: &said.attrs };
    let Inference { metas, work, risk } = caches.infer(&call)?;
    let place = shard_as(&inputs.entries, wanted, registry, &call, &metas, &mut caches.memo)?;
    let (copies, accumulates) = (Copies::default(), false);
    let shares = place.shares(&registry.placements);
    Ok(Decision { metas, place, work, shares, risk, copies, accumulates })
}

/// What is known of the inputs of an instruction.
struct Inputs<'a> {
    args: SmallVec<[Arg<'a>; 4]>,
    /// `None` for numbers.
    entries: SmallVec<[Option<&'a Entry>; 4]>,
}

impl<'a> Inputs<'a> {
    fn of(said: &Instruction, registry: &'a Registry) -> Result<Self> {
        let mut inputs = Inputs { args: SmallVec::new(), entries: SmallVec::new() };
        for input in &said.inputs {
            let (arg, entry) = match input {
                Operand::Scalar(scalar) => (Arg::Scalar(*scalar), None),
                Operand::Slot(slot) => {
                    let entry = registry.get(*slot)?;
                    if entry.is_awaited() {
                        return Err(Error::bug(format!("the shape of {slot} is not known yet")));
                    }
                    (Arg::Tensor(&entry.meta), Some(entry))
                }
            };
            inputs.args.push(arg);
            inputs.entries.push(entry);
        }
        Ok(inputs)
    }
}

/// Where the scope of an instruction wants its results.
pub(crate) fn signal(scopes: &Scopes) -> Option<Wanted<'_>> {
    scopes.wish()
}
