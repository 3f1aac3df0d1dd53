//! Which command of the client each command for a worker comes from, while somebody observes.

use std::collections::{BTreeMap, VecDeque};

use gt_core::{ScopeId, WorkerId};

use super::Session;
use super::run::Run;

/// Where a session is in its stream.
#[derive(Debug, Default)]
pub struct Trail {
    /// How many commands of the client have come.
    received: u64,
    /// The number of the one that is rewritten, from one; zero while nobody observes.
    pub(super) instruction: u64,
    /// What its signals are called.
    pub(crate) names: BTreeMap<ScopeId, Box<str>>,
}

impl Trail {
    /// So many commands come; gives the number of the first.
    pub(crate) fn begin(&mut self, commands: usize) -> u64 {
        let first = self.received + 1;
        self.received += commands as u64;
        first
    }

    /// The command with this number is rewritten next.
    pub(crate) fn reach(&mut self, instruction: u64) {
        self.instruction = instruction;
    }
}

/// From here on, the commands for a worker come from this one of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The first command for the worker.
    pub(crate) position: u64,
    /// The client's command.
    pub(crate) instruction: u64,
    /// Which share of it the worker has, from one …
    pub(crate) share: u16,
    /// … of how many; zero if it is alone.
    pub(crate) shares: u16,
}

impl Mark {
    /// Whether it is about a command of the client that is not shared.
    pub(super) fn is_alone(&self, instruction: u64) -> bool {
        self.instruction == instruction && self.shares == 0
    }
}

/// What is known of the commands for one worker.
pub(crate) struct Progress<'a> {
    /// How many were sent.
    pub(crate) sent: u64,
    /// How many of these are done.
    pub(crate) done: u64,
    /// Where they come from.
    pub(crate) marks: &'a mut VecDeque<Mark>,
}

impl Session {
    /// How far a worker is.
    pub(crate) fn progress(&mut self, worker: WorkerId) -> Progress<'_> {
        self.lanes.of(worker).progress()
    }

    /// Notes what the commands of the run come from that follow.
    pub(super) fn mark_run(&mut self) {
        let (instruction, position) = (self.trail.instruction, self.run.position());
        self.run.mark(position, instruction);
    }
}

impl Run {
    /// What follows comes from this command of the client.
    fn mark(&mut self, position: u64, instruction: u64) {
        let is_known = self.marks.last().is_some_and(|&(_, last)| last == instruction);
        if instruction != 0 && !is_known {
            self.marks.push((position, instruction));
        }
    }
}
