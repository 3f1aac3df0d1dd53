//! Where an instruction runs, and how the workers of a mesh share it.

use std::sync::Arc;

use gt_core::instruction::Instruction;
use gt_core::kernel::Kernel;
use gt_core::op::{Call, Op};
use gt_core::ops::builtin::{PLACE, PLACE_LIKE};
use gt_core::placement::{At, Combine, Cut, Layout, Layouts};
use gt_core::rules::risk::{Risk, row_risk};
use gt_core::{Error, Meta, Result};
use smallvec::SmallVec;

use super::signature::{Asked, waiting};
use super::{Expansion, Memo, Place, Shared};
use crate::placements::{PlacementId, Placements};
use crate::registry::{Entry, Registry};
use crate::scopes::Wanted;

/// Where an instruction runs in a session without wishes, in which nothing is ever on a mesh.
pub(super) fn whole(
    said: &Instruction,
    entries: &[Option<&Entry>],
    registry: &Registry,
    metas: &[Meta],
) -> Result<Place> {
    let mut beside = None;
    for (result, meta) in metas.iter().enumerate() {
        let Some(slot) = said.replaces.get(result) else { continue };
        let old = registry.get(slot)?;
        check_replaced(old, said.op, meta)?;
        beside = beside.or(old.at.first());
    }
    let like = match said.op.reads_shape_only && said.replaces.is_empty() {
        true => entries[0],
        false => entries.get(1).copied().flatten().filter(|_| *said.op == PLACE_LIKE),
    };
    let beside = beside.or_else(|| like?.at.first());
    Ok(beside.map_or(Place::Anywhere, |&(place, _)| Place::On(place)))
}

