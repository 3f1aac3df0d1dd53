//! Values that go from one placement to another. Workers know the pieces of a move by themselves;
//! the session only says from where to where, and which transfers to expect.

use gt_core::instruction::{Command, Instruction, Move, Operand};
use gt_core::op::Linear;
use gt_core::placement::{Piece, Placement, between, pieces};
use gt_core::rules::risk::Risk;
use gt_core::{DType, Meta, Result, Slot, WorkerId};
use gt_transport::Peer;
use gt_transport::batch::INLINE_BYTES;
use smallvec::SmallVec;

use super::Session;
use super::commit::renamed;
use crate::context::Context;
use crate::decide::travel;
use crate::expected::{Expected, Reply, Way};
use crate::placements::PlacementId;
use crate::registry::Places;
use crate::tickets::{Transfer, TransferKind};

impl Session {
    /// The name of a value in a placement, after having it moved or made there if it is not.
    pub(super) fn bring(
        &mut self,
        slot: Slot,
        place: PlacementId,
        context: &mut Context,
    ) -> Result<Slot> {
        if self.registry.get(slot)?.recipe().is_some() {
            self.make(slot, place, context)?;
        }
        let entry = self.registry.get(slot)?;
        if let Some(name) = self.registry.name_at(entry, place) {
            return Ok(name);
        }
        if self.registry.placements.is_replicated(place) && self.registry.is_whole(entry) {
            return self.copy(slot, place, context);
        }
        let meta = entry.meta.clone();
        let (from, there) = self.nearest(slot, place)?;
        if let Some(passed) = self.detour(&meta, from, place)? {
            self.bring(slot, passed, context)?;
            return self.bring(slot, place, context);
        }
        let name = self.registry.name_copy();
        let to = self.registry.placements.get(place).clone();
        self.emit_move(&meta, (from, there), (to, name), context)?;
        self.registry.add_place(slot, place, name)?;
        // A sum of which one worker was given all stays one: it is read so, and not used.
        if self.registry.placements.alone(place).is_none() {
            self.end_sums(slot, place)?;
        }
        Ok(name)
    }

    /// The same for all of it on one worker.
    pub(super) fn bring_whole(
        &mut self,
        slot: Slot,
        worker: WorkerId,
        context: &mut Context,
    ) -> Result<Slot> {
        let place = self.registry.placements.whole(worker)?;
        self.bring(slot, place, context)
    }

    /// Gives all of a value, which somebody has, to those workers of a mesh that have not.
    fn copy(&mut self, slot: Slot, place: PlacementId, context: &mut Context) -> Result<Slot> {
        let name = self.registry.name_copy();
        let (registry, mut lacking) = (&self.registry, Vec::new());
        let entry = registry.get(slot)?;
        let meta = entry.meta.clone();
        let (home, there) = registry.home(entry).map_err(|failure| failure.error.clone())?;
        let mut having: SmallVec<[(WorkerId, Slot); 2]> = SmallVec::new();
        for &member in registry.placements.members(place) {
            match registry.name_on(entry, member) {
                Some(here) => having.push((member, here)),
                None => lacking.push(member),
            }
        }
        for &(member, here) in &having {
            self.emit(member, &Command::Apply(renamed(here, name, None, &meta)));
        }
        // One move for each: in one for all, each would look through the pieces of all.
        let from = self.registry.placements.whole(home)?;
        for member in lacking {
            self.emit_move(&meta, (from, there), (Placement::on(member), name), context)?;
        }
        self.registry.add_place(slot, place, name)?;
        Ok(name)
    }

    /// What was put together takes the place of its parts, so that this is done once. A value whose
    /// parts only lie elsewhere now is as much of a sum as before.
    fn end_sums(&mut self, slot: Slot, place: PlacementId) -> Result<()> {
        let placements = &self.registry.placements;
        let left = placements.get(place).sums();
        let is_ended = |(other, _): &(PlacementId, Slot)| placements.get(*other).sums() > left;
        let at = &self.registry.get(slot)?.at;
        if !at.iter().any(is_ended) {
            return Ok(());
        }
        let (ended, mut kept): (Places, Places) = at.iter().copied().partition(is_ended);
        kept.sort_by_key(|(other, _)| *other != place);
        for (other, name) in ended {
            let mesh = self.registry.placements.mesh(other);
            match self.in_use.contains(&name) {
                true => self.ended_sums.push((mesh, name)),
                false => self.free_sum(mesh, name),
            }
        }
        self.registry.get_mut(slot)?.at = kept;
        Ok(())
    }

