//! Gives an instruction to the workers of a mesh: its inputs are brought there, its results are
//! entered, and what they replace ends. All of it on one worker is a mesh of one.

use std::sync::Arc;

use gt_core::attrs::{Attr, Attrs};
use gt_core::instruction::{Instruction, Operand, Replaces};
use gt_core::op::{Arg, Call};
use gt_core::ops::builtin::CAST;
use gt_core::placement::{Cuts, Layout, Layouts};
use gt_core::record::Record;
use gt_core::{Meta, Provenance, Result, SignatureId, Slot};
use gt_transport::Failure;
use smallvec::SmallVec;

use super::Session;
use crate::context::Context;
use crate::decide::{Decision, Shared};
use crate::placements::PlacementId;
use crate::registry::{Entry, Places, State};

/// The names of replaced values where they are replaced; one that is lost has no place to take.
type Replaced = SmallVec<[Option<Slot>; 1]>;

/// An instruction as the client gave it, under the client's names.
pub(super) struct Said<'a> {
    pub(super) instruction: &'a mut Instruction,
    /// The same in the form in which it came, if that was short.
    pub(super) record: Option<Record>,
}

impl Session {
    /// Runs an instruction on every worker of a mesh: each does its share, or all of it if nothing
    /// is shared.
    pub(super) fn commit(
        &mut self,
        (mesh, shared): (PlacementId, Option<&Shared>),
        said: Said,
        decision: Decision,
        context: &mut Context,
    ) -> Result<()> {
        let passing = self.bring_inputs((mesh, shared), said.instruction, context)?;
        let signature = match shared {
            Some(shared) => self.signature(mesh, &shared.chosen.cuts)?,
            None => SignatureId::NONE,
        };
        if said.instruction.replaces.is_empty() {
            self.run((mesh, signature), shared, said, decision, context)?;
        } else if self.registry.placements.members(mesh).len() == 1 {
            self.update_alone(mesh, said, decision, context)?;
        } else {
            self.update_all((mesh, signature), shared, said, decision, context)?;
        }
        // A copy that is dropped after its use must outlive the command that uses it.
        for (slot, place) in passing {
            // An update has ended its old value with all copies.
            if self.registry.get(slot).is_ok() {
                self.drop_copy(slot, place)?;
            }
        }
        Ok(())
    }

    /// Brings the inputs to where they are used, and leaves the names that they have there. Gives
    /// the copies that are not kept.
    fn bring_inputs(
        &mut self,
        (mesh, shared): (PlacementId, Option<&Shared>),
        instruction: &mut Instruction,
        context: &mut Context,
    ) -> Result<SmallVec<[(Slot, PlacementId); 1]>> {
        let mut passing = SmallVec::new();
        for (index, input) in instruction.inputs.iter_mut().enumerate() {
            let Operand::Slot(slot) = *input else { continue };
            let place = self.place_of(mesh, shared.map(|it| &it.chosen.inputs[index]))?;
            let entry = self.registry.get(slot)?;
            let name = match self.registry.name_at(entry, place) {
                Some(name) => name,
                None => {
                    if !(entry.copies.kept && shared.is_none_or(|shared| shared.keep)) {
                        passing.push((slot, place));
                    }
                    self.bring(slot, place, context)?
                }
            };
            self.in_use.push(name);
            *input = Operand::Slot(name);
        }
        Ok(passing)
    }

    /// Runs an instruction that replaces nothing, and brings its results to where they go.
    fn run(
        &mut self,
        (mesh, signature): (PlacementId, SignatureId),
        shared: Option<&Shared>,
        said: Said,
        decision: Decision,
        context: &mut Context,
    ) -> Result<()> {
        self.enter((mesh, shared), said.instruction, decision, context)?;
        self.emit_instruction((mesh, signature), &said);
        self.move_results((mesh, shared), &said.instruction.outputs, context)
    }

    /// Replaces values on one worker, which need not ask others whether they can.
    fn update_alone(
        &mut self,
        mesh: PlacementId,
        said: Said,
        decision: Decision,
        context: &mut Context,
    ) -> Result<()> {
        let replaces = said.instruction.replaces.clone();
        let places = replaces.0.iter().map(|_| mesh).collect();
        let old = self.bring_replaced(&replaces, places, context)?;
        self.hear_failures(self.registry.placements.members(mesh)[0]);
        self.enter((mesh, None), said.instruction, decision, context)?;
        self.inherit_use(&said.instruction.outputs, &replaces)?;
        said.instruction.replaces = Replaces(old.clone());
        self.emit_instruction((mesh, SignatureId::NONE), &said);
        self.end_replaced(mesh, &replaces, &old)
    }

