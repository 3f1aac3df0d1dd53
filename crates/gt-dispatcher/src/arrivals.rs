//! The queue of messages that have arrived and are not handled yet. Workers go first, within a
//! bound. Clients share the rest by fair queueing on bytes: the client with the fewest bytes
//! handled so far is next, so that a client that sends little does not wait behind one that floods.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

/// Limit on messages of workers that are handled in a row while clients wait.
const WORKERS_IN_A_ROW: usize = 16;
/// The fixed cost of a message, in bytes.
const MESSAGE_BYTES: u64 = 256;
/// Number of clients from which on those without messages and without debt are forgotten.
const FEW_CLIENTS: usize = 64;

/// Who has sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A worker.
    Worker,
    /// A client, or a peer that is not known yet.
    Client,
}

/// Messages that wait; those of one peer stay in order.
#[derive(Debug)]
pub(crate) struct Arrivals<P, M> {
    workers: VecDeque<M>,
    clients: HashMap<P, Client<M>>,
    /// Clients with messages, by the bytes that will have been handled after their next message,
    /// then by order of arrival.
    turns: BTreeMap<(u64, u64), P>,
    came: u64,
    /// Virtual time: the bytes handled of the client that was served last. A client that was idle
    /// starts from here.
    clock: u64,
    /// Number of clients at which the next clean-up happens.
    many_clients: usize,
    count: usize,
    /// Messages of workers handled since the last one of a client.
    in_a_row: usize,
}

#[derive(Debug)]
struct Client<M> {
    /// Its messages, and the cost of each.
    messages: VecDeque<(u64, M)>,
    /// Cost of its messages handled so far, at least the virtual time at which it became active.
    heard: u64,
}

impl<P, M> Default for Arrivals<P, M> {
    fn default() -> Self {
        let (workers, clients, turns) = Default::default();
        let (came, clock, count, in_a_row) = (0, 0, 0, 0);
        let many_clients = FEW_CLIENTS;
        Arrivals { workers, clients, turns, came, clock, many_clients, count, in_a_row }
    }
}

impl<P: Clone + Eq + Hash, M> Arrivals<P, M> {
    /// Number of messages that wait.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Appends a message of so many bytes.
    pub(crate) fn push(&mut self, kind: Kind, peer: P, bytes: usize, message: M) {
        self.count += 1;
        // Messages of a peer from before it registered as a worker come first.
        let is_client = self.clients.get(&peer).is_some_and(|client| !client.messages.is_empty());
        if kind == Kind::Worker && !is_client {
            return self.workers.push_back(message);
        }
        self.forget_silent();
        let cost = MESSAGE_BYTES + bytes as u64;
        let Self { clients, turns, came, clock, .. } = self;
        let silent = || Client { messages: VecDeque::new(), heard: *clock };
        let client = clients.entry(peer.clone()).or_insert_with(silent);
        if client.messages.is_empty() {
            client.heard = client.heard.max(*clock);
            *came += 1;
            turns.insert((client.heard + cost, *came), peer);
        }
        client.messages.push_back((cost, message));
    }

    /// The next message to handle.
    pub(crate) fn next(&mut self) -> Option<M> {
        let may = self.in_a_row < WORKERS_IN_A_ROW || self.turns.is_empty();
        if may && let Some(message) = self.workers.pop_front() {
            self.in_a_row += 1;
            self.count -= 1;
            return Some(message);
        }
        self.in_a_row = 0;
        let (_, peer) = self.turns.pop_first()?;
        let client = self.clients.get_mut(&peer)?;
        let (cost, message) = client.messages.pop_front()?;
        self.clock = self.clock.max(client.heard);
        client.heard += cost;
        if let Some((next, _)) = client.messages.front() {
            self.came += 1;
            self.turns.insert((client.heard + next, self.came), peer);
        } else if self.turns.is_empty() {
            // No client waits: the next one must not be charged for an idle queue.
            self.clock = self.clock.max(client.heard);
        }
        self.count -= 1;
        Some(message)
    }

    /// Forgets, now and then, clients without messages whose cost is not ahead of the virtual time.
    fn forget_silent(&mut self) {
        if self.clients.len() < self.many_clients {
            return;
        }
        let clock = self.clock;
        self.clients.retain(|_, client| !client.messages.is_empty() || client.heard > clock);
        self.many_clients = FEW_CLIENTS.max(2 * self.clients.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard<P: Clone + Eq + Hash>(arrivals: &mut Arrivals<P, i32>) -> Vec<i32> {
        std::iter::from_fn(|| arrivals.next()).collect()
    }

    #[test]
    fn workers_are_heard_first_and_clients_take_turns() {
        let mut arrivals = Arrivals::default();
        (0..4).for_each(|number| arrivals.push(Kind::Client, "flood", 0, number));
        arrivals.push(Kind::Client, "reader", 0, 10);
        (0..20).for_each(|number| arrivals.push(Kind::Worker, "worker", 0, 100 + number));
        let workers: Vec<i32> = (100..120).collect();
        let expected = [&workers[..16], &[0], &workers[16..], &[10, 1, 2, 3]].concat();
        assert_eq!((heard(&mut arrivals), arrivals.len()), (expected, 0));
    }

    #[test]
    fn what_a_worker_said_before_it_was_one_comes_first() {
        let mut arrivals = Arrivals::default();
        arrivals.push(Kind::Client, "new", 0, 0);
        arrivals.push(Kind::Worker, "new", 0, 1);
        arrivals.push(Kind::Worker, "old", 0, 2);
        assert_eq!(heard(&mut arrivals), [2, 0, 1]);
    }

    #[test]
    fn who_says_little_waits_for_one_message_of_those_who_say_much() {
        let mut arrivals = Arrivals::default();
        let floods = ["a", "b", "c", "d"];
        for (flood, number) in floods.iter().zip(0..) {
            (0..10).for_each(|_| arrivals.push(Kind::Client, *flood, 32 << 10, number));
        }
        for round in 0..30 {
            // One of theirs is heard while it arrives.
            assert!(arrivals.next().is_some_and(|number| number < 4), "round {round}");
            arrivals.push(Kind::Client, "reader", 100, 10);
            assert_eq!(arrivals.next(), Some(10), "round {round}");
        }
    }

    #[test]
    fn who_sends_a_message_at_a_time_is_heard_no_more_than_others() {
        let mut arrivals = Arrivals::default();
        (0..100).for_each(|_| arrivals.push(Kind::Client, "many", 1000, 0));
        let mut counts = [0; 2];
        for _ in 0..60 {
            if arrivals.clients.get("single").is_none_or(|single| single.messages.is_empty()) {
                arrivals.push(Kind::Client, "single", 1000, 1);
            }
            counts[arrivals.next().expect("many wait") as usize] += 1;
        }
        assert_eq!(counts, [30; 2]);
    }

    #[test]
    fn clients_that_are_gone_are_forgotten() {
        let mut arrivals = Arrivals::default();
        for number in 0..10_000 {
            arrivals.push(Kind::Client, number, 100, number);
            assert_eq!(arrivals.next(), Some(number));
        }
        assert!(arrivals.clients.len() <= 2 * FEW_CLIENTS, "{}", arrivals.clients.len());
    }
}
