//! What the dispatcher has told a session: answers, failures, how much is done.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use gt_core::{Error, RequestId};
use gt_transport::{Failure, Message, Value};
use parking_lot::{Condvar, Mutex};

/// The answer to a read.
pub type Answer = Result<Value, Arc<Failure>>;

/// Messages for a session, kept until it looks for them.
#[derive(Debug, Default)]
pub struct Mailbox {
    state: Mutex<State>,
    arrived: Condvar,
}

/// What has arrived.
#[derive(Debug, Default)]
pub struct State {
    answers: HashMap<RequestId, Answer>,
    /// Reads that nobody waits for any more.
    abandoned: HashSet<RequestId>,
    /// The first failure that was not raised yet.
    pub failure: Option<Arc<Failure>>,
    /// Why the session is over, if it is.
    pub ended: Option<Error>,
    /// How many commands the workers have finished.
    pub done_commands: u64,
    /// How many bytes those took.
    pub done_bytes: u64,
}

impl State {
    /// The answer to `request`, if it is there; an error if it will never be.
    pub fn answer(&mut self, request: RequestId) -> Option<gt_core::Result<Answer>> {
        if let Some(answer) = self.answers.remove(&request) {
            return Some(Ok(answer));
        }
        self.ended.clone().map(Err)
    }

    /// Nobody waits for the answer to `request` any more.
    pub fn abandon(&mut self, request: RequestId) {
        if self.answers.remove(&request).is_none() {
            self.abandoned.insert(request);
        }
    }
}

impl Mailbox {
    /// Takes in a message from the dispatcher.
    pub fn take(&self, message: Message) {
        let mut state = self.state.lock();
        match message {
            Message::Answer { request, result, .. } => {
                if !state.abandoned.remove(&request) {
                    state.answers.insert(request, result);
                }
            }
            Message::Failed { failure, .. } => {
                state.failure.get_or_insert(failure);
            }
            Message::Ended { error, .. } => {
                state.ended.get_or_insert(error);
            }
            Message::Done { commands, bytes, .. } => {
                state.done_commands += commands;
                state.done_bytes += bytes;
            }
            // A dispatcher says nothing else to a client.
            _ => return,
        }
        drop(state);
        self.arrived.notify_all();
    }

    /// Looks at what has arrived.
    pub fn look<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock())
    }

    /// What `look` finds; it is asked again for each message until the time is over.
    pub fn wait<T>(
        &self,
        timeout: Duration,
        mut look: impl FnMut(&mut State) -> Option<T>,
    ) -> Option<T> {
        let mut state = self.state.lock();
        if let Some(found) = look(&mut state) {
            return Some(found);
        }
        let deadline = std::time::Instant::now() + timeout;
        while !self.arrived.wait_until(&mut state, deadline).timed_out() {
            if let Some(found) = look(&mut state) {
                return Some(found);
            }
        }
        look(&mut state)
    }
}
