//! The channel within a process: messages are moved, nothing is copied or encoded.

use std::collections::VecDeque;
use std::time::Duration;

use crate::lock::{Condvar, Mutex};

/// A queue that many threads fill and one or more empty.
#[derive(Debug)]
pub struct Channel<T> {
    queue: Mutex<VecDeque<T>>,
    arrived: Condvar,
}

impl<T> Default for Channel<T> {
    fn default() -> Self {
        Channel { queue: Mutex::new(VecDeque::new()), arrived: Condvar::default() }
    }
}

impl<T> Channel<T> {
    /// Appends an item and wakes whoever waits for one.
    pub fn send(&self, item: T) {
        self.queue.lock().push_back(item);
        self.arrived.notify_one();
    }

    /// Appends an item for somebody who will look without being woken.
    pub fn leave(&self, item: T) {
        self.queue.lock().push_back(item);
    }

    /// Wakes whoever waits, so that they look at something else than the queue.
    pub fn wake(&self) {
        // The lock makes sure that a waiter is either before its check or inside its wait.
        drop(self.queue.lock());
        self.arrived.notify_all();
    }

    /// The next item, if there is one.
    pub fn take(&self) -> Option<T> {
        self.queue.lock().pop_front()
    }

    /// Moves all items to `into`, which keeps its own.
    pub fn drain(&self, into: &mut VecDeque<T>) {
        let mut queue = self.queue.lock();
        if into.is_empty() {
            std::mem::swap(&mut *queue, into);
        } else {
            into.append(&mut queue);
        }
    }

    /// Whether nothing waits to be taken.
    pub fn is_empty(&self) -> bool {
        self.queue.lock().is_empty()
    }

    /// Waits until there is an item, [`Channel::wake`] is called, or the time is over.
    pub fn wait(&self, timeout: Duration) {
        let queue = self.queue.lock();
        if queue.is_empty() {
            drop(self.arrived.wait_for(queue, timeout));
        }
    }
}
