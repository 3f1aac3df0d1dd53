//! What a timeline shows: lanes, spans of work, marks of events, transfers, signals.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::entry::{Event, Parsed, parse};
use crate::kind::Kind;
use crate::names::Names;

/// So many marks are kept; what comes after is counted only.
const MOST_MARKS: usize = 6_000_000;
/// So many workers have a lane; the rest shares one.
const MOST_WORKERS: u16 = 1 << 8;

/// What of a log is drawn.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// From when on, in nanoseconds since the dispatcher's start.
    pub from_ns: Option<u64>,
    /// Until when.
    pub to_ns: Option<u64>,
    /// Only this session.
    pub session: Option<String>,
    /// Only this worker.
    pub worker: Option<String>,
}

impl Filter {
    fn takes(&self, parsed: &Parsed) -> bool {
        let is_same = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let begins = parsed.span.map_or(parsed.time_ns, |(start_ns, _)| start_ns);
        let worker = parsed.is_worker.then_some(parsed.source);
        self.from_ns.is_none_or(|from| parsed.time_ns >= from)
            && self.to_ns.is_none_or(|to| begins <= to)
            && is_same(&self.session, parsed.session)
            && (worker.is_none() || is_same(&self.worker, worker))
    }
}

/// An event at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// When.
    pub time_ns: u64,
    /// Bytes.
    pub bytes: u64,
    /// The number of the instruction; zero if there is none.
    pub instruction: u64,
    /// The number of the client or worker in its list.
    pub lane: u16,
    /// What happened.
    pub event: Event,
    /// What the command is for.
    pub kind: Kind,
}

/// A command while a worker is at it.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// When it began.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// When it was sent, if that is known.
    pub sent_ns: Option<u64>,
    /// Bytes that it made.
    pub bytes: u64,
    /// The number of the instruction; zero if there is none.
    pub instruction: u64,
    /// The number of the worker in its list.
    pub lane: u16,
    /// The number of its name among the labels.
    pub label: u16,
    /// That of its signal, if it has one.
    pub signal: Option<u16>,
    /// What it is for.
    pub kind: Kind,
    /// Whether it failed.
    pub has_failed: bool,
}

/// A value on its way between workers.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// When it left, and when it was there.
    pub start_ns: u64,
    /// When it was there.
    pub end_ns: u64,
    /// The first and the last worker that take part.
    pub lanes: (u16, u16),
    /// Whether all workers between these take part.
    pub is_collective: bool,
}

/// A signal while commands belong to it.
#[derive(Clone, Debug)]
pub struct Band {
    /// The number of its name among the labels.
    pub label: u16,
    /// When it began.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
}

/// What a log comes to.
#[derive(Debug, Default)]
pub struct Model {
    /// The clients.
    pub clients: Vec<String>,
    /// The workers.
    pub workers: Vec<String>,
    /// Names of operations, commands and signals.
    pub labels: Vec<String>,
    /// Events.
    pub marks: Vec<Mark>,
    /// Work.
    pub spans: Vec<Span>,
    /// Values on their way.
    pub transfers: Vec<Transfer>,
    /// Signals.
    pub bands: Vec<Band>,
    /// How many events there are.
    pub events: u64,
    /// How many events are not drawn, because there are too many.
    pub left_out: u64,
    /// How many events the log says are missing.
    pub missing: u64,
    /// When the first of them was …
    pub from_ns: u64,
    /// … and the last.
    pub to_ns: u64,
}

/// Reads a log line by line.
#[derive(Default)]
pub struct Builder {
    filter: Filter,
    model: Model,
    clients: Names,
    workers: Names,
    labels: Names,
    /// When the commands were sent that a worker has, for each session.
    sent: HashMap<(u16, u16), VecDeque<u64>>,
    /// Who was at a transfer and when, by its instruction and tag.
    tags: BTreeMap<(u64, u64), Vec<Part>>,
    band: Option<(u16, u16)>,
}

impl Builder {
    /// Reads what a filter takes.
    pub fn new(filter: Filter) -> Self {
        let model = Model { from_ns: u64::MAX, ..Model::default() };
        let workers = Names::with_room(MOST_WORKERS);
        Builder { filter, model, workers, ..Builder::default() }
    }

    /// Reads a line. What is no line of the log is passed over.
    pub fn line(&mut self, line: &str) {
        if let Some(missing) = line.strip_prefix("# ") {
            let number = missing.split(' ').next().and_then(|number| number.parse::<u64>().ok());
            self.model.missing = self.model.missing.saturating_add(number.unwrap_or(0));
            return;
        }
        let Some(parsed) = parse(line).filter(|parsed| self.filter.takes(parsed)) else { return };
        let begins = parsed.span.map_or(parsed.time_ns, |(start, _)| start.min(parsed.time_ns));
        self.model.from_ns = self.model.from_ns.min(begins);
        self.model.to_ns = self.model.to_ns.max(parsed.time_ns);
        self.model.events += 1;
        if self.model.marks.len() >= MOST_MARKS {
            self.model.left_out += 1;
            return;
        }
        let names = if parsed.is_worker { &mut self.workers } else { &mut self.clients };
        let lane = names.number(parsed.source);
        let Parsed { time_ns, bytes, event, kind, .. } = parsed;
        let instruction = parsed.instruction.unwrap_or(0);
        self.model.marks.push(Mark { time_ns, bytes, instruction, lane, event, kind });
        match event {
            Event::WorkerSend | Event::WorkerRecv => self.at_worker(&parsed, lane),
            Event::Recv => self.signal(&parsed, lane),
            Event::Connect | Event::Disconnect | Event::Send => {}
        }
    }