    /// Replaces values on a mesh, on all of its workers or on none. The results are made beside the
    /// old values; once no worker has failed they take their places, under the names of copies.
    fn update_all(
        &mut self,
        (mesh, signature): (PlacementId, SignatureId),
        shared: Option<&Shared>,
        said: Said,
        decision: Decision,
        context: &mut Context,
    ) -> Result<()> {
        let replaces = std::mem::take(&mut said.instruction.replaces);
        let mut places = SmallVec::new();
        for result in 0..replaces.0.len() {
            places.push(self.place_of(mesh, shared.map(|shared| &shared.finals[result]))?);
        }
        let old = self.bring_replaced(&replaces, places, context)?;
        self.enter((mesh, shared), said.instruction, decision, context)?;
        let said = Said { record: None, ..said };
        self.emit_instruction((mesh, signature), &said);
        let outputs = &said.instruction.outputs;
        self.move_results((mesh, shared), outputs, context)?;
        self.vote(mesh, outputs)?;
        self.inherit_use(outputs, &replaces)?;
        for (&slot, old) in outputs.iter().zip(&old) {
            let Some(old) = *old else { continue };
            let name = self.registry.name_copy();
            let entry = self.registry.get(slot)?;
            let ((place, made), meta) = (entry.at[0], entry.meta.clone());
            self.emit_renamed(place, (made, name), Some(old), &meta)?;
            self.emit_free_all(mesh, made);
            self.registry.end_copy(made);
            self.registry.get_mut(slot)?.at[0].1 = name;
        }
        // Their names end last: no copy that was made meanwhile may have one of them.
        self.end_replaced(mesh, &replaces, &old)
    }

    /// Enters the results of an instruction that runs on a mesh.
    fn enter(
        &mut self,
        (mesh, shared): (PlacementId, Option<&Shared>),
        instruction: &Instruction,
        decision: Decision,
        context: &mut Context,
    ) -> Result<()> {
        self.note_run_on(mesh);
        let bytes = decision.metas.iter().map(Meta::bytes).sum();
        let risk = self.risk(decision.risk);
        let ready_ns = self.charge(mesh, decision.cost_ns(), (risk, bytes), context);
        let Decision { copies, accumulates, .. } = decision;
        for (result, meta) in decision.metas.into_iter().enumerate() {
            let made = self.place_of(mesh, shared.map(|it| &it.chosen.outputs[result]))?;
            let slot = instruction.outputs[result];
            let entry = Entry {
                state: if instruction.op.data_dependent { State::Awaited } else { State::There },
                provenance: instruction.provenance,
                ready_ns,
                at: Places::from_slice(&[(made, slot)]),
                copies,
                accumulates,
                ..Entry::new(meta)
            };
            self.registry.insert(slot, entry)?;
        }
        Ok(())
    }

    /// How something lies on a mesh; all of it on each worker if nothing else is said.
    #[inline]
    fn place_of(&mut self, mesh: PlacementId, layouts: Option<&Layouts>) -> Result<PlacementId> {
        match layouts {
            Some(layouts) => self.registry.placements.with_layouts(mesh, layouts),
            None => Ok(mesh),
        }
    }

    /// Brings results to where they go from where they were made.
    fn move_results(
        &mut self,
        (mesh, shared): (PlacementId, Option<&Shared>),
        outputs: &[Slot],
        context: &mut Context,
    ) -> Result<()> {
        let Some(Shared { chosen, finals, .. }) = shared else { return Ok(()) };
        for ((&slot, made), last) in outputs.iter().zip(&chosen.outputs).zip(finals) {
            if made != last {
                let last = self.registry.placements.with_layouts(mesh, last)?;
                self.bring(slot, last, context)?;
                // It rests there, and not where it was made or what it passed on its way.
                let at = self.registry.get(slot)?.at.clone();
                for (place, _) in at.into_iter().filter(|(place, _)| *place != last) {
                    self.drop_copy(slot, place)?;
                }
            }
        }
        Ok(())
    }

    /// What takes the place of a value is used as that was.
    fn inherit_use(&mut self, outputs: &[Slot], replaces: &Replaces) -> Result<()> {
        for (result, &slot) in outputs.iter().enumerate() {
            if let Some(replaced) = replaces.get(result) {
                let Entry { copies, accumulates, .. } = *self.registry.get(replaced)?;
                let entry = self.registry.get_mut(slot)?;
                (entry.copies, entry.accumulates) = (copies, accumulates);
            }
        }
        Ok(())
    }

    /// The names of values in the placements where they are replaced.
    fn bring_replaced(
        &mut self,
        replaces: &Replaces,
        places: SmallVec<[PlacementId; 1]>,
        context: &mut Context,
    ) -> Result<Replaced> {
        let mut names = Replaced::new();
        for (old, place) in replaces.0.iter().zip(places) {
            names.push(match *old {
                Some(slot) if self.registry.get(slot)?.loss().is_none() => {
                    Some(self.bring(slot, place, context)?)
                }
                _ => None,
            });
        }
        Ok(names)
    }

