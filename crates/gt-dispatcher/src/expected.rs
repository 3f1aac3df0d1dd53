//! What workers were asked to send. Only that counts when it comes; anything else was made up.

use std::collections::{HashMap, VecDeque};

use gt_core::{Meta, RequestId, WorkerId};

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

/// What one worker was asked to send and has not sent.
#[derive(Debug, Default)]
pub struct ExpectedReplies {
    open: HashMap<Reply, Expected>,
    /// The replies in the order of their commands, with the positions of these.
    order: VecDeque<(u64, Reply)>,
    /// Replies to commands that are done, oldest first.
    late: VecDeque<Reply>,
}

impl ExpectedReplies {
    /// The worker is asked to send something by the command at `position`. False if the same is
    /// asked of it already.
    #[must_use]
    pub fn expect_reply(&mut self, position: u64, reply: Reply, what: Expected) -> bool {
        if self.open.insert(reply, what).is_some() {
            return false;
        }
        self.order.push_back((position, reply));
        true
    }

    /// The worker sent something; says whether it was asked to.
    #[must_use]
    pub fn take(&mut self, reply: Reply) -> bool {
        self.open.remove(&reply).is_some()
    }

    /// The worker is done with all commands up to a position.
    pub fn finish(&mut self, done: u64) {
        while let Some(&(position, reply)) = self.order.front() {
            if position > done {
                break;
            }
            self.order.pop_front();
            match self.open.get(&reply).map(|expected| expected.way) {
                Some(Way::Apart) => self.late.push_back(reply),
                Some(Way::Message) => drop(self.open.remove(&reply)),
                None => {}
            }
        }
        while self.late.len() > MOST_LATE {
            if let Some(reply) = self.late.pop_front() {
                self.open.remove(&reply);
            }
        }
    }

    /// What a worker that is gone has not sent.
    pub fn into_open(self) -> Vec<(Reply, Expected)> {
        let mut open: Vec<_> = self.open.into_iter().collect();
        open.sort_unstable_by_key(|(reply, _)| *reply);
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(number: u32) -> Reply {
        Reply::Answer(RequestId(number))
    }

    #[test]
    fn a_reply_counts_once_and_only_if_it_was_asked_for() {
        let mut expected = ExpectedReplies::default();
        assert!(expected.expect_reply(1, answer(7), Way::Message.into()));
        assert!(!expected.expect_reply(2, answer(7), Way::Message.into()));
        assert!(!expected.take(answer(8)));
        assert!(expected.take(answer(7)));
        assert!(!expected.take(answer(7)));
    }

    #[test]
    fn what_travels_apart_may_fail_after_its_command_and_costs_a_bounded_amount() {
        let mut expected = ExpectedReplies::default();
        let last = 2 * MOST_LATE as u32;
        for number in 1..=last {
            assert!(expected.expect_reply(number.into(), answer(number), Way::Apart.into()));
            expected.finish(number.into());
        }
        assert!(!expected.take(answer(1)));
        assert!(expected.take(answer(last)));
        assert!(expected.open.len() <= MOST_LATE && expected.order.is_empty());
        let next = u64::from(last) + 1;
        assert!(expected.expect_reply(next, answer(1), Way::Message.into()));
        expected.finish(next);
        assert!(!expected.take(answer(1)));
    }
}
