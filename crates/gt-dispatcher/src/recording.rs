//! What happens to commands, as events. Nothing is taken apart or cloned here: batches that were
//! sent are kept until their workers are done with them, and events copy their records.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use gt_core::event::{Event, Events, Outcome, Recorder, Span, Spans, Station};
use gt_core::record::{Record, code};
use gt_core::{RequestId, SessionId, WorkerId};
use gt_transport::{Batch, Failure, Value};

use crate::session::trail::{Mark, Progress};

/// Requests that wait for an answer, and failures that wait for their commands, at most.
const MOST_WAITING: usize = 1 << 16;
/// So many changes of signals are remembered for commands that workers are not done with.
const MOST_SCOPES: usize = 1 << 12;
/// A worker's clock may go faster or slower than ours by this part of the time.
const DRIFT: u64 = 20_000;

/// Records events while somebody observes.
#[derive(Debug, Default)]
pub struct Recording {
    recorder: Recorder,
    sessions: BTreeMap<SessionId, Observed>,
    clocks: BTreeMap<WorkerId, Clock>,
}

/// What is under way in a session.
#[derive(Debug, Default)]
struct Observed {
    /// The first commands of signals that follow one another, and these.
    scopes: BTreeMap<u64, u32>,
    /// Commands that wait for an answer.
    requests: HashMap<u32, (u64, Record)>,
    workers: BTreeMap<WorkerId, Ledger>,
}

/// The commands that a worker has and is not done with.
#[derive(Debug, Default)]
struct Ledger {
    batches: VecDeque<Kept>,
    sent: Cursor,
    ended: Cursor,
    spans: HashMap<u64, Span>,
    failures: Vec<(u32, Box<str>)>,
}

/// A batch that a worker is not done with.
#[derive(Debug)]
struct Kept {
    /// The position of the first command that is not done …
    next: u64,
    /// … and its place in the batch.
    index: usize,
    batch: Arc<Batch>,
}

/// Finds which command of the client each command for a worker comes from.
#[derive(Debug, Default)]
struct Cursor {
    marks: VecDeque<Mark>,
    current: Option<Mark>,
}

impl Cursor {
    /// The mark of a command; positions are asked for in order.
    fn at(&mut self, position: u64) -> Option<Mark> {
        while self.marks.front().is_some_and(|mark| mark.position <= position) {
            self.current = self.marks.pop_front();
        }
        self.current
    }
}

/// How a worker's clock differs from ours.
#[derive(Clone, Copy, Debug)]
struct Clock {
    /// What to add to its time: the least that was seen, because messages take time to come.
    offset_ns: i64,
    seen_ns: u64,
}

impl Clock {
    fn adjust(before: Option<Clock>, now_ns: u64, clock_ns: u64) -> Clock {
        let offset_ns = (now_ns as i64).wrapping_sub(clock_ns as i64);
        let offset_ns = before.map_or(offset_ns, |before| {
            let drift_ns = now_ns.saturating_sub(before.seen_ns) / DRIFT;
            offset_ns.min(before.offset_ns.saturating_add(drift_ns as i64))
        });
        Clock { offset_ns, seen_ns: now_ns }
    }
}

impl Recording {
    /// Whether somebody observes.
    pub fn is_on(&self) -> bool {
        self.recorder.is_on()
    }

    /// Begins or ends to record.
    pub fn switch(&mut self, is_on: bool) {
        self.recorder.switch(is_on);
        if !is_on {
            (self.sessions, self.clocks) = Default::default();
        }
    }

    /// How many events wait to be taken.
    pub fn waiting(&self) -> usize {
        self.recorder.waiting()
    }

    /// What happened since this was last asked.
    pub fn take(&mut self) -> Option<Events> {
        self.recorder.take()
    }

    /// Somebody came or went.
    pub(crate) fn peer(
        &mut self,
        now_ns: u64,
        station: Station,
        session: SessionId,
        worker: Option<WorkerId>,
        name: &str,
    ) {
        self.recorder.record(peer_event(now_ns, station, session, worker), name.as_bytes());
        if station == Station::Disconnected {
            match worker {
                Some(worker) => {
                    self.clocks.remove(&worker);
                    self.sessions.values_mut().for_each(|open| drop(open.workers.remove(&worker)));
                }
                None => drop(self.sessions.remove(&session)),
            }
        }
    }

