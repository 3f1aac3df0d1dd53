//! Cells: what a tensor's storage is to PyTorch, and the values they hold one after another.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, MutexGuard, OnceLock, Weak};

use bytes::Bytes;
use gt_core::attrs::Attrs;
use gt_core::instruction::Replaces;
use gt_core::op::Op;
use gt_core::ops::builtin::CAST;
use gt_core::strides::Strides;
use gt_core::{Meta, Result, Slot};
use gt_transport::lock::Mutex;
use smallvec::SmallVec;

use crate::grad::{Edge, Gradient, History};
use crate::input::Held;
use crate::scope;
use crate::session::Session;

/// A value's name in the stream, which is freed when the last reference is dropped.
pub struct Owned {
    pub(super) session: Session,
    pub(super) slot: Slot,
    /// An instruction has replaced the value, so that its name is no longer ours to free.
    replaced: bool,
}

impl Owned {
    pub(crate) fn new(session: Session, slot: Slot) -> Self {
        Owned { session, slot, replaced: false }
    }

    pub(crate) fn slot(&self) -> Slot {
        self.slot
    }

    /// Where it is, in words.
    pub(crate) fn placement(&self) -> Result<String> {
        self.session.locate(self.slot)
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if !self.replaced {
            self.session.drop_slot(self.slot);
        }
    }
}

/// What a tensor's storage is to PyTorch: writes through any view of it give it a new version.
pub(crate) struct Cell {
    pub(super) session: Session,
    pub(super) meta: Meta,
    pub(super) state: Mutex<State>,
    /// What made the value, for tensors that see the whole cell and for views of these.
    pub(crate) history: History,
    pub(crate) gradient: OnceLock<Arc<Gradient>>,
    /// Where the whole of it is kept as the gradient of another tensor.
    pub(crate) kept_in: Mutex<Weak<Gradient>>,
    /// Whether a signal or the config has said where it is.
    pub(crate) placed: AtomicBool,
    /// How far apart the elements lie, where that is not the usual order.
    strides: OnceLock<Box<Strides>>,
}

pub(crate) struct State {
    pub value: Arc<Owned>,
    pub version: u64,
    /// The elements, if they were read and are few.
    pub(super) host: Option<Bytes>,
}

impl Cell {
    pub(super) fn new(meta: Meta, value: Arc<Owned>) -> Self {
        let session = value.session.clone();
        let state = Mutex::new(State { value, version: 0, host: None });
        let (history, gradient) = (History::default(), OnceLock::new());
        let (kept_in, placed) = (Mutex::default(), AtomicBool::new(scope::is_made_in_signal()));
        let strides = OnceLock::new();
        Cell { session, meta, state, history, gradient, kept_in, placed, strides }
    }

    /// How far apart the elements along each axis lie, as far as a program can tell: a worker may
    /// keep them in another order.
    pub(crate) fn strides(&self) -> Strides {
        match self.strides.get() {
            Some(strides) => (**strides).clone(),
            None => self.meta.shape.strides(),
        }
    }

