//! The events of a session elsewhere, for the log of its program and for whoever watches.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use gt_core::event::{EventSink, Events};
use gt_transport::event_queue::EventQueue;
use gt_transport::lock::{Condvar, Mutex};

/// How long the last events of a session may take to come.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How often somebody looks for them.
const LOOK: Duration = Duration::from_millis(1);

/// Who is interested in the events of the session, if somebody is.
#[derive(Default)]
pub(super) struct Log {
    interested: Mutex<Interested>,
    marked: Condvar,
    stopped: OnceLock<Instant>,
}

#[derive(Default)]
struct Interested {
    sink: Option<Box<dyn EventSink>>,
    watchers: Vec<Arc<EventQueue>>,
    /// How often the dispatcher said that these were all events so far.
    marks: u64,
}

impl Interested {
    fn is_empty(&self) -> bool {
        self.sink.is_none() && self.watchers.is_empty()
    }
}

impl Log {
    /// From now on events go there too. Says whether nobody was interested before.
    pub(super) fn open(&self, sink: Box<dyn EventSink>) -> bool {
        let mut interested = self.interested.lock();
        let is_first = interested.is_empty();
        interested.sink = Some(sink);
        is_first
    }

    /// The same for somebody who watches.
    pub(super) fn watch(&self, watcher: &Arc<EventQueue>) -> bool {
        let mut interested = self.interested.lock();
        let is_first = interested.is_empty();
        interested.watchers.push(watcher.clone());
        is_first
    }

    /// Whether somebody is interested besides those who watch no more, and how many marks came.
    pub(super) fn others(&self, watcher: &Arc<EventQueue>) -> (bool, u64) {
        let interested = self.interested.lock();
        let is_other = |one: &Arc<EventQueue>| !Arc::ptr_eq(one, watcher);
        let others = interested.sink.is_some() || interested.watchers.iter().any(is_other);
        (others, interested.marks)
    }

    /// Waits for one mark more than so many, for a while. Says whether it came.
    pub(super) fn wait_for_mark(&self, before: u64, patience: Duration) -> bool {
        let mut interested = self.interested.lock();
        if interested.marks <= before {
            interested = self.marked.wait_for(interested, patience);
        }
        interested.marks > before
    }

    /// Somebody watches no more.
    pub(super) fn look_away(&self, watcher: &Arc<EventQueue>) {
        self.interested.lock().watchers.retain(|one| !Arc::ptr_eq(one, watcher));
    }

    /// Passes events on. A list without events says that these were all.
    pub(super) fn take(&self, events: &Arc<Events>) {
        let mut interested = self.interested.lock();
        if events.list.is_empty() {
            interested.marks += 1;
            drop(interested);
            return self.marked.notify_all();
        }
        interested.watchers.iter().for_each(|watcher| watcher.offer(events));
        if let Some(sink) = &mut interested.sink {
            sink.take(events);
        }
    }

    /// The session was closed: how long to wait for its last events, if they are still to come.
    pub(super) fn linger(&self) -> Option<Duration> {
        self.interested.lock().sink.as_ref()?;
        let stopped = self.stopped.get_or_init(Instant::now);
        (stopped.elapsed() < LAST_WORDS).then_some(LOOK)
    }

    /// Waits until all of them are where they belong.
    pub(super) fn flush(&self) {
        let sink = self.interested.lock().sink.take();
        if let Some(mut sink) = sink {
            sink.flush();
        }
    }
}
