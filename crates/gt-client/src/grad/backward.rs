//! Backward: visits nodes in the reverse order of their creation. Each turns the gradients of its
//! results into those of its inputs by applying its row's formulas.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use gt_core::attrs::Attrs;
use gt_core::ops::builtin::ADD;
use gt_core::{Error, Result};
use smallvec::SmallVec;

use super::mode;
use super::node::{Edge, Gradient, Kind, Node, Row, Saved};
use super::pull::{Gradients, Pulled, filled, pull, refuse_nan};
use super::sum::{Sum, Term};
use crate::tensor::Tensor;
use crate::{autocast, provenance, scope};

/// The arguments of backward.
pub struct Request<'a> {
    /// What to differentiate, and the gradient of each; ones for a single element if not given.
    pub outputs: &'a [(Tensor, Option<Tensor>)],
    /// By what to differentiate: their gradients are given back. `None` lets every leaf that is
    /// met accumulate its gradient instead.
    pub inputs: Option<&'a [Tensor]>,
    /// Whether the graph can be used again.
    pub retain_graph: bool,
    /// Whether the gradients can be differentiated in turn.
    pub create_graph: bool,
}

/// Computes the gradients; for each of the wanted inputs, its own if it has one.
pub fn run(request: &Request) -> Result<Vec<Option<Tensor>>> {
    let wanted = request.inputs.map(|inputs| inputs.iter().map(wanted_edge).collect());
    Walk::new(request, wanted.transpose()?, Beyond::Wanted)?.run()
}

/// Computes the gradients of `outputs` by the results that `edges` lead to, and stops there.
pub(super) fn run_to(request: &Request, edges: &[Edge]) -> Result<Vec<Option<Tensor>>> {
    Walk::new(request, Some(edges.to_vec()), Beyond::Nothing)?.run()
}

fn wanted_edge(input: &Tensor) -> Result<Edge> {
    input.edge()?.ok_or_else(|| {
        Error::runtime("one of the tensors to differentiate by does not require grad")
    })
}

/// What is visited beyond a result whose gradient is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beyond {
    /// What leads to others that are asked for.
    Wanted,
    Nothing,
}

/// The gradient of each result of a node.
type Sums = SmallVec<[Sum; 1]>;

/// When a node is visited: by its order, and a leaf after the first node that has an edge to it.
/// Its gradient takes its place in `.grad` then, and does not wait beside those of other leaves.
type Turn = (u64, u64);

struct Walk<'a> {
    request: &'a Request<'a>,
    /// Nodes whose gradients are being gathered; the last one is visited next.
    waiting: BTreeMap<Turn, (Arc<Node>, Sums)>,
    /// Which results are asked for, and where their gradients go.
    wanted: HashMap<(u64, usize), Vec<usize>>,
    /// The nodes that lead to what is asked for; `None` if all are visited.
    useful: Option<HashSet<u64>>,
    beyond: Beyond,
    found: Vec<Option<Tensor>>,
    /// The scope of the last node, and that of its gradients.
    scope: (scope::Current, scope::Current),
}

