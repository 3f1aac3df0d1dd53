//! Commands for all workers of a mesh. They are encoded once, and the same bytes go to each worker,
//! so that they cost the dispatcher the same for two workers and for many.

use std::sync::Arc;

use gt_core::instruction::Command;
use gt_core::placement::{Cuts, Signature};
use gt_core::rules::risk::Risk;
use gt_core::{Error, Result, SignatureId, Slot, WorkerId};
use gt_transport::Batch;
use smallvec::SmallVec;

use super::Session;
use super::commit::Said;
use super::lane::Lane;
use super::outgoing::{WORTH_A_MESSAGE_NS, is_full};
use crate::context::{Context, Pace};
use crate::placements::PlacementId;

/// A session shares instructions in at most so many ways at a time: their numbers are given again.
const MOST_SIGNATURES: usize = 1 << 12;

/// An instruction, with the moves of its inputs and results, needs fewer than so many.
const SPARE_SIGNATURES: usize = 1 << 7;

/// How long the dispatcher takes to send one message.
const MESSAGE_NS: u64 = 20_000;

/// The commands that are not given to the workers of a mesh yet. Whatever else one of these workers
/// is given comes after them, so there is one run at a time.
#[derive(Debug, Default)]
pub(super) struct Run {
    mesh: Option<PlacementId>,
    batch: Batch,
    /// How the last of them is shared.
    signature: SignatureId,
    /// Whether somebody waits for one of them.
    urgent: bool,
    /// About how long they take.
    cost_ns: u64,
    /// What of it is not charged to the workers of meshes.
    uncharged: SmallVec<[(PlacementId, u64); 2]>,
    /// What can make those fail that the failure barrier does not know of, and the bytes they make.
    risk: Option<(Risk, usize)>,
    /// Since when they are held back.
    held_since: Option<u64>,
    /// Which commands of the client they come from, while somebody observes.
    pub(super) marks: Vec<(u64, u64)>,
}

impl Run {
    pub(super) fn mesh(&self) -> Option<PlacementId> {
        self.mesh
    }

    pub(super) fn position(&self) -> u64 {
        self.batch.len() as u64
    }

    fn is_full(&self) -> bool {
        is_full(&self.batch, self.cost_ns)
    }
}

impl Session {
    /// Gives every worker of a mesh a command, which each of them follows as it is.
    pub(super) fn emit_all(&mut self, mesh: PlacementId, command: &Command) {
        if let Some(worker) = self.registry.placements.alone(mesh) {
            return self.emit(worker, command);
        }
        self.open_run(mesh);
        self.push_run(command);
    }

    /// Gives every worker of a mesh an instruction that they share.
    #[inline]
    pub(super) fn emit_instruction(
        &mut self,
        (mesh, signature): (PlacementId, SignatureId),
        said: &Said,
    ) {
        let alone = self.registry.placements.alone(mesh);
        if alone.is_none() {
            self.open_run(mesh);
            self.say_signature(signature);
        }
        let short = said.record.map(|record| record.renamed(&said.instruction.inputs));
        match (alone, short) {
            (Some(worker), Some(record)) => self.lane(worker).outgoing.push_record(record),
            (Some(worker), None) => {
                self.lane(worker).outgoing.push_instruction(said.instruction);
            }
            (None, Some(record)) => self.run.batch.records.push(record),
            (None, None) => self.run.batch.push_instruction(said.instruction),
        }
    }

    /// The workers of a mesh need a name no longer.
    pub(super) fn emit_free_all(&mut self, mesh: PlacementId, name: Slot) {
        match self.registry.placements.alone(mesh) {
            Some(worker) => self.emit_free(worker, name),
            None => {
                self.open_run(mesh);
                self.run.batch.push_free(&[name]);
            }
        }
    }

    /// What follows in the run is shared so.
    fn say_signature(&mut self, signature: SignatureId) {
        if std::mem::replace(&mut self.run.signature, signature) != signature {
            self.push_run(&Command::Signature(signature));
        }
    }

    fn push_run(&mut self, command: &Command) {
        self.run.batch.push(command);
        self.run.urgent |= command.is_awaited();
    }

    /// Makes room in tables that programs without end would fill. Nothing may hold a number of a
    /// placement or a signature meanwhile but values and meshes, so this is between instructions.
    pub(super) fn clear_up(&mut self) {
        if self.registry.placements.is_crowded() {
            self.caches.memo.clear();
            self.registry.forget_placements();
        }
        if self.signatures.len() + SPARE_SIGNATURES >= MOST_SIGNATURES {
            // Workers take the next definition of a number for whatever comes after it.
            self.close_run();
            self.signatures.clear();
        }
    }

