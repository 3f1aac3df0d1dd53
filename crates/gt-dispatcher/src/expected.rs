//! What workers were asked to send. Only that counts when it comes; anything else was made up.

use std::collections::{HashMap, VecDeque};

use gt_core::{Meta, RequestId, WorkerId};

use crate::worker_map::WorkerMap;

/// Values that travel apart from messages may fail to arrive after their command is done; for so
/// many of them a worker may still say so.
const MOST_LATE: usize = 1 << 12;

/// Something that a worker was asked to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reply {
    /// The answer to a request of the client.
    Answer(RequestId),
    /// A value, or word of failures, for another worker.
    Handover {
        /// Who gets it.
        to: WorkerId,
        /// What both sides call it.
        tag: u64,
    },
}

/// How something travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Inside a message, before the command is reported as done.
    Message,
    /// Apart from messages; a message comes only if that fails.
    Apart,
}

/// How something travels, and what it is if it is a value for another worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// How it travels.
    pub way: Way,
    /// Its dtype and shape.
    pub meta: Option<Meta>,
}

impl From<Way> for Expected {
    fn from(way: Way) -> Self {
        Expected { way, meta: None }
    }
}

/// What the workers of a session were asked to send and have not sent.
#[derive(Debug, Default)]
pub struct ExpectedReplies {
    workers: WorkerMap<Awaited>,
}

#[derive(Debug, Default)]
struct Awaited {
    open: HashMap<Reply, Expected>,
    /// The expected in the order of their commands, with the number of commands up to each.
    order: VecDeque<(u64, Reply)>,
    /// ExpectedReplies of commands that are done, oldest first.
    late: VecDeque<Reply>,
    done: u64,
}

impl ExpectedReplies {
    /// A worker is asked to send something by its `position`-th command. False if the same is
    /// asked of it already.
    #[must_use]
    pub fn expect_reply(
        &mut self,
        worker: WorkerId,
        position: u64,
        reply: Reply,
        what: Expected,
    ) -> bool {
        let awaited = self.workers.of(worker);
        if awaited.open.insert(reply, what).is_some() {
            return false;
        }
        awaited.order.push_back((position, reply));
        true
    }

    /// A worker sent something; says whether it was asked to.
    #[must_use]
    pub fn take(&mut self, worker: WorkerId, reply: Reply) -> bool {
        self.workers.get_mut(worker).is_some_and(|awaited| awaited.open.remove(&reply).is_some())
    }

    /// A worker is done with so many more commands.
    pub fn finish(&mut self, worker: WorkerId, commands: u64) {
        let Some(awaited) = self.workers.get_mut(worker) else { return };
        awaited.done += commands;
        while let Some(&(position, reply)) = awaited.order.front() {
            if position > awaited.done {
                break;
            }
            awaited.order.pop_front();
            match awaited.open.get(&reply).map(|expected| expected.way) {
                Some(Way::Apart) => awaited.late.push_back(reply),
                Some(Way::Message) => drop(awaited.open.remove(&reply)),
                None => {}
            }
        }
        while awaited.late.len() > MOST_LATE {
            if let Some(reply) = awaited.late.pop_front() {
                awaited.open.remove(&reply);
            }
        }
    }

    /// A worker is gone: what it has not sent.
    pub fn forget(&mut self, worker: WorkerId) -> Vec<(Reply, Expected)> {
        let open = self.workers.remove(worker).map(|awaited| awaited.open).unwrap_or_default();
        let mut open: Vec<_> = open.into_iter().collect();
        open.sort_unstable_by_key(|(reply, _)| *reply);
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKER: WorkerId = WorkerId(3);

    fn answer(number: u32) -> Reply {
        Reply::Answer(RequestId(number))
    }

    #[test]
    fn a_duty_counts_once_and_for_its_worker_alone() {
        let mut expected = ExpectedReplies::default();
        assert!(expected.expect_reply(WORKER, 1, answer(7), Way::Message.into()));
        assert!(!expected.expect_reply(WORKER, 2, answer(7), Way::Message.into()));
        assert!(!expected.take(WorkerId(4), answer(7)));
        assert!(!expected.take(WORKER, answer(8)));
        assert!(expected.take(WORKER, answer(7)));
        assert!(!expected.take(WORKER, answer(7)));
    }

    #[test]
    fn what_travels_apart_may_fail_after_its_command_and_costs_a_bounded_amount() {
        let mut expected = ExpectedReplies::default();
        for number in 0..2 * MOST_LATE as u32 {
            assert!(expected.expect_reply(
                WORKER,
                u64::from(number) + 1,
                answer(number),
                Way::Apart.into()
            ));
            expected.finish(WORKER, 1);
        }
        assert!(!expected.take(WORKER, answer(0)));
        assert!(expected.take(WORKER, answer(2 * MOST_LATE as u32 - 1)));
        let awaited = expected.workers.get(WORKER).expect("it is known");
        assert!(awaited.open.len() <= MOST_LATE && awaited.order.is_empty());
        assert!(expected.expect_reply(
            WORKER,
            2 * MOST_LATE as u64 + 1,
            answer(0),
            Way::Message.into()
        ));
        expected.finish(WORKER, 1);
        assert!(!expected.take(WORKER, answer(0)));
    }
}
