//! What all workers of a mesh have to agree on: whether results may take the places of others, and
//! whether copies have the same bits.

use gt_core::instruction::Command;
use gt_core::rules::risk::Risk;
use gt_core::{Result, Slot};
use smallvec::SmallVec;

use super::Session;
use crate::failure_barrier::Compared;
use crate::placements::PlacementId;

impl Session {
    /// What can make an instruction fail: where results have to be finite, whatever they are of.
    pub(super) fn risk(&self, risk: Risk) -> Risk {
        if self.checks_nan { Risk::Data } else { risk }
    }

    /// Before workers replace their copies or parts of values each must know whether all of them
    /// can. The values are the first that each of these is on the mesh.
    pub(super) fn vote(&mut self, mesh: PlacementId, results: &[Slot]) -> Result<()> {
        self.note_risk();
        let mut slots: SmallVec<[Slot; 3]> = SmallVec::new();
        for &result in results {
            slots.push(self.registry.get(result)?.spreads[0].1);
        }
        let compared = self.compares_copies.then(|| self.compared(mesh, results)).transpose()?;
        let compare = compared.is_some();
        let members = self.registry.placements.members(mesh);
        let words = self.failure_barrier.vote(members, results, compared);
        let barrier = words.barrier;
        for other in words.report {
            self.emit(other, Command::Report { barrier });
        }
        self.emit_all(mesh, Command::Vote { barrier, slots, compare });
        Ok(())
    }

    /// Compares the copies of a value that is about to be read, if that is wanted.
    pub(super) fn compare_copies(&mut self, slot: Slot) -> Result<()> {
        let placements = &self.registry.placements;
        let first = self.registry.get(slot)?.spreads.first().map(|&(place, _)| place);
        let is_copied = |place: &PlacementId| {
            placements.is_replicated(*place) && placements.members(*place).len() > 1
        };
        match first.filter(is_copied).filter(|_| self.compares_copies) {
            Some(mesh) => self.vote(mesh, &[slot]),
            None => Ok(()),
        }
    }

    /// The values of which the workers of a mesh have copies.
    fn compared(&self, mesh: PlacementId, results: &[Slot]) -> Result<Box<Compared>> {
        let placements = &self.registry.placements;
        let mut values = SmallVec::new();
        for &result in results {
            let entry = self.registry.get(result)?;
            let is_copied = placements.is_replicated(entry.spreads[0].0);
            values.push(is_copied.then(|| (result, entry.meta.clone())));
        }
        let number = |worker| self.workers.iter().position(|known| *known == Some(worker));
        let members = placements.members(mesh).iter();
        let workers = members.map(|&worker| (worker, number(worker).unwrap_or(0))).collect();
        Ok(Box::new(Compared { values, workers, sums: Vec::new() }))
    }
}
