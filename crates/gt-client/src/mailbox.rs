//! The messages that a session has received from its dispatcher: answers, failures and progress.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gt_core::{Error, Meta, RequestId};
use gt_transport::lock::{Condvar, Mutex};
use gt_transport::report::MemoryUsage;
use gt_transport::{Failure, Message, Value};

use crate::host_memory::HostMemory;

/// The answer to a read.
pub type Answer = Result<(Meta, Elements), Arc<Failure>>;

/// The elements of a value that was read, row by row.
#[derive(Debug)]
pub enum Elements {
    /// Others may have them too.
    Shared(Bytes),
    /// They are in memory that nobody else has.
    Own(HostMemory),
}

impl Elements {
    /// How many bytes they are.
    pub fn len(&self) -> usize {
        match self {
            Elements::Shared(bytes) => bytes.len(),
            Elements::Own(memory) => memory.as_ref().len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements, to be read only.
    pub fn into_bytes(self) -> Bytes {
        match self {
            Elements::Shared(bytes) => bytes,
            Elements::Own(memory) => Bytes::from_owner(memory),
        }
    }
}

/// Messages for a session, kept until it reads them.
#[derive(Debug, Default)]
pub struct Mailbox {
    state: Mutex<State>,
    arrived: Condvar,
}

/// What has arrived.
#[derive(Debug, Default)]
pub struct State {
    answers: BTreeMap<RequestId, Answer>,
    /// Requests whose wait was interrupted.
    abandoned: BTreeSet<RequestId>,
    /// Those of them that one worker has answered without a value. Another that has a part of the
    /// value may still answer with a failure.
    given_up: BTreeSet<RequestId>,
    /// The failure that answered a request whose wait was interrupted.
    pub failure: Option<Arc<Failure>>,
    /// Why the session is over, if it is.
    pub ended: Option<Error>,
    /// How many commands the workers have finished.
    pub done_commands: u64,
    /// How many bytes those took.
    pub done_bytes: u64,
    /// The memory reports of workers, by request, and how many workers were asked.
    usages: BTreeMap<RequestId, (usize, Vec<MemoryUsage>)>,
}

/// Interrupted reads of which a late failure is still expected.
const MOST_GIVEN_UP: usize = 1 << 10;

impl State {
    /// The answer to `request`, if it is there; an error if it will never be.
    pub fn answer(&mut self, request: RequestId) -> Option<gt_core::Result<Answer>> {
        if let Some(answer) = self.answers.remove(&request) {
            return Some(Ok(answer));
        }
        self.ended.clone().map(Err)
    }

    /// Whether [`State::answer`] has something to give.
    pub fn is_answered(&self, request: RequestId) -> bool {
        self.answers.contains_key(&request) || self.ended.is_some()
    }

    /// The memory reports of all workers that were asked; an error if they will never all arrive.
    pub fn usages(&mut self, request: RequestId) -> Option<gt_core::Result<Vec<MemoryUsage>>> {
        if self.usages.get(&request).is_some_and(|(parts, usages)| usages.len() >= *parts) {
            return self.usages.remove(&request).map(|(_, usages)| Ok(usages));
        }
        self.ended.clone().map(Err)
    }

    /// Whether all requests whose wait was interrupted are answered, and if so, the failure that
    /// answered one of them; an error if they will never be.
    pub fn settled(&mut self) -> Option<gt_core::Result<Option<Arc<Failure>>>> {
        if self.abandoned.is_empty() {
            // Every worker has reported since.
            self.given_up.clear();
            return Some(Ok(self.failure.take()));
        }
        self.ended.clone().map(Err)
    }

    fn take_answer(&mut self, request: RequestId, answer: Answer) {
        let is_unwanted = self.abandoned.remove(&request) || self.given_up.contains(&request);
        match answer {
            answer if !is_unwanted => {
                self.answers.insert(request, answer);
            }
            Ok(_) => {}
            Err(failure) if failure.is_given_up() => {
                self.given_up.insert(request);
                if self.given_up.len() > MOST_GIVEN_UP {
                    self.given_up.pop_first();
                }
            }
            Err(failure) => {
                self.failure.get_or_insert(failure);
            }
        }
    }

    /// The wait for the answer to `request` was interrupted.
    pub fn abandon(&mut self, request: RequestId) {
        match self.answers.remove(&request) {
            Some(Ok(_)) => {}
            Some(Err(failure)) => {
                self.failure.get_or_insert(failure);
            }
            None => {
                self.abandoned.insert(request);
            }
        }
    }
}

impl Mailbox {
    /// Takes in a message from the dispatcher.
    pub fn take(&self, message: Message) {
        let mut state = self.state.lock();
        match message {
            Message::Answer { request, result, .. } => {
                let shared = |Value { meta, data }| (meta, Elements::Shared(data));
                state.take_answer(request, result.map(shared));
            }
            Message::Ended { error, .. } => {
                let error = match error {
                    Error::Lost(message) => Error::SessionLost(message),
                    error => error,
                };
                state.ended.get_or_insert(error);
            }
            Message::Done { commands, bytes, .. } => {
                state.done_commands += commands;
                state.done_bytes += bytes;
            }
            Message::MemoryReply { request, parts, usage, .. } => {
                let (expected, usages) = state.usages.entry(request).or_default();
                *expected = parts as usize;
                usages.push(*usage);
            }
            // A dispatcher sends no other message to a client.
            _ => return,
        }
        drop(state);
        self.arrived.notify_all();
    }

    /// Takes in a value that travelled apart from messages.
    pub fn take_answer(&self, request: RequestId, answer: Answer) {
        self.state.lock().take_answer(request, answer);
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
        let deadline = Instant::now() + timeout;
        loop {
            let left = deadline.checked_duration_since(Instant::now())?;
            state = self.arrived.wait_for(state, left);
            if let Some(found) = look(&mut state) {
                return Some(found);
            }
        }
    }
}
