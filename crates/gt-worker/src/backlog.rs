//! What a session wants done and has not been planned, by dependency. Commands are bound to values
//! in the order of their stream. One that needs something which is not there waits, and with it
//! only what depends on it: all others pass.
//!
//! Failures keep the order of the stream. They carry the positions of their commands, so that a
//! computation which fails early harms nobody before it; and whoever looks at failures, to answer,
//! to report or to replace a value, waits for all before it that may still fail.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use gt_core::instruction::After;
use gt_core::{Error, Result};
use gt_transport::Batch;

use crate::bound::{Bound, Task};
use crate::names::Names;
use crate::plan::{Position, Then, ValueId};
use crate::planner::{Flow, Planner};
use crate::queue::{Arrived, Window};

mod ahead;
mod defer;
mod hurry;

use ahead::Ahead;
use defer::{Cancelled, Deferred};
use hurry::{MOST_BEFORE, Reader};

/// A session has at most so many commands waiting; a dispatcher stops long before.
const MOST_COMMANDS: u64 = 1 << 22;

/// At most so many commands are passed by others.
const MOST_BLOCKED: usize = 4096;

/// While somebody is passed, no more than this is made or given away: it stays, here or with
/// another worker, until all who need it had a turn.
const MOST_BYTES_AHEAD: u64 = 256 << 20;

/// So many updates of one value may wait for what other workers are at, one after another, before
/// nothing new is begun. A client that adds up the gradients of micro-batches is so many of them
/// ahead on the worker of its first layers, however many there are; as many keep a pipeline of so
/// many workers busy.
const MOST_UPDATES_AHEAD: u32 = 4;

/// A plan that has this much to do ends with what it hands to another worker, which waits for it.
const WORTH_A_HANDOVER_NS: u64 = 100_000;

/// The commands of one session.
#[derive(Debug, Default)]
pub struct Backlog {
    batches: VecDeque<Arc<Batch>>,
    /// How many commands of the first batch are bound already.
    bound: usize,
    /// How many commands are not.
    unbound: u64,
    /// The place of the next one.
    next: Position,
    /// What a read that has waited for long needs, and the read.
    urgent: VecDeque<Bound>,
    /// What waits, the oldest first.
    blocked: VecDeque<Bound>,
    /// What was bound after that, and not looked at.
    admitted: VecDeque<Bound>,
    holds: Holds,
    /// Something that somebody may wait for has come.
    stirred: bool,
    /// What was made or given away while somebody was passed.
    ahead: Ahead,
    /// The bytes that there is room for.
    room_bytes: u64,
    /// Whether results that are not finite fail.
    pub checks_nan: bool,
    /// What has come from elsewhere.
    pub arrived: Arrived,
    /// The plans that did not come back.
    sent: VecDeque<Sent>,
    /// Something may have failed that the client was not told.
    untold: bool,
    /// The newest read that ends a batch.
    reader: Option<Reader>,
    /// What the client no longer waits for, and what of it was taken out of the queue.
    cancelled: Option<Cancelled>,
    deferred: Deferred,
}

/// A plan that did not come back.
#[derive(Debug)]
struct Sent {
    number: u64,
    /// The oldest command in it.
    first: Position,
    /// Whether data can make some of it fail.
    risky: bool,
    /// What it makes or gives away.
    bytes: u64,
}

/// What is among the commands that wait, and stops others behind them.
#[derive(Debug, Default)]
struct Holds {
    anything: bool,
    /// Something that can fail here, or tell that something has.
    doubt: bool,
    /// What votes were about whose verdicts are awaited.
    voted: Vec<ValueId>,
    /// The verdict of a failure barrier.
    verdict: bool,
    /// Something that data can make fail.
    risk: bool,
    /// Something that replaces a value, unless something before it failed.
    replacement: bool,
    /// Something that reports failures.
    report: bool,
    /// Something that tells the client, after which values are replaced again.
    telling: bool,
    /// What is made of values that other workers have not handed over, and how many updates of one
    /// place, of which each replaces the one before, lead there.
    awaited: HashMap<ValueId, u32>,
    /// The most of these.
    updates: u32,
}

impl Holds {
    fn add(&mut self, bound: &Bound) {
        self.anything = true;
        match &bound.task {
            Task::Agree { outputs, .. } => self.voted.extend_from_slice(outputs),
            _ => self.doubt |= !bound.renames_one_of(&self.voted),
        }
        self.verdict |= bound.awaits().is_some();
        self.risk |= bound.is_risky();
        self.replacement |= bound.replaces();
        self.report |= matches!(bound.task, Task::Report(..) | Task::Vote { .. });
        self.telling |= tells(bound);
        self.count_updates(bound);
    }

