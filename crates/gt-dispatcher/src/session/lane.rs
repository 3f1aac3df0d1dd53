//! The ledger of one worker of a session: what it was given, what of that was sent and is done, and
//! which replies it owes. Everything is counted by position, the number of commands that the worker
//! was given up to and including one. Positions never go back, so that whether a command is done,
//! a reply is late or a batch of the client is finished is one comparison.

use std::collections::VecDeque;
use std::sync::Arc;

use gt_core::{Error, Result};
use gt_transport::Batch;
use smallvec::SmallVec;

use super::outgoing::{Outgoing, Parcel};
use super::trail::{Mark, Progress};
use crate::context::Pace;
use crate::expected::ExpectedReplies;

/// A worker that has this much to do, in more than one message, gets no more. Estimates may be
/// several times too large, and it takes about a millisecond until the next message is there.
const MOST_IN_FLIGHT_NS: u64 = 40_000_000;
/// How long a worker takes for a command besides what it computes.
const COMMAND_NS: u64 = 1_000;
/// A worker that runs one message and has another one waiting needs no third.
const ENOUGH_MESSAGES: usize = 2;

/// One worker's commands.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// Commands that are not sent yet.
    pub(super) outgoing: Outgoing,
    /// The position up to which commands belong to batches that are in flight.
    counted: u64,
    sent: u64,
    done: u64,
    /// Messages that are not done: the position of the last command, and the estimated time.
    messages: VecDeque<(u64, u64)>,
    /// The estimated time of all of these.
    in_flight_ns: u64,
    /// The client's batches that it has not finished: their numbers and its last positions in them.
    batches: VecDeque<(u64, u64)>,
    /// What it was asked to send.
    pub(super) expected: ExpectedReplies,
    /// Which commands of the client its commands come from, while somebody observes.
    marks: VecDeque<Mark>,
}

impl Lane {
    /// How many commands the worker was given, with those that are not sent yet.
    #[inline]
    pub(super) fn given(&self) -> u64 {
        self.outgoing.position()
    }

    /// How many commands of batches in flight are not done.
    pub(super) fn left(&self) -> u64 {
        self.counted - self.done.min(self.counted)
    }

    /// Whether the worker has enough to do for now.
    pub(super) fn is_busy(&self) -> bool {
        self.messages.len() >= ENOUGH_MESSAGES
    }

    /// Whether it has enough to do that complete messages wait too.
    fn is_laden(&self) -> bool {
        self.is_busy() && self.in_flight_ns >= MOST_IN_FLIGHT_NS
    }

    /// Since when commands are held back for a time. What waits for a busy worker goes when that
    /// has finished something, and no time passes for it.
    pub(super) fn held_since(&self) -> Option<u64> {
        self.outgoing.held_since().filter(|_| !self.is_busy())
    }

    /// What the worker was given since the last batch of the client belongs to this one; `shared`
    /// commands of it follow in the run that is open. Says whether there was anything.
    pub(super) fn join_batch(&mut self, batch: u64, shared: u64) -> bool {
        let position = self.given() + shared;
        let has_part = position > self.counted;
        if has_part {
            self.counted = position;
            self.batches.push_back((batch, position));
        }
        has_part
    }

    /// The messages that are to be sent now. What is too little to be worth one is held back for
    /// a time.
    pub(super) fn take(&mut self, pace: Pace) -> SmallVec<[Arc<Batch>; 2]> {
        self.outgoing.complete_if_due(self.is_busy(), pace);
        let mut due = SmallVec::new();
        while let Some(Parcel { batch, cost_ns }) = self.outgoing.next(self.is_laden()) {
            let commands = batch.len() as u64;
            let cost_ns = cost_ns.saturating_add(commands * COMMAND_NS);
            self.sent += commands;
            self.messages.push_back((self.sent, cost_ns));
            self.in_flight_ns = self.in_flight_ns.saturating_add(cost_ns);
            due.push(batch);
        }
        self.outgoing.note_held(pace.now_ns);
        due
    }

    /// The worker is done with so many more commands; gives the batches that it has finished. An
    /// error if it was not sent as many.
    pub(super) fn finish(&mut self, commands: u64) -> Result<SmallVec<[u64; 2]>> {
        let unfinished = self.sent - self.done;
        if commands > unfinished {
            return Err(Error::bug(format!("{commands} commands are done of {unfinished}")));
        }
        self.done += commands;
        let done = self.done;
        let is_done = |(last, _): &(u64, u64)| *last <= done;
        while let Some((_, cost_ns)) = pop_front_if(&mut self.messages, is_done) {
            self.in_flight_ns = self.in_flight_ns.saturating_sub(cost_ns);
        }
        self.expected.finish(done);
        let mut finished = SmallVec::new();
        let is_finished = |(_, last): &(u64, u64)| *last <= done;
        while let Some((batch, _)) = pop_front_if(&mut self.batches, is_finished) {
            finished.push(batch);
        }
        Ok(finished)
    }