    fn at_worker(&mut self, parsed: &Parsed, worker: u16) {
        // Frees take no time, and several of them are one line.
        if parsed.command == "WorkerFreeTensor" {
            return;
        }
        let session = parsed.session.map_or(0, |one| self.clients.number(one));
        let sent = self.sent.entry((session, worker)).or_default();
        if parsed.event == Event::WorkerSend {
            sent.push_back(parsed.time_ns);
            return self.transfer(parsed, worker);
        }
        let sent_ns = sent.pop_front();
        self.transfer(parsed, worker);
        let Some((start_ns, took_ns)) = parsed.span else { return };
        let label = self.labels.number(parsed.op.unwrap_or_else(|| short(parsed.command)));
        let signal = parsed.signal.map(|name| self.labels.number(name));
        self.model.spans.push(Span {
            start_ns,
            end_ns: start_ns.saturating_add(took_ns),
            sent_ns,
            bytes: parsed.bytes,
            instruction: parsed.instruction.unwrap_or(0),
            lane: worker,
            label,
            signal,
            kind: parsed.kind,
            has_failed: parsed.has_failed,
        });
    }

    /// A move lasts while workers are at it, and not while it waits for them.
    fn transfer(&mut self, parsed: &Parsed, worker: u16) {
        let (Some(tag), Some((start_ns, took))) = (parsed.tag, parsed.span) else { return };
        let key = (parsed.instruction.unwrap_or(0), tag);
        self.tags.entry(key).or_default().push((start_ns, start_ns.saturating_add(took), worker));
    }

    fn signal(&mut self, parsed: &Parsed, client: u16) {
        let Some(name) = parsed.signal else {
            self.band = None;
            return;
        };
        let label = self.labels.number(name);
        if self.band == Some((label, client))
            && let Some(band) = self.model.bands.last_mut()
        {
            band.end_ns = parsed.time_ns;
            return;
        }
        self.band = Some((label, client));
        let (start_ns, end_ns) = (parsed.time_ns, parsed.time_ns);
        self.model.bands.push(Band { label, start_ns, end_ns });
    }

    /// Everything that was read.
    pub fn finish(mut self) -> Model {
        self.model.transfers =
            std::mem::take(&mut self.tags).into_values().filter_map(transfer).collect();
        if !self.model.spans.is_empty() {
            self.model.bands = bands(&self.model.spans);
        }
        let model = &mut self.model;
        model.clients = self.clients.list;
        model.workers = self.workers.list;
        model.labels = self.labels.list;
        model.from_ns = model.from_ns.min(model.to_ns).max(self.filter.from_ns.unwrap_or(0));
        let to_ns = model.to_ns.min(self.filter.to_ns.unwrap_or(u64::MAX));
        model.to_ns = to_ns.max(model.from_ns.saturating_add(1));
        self.model
    }
}

/// When a worker began its part of a transfer and ended it, and which worker.
type Part = (u64, u64, u16);

/// What several workers were at. Of two, the one that ends later is the one that gets something: an
/// arrow shows it, from the end of one to the end of the other.
fn transfer(mut parts: Vec<Part>) -> Option<Transfer> {
    parts.sort_by_key(|&(_, end_ns, _)| end_ns);
    let (&(_, first_ns, giver), &(_, end_ns, getter)) = (parts.first()?, parts.last()?);
    let workers = || parts.iter().map(|&(.., worker)| worker);
    let (least, most) = (workers().min()?, workers().max()?);
    // Two that give each other something are at it at the same time.
    let is_exchange = parts.get(1).is_some_and(|&(start_ns, ..)| start_ns < first_ns);
    let others = workers().any(|worker| worker != giver && worker != getter);
    let is_collective = others || is_exchange;
    let (start_ns, lanes) = match is_collective {
        true => (parts.iter().map(|part| part.0).min()?, (least, most)),
        false => (first_ns, (giver, getter)),
    };
    (least != most).then_some(Transfer { start_ns, end_ns, lanes, is_collective })
}

/// The signals by the time in which workers are at them; as the client says them they take none.
fn bands(spans: &[Span]) -> Vec<Band> {
    let signal = |span: &Span| Some((span.signal?, span.start_ns, span.end_ns));
    let mut times: Vec<(u16, u64, u64)> = spans.iter().filter_map(signal).collect();
    times.sort_unstable();
    let mut bands: Vec<Band> = Vec::new();
    let pause = spans.iter().map(|span| span.end_ns).max().unwrap_or(0) / 500;
    for (label, start_ns, end_ns) in times {
        match bands
            .last_mut()
            .filter(|last| last.label == label && start_ns <= last.end_ns.saturating_add(pause))
        {
            Some(last) => last.end_ns = last.end_ns.max(end_ns),
            None => bands.push(Band { label, start_ns, end_ns }),
        }
    }
    bands.sort_by_key(|band| band.start_ns);
    bands
}

fn short(command: &str) -> &str {
    command.trim_start_matches("Worker")
}
