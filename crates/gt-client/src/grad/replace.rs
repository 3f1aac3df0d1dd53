//! Tensors that take the place of others: one that was reshaped in place, or given other data. Who
//! holds the old one puts the returned one there; elements, history and gradient go on in it.

use std::sync::{Arc, Weak};

use gt_core::attrs::Attrs;
use gt_core::op::Op;
use gt_core::{Error, Result};
use gt_transport::lock::Mutex;

use super::mode;
use super::node::{Edge, Gradient};
use crate::tensor::{Place, Tensor};

impl Tensor {
    /// The view that `op` makes of this tensor, to take its place: what `unsqueeze_` does.
    pub fn view_in_place(&self, op: &'static Op, attrs: Attrs) -> Result<Tensor> {
        self.check_not_leaf(op.name)?;
        match self.edge()?.filter(|edge| edge.node.is_leaf()) {
            // Only without gradients one comes here: the leaf stays one, in another shape.
            Some(leaf) => {
                let view = self.detach().apply_one(op, &[], attrs)?;
                view.succeed(self, Some(leaf));
                Ok(view)
            }
            None => {
                let view = mode::with(true, || self.apply_one(op, &[], attrs))?;
                view.succeed(self, None);
                Ok(view)
            }
        }
    }

    /// The elements of `data` with the history and the gradient of this tensor, to take its place:
    /// what an assignment to `.data` does.
    pub fn with_data(&self, data: &Tensor) -> Result<Tensor> {
        let edge = self.edge()?;
        if edge.is_some() && !data.dtype().is_float() {
            return Err(Error::runtime(format!(
                "data set to a tensor that requires gradients must be floating point, not {}",
                data.dtype()
            )));
        }
        if data.meta() != self.meta() && edge.as_ref().is_some_and(|edge| !edge.node.is_leaf()) {
            let (own, given) = (self.meta(), data.meta());
            return Err(Error::runtime(format!(
                "data: the history of a computed tensor is that of {own}, not of {given}; \
                 detach() it first"
            )));
        }
        let replaced = data.detach();
        replaced.succeed(self, edge);
        Ok(replaced)
    }

    /// Goes on where another tensor ends: its gradient is kept here, and whose gradient it was has
    /// this one. An edge, if given, is the history from here on.
    fn succeed(&self, before: &Tensor, edge: Option<Edge>) {
        let Place::Part(view) = &self.0 else { return };
        if let Some(own) = before.gradient_cell().get() {
            // A view that was just made has no gradient of its own yet.
            let _ = view.gradient().set(own.clone());
            if own.owner().is_some() {
                own.belong_to(self);
            }
        }
        if edge.is_some() {
            view.begin(edge);
        }
        let holder = before.kept_in().lock().upgrade();
        if let Some(holder) = holder
            && holder.get().is_some_and(|kept| kept.is(before))
        {
            holder.set(Some(self.clone()));
        }
    }

    /// Where it is kept if it is the gradient of another tensor.
    pub(crate) fn kept_in(&self) -> &Mutex<Weak<Gradient>> {
        match &self.0 {
            Place::Whole(cell) => &cell.kept_in,
            Place::Part(view) => view.kept_in(),
        }
    }

    fn is(&self, other: &Tensor) -> bool {
        match (&self.0, &other.0) {
            (Place::Whole(a), Place::Whole(b)) => Arc::ptr_eq(a, b),
            (Place::Part(a), Place::Part(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}
