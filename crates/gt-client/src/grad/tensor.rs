//! What a tensor knows about its gradient.

use std::sync::{Arc, OnceLock, Weak};

use gt_core::{Error, Result};

use super::backward::accumulate;
use super::node::{AfterHook, Edge, Gradient, HeldByHook, Hook, HookId, Node};
use super::record::copied;
use super::{Request, run};
use crate::tensor::{Place, Tensor};
use crate::view::View;

impl Tensor {
    /// Whether it requires a gradient.
    pub fn is_tracked(&self) -> bool {
        match &self.0 {
            Place::Whole(cell) => cell.history.is_tracked(),
            Place::Part(view) => view.is_tracked(),
        }
    }

    /// What made the current value, if its gradient is wanted.
    pub fn edge(&self) -> Result<Option<Edge>> {
        match &self.0 {
            Place::Whole(cell) => Ok(cell.history.edge()),
            Place::Part(view) => Ok(view.edge()),
        }
    }

    pub(crate) fn set_edge(&self, edge: Edge) {
        match &self.0 {
            Place::Whole(cell) => cell.history.set(Some(edge)),
            Place::Part(view) => view.begin(Some(edge)),
        }
    }

    /// Whether it was not made by a recorded operation.
    pub fn is_leaf(&self) -> bool {
        self.edge().ok().flatten().is_none_or(|edge| edge.node.is_leaf())
    }

    /// The same elements without their history; writes through one are seen in the other.
    pub fn detach(&self) -> Tensor {
        let view = match &self.0 {
            Place::Whole(cell) => View::detached(cell.clone()),
            Place::Part(view) => view.detach(),
        };
        Tensor(Place::Part(Arc::new(view)))
    }

    /// Forgets the history; from here on this is a leaf. A view shares its history with others.
    pub fn forget_history(&self) -> Result<()> {
        match &self.0 {
            Place::Whole(cell) => cell.history.set(None),
            Place::Part(view) if view.root_edge().1 && view.is_tracked() => {
                return Err(Error::runtime(
                    "Can't detach views in-place. Use detach() instead, or detach what it is a \
                     view of",
                ));
            }
            Place::Part(view) => view.begin(None),
        }
        Ok(())
    }

    /// Asks for the gradient of a leaf, or no longer.
    pub fn set_requires_grad(&self, required: bool) -> Result<()> {
        if required && !self.dtype().is_float() {
            let message = "only Tensors of floating point dtype can require gradients";
            return Err(Error::runtime(format!("{message}, not {}", self.dtype())));
        }
        match self.edge()? {
            Some(edge) if !edge.node.is_leaf() && !required => Err(Error::runtime(
                "you can only change requires_grad flags of leaf variables; to use a computed \
                 one without its gradient, take its detach()",
            )),
            Some(_) if required => Ok(()),
            None if !required => Ok(()),
            _ => {
                let cell = match &self.0 {
                    Place::Whole(cell) => Arc::downgrade(cell),
                    Place::Part(view) => view.whole_cell().map_or_else(Weak::new, Arc::downgrade),
                };
                let leaf =
                    required.then(|| Node::leaf(self.meta().clone(), &self.gradient_place(), cell));
                match &self.0 {
                    Place::Whole(cell) => cell.history.set(leaf),
                    Place::Part(view) => view.begin(leaf),
                }
                Ok(())
            }
        }
    }

    fn gradient_place(&self) -> Arc<Gradient> {
        self.gradient_cell().get_or_init(Arc::default).clone()
    }

    pub(super) fn gradient_cell(&self) -> &OnceLock<Arc<Gradient>> {
        match &self.0 {
            Place::Whole(cell) => &cell.gradient,
            Place::Part(view) => view.gradient(),
        }
    }

    /// The gradient that was accumulated.
    pub fn grad(&self) -> Option<Tensor> {
        self.gradient_cell().get()?.get()
    }

    /// Replaces the gradient that was accumulated.
    pub fn set_grad(&self, gradient: Option<Tensor>) -> Result<()> {
        if let Some(gradient) = &gradient
            && gradient.meta() != self.meta()
        {
            let (found, expected) = (gradient.meta(), self.meta());
            return Err(Error::runtime(format!("grad: {found} is assigned to {expected}")));
        }
        if gradient.is_some() || self.grad().is_some() {
            self.gradient_place().set(gradient);
        }
        Ok(())
    }

    /// Lets a tensor that was computed keep its gradient too.
    pub fn retain_grad(&self) -> Result<()> {
        let Some(edge) = self.edge()? else {
            let message = "can't retain_grad on Tensor that has requires_grad=False";
            return Err(Error::runtime(message));
        };
        if !edge.node.is_leaf() {
            let place = self.gradient_place();
            let mut hooks = edge.node.hooks.lock();
            let is_it = |kept: &Weak<Gradient>| std::ptr::eq(kept.as_ptr(), Arc::as_ptr(&place));
            if !hooks.kept.iter().any(|(_, kept)| is_it(kept)) {
                hooks.kept.push((edge.output, Arc::downgrade(&place)));
            }
        }
        Ok(())
    }

