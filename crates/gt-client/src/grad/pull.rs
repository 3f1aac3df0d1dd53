//! One step of backward: a row's formulas, applied to the gradients of its results.

use std::sync::Arc;

use gt_core::attrs::{Attr, Attrs};
use gt_core::expr::{Emit, Evaluator, Expr, Subject, Term};
use gt_core::op::{Arg, Call, Op};
use gt_core::ops::builtin::{ANY, CAST, FULL, ISNAN, RESHAPE, SUM, ZEROS};
use gt_core::{Error, Meta, Result, Scalar, Shape};
use smallvec::SmallVec;

use super::mode;
use super::node::{Edge, Known, Node, Row, Saved};
use super::record::constant;
use super::sum::{self, Part, written};
use crate::input::Input;
use crate::provenance;
use crate::session::Session;
use crate::tensor::Tensor;

pub(super) type Gradients = SmallVec<[Option<Tensor>; 1]>;
/// What a node gives to the gradient of each of its inputs.
pub(super) type Pulled = SmallVec<[Option<sum::Term>; 2]>;

/// The gradients of a row's inputs, as far as `wanted` says, from those of its results.
pub(super) fn pull(
    node: &Arc<Node>,
    row: &Row,
    saved: &Saved,
    gradients: Gradients,
    wanted: impl Fn(&Edge) -> bool,
) -> Result<Pulled> {
    let session = gradients.iter().flatten().next().map(|gradient| gradient.session().clone());
    let session = session.ok_or_else(|| Error::bug("a node without gradients is visited"))?;
    let grads = row_gradients(node, row, &session, gradients)?;
    let (inputs, outputs) = (row_inputs(node, row, saved), row_outputs(node, saved));
    let subject = Subject { grads: &grads, inputs: &inputs, outputs: &outputs };
    let mut emitter = Emitter(&session);
    let mut evaluator = Evaluator::new(&mut emitter, subject);
    let mut pulled = Pulled::new();
    for ((formula, edge), known) in row.formulas.iter().zip(&node.edges).zip(&row.inputs) {
        let (Some(_), Known::Tensor(meta)) = (edge.as_ref().filter(|edge| wanted(edge)), known)
        else {
            pulled.push(None);
            continue;
        };
        if let Some((value, ranges)) = written(formula, meta)
            && let Term::Value(gradient) = evaluator.evaluate(value)?
            && gradient.dtype() == meta.dtype
        {
            let part = Part { ranges: ranges.to_vec(), gradient };
            pulled.push(Some(sum::Term::Part(part)));
            continue;
        }
        let gradient = match evaluator.evaluate(formula)? {
            Term::Value(gradient) => {
                let gradient = undo_broadcast(gradient, meta)?;
                knowing(row, formula, gradient, &inputs, &outputs)?
            }
            Term::Scalar(number) => filled(&session, meta, number)?,
            Term::Zero => filled(&session, meta, Scalar::Int(0))?,
        };
        pulled.push(Some(sum::Term::Whole(gradient)));
    }
    Ok(pulled)
}

/// A gradient that knows of the values in its formula, also if it does not change with them.
fn knowing(
    row: &Row,
    formula: &Expr,
    gradient: Tensor,
    inputs: &[Term<Tensor>],
    outputs: &[Term<Tensor>],
) -> Result<Tensor> {
    if !mode::is_enabled() || gradient.is_tracked() || !gradient.dtype().is_float() {
        return Ok(gradient);
    }
    let mentions = formula.mentions();
    let named = |terms: &[Term<Tensor>], bits: u64| -> Vec<Tensor> {
        let terms = terms.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
        let tensors = terms.filter_map(|(_, term)| match term {
            Term::Value(tensor) if tensor.is_tracked() => Some(tensor.clone()),
            _ => None,
        });
        tensors.collect()
    };
    let mut known = named(inputs, mentions.inputs);
    known.extend(named(outputs, mentions.outputs));
    if known.is_empty() {
        return Ok(gradient);
    }
    constant(row.op, &gradient, &known.iter().collect::<Vec<_>>())
}

/// The gradients of a row's results, with zeros for those that are mentioned and missing.
fn row_gradients(
    node: &Node,
    row: &Row,
    session: &Session,
    gradients: Gradients,
) -> Result<Vec<Term<Tensor>>> {
    let mut terms = Vec::with_capacity(gradients.len());
    for (output, gradient) in gradients.into_iter().enumerate() {
        let mentioned = || {
            row.formulas.iter().any(|formula| {
                let mut found = false;
                formula.visit(&mut |part| found |= matches!(part, Expr::Grad(n) if *n == output));
                found
            })
        };
        terms.push(match gradient {
            Some(gradient) => Term::Value(gradient),
            None if node.outputs[output].dtype.is_float() && mentioned() => {
                Term::Value(filled(session, &node.outputs[output], Scalar::Int(0))?)
            }
            None => Term::Zero,
        });
    }
    Ok(terms)
}

fn row_inputs(node: &Node, row: &Row, saved: &Saved) -> Vec<Term<Tensor>> {
    let mut terms = Vec::with_capacity(row.inputs.len());
    for (index, known) in row.inputs.iter().enumerate() {
        terms.push(match known {
            Known::Scalar(scalar) => Term::Scalar(*scalar),
            Known::Tensor(meta) => match saved.inputs.get(index).and_then(Option::as_ref) {
                Some(value) => {
                    let edge = node.edges[index].clone();
                    Term::Value(Tensor::saved(meta.clone(), value.clone(), edge))
                }
                None => Term::Zero,
            },
        });
    }
    terms
}

