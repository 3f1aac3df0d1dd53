//! Events that wait for whoever watches, and no more of them than they have room for.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use gt_core::event::Events;
use gt_transport::lock::{Condvar, Mutex};

/// Somebody who watches.
pub(crate) struct Watcher {
    /// So many events wait at most; more are left out and counted.
    most: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<Events>>,
    events: usize,
    lost: u64,
    is_over: bool,
}

impl Watcher {
    /// Somebody who has room for so many events.
    pub(crate) fn with_room(most: usize) -> Self {
        Watcher { most, state: Mutex::default(), changed: Condvar::default() }
    }

    /// Leaves events for them; nobody waits for whoever is slow.
    pub(crate) fn offer(&self, events: &Arc<Events>) {
        let mut state = self.state.lock();
        if state.events >= self.most {
            state.lost += events.lost + events.list.len() as u64;
            return;
        }
        state.events += events.list.len();
        let events = match std::mem::take(&mut state.lost) {
            0 => events.clone(),
            lost => Arc::new(Events { lost: events.lost + lost, ..(**events).clone() }),
        };
        state.waiting.push_back(events);
        drop(state);
        self.changed.notify_all();
    }

    /// Whether nobody is there any more.
    pub(crate) fn is_over(&self) -> bool {
        self.state.lock().is_over
    }

    /// Nobody is there any more.
    pub(crate) fn end(&self) {
        self.state.lock().is_over = true;
    }

    /// What waits, after a while if nothing does.
    pub(crate) fn next(&self, patience: Duration) -> VecDeque<Arc<Events>> {
        let mut state = self.state.lock();
        if state.waiting.is_empty() && !patience.is_zero() {
            state = self.changed.wait_for(state, patience);
        }
        state.events = 0;
        std::mem::take(&mut state.waiting)
    }

    /// Everything that waits, and how many events there was no room for after it.
    pub(crate) fn take_all(&self) -> (Vec<Arc<Events>>, u64) {
        let waiting = self.next(Duration::ZERO);
        (waiting.into(), std::mem::take(&mut self.state.lock().lost))
    }
}
