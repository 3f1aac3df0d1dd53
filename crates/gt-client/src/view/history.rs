//! Views and gradients: a view shares the history of what it is a view of, seen through its path.

use std::sync::{Arc, OnceLock, Weak};

use gt_core::attrs::{Attr, Attrs};
use gt_core::expr::{Evaluator, Subject, Term};
use gt_core::op::View as ViewKind;
use gt_core::ops::builtin::{ARANGE, INDEX_WRITE, RESHAPE, write_attrs};
use gt_core::{DType, Error, Result, Shape};
use gt_transport::lock::Mutex;

use super::{Root, Step, View};
use crate::grad::{self, Edge, Gradient, History};
use crate::tensor::Tensor;

impl View {
    /// Whether it requires a gradient.
    pub(crate) fn is_tracked(&self) -> bool {
        match &*self.root.lock() {
            Some(root) => root.history.is_tracked(),
            None => self.base.history.is_tracked(),
        }
    }

    /// What made the current value, if its gradient is wanted: that of what it is a view of, and
    /// a node for the last step.
    pub(crate) fn edge(&self) -> Option<Edge> {
        let (depth, begun) = self.with_root(|depth, history| (depth, history.edge()));
        if depth == self.path.len() {
            return begun;
        }
        let base = match &self.parent {
            Some(parent) => parent.edge()?,
            None => begun?,
        };
        let mut edges = self.edges.lock();
        if let Some((known, derived)) = &*edges
            && known.is(&base)
        {
            return Some(derived.clone());
        }
        let last = self.path.len() - 1;
        let Step { op, attrs, meta, .. } = &self.path[last];
        let derived = grad::through(op, attrs, self.meta_at(last), meta, base.clone());
        *edges = Some((base, derived.clone()));
        Some(derived)
    }

    /// The edge of the root, and whether this is only a view of it.
    pub(crate) fn root_edge(&self) -> (Option<Edge>, bool) {
        self.with_root(|depth, history| (history.edge(), depth < self.path.len()))
    }

    /// The edge of a history that begins here and is not shared.
    pub(crate) fn own_edge(&self) -> Option<Edge> {
        let root = self.root.lock();
        let own = root.as_ref().filter(|root| root.depth == self.path.len())?;
        own.history.edge().filter(|_| Arc::strong_count(own) == 1)
    }

    /// Makes this view the place where a history begins.
    pub(crate) fn begin(&self, edge: Option<Edge>) {
        let root = Root { depth: self.path.len(), history: History::default() };
        root.history.set(edge);
        *self.root.lock() = Some(Arc::new(root));
    }

    /// Where its gradient is kept.
    pub(crate) fn gradient(&self) -> &OnceLock<Arc<Gradient>> {
        &self.gradient
    }

    /// Where it is kept as the gradient of another tensor.
    pub(crate) fn kept_in(&self) -> &Mutex<Weak<Gradient>> {
        &self.kept_in
    }

    /// Writes another tensor through this view and lets its root remember the way. If this is the
    /// root itself, `copied` is the edge of what is written.
    pub(crate) fn assign(&self, source: &Tensor, copied: Option<Edge>) -> Result<()> {
        let (depth, edge) = self.with_root(|depth, history| (depth, history.edge()));
        let values = self.derive(self.base.current().0, depth)?;
        let value = values[values.len() - 1].clone();
        let root = Tensor::with_history(self.meta_at(depth).clone(), value, edge.clone());
        let read_only = |step: &Step| matches!(step.op.view, ViewKind::ReadOnly);
        let written = match &self.path[depth..] {
            [] => Tensor::with_history(self.meta().clone(), source.value()?, copied),
            steps if steps.iter().any(read_only) => self.written_by_position(root, source)?,
            _ => self.written_by_steps(root, source)?,
        };
        self.write_through(depth, written.value()?)?;
        // What is written whole does not depend on what was there, and still has its history.
        let edge = match written.edge()? {
            None => grad::copied(self.meta_at(depth), edge, &written)?,
            edge => edge,
        };
        let root = self.root.lock().clone();
        match root {
            Some(root) => root.history.set(edge),
            None => self.base.follow(edge),
        }
        Ok(())
    }

    /// The root after `source` was written through each step of the path.
    fn written_by_steps(&self, root: Tensor, source: &Tensor) -> Result<Tensor> {
        let (depth, steps) = (self.with_root(|depth, _| depth), self.path.len());
        let session = self.base.session();
        let writes = self.writes(depth, steps)?;
        let mut bases = vec![root];
        for step in &self.path[depth..steps - 1] {
            let last = &bases[bases.len() - 1];
            bases.push(session.apply_one(step.op, &[last.into()], step.attrs.clone())?);
        }
        let mut written = Term::Value(source.clone());
        for index in (depth..steps).rev() {
            let base = bases.pop().expect("each step has a base");
            let formula = self.formula(index, writes[index - depth]);
            let (grads, inputs) = ([written], [Term::Value(base)]);
            let subject = Subject { grads: &grads, inputs: &inputs, outputs: &[] };
            let mut emitter = grad::Emitter(session);
            written = Evaluator::new(&mut emitter, subject).evaluate(&formula)?;
        }
        match written {
            Term::Value(written) => Ok(written),
            _ => Err(Error::bug("a write through a view has no value")),
        }
    }

    /// The root after `source` was written where the elements of the view lie in it: for a path
    /// that repeats elements, of which the view has each at most once.
    fn written_by_position(&self, root: Tensor, source: &Tensor) -> Result<Tensor> {
        self.check_once(self.path.len())?;
        let depth = self.with_root(|depth, _| depth);
        let session = self.base.session();
        let shape = root.shape().clone();
        let sized = |tensor: &Tensor, shape: &Shape| {
            let attrs = Attrs::of([Attr::Ints(shape.to_ints())]);
            session.apply_one(&RESHAPE, &[tensor.into()], attrs)
        };
        let (count, whole) = (Attr::from(shape.count()), Attr::from(DType::I64));
        let numbers = Attrs::of([Attr::Int(0), count, Attr::Int(1), whole]);
        let mut places = sized(&session.apply_one(&ARANGE, &[], numbers)?, &shape)?;
        for step in &self.path[depth..] {
            places = session.apply_one(step.op, &[(&places).into()], step.attrs.clone())?;
        }
        let flat = sized(&root, &[shape.count()].into())?;
        let inputs = [(&flat).into(), (&places).into(), source.into()];
        sized(&session.apply_one(&INDEX_WRITE, &inputs, write_attrs(0, false))?, &shape)
    }

    fn with_root<T>(&self, use_root: impl FnOnce(usize, &History) -> T) -> T {
        let root = self.root.lock().clone();
        match root {
            Some(root) => use_root(root.depth, &root.history),
            None => use_root(0, &self.base.history),
        }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // A whole cell that was given to a leaf as its data.
        if self.path.is_empty()
            && let Some(gradient) = self.gradient.get()
            && let Some(edge) = self.own_edge()
        {
            edge.node.leave(self.base.meta(), &self.base.current().0, gradient);
        }
    }
}