    /// Gives the elements of a copy an order of their own.
    pub(crate) fn set_strides(&self, strides: Strides) {
        // A copy is made once, and nothing has seen its order before.
        let _ = self.strides.set(Box::new(strides));
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    pub(crate) fn meta(&self) -> &Meta {
        &self.meta
    }

    /// How many writes it has seen.
    pub(crate) fn version(&self) -> u64 {
        self.state.lock().version
    }

    /// The current value and its version.
    pub(crate) fn current(&self) -> (Arc<Owned>, u64) {
        let state = self.state.lock();
        (state.value.clone(), state.version)
    }

    /// Makes `value` the current value. It has another name here, so that the cell keeps what it
    /// had if the value fails.
    pub(crate) fn replace(&self, value: Arc<Owned>) -> Result<()> {
        let others = SmallVec::from_iter([Held::Value(value)]);
        self.update(&CAST, others, Attrs::of([self.meta.dtype.into()]), Update::Afresh)
    }

    /// Gives the cell the same elements under another name, which `append` makes of the one they
    /// have. The old name is freed like any other, because nothing was replaced.
    pub(crate) fn move_value(
        &self,
        append: impl FnOnce(Arc<Owned>) -> Result<SmallVec<[Owned; 1]>>,
    ) -> Result<()> {
        let mut state = self.state.lock();
        let moved = append(state.value.clone())?;
        state.value = Arc::new(moved.into_iter().next().expect("there is one result"));
        state.version += 1;
        Ok(())
    }

    /// Gives the current value its history. A gradient that is kept is from here on that of this
    /// value.
    pub(crate) fn follow(&self, edge: Option<Edge>) {
        if let (Some(place), Some(before), Some(edge)) =
            (self.gradient.get(), self.history.edge(), &edge)
            && !before.node.is_leaf()
        {
            before.node.move_kept(place, edge);
        }
        self.history.set(edge);
    }

    /// Appends `op` and makes its result the current value.
    pub(crate) fn update(
        &self,
        op: &'static Op,
        others: SmallVec<[Held; 3]>,
        attrs: Attrs,
        update: Update,
    ) -> Result<()> {
        update_all(&[self], op, others, attrs, update)
    }

    /// Gives the value another name if somebody else holds it too, a gradient for instance. That
    /// name is then replaced, and the cell keeps the elements if the result fails.
    fn part(&self, state: &mut State, holders: usize) -> Result<()> {
        if Arc::strong_count(&state.value) == holders {
            return Ok(());
        }
        let (own, dtype) = ([Held::Value(state.value.clone())], self.meta.dtype);
        let alias = self.session.append_instruction(
            &CAST,
            &own,
            Attrs::of([dtype.into()]),
            Replaces::default(),
        )?;
        state.value = Arc::new(alias.into_iter().next().expect("a cast has one result"));
        Ok(())
    }
}

impl State {
    fn set(&mut self, value: Owned) {
        let mut old = std::mem::replace(&mut self.value, Arc::new(value));
        if let Some(old) = Arc::get_mut(&mut old) {
            old.replaced = true;
        }
        self.version += 1;
        self.host = None;
    }
}

/// Emits `op` and makes each of its results the current value of a cell: all of them, or none if
/// one fails.
pub(crate) fn update_all(
    cells: &[&Cell],
    op: &'static Op,
    others: SmallVec<[Held; 3]>,
    attrs: Attrs,
    update: Update,
) -> Result<()> {
    let session = &cells[0].session;
    let mut states = lock(cells);
    let mut held: SmallVec<[Held; 3]> = SmallVec::new();
    if update == Update::OfCurrent {
        held.reserve(states.len() + others.len());
        held.extend(states.iter().map(|state| Held::Value(state.value.clone())));
    }
    held.extend(others);
    let holders = 1 + usize::from(update == Update::OfCurrent);
    for (cell, state) in cells.iter().zip(&mut states) {
        cell.part(state, holders)?;
    }
    let replaces = Replaces(states.iter().map(|state| Some(state.value.slot)).collect());
    let values = session.append_instruction(op, &held, attrs, replaces)?;
    drop(held);
    states.iter_mut().zip(values).for_each(|(state, value)| state.set(value));
    Ok(())
}

/// The states of different cells, locked in an order that all threads agree on.
fn lock<'a>(cells: &[&'a Cell]) -> SmallVec<[MutexGuard<'a, State>; 1]> {
    if let [cell] = cells {
        return SmallVec::from_iter([cell.state.lock()]);
    }
    let mut order: SmallVec<[usize; 4]> = (0..cells.len()).collect();
    order.sort_unstable_by_key(|&place| std::ptr::from_ref(cells[place]));
    let locked = order.into_iter().map(|place| (place, cells[place].state.lock()));
    let mut locked: SmallVec<[(usize, MutexGuard<'a, State>); 4]> = locked.collect();
    locked.sort_unstable_by_key(|(place, _)| *place);
    locked.into_iter().map(|(_, state)| state).collect()
}

impl Drop for Cell {
    fn drop(&mut self) {
        if let Some(gradient) = self.gradient.get()
            && let Some(edge) = self.history.edge()
        {
            edge.node.leave(&self.meta, &self.state.lock().value, gradient);
        }
    }
}

/// Whether an update reads the values it replaces, as its first inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Update {
    OfCurrent,
    Afresh,
}
