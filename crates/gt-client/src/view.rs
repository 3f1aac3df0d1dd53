//! Views: other shapes of a cell's value. A write through one becomes a pure update of the cell,
//! and all other views follow when they are next used.

use std::sync::Arc;

use gt_core::attrs::Attrs;
use gt_core::expr::{Emit, Evaluator, Expr, Subject, Term};
use gt_core::op::{Arg, Call, Op, View as ViewKind};
use gt_core::strides::{self, Strides};
use gt_core::{Error, Meta, Result};
use gt_transport::lock::Mutex;
use smallvec::SmallVec;

use crate::session::{Held, Session};
use crate::tensor::{Cell, Owned, Tensor, Update};

/// A cell seen through operations that only move elements.
pub(crate) struct View {
    base: Arc<Cell>,
    path: Vec<Step>,
    /// The value for a version of the cell.
    cache: Mutex<Option<(u64, Arc<Owned>)>>,
}

/// One operation on the way from the cell to the view, and what it makes.
#[derive(Clone)]
struct Step {
    op: &'static Op,
    attrs: Attrs,
    meta: Meta,
    /// How far apart the elements lie in the cell.
    strides: Strides,
}

impl View {
    /// A view of a whole cell; `None` if the elements would have to move.
    pub(crate) fn of(
        base: Arc<Cell>,
        op: &'static Op,
        attrs: Attrs,
        meta: Meta,
    ) -> Result<Option<Self>> {
        let strides = base.meta().shape.strides();
        let step = Step::after(base.meta(), &strides, op, attrs, meta)?;
        Ok(step.map(|step| View { base, path: vec![step], cache: Mutex::new(None) }))
    }

    /// A view of this view; `None` if the elements would have to move.
    pub(crate) fn then(&self, op: &'static Op, attrs: Attrs, meta: Meta) -> Result<Option<Self>> {
        let last = &self.path[self.path.len() - 1];
        let Some(step) = Step::after(&last.meta, &last.strides, op, attrs, meta)? else {
            return Ok(None);
        };
        let path = self.path.iter().cloned().chain([step]).collect();
        Ok(Some(View { base: self.base.clone(), path, cache: Mutex::new(None) }))
    }

    pub(crate) fn base(&self) -> &Cell {
        &self.base
    }

    pub(crate) fn meta(&self) -> &Meta {
        &self.path[self.path.len() - 1].meta
    }

    /// The current value of the view.
    pub(crate) fn value(&self) -> Result<Arc<Owned>> {
        let (base, version) = self.base.current();
        let mut cache = self.cache.lock();
        if let Some((derived, value)) = &*cache
            && *derived == version
        {
            return Ok(value.clone());
        }
        let values = self.derive(base, self.path.len())?;
        let value = values[values.len() - 1].clone();
        *cache = Some((version, value.clone()));
        Ok(value)
    }

    /// The values along the first `steps` of the path, from the cell's own on.
    fn derive(&self, base: Arc<Owned>, steps: usize) -> Result<Vec<Arc<Owned>>> {
        let mut values = vec![base];
        for Step { op, attrs, .. } in &self.path[..steps] {
            let input = Held::Value(values[values.len() - 1].clone());
            let made = self.base.session().emit(op, &[input], attrs.clone(), 1, None)?;
            values.extend(made.into_iter().map(Arc::new));
        }
        Ok(values)
    }

    /// Writes a value of this view's dtype and shape through to the cell: each step of the path is
    /// undone by its row's formula, and the last one replaces the cell's value.
    pub(crate) fn write(&self, value: &Tensor) -> Result<()> {
        let writes = self.path.iter().map(|step| match step.op.view {
            ViewKind::Writable(write) | ViewKind::IfPossible(write) => Ok(write),
            _ => Err(Error::runtime(format!(
                "a view made by {} has elements in common with itself and cannot be written to; \
                 clone it first",
                step.op.name
            ))),
        });
        let writes: Vec<_> = writes.collect::<Result<_>>()?;
        let mut bases = self.derive(self.base.current().0, self.path.len() - 1)?;
        let mut written = Term::Value(value.value()?);
        for index in (0..writes.len()).rev() {
            let Step { op, attrs, .. } = &self.path[index];
            let meta = if index == 0 { self.base.meta() } else { &self.path[index - 1].meta };
            let formula = writes[index](&Call { op, inputs: &[Arg::Tensor(meta)], attrs });
            let base = bases.pop().expect("each step has a base");
            if index == 0 {
                drop(base);
                return self.replace(&formula, written);
            }
            let (grads, inputs) = ([written], [Term::Value(base)]);
            let subject = Subject { grads: &grads, inputs: &inputs, outputs: &[] };
            let mut emitter = Emitter(self.base.session());
            written = Evaluator::new(&mut emitter, subject).evaluate(&formula)?;
        }
        Ok(())
    }

    /// Gives the cell the value of `formula`, in which `Input(0)` is the cell and `Grad(0)` is
    /// `written`. A formula is one operation on these two.
    fn replace(&self, formula: &Expr, written: Term<Arc<Owned>>) -> Result<()> {
        let strange = || Error::bug(format!("{formula} does not write through a view"));
        let Expr::Apply(applied, 0) = formula else { return Err(strange()) };
        let Term::Value(written) = written else { return Err(strange()) };
        let update = match applied.inputs[..] {
            [Expr::Input(0), Expr::Grad(0)] => Update::OfCurrent,
            [Expr::Grad(0)] => Update::Afresh,
            _ => return Err(strange()),
        };
        let others = SmallVec::from_iter([Held::Value(written)]);
        self.base.update(applied.op, others, applied.attrs.clone(), update)
    }
}

impl Step {
    fn after(
        before: &Meta,
        strides: &Strides,
        op: &'static Op,
        attrs: Attrs,
        meta: Meta,
    ) -> Result<Option<Self>> {
        let inputs = [Arg::Tensor(before)];
        let kernel = (op.kernel)(&Call { op, inputs: &inputs, attrs: &attrs })?;
        let strides = strides::after(&kernel, &before.shape, strides, &meta.shape);
        match (strides, op.view) {
            (Some(strides), _) => Ok(Some(Step { op, attrs, meta, strides })),
            (None, ViewKind::IfPossible(_)) => Ok(None),
            (None, _) => Err(Error::runtime(format!(
                "{}: a view of shape {} would have to move elements of the tensor; use reshape, \
                 which copies them",
                op.name, meta.shape
            ))),
        }
    }
}

/// Computes formulas by emitting their operations.
struct Emitter<'a>(&'a Session);

impl Emit for Emitter<'_> {
    type Value = Arc<Owned>;

    fn emit(
        &mut self,
        op: &'static Op,
        inputs: &[Term<Arc<Owned>>],
        attrs: &Attrs,
    ) -> Result<SmallVec<[Arc<Owned>; 1]>> {
        let held = inputs.iter().map(|input| match input {
            Term::Value(value) => Ok(Held::Value(value.clone())),
            Term::Scalar(scalar) => Ok(Held::Scalar(*scalar)),
            Term::Zero => Err(Error::bug("a formula needs a value that is not there")),
        });
        let held: SmallVec<[Held; 3]> = held.collect::<Result<_>>()?;
        let values = self.0.emit(op, &held, attrs.clone(), op.outputs.len(), None)?;
        Ok(values.into_iter().map(Arc::new).collect())
    }
}
