//! Gradients of any order, made of the rows' formulas alone.

use gt_core::attrs::Attrs;
use gt_core::expr::Expr::{self, Input};
use gt_core::expr::{Emit, Evaluator, Subject, Term};
use gt_core::op::{Call, Op};
use gt_core::ops::builtin::{cast, reshape, sum};
use gt_core::{Error, Meta, Result, Shape};
use smallvec::SmallVec;

use super::array::Array;
use super::{Machine, args};

/// The place of a value on the tape.
pub type Place = usize;

/// Everything that was computed, in order.
pub struct Tape<'a> {
    machine: Machine<'a>,
    values: Vec<Array>,
    steps: Vec<Step>,
}

struct Step {
    op: &'static Op,
    inputs: Vec<Term<Place>>,
    attrs: Attrs,
    outputs: Vec<Place>,
}

impl<'a> Tape<'a> {
    /// A tape with nothing on it.
    pub fn new(machine: Machine<'a>) -> Self {
        Tape { machine, values: Vec::new(), steps: Vec::new() }
    }

    /// A value from outside.
    pub fn push(&mut self, value: Array) -> Place {
        self.values.push(value);
        self.values.len() - 1
    }

    /// The value at a place.
    pub fn value(&self, place: Place) -> &Array {
        &self.values[place]
    }

    fn meta(&self, place: Place) -> Meta {
        self.values[place].meta.clone()
    }

    fn known(&self, term: &Term<Place>) -> Term<Array> {
        match term {
            Term::Value(place) => Term::Value(self.values[*place].clone()),
            Term::Scalar(scalar) => Term::Scalar(*scalar),
            Term::Zero => Term::Zero,
        }
    }

    /// A formula of one value.
    fn apply(&mut self, formula: &Expr, inputs: &[Term<Place>]) -> Result<Place> {
        let subject = Subject { grads: &[], inputs, outputs: &[] };
        match Evaluator::new(self, subject).evaluate(formula)? {
            Term::Value(place) => Ok(place),
            other => Err(Error::bug(format!("{formula} is {other:?}"))),
        }
    }

    /// The gradients of the sum of `outputs` times `weights` by each of `inputs`; absent where
    /// nothing flows.
    pub fn gradients(
        &mut self,
        outputs: &[(Place, Place)],
        inputs: &[Place],
    ) -> Result<Vec<Option<Place>>> {
        let mut grads: Vec<Option<Place>> = vec![None; self.values.len()];
        for &(output, weight) in outputs {
            self.accumulate(&mut grads, output, weight)?;
        }
        for index in (0..self.steps.len()).rev() {
            let step = &self.steps[index];
            let flows = step.outputs.iter().any(|&output| grads[output].is_some());
            if flows && step.op.is_differentiable() {
                self.step_back(index, &mut grads)?;
            }
        }
        Ok(inputs.iter().map(|&input| grads[input]).collect())
    }

    fn step_back(&mut self, index: usize, grads: &mut [Option<Place>]) -> Result<()> {
        let Step { op, inputs, attrs, outputs } = &self.steps[index];
        let (op, inputs, attrs) = (*op, inputs.clone(), attrs.clone());
        let known: Vec<Term<Array>> = inputs.iter().map(|input| self.known(input)).collect();
        let made = outputs.clone();
        let outputs: Vec<Term<Place>> = made.iter().map(|&place| Term::Value(place)).collect();
        let args = args(&known);
        let formulas = op.gradients(&Call::checked(op, &args, &attrs)?);
        let mut arrived: Vec<Term<Place>> = Vec::with_capacity(made.len());
        for (output, &place) in made.iter().enumerate() {
            // A gradient that is mentioned and did not arrive is zero.
            arrived.push(match grads[place] {
                Some(gradient) => Term::Value(gradient),
                None if mentions(&formulas, output) && self.meta(place).dtype.is_float() => {
                    Term::Value(self.push(Array::full(self.meta(place), 0.0)))
                }
                None => Term::Zero,
            });
        }
        if formulas.len() != inputs.len() {
            let (found, expected) = (formulas.len(), inputs.len());
            return Err(Error::bug(format!("{found} gradients for {expected} inputs")));
        }
        let subject = Subject { grads: &arrived, inputs: &inputs, outputs: &outputs };
        let mut evaluator = Evaluator::new(self, subject);
        let gradients = formulas.iter().map(|formula| evaluator.evaluate(formula));
        let gradients = gradients.collect::<Result<Vec<_>>>()?;
        for (input, gradient) in inputs.iter().zip(gradients) {
            if let (&Term::Value(input), Term::Value(gradient)) = (input, gradient)
                && self.values[input].meta.dtype.is_float()
            {
                self.accumulate(grads, input, gradient)?;
            }
        }
        Ok(())
    }

    fn accumulate(
        &mut self,
        grads: &mut [Option<Place>],
        place: Place,
        gradient: Place,
    ) -> Result<()> {
        let gradient = self.unbroadcast(gradient, &self.meta(place))?;
        grads[place] = Some(match grads[place] {
            Some(other) => {
                let both = [Term::Value(other), Term::Value(gradient)];
                self.apply(&(Input(0) + Input(1)), &both)?
            }
            None => gradient,
        });
        Ok(())
    }

    /// A gradient summed over what the value was repeated along, in the value's dtype.
    fn unbroadcast(&mut self, gradient: Place, meta: &Meta) -> Result<Place> {
        let shape: Shape = self.meta(gradient).shape;
        if !meta.shape.expands_to(&shape) {
            return Err(Error::bug(format!("a gradient of shape {shape} for {meta}")));
        }
        let added = shape.rank() - meta.shape.rank();
        let repeated = |axis: &usize| *axis < added || meta.shape[axis - added] != shape[*axis];
        let axes: Vec<i64> = (0..shape.rank()).filter(repeated).map(|axis| axis as i64).collect();
        let mut formula = Input(0);
        if !axes.is_empty() {
            formula = reshape(sum(formula, &axes, true), &meta.shape);
        }
        if self.meta(gradient).dtype != meta.dtype {
            formula = cast(formula, meta.dtype);
        }
        match formula {
            Expr::Apply(..) => self.apply(&formula, &[Term::Value(gradient)]),
            _ => Ok(gradient),
        }
    }

    /// The sum of a value times weights.
    pub fn weighted(&mut self, value: Place, weights: Place) -> Result<Place> {
        let formula = sum(Input(0) * Input(1), &[], false);
        self.apply(&formula, &[Term::Value(value), Term::Value(weights)])
    }
}

/// Whether one of the formulas is about the gradient of a result.
fn mentions(formulas: &[Expr], output: usize) -> bool {
    let mut found = false;
    for formula in formulas {
        formula.visit(&mut |part| found |= matches!(part, Expr::Grad(n) if *n == output));
    }
    found
}

impl Emit for Tape<'_> {
    type Value = Place;

    fn emit(
        &mut self,
        op: &'static Op,
        inputs: &[Term<Place>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Place; 1]>> {
        let known: Vec<Term<Array>> = inputs.iter().map(|input| self.known(input)).collect();
        if op.records_expansion() {
            let args = args(&known);
            let formulas = op.expansions(&Call::checked(op, &args, attrs)?);
            return formulas.iter().map(|formula| self.apply(formula, inputs)).collect();
        }
        let results = self.machine.run(op, &known, attrs)?;
        let outputs: Vec<Place> = results.into_iter().map(|value| self.push(value)).collect();
        let places = outputs.iter().copied().collect();
        self.steps.push(Step { op, inputs: inputs.to_vec(), attrs: attrs.clone(), outputs });
        Ok(places)
    }
}