/// Where an instruction runs: where the value is that it replaces, else on the mesh that its scope
/// wants, else where its largest input is. On a mesh it is shared in the cheapest way.
pub(super) fn shard(
    request: &Instruction,
    entries: &[Option<&Entry>],
    registry: &Registry,
    call: &Call,
    metas: &[Meta],
    wish: Option<Wanted>,
    memo: &mut Memo,
) -> Result<Place> {
    let fixed = match bound_place(request, registry, metas, entries, wish)? {
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
        on_mesh().or(wish.map(|wish| wish.mesh)).or_else(|| largest(registry, entries))
    else {
        return Ok(Place::Anywhere);
    };
    let placements = &registry.placements;
    let wished = match wish {
        Some(wish) => wish.layouts(metas.first().map_or(0, |meta| meta.shape.rank())),
        None => placements.layouts(mesh).iter().cloned().collect(),
    };
    let fixed: &[Option<Layouts>] = match &fixed {
        Some((_, layouts)) => layouts,
        None if request.replaces.is_empty() => &[],
        // What takes the place of a recipe may lie anywhere, but is not taken apart.
        None => &[None],
    };
    let is_cut = |layouts: &Layouts| layouts.iter().any(|layout| *layout != Layout::Replicate);
    let is_spread =
        |entry: &&Entry| entry.at.iter().any(|&(place, _)| !placements.is_replicated(place));
    let anything_cut = is_cut(&wished)
        || fixed.iter().flatten().any(is_cut)
        || entries.iter().flatten().any(is_spread);
    if !anything_cut || placements.members(mesh).len() == 1 {
        return Ok(Place::On(mesh));
    }
    let (keep, in_signal) = (wish.is_none_or(|wish| wish.keep), wish.is_some());
    let (results, wish) = (metas, wished);
    let asked = Asked { call, results, entries, mesh, wish, fixed, keep, in_signal };
    memo.compare(&asked, placements);
    memo.remember(&asked, || share(&asked, placements))
}

/// How an instruction is shared whose result has to be in a placement.
pub(super) fn shard_as(
    entries: &[Option<&Entry>],
    place: PlacementId,
    registry: &Registry,
    call: &Call,
    metas: &[Meta],
    memo: &mut Memo,
) -> Result<Place> {
    let placements = &registry.placements;
    let mesh = placements.mesh(place);
    if placements.is_replicated(place) || placements.members(mesh).len() == 1 {
        return Ok(Place::On(mesh));
    }
    let wish: Layouts = placements.layouts(place).iter().cloned().collect();
    let fixed = &[Some(wish.clone())];
    let (results, keep, in_signal) = (metas, true, false);
    let asked = Asked { call, results, entries, mesh, wish, fixed, keep, in_signal };
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
    let mesh = placements.get(asked.mesh).mesh();
    let last = |result: usize, axis: usize, layout: &Layout| match layout {
        Layout::Shard(cut) if asked.in_signal => {
            let size = asked.results[result].shape[cut.axis];
            Layout::Shard(evened(cut, size, mesh.size(axis)))
        }
        layout => waiting(layout),
    };
    let finals = chosen.outputs.iter().enumerate().map(|(result, layouts)| {
        let fixed = asked.fixed.get(result).cloned().flatten();
        let free = layouts.iter().enumerate().map(|(axis, layout)| last(result, axis, layout));
        fixed.unwrap_or_else(|| free.collect())
    });
    let finals = finals.collect();
    Ok(Place::Shared(Arc::new(Shared { chosen, finals, keep: asked.keep })))
}

/// A cut as it is, or as even as can be if one part has twice its share: a batch that is sliced
/// from a data set lies on one worker, and the others would have nothing to do.
fn evened(cut: &Cut, size: usize, parts: usize) -> Cut {
    let points = cut.points(size, parts);
    let largest = points.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
    let extent = points.last().copied().unwrap_or(0);
    let is_lopsided = largest * parts >= 2 * extent && largest > extent.div_ceil(parts);
    let at = if is_lopsided { At::Even } else { cut.at.clone() };
    Cut { at, ..*cut }
}

/// What a composite is made of, if its parts may be placed by themselves. One that data can make
/// fail stays whole: its failure speaks of it and not of its parts.
fn expand(call: &Call) -> Result<Option<Expansion>> {
    if call.op.expansion.is_none() || row_risk(call.op) == Risk::Data {
        return Ok(None);
    }
    // Other rows that have a kernel too may be made of each other.
    if (call.op.kernel)(call)? != Kernel::Expansion && !call.op.expands_when_cut {
        return Ok(None);
    }
    let (compute, formulas) = (call.infer()?.compute, call.op.expansions(call));
    let complete = formulas.len() == call.op.outputs.len();
    Ok(complete.then_some(Expansion { compute, formulas }))
}

/// The mesh of the largest input, if that is on one. Of inputs of the same size one that is on a
/// mesh counts, as everybody there has it.
fn largest(registry: &Registry, entries: &[Option<&Entry>]) -> Option<PlacementId> {
    let placements = &registry.placements;
    // One worker that has all of it is as good as a mesh of those who do.
    let mesh_of = |entry: &Entry| {
        let (first, _) = entry.at.first()?;
        let (place, _) = registry.on_mesh(entry)?;
        let is_best = placements.alone(*first).is_none() || !placements.is_replicated(place);
        is_best.then(|| placements.mesh(place))
    };
    // What is made at its first use is made wherever the others are.
    let tensors = entries.iter().flatten().copied().filter(|entry| entry.recipe().is_none());
    let largest = tensors.max_by_key(|entry| (entry.meta.bytes(), mesh_of(entry).is_some()));
    mesh_of(largest?)
}

/// What decides over a result before anything is chosen.
enum Bound {
    /// Where all of it runs.
    To(Place),
    /// A mesh, and how results have to lie there.
    Layouts(PlacementId, SmallVec<[Option<Layouts>; 1]>),
    /// Nothing.
    Free,
}

/// A result stays where the value is that it replaces; what is placed goes where it is told.
fn bound_place(
    request: &Instruction,
    registry: &Registry,
    metas: &[Meta],
    entries: &[Option<&Entry>],
    wish: Option<Wanted>,
) -> Result<Bound> {
    let placements = &registry.placements;
    if *request.op == PLACE_LIKE {
        return Ok(entries[1].map_or(Bound::Free, |like| place_like(entries[0], like, registry)));
    }
    if request.op.reads_shape_only && request.replaces.is_empty() && wish.is_none() {
        return Ok(entries[0].map_or(Bound::Free, |like| place_like(None, like, registry)));
    }
    if let (true, Some(wish)) = (*request.op == PLACE, wish) {
        let layouts = wish.layouts(metas[0].shape.rank());
        return Ok(Bound::Layouts(wish.mesh, SmallVec::from_iter([Some(layouts)])));
    }
    let mut bound = Bound::Free;
    for (result, meta) in metas.iter().enumerate() {
        let Some(slot) = request.replaces.get(result) else { continue };
        let old = registry.get(slot)?;
        check_replaced(old, request.op, meta)?;
        match &mut bound {
            Bound::Free => {
                bound = resting(old, placements);
                if let Bound::Layouts(_, layouts) = &mut bound {
                    layouts.insert_many(0, std::iter::repeat_n(None, result));
                }
            }
            Bound::Layouts(mesh, layouts) => {
                let there = old.at.iter().find(|(place, _)| placements.mesh(*place) == *mesh);
                // What an optimiser keeps beside a parameter lies as that does.
                let beside = || {
                    let first = layouts.iter().position(Option::is_some);
                    let first = first.filter(|&first| metas[first].shape == meta.shape);
                    first.and_then(|first| layouts[first].clone())
                };
                let copies = || placements.layouts(*mesh).iter().cloned().collect();
                let own: Layouts = match there {
                    Some((place, _)) => placements.layouts(*place).iter().map(at_rest).collect(),
                    None => beside().unwrap_or_else(copies),
                };
                layouts.resize(result, None);
                layouts.push(Some(own).filter(|_| old.recipe().is_none()));
            }
            Bound::To(_) => {}
        }
    }
    Ok(bound)
}

/// Where a value is. A sum that another one is to replace stays one: those that should not were
/// put together before.
fn resting(entry: &Entry, placements: &Placements) -> Bound {
    let on = |place: PlacementId, layouts: Layouts| match placements.alone(place) {
        Some(_) => Bound::To(Place::On(place)),
        None => Bound::Layouts(placements.mesh(place), SmallVec::from_iter([Some(layouts)])),
    };
    if let Some(&(place, _)) = entry.at.first() {
        return on(place, placements.layouts(place).iter().cloned().collect());
    }
    // It was lost; what takes its place lies as it did.
    match entry.loss().and_then(|loss| loss.rehoused) {
        Some(place) => on(place, placements.layouts(place).iter().map(at_rest).collect()),
        None => Bound::Free,
    }
}

/// Where a gradient goes that is to be like a parameter: along an axis of the mesh where that has
/// copies a sum stays one, because others may be added to it.
fn place_like(gradient: Option<&Entry>, like: &Entry, registry: &Registry) -> Bound {
    let placements = &registry.placements;
    let mut bound = resting(like, placements);
    if let Bound::Layouts(mesh, layouts) = &mut bound {
        let there = gradient.and_then(|gradient| registry.on_mesh(gradient));
        let there = there.filter(|(place, _)| placements.mesh(*place) == *mesh);
        let sum = Layout::Partial(Combine::Sum);
        let is_sum =
            |axis: usize| there.is_some_and(|(place, _)| placements.layouts(place)[axis] == sum);
        for (axis, layout) in layouts.iter_mut().flatten().flat_map(|it| it.iter_mut().enumerate())
        {
            let is_copied = *layout == Layout::Replicate;
            *layout = if is_copied && is_sum(axis) { sum.clone() } else { at_rest(layout) };
        }
    }
    bound
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
pub(crate) fn check_replaced(old: &Entry, op: &Op, result: &Meta) -> Result<()> {
    if !old.is_awaited() && !op.data_dependent && old.meta == *result {
        return Ok(());
    }
    let (name, old) = (op.name, &old.meta);
    Err(Error::bug(format!("{name} puts {result} in the place of {old}")))
}
