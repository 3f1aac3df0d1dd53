//! The graph that backward walks: nodes made by operations, and the edges between them.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use gt_core::expr::Expr;
use gt_core::op::{Op, View};
use gt_core::{Meta, Provenance, Result, Scalar};
use gt_transport::lock::Mutex;
use smallvec::SmallVec;

use super::tape;
use crate::provenance;
use crate::scope;
use crate::tensor::{Cell, Owned, Tensor};

static ORDER: AtomicU64 = AtomicU64::new(0);

/// Nodes that are made from here on have at least this order.
pub fn mark() -> u64 {
    ORDER.load(Ordering::Relaxed)
}

/// One result of a node: where the gradient of a tensor goes.
#[derive(Clone)]
pub struct Edge {
    /// What made the tensor.
    pub node: Arc<Node>,
    /// Which of its results the tensor is.
    pub output: usize,
}

impl Edge {
    /// Whether both are the same result.
    pub fn is(&self, other: &Edge) -> bool {
        Arc::ptr_eq(&self.node, &other.node) && self.output == other.output
    }
}

/// A node of the gradient graph.
pub struct Node {
    /// Later than the order of everything its edges lead to.
    pub(crate) order: u64,
    pub(crate) kind: Kind,
    pub(crate) edges: SmallVec<[Option<Edge>; 2]>,
    pub(crate) outputs: SmallVec<[Meta; 1]>,
    /// Where in the user's program the operation was called.
    pub(crate) provenance: Provenance,
    /// The signals around it.
    pub(crate) scope: scope::Current,
    pub(crate) hooks: Mutex<Hooks>,
}

pub(crate) enum Kind {
    /// A tensor of the user's, whose gradient is kept.
    Leaf(Leaf),
    /// An operation of the table.
    Row(Row),
    /// A function of the user's.
    Custom { name: String, function: Box<dyn Backward> },
}

/// A tensor of the user's. The tensor holds its gradient and the node: a gradient that can be
/// differentiated leads back to the node, which would otherwise hold both for ever.
pub(crate) struct Leaf {
    pub gradient: Weak<Gradient>,
    /// The first node since the last backward that has an edge to it: its gradient is complete
    /// when that one has been visited.
    first_use: AtomicU64,
    /// What the tensor left behind, if the graph outlives it and its gradient has an observer.
    pub left: Mutex<Option<Left>>,
}

/// What is left of a tensor that is gone.
#[derive(Clone)]
pub(crate) struct Left {
    meta: Meta,
    value: Arc<Owned>,
    gradient: Arc<Gradient>,
}

impl Leaf {
    const UNUSED: u64 = u64::MAX;

    /// The order of the first node since the last backward that has an edge to it, if it is known.
    pub fn first_use(&self) -> Option<u64> {
        Some(self.first_use.load(Ordering::Relaxed)).filter(|&order| order != Leaf::UNUSED)
    }

    /// Its gradient was accumulated.
    pub fn end_uses(&self) {
        self.first_use.store(Leaf::UNUSED, Ordering::Relaxed);
    }

    /// Where the gradient is kept, if it is still reachable.
    pub fn place(&self) -> Option<Arc<Gradient>> {
        let left = || self.left.lock().as_ref().map(|left| left.gradient.clone());
        self.gradient.upgrade().or_else(left)
    }
}

/// An operation and what its gradient needs.
pub(crate) struct Row {
    pub op: &'static Op,
    /// The gradient of each input.
    pub formulas: Vec<Expr>,
    pub inputs: SmallVec<[Known; 2]>,
    /// `None` once backward has used it up.
    pub saved: Mutex<Option<Arc<Saved>>>,
}

/// What is known of an input without its elements.
#[derive(Clone)]
pub(crate) enum Known {
    Tensor(Meta),
    Scalar(Scalar),
}

/// The values that the formulas mention.
#[derive(Default)]
pub(crate) struct Saved {
    pub inputs: SmallVec<[Option<Arc<Owned>>; 2]>,
    pub outputs: SmallVec<[Option<Arc<Owned>>; 1]>,
}

/// A function of the user's, backwards.
pub trait Backward: Send + Sync {
    /// The gradient of each input, from the gradient of each result.
    fn backward(&self, grads: Vec<Option<Tensor>>) -> Result<Vec<Option<Tensor>>>;
}

/// Where the gradient of a tensor is kept: what PyTorch calls `.grad`.
#[derive(Default)]
pub struct Gradient {
    kept: Mutex<Option<Tensor>>,
    /// The leaf that it is the gradient of.
    of: Mutex<Weak<Cell>>,
}

