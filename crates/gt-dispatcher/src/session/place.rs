//! Where an instruction runs, and how its inputs come there.

use std::cmp::Reverse;
use std::sync::Arc;

use gt_core::instruction::{After, Command, Instruction, Operand, Replaces};
use gt_core::op::Op;
use gt_core::{Error, Meta, Provenance, Result, SignatureId, Slot, WorkerId};
use gt_transport::batch::INLINE_BYTES;
use gt_transport::{Failure, Peer};
use smallvec::SmallVec;
use tracing::{Level, enabled};

use super::mesh::renamed;
use super::{Session, lose};
use crate::context::Context;
use crate::decide::{Chosen, Decision, Place, Request, Shared, Source, decide, reshard};
use crate::expected::{Expected, Reply, Way};
use crate::failure_barrier::{Whom, Words};
use crate::load::{Health, Load};
use crate::pick::{Candidate, Input, Needs, pick};
use crate::placements::PlacementId;
use crate::registry::Entry;
use crate::tickets::{Transfer, TransferKind};

/// Where an instruction runs.
pub(super) enum Target {
    /// One worker.
    Worker(WorkerId),
    /// On every worker of a mesh, by this signature.
    Mesh(PlacementId, SignatureId),
}

impl Session {
    pub(super) fn apply(
        &mut self,
        mut instruction: Instruction,
        context: &mut Context,
    ) -> Result<()> {
        let Instruction { op, outputs, inputs, attrs, replaces, provenance } = &mut instruction;
        let provenance = *provenance;
        let request = Request { op, outputs, attrs, inputs, replaces, provenance };
        match self.place(request, context)? {
            Some(Target::Worker(worker)) => self.emit(worker, Command::Apply(instruction)),
            Some(Target::Mesh(mesh, signature)) => {
                self.emit_shared(mesh, signature, Command::Apply(instruction));
            }
            None => {}
        }
        Ok(())
    }

    /// Places an instruction: decides where it runs, moves its inputs there and enters its results.
    /// The request is left with the names that its values have there. Returns `None` if there is
    /// nothing left to emit: an input is lost, the caller's instruction was emitted already
    /// (updates and moved results on a mesh, expansions), or it is deferred to the first use of its
    /// result.
    pub(super) fn place(
        &mut self,
        request: Request,
        context: &mut Context,
    ) -> Result<Option<Target>> {
        if self.scopes.has_wishes() {
            self.clear_up();
            if self.defer(&request)? {
                return Ok(None);
            }
        }
        for slot in request.replaces.slots() {
            if !self.accumulates(&request, slot)? {
                self.resolve_sum(slot, context)?;
            }
            self.rehouse(slot)?;
        }
        let known = (&mut self.inferences, &mut self.memo);
        let mut decision = decide(&request, &self.scopes, &self.registry, known)?;
        if enabled!(target: "gt::dispatcher", Level::DEBUG) {
            self.tell_decision(&request, &decision)?;
        }
        self.note_decision(&request, &decision);
        self.count_decision(&decision.place);
        match std::mem::replace(&mut decision.place, Place::Anywhere) {
            Place::Lost(failure) => {
                self.enter_lost(&request, decision.metas, &failure)?;
                Ok(None)
            }
            Place::At(worker) => {
                let worker = self.find_room(worker, request.inputs, context)?;
                self.place_on_worker(worker, request, decision, context)
            }
            Place::Anywhere if self.is_deserted() => {
                self.enter_lost(&request, decision.metas, &lose::no_worker())?;
                Ok(None)
            }
            Place::Anywhere => {
                self.charge_load(context);
                let bytes = decision.metas.iter().map(|meta| meta.bytes() as u64).sum();
                let needs = (decision.cost_ns(), bytes);
                let worker = self.choose(request.inputs, needs, context)?;
                self.place_on_worker(worker, request, decision, context)
            }
            Place::On(mesh) => {
                let copies = self.registry.placements.layouts(mesh);
                let counts = (request.inputs.len(), decision.metas.len());
                let chosen = Shared::copied(mesh, copies, counts);
                self.place_on_mesh(&chosen, request, decision, context)
            }
            Place::Parts(expansion) => {
                self.place_expansion(&request, &expansion, context)?;
                Ok(None)
            }
            Place::Shared(shared) => self.place_on_mesh(&shared, request, decision, context),
        }
    }