impl<'a> Walk<'a> {
    fn new(request: &'a Request<'a>, edges: Option<Vec<Edge>>, beyond: Beyond) -> Result<Self> {
        let mut wanted: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, edge) in edges.iter().flatten().enumerate() {
            wanted.entry((edge.node.order, edge.output)).or_default().push(index);
        }
        let useful = match edges {
            Some(_) => Some(useful_nodes(request, &wanted)?),
            None => None,
        };
        let found = vec![None; edges.map_or(0, |edges| edges.len())];
        let scope = (None, None);
        Ok(Walk { request, waiting: BTreeMap::new(), wanted, useful, beyond, found, scope })
    }

    fn run(mut self) -> Result<Vec<Option<Tensor>>> {
        let before = provenance::current();
        // Formulas compute in the precision of what was recorded.
        let done = autocast::without(|| {
            mode::with(self.request.create_graph, || self.start().and_then(|()| self.all()))
        });
        provenance::set_current(before);
        done.map(|()| self.found)
    }

    /// Puts the first gradients at the nodes where backward begins.
    fn start(&mut self) -> Result<()> {
        for (index, (output, gradient)) in self.request.outputs.iter().enumerate() {
            let Some(edge) = output.edge()? else {
                return Err(Error::runtime(format!(
                    "element {index} of tensors does not require grad and does not have a grad_fn"
                )));
            };
            let gradient = match gradient {
                Some(gradient) => fitting(output, gradient)?,
                None if output.shape().count() == 1 => {
                    let one = || filled(output.session(), output.meta(), 1.0.into());
                    scope::as_library(one)?
                }
                None => {
                    return Err(Error::runtime(format!(
                        "grad can be implicitly created only for scalar outputs, not for {}; \
                         pass a gradient of that shape",
                        output.shape()
                    )));
                }
            };
            self.add(&edge, Term::Whole(gradient))?;
        }
        Ok(())
    }

    fn all(&mut self) -> Result<()> {
        while let Some((_, (node, sums))) = self.waiting.pop_last() {
            provenance::set_current(node.provenance);
            let mut gradients = self.finish(&node, sums)?;
            self.meet(&node, &mut gradients)?;
            let leads_on = node.edges.iter().flatten().any(|edge| self.is_useful(edge));
            if !leads_on || self.is_end(&node) {
                continue;
            }
            let pulled = self.pull(&node, gradients)?;
            for (edge, gradient) in node.edges.iter().zip(pulled) {
                if let (Some(edge), Some(gradient)) = (edge, gradient)
                    && self.is_useful(edge)
                {
                    self.add(edge, gradient)?;
                }
            }
        }
        Ok(())
    }

    fn is_useful(&self, edge: &Edge) -> bool {
        self.useful.as_ref().is_none_or(|useful| useful.contains(&edge.node.order))
    }

    fn is_end(&self, node: &Node) -> bool {
        let is_wanted = |output| self.wanted.contains_key(&(node.order, output));
        self.beyond == Beyond::Nothing && (0..node.outputs.len()).any(is_wanted)
    }

    /// Whoever looks at the gradient of a leaf sees it complete, which is certain at the end only:
    /// a graph that is walked again may be older than what is known of the leaf's uses.
    fn turn(&self, node: &Node) -> Turn {
        let first_use = match &node.kind {
            Kind::Leaf(leaf) if self.useful.is_none() => leaf.first_use(),
            _ => None,
        };
        match first_use.filter(|_| node.hooks.lock().is_empty()) {
            Some(first_use) => (first_use, node.order),
            None => (node.order, u64::MAX),
        }
    }

    /// Adds to the gradient of one result.
    fn add(&mut self, edge: &Edge, term: Term) -> Result<()> {
        let entry = self.waiting.entry(self.turn(&edge.node));
        let (node, sums) = entry.or_insert_with(|| {
            (edge.node.clone(), edge.node.outputs.iter().map(|_| Sum::default()).collect())
        });
        let sum = &mut sums[edge.output];
        if !sum.computes(&term) {
            return sum.add(term);
        }
        provenance::set_current(node.provenance);
        let scope = backward_scope(&mut self.scope, node, term.tensor());
        scope::within(&scope, || sum.add(term))
    }

    /// The gradients of a node's results, complete.
    fn finish(&mut self, node: &Node, sums: Sums) -> Result<Gradients> {
        let mut gradients = Gradients::new();
        for (sum, meta) in sums.into_iter().zip(&node.outputs) {
            gradients.push(match sum.waiting() {
                Some(part) => {
                    let scope = backward_scope(&mut self.scope, node, part);
                    scope::within(&scope, || scope::as_library(|| sum.finish(meta)))?
                }
                None => sum.finish(meta)?,
            });
        }
        Ok(gradients)
    }

    /// All that happens when a node's gradients are complete.
    fn meet(&mut self, node: &Arc<Node>, gradients: &mut Gradients) -> Result<()> {
        let (calls, kept, after) = {
            let hooks = node.hooks.lock();
            (hooks.calls.clone(), hooks.kept.clone(), hooks.after.clone())
        };
        for (_, output, hook) in calls {
            if let Some(gradient) = &gradients[output]
                && let Some(other) = hook(gradient)?
            {
                gradients[output] = Some(other);
            }
        }
        for (output, place) in kept {
            if let (Some(place), Some(gradient)) = (place.upgrade(), &gradients[output]) {
                accumulate(&place, gradient)?;
            }
        }
        for (output, gradient) in gradients.iter().enumerate() {
            for &index in self.wanted.get(&(node.order, output)).into_iter().flatten() {
                self.found[index] = gradient.as_ref().map(Tensor::snapshot).transpose()?;
            }
        }
        if let (Kind::Leaf(leaf), Some(gradient), None) = (&node.kind, &gradients[0], &self.useful)
            && let Some(place) = leaf.place()
        {
            accumulate(&place, gradient)?;
            leaf.end_uses();
            for (_, hook) in after {
                hook(node)?;
            }
        }
        Ok(())
    }

    fn pull(&mut self, node: &Arc<Node>, gradients: Gradients) -> Result<Pulled> {
        let scope = match gradients.iter().flatten().next() {
            Some(gradient) => backward_scope(&mut self.scope, node, gradient),
            None => node.scope.clone(),
        };
        let pulled = match &node.kind {
            Kind::Leaf(_) => Pulled::new(),
            Kind::Row(row) => {
                let saved = self.saved(row)?;
                let is_useful = |edge: &Edge| self.is_useful(edge);
                scope::within(&scope, || {
                    scope::as_library(|| pull(node, row, &saved, gradients, is_useful))
                })?
            }
            Kind::Custom { function, name } => {
                let pulled = scope::within(&scope, || function.backward(gradients.into_vec()))?;
                if pulled.len() != node.edges.len() {
                    let (found, expected) = (pulled.len(), node.edges.len());
                    return Err(Error::runtime(format!(
                        "{name}: backward returned {found} gradients, expected {expected}"
                    )));
                }
                pulled.into_iter().map(|gradient| gradient.map(Term::Whole)).collect()
            }
        };
        if mode::detects_anomalies() {
            let mut terms = pulled.iter().flatten();
            terms.try_for_each(|term| refuse_nan(node, term.tensor()))?;
        }
        Ok(pulled)
    }

    fn saved(&self, row: &Row) -> Result<Arc<Saved>> {
        let mut saved = row.saved.lock();
        let found = saved.as_ref().cloned().ok_or_else(|| {
            Error::runtime(
                "Trying to backward through the graph a second time: the values it needs are \
                 freed after the first; pass retain_graph=True to the first backward",
            )
        })?;
        let keeps_nothing = found.inputs.is_empty() && found.outputs.is_empty();
        if !keeps_nothing && !self.request.retain_graph {
            *saved = None;
        }
        Ok(found)
    }
}

