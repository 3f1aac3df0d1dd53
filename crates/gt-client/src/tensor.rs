//! Tensors as a program holds them: a handle on a cell, whose value is somewhere on a worker.

mod cell;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use gt_core::attrs::Attrs;
use gt_core::op::{Op, View as ViewKind};
use gt_core::ops::builtin::{CAST, EXPAND};
use gt_core::{DType, Error, Meta, Result, Shape};
use smallvec::SmallVec;

use crate::grad::{self, Edge, Gradient, Origin};
use crate::input::{Input, infer};
use crate::mailbox::Elements;
use crate::session::Session;
use crate::view::{View, is_contiguous};

pub use cell::Owned;
pub(crate) use cell::{Cell, Update};

/// Values up to this size stay with the client after they were read.
const HOST_COPY_BYTES: usize = 4096;

/// A tensor. Clones are the same tensor: a write through one is seen through the other.
#[derive(Clone)]
pub struct Tensor(pub(crate) Place);

#[derive(Clone)]
pub(crate) enum Place {
    Whole(Arc<Cell>),
    Part(Arc<View>),
}

impl Tensor {
    pub(crate) fn new(meta: Meta, value: Owned) -> Self {
        Tensor(Place::Whole(Arc::new(Cell::new(meta, Arc::new(value)))))
    }

    /// A tensor of its own with a value that others may hold too.
    pub(crate) fn with_history(meta: Meta, value: Arc<Owned>, edge: Option<Edge>) -> Self {
        let cell = Cell::new(meta, value);
        if edge.is_some() {
            cell.history.set(edge);
        }
        Tensor(Place::Whole(Arc::new(cell)))
    }

    /// A value that was kept for a gradient. It lies where it was used: a parameter that is cut is
    /// not given another home there.
    pub(crate) fn saved(meta: Meta, value: Arc<Owned>, edge: Option<Edge>) -> Self {
        let saved = Tensor::with_history(meta, value, edge);
        saved.base().placed.store(true, Ordering::Relaxed);
        saved
    }

    /// A leaf that was gone, with the place where its gradient is kept.
    pub(crate) fn of_leaf(
        meta: Meta,
        value: Arc<Owned>,
        edge: Edge,
        gradient: Arc<Gradient>,
    ) -> Self {
        let cell = Cell::new(meta, value);
        cell.history.set(Some(edge));
        let place = cell.gradient.set(gradient);
        debug_assert!(place.is_ok(), "a cell begins without a gradient");
        Tensor(Place::Whole(Arc::new(cell)))
    }

    /// A tensor of its own with the value and the history that this one has now.
    pub fn snapshot(&self) -> Result<Tensor> {
        Ok(Tensor::with_history(self.meta().clone(), self.value()?, self.edge()?))
    }

    /// The cell that it is a view of, or all of.
    pub(crate) fn base(&self) -> &Cell {
        match &self.0 {
            Place::Whole(cell) => cell,
            Place::Part(view) => view.base(),
        }
    }

    /// The session it belongs to.
    pub fn session(&self) -> &Session {
        match &self.0 {
            Place::Whole(cell) => &cell.session,
            Place::Part(view) => view.base().session(),
        }
    }

    /// Its dtype and shape.
    pub fn meta(&self) -> &Meta {
        match &self.0 {
            Place::Whole(cell) => &cell.meta,
            Place::Part(view) => view.meta(),
        }
    }

    /// The size along each axis.
    pub fn shape(&self) -> &Shape {
        &self.meta().shape
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.meta().dtype
    }

    /// The number of its current value; a write gives it another.
    pub fn id(&self) -> Result<u32> {
        self.session().check()?;
        Ok(self.value()?.slot.0)
    }

    /// Where its value is, in words: `shard(0) on 0 1`.
    pub fn placement(&self) -> Result<String> {
        self.value()?.placement()
    }

    /// Whether its elements lie in a row, one after another.
    pub fn is_contiguous(&self) -> bool {
        match &self.0 {
            Place::Whole(cell) => is_contiguous(&cell.meta.shape, &cell.strides()),
            Place::Part(view) => view.is_contiguous(),
        }
    }

