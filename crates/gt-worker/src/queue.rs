//! One session on one worker: its commands, its values' names, and what others have handed over.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use gt_core::{Error, Meta, RequestId, Result, SessionId, WorkerId};
use gt_transport::{Batch, Failure, Message};

use crate::backlog::Backlog;
use crate::bound::{Bound, Get};
use crate::engine::Takes;
use crate::executor::Outcome;
use crate::names::Names;
use crate::plan::{Plan, Position};
use crate::planner::{Planner, Resolutions};

/// How much of a queue goes into one plan.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// At most so many commands.
    pub commands: usize,
    /// No more commands once a core has so much to do.
    pub cost_ns: u64,
}

impl Default for Window {
    fn default() -> Self {
        // Slices of about two milliseconds, so that sessions take turns often enough.
        Window { commands: 4096, cost_ns: 2_000_000 }
    }
}

/// What a worker says of a plan that it wants.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Who wants it.
    pub worker: WorkerId,
    /// How much goes into it.
    pub window: Window,
    /// Its number among the worker's plans.
    pub number: u64,
    /// What will compute.
    pub engine: &'a dyn Takes,
    /// Whether somebody wants to know how long each command takes.
    pub timed: bool,
    /// How many bytes there is room for.
    pub room_bytes: u64,
}

/// A value that another worker handed over, or why there is none.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Its dtype and shape.
    pub meta: Meta,
    /// Its elements, row by row.
    pub result: std::result::Result<Bytes, Arc<Failure>>,
}

/// What the workers of a failure barrier reported, if something has failed.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What has failed.
    pub failure: Arc<Failure>,
    /// Whether the client knows of it.
    pub told: bool,
}

/// What has arrived for a session and waits for the command that uses it.
#[derive(Clone, Debug, Default)]
pub struct Arrived {
    /// Values, by the tags of their transfers.
    pub values: HashMap<u64, Arrival>,
    /// What the workers of failure barriers reported.
    pub verdicts: HashMap<u64, Option<Verdict>>,
}

impl Arrived {
    /// Whether a command waits for a verdict, and that is a failure the client does not know of.
    pub fn is_failure(&self, bound: &Bound) -> bool {
        let verdict = bound.awaits().and_then(|barrier| self.verdicts.get(&barrier)?.as_ref());
        verdict.is_some_and(|verdict| !verdict.told)
    }

    /// Whether all parts of a value are here that others give.
    pub fn have(&self, get: &Get) -> bool {
        get.parts.iter().filter_map(|(tag, _)| *tag).all(|tag| self.values.contains_key(&tag))
    }

    fn check(&self) -> Result<()> {
        if self.values.len() + self.verdicts.len() > MOST_ARRIVALS {
            return Err(Error::value(format!("more than {MOST_ARRIVALS} values wait to be used")));
        }
        Ok(())
    }
}

/// At most so many values wait to be received.
const MOST_ARRIVALS: usize = 1 << 20;

/// One session on one worker.
#[derive(Debug, Default)]
pub struct Queue {
    backlog: Backlog,
    names: Names,
    resolutions: Resolutions,
    /// The commands before this one are reported as done.
    reported: Position,
    /// How long plans took that were not reported.
    busy_ns: u64,
    /// The workers that were handed something.
    pub neighbours: BTreeSet<WorkerId>,
    /// Whether planning panics.
    #[cfg(test)]
    pub(crate) is_broken: bool,
}

impl Queue {
    /// Appends commands.
    pub fn push(&mut self, batch: Arc<Batch>) -> Result<()> {
        self.backlog.push(batch)
    }

    /// From now on, results that are not finite fail if their inputs are.
    pub fn check_nan(&mut self) {
        self.backlog.checks_nan = true;
    }

    /// The client no longer waits for anything that has come so far, nor for the answer to this.
    pub fn cancel(&mut self, request: Option<RequestId>) {
        self.backlog.cancel(request);
    }

    /// Takes in what another worker handed over.
    pub fn arrive(&mut self, tag: u64, arrival: Arrival) -> Result<()> {
        // What came first counts: word that it cannot come may follow a value that did.
        self.backlog.arrived.values.entry(tag).or_insert(arrival);
        self.backlog.stir();
        self.backlog.arrived.check()
    }

    /// Takes in what the workers of a failure barrier reported.
    pub fn judge(&mut self, barrier: u64, verdict: Option<Verdict>) -> Result<()> {
        self.backlog.arrived.verdicts.insert(barrier, verdict);
        self.backlog.stir();
        self.backlog.arrived.check()
    }

    /// A plan for the next commands; `None` if there are none, or all of them wait for something.
    pub fn plan(&mut self, session: SessionId, asked: Asked) -> Result<Option<Box<Plan>>> {
        let Asked { worker, window, number, engine, timed, room_bytes } = asked;
        #[cfg(test)]
        assert!(!self.is_broken, "this test wants a panic");
        if self.backlog.is_idle() && self.names.is_settled() {
            return Ok(None);
        }
        let mut planner =
            Planner::new(worker, session, &mut self.names, &mut self.resolutions, engine);
        self.backlog.fill(&mut planner, window, room_bytes, number)?;
        let plan = Plan { timed, ..planner.finish(number) };
        Ok((!plan.is_empty()).then(|| Box::new(plan)))
    }

    /// Takes in what came of a plan; gives what is to be sent, which is nothing if the plan is not
    /// one of this queue.
    pub fn finish(&mut self, outcome: Outcome) -> Vec<Message> {
        let Outcome { session, number, metas, mut messages, busy_ns, spans, .. } = outcome;
        if !self.backlog.finish(number) {
            return Vec::new();
        }
        for (id, meta) in metas {
            self.names.describe(id, meta);
            self.names.release(id);
            self.backlog.stir();
        }
        if messages.iter().any(|message| matches!(message, Message::Failed { .. })) {
            self.backlog.note_failure();
        }
        self.backlog.wait(busy_ns);
        messages.extend(spans.map(|spans| Message::Spans { session, spans }));
        self.busy_ns += busy_ns;
        messages.extend(self.progress(session));
        messages
    }

    /// How many commands are done that were not reported, if any are. The receiver believes that
    /// all before them are done too; cancelled ones count as done.
    pub fn progress(&mut self, session: SessionId) -> Option<Message> {
        let done = self.backlog.done();
        let commands = done.0.saturating_sub(self.reported.0);
        if commands == 0 {
            return None;
        }
        self.reported = done;
        let busy_ns = std::mem::take(&mut self.busy_ns);
        Some(Message::Done { session, commands, bytes: 0, busy_ns })
    }
}