impl Gradient {
    /// What was accumulated so far.
    pub fn get(&self) -> Option<Tensor> {
        self.kept.lock().clone()
    }

    /// Replaces what was accumulated.
    pub fn set(self: &Arc<Self>, gradient: Option<Tensor>) {
        if let Some(gradient) = &gradient {
            *gradient.kept_in().lock() = Arc::downgrade(self);
        }
        let before = std::mem::replace(&mut *self.kept.lock(), gradient);
        // Dropped here, where the lock is free again.
        drop(before);
    }

    /// From here on it is the gradient of this leaf.
    pub(crate) fn belong_to(&self, tensor: &Tensor) {
        *self.of.lock() = tensor.whole_cell().map(Arc::downgrade).unwrap_or_default();
    }

    /// The leaf that it is the gradient of, if that is there.
    pub(crate) fn owner(&self) -> Option<Arc<Cell>> {
        self.of.lock().upgrade()
    }
}

/// A function that sees a gradient, and may give another in its place.
pub type Hook = Arc<dyn Fn(&Tensor) -> Result<Option<Tensor>> + Send + Sync>;

/// What a hook of a language front holds, for its garbage collector.
pub type HeldByHook = Arc<dyn Any + Send + Sync>;

/// A function that is called after a leaf has accumulated. If the user's tensor is gone, the node
/// knows what it was.
pub type AfterHook = Arc<dyn Fn(&Arc<Node>) -> Result<()> + Send + Sync>;

/// What is to be done when a node's gradients are there.
#[derive(Default)]
pub(crate) struct Hooks {
    /// What the hooks hold.
    pub held: Vec<(HookId, HeldByHook)>,
    pub calls: Vec<(HookId, usize, Hook)>,
    /// Where a result keeps its gradient, while its tensor is there.
    pub kept: Vec<(usize, Weak<Gradient>)>,
    /// Called after a leaf has accumulated.
    pub after: Vec<(HookId, AfterHook)>,
}

impl Hooks {
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.kept.is_empty() && self.after.is_empty()
    }
}

/// By which a hook can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HookId(u64);

