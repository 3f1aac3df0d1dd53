//! Views: other shapes of a cell's value. A write through one becomes a pure update of the cell,
//! and all other views follow when they are next used.

mod history;

use std::sync::{Arc, OnceLock, Weak};

use gt_core::attrs::{Attr, Attrs};
use gt_core::expr::{Emit, Evaluator, Expr, Subject, Term};
use gt_core::instruction::Replaces;
use gt_core::op::{Arg, Call, Op, View as ViewKind};
use gt_core::ops::builtin::{ARANGE, INDEX_WRITE, RESHAPE, write_attrs};
use gt_core::strides::{self, Strides};
use gt_core::{Error, Meta, Result, Shape};
use gt_transport::lock::Mutex;
use smallvec::SmallVec;

use crate::grad::{self, Edge, Gradient, History};
use crate::input::Held;
use crate::session::Session;
use crate::tensor::{Cell, Owned, Place, Tensor, Update};

/// A cell seen through operations that only move elements.
pub(crate) struct View {
    base: Arc<Cell>,
    path: Vec<Step>,
    /// What it is a view of, if not of the cell itself.
    parent: Option<Arc<View>>,
    /// The value for a version of the cell.
    cache: Mutex<Option<(u64, Arc<Owned>)>>,
    /// Where its history begins, if not at the cell.
    root: Mutex<Option<Arc<Root>>>,
    /// The edge of the view for an edge of its root.
    edges: Mutex<Option<(Edge, Edge)>>,
    gradient: OnceLock<Arc<Gradient>>,
    /// Where it is kept as the gradient of another tensor.
    kept_in: Mutex<Weak<Gradient>>,
}

/// A view that was detached from the history of its cell: it and its views share another one.
struct Root {
    /// How many steps of the path lead to it.
    depth: usize,
    history: History,
}

