//! Instructions that run on every worker of a mesh.

use gt_core::attrs::{Attr, Attrs};
use gt_core::instruction::{Command, Instruction, Operand, Replaces};
use gt_core::op::{Arg, Call};
use gt_core::ops::builtin::CAST;
use gt_core::placement::{Cuts, Layout, Layouts};
use gt_core::{Meta, Provenance, Result, SignatureId, Slot, WorkerId};
use smallvec::SmallVec;

use super::Session;
use super::place::Target;
use crate::context::Context;
use crate::decide::{Decision, Request, Source, reshard};
use crate::placements::PlacementId;
use crate::registry::Entry;

impl Session {
    /// Enters the results of an instruction that runs on a mesh, and brings them to where they go
    /// from there. Gives who is to be told of the instruction, if nobody was.
    pub(super) fn place_results(
        &mut self,
        (mesh, signature): (PlacementId, SignatureId),
        (made, finals): (&[Layouts], &[Layouts]),
        request: &Request,
        decision: Decision,
        context: &mut Context,
    ) -> Result<Option<Target>> {
        let placements = &mut self.registry.placements;
        let mut places = |results: &[Layouts]| -> Result<SmallVec<[PlacementId; 1]>> {
            results.iter().map(|layouts| placements.with_layouts(mesh, layouts)).collect()
        };
        let (made, finals) = (places(made)?, places(finals)?);
        if request.replaces.is_empty() && made == finals {
            self.commit_on_mesh(mesh, request.outputs, &made, decision, context)?;
            return Ok(Some(Target::Mesh(mesh, signature)));
        }
        let is_alone = self.registry.placements.members(mesh).len() == 1;
        if !request.replaces.is_empty() && is_alone && made == finals {
            self.update_alone((mesh, signature), &made, request, decision, context)?;
            return Ok(None);
        }
        if !request.replaces.is_empty() {
            self.update_mesh((mesh, signature), (made, finals), request, decision, context)?;
            return Ok(None);
        }
        self.commit_on_mesh(mesh, request.outputs, &made, decision, context)?;
        self.emit_request((mesh, signature), request);
        for ((&slot, made), place) in request.outputs.iter().zip(made).zip(finals) {
            if made != place {
                self.bring_as(slot, place, context)?;
                self.drop_copy(slot, made)?;
            }
        }
        Ok(None)
    }

    /// Enters the results of an instruction that runs on a mesh.
    pub(super) fn commit_on_mesh(
        &mut self,
        mesh: PlacementId,
        outputs: &[Slot],
        places: &[PlacementId],
        decision: Decision,
        context: &Context,
    ) -> Result<()> {
        self.note_run_on(mesh);
        let bytes = decision.metas.iter().map(Meta::bytes).sum();
        let risk = self.risk(decision.risk);
        let ready_ns = self.charge_all(mesh, decision.cost_ns(), risk, bytes, context);
        for ((&slot, meta), &place) in outputs.iter().zip(decision.metas).zip(places) {
            let (spreads, copies) = (SmallVec::from_slice(&[(place, slot)]), decision.copies);
            let (accumulates, provenance) = (decision.accumulates, decision.provenance);
            let entry = Entry {
                ready_ns,
                spreads,
                copies,
                accumulates,
                provenance,
                ..Entry::nowhere(meta)
            };
            self.registry.insert(slot, entry)?;
        }
        Ok(())
    }

    /// Tells every worker of a mesh of an instruction, which replaces nothing yet.
    pub(super) fn emit_request(
        &mut self,
        (mesh, signature): (PlacementId, SignatureId),
        request: &Request,
    ) {
        let instruction = instruction(request, Replaces::default());
        self.emit_shared(mesh, signature, Command::Apply(instruction));
    }

    /// Replaces values on a mesh of one worker, which need not ask others whether they can.
    fn update_alone(
        &mut self,
        (mesh, signature): (PlacementId, SignatureId),
        places: &[PlacementId],
        request: &Request,
        decision: Decision,
        context: &mut Context,
    ) -> Result<()> {
        let old = self.bring_replaced_to_mesh(request.replaces, places, context)?;
        self.hear_failures(self.registry.placements.members(mesh)[0]);
        self.commit_on_mesh(mesh, request.outputs, places, decision, context)?;
        self.inherit_use(request)?;
        let instruction = instruction(request, Replaces(old.clone()));
        self.emit_shared(mesh, signature, Command::Apply(instruction));
        self.end_replaced_on_mesh(mesh, request.replaces, &old)
    }

    /// What takes the place of a value is used as that was.
    fn inherit_use(&mut self, request: &Request) -> Result<()> {
        for (result, &slot) in request.outputs.iter().enumerate() {
            if let Some(replaced) = request.replaces.get(result) {
                let Entry { copies, accumulates, .. } = *self.registry.get(replaced)?;
                let entry = self.registry.get_mut(slot)?;
                (entry.copies, entry.accumulates) = (copies, accumulates);
            }
        }
        Ok(())
    }

