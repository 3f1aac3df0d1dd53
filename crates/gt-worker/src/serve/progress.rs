//! How far a worker is, told together: a dispatcher that hears each of many short plans ends would
//! hear little else.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gt_core::SessionId;
use gt_transport::Message;

/// It is told no later than this, however much there is to do.
const HOLD: Duration = Duration::from_millis(1);

/// What is done and was not told.
#[derive(Default)]
pub(super) struct Untold {
    sessions: BTreeMap<SessionId, (u64, u64)>,
    since: Option<Instant>,
}

impl Untold {
    /// Keeps a message that says what is done; gives back any other.
    pub(super) fn keep(&mut self, message: Message) -> Option<Message> {
        let Message::Done { session, commands, bytes: 0, busy_ns } = message else {
            return Some(message);
        };
        let (all_commands, all_busy_ns) = self.sessions.entry(session).or_default();
        *all_commands += commands;
        *all_busy_ns += busy_ns;
        self.since.get_or_insert_with(Instant::now);
        None
    }

    /// Whether it is time to tell.
    pub(super) fn is_due(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() >= HOLD)
    }

    /// A session is over.
    pub(super) fn forget(&mut self, session: SessionId) {
        self.sessions.remove(&session);
    }

    /// What is to be told.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Message> + use<> {
        self.since = None;
        std::mem::take(&mut self.sessions).into_iter().map(|(session, (commands, busy_ns))| {
            Message::Done { session, commands, bytes: 0, busy_ns }
        })
    }
}
