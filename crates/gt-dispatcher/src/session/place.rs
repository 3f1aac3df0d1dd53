//! Where an instruction runs.

use gt_core::Result;
use gt_core::instruction::Instruction;
use tracing::{Level, enabled};

use super::commit::Said;
use super::{Session, lose};
use crate::context::Context;
use crate::decide::{Decision, Place, decide};
use crate::placements::PlacementId;

impl Session {
    /// Places an instruction: decides where it runs, and has it run there. It may also be left for
    /// the first use of its result, be taken apart, or be lost with one of its inputs.
    pub(super) fn place(&mut self, said: Said, context: &mut Context) -> Result<()> {
        if self.scopes.has_wishes() {
            self.clear_up();
            if self.defer(said.instruction)? {
                return Ok(());
            }
        }
        self.prepare_replaced(said.instruction, context)?;
        let (scopes, registry) = (&self.scopes, &self.registry);
        let mut decision = decide(said.instruction, scopes, registry, &mut self.caches)?;
        if enabled!(target: "gt::dispatcher", Level::DEBUG) {
            self.tell_decision(said.instruction, &decision)?;
        }
        self.note_decision(said.instruction, &decision);
        self.count_decision(&decision.place);
        match std::mem::replace(&mut decision.place, Place::Anywhere) {
            Place::Lost(failure) => self.enter_lost(said.instruction, decision.metas, &failure),
            Place::Parts(expansion) => self.place_expansion(said.instruction, &expansion, context),
            Place::Shared(shared) => {
                let how = (shared.chosen.mesh, Some(&*shared));
                self.commit(how, said, decision, context)
            }
            Place::On(mesh) => {
                let mesh = self.find_room(mesh, &said.instruction.inputs, context)?;
                self.commit((mesh, None), said, decision, context)
            }
            Place::Anywhere if self.is_deserted() => {
                self.enter_lost(said.instruction, decision.metas, &lose::no_worker())
            }
            Place::Anywhere => {
                let mesh = self.pick_worker(said.instruction, &decision, context)?;
                self.commit((mesh, None), said, decision, context)
            }
        }
    }

    /// Puts sums together that are to be replaced, and finds new places for what was lost.
    fn prepare_replaced(&mut self, said: &Instruction, context: &mut Context) -> Result<()> {
        for slot in said.replaces.slots() {
            if !self.accumulates(said, slot)? {
                self.resolve_sum(slot, context)?;
            }
            self.rehouse(slot)?;
        }
        Ok(())
    }

    /// The worker for an instruction that is computed whole.
    fn pick_worker(
        &mut self,
        said: &Instruction,
        decision: &Decision,
        context: &mut Context,
    ) -> Result<PlacementId> {
        self.charge_load(context);
        let bytes = decision.metas.iter().map(|meta| meta.bytes() as u64).sum();
        let worker = self.choose(&said.inputs, (decision.cost_ns(), bytes), context)?;
        self.registry.placements.whole(worker)
    }
}