    pub(super) fn place_on_mesh(
        &mut self,
        shared: &Shared,
        request: Request,
        decision: Decision,
        context: &mut Context,
    ) -> Result<Option<Target>> {
        let Shared { chosen: Chosen { mesh, cuts, inputs, outputs }, finals, keep } = shared;
        let (mesh, keep) = (*mesh, *keep);
        let mut passing: SmallVec<[(Slot, PlacementId); 3]> = SmallVec::new();
        for (input, layouts) in request.inputs.iter_mut().zip(inputs) {
            let Operand::Slot(slot) = *input else { continue };
            let place = self.registry.placements.with_layouts(mesh, layouts)?;
            let entry = self.registry.get(slot)?;
            let keep = keep && entry.copies.kept;
            if !keep && self.registry.name_on_mesh(entry, place).is_none() {
                passing.push((slot, place));
            }
            let name = self.bring_as(slot, place, context)?;
            self.in_use.push(name);
            *input = Operand::Slot(name);
        }
        let signature = self.signature(mesh, cuts)?;
        let places = (&outputs[..], &finals[..]);
        let target = self.place_results((mesh, signature), places, &request, decision, context)?;
        if passing.is_empty() {
            return Ok(target);
        }
        // A copy that is dropped after its use must outlive the command that uses it.
        if target.is_some() {
            self.emit_request((mesh, signature), &request);
        }
        for (slot, place) in passing {
            // An update has ended its old value with all copies.
            if self.registry.get(slot).is_ok() {
                self.drop_copy(slot, place)?;
            }
        }
        Ok(None)
    }

    pub(super) fn place_on_worker(
        &mut self,
        worker: WorkerId,
        request: Request,
        decision: Decision,
        context: &mut Context,
    ) -> Result<Option<Target>> {
        for input in request.inputs {
            if let Operand::Slot(slot) = *input {
                *input = Operand::Slot(self.bring(slot, worker, context)?);
            }
        }
        if !request.replaces.is_empty() {
            self.hear_failures(worker);
            self.end_replaced(request.replaces, worker, context)?;
        }
        self.commit(request.op, request.outputs, decision, worker, context)?;
        Ok(Some(Target::Worker(worker)))
    }

    /// Enters the results of an instruction whose inputs are lost. An update keeps the old value
    /// under the name of its result; copies keep the names they have.
    fn enter_lost(
        &mut self,
        request: &Request,
        metas: SmallVec<[Meta; 1]>,
        failure: &Arc<Failure>,
    ) -> Result<()> {
        for (result, (&slot, meta)) in request.outputs.iter().zip(metas).enumerate() {
            let lost = Entry {
                provenance: request.provenance,
                lost: Some(failure.clone()),
                ..Entry::nowhere(meta)
            };
            let Some(old) = request.replaces.get(result) else {
                self.registry.insert(slot, lost)?;
                continue;
            };
            let mut entry = self.registry.take(old)?;
            for (worker, name) in entry.holders.iter_mut().filter(|(_, name)| *name == old) {
                let moved = renamed(old, slot, Some(old), &entry.meta);
                self.emit(*worker, Command::Apply(moved));
                *name = slot;
            }
            for (place, name) in entry.spreads.iter_mut().filter(|(_, name)| *name == old) {
                self.emit_renamed(*place, (old, slot), Some(old), &entry.meta)?;
                *name = slot;
            }
            self.registry.end_copy(old);
            if entry.lost.is_none() {
                self.note_missing_update(request, slot, failure);
            }
            self.registry.insert(slot, entry)?;
        }
        Ok(())
    }

    /// An update keeps the old value, because an input is lost. Reading that value would raise
    /// nothing, so the client is told at its next request.
    fn note_missing_update(&mut self, request: &Request, slot: Slot, cause: &Failure) {
        let name = request.op.name;
        let error = cause.error.clone().within("an input is lost, the old value stays");
        self.failure_barrier.note(&Failure {
            error: error.within(name),
            instruction: format!("{slot} := {name}"),
            slot,
            provenance: request.provenance,
            ..cause.clone()
        });
    }

    /// Enters the results of an instruction.
    fn commit(
        &mut self,
        op: &Op,
        outputs: &[Slot],
        decision: Decision,
        worker: WorkerId,
        context: &mut Context,
    ) -> Result<()> {
        self.note_run(&[worker]);
        let cost_ns = decision.cost_ns();
        let ready_ns = context.load.assign(worker, context.now_ns, cost_ns);
        self.lane(worker).outgoing.add_cost(cost_ns);
        let bytes = decision.metas.iter().map(Meta::bytes).sum();
        let risk = self.risk(decision.risk);
        self.failure_barrier.assign(worker, risk, bytes);
        for (&slot, meta) in outputs.iter().zip(decision.metas) {
            let told = (!op.data_dependent, decision.provenance);
            self.insert(slot, meta, told, worker, ready_ns)?;
        }
        Ok(())
    }

