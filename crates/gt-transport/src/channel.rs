//! The channel within a process: messages are moved, nothing is copied or encoded.

use std::collections::VecDeque;
use std::time::Duration;

use crate::lock::{Condvar, Mutex};

/// A queue that many threads fill and one or more empty.
#[derive(Debug)]
pub struct Channel<T> {
    state: Mutex<State<T>>,
    arrived: Condvar,
}

#[derive(Debug)]
struct State<T> {
    queue: VecDeque<T>,
    /// Somebody was woken who may not have been waiting yet.
    woken: bool,
}

impl<T> Default for Channel<T> {
    fn default() -> Self {
        let state = State { queue: VecDeque::new(), woken: false };
        Channel { state: Mutex::new(state), arrived: Condvar::default() }
    }
}

impl<T> Channel<T> {
    /// Appends an item and wakes whoever waits for one.
    pub fn send(&self, item: T) {
        self.state.lock().queue.push_back(item);
        self.arrived.notify_one();
    }

    /// Appends an item for somebody who will look without being woken.
    pub fn leave(&self, item: T) {
        self.state.lock().queue.push_back(item);
    }

    /// Wakes whoever waits, or is about to, so that they look at something else than the queue.
    pub fn wake(&self) {
        self.state.lock().woken = true;
        self.arrived.notify_all();
    }

    /// The next item, if there is one.
    pub fn take(&self) -> Option<T> {
        self.state.lock().queue.pop_front()
    }

    /// Moves all items to `into`, which keeps its own.
    pub fn drain(&self, into: &mut VecDeque<T>) {
        let queue = &mut self.state.lock().queue;
        if into.is_empty() {
            std::mem::swap(queue, into);
        } else {
            into.append(queue);
        }
    }

    /// Whether nothing waits to be taken.
    pub fn is_empty(&self) -> bool {
        self.state.lock().queue.is_empty()
    }

    /// Waits until there is an item, [`Channel::wake`] was called since the last wait, or the time
    /// is over.
    pub fn wait(&self, timeout: Duration) {
        let mut state = self.state.lock();
        if state.queue.is_empty() && !state.woken {
            state = self.arrived.wait_for(state, timeout);
        }
        state.woken = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn whoever_is_woken_before_the_wait_does_not_wait() {
        let channel = Channel::<()>::default();
        let start = Instant::now();
        channel.wake();
        channel.wait(Duration::from_secs(60));
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
