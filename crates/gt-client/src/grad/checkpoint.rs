//! Activation checkpoints: a part of the gradient graph that saves no values. They are computed
//! again when backward comes to it.

use std::collections::HashSet;
use std::sync::Arc;

use gt_core::{Error, Result};
use smallvec::SmallVec;

use super::backward::{Request, run_to};
use super::mode;
use super::node::{Backward, Edge, Kind, Node};
use crate::tensor::Tensor;

/// A function of the user's, to be called again.
pub trait Forward: Send + Sync {
    /// The same results as the first time, recorded.
    fn forward(&self) -> Result<Vec<Tensor>>;
}

struct Again {
    forward: Box<dyn Forward>,
    /// What the part of the graph was made from.
    border: Vec<Edge>,
}

impl Backward for Again {
    fn backward(&self, grads: Vec<Option<Tensor>>) -> Result<Vec<Option<Tensor>>> {
        let create_graph = mode::is_enabled();
        let results = mode::with(true, || self.forward.forward())?;
        if results.len() != grads.len() {
            let (found, expected) = (results.len(), grads.len());
            return Err(Error::runtime(format!(
                "checkpoint: computed again, the function has {found} results with a gradient, \
                 and had {expected}"
            )));
        }
        let arrived = results.into_iter().zip(grads).filter(|(_, gradient)| gradient.is_some());
        let outputs: Vec<_> = arrived.collect();
        let request =
            Request { outputs: &outputs, inputs: None, retain_graph: false, create_graph };
        run_to(&request, &self.border)
    }
}

/// Forgets what was recorded for `results` since `mark` was taken; `forward` computes it again when
/// it is needed.
pub fn checkpoint(mark: u64, forward: Box<dyn Forward>, results: &[Tensor]) -> Result<()> {
    let mut edges = Vec::new();
    for result in results {
        edges.extend(result.edge()?);
    }
    let border = border(mark, edges);
    let inputs: SmallVec<[Option<Edge>; 2]> = border.iter().cloned().map(Some).collect();
    let kind = Kind::Custom {
        name: "Checkpoint".to_string(),
        function: Box::new(Again { forward, border }),
    };
    let outputs = results.iter().map(|result| result.meta().clone()).collect();
    let node = Node::new(kind, inputs, outputs);
    for (output, result) in results.iter().enumerate() {
        result.set_edge(Edge { node: node.clone(), output });
    }
    Ok(())
}

/// The edges that lead out of what was recorded since `mark`.
fn border(mark: u64, mut edges: Vec<Edge>) -> Vec<Edge> {
    let mut met: HashSet<u64> = HashSet::new();
    let mut out: Vec<Edge> = Vec::new();
    while let Some(edge) = edges.pop() {
        if edge.node.order < mark || edge.node.is_leaf() {
            if !out.iter().any(|known| known.is(&edge)) {
                out.push(edge);
            }
        } else if met.insert(edge.node.order) {
            let node: Arc<Node> = edge.node;
            edges.extend(node.next().flatten().cloned());
        }
    }
    out
}
