//! What `gt top` knows: events and reports go in, smoothed rates come out. It has no clock.

use std::collections::BTreeMap;

use gt_core::event::{Event, Events, Outcome, Station};
use gt_core::{SessionId, WorkerId};
use gt_transport::Peer;
use gt_transport::report::Report;

use crate::kind::Kind;
use crate::requests::Requests;

/// How many kinds of work there are.
const KINDS: usize = Kind::ALL.len();
/// After so long a rate has forgotten two thirds of what was before.
const MEMORY_S: f64 = 1.5;

/// A rate that changes slowly enough to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rate {
    /// What came since the last turn.
    sum: f64,
    per_second: f64,
}

impl Rate {
    fn add(&mut self, amount: f64) {
        self.sum += amount;
    }

    /// So many seconds have passed.
    fn turn(&mut self, seconds: f64, is_first: bool) {
        let now = std::mem::take(&mut self.sum) / seconds;
        let keep = if is_first { 0.0 } else { (-seconds / MEMORY_S).exp() };
        self.per_second = keep * self.per_second + (1.0 - keep) * now;
    }

    /// How much comes in a second.
    pub fn per_second(&self) -> f64 {
        self.per_second
    }
}

/// A worker.
#[derive(Clone, Debug, Default)]
pub struct WorkerState {
    /// What people call it.
    pub name: String,
    /// Where it runs.
    pub host: String,
    /// The part of its time that goes into each kind of work.
    pub busy: [Rate; KINDS],
    /// Commands that it is done with.
    pub commands: Rate,
    /// Bytes that its values take, and may take.
    pub memory: (u64, u64),
    /// Commands that wait for it.
    pub queued: u64,
}

impl WorkerState {
    /// The part of its time in which it is at something.
    pub fn share(&self) -> f64 {
        self.busy.iter().map(Rate::per_second).sum::<f64>().clamp(0.0, 1.0)
    }
}

/// A session.
#[derive(Clone, Debug, Default)]
pub struct SessionState {
    /// What its client is called.
    pub name: String,
    /// The time that workers spend on it, in workers.
    pub busy: Rate,
    /// Commands that came.
    pub commands: Rate,
    /// Bytes that workers made for it.
    pub bytes: Rate,
    /// Commands that are not done.
    pub queued: u64,
    /// Values that it has.
    pub values: u64,
}

/// What travels between two processes.
#[derive(Clone, Debug, Default)]
pub struct LinkState {
    /// Bytes in both directions, as last reported.
    total: u64,
    /// Bytes.
    pub bytes: Rate,
}

/// The order of lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By number.
    #[default]
    Number,
    /// The busiest first.
    Busy,
    /// Those that hold the most memory, or make the most bytes, first.
    Memory,
    /// Those for whom the most waits first.
    Queue,
}

impl Sort {
    /// The next one.
    pub fn next(self) -> Sort {
        match self {
            Sort::Number => Sort::Busy,
            Sort::Busy => Sort::Memory,
            Sort::Memory => Sort::Queue,
            Sort::Queue => Sort::Number,
        }
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Number => "number",
            Sort::Busy => "busy",
            Sort::Memory => "memory",
            Sort::Queue => "queue",
        }
    }
}

/// Everything that is shown.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// What is watched.
    pub source: String,
    /// The version it runs.
    pub version: String,
    /// How long it has been running.
    pub uptime_ns: u64,
    /// The workers.
    pub workers: BTreeMap<WorkerId, WorkerState>,
    /// The sessions.
    pub sessions: BTreeMap<SessionId, SessionState>,
    /// What travels between processes.
    pub links: BTreeMap<(WorkerId, Peer), LinkState>,
    /// How many events were seen; a sum of several is one.
    pub events: u64,
    /// How many were not, because we were too slow.
    pub lost: u64,
    /// The order of lists.
    pub sort: Sort,
    /// Only those are shown whose names have this in them.
    pub filter: String,
    /// Whether what is shown stays as it is.
    pub is_paused: bool,
    /// Whether the words of a filter are being written.
    pub is_typing: bool,
    /// What clients wait for.
    requests: Requests,
    has_turned: bool,
}

impl State {
    /// A state in which nothing was seen.
    pub fn of(source: impl Into<String>) -> State {
        State { source: source.into(), ..State::default() }
    }

    /// Takes in events.
    pub fn take_events(&mut self, events: &Events) {
        if events.lost > 0 {
            self.lost += events.lost;
            // The answers may be among what was missed.
            self.requests.clear();
        }
        for (event, beside) in events.iter() {
            self.events += 1;
            self.requests.take(event);
            self.take(event, beside);
        }
    }