/// How a row writes through the view it makes.
type Write = fn(&Call) -> Expr;

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
        let strides = base.strides();
        let step = Step::after(base.meta(), &strides, op, attrs, meta)?;
        let unseen = base.history.is_tracked() && !grad::is_enabled();
        Ok(step.map(|step| {
            let view = View::along(base, vec![step], None, None);
            if unseen { view.detach() } else { view }
        }))
    }

    fn along(
        base: Arc<Cell>,
        path: Vec<Step>,
        parent: Option<Arc<View>>,
        root: Option<Arc<Root>>,
    ) -> Self {
        let (cache, root, edges) = (Mutex::default(), Mutex::new(root), Mutex::default());
        let (gradient, kept_in) = (OnceLock::new(), Mutex::default());
        View { base, path, parent, cache, root, edges, gradient, kept_in }
    }

    /// A whole cell without its history.
    pub(crate) fn detached(base: Arc<Cell>) -> Self {
        View::along(base, Vec::new(), None, None).detach()
    }

    /// The same view with a history of its own, which is empty.
    pub(crate) fn detach(&self) -> Self {
        let root = Root { depth: self.path.len(), history: History::default() };
        View::along(self.base.clone(), self.path.clone(), None, Some(Arc::new(root)))
    }

    /// A view of this view; `None` if the elements would have to move.
    pub(crate) fn then(
        self: &Arc<Self>,
        op: &'static Op,
        attrs: Attrs,
        meta: Meta,
    ) -> Result<Option<Self>> {
        let Some(step) = Step::after(self.meta(), &self.strides(), op, attrs, meta)? else {
            return Ok(None);
        };
        let path = self.path.iter().cloned().chain([step]).collect();
        let root = self.root.lock().clone();
        let view = View::along(self.base.clone(), path, Some(self.clone()), root);
        let unseen = self.is_tracked() && !grad::is_enabled();
        Ok(Some(if unseen { view.detach() } else { view }))
    }

    pub(crate) fn base(&self) -> &Cell {
        &self.base
    }

    /// The same, to be held.
    pub(crate) fn base_cell(&self) -> &Arc<Cell> {
        &self.base
    }

    /// Whether it is the cell itself, seen without its history.
    pub(crate) fn is_whole(&self) -> bool {
        self.path.is_empty()
    }

    pub(crate) fn meta(&self) -> &Meta {
        self.meta_at(self.path.len())
    }

    /// What the first `steps` of the path make.
    fn meta_at(&self, steps: usize) -> &Meta {
        match steps.checked_sub(1) {
            Some(last) => &self.path[last].meta,
            None => self.base.meta(),
        }
    }

    /// What it is a view of, and the operation that makes it.
    pub(crate) fn last_step(&self) -> Option<(Tensor, &'static Op, &Attrs)> {
        let Step { op, attrs, .. } = self.path.last()?;
        let before = match &self.parent {
            Some(parent) => Place::Part(parent.clone()),
            None if self.path.len() == 1 && self.root.lock().is_none() => {
                Place::Whole(self.base.clone())
            }
            None => return None,
        };
        Some((Tensor(before), op, attrs))
    }

    /// The operations that lead from the cell to the view.
    pub(crate) fn path_text(&self) -> String {
        self.path.iter().map(|step| format!("{}{:?};", step.op.name, step.attrs)).collect()
    }

    /// How far apart the elements along each axis lie in the cell.
    pub(crate) fn strides(&self) -> Strides {
        match self.path.last() {
            Some(step) => step.strides.clone(),
            None => self.base.strides(),
        }
    }

    /// Whether the elements lie in the cell as they would on their own.
    pub(crate) fn is_contiguous(&self) -> bool {
        is_contiguous(&self.meta().shape, &self.strides())
    }

    /// The current value of the view.
    pub(crate) fn value(&self) -> Result<Arc<Owned>> {
        let (base, version) = self.base.current();
        if self.path.is_empty() {
            return Ok(base);
        }
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
            let made = self.base.session().append_instruction(
                op,
                &[input],
                attrs.clone(),
                Replaces::default(),
            )?;
            values.extend(made.into_iter().map(Arc::new));
        }
        Ok(values)
    }

    /// Writes a value of this view's dtype and shape through to the cell: each step of the path is
    /// undone by its row's formula, and the last one replaces the cell's value.
    pub(crate) fn write(&self, value: &Tensor) -> Result<()> {
        self.write_through(self.path.len(), value.value()?)
    }

    /// The same for the view that the first `steps` of the path make.
    fn write_through(&self, steps: usize, value: Arc<Owned>) -> Result<()> {
        if steps == 0 {
            return self.base.replace(value);
        }
        if self.path[..steps].iter().any(|step| matches!(step.op.view, ViewKind::ReadOnly)) {
            return self.write_by_position(steps, value);
        }
        let writes = self.writes(0, steps)?;
        let mut bases = self.derive(self.base.current().0, steps - 1)?;
        let mut written = Term::Value(value);
        for index in (0..steps).rev() {
            let formula = self.formula(index, writes[index]);
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

    /// The formulas that write through the steps from one to another.
    fn writes(&self, from: usize, to: usize) -> Result<Vec<Write>> {
        let writes = self.path[from..to].iter().map(|step| match step.op.view {
            ViewKind::Writable(write)
            | ViewKind::IfPossible(write)
            | ViewKind::IfContiguous(write) => Ok(write),
            _ => Err(overlaps(step.op)),
        });
        writes.collect()
    }

    fn formula(&self, index: usize, write: Write) -> Expr {
        let Step { op, attrs, .. } = &self.path[index];
        write(&Call { op, inputs: &[Arg::Tensor(self.meta_at(index))], attrs })
    }

    /// Writes where the elements of the view lie in the cell: for a path that repeats elements,
    /// of which the view has each at most once.
    fn write_by_position(&self, steps: usize, value: Arc<Owned>) -> Result<()> {
        self.check_once(steps)?;
        let shape = &self.base.meta().shape;
        let session = self.base.session();
        let one = |op, inputs: &[Held], attrs| {
            let made = session.append_instruction(op, inputs, attrs, Replaces::default())?;
            made.into_iter().next().map(Arc::new).ok_or_else(|| Error::bug("there is no result"))
        };
        let sized = |shape: &Shape| Attrs::of([Attr::Ints(shape.to_ints())]);
        let (count, whole) = (Attr::from(shape.count()), Attr::from(gt_core::DType::I64));
        let numbers = one(&ARANGE, &[], Attrs::of([Attr::Int(0), count, Attr::Int(1), whole]))?;
        let numbers = one(&RESHAPE, &[Held::Value(numbers)], sized(shape))?;
        let places = self.derive(numbers, steps)?.pop().expect("a path has a step");
        let flat = [shape.count()].into();
        let base = one(&RESHAPE, &[Held::Value(self.base.current().0)], sized(&flat))?;
        let inputs = [base, places, value].map(Held::Value);
        let written = one(&INDEX_WRITE, &inputs, write_attrs(0, false))?;
        let others = SmallVec::from_iter([Held::Value(written)]);
        self.base.update(&RESHAPE, others, sized(shape), Update::Afresh)
    }

    /// Refuses a view that has an element of the cell more than once.
    fn check_once(&self, steps: usize) -> Result<()> {
        let last = &self.path[steps - 1];
        let repeats = |(&size, &stride): (&usize, &isize)| size > 1 && stride == 0;
        match last.meta.shape.iter().zip(&last.strides).any(repeats) {
            true => Err(overlaps(last.op)),
            false => Ok(()),
        }
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

/// Whether elements lie without gaps or overlaps, in whatever order their axes are.
pub(crate) fn is_dense(shape: &Shape, strides: &Strides) -> bool {
    let axes = shape.iter().zip(strides).filter(|(size, _)| **size != 1);
    let mut axes: SmallVec<[(usize, isize); 4]> = axes.map(|(&size, &by)| (size, by)).collect();
    axes.sort_unstable_by_key(|&(_, by)| by);
    let mut expected = 1;
    axes.iter().all(|&(size, by)| {
        let fits = by == expected;
        expected *= size as isize;
        fits
    })
}

/// Whether elements that lie so far apart lie in a row.
pub(crate) fn is_contiguous(shape: &Shape, strides: &Strides) -> bool {
    let own = shape.strides();
    let mut axes = shape.iter().zip(strides.iter().zip(&own));
    shape.count() == 0 || axes.all(|(&size, (a, b))| size == 1 || a == b)
}

fn overlaps(op: &Op) -> Error {
    Error::runtime(format!(
        "a view made by {} has elements in common with itself and cannot be written to; clone it \
         first",
        op.name
    ))
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
        let in_a_row = is_contiguous(&before.shape, strides);
        let strides = strides::after(&kernel, &before.shape, strides, &meta.shape);
        match (strides, op.view) {
            (_, ViewKind::IfContiguous(_)) if !in_a_row => Ok(None),
            (Some(strides), _) => Ok(Some(Step { op, attrs, meta, strides })),
            (None, ViewKind::IfPossible(_) | ViewKind::IfContiguous(_)) => Ok(None),
            (None, _) => Err(Error::runtime(format!(
                "{}: a view of shape {} would have to move elements of the tensor; use reshape, \
                 which copies them",
                op.name, meta.shape
            ))),
        }
    }
}

/// Computes formulas by appending their operations.
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
        let values = self.0.append_instruction(op, &held, attrs.clone(), Replaces::default())?;
        Ok(values.into_iter().map(Arc::new).collect())
    }
}
