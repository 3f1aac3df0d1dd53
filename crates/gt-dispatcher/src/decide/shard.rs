//! Where an instruction runs, and how the workers of a mesh share it.

use std::sync::Arc;

use gt_core::instruction::Operand;
use gt_core::kernel::Kernel;
use gt_core::op::{Call, Op};
use gt_core::ops::builtin::{PLACE, PLACE_LIKE};
use gt_core::placement::{Combine, Layout};
use gt_core::rules::risk::{Risk, row_risk};
use gt_core::{Error, Meta, Result, Slot};
use smallvec::SmallVec;

use super::signature::Asked;
use super::{Expansion, Memo, Place, Request, Shared};
use crate::placements::{PlacementId, Placements};
use crate::registry::{Entry, Registry};
use crate::scopes::Wanted;

/// Where an instruction runs: where the value is that it replaces, else on the mesh that its scope
/// wants, else where its largest input is. On a mesh it is shared in the cheapest way.
pub(super) fn shard(
    request: &Request,
    registry: &Registry,
    call: &Call,
    metas: &[Meta],
    wish: Option<Wanted>,
    memo: &mut Memo,
) -> Result<Place> {
    let mut entries: SmallVec<[Option<&Entry>; 4]> = SmallVec::new();
    for input in &*request.inputs {
        entries.push(match input {
            Operand::Slot(slot) => Some(registry.get(*slot)?),
            Operand::Scalar(_) => None,
        });
    }
    let fixed = match bound_place(request, registry, metas, &entries, wish)? {
        Bound::To(place) => return Ok(place),
        Bound::Layouts(mesh, layouts) => Some((mesh, layouts)),
        Bound::Free => None,
    };
    // What depends on data has one worker that tells its shape.
    if request.op.data_dependent {
        return Ok(Place::Anywhere);
    }
    let on_mesh = || fixed.as_ref().map(|(mesh, _)| *mesh);
    let Some(mesh) =
        on_mesh().or(wish.map(|wish| wish.mesh)).or_else(|| largest(registry, &entries))
    else {
        return Ok(Place::Anywhere);
    };
    let placements = &registry.placements;
    let wished = match wish {
        Some(wish) => wish.layout(metas.first().map_or(0, |meta| meta.shape.rank())),
        None => Layout::Replicate,
    };
    let fixed: &[Option<Layout>] = fixed.as_ref().map_or(&[], |(_, layouts)| layouts);
    let is_cut = |layout: &Layout| *layout != Layout::Replicate;
    let is_spread =
        |entry: &&Entry| entry.spreads.iter().any(|&(place, _)| !placements.is_replicated(place));
    let anything_cut = is_cut(&wished)
        || fixed.iter().flatten().any(is_cut)
        || entries.iter().flatten().any(is_spread);
    if !anything_cut || placements.members(mesh).len() == 1 {
        return Ok(Place::On(mesh));
    }
    let keep = wish.is_none_or(|wish| wish.keep);
    let asked = Asked { call, results: metas, entries: &entries, mesh, wish: wished, fixed, keep };
    memo.remember(&asked, || share(&asked, placements))
}

/// The cheapest way to share an instruction, or what it is made of if that fits better.
fn share(asked: &Asked, placements: &Placements) -> Result<Place> {
    let chosen = asked.choose(placements);
    if asked.fixed.is_empty()
        && asked.changes_layouts(&chosen, placements)
        && let Some(expansion) = expand(asked.call)?
    {
        return Ok(Place::Parts(Arc::new(expansion)));
    }
    let finals = chosen.outputs.iter().enumerate().map(|(result, layout)| {
        match (asked.fixed.get(result).cloned().flatten(), layout) {
            (Some(fixed), _) => fixed,
            // Only sums wait to be put together.
            (None, Layout::Partial(how)) if *how != Combine::Sum => Layout::Replicate,
            (None, layout) => layout.clone(),
        }
    });
    let finals = finals.collect();
    Ok(Place::Shared(Arc::new(Shared { chosen, finals, keep: asked.keep })))
}

/// What a composite is made of, if its parts may be placed by themselves. One that data can make
/// fail stays whole: its failure speaks of it and not of its parts.
fn expand(call: &Call) -> Result<Option<Expansion>> {
    let Some(formulas) = call.op.expansion.filter(|_| row_risk(call.op) != Risk::Data) else {
        return Ok(None);
    };
    // Other rows that have a kernel too may be made of each other.
    if (call.op.kernel)(call)? != Kernel::Expansion && !call.op.expands_when_cut {
        return Ok(None);
    }
    let (compute, formulas) = (call.infer()?.compute, formulas(call));
    let complete = formulas.len() == call.op.outputs.len();
    Ok(complete.then_some(Expansion { compute, formulas }))
}

