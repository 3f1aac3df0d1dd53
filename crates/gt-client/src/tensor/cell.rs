//! Cells: what a tensor's storage is to PyTorch, and the values they hold one after another.

use std::sync::{Arc, OnceLock, Weak};

use bytes::Bytes;
use gt_core::attrs::Attrs;
use gt_core::instruction::Replaces;
use gt_core::op::Op;
use gt_core::ops::builtin::CAST;
use gt_core::{Meta, Result, Slot};
use gt_transport::lock::Mutex;
use smallvec::SmallVec;

use crate::grad::{Edge, Gradient, History};
use crate::input::Held;
use crate::session::Session;

/// A value's name in the stream; it is freed when nobody needs it any more.
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

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    pub(crate) fn slot(&self) -> Slot {
        self.slot
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
        Cell { session, meta, state, history, gradient, kept_in: Mutex::default() }
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

    /// Emits `op` on the current value and makes its result the current value.
    pub(crate) fn update(
        &self,
        op: &'static Op,
        others: SmallVec<[Held; 3]>,
        attrs: Attrs,
        update: Update,
    ) -> Result<()> {
        let session = &self.session;
        let mut state = self.state.lock();
        let mut held: SmallVec<[Held; 3]> = SmallVec::new();
        if update == Update::OfCurrent {
            held.push(Held::Value(state.value.clone()));
        }
        let shared = others.iter().any(|other| match other {
            Held::Value(value) => Arc::ptr_eq(value, &state.value),
            Held::Scalar(_) => false,
        });
        held.extend(others);
        // Somebody else may hold the old value, a gradient for instance; then it must stay.
        let holders = 1 + usize::from(update == Update::OfCurrent);
        let alone = !shared && Arc::strong_count(&state.value) == holders;
        if !alone {
            // What is replaced is then another name for the same elements, so that the cell keeps
            // them if the result fails.
            let alias = [Held::Value(state.value.clone())];
            let dtype = Attrs::of([self.meta.dtype.into()]);
            let alias =
                session.emit(&CAST, &alias, dtype, 1, Replaces::default())?.into_iter().next();
            state.value = Arc::new(alias.expect("a cast has one result"));
        }
        let replaces = Replaces::first(Some(state.value.slot));
        let values = session.emit(op, &held, attrs, 1, replaces)?;
        drop(held);
        let value = values.into_iter().next().expect("the operation has one result");
        let mut old = std::mem::replace(&mut state.value, Arc::new(value));
        if let Some(old) = Arc::get_mut(&mut old) {
            old.replaced = true;
        }
        state.version += 1;
        state.host = None;
        Ok(())
    }
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

/// Whether an update reads the value it replaces, as its first input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Update {
    OfCurrent,
    Afresh,
}
