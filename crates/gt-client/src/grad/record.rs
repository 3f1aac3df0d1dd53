//! Tracing: which operations add a node to the gradient graph, and which values it keeps.

use std::sync::Arc;

use gt_core::attrs::Attrs;
use gt_core::expr::{Expr, Mentions};
use gt_core::op::{Arg, Call, Op};
use gt_core::ops::builtin::CAST;
use gt_core::{Meta, Result};
use gt_transport::lock::Mutex;
use smallvec::SmallVec;

use super::mode::is_enabled;
use super::node::{Backward, Edge, Kind, Known, Node, Row, Saved};
use crate::input::{Held, Input};
use crate::tensor::Tensor;

/// The edges of an operation's inputs; `None` for an input that requires no gradient.
pub(crate) type Edges = SmallVec<[Option<Edge>; 2]>;

/// The edges that an operation on these inputs would have; `None` if it adds no node.
pub(crate) fn edges(op: &Op, inputs: &[Input]) -> Result<Option<Edges>> {
    let tracked = |input: &Input| match input {
        Input::Tensor(tensor) => tensor.is_tracked(),
        Input::Scalar(_) => false,
    };
    if !inputs.iter().any(tracked) || !is_enabled() || !op.is_differentiable() {
        return Ok(None);
    }
    let mut edges = Edges::new();
    for input in inputs {
        edges.push(match input {
            Input::Tensor(tensor) if tensor.dtype().is_float() => tensor.edge()?,
            _ => None,
        });
    }
    Ok(edges.iter().any(Option::is_some).then_some(edges))
}

/// Adds the node that made `results`. It keeps what the gradients of tracked inputs mention.
pub(crate) fn add_node(
    op: &'static Op,
    inputs: &[Input],
    held: &[Held],
    attrs: &Attrs,
    edges: Edges,
    results: &[Tensor],
) -> Result<()> {
    if !results.iter().any(|result| result.dtype().is_float()) {
        return Ok(());
    }
    let args: SmallVec<[Arg; 4]> = inputs.iter().map(Input::arg).collect();
    let formulas = op.gradients(&Call { op, inputs: &args, attrs });
    let mut needed = Mentions::default();
    for (formula, _) in formulas.iter().zip(&edges).filter(|(_, edge)| edge.is_some()) {
        let mentions = formula.mentions();
        needed.inputs |= mentions.inputs;
        needed.outputs |= mentions.outputs;
    }
    let mut saved = Saved::default();
    if needed.inputs != 0 {
        let value = |(index, held): (usize, &Held)| match held {
            Held::Value(value) if needed.inputs >> index & 1 == 1 => Some(value.clone()),
            _ => None,
        };
        saved.inputs = held.iter().enumerate().map(value).collect();
    }
    if needed.outputs != 0 {
        for (index, result) in results.iter().enumerate() {
            let wanted = needed.outputs >> index & 1 == 1;
            saved.outputs.push(wanted.then(|| result.value()).transpose()?);
        }
    }
    let known = inputs.iter().map(|input| match input {
        Input::Tensor(tensor) => Known::Tensor(tensor.meta().clone()),
        Input::Scalar(scalar) => Known::Scalar(*scalar),
    });
    let saved = Mutex::new(Some(Arc::new(saved)));
    let row = Row { op, formulas, inputs: known.collect(), saved };
    connect(Node::new(Kind::Row(row), edges, metas(results)), results);
    Ok(())
}

/// The edge of a view, from the edge of what it is a view of. A view's gradient needs no values.
pub(crate) fn through(
    op: &'static Op,
    attrs: &Attrs,
    base: &Meta,
    view: &Meta,
    edge: Edge,
) -> Edge {
    let formulas = op.gradients(&Call { op, inputs: &[Arg::Tensor(base)], attrs });
    let inputs = SmallVec::from_iter([Known::Tensor(base.clone())]);
    let row = Row { op, formulas, inputs, saved: Mutex::new(Some(Arc::default())) };
    let (edges, outputs) = (Edges::from_iter([Some(edge)]), SmallVec::from_iter([view.clone()]));
    Edge { node: Node::new(Kind::Row(row), edges, outputs), output: 0 }
}

/// The edge of a tensor that another was written into: its gradient is that of the other, and the
/// gradient of what was there before is zero.
pub(crate) fn copied(target: &Meta, before: Option<Edge>, source: &Tensor) -> Result<Option<Edge>> {
    let edges = Edges::from_iter([before, source.edge()?]);
    if !target.dtype.is_float() || edges.iter().all(Option::is_none) {
        return Ok(None);
    }
    let known = |meta: &Meta| Known::Tensor(meta.clone());
    let inputs = SmallVec::from_iter([known(target), known(source.meta())]);
    let formulas = vec![Expr::Zero, Expr::Grad(0)];
    let row = Row { op: &CAST, formulas, inputs, saved: Mutex::new(Some(Arc::default())) };
    let outputs = SmallVec::from_iter([target.clone()]);
    Ok(Some(Edge { node: Node::new(Kind::Row(row), edges, outputs), output: 0 }))
}

/// A gradient that does not change with the values in its formula still knows of them, as in
/// PyTorch: it can be differentiated, and what comes of it is zero.
pub(super) fn constant(op: &'static Op, gradient: &Tensor, of: &[&Tensor]) -> Result<Tensor> {
    let mut edges = Edges::new();
    for tensor in of {
        edges.push(tensor.edge()?);
    }
    let inputs = of.iter().map(|tensor| Known::Tensor(tensor.meta().clone())).collect();
    let formulas = vec![Expr::Zero; of.len()];
    let row = Row { op, formulas, inputs, saved: Mutex::new(Some(Arc::default())) };
    let outputs = SmallVec::from_iter([gradient.meta().clone()]);
    let edge = Edge { node: Node::new(Kind::Row(row), edges, outputs), output: 0 };
    Ok(Tensor::with_history(gradient.meta().clone(), gradient.value()?, Some(edge)))
}

/// Adds the node of a function of the user's.
pub fn custom(
    name: String,
    function: Box<dyn Backward>,
    inputs: &[Tensor],
    results: &[Tensor],
) -> Result<()> {
    let edges = inputs.iter().map(|input| match input.dtype().is_float() {
        true => input.edge(),
        false => Ok(None),
    });
    let edges = edges.collect::<Result<Edges>>()?;
    connect(Node::new(Kind::Custom { name, function }, edges, metas(results)), results);
    Ok(())
}

fn metas(results: &[Tensor]) -> SmallVec<[Meta; 1]> {
    results.iter().map(|result| result.meta().clone()).collect()
}

fn connect(node: Arc<Node>, results: &[Tensor]) {
    for (output, result) in results.iter().enumerate() {
        if result.dtype().is_float() {
            result.set_edge(Edge { node: node.clone(), output });
        }
    }
}