    fn count_updates(&mut self, bound: &Bound) {
        let is_from_elsewhere = matches!(bound.task, Task::Receive { .. } | Task::Get(_));
        let needs = bound.needs();
        let mut before = needs.iter().filter_map(|id| self.awaited.get(id)).copied().peekable();
        if !is_from_elsewhere && before.peek().is_none() {
            return;
        }
        let updates = match &bound.task {
            Task::Apply(apply) if bound.replaces() => {
                let old = apply.replaces.iter().flatten().filter_map(|id| self.awaited.get(id));
                1 + old.copied().max().unwrap_or(0)
            }
            // Whoever waits for a vote goes on with what was voted on.
            Task::Agree { .. } => before.max().unwrap_or(0),
            _ => 0,
        };
        self.updates = self.updates.max(updates);
        self.awaited.extend(bound.makes().iter().map(|&id| (id, updates)));
    }

    fn stop(&self, bound: &Bound) -> bool {
        if !self.anything {
            return false;
        }
        let failures = self.verdict || self.risk || self.telling;
        match &bound.task {
            Task::Sync(_) => true,
            // It need not wait for the verdicts of earlier votes: a failure that one of them brings
            // comes with all later ones too.
            Task::Vote { .. } => self.doubt,
            Task::Report(_, Then::Settle(After::Everything)) => true,
            Task::Report(_, Then::Stay) => failures || self.report,
            Task::Answer { .. } | Task::GiveUp(_) | Task::Report(..) => {
                failures || self.report || self.replacement
            }
            _ => failures && bound.replaces(),
        }
    }
}

/// Whether the client knows after this what failed before it.
fn tells(bound: &Bound) -> bool {
    match bound.task {
        Task::Answer { .. } | Task::GiveUp(_) | Task::Sync(_) => true,
        Task::Report(_, then) => matches!(then, Then::Settle(_)),
        _ => false,
    }
}

/// Where a command comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Urgent,
    Admitted,
    Batch,
}

