//! Values that the client reads.

use gt_core::instruction::Command;
use gt_core::placement::{At, Layout, Mesh, Piece, Placement, pieces};
use gt_core::{Meta, RequestId, Result, Shape, Slot, WorkerId};
use gt_transport::batch::INLINE_BYTES;
use gt_transport::region::Region;
use smallvec::SmallVec;

use super::Session;
use crate::context::Context;
use crate::expected::{Reply, Way};
use crate::failure_barrier::Whom;
use crate::placements::PlacementId;
use crate::registry::Entry;
use crate::tickets::TransferKind;

impl Session {
    /// The client reads a value. A large one that is cut comes from all who have a part of it; if
    /// another is nowhere whole, one worker is given it for that.
    pub(super) fn read(
        &mut self,
        slot: Slot,
        request: RequestId,
        context: &mut Context,
    ) -> Result<()> {
        if let Some((name, parts)) = self.parts_to_read(slot, context)? {
            return self.read_parts(slot, name, &parts, request, context);
        }
        if let Some(held) = self.place_without_empty(slot, context)? {
            self.bring(slot, held, context)?;
            if let Some((name, parts)) = self.parts_to_read(slot, context)? {
                self.read_parts(slot, name, &parts, request, context)?;
                return self.drop_copy(slot, held);
            }
        }
        self.compare_copies(slot)?;
        let gathered = self.keep_whole(slot, context)?;
        let (home, name, way) = match self.registry.home(self.registry.get(slot)?) {
            Ok((home, name)) => (home, name, self.offer(slot, request, context)?),
            Err(failure) => return self.answer_lost(request, failure, context),
        };
        self.settle(home, Whom::ThoseAtRisk);
        self.emit(home, &Command::Read { slot: name, request });
        self.expect_reply(home, Reply::Answer(request), way.into())?;
        gathered.map_or(Ok(()), |whole| self.drop_copy(slot, whole))
    }

    /// The name of a value that is read part by part, and who has which.
    fn parts_to_read(
        &mut self,
        slot: Slot,
        context: &Context,
    ) -> Result<Option<(Slot, Vec<Piece>)>> {
        for (place, name) in self.cuts_to_read(slot, context)? {
            let first = self.registry.placements.members(place)[0];
            let whole = self.registry.placements.whole(first)?;
            let placements = &self.registry.placements;
            let shape = &self.registry.get(slot)?.meta.shape;
            let parts = pieces(placements.get(place), placements.get(whole), shape);
            let is_full = |parts: &Vec<Piece>| parts.iter().all(|part| part.elements() > 0);
            if let Some(parts) = parts.filter(is_full) {
                return Ok(Some((name, parts)));
            }
        }
        Ok(None)
    }

    /// The cuts of a value that is read part by part.
    fn cuts_to_read(
        &self,
        slot: Slot,
        context: &Context,
    ) -> Result<SmallVec<[(PlacementId, Slot); 1]>> {
        let entry = self.registry.get(slot)?;
        let is_large = !entry.is_awaited() && entry.meta.bytes() > INLINE_BYTES;
        if context.tickets.is_none() || !is_large || !self.is_parted(entry) {
            return Ok(SmallVec::new());
        }
        let placements = &self.registry.placements;
        let is_cut = |place| !placements.get(place).is_sum() && !placements.is_replicated(place);
        Ok(entry.at.iter().copied().filter(|&(place, _)| is_cut(place)).collect())
    }

    /// The same parts without those that have no elements, if there are such. They may have failed,
    /// of which they tell the others when the value is moved.
    fn place_without_empty(
        &mut self,
        slot: Slot,
        context: &Context,
    ) -> Result<Option<PlacementId>> {
        let Some(&(place, _)) = self.cuts_to_read(slot, context)?.first() else { return Ok(None) };
        let placement = self.registry.placements.get(place);
        let held = without_empty(placement, &self.registry.get(slot)?.meta.shape)?;
        held.map(|held| self.registry.placements.intern(held)).transpose()
    }

    /// Has every worker send its part of a value to the client, which puts them together. One of
    /// them speaks for all that may have failed.
    fn read_parts(
        &mut self,
        slot: Slot,
        name: Slot,
        parts: &[Piece],
        request: RequestId,
        context: &mut Context,
    ) -> Result<()> {
        let Meta { dtype, shape: whole } = self.registry.get(slot)?.meta.clone();
        self.settle(parts[0].from, Whom::ThoseAtRisk);
        for piece in parts {
            let meta = Meta { dtype, shape: piece.shape() };
            let region = Region { whole: whole.clone(), part: piece.part.clone() };
            let kind = TransferKind::Answer(request);
            let transfer = self.client_transfer(meta, Some(region), piece.from, kind);
            let tag = context.tag();
            self.send_off(tag, &transfer, context);
            self.emit(piece.from, &Command::Read { slot: name, request });
            self.expect_reply(piece.from, Reply::Answer(request), Way::Apart.into())?;
        }
        Ok(())
    }

    /// Has all of a value on one worker, if it is cut or to be summed up; gives where, if it was.
    pub(super) fn keep_whole(
        &mut self,
        slot: Slot,
        context: &mut Context,
    ) -> Result<Option<PlacementId>> {
        let entry = self.registry.get(slot)?;
        if !self.is_parted(entry) {
            return Ok(None);
        }
        let first = self.registry.placements.members(entry.at[0].0)[0];
        let whole = self.registry.placements.whole(first)?;
        self.bring(slot, whole, context)?;
        Ok(Some(whole))
    }

    /// Whether a value is somewhere, and nowhere all of it.
    fn is_parted(&self, entry: &Entry) -> bool {
        !entry.at.is_empty() && !self.registry.is_whole(entry)
    }
}

/// A placement without the workers whose parts have no elements, if there are such.
fn without_empty(placement: &Placement, shape: &Shape) -> Result<Option<Placement>> {
    let mesh = placement.mesh();
    let (mut layouts, mut axes) = (Vec::new(), Vec::new());
    let mut full: Vec<Vec<bool>> = Vec::new();
    for (axis, layout) in placement.layouts().iter().enumerate() {
        let (mut kept, mut layout) = (vec![true; mesh.size(axis)], layout.clone());
        if let Layout::Shard(cut) = &mut layout {
            let mut points = cut.points(shape[cut.axis], mesh.size(axis));
            kept = points.windows(2).map(|pair| pair[0] < pair[1]).collect();
            points.dedup();
            cut.at = At::points(points);
        }
        axes.push((mesh.name(axis), kept.iter().filter(|full| **full).count()));
        layouts.push(layout);
        full.push(kept);
    }
    let is_full = |index: &usize| {
        let mut places = mesh.coordinates(*index).into_iter().zip(&full);
        places.all(|(place, full)| full[place])
    };
    let left = (0..mesh.workers().len()).filter(is_full).map(|index| mesh.workers()[index]);
    let left: Vec<WorkerId> = left.collect();
    if left.len() == mesh.workers().len() || left.is_empty() {
        return Ok(None);
    }
    let held = Mesh::new(left, &axes)?;
    Ok(Some(Placement::replicated(held).with_layouts(layouts)))
}
