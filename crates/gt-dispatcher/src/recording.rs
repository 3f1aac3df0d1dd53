//! What happens to commands, as events. Nothing is taken apart or cloned here: batches that were
//! sent are kept until their workers are done with them, and events copy their records.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gt_core::event::{Detail, Event, Events, Outcome, Recorder, Span, Spans, Station};
use gt_core::record::{Record, code};
use gt_core::{RequestId, SessionId, WorkerId};
use gt_transport::{Batch, Failure, Value};

use self::clock::Clock;
use self::frees::Frees;
use self::ledger::{Cursor, Ledger, marked};
use crate::session::trail::Progress;

mod clock;
mod frees;
mod ledger;
mod times;

/// Requests that wait for an answer, at most.
const MOST_WAITING: usize = 1 << 16;
/// So many changes of signals are remembered for commands that workers are not done with.
const MOST_SCOPES: usize = 1 << 12;

/// Records events while somebody observes.
#[derive(Debug, Default)]
pub struct Recording {
    recorder: Recorder,
    detail: Detail,
    sessions: BTreeMap<SessionId, Observed>,
    clocks: BTreeMap<WorkerId, Clock>,
    /// Empty but for a moment.
    frees: Frees,
}

/// What is under way in a session.
#[derive(Debug, Default)]
struct Observed {
    /// The first commands of signals that follow one another, and these.
    scopes: BTreeMap<u64, u32>,
    /// Commands that wait for an answer.
    requests: HashMap<u32, Request>,
    workers: BTreeMap<WorkerId, Ledger>,
}

/// A command that waits for an answer.
#[derive(Clone, Copy, Debug)]
struct Request {
    instruction: u64,
    record: Record,
    /// How many workers have not given their part of it.
    parts: u32,
    /// How much the others gave.
    bytes: u64,
}

impl Recording {
    /// Whether somebody observes.
    pub fn is_on(&self) -> bool {
        self.recorder.is_on()
    }

    /// Whether it is told which command of a client each event is about.
    pub(crate) fn follows_commands(&self) -> bool {
        self.is_on() && self.detail == Detail::Each
    }

    /// Begins or ends to record, in so much detail.
    pub fn switch(&mut self, detail: Option<Detail>) {
        self.recorder.switch(detail.is_some());
        let Some(detail) = detail else {
            (self.sessions, self.clocks) = Default::default();
            return;
        };
        if std::mem::replace(&mut self.detail, detail) != detail {
            // What is under way was noted in the other detail.
            for open in self.sessions.values_mut() {
                let ledgers = std::mem::take(&mut open.workers);
                self.recorder.lose(ledgers.values().map(Ledger::commands).sum());
                open.scopes.clear();
            }
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
        if !self.follows_commands() {
            return self.count(now_ns, session, first, batch);
        }
        let open = self.sessions.entry(session).or_default();
        let mut scope = scope_of(&open.scopes, first);
        for (index, record) in batch.records.iter().enumerate() {
            let instruction = first + index as u64;
            if record.op == code::SCOPE {
                scope = record.out;
                open.scopes.insert(instruction, scope);
            }
            open.await_answer(instruction, record);
            let (beside, bytes) = batch.beside(index);
            let event = Event::new(now_ns, Station::Received, session);
            let event = Event { bytes, scope, ..event.about(instruction, *record) };
            self.recorder.record(event, beside);
        }
    }

    /// The same as sums: requests one by one, and how many others there are.
    fn count(&mut self, now_ns: u64, session: SessionId, first: u64, batch: &Batch) {
        let open = self.sessions.entry(session).or_default();
        let received = Event::new(now_ns, Station::Received, session);
        let mut others: Option<Event> = None;
        for (index, record) in batch.records.iter().enumerate() {
            let event = received.about(first + index as u64, *record);
            if open.await_answer(event.instruction, record) {
                self.recorder.record(event, &[]);
                continue;
            }
            match &mut others {
                Some(sum) if sum.joined < u16::MAX => sum.joined += 1,
                sum => {
                    let full = sum.replace(event);
                    full.into_iter().for_each(|full| self.recorder.record(full, &[]));
                }
            }
        }
        others.into_iter().for_each(|sum| self.recorder.record(sum, &[]));
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
        ledger.keep(position, batch, progress.marks);
        if self.detail == Detail::Sums {
            let reads = batch.records.iter().filter(|record| record.op == code::READ);
            reads.for_each(|record| expect_part(&mut open.requests, record));
            return;
        }
        for (index, record) in batch.records.iter().enumerate() {
            let about = |ledger: &mut Ledger| {
                let event = Event::new(now_ns, Station::Sent, session).at(worker);
                let event = marked(event, ledger.sent.at(position + index as u64), *record);
                Event { scope: scope_of(&open.scopes, event.instruction), ..event }
            };
            match record.op {
                code::FREE => {
                    self.frees.add(record, &mut self.recorder, || about(ledger));
                    continue;
                }
                code::READ => expect_part(&mut open.requests, record),
                _ => {}
            }
            let (beside, bytes) = batch.beside(index);
            self.recorder.record(Event { bytes, ..about(ledger) }, beside);
        }
        self.frees.record(&mut self.recorder);
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
            ledger.times.add(Span { start_ns, duration_ns, ..*span });
        }
    }

