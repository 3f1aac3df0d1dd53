//! What a trace says of who had commands when: at the dispatcher, waiting for a worker, computed,
//! on their way between workers; and of clients that wait for an answer.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::names::Names;
use crate::timeline::entry::{Event, Parsed, parse};

/// A time from one moment to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
}

/// Two workers between which values travel, the first of a move and the last.
pub(super) type Link = (u16, u16);

/// A command that a worker had.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) session: u16,
    pub(super) worker: u16,
    /// While it had been sent and was not begun.
    pub(super) waiting: Option<Interval>,
    /// While the worker was at it.
    pub(super) running: Option<Interval>,
    /// What it is called.
    pub(super) label: u16,
    /// What both sides call a value that travels.
    transfer: Option<(u64, u64)>,
    pub(super) bytes: u64,
}

/// A command that was sent to a worker and is not done.
#[derive(Clone, Debug)]
struct Sent {
    instruction: u64,
    time_ns: u64,
    text: Box<str>,
}

/// A request that the trace leaves without an answer.
#[derive(Clone, Debug)]
struct Request {
    from_ns: u64,
    text: Box<str>,
}

/// A request without an answer at the end of a trace, and the command that holds it up.
#[derive(Clone, Debug)]
pub struct Unanswered {
    /// The request, in text form.
    pub request: String,
    /// For how long it had been waiting when the trace ended.
    pub waited_ns: u64,
    /// The worker with the oldest unfinished command of the session, if a worker has one.
    pub worker: Option<u16>,
    /// That command, in text form.
    pub command: String,
}

/// What is known of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    pub(super) name: String,
    /// From its first command to the last that happened to one.
    pub(super) lasted: Option<Interval>,
    /// Requests, from when they came to when they were answered.
    pub(super) requests: Vec<Interval>,
    /// Commands while the dispatcher alone had them.
    pub(super) pending: Vec<Interval>,
    received: HashMap<u64, u64>,
    asked: HashMap<u64, Request>,
}

impl Session {
    fn notice(&mut self, time_ns: u64) {
        let lasted = self.lasted.get_or_insert(Interval { from_ns: time_ns, to_ns: time_ns });
        lasted.from_ns = lasted.from_ns.min(time_ns);
        lasted.to_ns = lasted.to_ns.max(time_ns);
    }
}

/// What a trace says.
#[derive(Debug, Default)]
pub struct Facts {
    pub(super) sessions: Vec<Session>,
    session_names: Names,
    pub(super) workers: Names,
    pub(super) labels: Names,
    pub(super) jobs: Vec<Job>,
    sent: HashMap<(u16, u16), VecDeque<Sent>>,
    transfers: BTreeMap<(u64, u64), Link>,
    end_ns: u64,
    /// How many events there are.
    pub events: u64,
    /// How many the trace says are missing.
    pub missing: u64,
}

impl Facts {
    /// How many sessions there are.
    pub fn session_count(&self) -> usize {
        self.sessions.len()
    }

    /// Reads a line. What is no line of the log is passed over.
    pub fn line(&mut self, line: &str) {
        if let Some(missing) = line.strip_prefix("# ") {
            let number = missing.split(' ').next().and_then(|number| number.parse::<u64>().ok());
            self.missing = self.missing.saturating_add(number.unwrap_or(0));
            return;
        }
        let Some(parsed) = parse(line) else { return };
        self.events += 1;
        self.end_ns = self.end_ns.max(parsed.time_ns);
        if let (Event::Disconnect, Some(name)) = (parsed.event, parsed.session) {
            return self.gone(name);
        }
        let Some(name) = parsed.session.filter(|_| is_about_a_command(parsed.event)) else {
            return;
        };
        let session = self.session(name);
        self.sessions[session as usize].notice(parsed.time_ns);
        match parsed.event {
            Event::Recv => self.received(&parsed, session),
            Event::Send => self.answered(&parsed, session),
            Event::WorkerSend => self.sent(&parsed, session),
            Event::WorkerRecv => self.done(&parsed, session),
            Event::Connect | Event::Disconnect => {}
        }
    }

    /// Commands that a session leaves behind hold nothing up.
    fn gone(&mut self, name: &str) {
        let number = self.session(name);
        self.sessions[number as usize].asked.clear();
        self.sent.retain(|(session, _), _| *session != number);
    }

    fn received(&mut self, parsed: &Parsed, session: u16) {
        let Some(instruction) = parsed.instruction else { return };
        let session = &mut self.sessions[session as usize];
        session.received.insert(instruction, parsed.time_ns);
        if matches!(parsed.command, "GetData" | "GetShape" | "Synchronize" | "Ask") {
            let request = Request { from_ns: parsed.time_ns, text: parsed.text.into() };
            session.asked.insert(instruction, request);
        }
    }

    fn answered(&mut self, parsed: &Parsed, session: u16) {
        let session = &mut self.sessions[session as usize];
        let asked = parsed.instruction.and_then(|instruction| session.asked.remove(&instruction));
        let request = asked.map(|one| Interval { from_ns: one.from_ns, to_ns: parsed.time_ns });
        session.requests.extend(request);
    }