    /// Whether a tensor that was computed keeps its gradient.
    pub fn retains_grad(&self) -> bool {
        let Ok(Some(edge)) = self.edge() else { return false };
        !edge.node.is_leaf() && edge.node.hooks.lock().kept.iter().any(|(at, _)| *at == edge.output)
    }

    /// Calls `hook` with each gradient of this tensor, as soon as backward has appended it.
    pub fn register_hook(&self, hook: Hook) -> Result<(Arc<Node>, HookId)> {
        let edge = self.wanted_edge("register a hook on")?;
        let id = HookId::next();
        edge.node.hooks.lock().calls.push((id, edge.output, hook));
        Ok((edge.node, id))
    }

    /// Calls `hook` whenever this leaf has accumulated a gradient.
    pub fn register_hook_after(&self, hook: AfterHook) -> Result<(Arc<Node>, HookId)> {
        let edge = self.wanted_edge("register a hook on")?;
        if !edge.node.is_leaf() {
            let message = "post accumulate grad hooks cannot be registered on non-leaf tensors";
            return Err(Error::runtime(message));
        }
        let id = HookId::next();
        edge.node.hooks.lock().after.push((id, hook));
        Ok((edge.node, id))
    }

    fn wanted_edge(&self, what: &str) -> Result<Edge> {
        self.edge()?.ok_or_else(|| {
            Error::runtime(format!("cannot {what} a tensor that doesn't require gradient"))
        })
    }

    /// What only this tensor holds through its hooks: nothing else refers to it or its node.
    pub fn held_by_hooks(&self) -> Vec<HeldByHook> {
        match self.own_node() {
            Some(node) => node.hooks.lock().held.iter().map(|(_, held)| held.clone()).collect(),
            None => Vec::new(),
        }
    }

    /// Removes the hooks that only this tensor holds.
    pub fn clear_hooks(&self) {
        if let Some(node) = self.own_node() {
            node.clear_hooks();
        }
    }

    fn own_node(&self) -> Option<Arc<Node>> {
        let edge = match &self.0 {
            Place::Whole(cell) => cell.history.edge().filter(|_| Arc::strong_count(cell) == 1)?,
            Place::Part(view) => view.own_edge().filter(|_| Arc::strong_count(view) == 1)?,
        };
        // One is the tensor's, and one is in hand.
        (Arc::strong_count(&edge.node) == 2).then_some(edge.node)
    }

    /// Adds to the gradient that was accumulated.
    pub fn accumulate_grad(&self, gradient: &Tensor) -> Result<()> {
        accumulate(&self.gradient_place(), gradient)
    }

    /// Computes the gradients of all leaves this tensor was made from, and accumulates them there.
    pub fn backward(&self, gradient: Option<Tensor>) -> Result<()> {
        let outputs = [(self.clone(), gradient)];
        let request =
            Request { outputs: &outputs, inputs: None, retain_graph: false, create_graph: false };
        run(&request).map(drop)
    }

    /// An error if a recorded write would change a leaf, whose gradient could then not be found.
    pub(crate) fn check_not_leaf(&self, op: &str) -> Result<()> {
        let (root, is_view) = match &self.0 {
            Place::Whole(cell) => (cell.history.edge(), false),
            Place::Part(view) => view.root_edge(),
        };
        if !super::is_enabled() || !root.is_some_and(|edge| edge.node.is_leaf()) {
            return Ok(());
        }
        let what = if is_view { "a view of a leaf Variable" } else { "a leaf Variable" };
        Err(Error::runtime(format!(
            "{op}_: {what} that requires grad is being used in an in-place operation; use \
             no_grad() around it"
        )))
    }

    /// Gives this tensor the value and the history of another of the same shape.
    pub(crate) fn assign(&self, source: &Tensor, origin: Origin) -> Result<()> {
        let before = match origin {
            Origin::Itself if source.is_tracked() => None,
            Origin::Itself | Origin::Elsewhere => self.edge()?,
        };
        let edge = copied(self.meta(), before, source)?;
        match &self.0 {
            Place::Whole(cell) => {
                cell.replace(source.value()?)?;
                cell.follow(edge);
                Ok(())
            }
            Place::Part(view) => view.assign(&source.to_dtype(self.dtype())?, edge),
        }
    }
}

/// Where a value that is written into a tensor comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// From the tensor itself, whose history has it if a gradient is required.
    Itself,
    Elsewhere,
}