    /// Replaces values on a mesh, on all of its workers or on none. The results are made beside the
    /// old values; once no worker has failed they take their places, under the names of copies.
    fn update_mesh(
        &mut self,
        (mesh, signature): (PlacementId, SignatureId),
        (made, finals): (SmallVec<[PlacementId; 1]>, SmallVec<[PlacementId; 1]>),
        request: &Request,
        decision: Decision,
        context: &mut Context,
    ) -> Result<()> {
        let metas = decision.metas.clone();
        let old = self.bring_replaced_to_mesh(request.replaces, &finals, context)?;
        self.commit_on_mesh(mesh, request.outputs, &made, decision, context)?;
        self.emit_request((mesh, signature), request);
        for ((&slot, made), place) in request.outputs.iter().zip(made).zip(&finals) {
            if made != *place {
                self.bring_as(slot, *place, context)?;
                self.drop_copy(slot, made)?;
            }
        }
        self.vote(mesh, request.outputs)?;
        self.inherit_use(request)?;
        for (result, (&slot, old)) in request.outputs.iter().zip(&old).enumerate() {
            let (Some(old), meta) = (*old, &metas[result]) else { continue };
            let name = self.registry.name_copy();
            let (place, made) = self.registry.get(slot)?.spreads[0];
            self.emit_renamed(place, (made, name), Some(old), meta)?;
            self.emit_all(mesh, Command::Free([made].into_iter().collect()));
            self.registry.end_copy(made);
            self.registry.get_mut(slot)?.spreads[0].1 = name;
        }
        // Their names end last: no copy that was made meanwhile may have one of them.
        self.end_replaced_on_mesh(mesh, request.replaces, &old)
    }

    /// Gives a value on a mesh another name, in the place of one that it replaces.
    pub(super) fn emit_renamed(
        &mut self,
        place: PlacementId,
        (name, slot): (Slot, Slot),
        replaced: Option<Slot>,
        meta: &Meta,
    ) -> Result<()> {
        let placements = &self.registry.placements;
        let (mesh, placement) = (placements.mesh(place), placements.get(place));
        let instruction = renamed(name, slot, replaced, meta);
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
        self.emit_shared(mesh, signature, Command::Apply(instruction));
        Ok(())
    }

    /// Ends what a value is in one placement, if it is in others.
    pub(super) fn drop_copy(&mut self, slot: Slot, place: PlacementId) -> Result<()> {
        let entry = self.registry.get_mut(slot)?;
        let is_elsewhere = entry.spreads.len() + entry.holders.len() > 1;
        let found = entry.spreads.iter().position(|(known, _)| *known == place);
        let Some(found) = found.filter(|_| is_elsewhere) else { return Ok(()) };
        let (_, name) = entry.spreads.remove(found);
        self.registry.end_copy(name);
        self.emit_all(place, Command::Free([name].into_iter().collect()));
        Ok(())
    }

    /// The names that values have on a mesh which are replaced there; one that is lost has no place
    /// to take.
    fn bring_replaced_to_mesh(
        &mut self,
        replaces: &Replaces,
        places: &[PlacementId],
        context: &mut Context,
    ) -> Result<SmallVec<[Option<Slot>; 1]>> {
        let mut names: SmallVec<[Option<Slot>; 1]> = SmallVec::new();
        for (old, place) in replaces.0.iter().zip(places) {
            names.push(match *old {
                Some(slot) if self.registry.get(slot)?.lost.is_none() => {
                    Some(self.bring_as(slot, *place, context)?)
                }
                _ => None,
            });
        }
        Ok(names)
    }

    /// Ends values that were replaced on a mesh, where they had these names. They may have had them
    /// on other workers too.
    fn end_replaced_on_mesh(
        &mut self,
        mesh: PlacementId,
        replaces: &Replaces,
        names: &[Option<Slot>],
    ) -> Result<()> {
        let members: SmallVec<[WorkerId; 8]> = self.registry.placements.members(mesh).into();
        for (old, name) in replaces.0.iter().zip(names) {
            let Some(slot) = *old else { continue };
            let entry = self.forget(slot)?;
            for (worker, name) in entry.holders {
                self.emit_free(worker, name);
            }
            self.free_spreads(entry.spreads, name.map(|name| (&members[..], name)));
        }
        Ok(())
    }

    /// The name of a value on every worker of a mesh, after having it handed over to those that do
    /// not have it.
    pub(super) fn bring_to_mesh(
        &mut self,
        slot: Slot,
        mesh: PlacementId,
        context: &mut Context,
    ) -> Result<Slot> {
        let entry = self.registry.get(slot)?;
        if let Some(name) = self.registry.name_on_mesh(entry, mesh) {
            return Ok(name);
        }
        let meta = entry.meta.clone();
        let name = self.registry.name_copy();
        let members: SmallVec<[WorkerId; 8]> = self.registry.placements.members(mesh).into();
        for member in members {
            match reshard(self.registry.get(slot)?, member, &self.registry)? {
                Source::Here(here) => {
                    let again = renamed(here, name, None, &meta);
                    self.emit(member, Command::Apply(again));
                }
                Source::From(home, there) => {
                    self.transfer(&meta, (home, there), (member, name), context)?;
                }
            }
        }
        self.registry.get_mut(slot)?.spreads.push((mesh, name));
        Ok(name)
    }
}

/// What a worker is told of a request.
fn instruction(request: &Request, replaces: Replaces) -> Instruction {
    Instruction {
        op: request.op,
        outputs: request.outputs.iter().copied().collect(),
        inputs: request.inputs.iter().copied().collect(),
        attrs: request.attrs.clone(),
        replaces,
        provenance: request.provenance,
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
