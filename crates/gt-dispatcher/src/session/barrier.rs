//! What workers have to know of each other: whether results may take the places of others, whether
//! something failed elsewhere before the client is answered, and whether copies have the same bits.

use gt_core::instruction::{After, Command};
use gt_core::rules::risk::Risk;
use gt_core::{Result, Slot, WorkerId};
use smallvec::SmallVec;

use super::Session;
use crate::failure_barrier::{Compared, Whom, Words};
use crate::placements::PlacementId;

impl Session {
    /// What can make an instruction fail: where results have to be finite, whatever they are of.
    pub(super) fn risk(&self, risk: Risk) -> Risk {
        if self.checks_nan { Risk::Data } else { risk }
    }

    /// Before `worker` replaces a value it must know whether a command failed on another worker.
    pub(super) fn hear_failures(&mut self, worker: WorkerId) {
        self.note_risk();
        let Some(Words { barrier, report, wait }) = self.failure_barrier.replace(worker) else {
            return;
        };
        for other in report {
            self.emit(other, &Command::Report { barrier });
        }
        if wait {
            self.emit(worker, &Command::Wait { barrier });
        }
    }

    /// Has workers report to `reader`, which is about to answer the client.
    pub(super) fn settle(&mut self, reader: WorkerId, whom: Whom) {
        self.note_risk();
        let Some(words) = self.failure_barrier.settle(reader, whom) else { return };
        let barrier = words.barrier;
        let after = match whom {
            Whom::ThoseAtRisk => After::Risks,
            Whom::Everybody => After::Everything,
        };
        for other in words.report {
            self.emit(other, &Command::Settle { barrier, after });
        }
        self.emit(reader, &Command::Wait { barrier });
    }

    /// Before workers replace their copies or parts of values each must know whether all of them
    /// can. The values are the first that each of these is on the mesh.
    pub(super) fn vote(&mut self, mesh: PlacementId, results: &[Slot]) -> Result<()> {
        self.note_risk();
        let mut slots: SmallVec<[Slot; 3]> = SmallVec::new();
        for &result in results {
            slots.extend(self.registry.on_mesh(self.registry.get(result)?).map(|(_, name)| name));
        }
        let compared = self.compares_copies.then(|| self.compared(mesh, results)).transpose()?;
        let compare = compared.is_some();
        let members = self.registry.placements.members(mesh);
        let words = self.failure_barrier.vote(members, results, compared);
        let barrier = words.barrier;
        for other in words.report {
            self.emit(other, &Command::Report { barrier });
        }
        self.emit_all(mesh, &Command::Vote { barrier, slots, compare });
        Ok(())
    }

    /// Compares the copies of a value that is about to be read, if that is wanted.
    pub(super) fn compare_copies(&mut self, slot: Slot) -> Result<()> {
        let first = self.registry.on_mesh(self.registry.get(slot)?);
        let is_copied = |&(place, _): &(PlacementId, Slot)| {
            self.compares_copies && self.registry.placements.is_replicated(place)
        };
        match first.filter(is_copied) {
            Some((mesh, _)) => self.vote(mesh, &[slot]),
            None => Ok(()),
        }
    }

    /// The values of which the workers of a mesh have copies.
    fn compared(&self, mesh: PlacementId, results: &[Slot]) -> Result<Box<Compared>> {
        let placements = &self.registry.placements;
        let mut values = SmallVec::new();
        for &result in results {
            let entry = self.registry.get(result)?;
            let on_mesh = self.registry.on_mesh(entry);
            let is_copied = on_mesh.is_some_and(|(place, _)| placements.is_replicated(place));
            values.push(is_copied.then(|| (result, entry.meta.clone())));
        }
        let numbered = |&worker: &WorkerId| (worker, self.seats.number(worker).unwrap_or(0));
        let workers = placements.members(mesh).iter().map(numbered).collect();
        Ok(Box::new(Compared { values, workers, sums: Vec::new() }))
    }
}