/// The mesh of the largest input, if that is on one. Of inputs of the same size one that is on a
/// mesh counts, as everybody there has it.
fn largest(registry: &Registry, entries: &[Option<&Entry>]) -> Option<PlacementId> {
    let placements = &registry.placements;
    let is_on_mesh = |entry: &&Entry| match entry.spreads.first() {
        Some(&(place, _)) => entry.holders.is_empty() || !placements.is_replicated(place),
        None => false,
    };
    let tensors = entries.iter().flatten().copied();
    let largest = tensors.max_by_key(|entry| (entry.meta.bytes(), is_on_mesh(entry)));
    largest.filter(is_on_mesh).map(|entry| placements.mesh(entry.spreads[0].0))
}

/// What decides over a result before anything is chosen.
enum Bound {
    /// Where all of it runs.
    To(Place),
    /// A mesh, and how results have to lie there.
    Layouts(PlacementId, SmallVec<[Option<Layout>; 1]>),
    /// Nothing.
    Free,
}

/// A result stays where the value is that it replaces; what is placed goes where it is told.
fn bound_place(
    request: &Request,
    registry: &Registry,
    metas: &[Meta],
    entries: &[Option<&Entry>],
    wish: Option<Wanted>,
) -> Result<Bound> {
    let placements = &registry.placements;
    let resting = |entry: &Entry| match entry.holders.first() {
        Some(&(home, _)) => Bound::To(Place::At(home)),
        None => match entry.spreads.first() {
            Some(&(place, _)) => {
                let layouts = SmallVec::from_iter([Some(at_rest(placements.layout(place)))]);
                Bound::Layouts(placements.mesh(place), layouts)
            }
            None => Bound::Free,
        },
    };
    if *request.op == PLACE_LIKE {
        let bound = entries[1].map_or(Bound::Free, resting);
        return Ok(entries[0].map_or(Bound::Free, |entry| waiting(entry, bound, placements)));
    }
    if request.op.reads_shape_only && request.replaces.is_empty() && wish.is_none() {
        return Ok(entries[0].map_or(Bound::Free, resting));
    }
    if let (true, Some(wish)) = (*request.op == PLACE, wish) {
        let layout = wish.layout(metas[0].shape.rank());
        return Ok(Bound::Layouts(wish.mesh, SmallVec::from_iter([Some(layout)])));
    }
    let mut bound = Bound::Free;
    for (result, meta) in metas.iter().enumerate() {
        let Some(slot) = request.replaces.get(result) else { continue };
        let old = registry.get(slot)?;
        check_replaced(old, request.op, meta)?;
        match &mut bound {
            Bound::Free => {
                bound = resting(old);
                if let Bound::Layouts(_, layouts) = &mut bound {
                    layouts.insert_many(0, std::iter::repeat_n(None, result));
                }
            }
            Bound::Layouts(mesh, layouts) => {
                let there = old.spreads.iter().find(|(place, _)| placements.mesh(*place) == *mesh);
                // What an optimiser keeps beside a parameter lies as that does.
                let beside = || {
                    let first = layouts.iter().position(Option::is_some);
                    let first = first.filter(|&first| metas[first].shape == meta.shape);
                    first.and_then(|first| layouts[first].clone())
                };
                let layout = match there {
                    Some((place, _)) => at_rest(placements.layout(*place)),
                    None => beside().unwrap_or(Layout::Replicate),
                };
                layouts.resize(result, None);
                layouts.push(Some(layout));
            }
            Bound::To(_) => {}
        }
    }
    Ok(bound)
}

/// Beside copies a sum waits to be put together, until somebody needs it.
fn waiting(entry: &Entry, bound: Bound, placements: &Placements) -> Bound {
    let Bound::Layouts(mesh, layouts) = bound else { return bound };
    let sum = Layout::Partial(Combine::Sum);
    let is_there = |&(place, _): &(PlacementId, Slot)| {
        placements.mesh(place) == mesh && *placements.layout(place) == sum
    };
    if layouts[0] == Some(Layout::Replicate) && entry.spreads.iter().any(is_there) {
        return Bound::Layouts(mesh, SmallVec::from_iter([Some(sum)]));
    }
    Bound::Layouts(mesh, layouts)
}

/// How a value lies that others replace: sums are put together first.
fn at_rest(layout: &Layout) -> Layout {
    match layout {
        Layout::Partial(_) => Layout::Replicate,
        layout => layout.clone(),
    }
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