fn row_outputs(node: &Arc<Node>, saved: &Saved) -> Vec<Term<Tensor>> {
    let outputs = node.outputs.iter().enumerate().map(|(output, meta)| {
        match saved.outputs.get(output).and_then(Option::as_ref) {
            Some(value) => {
                let edge = Edge { node: node.clone(), output };
                let edge = meta.dtype.is_float().then_some(edge);
                Term::Value(Tensor::with_history(meta.clone(), value.clone(), edge))
            }
            None => Term::Zero,
        }
    });
    outputs.collect()
}

/// A gradient in the shape and dtype of the input it belongs to: summed where the input was
/// repeated.
fn undo_broadcast(mut gradient: Tensor, meta: &Meta) -> Result<Tensor> {
    let session = gradient.session().clone();
    if *gradient.shape() != meta.shape {
        let axes = repeated_axes(gradient.shape(), &meta.shape);
        if !axes.is_empty() {
            let attrs = Attrs::of([Attr::Ints(axes.into()), true.into(), Attr::None]);
            gradient = session.apply_one(&SUM, &[(&gradient).into()], attrs)?;
        }
        if *gradient.shape() != meta.shape {
            let attrs = Attrs::of([Attr::Ints(meta.shape.to_ints())]);
            gradient = session.apply_one(&RESHAPE, &[(&gradient).into()], attrs)?;
        }
    }
    if gradient.dtype() != meta.dtype {
        let attrs = Attrs::of([meta.dtype.into()]);
        gradient = session.apply_one(&CAST, &[(&gradient).into()], attrs)?;
    }
    Ok(gradient)
}

/// The axes along which `shape` was repeated to become `large`.
fn repeated_axes(large: &Shape, shape: &Shape) -> Vec<i64> {
    let added = large.rank().saturating_sub(shape.rank());
    let repeated = |axis: &usize| *axis < added || (shape[axis - added] == 1 && large[*axis] != 1);
    (0..large.rank()).filter(repeated).map(|axis| axis as i64).collect()
}

/// A tensor with the same number everywhere.
pub(super) fn filled(session: &Session, meta: &Meta, number: Scalar) -> Result<Tensor> {
    let (sizes, dtype) = (Attr::Ints(meta.shape.to_ints()), meta.dtype.into());
    match number {
        Scalar::Int(0) => session.apply_one(&ZEROS, &[], Attrs::of([sizes, dtype])),
        number => session.apply_one(&FULL, &[], Attrs::of([sizes, number.into(), dtype])),
    }
}

/// An error if a gradient is not a number; this waits for it.
pub(super) fn refuse_nan(node: &Node, gradient: &Tensor) -> Result<()> {
    let session = gradient.session();
    let strange = session.apply_one(&ISNAN, &[gradient.into()], Attrs::none())?;
    let all = Attrs::of([Attr::None, false.into()]);
    let any = session.apply_one(&ANY, &[(&strange).into()], all)?;
    if any.read()?.iter().all(|byte| *byte == 0) {
        return Ok(());
    }
    let place = provenance::place(node.provenance);
    let place = place.map(|place| format!(" (forward at {place})")).unwrap_or_default();
    let name = node.name();
    Err(Error::runtime(format!("Function '{name}' returned nan values in its gradient{place}")))
}

/// Computes formulas by applying their operations.
pub(crate) struct Emitter<'a>(pub &'a Session);

impl Emit for Emitter<'_> {
    type Value = Tensor;

    fn emit(
        &mut self,
        op: &'static Op,
        inputs: &[Term<Tensor>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Tensor; 1]>> {
        if mode::is_enabled() && op.records_expansion() {
            return self.expand(op, inputs, attrs);
        }
        let inputs = inputs.iter().map(|input| match input {
            Term::Value(tensor) => Ok(Input::Tensor(tensor)),
            Term::Scalar(scalar) => Ok(Input::Scalar(*scalar)),
            Term::Zero => Err(Error::bug(format!("{} needs a value that is not there", op.name))),
        });
        let inputs: SmallVec<[Input; 3]> = inputs.collect::<Result<_>>()?;
        self.0.apply(op, &inputs, attrs.clone())
    }
}

impl Emitter<'_> {
    /// Applies what an operation is made of: a gradient flows through its parts.
    fn expand(
        &mut self,
        op: &'static Op,
        inputs: &[Term<Tensor>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Tensor; 1]>> {
        let args = inputs.iter().map(|input| match input {
            Term::Value(tensor) => Ok(Arg::Tensor(tensor.meta())),
            Term::Scalar(scalar) => Ok(Arg::Scalar(*scalar)),
            Term::Zero => Err(Error::bug(format!("{} needs a value that is not there", op.name))),
        });
        let args: SmallVec<[Arg; 4]> = args.collect::<Result<_>>()?;
        let formulas = op.expansions(&Call::checked(op, &args, attrs)?);
        let subject = Subject { grads: &[], inputs, outputs: &[] };
        let mut evaluator = Evaluator::new(self, subject);
        let results = formulas.iter().map(|formula| match evaluator.evaluate(formula)? {
            Term::Value(tensor) => Ok(tensor),
            _ => Err(Error::bug(format!("{} expands to nothing", op.name))),
        });
        results.collect()
    }
}