impl HookId {
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        HookId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Node {
    pub(crate) fn new(
        kind: Kind,
        edges: SmallVec<[Option<Edge>; 2]>,
        outputs: SmallVec<[Meta; 1]>,
    ) -> Arc<Self> {
        let order = ORDER.fetch_add(1, Ordering::Relaxed);
        for edge in edges.iter().flatten() {
            if let Kind::Leaf(leaf) = &edge.node.kind {
                leaf.first_use.fetch_min(order, Ordering::Relaxed);
            }
        }
        let provenance = provenance::current();
        let (scope, hooks) = (scope::current(), Mutex::default());
        let node = Arc::new(Node { order, kind, edges, outputs, provenance, scope, hooks });
        tape::note(&node);
        node
    }

    pub(crate) fn leaf(meta: Meta, gradient: &Arc<Gradient>) -> Edge {
        let (gradient, first_use) = (Arc::downgrade(gradient), AtomicU64::new(Leaf::UNUSED));
        let leaf = Leaf { gradient, first_use, left: Mutex::default() };
        let node = Node::new(Kind::Leaf(leaf), SmallVec::new(), SmallVec::from_iter([meta]));
        Edge { node, output: 0 }
    }

    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self.kind, Kind::Leaf(_))
    }

    /// Whether it is a leaf, or a view of one.
    pub(crate) fn is_of_leaf(&self) -> bool {
        let mut node = self;
        while let (Kind::Row(row), Some(Some(edge))) = (&node.kind, node.edges.first()) {
            if matches!(row.op.view, View::No) {
                return false;
            }
            node = &edge.node;
        }
        node.is_leaf()
    }

    /// The word for it in `grad_fn=<AddBackward0>`.
    pub fn name(&self) -> String {
        match &self.kind {
            Kind::Leaf(_) => "AccumulateGrad".to_string(),
            Kind::Custom { name, .. } => format!("{name}Backward"),
            Kind::Row(row) => {
                let words = row.op.name.split('_').map(|word| {
                    let mut letters = word.chars();
                    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
                    first.into_iter().chain(letters).collect::<String>()
                });
                format!("{}Backward0", words.collect::<String>())
            }
        }
    }

    /// What its inputs were made by.
    pub fn next(&self) -> impl Iterator<Item = Option<&Edge>> {
        self.edges.iter().map(Option::as_ref)
    }

    /// Lets the place that keeps the gradient of a result of this node keep that of another: the
    /// tensor was written to.
    pub(crate) fn move_kept(&self, place: &Arc<Gradient>, to: &Edge) {
        let is_it = |kept: &Weak<Gradient>| std::ptr::eq(kept.as_ptr(), Arc::as_ptr(place));
        let before = self.hooks.lock().kept.len();
        self.hooks.lock().kept.retain(|(_, kept)| !is_it(kept));
        if self.hooks.lock().kept.len() < before {
            to.node.hooks.lock().kept.push((to.output, Arc::downgrade(place)));
        }
    }

    /// The leaf as a tensor again, after the user's own is gone.
    pub fn left_tensor(self: &Arc<Self>) -> Option<Tensor> {
        let Kind::Leaf(leaf) = &self.kind else { return None };
        let Left { meta, value, gradient } = leaf.left.lock().clone()?;
        let edge = Edge { node: self.clone(), output: 0 };
        Some(Tensor::of_leaf(meta, value, edge, gradient))
    }

    /// The user's tensor goes: a graph that still has the node, and hooks that want to see the
    /// tensor after its gradient was accumulated, need what it was.
    pub(crate) fn leave(
        self: &Arc<Self>,
        meta: &Meta,
        value: &Arc<Owned>,
        gradient: &Arc<Gradient>,
    ) {
        let Kind::Leaf(leaf) = &self.kind else { return };
        // Another tensor has the gradient if it has taken the place of this one.
        let graph = Arc::strong_count(self) > 2 && Arc::strong_count(gradient) == 1;
        let plain = gradient.get().is_none_or(|gradient| !gradient.is_tracked());
        if graph && plain && !self.hooks.lock().after.is_empty() {
            let (meta, value, gradient) = (meta.clone(), value.clone(), gradient.clone());
            *leaf.left.lock() = Some(Left { meta, value, gradient });
        }
    }

    /// Registers what a hook holds.
    pub fn hold(&self, id: HookId, held: HeldByHook) {
        self.hooks.lock().held.push((id, held));
    }

    /// Removes all hooks.
    pub(crate) fn clear_hooks(&self) {
        let hooks = std::mem::take(&mut *self.hooks.lock());
        // A hook may hold anything, so that nothing is locked when it goes.
        drop(hooks);
    }

    /// Removes a hook from the node.
    pub fn remove_hook(&self, id: HookId) {
        let mut hooks = self.hooks.lock();
        let held = std::mem::take(&mut hooks.held);
        let (kept, dropped_held): (Vec<_>, Vec<_>) =
            held.into_iter().partition(|(hook, _)| *hook != id);
        hooks.held = kept;
        let calls = std::mem::take(&mut hooks.calls);
        let after = std::mem::take(&mut hooks.after);
        let (kept, dropped) = calls.into_iter().partition(|(hook, ..)| *hook != id);
        hooks.calls = kept;
        let (kept, dropped_after): (Vec<_>, Vec<_>) =
            after.into_iter().partition(|(hook, _)| *hook != id);
        hooks.after = kept;
        drop(hooks);
        // A hook may hold anything, so that nothing is locked when it goes.
        drop::<(Vec<_>, Vec<_>, Vec<_>)>((dropped, dropped_after, dropped_held));
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // One after another: a chain of a million nodes would not fit on the stack.
        let mut chain: Vec<Edge> = self.edges.drain(..).flatten().collect();
        while let Some(edge) = chain.pop() {
            if let Some(mut node) = Arc::into_inner(edge.node) {
                chain.extend(node.edges.drain(..).flatten());
            }
        }
    }
}

/// What made the value that a tensor and its views have now, if it requires a gradient.
#[derive(Default)]
pub(crate) struct History {
    /// Whether there is an edge, readable without a lock.
    tracked: AtomicBool,
    edge: Mutex<Option<Edge>>,
}

impl History {
    pub(crate) fn is_tracked(&self) -> bool {
        self.tracked.load(Ordering::Relaxed)
    }

    pub(crate) fn edge(&self) -> Option<Edge> {
        if !self.is_tracked() {
            return None;
        }
        self.edge.lock().clone()
    }

    pub(crate) fn set(&self, edge: Option<Edge>) {
        let mut current = self.edge.lock();
        self.tracked.store(edge.is_some(), Ordering::Relaxed);
        let before = std::mem::replace(&mut *current, edge);
        drop(current);
        // A graph may go with it, which is nothing to do under a lock.
        drop(before);
    }
}
