//! Cancelled work: computations that the client asked for and no longer waits for. They run only
//! when something else needs them, and are dropped once nothing can.

use std::collections::{BTreeSet, HashSet, VecDeque};

use gt_core::instruction::After;
use gt_core::{RequestId, Result};

use super::{Backlog, From, Holds, MOST_BEFORE, hold, release};
use crate::bound::{Bound, Task};
use crate::names::Names;
use crate::plan::{Position, Then, ValueId};
use crate::planner::Planner;

/// Everything that has come up to a position is cancelled.
#[derive(Clone, Debug)]
pub(super) struct Cancelled {
    last: Position,
    /// The requests that the client has given up.
    requests: BTreeSet<RequestId>,
}

/// Commands that wait to be asked for, in the order of the stream.
#[derive(Debug, Default)]
pub(super) struct Deferred {
    pub(super) commands: VecDeque<Bound>,
    makes: HashSet<ValueId>,
}

impl Deferred {
    fn new(commands: VecDeque<Bound>) -> Self {
        let makes = commands.iter().flat_map(|bound| bound.makes().iter().copied()).collect();
        Deferred { commands, makes }
    }

    /// Whether a command needs something of this: its inputs, or everything before it.
    fn is_needed_by(&self, bound: &Bound) -> bool {
        if self.commands.is_empty() {
            return false;
        }
        let first = self.commands.front().map(|first| first.position);
        let is_after = first.is_some_and(|first| first < bound.position);
        (is_after && needs_everything(bound)) || bound.needs_any(|id| self.makes.contains(&id))
    }
}

impl Backlog {
    /// The client no longer waits for anything that has come so far. A read that it has given up is
    /// answered without its value.
    pub fn cancel(&mut self, request: Option<RequestId>) {
        let last = Position((self.next.0 + self.unbound).saturating_sub(1));
        let before = self.cancelled.take().map(|before| before.requests).unwrap_or_default();
        let requests = before.into_iter().chain(request).collect();
        self.cancelled = Some(Cancelled { last, requests });
        self.reader = None;
        self.stir();
    }

    /// Takes cancelled computations out of the queue. Commands that can fail on data, that report
    /// or that other workers wait for stay, with what they need: the session is told of failures as
    /// before, and no other worker notices.
    pub(super) fn defer(&mut self, planner: &mut Planner) -> Result<()> {
        let Some(Cancelled { last, requests }) = self.cancelled.take() else { return Ok(()) };
        if last.0 > self.next.0 + MOST_BEFORE {
            return Ok(());
        }
        self.bind_up_to(last, planner)?;
        let mut waiting: Vec<Bound> = std::mem::take(&mut self.deferred).commands.into();
        for list in [&mut self.urgent, &mut self.blocked, &mut self.admitted] {
            waiting.extend(list.drain(..));
        }
        // Of a command that is two tasks, the first stays first.
        waiting.sort_by_key(|bound| bound.position);
        let mut needed = HashSet::new();
        let (mut deferred, mut kept) = (VecDeque::new(), VecDeque::new());
        for mut bound in waiting.into_iter().rev() {
            match bound.task {
                Task::Answer { value, request, .. } if requests.contains(&request) => {
                    planner.names().release(value);
                    bound.task = Task::GiveUp(request);
                }
                Task::Sync(request) if requests.contains(&request) => {
                    bound.task = Task::GiveUp(request);
                }
                _ => {}
            }
            let is_needed = bound.makes().iter().any(|id| needed.contains(id));
            if may_wait(&bound) && !is_needed {
                deferred.push_front(bound);
            } else {
                needed.extend(bound.needs());
                kept.push_front(bound);
            }
        }
        self.admitted = kept;
        self.holds = Holds::default();
        self.deferred = Deferred::new(deferred);
        self.drop_unneeded(planner.names());
        Ok(())
    }

    /// Drops cancelled computations whose results have no name and which no command needs.
    pub(super) fn drop_unneeded(&mut self, names: &mut Names) {
        if self.deferred.commands.is_empty() {
            return;
        }
        let commands = std::mem::take(&mut self.deferred.commands);
        let mut kept = VecDeque::with_capacity(commands.len());
        for bound in commands.into_iter().rev() {
            // The command itself is the one holder that is left.
            let is_unneeded = |id: &ValueId| names.holders(*id) <= 1;
            if !bound.makes().is_empty() && bound.makes().iter().all(is_unneeded) {
                release(&bound, names);
            } else {
                kept.push_front(bound);
            }
        }
        self.deferred = Deferred::new(kept);
    }

    /// Puts the cancelled commands that a command needs back in front of it, so that it is taken
    /// again after them. Gives it back if it needs none.
    pub(super) fn recall(&mut self, bound: Bound, from: From, names: &mut Names) -> Option<Bound> {
        if !self.deferred.is_needed_by(&bound) {
            return Some(bound);
        }
        // Held first: the command may have ended the names of values that it needs.
        if from == From::Batch {
            hold(&bound, names);
        }
        // Names may have ended since, in the same batch.
        self.drop_unneeded(names);
        // What comes after it may wait for it.
        let last = needs_everything(&bound).then_some(bound.position);
        let mut needed: HashSet<ValueId> = bound.needs().into_iter().collect();
        let (mut recalled, mut left) = (VecDeque::new(), VecDeque::new());
        for one in std::mem::take(&mut self.deferred).commands.into_iter().rev() {
            let is_before = last.is_some_and(|last| one.position < last);
            if is_before || one.makes().iter().any(|id| needed.contains(id)) {
                needed.extend(one.needs());
                recalled.push_front(one);
            } else {
                left.push_front(one);
            }
        }
        self.deferred = Deferred::new(left);
        let list = if from == From::Urgent { &mut self.urgent } else { &mut self.admitted };
        list.push_front(bound);
        recalled.into_iter().rev().for_each(|one| list.push_front(one));
        None
    }

    /// Every command that waits, cancelled ones included, in the order of the stream.
    pub(super) fn in_order(&self) -> Vec<&Bound> {
        let mut all: Vec<&Bound> =
            self.deferred.commands.iter().chain(&self.blocked).chain(&self.admitted).collect();
        if !self.deferred.commands.is_empty() {
            all.sort_by_key(|bound| bound.position);
        }
        all
    }

    /// Takes chosen commands out of those that wait, in the order of the stream. The others stay
    /// where they are; what was blocked is looked at again.
    pub(super) fn take_chosen(&mut self, chosen: &HashSet<Position>) -> VecDeque<Bound> {
        let deferred = std::mem::take(&mut self.deferred).commands;
        self.blocked.append(&mut self.admitted);
        let waiting = std::mem::take(&mut self.blocked);
        let is_chosen = |bound: &Bound| chosen.contains(&bound.position);
        let (mut taken, waiting): (VecDeque<_>, _) = waiting.into_iter().partition(is_chosen);
        let (recalled, deferred) = deferred.into_iter().partition(is_chosen);
        (self.admitted, self.deferred) = (waiting, Deferred::new(deferred));
        taken.extend::<VecDeque<_>>(recalled);
        taken.make_contiguous().sort_by_key(|bound| bound.position);
        taken
    }
}

/// Whether a command is about everything before it.
fn needs_everything(bound: &Bound) -> bool {
    matches!(bound.task, Task::Sync(_) | Task::Report(_, Then::Settle(After::Everything)))
}

/// Whether nobody notices that a command does not run until its results are needed.
fn may_wait(bound: &Bound) -> bool {
    matches!(&bound.task, Task::Apply(apply) if !bound.is_risky() && !apply.op.data_dependent)
}