    /// How far apart the elements along each axis lie in what it is a view of.
    pub fn strides(&self) -> SmallVec<[isize; 4]> {
        match &self.0 {
            Place::Whole(cell) => cell.strides(),
            Place::Part(view) => view.strides(),
        }
    }

    pub(crate) fn value(&self) -> Result<Arc<Owned>> {
        match &self.0 {
            Place::Whole(cell) => Ok(cell.state.lock().value.clone()),
            Place::Part(view) => view.value(),
        }
    }

    /// `op` of this tensor and others. Views stay connected to this tensor.
    pub fn apply(
        &self,
        op: &'static Op,
        others: &[Input],
        attrs: Attrs,
    ) -> Result<SmallVec<[Tensor; 1]>> {
        if !matches!(op.view, ViewKind::No)
            && let Some(view) = self.view(op, attrs.clone())?
        {
            return Ok(SmallVec::from_iter([view]));
        }
        self.session().apply(op, &self.with(others), attrs)
    }

    /// This tensor and others, as the inputs of an operation.
    fn with<'a>(&'a self, others: &[Input<'a>]) -> SmallVec<[Input<'a>; 3]> {
        let mut inputs = SmallVec::with_capacity(1 + others.len());
        inputs.push(Input::Tensor(self));
        inputs.extend(others.iter().copied());
        inputs
    }

    /// The one result of `op`.
    pub fn apply_one(&self, op: &'static Op, others: &[Input], attrs: Attrs) -> Result<Tensor> {
        let results = self.apply(op, others, attrs)?;
        results.into_iter().next().ok_or_else(|| Error::bug(format!("{} has no result", op.name)))
    }

    /// The view that `op` makes; `None` if it has to copy.
    fn view(&self, op: &'static Op, attrs: Attrs) -> Result<Option<Tensor>> {
        let metas = infer(op, &[Input::Tensor(self)], &attrs)?;
        let meta = metas.into_iter().next().expect("a view is one result");
        let view = match &self.0 {
            Place::Whole(cell) => View::of(cell.clone(), op, attrs, meta)?,
            Place::Part(view) => view.then(op, attrs, meta)?,
        };
        Ok(view.map(|view| Tensor(Place::Part(Arc::new(view)))))
    }

    /// Writes `op` of this tensor and others into this tensor. Where `op` has several results, each
    /// is written into the input at its place; if one of them fails, none is.
    pub fn apply_in_place(&self, op: &'static Op, others: &[Input], attrs: Attrs) -> Result<()> {
        self.write_in_place(op, others, attrs)?;
        self.session().synchronize_if_asked()
    }

    fn write_in_place(&self, op: &'static Op, others: &[Input], attrs: Attrs) -> Result<()> {
        self.session().keep_pace()?;
        let inputs = self.with(others);
        let metas = infer(op, &inputs, &attrs)?;
        let targets = targets(op, &inputs)?;
        for (target, meta) in targets.iter().zip(&metas) {
            self.session().check_own(op, target)?;
            target.check_write(op, meta)?;
        }
        let recorded = grad::is_enabled() && inputs.iter().any(Input::is_tracked);
        if let Some(cells) = cells(&targets, &metas).filter(|_| !recorded) {
            let others = self.session().hold(op, &inputs[cells.len()..])?;
            return cell::update_all(&cells, op, others, attrs, Update::OfCurrent);
        }
        targets.iter().try_for_each(|target| target.check_not_leaf(op.name))?;
        let results = self.session().trace(op, &inputs, attrs)?;
        // If one has failed, nothing after it is replaced.
        let mut written = targets.iter().zip(&results);
        written.try_for_each(|(target, result)| target.write(result, Origin::Itself))
    }

    /// The cell, if this tensor is the whole of it; a detached one may be, too.
    pub(crate) fn cell(&self) -> Option<&Cell> {
        match &self.0 {
            Place::Whole(cell) => Some(cell),
            Place::Part(view) => view.is_whole().then(|| view.base()),
        }
    }

    /// The same, to be held.
    pub(crate) fn whole_cell(&self) -> Option<&Arc<Cell>> {
        match &self.0 {
            Place::Whole(cell) => Some(cell),
            Place::Part(view) => view.is_whole().then(|| view.base_cell()),
        }
    }