    fn free_sum(&mut self, mesh: PlacementId, name: Slot) {
        self.registry.end_copy(name);
        self.emit_free_all(mesh, name);
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
    pub(super) fn accumulates(&self, said: &Instruction, replaced: Slot) -> Result<bool> {
        let is_tensor = |input: &Operand| matches!(input, Operand::Slot(_));
        let all = said.inputs.len();
        let adds = matches!(said.op.linear, Linear::Together(inputs) if inputs.len() == all);
        let all_tensors = said.inputs.iter().all(is_tensor);
        Ok(adds && all_tensors && self.registry.get(replaced)?.accumulates)
    }

    /// Puts a value together that is a sum on a mesh, before another takes its place.
    pub(super) fn resolve_sum(&mut self, slot: Slot, context: &mut Context) -> Result<()> {
        let first = self.registry.on_mesh(self.registry.get(slot)?);
        let is_sum = |place| self.registry.placements.get(place).is_sum();
        let Some((place, _)) = first.filter(|&(place, _)| is_sum(place)) else { return Ok(()) };
        let place = self.registry.placements.together(place)?;
        self.bring(slot, place, context).map(drop)
    }

    /// From where a value comes to a placement with the least effort, and its name there.
    fn nearest(&self, slot: Slot, place: PlacementId) -> Result<(PlacementId, Slot)> {
        let (placements, entry) = (&self.registry.placements, self.registry.get(slot)?);
        let target = (placements.mesh(place), placements.layouts(place));
        let effort = |source: &(PlacementId, Slot)| {
            travel(&entry.meta, std::slice::from_ref(source), target, placements)
        };
        // Of equal ones, one from which it goes there in one move: the others pass through it.
        let passes = |source: &(PlacementId, Slot)| {
            let (from, to) = (placements.get(source.0), placements.get(place));
            pieces(from, to, &entry.meta.shape).is_none()
        };
        let nearest = entry.at.iter().min_by_key(|source| (effort(source), passes(source)));
        nearest.copied().ok_or_else(|| self.registry.lost(entry))
    }

    /// What a value passes on its way, if it does not go there in one move.
    fn detour(
        &mut self,
        meta: &Meta,
        from: PlacementId,
        to: PlacementId,
    ) -> Result<Option<PlacementId>> {
        let placements = &mut self.registry.placements;
        let (source, target) = (placements.get(from), placements.get(to));
        // One worker puts everything together itself if it can.
        if placements.alone(to).is_some() && pieces(source, target, &meta.shape).is_some() {
            return Ok(None);
        }
        let passed = between(source, target, meta);
        passed.map(|layouts| placements.with_layouts(from, &layouts)).transpose()
    }

    /// Has a value moved, from a placement where it has a name to one where it gets a name.
    pub(super) fn emit_move(
        &mut self,
        meta: &Meta,
        (from, slot): (PlacementId, Slot),
        (to, out): (Placement, Slot),
        context: &mut Context,
    ) -> Result<()> {
        self.note_move(|placements| {
            format!("{meta}: {} to {}", placements.get(from).describe(), to.describe())
        });
        let source = self.registry.placements.get(from).clone();
        let pieces = pieces(&source, &to, &meta.shape);
        let transfers: Vec<Piece> =
            pieces.into_iter().flatten().filter(|piece| piece.from != piece.to).collect();
        let tag = context.tags(transfers.len() as u64);
        let dtype = source.part_dtype(meta.dtype);
        let members = source.mesh().workers().iter().chain(to.mesh().workers()).copied();
        let mut members: SmallVec<[WorkerId; 8]> = members.collect();
        members.sort_unstable();
        members.dedup();
        let same_mesh = source.mesh() == to.mesh();
        let moved = Move { out, slot, meta: meta.clone(), from: source, to, tag };
        let command = Command::Move(Box::new(moved));
        if same_mesh {
            self.emit_all(from, &command);
            self.close_run();
        } else {
            members.iter().for_each(|&worker| self.emit(worker, &command));
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
