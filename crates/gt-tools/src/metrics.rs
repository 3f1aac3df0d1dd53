//! Totals for Prometheus: events and reports go in, text comes out. How many series there are
//! depends on workers and kinds of work, never on programs: sessions are summed, and operations
//! are counted by kind.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gt_core::WorkerId;
use gt_core::event::{Event, Events, Outcome, Station};
use gt_transport::Peer;
use gt_transport::report::{ChannelTraffic, Report, Road};

use crate::kind::Kind;
use crate::requests::Requests;

mod text;

pub use text::CONTENT_TYPE;

/// How many kinds of work there are.
const KINDS: usize = Kind::ALL.len();
/// So many workers have series of their own; more are summed.
const MOST_WORKERS: usize = 256;
/// The upper bounds of durations, in nanoseconds; longer ones are beyond the last.
const BOUNDS_NS: [u64; 8] =
    [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000];
/// The ways that tensor data takes.
const ROADS: [(Road, &str); 3] =
    [(Road::Memory, "memory"), (Road::Tcp, "tcp"), (Road::Relay, "relay")];

/// Everything that was seen since somebody began to count.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Events that were seen …
    events: u64,
    /// … and those that were missed.
    lost: u64,
    received: [u64; KINDS],
    workers: BTreeMap<WorkerId, WorkerTotals>,
    /// Workers that are gone, and those that are too many: what was counted once stays counted.
    others: WorkerTotals,
    durations: [Durations; KINDS],
    /// How long clients waited for answers.
    waits: Durations,
    /// Answers with a value, and with an error.
    answers: [u64; 2],
    /// What clients wait for.
    pub(crate) requests: Requests,
    /// Bytes that workers got and gave, for each of [`ROADS`].
    moved: [[u64; 2]; ROADS.len()],
    links: HashMap<(WorkerId, Peer), [u64; 2]>,
    report: Report,
}

/// What one worker has done.
#[derive(Clone, Debug, Default)]
struct WorkerTotals {
    sent: u64,
    done: [u64; KINDS],
    busy_ns: [u64; KINDS],
    failed: u64,
    bytes: u64,
}

impl WorkerTotals {
    fn add(&mut self, other: &WorkerTotals) {
        for kind in 0..KINDS {
            self.done[kind] += other.done[kind];
            self.busy_ns[kind] += other.busy_ns[kind];
        }
        self.sent += other.sent;
        self.failed += other.failed;
        self.bytes += other.bytes;
    }
}

/// How often something took how long.
#[derive(Clone, Copy, Debug, Default)]
struct Durations {
    /// One for each bound, and those beyond the last.
    counts: [u64; BOUNDS_NS.len() + 1],
    sum_ns: u64,
}

impl Durations {
    fn add(&mut self, duration_ns: u64) {
        self.counts[BOUNDS_NS.partition_point(|bound| *bound < duration_ns)] += 1;
        self.sum_ns = self.sum_ns.saturating_add(duration_ns);
    }
}

impl Totals {
    /// Takes in events.
    pub fn take_events(&mut self, events: &Events) {
        if events.lost > 0 {
            self.lost += events.lost;
            // The answers may be among what was missed.
            self.requests.clear();
        }
        self.events += events.list.len() as u64;
        events.list.iter().for_each(|event| self.take(event));
    }

    fn take(&mut self, event: &Event) {
        if let Some(wait_ns) = self.requests.take(event) {
            self.waits.add(wait_ns);
        }
        match (event.station(), event.worker()) {
            // Who was there before is introduced with commands that have no number.
            (Some(Station::Received), _) if event.instruction > 0 => {
                self.received[Kind::of_record(&event.record).index()] += event.commands();
            }
            (Some(Station::Sent), Some(worker)) => {
                self.worker(worker).sent += event.commands();
            }
            (Some(Station::Ended), Some(worker)) => self.end(event, worker),
            (Some(Station::Answered), _) => {
                let outcome = usize::from(event.outcome() == Outcome::Failure);
                self.answers[outcome] += event.commands();
            }
            (Some(Station::Disconnected), Some(worker)) => self.let_go(worker),
            _ => {}
        }
    }

    fn end(&mut self, event: &Event, worker: WorkerId) {
        let kind = Kind::of_record(&event.record).index();
        let has_failed = event.outcome() == Outcome::Failure;
        let at = self.worker(worker);
        at.done[kind] += event.commands();
        at.busy_ns[kind] += event.duration_ns;
        at.failed += u64::from(has_failed);
        at.bytes += if has_failed { 0 } else { event.bytes };
        if event.duration_ns > 0 {
            self.durations[kind].add(event.duration_ns);
        }
    }

    fn worker(&mut self, worker: WorkerId) -> &mut WorkerTotals {
        if self.workers.len() >= MOST_WORKERS && !self.workers.contains_key(&worker) {
            return &mut self.others;
        }
        self.workers.entry(worker).or_default()
    }

    fn let_go(&mut self, worker: WorkerId) {
        if let Some(totals) = self.workers.remove(&worker) {
            self.others.add(&totals);
        }
        self.links.retain(|(one, _), _| *one != worker);
    }

    /// Takes in how things are.
    pub fn take_report(&mut self, report: &Report) {
        for worker in &report.workers {
            worker.channels.iter().for_each(|channel| self.note(worker.id, channel));
        }
        self.report = report.clone();
    }

    fn note(&mut self, worker: WorkerId, channel: &ChannelTraffic) {
        let now = [channel.bytes_in, channel.bytes_out];
        let before = self.links.insert((worker, channel.peer), now).unwrap_or_default();
        let road = ROADS.iter().position(|(road, _)| *road == channel.road).unwrap_or(0);
        for direction in 0..2 {
            let more = now[direction].saturating_sub(before[direction]);
            self.moved[road][direction] += more;
        }
    }

    /// How many sessions wait for an answer.
    fn waiting_sessions(&self) -> usize {
        self.requests.iter().map(|(session, _)| session).collect::<BTreeSet<_>>().len()
    }
}