    fn take(&mut self, event: &Event, beside: &[u8]) {
        let (session, worker) = (SessionId(event.session), event.worker());
        match (event.station(), worker) {
            (Some(Station::Connected), None) => {
                let name = String::from_utf8_lossy(beside).into_owned();
                self.sessions.entry(session).or_default().name = name;
            }
            (Some(Station::Disconnected), None) => drop(self.sessions.remove(&session)),
            (Some(Station::Connected), Some(worker)) => {
                self.workers.entry(worker).or_default();
            }
            (Some(Station::Disconnected), Some(worker)) => {
                self.workers.remove(&worker);
                self.links.retain(|(one, _), _| *one != worker);
            }
            (Some(Station::Received), _) => {
                let state = self.sessions.entry(session).or_default();
                state.commands.add(event.commands() as f64);
            }
            (Some(Station::Ended), Some(worker)) => self.ended(event, session, worker),
            (Some(Station::Sent | Station::Ended | Station::Answered) | None, _) => {}
        }
    }

    fn ended(&mut self, event: &Event, session: SessionId, worker: WorkerId) {
        let seconds = event.duration_ns as f64 / 1e9;
        let kind = Kind::of_record(&event.record);
        let place = Kind::ALL.iter().position(|one| *one == kind).unwrap_or(KINDS - 1);
        let at = self.workers.entry(worker).or_default();
        at.busy[place].add(seconds);
        at.commands.add(event.commands() as f64);
        let of = self.sessions.entry(session).or_default();
        of.busy.add(seconds);
        if event.outcome() == Outcome::Success {
            of.bytes.add(event.bytes as f64);
        }
    }

    /// Takes in how things are.
    pub fn take_report(&mut self, report: &Report) {
        (self.version, self.uptime_ns) = (report.version.clone(), report.uptime_ns);
        for one in &report.workers {
            let worker = self.workers.entry(one.id).or_default();
            (worker.name, worker.host) = (one.info.name.clone(), one.info.host.clone());
            worker.memory = (one.used_bytes, one.info.memory_bytes);
            worker.queued = one.queued;
            for channel in &one.channels {
                let link = self.links.entry((one.id, channel.peer)).or_default();
                let total = channel.bytes_in.saturating_add(channel.bytes_out);
                if link.total > 0 {
                    link.bytes.add(total.saturating_sub(link.total) as f64);
                }
                link.total = total;
            }
        }
        self.workers.retain(|id, _| report.workers.iter().any(|one| one.id == *id));
        for one in &report.sessions {
            let session = self.sessions.entry(one.id).or_default();
            session.name.clone_from(&one.name);
            (session.queued, session.values) = (one.queued, one.values);
        }
        self.sessions.retain(|id, _| report.sessions.iter().any(|one| one.id == *id));
    }

    /// So much time has passed since the last turn.
    pub fn turn(&mut self, seconds: f64) {
        let is_first = !std::mem::replace(&mut self.has_turned, true);
        let seconds = seconds.max(1e-3);
        for worker in self.workers.values_mut() {
            worker.busy.iter_mut().for_each(|rate| rate.turn(seconds, is_first));
            worker.commands.turn(seconds, is_first);
        }
        for session in self.sessions.values_mut() {
            for rate in [&mut session.busy, &mut session.commands, &mut session.bytes] {
                rate.turn(seconds, is_first);
            }
        }
        self.links.values_mut().for_each(|link| link.bytes.turn(seconds, is_first));
    }

    /// Whether the client of a session waits for an answer.
    pub fn is_waiting(&self, session: SessionId) -> bool {
        self.requests.has(session)
    }

    /// The workers that are shown, in the order in which they are.
    pub fn shown_workers(&self) -> Vec<(WorkerId, &WorkerState)> {
        let is_wanted = |(id, worker): &(WorkerId, &WorkerState)| {
            worker.name.contains(&self.filter) || id.to_string().contains(&self.filter)
        };
        let all = self.workers.iter().map(|(&id, worker)| (id, worker));
        let mut shown: Vec<_> = all.filter(is_wanted).collect();
        shown.sort_by(|(_, a), (_, b)| match self.sort {
            Sort::Number => std::cmp::Ordering::Equal,
            Sort::Busy => b.share().total_cmp(&a.share()),
            Sort::Memory => b.memory.0.cmp(&a.memory.0),
            Sort::Queue => b.queued.cmp(&a.queued),
        });
        shown
    }

    /// The same for sessions.
    pub fn shown_sessions(&self) -> Vec<(SessionId, &SessionState)> {
        let is_wanted = |(id, session): &(SessionId, &SessionState)| {
            session.name.contains(&self.filter) || id.to_string().contains(&self.filter)
        };
        let all = self.sessions.iter().map(|(&id, session)| (id, session));
        let mut shown: Vec<_> = all.filter(is_wanted).collect();
        let (busy, bytes) = (SessionState::busy_now, SessionState::bytes_now);
        shown.sort_by(|(_, a), (_, b)| match self.sort {
            Sort::Number => std::cmp::Ordering::Equal,
            Sort::Busy => busy(b).total_cmp(&busy(a)),
            Sort::Memory => bytes(b).total_cmp(&bytes(a)),
            Sort::Queue => b.queued.cmp(&a.queued),
        });
        shown
    }
}

impl SessionState {
    fn busy_now(&self) -> f64 {
        self.busy.per_second()
    }

    fn bytes_now(&self) -> f64 {
        self.bytes.per_second()
    }
}