    /// The commands of a batch came from a client; the first has the number `first`.
    pub(crate) fn receive(&mut self, now_ns: u64, session: SessionId, first: u64, batch: &Batch) {
        let open = self.sessions.entry(session).or_default();
        let mut scope = scope_of(&open.scopes, first);
        for (index, record) in batch.records.iter().enumerate() {
            let instruction = first + index as u64;
            match record.op {
                code::SCOPE => {
                    scope = record.out;
                    open.scopes.insert(instruction, scope);
                }
                code::READ | code::DESCRIBE | code::SYNC | code::ASK
                    if open.requests.len() < MOST_WAITING =>
                {
                    open.requests.insert(record.provenance, (instruction, *record));
                }
                _ => {}
            }
            let (beside, bytes) = batch.beside(index);
            let event = Event::new(now_ns, Station::Received, session);
            let event = Event { bytes, scope, ..event.about(instruction, *record) };
            self.recorder.record(event, beside);
        }
    }

    /// A batch was sent to a worker; its first command is the `position`-th there.
    pub(crate) fn send(
        &mut self,
        now_ns: u64,
        (session, worker): (SessionId, WorkerId),
        (position, batch): (u64, &Arc<Batch>),
        progress: Progress,
    ) {
        let open = self.sessions.entry(session).or_default();
        let ledger = open.workers.entry(worker).or_default();
        let end = position + batch.len() as u64;
        while progress.marks.front().is_some_and(|mark| mark.position < end) {
            let mark = progress.marks.pop_front();
            ledger.sent.marks.extend(mark);
            ledger.ended.marks.extend(mark);
        }
        ledger.batches.push_back(Kept { next: position, index: 0, batch: batch.clone() });
        for (index, record) in batch.records.iter().enumerate() {
            let mark = ledger.sent.at(position + index as u64);
            let (beside, bytes) = batch.beside(index);
            let event = Event::new(now_ns, Station::Sent, session).at(worker);
            let event = marked(event, mark, *record);
            let scope = scope_of(&open.scopes, event.instruction);
            self.recorder.record(Event { bytes, scope, ..event }, beside);
        }
    }

    /// A worker says how long commands took.
    pub(crate) fn spans(
        &mut self,
        now_ns: u64,
        (session, worker): (SessionId, WorkerId),
        spans: &Spans,
    ) {
        if !self.is_on() {
            return;
        }
        let clock = Clock::adjust(self.clocks.get(&worker).copied(), now_ns, spans.clock_ns);
        self.clocks.insert(worker, clock);
        let Some(ledger) = self.ledger(session, worker) else { return };
        for span in &spans.list {
            let start_ns = span.start_ns.saturating_add_signed(clock.offset_ns).min(now_ns);
            // Nothing lasts longer than since it began.
            let duration_ns = span.duration_ns.min(now_ns - start_ns);
            let span = Span { start_ns, duration_ns, ..*span };
            let is_kept = ledger.spans.len() < MOST_WAITING;
            match ledger.spans.get_mut(&span.position) {
                Some(first) => join(first, &span),
                None if is_kept => drop(ledger.spans.insert(span.position, span)),
                None => {}
            }
        }
    }

    /// A worker says that something has failed.
    pub(crate) fn fail(&mut self, session: SessionId, worker: WorkerId, failure: &Failure) {
        let Some(ledger) = self.ledger(session, worker) else { return };
        if ledger.failures.len() < MOST_WAITING {
            ledger.failures.push((failure.slot.0, failure.error.to_string().into()));
        }
    }

    /// A worker is done with the commands before the `done`-th.
    pub(crate) fn finish(
        &mut self,
        now_ns: u64,
        (session, worker): (SessionId, WorkerId),
        done: u64,
    ) {
        let Some(open) = self.sessions.get_mut(&session) else { return };
        let Some(ledger) = open.workers.get_mut(&worker) else { return };
        while let Some(Kept { next, index, batch }) = ledger.batches.front_mut() {
            let (position, place) = (*next, *index);
            if position >= done {
                break;
            }
            let batch = batch.clone();
            (*next, *index) = (position + 1, place + 1);
            if place + 1 >= batch.len() {
                ledger.batches.pop_front();
            }
            let Some(&record) = batch.records.get(place) else { continue };
            let mark = ledger.ended.at(position);
            let event = Event::new(now_ns, Station::Ended, session).at(worker);
            let event = marked(event, mark, record);
            let scope = scope_of(&open.scopes, event.instruction);
            let (event, error) = ledger.outcome(Event { scope, ..event }, position);
            let beside = error.as_deref().map_or(batch.beside(place).0, str::as_bytes);
            self.recorder.record(event, beside);
        }
        open.forget_scopes();
    }

