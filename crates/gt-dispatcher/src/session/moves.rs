//! Values that go from one placement to another. Workers know the pieces of a move by themselves;
//! the session only says from where to where, and which transfers to expect.

use gt_core::instruction::{Command, Move, Operand};
use gt_core::op::Linear;
use gt_core::placement::{Piece, between, pieces};
use gt_core::rules::risk::Risk;
use gt_core::{DType, Meta, Result, Slot, WorkerId};
use gt_transport::Peer;
use gt_transport::batch::INLINE_BYTES;
use smallvec::SmallVec;

use super::Session;
use crate::context::Context;
use crate::decide::{Request, travel};
use crate::expected::{Expected, Reply, Way};
use crate::placements::PlacementId;
use crate::registry::Entry;
use crate::tickets::{Transfer, TransferKind};

impl Session {
    /// The name of a value in a placement, after having it moved there if it is not.
    pub(super) fn bring_as(
        &mut self,
        slot: Slot,
        place: PlacementId,
        context: &mut Context,
    ) -> Result<Slot> {
        if self.registry.get(slot)?.recipe.is_some() {
            self.make_on_mesh(slot, place, context)?;
        }
        let entry = self.registry.get(slot)?;
        if let Some(name) = self.registry.name_on_mesh(entry, place) {
            return Ok(name);
        }
        let has_whole = self.registry.is_whole(entry);
        if has_whole && self.registry.placements.is_replicated(place) {
            return self.bring_to_mesh(slot, place, context);
        }
        let meta = entry.meta.clone();
        let (from, there) = self.nearest(slot, place)?;
        if let Some(between) = self.detour(&meta, from, place)? {
            self.bring_as(slot, between, context)?;
            return self.bring_as(slot, place, context);
        }
        let name = self.registry.name_copy();
        self.emit_move(&meta, (from, there), (place, name), context)?;
        self.registry.get_mut(slot)?.spreads.push((place, name));
        self.end_sums(slot, place)?;
        Ok(name)
    }

    /// What was put together takes the place of its parts, so that this is done once. A value whose
    /// parts only lie elsewhere now is as much of a sum as before.
    fn end_sums(&mut self, slot: Slot, place: PlacementId) -> Result<()> {
        let placements = &self.registry.placements;
        let left = placements.get(place).sums();
        let is_ended = |(other, _): &(PlacementId, Slot)| placements.get(*other).sums() > left;
        let spreads = &self.registry.get(slot)?.spreads;
        if !spreads.iter().any(is_ended) {
            return Ok(());
        }
        type Spreads = SmallVec<[(PlacementId, Slot); 1]>;
        let (ended, mut kept): (Spreads, Spreads) = spreads.iter().copied().partition(is_ended);
        kept.sort_by_key(|(other, _)| *other != place);
        for (other, name) in ended {
            let mesh = self.registry.placements.mesh(other);
            match self.in_use.contains(&name) {
                true => self.ended_sums.push((mesh, name)),
                false => self.free_sum(mesh, name),
            }
        }
        self.registry.get_mut(slot)?.spreads = kept;
        Ok(())
    }

    fn free_sum(&mut self, mesh: PlacementId, name: Slot) {
        self.registry.end_copy(name);
        self.emit_all(mesh, Command::Free([name].into_iter().collect()));
    }

    /// A command is told to workers: what it used may be freed. An instruction can take one value
    /// as a sum and as what it comes to.
    pub(super) fn end_use(&mut self) {
        self.in_use.clear();
        for (mesh, name) in std::mem::take(&mut self.ended_sums) {
            self.free_sum(mesh, name);
        }
    }

    /// Whether an instruction adds to a gradient, whose parts are put together after the last of
    /// several additions.
    pub(super) fn accumulates(&self, request: &Request, replaced: Slot) -> Result<bool> {
        let is_tensor = |input: &Operand| matches!(input, Operand::Slot(_));
        let all = request.inputs.len();
        let adds = matches!(request.op.linear, Linear::Together(inputs) if inputs.len() == all);
        let all_tensors = request.inputs.iter().all(is_tensor);
        Ok(adds && all_tensors && self.registry.get(replaced)?.accumulates)
    }

    /// Puts a value together that is a sum on a mesh, before another takes its place.
    pub(super) fn resolve_sum(&mut self, slot: Slot, context: &mut Context) -> Result<()> {
        let placements = &self.registry.placements;
        let first = self.registry.get(slot)?.spreads.first().map(|&(place, _)| place);
        let sum = first.filter(|place| placements.get(*place).is_sum());
        let Some(place) = sum else { return Ok(()) };
        let place = self.registry.placements.together(place)?;
        self.bring_as(slot, place, context).map(drop)
    }

