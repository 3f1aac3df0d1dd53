//! What happens to the commands of a session for a while, for the program itself.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gt_core::Result;
use gt_core::event::Events;
use gt_transport::event_queue::{EventQueue, Overflow};

use crate::host;
use crate::session::Session;

/// So many events are kept, which is about half a gigabyte; more are counted.
const MOST_EVENTS: usize = 1 << 22;

/// A while in which events of a session are kept.
pub struct Observation {
    session: Session,
    watcher: Arc<EventQueue>,
}

impl Session {
    /// Keeps the events of the session from now on, once everything before is done.
    pub fn watch(&self) -> Result<Observation> {
        self.wait_for_workers()?;
        let watcher = Arc::new(EventQueue::with_room(MOST_EVENTS, Overflow::IsCounted));
        self.0.link.watch(&watcher);
        Ok(Observation { session: self.clone(), watcher })
    }

    /// Waits until workers are done with everything that was appended so far, whatever came of it.
    fn wait_for_workers(&self) -> Result<()> {
        self.0.flush();
        let sent = self.0.sent_commands.load(Ordering::Relaxed);
        host::wait(|patience| {
            let is_done = self.0.mailbox.wait(patience, |state| {
                (state.done_commands >= sent || state.ended.is_some()).then_some(())
            });
            is_done.is_some()
        })
    }
}

impl Observation {
    /// What happened, after everything that was asked for meanwhile is done; and how many events
    /// there was no room for. A failure is raised where it would be without this.
    pub fn finish(self) -> Result<(Vec<Arc<Events>>, u64)> {
        if self.session.is_open() {
            self.session.wait_for_workers()?;
        }
        self.session.0.link.look_away(&self.watcher)?;
        let events = self.watcher.next(Duration::ZERO);
        Ok((events.into(), self.watcher.take_lost()))
    }
}

impl Drop for Observation {
    fn drop(&mut self) {
        self.watcher.close();
    }
}
