//! What has arrived and was not heard: workers are heard first, and clients take turns, a message
//! each, so that nobody waits for what somebody else has sent before.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// So many messages of workers are heard before one of a client.
const WORKERS_IN_A_ROW: usize = 16;

/// Who has sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A worker.
    Worker,
    /// Anybody else; they take turns.
    Client,
}

/// Messages that wait to be heard; those of one peer stay in order.
#[derive(Debug)]
pub(crate) struct Arrivals<P, M> {
    workers: VecDeque<M>,
    clients: HashMap<P, VecDeque<M>>,
    /// Clients with messages, the one whose turn it is first.
    turns: VecDeque<P>,
    count: usize,
    /// How many messages of workers were heard since the last one of a client.
    in_a_row: usize,
}

impl<P, M> Default for Arrivals<P, M> {
    fn default() -> Self {
        let (workers, clients, turns) = Default::default();
        Arrivals { workers, clients, turns, count: 0, in_a_row: 0 }
    }
}

impl<P: Clone + Eq + Hash, M> Arrivals<P, M> {
    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Appends a message.
    pub(crate) fn push(&mut self, kind: Kind, peer: P, message: M) {
        self.count += 1;
        // What somebody has said before it was a worker is heard before what it says as one.
        if kind == Kind::Worker && !self.clients.contains_key(&peer) {
            return self.workers.push_back(message);
        }
        let queue = self.clients.entry(peer.clone()).or_default();
        if queue.is_empty() {
            self.turns.push_back(peer);
        }
        queue.push_back(message);
    }

    /// The message that is heard next.
    pub(crate) fn next(&mut self) -> Option<M> {
        let may = self.in_a_row < WORKERS_IN_A_ROW || self.turns.is_empty();
        if may && let Some(message) = self.workers.pop_front() {
            self.in_a_row += 1;
            self.count -= 1;
            return Some(message);
        }
        self.in_a_row = 0;
        let peer = self.turns.pop_front()?;
        let queue = self.clients.get_mut(&peer)?;
        let message = queue.pop_front()?;
        if queue.is_empty() {
            self.clients.remove(&peer);
        } else {
            self.turns.push_back(peer);
        }
        self.count -= 1;
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_heard_first_and_clients_take_turns() {
        let mut arrivals = Arrivals::default();
        (0..4).for_each(|number| arrivals.push(Kind::Client, "flood", number));
        arrivals.push(Kind::Client, "reader", 10);
        (0..20).for_each(|number| arrivals.push(Kind::Worker, "worker", 100 + number));
        let order: Vec<i32> = std::iter::from_fn(|| arrivals.next()).collect();
        let workers: Vec<i32> = (100..120).collect();
        let expected = [&workers[..16], &[0], &workers[16..], &[10, 1, 2, 3]].concat();
        assert_eq!((order, arrivals.len()), (expected, 0));
    }

    #[test]
    fn what_a_worker_said_before_it_was_one_comes_first() {
        let mut arrivals = Arrivals::default();
        arrivals.push(Kind::Client, "new", 0);
        arrivals.push(Kind::Worker, "new", 1);
        arrivals.push(Kind::Worker, "old", 2);
        let order: Vec<i32> = std::iter::from_fn(|| arrivals.next()).collect();
        assert_eq!(order, [2, 0, 1]);
    }
}