    /// Ends the names of values that are replaced on `worker`, and leaves those they have there.
    fn end_replaced(
        &mut self,
        replaces: &mut Replaces,
        worker: WorkerId,
        context: &mut Context,
    ) -> Result<()> {
        // All are brought before the first name ends, which the next copy would be given.
        let mut names: SmallVec<[Option<Slot>; 1]> = SmallVec::new();
        for old in &replaces.0 {
            let there = old.map(|slot| self.bring_replaced(slot, worker, context));
            names.push(there.transpose()?.flatten());
        }
        for (old, name) in replaces.0.iter_mut().zip(names) {
            let Some(slot) = std::mem::replace(old, name) else { continue };
            let entry = self.forget(slot)?;
            for (holder, name) in entry.holders.into_iter().filter(|(holder, _)| *holder != worker)
            {
                self.emit_free(holder, name);
            }
            let replaced = name.map(|name| (std::slice::from_ref(&worker), name));
            self.free_spreads(entry.spreads, replaced);
        }
        Ok(())
    }

    /// The name on `worker` of a value that is replaced there; a lost one has no place to take.
    fn bring_replaced(
        &mut self,
        slot: Slot,
        worker: WorkerId,
        context: &mut Context,
    ) -> Result<Option<Slot>> {
        match self.registry.get(slot)?.lost {
            Some(_) => Ok(None),
            None => self.bring(slot, worker, context).map(Some),
        }
    }

    /// Before `worker` replaces a value it must know whether a command failed on another worker.
    pub(super) fn hear_failures(&mut self, worker: WorkerId) {
        self.note_risk();
        let Some(Words { barrier, report, wait }) = self.failure_barrier.replace(worker) else {
            return;
        };
        for other in report {
            self.emit(other, Command::Report { barrier });
        }
        if wait {
            self.emit(worker, Command::Wait { barrier });
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
            self.emit(other, Command::Settle { barrier, after });
        }
        self.emit(reader, Command::Wait { barrier });
    }

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

    /// Where an update of a value on a worker runs: there, unless the inputs that it lacks do not
    /// fit into its memory. Then the value moves to where there is room.
    fn find_room(
        &self,
        worker: WorkerId,
        inputs: &[Operand],
        context: &Context,
    ) -> Result<WorkerId> {
        if self.scopes.has_wishes() || self.workers().nth(1).is_none() {
            return Ok(worker);
        }
        // The results take the place of what they replace.
        let needs = self.needs(inputs, (0, 0));
        let candidate = self.candidate(worker, context.load);
        if candidate.is_none_or(|known| needs.bytes_at(worker) <= known.room_bytes) {
            return Ok(worker);
        }
        self.pick(&needs, worker, context)
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
        entries.filter(|entry| entry.recipe.is_none())
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
        if let Some(home) = self.home.filter(|home| self.workers.contains(&Some(*home))) {
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

    /// The name of a value on `worker`, after having it handed over if it is not there.
    pub(super) fn bring(
        &mut self,
        slot: Slot,
        worker: WorkerId,
        context: &mut Context,
    ) -> Result<Slot> {
        if self.registry.get(slot)?.recipe.is_some() {
            self.make_on_worker(slot, worker, context)?;
        }
        let entry = self.registry.get(slot)?;
        if entry.lost.is_none() && !self.registry.is_whole(entry) {
            return self.gather(slot, worker, context);
        }
        let (home, there) = match reshard(entry, worker, &self.registry)? {
            Source::Here(name) => return Ok(name),
            Source::From(home, there) => (home, there),
        };
        let meta = entry.meta.clone();
        let name = self.registry.add_copy(slot, worker)?;
        self.transfer(&meta, (home, there), (worker, name), context)?;
        Ok(name)
    }

    /// Hands a value over, from a worker where it has a name to one where it gets a name.
    pub(super) fn transfer(
        &mut self,
        meta: &Meta,
        (home, there): (WorkerId, Slot),
        (worker, name): (WorkerId, Slot),
        context: &mut Context,
    ) -> Result<()> {
        self.note_move(|_| format!("{meta}: to a worker that has not got it"));
        self.count_moved(home, worker, meta.bytes());
        let tag = context.tag();
        let mut way = Way::Message;
        if meta.bytes() > INLINE_BYTES && context.tickets.is_some() {
            way = Way::Apart;
            let local = context.tickets.as_ref().is_some_and(|tickets| tickets.is_local(home));
            let (connects, kind) = (Peer::Worker(home), TransferKind::Handover);
            let (session, listens, meta, region) = (self.id, worker, meta.clone(), None);
            let transfer = Transfer { session, meta, region, connects, local, listens, kind };
            self.send_off(tag, &transfer, context);
        }
        self.emit(home, Command::Send { slot: there, to: worker, tag });
        let what = Expected { way, meta: Some(meta.clone()) };
        self.expect_reply(home, Reply::Handover { to: worker, tag }, what)?;
        let provenance = Provenance::UNKNOWN;
        self.emit(worker, Command::Receive { out: name, tag, provenance });
        Ok(())
    }
}

pub(super) fn no_worker() -> Error {
    Error::Lost("there is no worker; start one with `gt worker`".to_string())
}