    fn check_write(&self, op: &Op, result: &Meta) -> Result<()> {
        let (shape, dtype) = (self.shape(), self.dtype());
        if result.shape != *shape {
            return Err(Error::runtime(format!(
                "{}_: output with shape {shape} doesn't match the broadcast shape {}",
                op.name, result.shape
            )));
        }
        if result.dtype.kind() > dtype.kind() {
            return Err(Error::runtime(format!(
                "{}_: result type {} can't be cast to the desired output type {dtype}",
                op.name, result.dtype
            )));
        }
        Ok(())
    }

    /// Writes the elements of another tensor into this one, broadcasting and casting them.
    pub fn copy(&self, source: &Tensor) -> Result<()> {
        self.write(source, Origin::Elsewhere)?;
        self.session().synchronize_if_asked()
    }

    fn write(&self, source: &Tensor, origin: Origin) -> Result<()> {
        self.session().keep_pace()?;
        let (shape, dtype) = (self.shape(), self.dtype());
        let source = if source.shape() == shape {
            source.clone()
        } else {
            let sizes = gt_core::attrs::Attr::Ints(shape.to_ints());
            source.apply_one(&EXPAND, &[], Attrs::of([sizes]))?
        };
        if grad::is_enabled() && (self.is_tracked() || source.is_tracked()) {
            self.check_not_leaf("copy")?;
            return self.assign(&source, origin);
        }
        let cell: &Cell = match &self.0 {
            Place::Whole(cell) => cell,
            Place::Part(view) if view.is_whole() => view.base(),
            Place::Part(view) => return view.write(&source.to_dtype(dtype)?),
        };
        let held = cell.session.hold(&CAST, &[Input::Tensor(&source)])?;
        cell.update(&CAST, held, Attrs::of([dtype.into()]), Update::Afresh)
    }

    /// The elements in another dtype; itself if it has that dtype.
    pub fn to_dtype(&self, dtype: DType) -> Result<Tensor> {
        if self.dtype() == dtype {
            return Ok(self.clone());
        }
        self.apply_one(&CAST, &[], Attrs::of([dtype.into()]))
    }

    /// Waits for the elements, and gives them row by row.
    pub fn read(&self) -> Result<Bytes> {
        Ok(self.read_elements()?.into_bytes())
    }

    /// The same; they may be in memory that the caller has for itself.
    pub fn read_elements(&self) -> Result<Elements> {
        self.session().check()?;
        let cell = match &self.0 {
            Place::Whole(cell) => cell,
            Place::Part(view) => return self.session().read(view.value()?.slot),
        };
        let (value, version) = {
            let state = cell.state.lock();
            if let Some(host) = &state.host {
                return Ok(Elements::Shared(host.clone()));
            }
            (state.value.clone(), state.version)
        };
        let elements = cell.session.read(value.slot)?;
        if let Elements::Shared(data) = &elements
            && data.len() <= HOST_COPY_BYTES
        {
            let mut state = cell.state.lock();
            if state.version == version {
                state.host = Some(data.clone());
            }
        }
        Ok(elements)
    }
}

/// The inputs that the results are written into: the first ones, one for each result.
fn targets<'a>(op: &Op, inputs: &[Input<'a>]) -> Result<SmallVec<[&'a Tensor; 1]>> {
    let targets = inputs.iter().take(op.outputs.len()).map(|input| match input {
        Input::Tensor(tensor) => Ok(*tensor),
        Input::Scalar(number) => {
            Err(Error::type_(format!("{}_: cannot write into the number {number}", op.name)))
        }
    });
    targets.collect()
}

/// The cells of tensors, if these are the whole of different cells, and have the dtypes of what is
/// written into them.
fn cells<'a>(targets: &[&'a Tensor], metas: &[Meta]) -> Option<SmallVec<[&'a Cell; 1]>> {
    let mut cells: SmallVec<[&Cell; 1]> = SmallVec::new();
    for (target, meta) in targets.iter().zip(metas) {
        let cell = target.cell().filter(|cell| cell.meta.dtype == meta.dtype)?;
        if cells.iter().any(|known| std::ptr::eq(*known, cell)) {
            return None;
        }
        cells.push(cell);
    }
    Some(cells)
}
