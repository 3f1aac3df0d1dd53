//! What becomes of an instruction, as a pure function of the operation, its attributes, and what is
//! known of its values. It knows no load, no clock and no worker that could be chosen: load only
//! picks *which* worker gets a whole value.

use std::sync::Arc;

use gt_core::attrs::Attrs;
use gt_core::instruction::{Operand, Replaces};
use gt_core::op::{Arg, Call, Op};
use gt_core::rules::risk::Risk;
use gt_core::{Error, Meta, Result, Slot, WorkerId};
use gt_transport::Failure;
use smallvec::SmallVec;

use crate::inference::{Inference, Inferences};
use crate::registry::{Entry, Registry};

/// An instruction with the client's names. Whoever places it leaves in it the names that its values
/// have on the worker it goes to.
pub(crate) struct Request<'a> {
    pub(crate) op: &'static Op,
    pub(crate) outputs: &'a [Slot],
    pub(crate) attrs: &'a Attrs,
    pub(crate) inputs: &'a mut [Operand],
    pub(crate) replaces: &'a mut Replaces,
}

/// What becomes of an instruction.
#[derive(Debug, PartialEq)]
pub(crate) struct Decision {
    /// Its results.
    pub(crate) metas: SmallVec<[Meta; 1]>,
    /// Where they will be.
    pub(crate) place: Place,
    /// About how long it takes.
    pub(crate) cost_ns: u64,
    /// What can make it fail.
    pub(crate) risk: Risk,
}

/// Where the results of an instruction will be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    /// Whole, on whichever worker ends soonest.
    Anywhere,
    /// Whole, where the value is that the first of them replaces.
    At(WorkerId),
    /// Nowhere: one of the inputs is lost.
    Lost(Arc<Failure>),
}

/// Decides; an error if the client did not check what it asks for.
pub(crate) fn decide(
    request: &Request,
    registry: &Registry,
    inferences: &mut Inferences,
) -> Result<Decision> {
    let mut lost = None;
    let mut args: SmallVec<[Arg; 4]> = SmallVec::new();
    for input in &*request.inputs {
        match input {
            Operand::Scalar(scalar) => args.push(Arg::Scalar(*scalar)),
            Operand::Slot(slot) => {
                let entry = registry.get(*slot)?;
                if !entry.described {
                    return Err(Error::bug(format!("the shape of {slot} is not known yet")));
                }
                lost = lost.or(entry.lost.as_ref());
                args.push(Arg::Tensor(&entry.meta));
            }
        }
    }
    let call = Call { op: request.op, inputs: &args, attrs: request.attrs };
    let Inference { metas, cost_ns, risk } = inferences.infer(&call)?;
    let place = match lost {
        Some(failure) => Place::Lost(failure.clone()),
        None => place(request, registry, &metas)?,
    };
    Ok(Decision { metas, place, cost_ns, risk })
}

/// A result stays where the value is that it replaces.
fn place(request: &Request, registry: &Registry, metas: &[Meta]) -> Result<Place> {
    let mut place = Place::Anywhere;
    for (result, meta) in metas.iter().enumerate() {
        let Some(slot) = request.replaces.get(result) else { continue };
        let old = registry.get(slot)?;
        check_replaced(old, request.op, meta)?;
        if let (Place::Anywhere, Ok((home, _))) = (&place, old.home()) {
            place = Place::At(home);
        }
    }
    Ok(place)
}

/// A result that fails is the value it replaces, so both must be alike for everybody who knows only
/// dtype and shape.
fn check_replaced(old: &Entry, op: &Op, result: &Meta) -> Result<()> {
    if old.described && !op.data_dependent && old.meta == *result {
        return Ok(());
    }
    let (name, old) = (op.name, &old.meta);
    Err(Error::bug(format!("{name} puts {result} in the place of {old}")))
}
