//! Composites that the dispatcher takes apart: where a row's own signatures would have inputs
//! moved, its parts are placed one by one.

use gt_core::attrs::{Attr, Attrs};
use gt_core::expr::{Emit, Evaluator, Subject, Term};
use gt_core::instruction::{Command, Instruction, Operand, Replaces};
use gt_core::op::{Op, Role};
use gt_core::ops::builtin::{CAST, PLACE};
use gt_core::{DType, Error, Provenance, Result, Slot};
use smallvec::SmallVec;

use super::Session;
use crate::context::Context;
use crate::decide::Expansion;

/// Places what an instruction is made of.
struct Parts<'a, 'b> {
    session: &'a mut Session,
    context: &'a mut Context<'b>,
    provenance: Provenance,
    /// The names of everything that was made.
    made: Vec<Slot>,
}

impl Session {
    /// Places an instruction by placing what it is made of.
    pub(super) fn place_expansion(
        &mut self,
        said: &Instruction,
        expansion: &Expansion,
        context: &mut Context,
    ) -> Result<()> {
        let provenance = said.provenance;
        let mut parts = Parts { session: self, context, provenance, made: Vec::new() };
        let inputs = parts.cast_inputs(said, expansion.compute)?;
        let subject = Subject { grads: &[], inputs: &inputs, outputs: &[] };
        let mut evaluator = Evaluator::new(&mut parts, subject);
        let results = expansion.formulas.iter().map(|formula| evaluator.evaluate(formula));
        let results: SmallVec<[Term<Slot>; 1]> = results.collect::<Result<_>>()?;
        let mut named: SmallVec<[Slot; 1]> = SmallVec::new();
        for result in results {
            let Term::Value(part) = result else {
                return Err(Error::bug(format!("{} expands to nothing", said.op.name)));
            };
            // A result that is an input, or another result, gets a name of its own.
            let is_own = parts.made.contains(&part) && !named.contains(&part);
            named.push(if is_own { part } else { parts.place(&PLACE, &[part], Attrs::none())? });
        }
        let made = parts.made;
        for (&part, &slot) in named.iter().zip(&said.outputs) {
            self.registry.rename(part, slot)?;
        }
        for part in made.into_iter().filter(|part| !named.contains(part)) {
            self.free(part)?;
        }
        Ok(())
    }
}

impl Parts<'_, '_> {
    /// The inputs, each in the dtype that its role asks for.
    fn cast_inputs(
        &mut self,
        said: &Instruction,
        compute: DType,
    ) -> Result<SmallVec<[Term<Slot>; 3]>> {
        let mut inputs = SmallVec::new();
        for (index, input) in said.inputs.iter().enumerate() {
            let slot = match input {
                Operand::Scalar(scalar) => {
                    inputs.push(Term::Scalar(*scalar));
                    continue;
                }
                Operand::Slot(slot) => *slot,
            };
            let dtype = match said.op.input(index).role {
                Role::Operand => Some(compute),
                Role::Index => Some(DType::I64),
                Role::Mask | Role::Any => None,
            };
            let found = self.session.registry.get(slot)?.meta.dtype;
            inputs.push(Term::Value(match dtype.filter(|dtype| *dtype != found) {
                Some(dtype) => self.place(&CAST, &[slot], Attrs::of([Attr::DType(dtype)]))?,
                None => slot,
            }));
        }
        Ok(inputs)
    }

    fn place(&mut self, op: &'static Op, inputs: &[Slot], attrs: Attrs) -> Result<Slot> {
        let terms: SmallVec<[Term<Slot>; 2]> =
            inputs.iter().map(|slot| Term::Value(*slot)).collect();
        Ok(self.emit(op, &terms, &attrs)?[0])
    }
}

impl Emit for Parts<'_, '_> {
    type Value = Slot;

    fn emit(
        &mut self,
        op: &'static Op,
        terms: &[Term<Slot>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Slot; 1]>> {
        let mut inputs: SmallVec<[Operand; 3]> = SmallVec::new();
        for term in terms {
            inputs.push(match term {
                Term::Value(slot) => Operand::Slot(*slot),
                Term::Scalar(scalar) => Operand::Scalar(*scalar),
                Term::Zero => return Err(Error::bug(format!("{}: an input is missing", op.name))),
            });
        }
        let registry = &mut self.session.registry;
        let outputs: SmallVec<[Slot; 1]> =
            op.outputs.iter().map(|_| registry.name_part()).collect();
        self.made.extend_from_slice(&outputs);
        let (attrs, provenance) = (attrs.clone(), self.provenance);
        let replaces = Replaces::default();
        let instruction =
            Instruction { op, outputs: outputs.clone(), inputs, attrs, replaces, provenance };
        self.session.rewrite(Command::Apply(instruction), self.context)?;
        Ok(outputs)
    }
}
