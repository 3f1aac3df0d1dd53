//! Values that are made at their first use: in the placement that the use wants, for no bytes.

use std::sync::Arc;

use gt_core::instruction::{Instruction, Operand, Replaces};
use gt_core::op::{Arg, Call};
use gt_core::rules::risk::Risk;
use gt_core::{Result, Slot};
use smallvec::SmallVec;

use super::Session;
use super::commit::Said;
use crate::context::Context;
use crate::decide::{Place, check_replaced, decide_for, signal};
use crate::placements::PlacementId;
use crate::recipe::{Ingredient, Recipe, Takes, takes};
use crate::registry::Entry;

impl Session {
    /// Leaves an instruction for the first use of its result, if it needs no data and nobody has
    /// said where its result should be; says whether it did.
    pub(super) fn defer(&mut self, request: &Instruction) -> Result<bool> {
        let &[slot] = &request.outputs[..] else { return Ok(false) };
        let mut slots =
            request.inputs.iter().enumerate().filter_map(|(index, input)| match input {
                Operand::Slot(slot) => Some((index, *slot)),
                Operand::Scalar(_) => None,
            });
        let (tensor, more) = (slots.next(), slots.next().is_some());
        // A wish is about what the program creates, and not about what composites are made of.
        let is_wished = signal(&self.scopes).is_some() && !(tensor.is_none() && slot.is_copy());
        if more || is_wished || request.op.data_dependent {
            return Ok(false);
        }
        let Some(mut recipe) = self.recipe(request, tensor)? else { return Ok(false) };
        recipe.by_program = !slot.is_copy();
        if let Some(old) = request.replaces.get(0) {
            let entry = self.registry.get(old)?;
            check_replaced(entry, request.op, &recipe.meta)?;
            // Until the client is told of a failure, nothing is replaced.
            if entry.recipe().is_none() || self.may_have_failed() {
                return Ok(false);
            }
            self.forget(old)?;
        }
        self.registry.insert(slot, Entry::deferred(Arc::new(recipe)))?;
        Ok(true)
    }

    /// The recipe of an instruction that has one tensor at most; `None` if it has to run.
    fn recipe(
        &mut self,
        request: &Instruction,
        tensor: Option<(usize, Slot)>,
    ) -> Result<Option<Recipe>> {
        let before = match tensor {
            None => None,
            Some((index, slot)) => match self.registry.get(slot)?.recipe() {
                Some(recipe) => Some((index, slot, recipe.clone())),
                None => return Ok(None),
            },
        };
        let arg = |input: &Operand| match input {
            Operand::Scalar(scalar) => Arg::Scalar(*scalar),
            Operand::Slot(_) => Arg::Tensor(&before.as_ref().expect("it is one").2.meta),
        };
        let args: SmallVec<[Arg; 4]> = request.inputs.iter().map(arg).collect();
        let call = Call { op: request.op, inputs: &args, attrs: &request.attrs };
        let inference = self.caches.infer(&call)?;
        if inference.risk != Risk::Memory {
            return Ok(None);
        }
        let first = match &before {
            None => None,
            Some((index, slot, recipe)) => match takes(&call, *index)? {
                Takes::Shape => Some(Arc::new(Recipe::blank(&recipe.meta, request.provenance))),
                // What several use is computed once.
                Takes::Elements => {
                    let entry = self.registry.get_mut(*slot)?;
                    if std::mem::replace(&mut entry.continued, true) {
                        return Ok(None);
                    }
                    Some(recipe.clone())
                }
                Takes::More => return Ok(None),
            },
        };
        let ingredient = |input: &Operand| match input {
            Operand::Scalar(scalar) => Ingredient::Scalar(*scalar),
            Operand::Slot(_) => Ingredient::Recipe(first.clone().expect("it is one")),
        };
        let inputs = request.inputs.iter().map(ingredient).collect();
        let meta = inference.metas[0].clone();
        Ok(Recipe::new(request.op, request.attrs.clone(), inputs, request.provenance, meta))
    }

    /// Whether something may have failed that the client was not told.
    fn may_have_failed(&mut self) -> bool {
        self.note_risk();
        !self.failure_barrier.is_quiet()
    }

    /// Makes a value that is only a recipe whole on a worker.
    pub(super) fn make_whole(&mut self, slot: Slot, context: &mut Context) -> Result<()> {
        if self.registry.get(slot)?.recipe().is_none() {
            return Ok(());
        }
        self.charge_load(context);
        let bytes = self.registry.get(slot)?.meta.bytes() as u64;
        let worker = self.choose(&[], (0, bytes), context)?;
        let place = self.registry.placements.whole(worker)?;
        self.make(slot, place, context)
    }

    /// Makes a value that is only a recipe in a placement, or in one from which that is reached for
    /// nothing.
    pub(super) fn make(
        &mut self,
        slot: Slot,
        place: PlacementId,
        context: &mut Context,
    ) -> Result<()> {
        let place = self.registry.placements.together(place)?;
        let Some(recipe) = self.registry.vacate(slot)? else { return Ok(()) };
        let mut parts: SmallVec<[Slot; 1]> = SmallVec::new();
        let mut inputs: SmallVec<[Operand; 3]> = SmallVec::new();
        for ingredient in &recipe.inputs {
            inputs.push(match ingredient {
                Ingredient::Scalar(scalar) => Operand::Scalar(*scalar),
                Ingredient::Recipe(before) => {
                    let part = self.registry.name_part();
                    self.registry.insert(part, Entry::deferred(before.clone()))?;
                    parts.push(part);
                    Operand::Slot(part)
                }
            });
        }
        let (outputs, replaces) = (SmallVec::from_slice(&[slot]), Replaces::default());
        let (op, attrs, provenance) = (recipe.op, recipe.attrs.clone(), recipe.provenance);
        let mut instruction = Instruction { op, outputs, inputs, attrs, replaces, provenance };
        let mut decision = decide_for(&instruction, place, &self.registry, &mut self.caches)?;
        debug_assert_eq!(decision.metas[0], recipe.meta);
        self.note_made(&decision);
        let said = Said { instruction: &mut instruction, record: None };
        match std::mem::replace(&mut decision.place, Place::Anywhere) {
            Place::Shared(shared) => {
                let how = (shared.chosen.mesh, Some(&*shared));
                self.commit(how, said, decision, context)?;
            }
            _ => {
                let mesh = self.registry.placements.mesh(place);
                self.commit((mesh, None), said, decision, context)?;
            }
        }
        parts.into_iter().try_for_each(|part| self.free(part))
    }
}
