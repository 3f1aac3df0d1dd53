//! Fails instructions that make what is not finite of what is.

use gt_core::Error;

use super::run::Run;
use super::store::Stored;
use crate::check::{Check, NotFinite};
use crate::engine::{Engine, EngineValue};
use crate::plan::Register;

impl<E: Engine + ?Sized> Run<'_, E> {
    /// Looks at the results first: nearly all of them are finite, and then inputs do not matter.
    pub(super) fn check(&mut self, check: &Check) {
        let found = check.outputs.iter().find_map(|used| self.not_finite(used.register));
        let is_finite =
            |register| !self.has_failed(register) && self.not_finite(register).is_none();
        if let Some(found) = found
            && check.inputs.iter().all(|used| is_finite(used.register))
        {
            let name = check.origin.op.map_or("sum of parts", |op| op.name);
            let worker = check.origin.worker;
            let error = Error::runtime(format!(
                "{found} in the result of {name} on {worker}, although its inputs are finite"
            ));
            let failure = self.fail(error, check.origin);
            for used in &check.outputs {
                let register = &mut self.registers[used.register.0 as usize];
                if let Some(Stored::Value(value)) = register {
                    *register = Some(Stored::Failed(value.meta().clone(), failure.clone()));
                }
            }
        }
        for used in check.inputs.iter().chain(&check.outputs).filter(|used| used.last) {
            self.registers[used.register.0 as usize] = None;
        }
    }

    fn not_finite(&self, register: Register) -> Option<NotFinite> {
        match &self.registers[register.0 as usize] {
            Some(Stored::Value(value)) => NotFinite::among(value.meta().dtype, &value.to_bytes()),
            _ => None,
        }
    }
}