    /// Ends values that were replaced on a mesh, where they had these names. They may have had them
    /// on other workers too.
    fn end_replaced(
        &mut self,
        mesh: PlacementId,
        replaces: &Replaces,
        names: &[Option<Slot>],
    ) -> Result<()> {
        for (old, kept) in replaces.0.iter().zip(names) {
            let Some(slot) = *old else { continue };
            for (place, name) in self.forget(slot)?.at {
                if *kept != Some(name) {
                    self.emit_free_all(place, name);
                    continue;
                }
                let (placements, mut others) = (&self.registry.placements, Vec::new());
                let members = placements.members(place).iter();
                others.extend(members.filter(|member| !placements.contains(mesh, **member)));
                others.into_iter().for_each(|other| self.emit_free(other, name));
            }
        }
        Ok(())
    }

    /// Gives a value on a mesh another name, in the place of one that it replaces.
    fn emit_renamed(
        &mut self,
        place: PlacementId,
        (name, slot): (Slot, Slot),
        replaced: Option<Slot>,
        meta: &Meta,
    ) -> Result<()> {
        let placements = &self.registry.placements;
        let (mesh, placement) = (placements.mesh(place), placements.get(place));
        let mut instruction = renamed(name, slot, replaced, meta);
        let inputs = [Arg::Tensor(meta)];
        let call = Call { op: instruction.op, inputs: &inputs, attrs: &instruction.attrs };
        let factors = (instruction.op.shard)(&call);
        let layouts = placement.layouts().iter().enumerate();
        let cuts: Cuts = layouts
            .map(|(axis, layout)| match layout {
                Layout::Shard(cut) => factors.letter_of(0, cut, placement.mesh().size(axis)),
                _ => None,
            })
            .collect();
        let signature = self.signature(mesh, &cuts)?;
        let said = Said { instruction: &mut instruction, record: None };
        self.emit_instruction((mesh, signature), &said);
        Ok(())
    }

    /// Enters the results of an instruction whose inputs are lost. An update keeps the old value
    /// under the name of its result; copies keep the names they have.
    pub(super) fn enter_lost(
        &mut self,
        instruction: &Instruction,
        metas: SmallVec<[Meta; 1]>,
        failure: &Arc<Failure>,
    ) -> Result<()> {
        for (result, (&slot, meta)) in instruction.outputs.iter().zip(metas).enumerate() {
            let Some(old) = instruction.replaces.get(result) else {
                let (state, provenance) = (State::lost(failure.clone()), instruction.provenance);
                let lost = Entry { state, provenance, ..Entry::new(meta) };
                self.registry.insert(slot, lost)?;
                continue;
            };
            let mut entry = self.registry.take(old)?;
            for (place, name) in entry.at.iter_mut().filter(|(_, name)| *name == old) {
                self.emit_renamed(*place, (old, slot), Some(old), &entry.meta)?;
                *name = slot;
            }
            self.registry.end_copy(old);
            if entry.loss().is_none() {
                self.note_missing_update(instruction, slot, failure);
            }
            self.registry.insert(slot, entry)?;
        }
        Ok(())
    }

    /// An update keeps the old value, because an input is lost. Reading that value would raise
    /// nothing, so the client is told at its next request.
    fn note_missing_update(&mut self, instruction: &Instruction, slot: Slot, cause: &Failure) {
        let name = instruction.op.name;
        let error = cause.error.clone().within("an input is lost, the old value stays");
        self.failure_barrier.note(&Failure {
            error: error.within(name),
            instruction: format!("{slot} := {name}"),
            slot,
            provenance: instruction.provenance,
            ..cause.clone()
        });
    }

    /// Ends what a value is in one placement, if it is in others.
    pub(super) fn drop_copy(&mut self, slot: Slot, place: PlacementId) -> Result<()> {
        if self.registry.get(slot)?.at.len() > 1
            && let Some(name) = self.registry.drop_place(slot, place)?
        {
            self.emit_free_all(place, name);
        }
        Ok(())
    }
}

/// A value under another name, in the place of one that it replaces.
pub(super) fn renamed(name: Slot, slot: Slot, replaced: Option<Slot>, meta: &Meta) -> Instruction {
    Instruction {
        op: &CAST,
        outputs: [slot].into_iter().collect(),
        inputs: [Operand::Slot(name)].into_iter().collect(),
        attrs: Attrs::of([Attr::DType(meta.dtype)]),
        replaces: Replaces::first(replaced),
        provenance: Provenance::UNKNOWN,
    }
}
