//! The worker where something is computed whole. Load has a say only in sessions without wishes;
//! see [`crate::pick`].

use std::cmp::Reverse;

use gt_core::instruction::Operand;
use gt_core::{Error, Result, WorkerId};
use smallvec::SmallVec;

use super::Session;
use crate::context::Context;
use crate::load::{Health, Load};
use crate::pick::{Candidate, Input, Needs, pick};
use crate::placements::PlacementId;
use crate::registry::Entry;

impl Session {
    /// The worker that answers for all: the first that is not suspect.
    pub(super) fn speaker(&self, context: &Context) -> Option<WorkerId> {
        let well = |worker: &WorkerId| context.load.health(*worker) == Health::Well;
        self.workers().find(well).or_else(|| self.workers().next())
    }

    /// Chooses the worker for an instruction that is computed whole; see [`crate::pick`].
    pub(super) fn choose(
        &mut self,
        inputs: &[Operand],
        (cost_ns, result_bytes): (u64, u64),
        context: &mut Context,
    ) -> Result<WorkerId> {
        let first = self.workers().next().ok_or_else(no_worker)?;
        if self.workers().nth(1).is_none() {
            return Ok(first);
        }
        let home = self.settle_home(first, context);
        if self.scopes.has_wishes() {
            return Ok(self.fixed_home(inputs, first));
        }
        let needs = self.needs(inputs, (cost_ns, result_bytes));
        let load = &*context.load;
        let base = needs.place_of_inputs(home, load);
        if needs.is_small(load, base)
            && self.candidate(base, load).is_some_and(|known| needs.fit(&known))
        {
            return Ok(base);
        }
        self.pick(&needs, base, context)
    }

    /// Where an instruction on one worker runs that updates a value there: there, unless the inputs
    /// that it lacks do not fit into its memory. Then the value moves to where there is room.
    pub(super) fn find_room(
        &mut self,
        mesh: PlacementId,
        inputs: &[Operand],
        context: &Context,
    ) -> Result<PlacementId> {
        let alone = self.registry.placements.alone(mesh);
        let is_fixed = self.scopes.has_wishes() || self.workers().nth(1).is_none();
        let Some(worker) = alone.filter(|_| !is_fixed) else { return Ok(mesh) };
        // The results take the place of what they replace.
        let needs = self.needs(inputs, (0, 0));
        let candidate = self.candidate(worker, context.load);
        if candidate.is_none_or(|known| needs.bytes_at(worker) <= known.room_bytes) {
            return Ok(mesh);
        }
        let roomy = self.pick(&needs, worker, context)?;
        self.registry.placements.whole(roomy)
    }

    fn needs(&self, inputs: &[Operand], (cost_ns, result_bytes): (u64, u64)) -> Needs {
        let input = |entry: &Entry| Input {
            bytes: entry.meta.bytes() as u64,
            ready_ns: entry.ready_ns,
            on: self.registry.whereabouts(entry).collect(),
        };
        let inputs = self.computed(inputs).map(input).collect();
        Needs { cost_ns, result_bytes, inputs }
    }

    /// The inputs that are somewhere.
    fn computed<'a>(&'a self, inputs: &'a [Operand]) -> impl Iterator<Item = &'a Entry> {
        let entries = inputs.iter().filter_map(|input| match input {
            Operand::Slot(slot) => self.registry.get(*slot).ok(),
            Operand::Scalar(_) => None,
        });
        entries.filter(|entry| entry.recipe().is_none())
    }

    fn candidate(&self, worker: WorkerId, load: &Load) -> Option<Candidate> {
        load.candidate(worker, self.registry.held_bytes(worker))
    }

    fn pick(&self, needs: &Needs, base: WorkerId, context: &Context) -> Result<WorkerId> {
        let load = &*context.load;
        let candidates: SmallVec<[Candidate; 8]> =
            self.workers().filter_map(|worker| self.candidate(worker, load)).collect();
        pick(needs, base, &candidates, load, context.now_ns).ok_or_else(no_worker)
    }

    /// The home of the session: the worker with the fewest other homes and the most free memory, of
    /// those that are not silent. It stays until that worker is gone.
    fn settle_home(&mut self, first: WorkerId, context: &mut Context) -> WorkerId {
        if let Some(home) = self.home.filter(|home| self.has(*home)) {
            return home;
        }
        let load = &mut *context.load;
        let candidates = self.workers().filter_map(|worker| load.candidate(worker, 0));
        let least = |candidate: &Candidate| {
            (
                candidate.health,
                load.homes(candidate.worker),
                Reverse(candidate.room_bytes),
                candidate.worker,
            )
        };
        let home = candidates.min_by_key(least).map_or(first, |candidate| candidate.worker);
        load.move_home(self.home.replace(home), Some(home));
        home
    }

    /// Where a whole value goes in a session with wishes: to its largest input, else to the first
    /// worker. Load has no say there. It would decide where values are, with that how instructions
    /// are shared, and with that the order of sums: bits would depend on timing.
    fn fixed_home(&self, inputs: &[Operand], first: WorkerId) -> WorkerId {
        let mut largest: Option<(usize, WorkerId)> = None;
        for entry in self.computed(inputs) {
            let bytes = entry.meta.bytes();
            let is_larger = largest.is_none_or(|(most, _)| bytes > most);
            if let (true, Some(home)) = (is_larger, self.registry.whereabouts(entry).next()) {
                largest = Some((bytes, home));
            }
        }
        largest.map_or(first, |(_, home)| home)
    }
}

pub(super) fn no_worker() -> Error {
    Error::Lost("there is no worker; start one with `gt worker`".to_string())
}