    /// Has all of a value on one worker; gives its name there.
    pub(super) fn gather(
        &mut self,
        slot: Slot,
        worker: WorkerId,
        context: &mut Context,
    ) -> Result<Slot> {
        let place = self.registry.placements.whole(worker)?;
        let (from, there) = self.nearest(slot, place)?;
        let meta = self.registry.get(slot)?.meta.clone();
        let placements = &self.registry.placements;
        if pieces(placements.get(from), placements.get(place), &meta.shape).is_none()
            && let Some(passed) = self.detour(&meta, from, place)?
        {
            self.bring_as(slot, passed, context)?;
            return self.gather(slot, worker, context);
        }
        let name = self.registry.name_copy();
        self.emit_move(&meta, (from, there), (place, name), context)?;
        self.registry.add_holder(slot, worker, name)?;
        Ok(name)
    }

    /// From where a value comes to a placement with the least effort, and its name there.
    fn nearest(&mut self, slot: Slot, place: PlacementId) -> Result<(PlacementId, Slot)> {
        let wholes = self.registry.get(slot)?.holders.clone();
        let mut sources: SmallVec<[(PlacementId, Slot); 4]> = SmallVec::new();
        for (worker, name) in wholes {
            sources.push((self.registry.placements.whole(worker)?, name));
        }
        let placements = &self.registry.placements;
        let entry = self.registry.get(slot)?;
        sources.extend(entry.spreads.iter().copied());
        let target = (placements.mesh(place), placements.layouts(place));
        let effort = |source: &(PlacementId, Slot)| {
            let spreads = SmallVec::from_iter([*source]);
            travel(&Entry { spreads, ..Entry::nowhere(entry.meta.clone()) }, target, placements)
        };
        // Of equal ones, one from which it goes there in one move: the others pass through it.
        let passes = |source: &(PlacementId, Slot)| {
            let (from, to) = (placements.get(source.0), placements.get(place));
            pieces(from, to, &entry.meta.shape).is_none()
        };
        let nearest = sources.iter().min_by_key(|source| (effort(source), passes(source))).copied();
        nearest.ok_or_else(|| self.registry.lost(entry))
    }

    /// What a value passes on its way, if it does not go there in one move.
    fn detour(
        &mut self,
        meta: &Meta,
        from: PlacementId,
        to: PlacementId,
    ) -> Result<Option<PlacementId>> {
        let placements = &mut self.registry.placements;
        let passed = between(placements.get(from), placements.get(to), meta);
        passed.map(|layouts| placements.with_layouts(from, &layouts)).transpose()
    }

    /// Has a value moved, from a placement where it has a name to one where it gets a name.
    pub(super) fn emit_move(
        &mut self,
        meta: &Meta,
        (from, slot): (PlacementId, Slot),
        (to, out): (PlacementId, Slot),
        context: &mut Context,
    ) -> Result<()> {
        self.note_move(|placements| {
            let describe = |place| placements.get(place).describe();
            format!("{meta}: {} to {}", describe(from), describe(to))
        });
        let placements = &self.registry.placements;
        let same_mesh = placements.mesh(from) == placements.mesh(to);
        let pieces = pieces(placements.get(from), placements.get(to), &meta.shape);
        let transfers: Vec<Piece> =
            pieces.into_iter().flatten().filter(|piece| piece.from != piece.to).collect();
        let tag = context.tags(transfers.len() as u64);
        let dtype = placements.get(from).part_dtype(meta.dtype);
        let moved = Move {
            out,
            slot,
            meta: meta.clone(),
            from: placements.get(from).clone(),
            to: placements.get(to).clone(),
            tag,
        };
        let members = placements.members(from).iter().chain(placements.members(to)).copied();
        let mut members: SmallVec<[WorkerId; 8]> = members.collect();
        members.sort_unstable();
        members.dedup();
        let command = Command::Move(Box::new(moved));
        if same_mesh {
            self.emit_all(from, command);
            self.close_run();
        } else {
            members.iter().for_each(|&worker| self.emit(worker, command.clone()));
        }
        for (number, piece) in transfers.into_iter().enumerate() {
            self.expect_piece(dtype, &piece, tag + number as u64, context)?;
        }
        let risk = self.risk(Risk::Memory);
        for worker in members {
            self.failure_barrier.assign(worker, risk, meta.bytes());
        }
        Ok(())
    }

    /// A piece of a value goes from one worker to another.
    fn expect_piece(
        &mut self,
        dtype: DType,
        piece: &Piece,
        tag: u64,
        context: &mut Context,
    ) -> Result<()> {
        let meta = Meta { dtype, shape: piece.shape() };
        self.count_moved(piece.from, piece.to, meta.bytes());
        let mut way = Way::Message;
        if meta.bytes() > INLINE_BYTES && context.tickets.is_some() {
            way = Way::Apart;
            let local =
                context.tickets.as_ref().is_some_and(|tickets| tickets.is_local(piece.from));
            let (connects, kind) = (Peer::Worker(piece.from), TransferKind::Handover);
            let (session, listens) = (self.id, piece.to);
            let (meta, region) = (meta.clone(), None);
            let transfer = Transfer { session, meta, region, connects, local, listens, kind };
            self.send_off(tag, &transfer, context);
        }
        let what = Expected { way, meta: Some(meta) };
        self.expect_reply(piece.from, Reply::Handover { to: piece.to, tag }, what)
    }
}
