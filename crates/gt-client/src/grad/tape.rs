//! The nodes of the gradient graph in the order of their making, for people to look at. There is no
//! tape that backward would walk: a thread only remembers which nodes it made, and not for longer
//! than they are there.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::fmt::Write;
use std::sync::{Arc, Weak};

use gt_core::{Meta, Result};

use super::node::{Kind, Known, Node};
use crate::provenance::{self, Place};
use crate::tensor::{Owned, Tensor};

/// Nodes that are gone are forgotten when there are twice as many as were left the last time, and
/// at least so many.
const FEW: usize = 1024;

#[derive(Default)]
struct Made {
    nodes: Vec<Weak<Node>>,
    /// How many are looked through.
    most: usize,
}

thread_local! {
    static MADE: RefCell<Made> = RefCell::default();
}

/// Remembers a node that this thread has made.
pub(super) fn note(node: &Arc<Node>) {
    // While the thread ends there is nothing to remember it in.
    let _ = MADE.try_with(|made| {
        let made = &mut *made.borrow_mut();
        if made.nodes.len() >= made.most {
            made.nodes.retain(|node| node.strong_count() > 0);
            made.most = (2 * made.nodes.len()).max(FEW);
        }
        made.nodes.push(Arc::downgrade(node));
    });
}

/// What is known of a node.
pub struct Entry {
    /// Its number: later nodes have larger ones.
    pub number: u64,
    /// The operation; `leaf` for a tensor of the user's.
    pub op: String,
    /// Where each input comes from: the number of a node, a shape that needs no gradient, a number.
    pub inputs: Vec<String>,
    /// Dtypes and shapes of the results.
    pub outputs: Vec<Meta>,
    /// Where the first result is, if somebody still holds it.
    pub placement: Option<String>,
    /// Where in the user's program it was made.
    pub place: Option<Place>,
}

/// The nodes that this thread has made and that are there, or those that lead to `tensor`.
pub fn tape(tensor: Option<&Tensor>) -> Result<Vec<Entry>> {
    let mut nodes: BTreeMap<u64, Arc<Node>> = BTreeMap::new();
    match tensor {
        Some(tensor) => {
            let mut next: Vec<Arc<Node>> = tensor.edge()?.map(|e| e.node).into_iter().collect();
            while let Some(node) = next.pop() {
                if let MapEntry::Vacant(place) = nodes.entry(node.order) {
                    next.extend(node.edges.iter().flatten().map(|edge| edge.node.clone()));
                    place.insert(node);
                }
            }
        }
        None => MADE.with_borrow(|made| {
            let there = made.nodes.iter().filter_map(Weak::upgrade);
            nodes.extend(there.map(|node| (node.order, node)));
        }),
    }
    nodes.values().map(|node| entry(node)).collect()
}

fn entry(node: &Node) -> Result<Entry> {
    let op = match &node.kind {
        Kind::Leaf(_) => "leaf".to_owned(),
        Kind::Row(row) => row.op.name.to_owned(),
        Kind::Custom { name, .. } => name.clone(),
    };
    let placement = value(node).map(|value| value.placement()).transpose()?;
    let place = provenance::place(node.provenance);
    let (outputs, inputs) = (node.outputs.to_vec(), inputs(node));
    Ok(Entry { number: node.order, op, inputs, outputs, placement, place })
}

fn inputs(node: &Node) -> Vec<String> {
    let known = |index: usize| match &node.kind {
        Kind::Row(row) => match row.inputs.get(index) {
            Some(Known::Tensor(meta)) => meta.to_string(),
            Some(Known::Scalar(number)) => number.to_string(),
            None => "?".to_owned(),
        },
        _ => "?".to_owned(),
    };
    let name = |(index, edge): (usize, &Option<super::Edge>)| match edge {
        Some(edge) => {
            let mut name = format!("%{}", edge.node.order);
            if edge.node.outputs.len() > 1 {
                // Writing to a string cannot fail.
                let _ = write!(name, ".{}", edge.output);
            }
            name
        }
        None => known(index),
    };
    node.edges.iter().enumerate().map(name).collect()
}

/// The first result of a node, if the graph or the user's tensor has it.
fn value(node: &Node) -> Option<Arc<Owned>> {
    match &node.kind {
        Kind::Leaf(leaf) => Some(leaf.place()?.owner()?.current().0),
        Kind::Row(row) => row.saved.lock().as_ref()?.outputs.first()?.clone(),
        Kind::Custom { .. } => None,
    }
}