    /// The dispatcher answers a client.
    pub(crate) fn answer(
        &mut self,
        now_ns: u64,
        session: SessionId,
        request: RequestId,
        result: &Result<Value, Arc<Failure>>,
    ) {
        let Some(open) = self.sessions.get_mut(&session) else { return };
        let Some((instruction, record)) = open.requests.remove(&request.0) else { return };
        let scope = scope_of(&open.scopes, instruction);
        let event = Event::new(now_ns, Station::Answered, session).about(instruction, record);
        match result {
            Ok(value) => {
                let is_read = record.op == code::READ;
                let bytes = if is_read { value.meta.bytes() } else { value.data.len() } as u64;
                let event = Event { bytes, scope, ..event.with(Outcome::Success) };
                self.recorder.record(event, &[]);
            }
            Err(failure) => {
                let event = Event { scope, ..event.with(Outcome::Failure) };
                self.recorder.record(event, failure.error.to_string().as_bytes());
            }
        }
    }

    fn ledger(&mut self, session: SessionId, worker: WorkerId) -> Option<&mut Ledger> {
        self.sessions.get_mut(&session)?.workers.get_mut(&worker)
    }
}

impl Observed {
    /// Forgets the signals of commands that every worker is done with.
    fn forget_scopes(&mut self) {
        if self.scopes.len() < 2 {
            return;
        }
        // Who has not ended anything yet begins with the first that it was given.
        let oldest = |ledger: &Ledger| {
            let Cursor { current, marks } = &ledger.ended;
            let mark = current.as_ref().or(marks.front());
            (!ledger.batches.is_empty()).then(|| mark.map_or(0, |mark| mark.instruction))
        };
        if let Some(oldest) = self.workers.values().filter_map(oldest).min()
            && let Some((&first, _)) = self.scopes.range(..=oldest).next_back()
        {
            self.scopes = self.scopes.split_off(&first);
        }
        while self.scopes.len() > MOST_SCOPES {
            self.scopes.pop_first();
        }
    }
}

impl Ledger {
    /// What came of a command, and the reason if it failed.
    fn outcome(&mut self, event: Event, position: u64) -> (Event, Option<Box<str>>) {
        let span = self.spans.remove(&position);
        let made = event.record.out;
        let told = match span {
            Some(Span { failed: 0, .. }) => None,
            _ => self.failures.iter().position(|(slot, _)| *slot == made),
        };
        let error = told.map(|index| self.failures.swap_remove(index).1);
        let has_failed = error.is_some() || span.is_some_and(|span| span.failed != 0);
        let event = event.with(if has_failed { Outcome::Failure } else { Outcome::Success });
        let Some(Span { start_ns, duration_ns, bytes, fused, .. }) = span else {
            return (event, error);
        };
        (Event { start_ns, duration_ns, bytes, fused, ..event }, error)
    }
}

/// An event about somebody who came or went.
pub(crate) fn peer_event(
    now_ns: u64,
    station: Station,
    session: SessionId,
    worker: Option<WorkerId>,
) -> Event {
    let event = Event::new(now_ns, station, session);
    worker.map_or(event, |worker| event.at(worker))
}

fn marked(event: Event, mark: Option<Mark>, record: Record) -> Event {
    let Some(Mark { instruction, share, shares, .. }) = mark else {
        return event.about(0, record);
    };
    Event { share, shares, ..event.about(instruction, record) }
}

fn scope_of(scopes: &BTreeMap<u64, u32>, instruction: u64) -> u32 {
    if scopes.is_empty() {
        return 0;
    }
    scopes.range(..=instruction).next_back().map_or(0, |(_, scope)| *scope)
}

/// Two pieces of one command become one: it begins with the later piece and takes as long as both,
/// because what lies between them is no work.
fn join(first: &mut Span, more: &Span) {
    first.start_ns = first.start_ns.max(more.start_ns);
    first.duration_ns = first.duration_ns.saturating_add(more.duration_ns);
    first.bytes = first.bytes.max(more.bytes);
    first.fused = first.fused.max(more.fused);
    first.failed |= more.failed;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_forgotten_when_nobody_is_at_work() {
        let mut open = Observed::default();
        for instruction in 0..10 * MOST_SCOPES as u64 {
            open.scopes.insert(instruction, 1 + instruction as u32 % 7);
            open.forget_scopes();
        }
        assert_eq!(open.scopes.len(), MOST_SCOPES);
        assert_eq!(scope_of(&open.scopes, u64::MAX), 1 + (10 * MOST_SCOPES as u32 - 1) % 7);
    }
}
