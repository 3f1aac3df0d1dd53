//! Events that wait for a thread that takes them in, such as one that writes a log, and no more of
//! them than there is room for.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gt_core::event::{Detail, Events};

use crate::lock::{Condvar, Mutex};
use crate::sync::MutexGuard;

/// What becomes of events for which there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Whoever brings them waits for so long, and only then are they left out and counted.
    Waits(Duration),
    /// They are left out and counted.
    IsCounted,
}

/// Events that wait.
#[derive(Debug)]
pub struct EventQueue {
    /// So many have room.
    most: usize,
    overflow: Overflow,
    detail: Detail,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Arc<Events>>,
    /// How many events wait …
    events: usize,
    /// … and how many were taken and are not where they belong.
    taken: usize,
    /// How many had no room.
    lost: u64,
    /// Somebody waits until all are where they belong.
    is_hurried: bool,
    is_closed: bool,
}

impl EventQueue {
    /// A queue with room for so many events.
    pub fn with_room(most: usize, overflow: Overflow) -> Self {
        let (detail, state, changed) = Default::default();
        EventQueue { most, overflow, detail, state, changed }
    }

    /// The same for somebody who wants to know so much.
    pub fn in_detail(self, detail: Detail) -> Self {
        EventQueue { detail, ..self }
    }

    /// How much the thread wants to know.
    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// Leaves events there. The next that have room say how many had none before them.
    pub fn offer(&self, events: &Arc<Events>) {
        let mut state = self.wait_for_room();
        if state.events + state.taken >= self.most {
            state.lost += events.lost + events.list.len() as u64;
            return;
        }
        let before = state.events;
        state.events += events.list.len();
        let events = match std::mem::take(&mut state.lost) {
            0 => events.clone(),
            lost => Arc::new(Events { lost: events.lost + lost, ..(**events).clone() }),
        };
        state.waiting.push_back(events);
        // Whoever has something to do already need not be woken for more.
        let is_news = before == 0 || (before < self.most / 2 && state.events >= self.most / 2);
        drop(state);
        if is_news {
            self.changed.notify_all();
        }
    }

    fn wait_for_room(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock();
        let Overflow::Waits(patience) = self.overflow else { return state };
        if state.events + state.taken < self.most {
            return state;
        }
        let deadline = Instant::now() + patience;
        while state.events + state.taken >= self.most && !state.is_closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.changed.wait_for(state, left);
        }
        state
    }

    /// Everything that waits, after a while if nothing does. It takes up room until
    /// [`EventQueue::finish`].
    pub fn next(&self, patience: Duration) -> VecDeque<Arc<Events>> {
        self.next_gathered(patience, Duration::ZERO)
    }

    /// The same together with what comes shortly after it, unless somebody is in a hurry.
    pub fn next_gathered(&self, patience: Duration, shortly: Duration) -> VecDeque<Arc<Events>> {
        let mut state = self.wait(patience, |state| state.events > 0);
        if state.events > 0 && !shortly.is_zero() {
            drop(state);
            state = self.wait(shortly, |state| state.is_hurried || state.events >= self.most / 2);
        }
        state.taken += std::mem::take(&mut state.events);
        std::mem::take(&mut state.waiting)
    }

    fn wait(&self, patience: Duration, is_over: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let mut state = self.state.lock();
        let deadline = Instant::now() + patience;
        while !is_over(&state) && !state.is_closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.changed.wait_for(state, left);
        }
        state
    }

    /// What was taken is where it belongs.
    pub fn finish(&self) {
        self.state.lock().taken = 0;
        self.changed.notify_all();
    }

    /// How many had no room after those that were taken last. Whoever does not ask this is told by
    /// those that come next.
    pub fn take_lost(&self) -> u64 {
        std::mem::take(&mut self.state.lock().lost)
    }

    /// Waits until everything is where it belongs, but not for longer than this.
    pub fn flush(&self, patience: Duration) {
        self.state.lock().is_hurried = true;
        self.changed.notify_all();
        let mut state = self.wait(patience, |state| state.events + state.taken == 0);
        state.is_hurried = false;
    }

    /// Nobody takes anything, or nobody brings anything any more.
    pub fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Whether that is so.
    pub fn is_closed(&self) -> bool {
        self.state.lock().is_closed
    }
}

#[cfg(test)]
mod tests {
    use gt_core::SessionId;
    use gt_core::event::{Event, Station};

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn some(count: usize) -> Arc<Events> {
        let event = Event::new(0, Station::Received, SessionId(1));
        Arc::new(Events { list: vec![event; count], ..Events::default() })
    }

    fn counts(taken: VecDeque<Arc<Events>>) -> Vec<(u64, usize)> {
        taken.iter().map(|events| (events.lost, events.list.len())).collect()
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let queue = EventQueue::with_room(10, Overflow::IsCounted);
        [8, 3, 4, 5].iter().for_each(|count| queue.offer(&some(*count)));
        assert_eq!(counts(queue.next(Duration::ZERO)), [(0, 8), (0, 3)]);
        queue.offer(&some(1));
        assert_eq!(queue.take_lost(), 4 + 5 + 1, "what is taken takes up room until it is there");
        queue.finish();
        [12, 2].iter().for_each(|count| queue.offer(&some(*count)));
        assert_eq!(counts(queue.next(Duration::ZERO)), [(0, 12)]);
        assert_eq!(queue.take_lost(), 2);
    }

    #[test]
    fn those_that_come_next_say_how_many_are_missing() {
        let queue = EventQueue::with_room(3, Overflow::IsCounted);
        [3, 4].iter().for_each(|count| queue.offer(&some(*count)));
        queue.next(Duration::ZERO);
        queue.finish();
        queue.offer(&some(1));
        assert_eq!(counts(queue.next(Duration::ZERO)), [(4, 1)]);
    }

    #[test]
    fn whoever_brings_too_much_waits_for_room() {
        let queue = EventQueue::with_room(4, Overflow::Waits(LONG));
        queue.offer(&some(4));
        std::thread::scope(|scope| {
            scope.spawn(|| queue.offer(&some(2)));
            assert_eq!(counts(queue.next(LONG)), [(0, 4)]);
            queue.finish();
            assert_eq!(counts(queue.next(LONG)), [(0, 2)], "nothing is missing");
        });
        let hangs = EventQueue::with_room(1, Overflow::Waits(Duration::from_millis(1)));
        [1, 5].iter().for_each(|count| hangs.offer(&some(*count)));
        assert_eq!(hangs.take_lost(), 5, "but nobody waits for ever");
    }

    #[test]
    fn a_flush_ends_when_all_is_where_it_belongs() {
        let queue = EventQueue::with_room(100, Overflow::IsCounted);
        queue.offer(&some(1));
        std::thread::scope(|scope| {
            let taker = scope.spawn(|| {
                // Without the hurry this would wait for more.
                let taken = queue.next_gathered(LONG, LONG);
                assert!(queue.state.lock().taken == 1);
                queue.finish();
                counts(taken)
            });
            queue.flush(LONG);
            assert_eq!(queue.state.lock().taken, 0);
            assert_eq!(taker.join().expect("no panic"), [(0, 1)]);
        });
        queue.flush(LONG);
        queue.close();
        queue.offer(&some(1));
        queue.flush(LONG);
    }
}
