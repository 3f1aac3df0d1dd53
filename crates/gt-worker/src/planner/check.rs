//! Plans to look whether results are finite. What is looked at is kept until then, so that nothing
//! is computed together with what comes after it or written over what came before it.

use gt_core::attrs::{Attr, Attrs};
use gt_core::dtype::Scalar;
use gt_core::expr::Term;
use smallvec::SmallVec;

use super::Planner;
use crate::check::Check;
use crate::plan::{Register, Step, Use};

impl Planner<'_> {
    /// Plans to look at the results of an instruction. Of one that was given a number that is not
    /// finite nothing else is expected, and one without inputs only follows its attributes.
    pub(super) fn check(&mut self, terms: &[Term<Register>], attrs: &Attrs, results: &[Register]) {
        let is_odd = |number: f64| !number.is_finite();
        let given = terms
            .iter()
            .any(|term| matches!(term, Term::Scalar(Scalar::Float(number)) if is_odd(*number)));
        if given || attrs.0.iter().any(|attr| matches!(attr, Attr::Float(value) if is_odd(*value)))
        {
            return;
        }
        let values = terms.iter().filter_map(|term| match term {
            Term::Value(register) => Some(*register),
            _ => None,
        });
        let values: SmallVec<[Register; 4]> = values.collect();
        if !values.is_empty() {
            self.check_values(&values, results);
        }
    }

    /// Plans to look at what is made of values.
    pub(super) fn check_values(&mut self, inputs: &[Register], results: &[Register]) {
        let floats = |registers: &[Register]| -> SmallVec<[Use; 3]> {
            let is_float = |register: &&Register| self.metas[register.0 as usize].dtype.is_float();
            registers.iter().filter(is_float).map(|register| Use::of(*register)).collect()
        };
        let (inputs, outputs) = (floats(inputs), floats(results));
        if !outputs.is_empty() {
            let check = Check { origin: self.origin, inputs, outputs };
            self.plan.steps.push(Step::Check(Box::new(check)));
        }
    }
}