    /// The number of a way to share instructions, which the workers of the mesh hear of first.
    pub(super) fn signature(&mut self, mesh: PlacementId, cuts: &Cuts) -> Result<SignatureId> {
        if cuts.iter().all(Option::is_none) {
            return Ok(SignatureId::NONE);
        }
        let key = (mesh, cuts.clone());
        if let Some(&number) = self.signatures.get(&key) {
            return Ok(number);
        }
        let next = SignatureId(self.signatures.len() as u32 + 1);
        if self.signatures.len() >= MOST_SIGNATURES {
            return Err(Error::value(format!(
                "a session shares instructions in at most {MOST_SIGNATURES} ways"
            )));
        }
        let workers = self.registry.placements.get(mesh).mesh().clone();
        let signature = Signature { mesh: workers, cuts: cuts.clone() };
        self.signatures.insert(key, next);
        self.emit_all(mesh, &Command::DefineSignature { number: next, signature });
        Ok(next)
    }

    /// Every worker of a mesh is given something that takes so long, and can fail so with results
    /// of so many bytes; gives when it is done.
    #[inline]
    pub(super) fn charge(
        &mut self,
        mesh: PlacementId,
        cost_ns: u64,
        (risk, bytes): (Risk, usize),
        context: &mut Context,
    ) -> u64 {
        if let Some(worker) = self.registry.placements.alone(mesh) {
            self.lane(worker).outgoing.add_cost(cost_ns);
            self.failure_barrier.assign(worker, risk, bytes);
            return context.load.assign(worker, context.now_ns, cost_ns);
        }
        self.open_run(mesh);
        let run = &mut self.run;
        run.cost_ns = run.cost_ns.saturating_add(cost_ns);
        match run.uncharged.last_mut().filter(|(last, _)| *last == mesh) {
            Some((_, uncharged_ns)) => *uncharged_ns = uncharged_ns.saturating_add(cost_ns),
            None => run.uncharged.push((mesh, cost_ns)),
        }
        let (known, largest) = run.risk.unwrap_or((Risk::Memory, 0));
        let risk = if known == Risk::Data { known } else { risk };
        run.risk = Some((risk, largest.max(bytes)));
        context.now_ns.saturating_add(run.cost_ns)
    }

    /// Tells the load how much was given to the workers of meshes.
    pub fn charge_load(&mut self, context: &mut Context) {
        for (mesh, cost_ns) in self.run.uncharged.drain(..) {
            for &member in self.registry.placements.members(mesh) {
                context.load.assign(member, context.now_ns, cost_ns);
            }
        }
    }

    /// Tells the failure barrier what can fail on the workers of the mesh.
    pub(super) fn note_risk(&mut self) {
        let (Some((risk, bytes)), Some(mesh)) = (self.run.risk.take(), self.run.mesh) else {
            return;
        };
        for &member in self.registry.placements.members(mesh) {
            self.failure_barrier.assign(member, risk, bytes);
        }
    }

    /// Gives the run to its workers if it is worth a message or was held back for long enough, and
    /// they are not busy.
    pub(super) fn close_run_if_due(&mut self, pace: Pace) {
        let Some(mesh) = self.run.mesh.filter(|_| !self.run.batch.is_empty()) else { return };
        let since = *self.run.held_since.get_or_insert(pace.now_ns);
        let held_ns = pace.now_ns.saturating_sub(since);
        let members = self.registry.placements.members(mesh);
        let worth_ns = WORTH_A_MESSAGE_NS.max(members.len() as u64 * MESSAGE_NS);
        let is_little = self.run.cost_ns < worth_ns && held_ns < pace.hold_ns;
        let is_busy = self.lanes.of(members[0]).is_busy();
        if self.run.urgent || self.run.is_full() || !(is_little || is_busy) {
            self.close_run();
        }
    }

    /// Since when the run is held back, if it is.
    pub(super) fn run_held_since(&self) -> Option<u64> {
        let first = self.registry.placements.members(self.run.mesh?).first();
        let is_busy = first.and_then(|first| self.lanes.get(*first)).is_some_and(Lane::is_busy);
        self.run.held_since.filter(|_| !is_busy)
    }

    /// Whether a worker gets the run.
    pub(super) fn is_in_run(&self, worker: WorkerId) -> bool {
        self.run.mesh.is_some_and(|mesh| self.registry.placements.contains(mesh, worker))
    }

    /// Gives the run to its workers.
    pub(super) fn close_run(&mut self) {
        self.note_risk();
        let Some(mesh) = self.run.mesh.take() else { return };
        let batch = Arc::new(std::mem::take(&mut self.run.batch));
        let (urgent, cost_ns) = (self.run.urgent, self.run.cost_ns);
        (self.run.urgent, self.run.cost_ns, self.run.held_since) = (false, 0, None);
        self.run.signature = SignatureId::NONE;
        let marks = std::mem::take(&mut self.run.marks);
        if !batch.is_empty() {
            let members = self.registry.placements.members(mesh);
            for (index, &member) in members.iter().enumerate() {
                let lane = self.lanes.of(member);
                lane.mark_shared(&marks, index, members.len());
                lane.outgoing.push_shared(batch.clone(), cost_ns);
                if urgent {
                    lane.outgoing.hurry();
                }
            }
        }
    }

    fn open_run(&mut self, place: PlacementId) {
        let mesh = self.registry.placements.mesh(place);
        if self.run.mesh != Some(mesh) || self.run.is_full() {
            self.close_run();
            self.run.mesh = Some(mesh);
        }
        self.mark_run();
    }
}