/// The scope that the gradients of a node are computed in: that of the operation, or the signal
/// that is configured for its gradients. The one of the node before is at hand.
fn backward_scope(
    last: &mut (scope::Current, scope::Current),
    node: &Node,
    gradient: &Tensor,
) -> scope::Current {
    let is_last = match (&last.0, &node.scope) {
        (Some(last), Some(scope)) => Arc::ptr_eq(last, scope),
        (None, None) => true,
        _ => false,
    };
    if !is_last {
        let backward = gradient.session().backward_scope(&node.scope);
        *last = (node.scope.clone(), backward);
    }
    last.1.clone()
}

/// The nodes that lead to one of the wanted results.
fn useful_nodes(
    request: &Request,
    wanted: &HashMap<(u64, usize), Vec<usize>>,
) -> Result<HashSet<u64>> {
    let mut met: BTreeMap<u64, Arc<Node>> = BTreeMap::new();
    let mut stack: Vec<Arc<Node>> = Vec::new();
    for (output, _) in request.outputs {
        stack.extend(output.edge()?.map(|edge| edge.node));
    }
    while let Some(node) = stack.pop() {
        if met.insert(node.order, node.clone()).is_none() {
            stack.extend(node.edges.iter().flatten().map(|edge| edge.node.clone()));
        }
    }
    let targets: HashSet<u64> = wanted.keys().map(|(order, _)| *order).collect();
    let mut useful = HashSet::new();
    // Edges lead to earlier nodes, so that those are decided first.
    for (order, node) in &met {
        let leads = node.edges.iter().flatten().any(|edge| useful.contains(&edge.node.order));
        if leads || targets.contains(order) {
            useful.insert(*order);
        }
    }
    Ok(useful)
}

pub(super) fn accumulate(place: &Arc<Gradient>, gradient: &Tensor) -> Result<()> {
    match place.get() {
        None => place.set(Some(first(place, gradient)?)),
        // Where it can be differentiated in turn, what others hold must stay as it is.
        Some(sum) if mode::is_enabled() => {
            let sum =
                sum.session().apply_one(&ADD, &[(&sum).into(), gradient.into()], Attrs::none())?;
            place.set(Some(sum));
        }
        Some(sum) => sum.apply_in_place(&ADD, &[gradient.into()], Attrs::none())?,
    }
    Ok(())
}

/// The first gradient that a place keeps: where the tensor is that it is the gradient of.
fn first(place: &Gradient, gradient: &Tensor) -> Result<Tensor> {
    match place.owner().filter(|_| !gradient.is_tracked()) {
        Some(owner) if owner.meta() == gradient.meta() => gradient.place_like(&owner),
        _ => gradient.snapshot(),
    }
}

/// The gradient that a user gave for an output.
fn fitting(output: &Tensor, gradient: &Tensor) -> Result<Tensor> {
    if gradient.shape() != output.shape() {
        let (found, expected) = (gradient.shape(), output.shape());
        return Err(Error::runtime(format!(
            "a gradient of shape {found} does not fit an output of shape {expected}"
        )));
    }
    gradient.to_dtype(output.dtype())
}