    /// The batches that the worker has not finished, now that it is gone.
    pub(super) fn unfinished_batches(&self) -> impl Iterator<Item = u64> {
        self.batches.iter().map(|&(batch, _)| batch)
    }

    /// The next command comes from this one of the client.
    #[inline]
    pub(super) fn mark(&mut self, instruction: u64) {
        if instruction != 0 && self.marks.back().is_none_or(|last| !last.is_alone(instruction)) {
            let position = self.given();
            self.marks.push_back(Mark { position, instruction, share: 0, shares: 0 });
        }
    }

    /// The commands that are shared next come from these of the client.
    pub(super) fn mark_shared(&mut self, marks: &[(u64, u64)], index: usize, shares: usize) {
        let (first, shares) = (self.given(), u16::try_from(shares).unwrap_or(u16::MAX));
        let share = u16::try_from(index + 1).unwrap_or(u16::MAX);
        let shared = |&(position, instruction): &(u64, u64)| Mark {
            position: first + position,
            instruction,
            share,
            shares,
        };
        self.marks.extend(marks.iter().map(shared));
    }

    /// Panics if the positions contradict each other.
    pub(super) fn check(&self) {
        let (given, sent, done) = (self.given(), self.sent, self.done);
        assert!(done <= sent && sent <= given, "{done} are done of {sent} sent of {given} given");
        assert!(self.counted >= done, "{done} are done, and {} belong to batches", self.counted);
        let last = self.messages.back().map_or(done, |&(last, _)| last);
        assert!(last == sent || self.messages.is_empty() && done == sent, "messages end at {last}");
        let in_flight_ns = self.messages.iter().map(|&(_, cost_ns)| cost_ns);
        assert_eq!(in_flight_ns.fold(0, u64::saturating_add), self.in_flight_ns, "credits differ");
    }

    /// How far the worker is.
    pub(super) fn progress(&mut self) -> Progress<'_> {
        Progress { sent: self.sent, done: self.done, marks: &mut self.marks }
    }
}

fn pop_front_if<T>(queue: &mut VecDeque<T>, is_it: impl Fn(&T) -> bool) -> Option<T> {
    queue.front().is_some_and(is_it).then(|| queue.pop_front()).flatten()
}

#[cfg(test)]
mod tests {
    use gt_core::Slot;
    use gt_core::instruction::{After, Command};

    use super::super::outgoing::{FULL_NS, FULL_RECORDS, WORTH_A_MESSAGE_NS};
    use super::*;

    const AT_ONCE: Pace = Pace { now_ns: 0, hold_ns: 0 };

    fn messages(lane: &mut Lane) -> Vec<usize> {
        lane.take(AT_ONCE).iter().map(|batch| batch.len()).collect()
    }

    #[test]
    fn what_is_little_is_held_back_for_a_while() {
        let mut lane = Lane::default();
        let mut sent_at = |now_ns: u64, cost_ns: u64| {
            lane.outgoing.push_free(&[Slot(0)]);
            lane.outgoing.add_cost(cost_ns);
            lane.take(Pace { now_ns, hold_ns: 1000 }).iter().map(|it| it.len()).sum::<usize>()
        };
        assert_eq!([0, 10, 999].map(|now_ns| sent_at(now_ns, 10)), [0; 3]);
        assert_eq!(sent_at(1000, 10), 4, "it is time");
        assert_eq!(sent_at(1001, 10), 0);
        assert_eq!(sent_at(1002, WORTH_A_MESSAGE_NS), 2, "it is worth a message");
    }

    #[test]
    fn what_nobody_waits_for_is_joined_while_the_worker_is_busy() {
        let mut lane = Lane::default();
        for _ in 0..ENOUGH_MESSAGES {
            lane.outgoing.push_free(&[Slot(0)]);
            lane.outgoing.add_cost(WORTH_A_MESSAGE_NS);
            assert_eq!(messages(&mut lane), [1]);
        }
        for _ in 0..3 {
            lane.outgoing.push_free(&[Slot(0)]);
            lane.outgoing.add_cost(WORTH_A_MESSAGE_NS);
            assert!(messages(&mut lane).is_empty());
        }
        assert_eq!((lane.given(), lane.sent), (5, 2));
        lane.finish(1).expect("two were sent");
        assert_eq!(messages(&mut lane), [3]);
        lane.outgoing.push_free(&[Slot(0)]);
        assert!(messages(&mut lane).is_empty());
        lane.outgoing.push(&Command::Settle { barrier: 0, after: After::Risks });
        assert_eq!(messages(&mut lane), [2]);
        assert_eq!((lane.given(), lane.sent - lane.done), (7, 6));
        lane.finish(7).expect_err("six are not done");
    }

