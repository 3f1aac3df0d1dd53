//! What workers were asked to send. Only that counts when it comes; anything else was made up.

use std::collections::{HashMap, VecDeque};

use gt_core::{RequestId, WorkerId};

use crate::worker_map::WorkerMap;

/// Values that travel apart from messages may fail to arrive after their command is done; for so
/// many of them a worker may still say so.
const MOST_LATE: usize = 1 << 12;

/// Something that a worker was asked to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Duty {
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

/// What the workers of a session were asked to send and have not sent.
#[derive(Debug, Default)]
pub struct Duties {
    workers: WorkerMap<Owed>,
}

#[derive(Debug, Default)]
struct Owed {
    open: HashMap<Duty, Way>,
    /// The duties in the order of their commands, with the number of commands up to each.
    order: VecDeque<(u64, Duty)>,
    /// Duties of commands that are done, oldest first.
    late: VecDeque<Duty>,
    done: u64,
}

impl Duties {
    /// A worker is asked to send something by its `position`-th command. False if the same is
    /// asked of it already.
    #[must_use]
    pub fn owe(&mut self, worker: WorkerId, position: u64, duty: Duty, way: Way) -> bool {
        let owed = self.workers.of(worker);
        if owed.open.insert(duty, way).is_some() {
            return false;
        }
        owed.order.push_back((position, duty));
        true
    }

    /// A worker sent something; says whether it was asked to.
    #[must_use]
    pub fn pay(&mut self, worker: WorkerId, duty: Duty) -> bool {
        self.workers.get_mut(worker).is_some_and(|owed| owed.open.remove(&duty).is_some())
    }

    /// A worker is done with so many more commands.
    pub fn finish(&mut self, worker: WorkerId, commands: u64) {
        let Some(owed) = self.workers.get_mut(worker) else { return };
        owed.done += commands;
        while let Some(&(position, duty)) = owed.order.front() {
            if position > owed.done {
                break;
            }
            owed.order.pop_front();
            match owed.open.get(&duty) {
                Some(Way::Apart) => owed.late.push_back(duty),
                Some(Way::Message) => drop(owed.open.remove(&duty)),
                None => {}
            }
        }
        while owed.late.len() > MOST_LATE {
            if let Some(duty) = owed.late.pop_front() {
                owed.open.remove(&duty);
            }
        }
    }

    /// A worker is gone.
    pub fn forget(&mut self, worker: WorkerId) {
        self.workers.remove(worker);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKER: WorkerId = WorkerId(3);

    fn answer(number: u32) -> Duty {
        Duty::Answer(RequestId(number))
    }

    #[test]
    fn a_duty_counts_once_and_for_its_worker_alone() {
        let mut duties = Duties::default();
        assert!(duties.owe(WORKER, 1, answer(7), Way::Message));
        assert!(!duties.owe(WORKER, 2, answer(7), Way::Message));
        assert!(!duties.pay(WorkerId(4), answer(7)));
        assert!(!duties.pay(WORKER, answer(8)));
        assert!(duties.pay(WORKER, answer(7)));
        assert!(!duties.pay(WORKER, answer(7)));
    }

    #[test]
    fn what_travels_apart_may_fail_after_its_command_and_costs_a_bounded_amount() {
        let mut duties = Duties::default();
        for number in 0..2 * MOST_LATE as u32 {
            assert!(duties.owe(WORKER, u64::from(number) + 1, answer(number), Way::Apart));
            duties.finish(WORKER, 1);
        }
        assert!(!duties.pay(WORKER, answer(0)));
        assert!(duties.pay(WORKER, answer(2 * MOST_LATE as u32 - 1)));
        let owed = duties.workers.get(WORKER).expect("it is known");
        assert!(owed.open.len() <= MOST_LATE && owed.order.is_empty());
        assert!(duties.owe(WORKER, 2 * MOST_LATE as u64 + 1, answer(0), Way::Message));
        duties.finish(WORKER, 1);
        assert!(!duties.pay(WORKER, answer(0)));
    }
}