    fn sent(&mut self, parsed: &Parsed, session: u16) {
        let worker = self.workers.number(parsed.source);
        let (time_ns, instruction) = (parsed.time_ns, parsed.instruction.unwrap_or(0));
        let known = &mut self.sessions[session as usize];
        let received = known.received.remove(&instruction);
        known.pending.extend(received.map(|from_ns| Interval { from_ns, to_ns: time_ns }));
        // Frees take no time, and several of them are one line.
        if is_free(parsed) {
            return;
        }
        let sent = self.sent.entry((session, worker)).or_default();
        sent.push_back(Sent { instruction, time_ns, text: parsed.text.into() });
    }

    fn done(&mut self, parsed: &Parsed, session: u16) {
        if is_free(parsed) {
            return;
        }
        let worker = self.workers.number(parsed.source);
        let sent_ns = self.take_sent((session, worker), parsed.instruction.unwrap_or(0));
        let transfer = parsed.tag.map(|tag| (parsed.instruction.unwrap_or(0), tag));
        if let Some(key) = transfer {
            let (first, last) = self.transfers.entry(key).or_insert((worker, worker));
            (*first, *last) = ((*first).min(worker), (*last).max(worker));
        }
        let running = parsed.span.map(|(start_ns, took_ns)| Interval {
            from_ns: start_ns,
            to_ns: start_ns.saturating_add(took_ns),
        });
        // Of a command that was computed together with others only the last has a time of its own;
        // a value that travels is waited for until it is there.
        let begun_ns = running.map(|running| running.from_ns);
        let begun_ns = begun_ns.or_else(|| transfer.map(|_| parsed.time_ns));
        let waiting = sent_ns.zip(begun_ns).map(|(from_ns, to_ns)| Interval { from_ns, to_ns });
        if running.is_none() && waiting.is_none() {
            return;
        }
        let name = parsed.op.unwrap_or_else(|| parsed.command.trim_start_matches("Worker"));
        let (label, bytes) = (self.labels.number(name), parsed.bytes);
        self.jobs.push(Job { session, worker, waiting, running, label, transfer, bytes });
    }

    /// When a command was sent that a worker is done with. A trace may begin after that.
    fn take_sent(&mut self, who: (u16, u16), instruction: u64) -> Option<u64> {
        let sent = self.sent.get_mut(&who)?;
        while sent.front().is_some_and(|first| first.instruction < instruction) {
            sent.pop_front();
        }
        sent.front().filter(|first| first.instruction == instruction)?;
        sent.pop_front().map(|first| first.time_ns)
    }

    /// When a session was there: while a request is open, until the end of the trace.
    pub(super) fn lasted(&self, session: u16) -> Option<Interval> {
        let known = &self.sessions[session as usize];
        let lasted = known.lasted?;
        let to_ns = if known.asked.is_empty() { lasted.to_ns } else { self.end_ns };
        Some(Interval { to_ns, ..lasted })
    }

    /// The requests of a session, answered or open at the end.
    pub(super) fn requests(&self, session: u16) -> impl Iterator<Item = Interval> {
        let known = &self.sessions[session as usize];
        let open = known.asked.values().map(|request| (request.from_ns, self.end_ns));
        let open = open.map(|(from_ns, to_ns)| Interval { from_ns, to_ns });
        known.requests.iter().copied().chain(open)
    }

    /// Where commands of a session were that no worker had finished at the end.
    pub(super) fn unfinished(&self, session: u16) -> impl Iterator<Item = (u16, Interval)> {
        let own = self.sent.iter().filter(move |((whose, _), _)| *whose == session);
        own.filter_map(|((_, worker), sent)| {
            let interval = Interval { from_ns: sent.front()?.time_ns, to_ns: self.end_ns };
            Some((*worker, interval))
        })
    }

    /// The request of a session that has waited longest when the trace ends, if one has.
    pub(super) fn unanswered(&self, session: u16) -> Option<Unanswered> {
        let asked = &self.sessions[session as usize].asked;
        let request = asked.values().min_by_key(|request| request.from_ns)?;
        let own = self.sent.iter().filter(|((whose, _), _)| *whose == session);
        let oldest = own.filter_map(|((_, worker), sent)| Some((*worker, sent.front()?)));
        let oldest = oldest.min_by_key(|(_, sent)| (sent.instruction, sent.time_ns));
        Some(Unanswered {
            request: request.text.to_string(),
            waited_ns: self.end_ns - request.from_ns,
            worker: oldest.map(|(worker, _)| worker),
            command: oldest.map_or(String::new(), |(_, sent)| sent.text.to_string()),
        })
    }

    /// The workers between which a command moves a value, if it does: what stays on a worker does
    /// not travel.
    pub(super) fn link(&self, job: &Job) -> Option<Link> {
        let link = job.transfer.and_then(|key| self.transfers.get(&key).copied());
        link.filter(|(first, last)| first != last)
    }

    fn session(&mut self, name: &str) -> u16 {
        let number = self.session_names.number(name);
        if number as usize == self.sessions.len() {
            let name = self.session_names.list[number as usize].clone();
            self.sessions.push(Session { name, ..Session::default() });
        }
        number
    }
}

fn is_free(parsed: &Parsed) -> bool {
    parsed.command == "WorkerFreeTensor"
}

fn is_about_a_command(event: Event) -> bool {
    !matches!(event, Event::Connect | Event::Disconnect)
}