impl Backlog {
    /// Appends commands.
    pub fn push(&mut self, batch: Arc<Batch>) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        self.unbound += batch.len() as u64;
        if self.unbound > MOST_COMMANDS {
            return Err(Error::value(format!("more than {MOST_COMMANDS} commands wait")));
        }
        let last = Position(self.next.0 + self.unbound - 1);
        self.reader = Reader::at_end_of(&batch, last).or(self.reader);
        self.batches.push_back(batch);
        Ok(())
    }

    /// Something has come that a command may wait for.
    pub fn stir(&mut self) {
        self.stirred = true;
    }

    /// Whether there is nothing to look at.
    pub fn is_idle(&self) -> bool {
        let nothing_waits = self.urgent.is_empty() && self.admitted.is_empty();
        !self.stirred && nothing_waits && self.batches.is_empty()
    }

    /// Plans what can be planned, as much as goes into one plan. Nobody is passed for more than
    /// there is room for.
    pub fn fill(
        &mut self,
        planner: &mut Planner,
        window: Window,
        room_bytes: u64,
        number: u64,
    ) -> Result<()> {
        // Plans that run or wait to run have not taken all of their memory yet.
        let planned: u64 = self.sent.iter().map(|sent| sent.bytes).sum();
        self.room_bytes = room_bytes.saturating_sub(planned);
        if std::mem::take(&mut self.stirred) {
            self.blocked.append(&mut self.admitted);
            std::mem::swap(&mut self.blocked, &mut self.admitted);
            self.holds = Holds::default();
        }
        let first = self.next;
        self.defer(planner)?;
        self.hurry(planner)?;
        let mut sent = Sent { number, first: self.next, risky: false, bytes: 0 };
        let room = |planner: &Planner| {
            planner.commands() < window.commands as u64 && planner.cost_ns() < window.cost_ns
        };
        while room(planner) {
            if self.binds() && self.end_names(planner)? {
                continue;
            }
            let Some((bound, from)) = self.take(planner)? else { break };
            let Some(bound) = self.recall(bound, from, planner.names()) else { continue };
            if from != From::Urgent && self.must_wait(&bound, planner.names()) {
                self.block(bound, from, planner.names());
                continue;
            }
            sent.first = sent.first.min(bound.position);
            sent.risky |= bound.is_risky();
            let flow = self.plan(&bound, from, planner)?;
            let is_awaited = bound.hands_over() && planner.cost_ns() >= WORTH_A_HANDOVER_NS;
            if flow == Flow::Last || is_awaited {
                break;
            }
        }
        if self.next != first {
            self.drop_unneeded(planner.names());
        }
        if planner.commands() > 0 {
            sent.bytes = planner.bytes();
            self.sent.push_back(sent);
        }
        Ok(())
    }

    fn plan(&mut self, bound: &Bound, from: From, planner: &mut Planner) -> Result<Flow> {
        let before = planner.bytes();
        let failed_elsewhere = self.arrived.is_failure(bound);
        self.untold = (self.untold || failed_elsewhere) && !tells(bound);
        let flow = planner.plan(bound, &mut self.arrived)?;
        if from != From::Batch {
            release(bound, planner.names());
        }
        match self.blocked.is_empty() {
            true => self.ahead.reach(bound.position),
            false => self.ahead.pass(bound.position, planner.bytes() - before),
        }
        Ok(flow)
    }

    /// The next command to look at.
    fn take(&mut self, planner: &mut Planner) -> Result<Option<(Bound, From)>> {
        if let Some(bound) = self.urgent.pop_front() {
            return Ok(Some((bound, From::Urgent)));
        }
        if let Some(bound) = self.admitted.pop_front() {
            return Ok(Some((bound, From::Admitted)));
        }
        if !self.binds() {
            return Ok(None);
        }
        let Some((bound, second)) = self.bind(planner)? else { return Ok(None) };
        if let Some(second) = second {
            hold(&second, planner.names());
            self.admitted.push_back(second);
        }
        Ok(Some((bound, From::Batch)))
    }

    /// Whether what is looked at next was not bound yet.
    fn binds(&self) -> bool {
        let waits = !self.urgent.is_empty() || !self.admitted.is_empty();
        let many_updates = self.holds.updates >= MOST_UPDATES_AHEAD;
        !waits && !self.is_far_ahead() && !many_updates && self.blocked.len() < MOST_BLOCKED
    }

    /// Whether enough was made before it is needed. What waits longest needs nothing of what comes
    /// after it on any worker, so that whoever stops here stops nobody for ever.
    fn is_far_ahead(&self) -> bool {
        !self.blocked.is_empty() && self.ahead.bytes >= MOST_BYTES_AHEAD.min(self.room_bytes)
    }

    /// Whether a command takes room that is left to those that it would pass.
    fn is_far(&self, bound: &Bound) -> bool {
        self.is_far_ahead() && (!bound.makes().is_empty() || bound.hands_over())
    }

    /// Ends the names that the next command frees, if it does nothing else. Such a command waits
    /// for nobody: who needs a value holds it.
    fn end_names(&mut self, planner: &mut Planner) -> Result<bool> {
        let freed = self.batches.front().and_then(|batch| batch.freed(self.bound));
        let Some(slots) = freed else { return Ok(false) };
        slots?.iter().for_each(|&slot| planner.names().end(slot));
        planner.pass();
        self.advance(planner.names());
        Ok(true)
    }

    /// Binds the next command, which may be two tasks.
    fn bind(&mut self, planner: &mut Planner) -> Result<Option<(Bound, Option<Bound>)>> {
        let Some(batch) = self.batches.front() else { return Ok(None) };
        let worker = planner.worker();
        let names = planner.names();
        names.recycle();
        let (mut bound, mut second) = Bound::new(batch, self.bound, self.next, names, worker)?;
        self.advance(names);
        if self.checks_nan {
            bound.check_nan();
            second.iter_mut().for_each(Bound::check_nan);
        }
        Ok(Some((bound, second)))
    }

    /// Goes on to the next command.
    fn advance(&mut self, names: &mut Names) {
        self.next.0 += 1;
        self.unbound -= 1;
        self.bound += 1;
        if self.batches.front().is_some_and(|batch| self.bound == batch.len()) {
            self.batches.pop_front();
            self.bound = 0;
            // How commands are shared is said again in each batch.
            names.signatures.end();
        }
    }

    fn must_wait(&self, bound: &Bound, names: &Names) -> bool {
        let is_open = |barrier| !self.arrived.verdicts.contains_key(&barrier);
        let missing = match &bound.task {
            Task::Receive { tag, .. } => !self.arrived.values.contains_key(tag),
            _ if bound.awaits().is_some_and(is_open) => true,
            Task::Get(get) if !self.arrived.have(get) => true,
            _ => bound.needs_any(|id| names.meta(id).is_none()),
        };
        missing || self.is_far(bound) || self.holds.stop(bound)
    }

    fn block(&mut self, bound: Bound, from: From, names: &mut Names) {
        if from == From::Batch {
            hold(&bound, names);
        }
        self.holds.add(&bound);
        self.blocked.push_back(bound);
    }

    /// A plan came back. False if it is none of this session.
    #[must_use]
    pub fn finish(&mut self, number: u64) -> bool {
        let place = self.sent.iter().position(|sent| sent.number == number);
        place.and_then(|place| self.sent.remove(place)).is_some()
    }

    /// Something failed that the client was not told.
    pub fn note_failure(&mut self) {
        self.untold = true;
    }

    /// A plan took so long.
    pub fn wait(&mut self, busy_ns: u64) {
        self.reader.iter_mut().for_each(|reader| reader.wait(busy_ns));
    }

    /// All commands before this one are done.
    pub fn done(&self) -> Position {
        let lists = [&self.urgent, &self.blocked, &self.admitted];
        let waiting = lists.into_iter().filter_map(|list| Some(list.front()?.position));
        let sent = self.sent.iter().map(|sent| sent.first);
        waiting.chain(sent).min().unwrap_or(self.next).min(self.next)
    }
}

/// A command that waits needs its values, and is needed for what it makes.
fn hold(bound: &Bound, names: &mut Names) {
    bound.needs().into_iter().for_each(|id| names.hold(id));
    bound.makes().iter().for_each(|&id| names.hold(id));
}

fn release(bound: &Bound, names: &mut Names) {
    bound.needs().into_iter().for_each(|id| names.release(id));
    bound.makes().iter().for_each(|&id| names.release(id));
}