    /// Gives the worker commands that take so long each; returns how many messages are sent.
    fn messages_of(lane: &mut Lane, commands: u64, cost_ns: u64) -> usize {
        for _ in 0..commands {
            lane.outgoing.add_cost(cost_ns);
            lane.outgoing.push_free(&[Slot(0)]);
        }
        messages(lane).len()
    }

    #[test]
    fn a_worker_has_work_for_a_bounded_time_and_gets_more_when_it_is_done() {
        for cost_ns in [0, 1_000, 100_000, FULL_NS, 3 * MOST_IN_FLIGHT_NS] {
            let mut lane = Lane::default();
            let each_ns = cost_ns + COMMAND_NS;
            let commands = 10 + 4 * MOST_IN_FLIGHT_NS / each_ns;
            messages_of(&mut lane, commands, cost_ns);
            let first = lane.sent;
            let bound_ns = MOST_IN_FLIGHT_NS + (FULL_RECORDS as u64 * COMMAND_NS).max(FULL_NS);
            let most = (bound_ns / each_ns).max(ENOUGH_MESSAGES as u64);
            assert!((2..=most + 1).contains(&first), "{first} of {each_ns} ns are sent");
            // What is finished makes room, and in the end everything was sent.
            while lane.sent < commands {
                let sent = lane.sent;
                lane.finish(sent - lane.done).expect("they were sent");
                messages(&mut lane);
                assert!(lane.sent > sent, "{sent} of {commands} are sent");
            }
            assert_eq!(lane.given(), commands);
        }
    }

    #[test]
    fn what_somebody_waits_for_takes_everything_before_it_along() {
        let mut lane = Lane::default();
        messages_of(&mut lane, 100, MOST_IN_FLIGHT_NS);
        assert_eq!(lane.sent, 2);
        lane.outgoing.hurry();
        assert_eq!(messages(&mut lane).len(), 98);
        assert!(lane.held_since().is_none());
    }

    #[test]
    fn a_batch_is_finished_with_the_last_of_its_commands() {
        let mut lane = Lane::default();
        assert!(!lane.join_batch(0, 0), "it has no part of the first batch");
        lane.outgoing.push_free(&[Slot(0)]);
        assert!(lane.join_batch(1, 2), "one command of its own, and two of a run");
        let mut run = Batch::default();
        run.push_free(&[Slot(1)]);
        run.push_free(&[Slot(2)]);
        lane.outgoing.push_shared(run.into(), 0);
        assert!(!lane.join_batch(2, 0), "they were counted");
        lane.outgoing.push_free(&[Slot(3)]);
        assert!(lane.join_batch(3, 0));
        lane.outgoing.release();
        assert_eq!((messages(&mut lane), lane.left()), (vec![1, 2, 1], 4));
        let mut finished = |commands| lane.finish(commands).expect("they were sent").to_vec();
        assert_eq!([finished(2), finished(1), finished(1)], [vec![], vec![1], vec![3]]);
    }

    #[test]
    fn each_clause_of_the_check_finds_its_mistake() {
        type Plant = fn(&mut Lane);
        let plants: [(&str, Plant); 4] = [
            ("sent of", |lane| lane.done = lane.sent + 1),
            ("belong to batches", |lane| (lane.done, lane.counted) = (1, 0)),
            ("messages end at", |lane| lane.messages[0].0 += 1),
            ("credits differ", |lane| lane.in_flight_ns += 1),
        ];
        for (words, plant) in plants {
            let mut lane = Lane::default();
            assert_eq!(messages_of(&mut lane, 1, WORTH_A_MESSAGE_NS), 1);
            lane.join_batch(0, 0);
            lane.check();
            plant(&mut lane);
            let lane = std::panic::AssertUnwindSafe(lane);
            let found = std::panic::catch_unwind(|| lane.check()).expect_err(words);
            let found = found.downcast_ref::<String>().expect("words");
            assert!(found.contains(words), "{found} instead of {words}");
        }
    }
}
