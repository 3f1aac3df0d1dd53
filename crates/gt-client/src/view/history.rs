//! Views and gradients: a view shares the history of what it is a view of, seen through its path.

use std::sync::{Arc, OnceLock};

use gt_core::Result;
use gt_core::expr::{Evaluator, Subject, Term};

use super::{Root, Step, View};
use crate::grad::{self, Edge, Gradient, History};
use crate::tensor::Tensor;

impl View {
    /// Whether somebody may want its gradient.
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

    /// Writes another tensor through this view and lets its root remember the way.
    pub(crate) fn assign(&self, source: &Tensor) -> Result<()> {
        let (depth, edge) = self.with_root(|depth, history| (depth, history.edge()));
        let steps = self.path.len();
        let session = self.base.session();
        let writes = self.writes(depth, steps)?;
        let values = self.derive(self.base.current().0, depth)?;
        let value = values[values.len() - 1].clone();
        let mut bases = vec![Tensor::with_history(self.meta_at(depth).clone(), value, edge)];
        for step in &self.path[depth..steps.max(depth + 1) - 1] {
            let last = &bases[bases.len() - 1];
            bases.push(session.apply_first(step.op, &[last.into()], step.attrs.clone())?);
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
        let Term::Value(written) = written else { return Ok(()) };
        self.write_through(depth, written.value()?)?;
        let edge = written.edge()?;
        self.with_root(|_, history| history.set(edge));
        Ok(())
    }

    fn with_root<T>(&self, use_root: impl FnOnce(usize, &History) -> T) -> T {
        let root = self.root.lock().clone();
        match root {
            Some(root) => use_root(root.depth, &root.history),
            None => use_root(0, &self.base.history),
        }
    }
}
