//! What a session does when a worker is to be free of it: another one takes its place where there
//! is one, values move away, and nothing new goes there.

use gt_core::placement::{Cut, Layout, Mesh, Placement};
use gt_core::{Result, Slot, WorkerId};
use smallvec::SmallVec;

use super::Session;
use crate::context::Context;
use crate::load::handover_ns;
use crate::placements::PlacementId;
use crate::registry::Entry;

/// Who leaves, and who has its place from now on.
#[derive(Clone, Copy)]
struct Change {
    worker: WorkerId,
    heir: Option<WorkerId>,
}

impl Session {
    /// Whether a worker is one of its own.
    pub fn has(&self, worker: WorkerId) -> bool {
        self.seats.number(worker).is_some()
    }

    /// Moves everything away from a worker. `other`, which is not one of its own, takes the place;
    /// without one, a worker does that no signal names, if there is such.
    pub fn vacate(
        &mut self,
        worker: WorkerId,
        other: Option<WorkerId>,
        context: &mut Context,
    ) -> Result<()> {
        let Some(number) = self.seats.drain(worker) else { return Ok(()) };
        self.close_run();
        let heir = match other {
            Some(other) => {
                self.seat(number, other);
                Some(other)
            }
            None => {
                let heir = self.unnamed_worker(number);
                self.move_scopes();
                heir
            }
        };
        let change = Change { worker, heir };
        for slot in self.registry.values_on(worker) {
            self.move_sums(slot, worker, context)?;
            for place in self.places_on(slot, worker)? {
                match self.registry.placements.alone(place) {
                    Some(_) => self.move_whole(slot, place, change, context)?,
                    None => self.move_away(slot, place, change, context)?,
                }
            }
        }
        Ok(())
    }

    /// The operator takes the worker back.
    pub fn welcome_back(&mut self, worker: WorkerId) -> bool {
        self.seats.undrain(worker);
        !self.has(worker) && self.engage(worker)
    }

    /// Puts a worker that no signal names at a place that is vacant, if signals name that.
    fn unnamed_worker(&mut self, number: usize) -> Option<WorkerId> {
        if !self.scopes.names(number) {
            return None;
        }
        let others = self.seats.all().iter().enumerate().rev().filter(|(_, other)| other.is_some());
        let (other, heir) = { others }.find(|(other, _)| !self.scopes.names(*other))?;
        let heir = *heir;
        self.seats.swap(number, other);
        heir
    }

    fn places_on(&self, slot: Slot, worker: WorkerId) -> Result<SmallVec<[PlacementId; 2]>> {
        let placements = &self.registry.placements;
        let at = self.registry.get(slot)?.at.iter().map(|&(place, _)| place);
        Ok(at.filter(|place| placements.contains(*place, worker)).collect())
    }

    /// A sum of which the worker has a part is put together.
    fn move_sums(&mut self, slot: Slot, worker: WorkerId, context: &mut Context) -> Result<()> {
        for place in self.places_on(slot, worker)? {
            if self.registry.placements.get(place).is_sum() {
                let together = self.registry.placements.together(place)?;
                self.bring(slot, together, context)?;
            }
        }
        Ok(())
    }

    /// A value on a mesh of which the worker is a part goes to one without it.
    fn move_away(
        &mut self,
        slot: Slot,
        place: PlacementId,
        change: Change,
        context: &mut Context,
    ) -> Result<()> {
        let Change { worker, heir } = change;
        if heir.is_none()
            && let Some(left) = self.registry.placements.without(place, worker)
        {
            let mut spare = Vec::new();
            self.registry.narrow(slot, place, Some(left), &mut spare);
            spare.into_iter().for_each(|(other, name)| self.emit_free(other, name));
            return Ok(());
        }
        match self.successor(place, change)? {
            Some(to) => {
                let at = &self.registry.get(slot)?.at;
                let index = at.iter().position(|(known, _)| *known == place);
                self.bring(slot, to, context)?;
                self.drop_copy(slot, place)?;
                // The first of its places is the one that its successors have.
                let at = &mut self.registry.get_mut(slot)?.at;
                let moved = at.iter().position(|(known, _)| *known == to);
                if let (Some(index), Some(moved)) = (index, moved) {
                    let moved = at.remove(moved);
                    at.insert(index.min(at.len()), moved);
                }
            }
            None => {
                let target = self.target(slot, change, context)?;
                self.bring_whole(slot, target, context)?;
                self.drop_copy(slot, place)?;
            }
        }
        Ok(())
    }

    /// The same placement with the heir in the worker's place, or a like one on those that are
    /// left; `None` if there is none.
    fn successor(&mut self, place: PlacementId, change: Change) -> Result<Option<PlacementId>> {
        let Change { worker, heir } = change;
        let placements = &mut self.registry.placements;
        let placement = placements.get(place);
        let mesh = placement.mesh();
        let replaced = heir.and_then(|heir| mesh.with_instead(worker, heir));
        let layouts: Vec<Layout> = placement.layouts().to_vec();
        let successor = match (replaced, &layouts[..]) {
            (Some(mesh), _) => Placement::replicated(mesh).with_layouts(layouts),
            (None, [Layout::Shard(cut)]) => {
                let left: Vec<WorkerId> =
                    mesh.workers().iter().copied().filter(|member| *member != worker).collect();
                if left.len() < 2 {
                    return Ok(None);
                }
                let cut = Layout::Shard(Cut::even(cut.axis));
                Placement::replicated(Mesh::group(left)).with_layouts([cut])
            }
            (None, _) => return Ok(None),
        };
        placements.intern(successor).map(Some)
    }

    /// What the worker has all of goes to another one, if nobody else has it.
    fn move_whole(
        &mut self,
        slot: Slot,
        place: PlacementId,
        change: Change,
        context: &mut Context,
    ) -> Result<()> {
        let entry = self.registry.get(slot)?;
        if !self.registry.whereabouts(entry).any(|other| other != change.worker) {
            let target = self.target(slot, change, context)?;
            self.bring_whole(slot, target, context)?;
        }
        self.drop_copy(slot, place)
    }

    /// Who gets all of a value.
    fn target(&self, slot: Slot, change: Change, context: &mut Context) -> Result<WorkerId> {
        let others = || self.workers().filter(|other| *other != change.worker);
        let idle = || context.load.least_busy_of(context.now_ns, others());
        let target = change.heir.or_else(idle).ok_or_else(super::choose::no_worker)?;
        let Entry { meta, .. } = self.registry.get(slot)?;
        context.load.assign(target, context.now_ns, handover_ns(meta.bytes() as u64, 1));
        Ok(target)
    }
}