    /// A worker says that something has failed.
    pub(crate) fn fail(&mut self, session: SessionId, worker: WorkerId, failure: &Failure) {
        let Some(ledger) = self.ledger(session, worker) else { return };
        ledger.fail(failure.slot.0, failure.error.to_string());
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
        while let Some((batch, index, position, count)) = ledger.finished(done) {
            for offset in 0..count {
                let (record, position) = (&batch.records[index + offset], position + offset as u64);
                let about = |ledger: &mut Ledger| {
                    let event = Event::new(now_ns, Station::Ended, session).at(worker);
                    let event = marked(event, ledger.ended.at(position), *record);
                    Event { scope: scope_of(&open.scopes, event.instruction), ..event }
                };
                if record.op == code::FREE {
                    let first = || about(ledger).with(Outcome::Success);
                    self.frees.add(record, &mut self.recorder, first);
                    continue;
                }
                let event = about(ledger);
                let (event, error) = ledger.outcome(event, position);
                let beside = batch.beside(index + offset).0;
                let beside = error.as_deref().map_or(beside, str::as_bytes);
                self.recorder.record(event, beside);
                if record.op == code::READ {
                    let answer = take_part(&mut open.requests, &event);
                    answer.into_iter().for_each(|event| self.recorder.record(event, &[]));
                }
            }
        }
        self.frees.record(&mut self.recorder);
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
        let Some(Request { instruction, record, .. }) = open.requests.remove(&request.0) else {
            return;
        };
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
    /// Notes a command whose answer its client waits for; whether it is one.
    fn await_answer(&mut self, instruction: u64, record: &Record) -> bool {
        let is_request = record.is_request();
        if is_request && self.requests.len() < MOST_WAITING {
            let request = Request { instruction, record: *record, parts: 0, bytes: 0 };
            self.requests.insert(record.provenance, request);
        }
        is_request
    }

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

/// A worker is to give its part of what a client reads.
fn expect_part(requests: &mut HashMap<u32, Request>, read: &Record) {
    if let Some(request) = requests.get_mut(&read.provenance) {
        request.parts += 1;
    }
}

/// A worker has given its part of what a client reads. Between processes a large value goes from
/// there straight to the client; once nobody has anything to give, that is the answer.
fn take_part(requests: &mut HashMap<u32, Request>, ended: &Event) -> Option<Event> {
    let number = ended.record.provenance;
    let request = requests.get_mut(&number)?;
    request.bytes = request.bytes.saturating_add(ended.bytes);
    request.parts = request.parts.saturating_sub(1);
    if request.parts > 0 {
        return None;
    }
    let Request { instruction, record, bytes, .. } = requests.remove(&number)?;
    let event = Event::new(ended.time_ns, Station::Answered, SessionId(ended.session));
    let event = event.about(instruction, record).with(ended.outcome());
    Some(Event { bytes, scope: ended.scope, ..event })
}

fn scope_of(scopes: &BTreeMap<u64, u32>, instruction: u64) -> u32 {
    if scopes.is_empty() {
        return 0;
    }
    scopes.range(..=instruction).next_back().map_or(0, |(_, scope)| *scope)
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
