//! Runs a tape: what clients and workers say, `---`, what workers and clients are told.
//!
//! Before the line: `workers 2`, `at 5000` (nanoseconds), `send` (the batch ends here),
//! `scope1 := "pair" in scope0 replicated 0 1`, `in scope1`,
//! `w0 done 3`, `w1 describes r1 as [3, 2]`, `w0 reports #1` or `w0 reports #1 failed`,
//! `on w1` (work without inputs goes there, because no other worker is heard, until `on any`),
//! `w0 failed`, `w0 answers r1` or `w0 answers r1 failed`, `w0 gone`,
//! `w2 joins`, `w0 drained`, `w0 undrained`, `wants 2` (before `workers`), `cancel` (the client no
//! longer waits for what was sent), `holds 5000` (before `workers`: commands are held back for so
//! long), `flush` (what is due by then is sent), and the client's commands in their text form, with
//! `t0 := upload [4, 4]` for single precision numbers. What follows the last `send` is sent at the
//! end. A line that begins with `#` is a comment. Of what went wrong, tapes show the first part.
//! After the line, `all` stands for each worker: what follows each other there up to a line `then`
//! is told to one worker after another.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::sync::Arc;

use gt_core::instruction::Command;
use gt_core::placement::{OnUse, Wish};
use gt_core::text::parse_instruction;
use gt_core::{
    DType, Error, Meta, Provenance, RequestId, ScopeId, SessionId, Shape, Slot, WorkerId,
};
use gt_dispatcher::load::Health;
use gt_dispatcher::{Dispatcher, Outbox};
use gt_transport::hello::Hello;
use gt_transport::{Batch, Failure, FailureId, Message, Peer, Value};

const SESSION: SessionId = SessionId(1);

/// Checks one tape.
pub fn check(tape: &str) {
    let (said, told) = tape.split_once("---").expect("a tape has two parts");
    let player = play(said);
    let expected = each_worker(lines(told).collect(), player.workers);
    let (found, expected) = (player.told.join("\n"), expected.join("\n"));
    assert_eq!(found, expected, "\n\nfound:\n{found}\n\nexpected:\n{expected}\n");
}

/// What is told when this is said.
pub fn told_after(said: &str) -> Vec<String> {
    play(said).told
}

fn play(said: &str) -> Player {
    let mut player = Player::default();
    lines(said).for_each(|line| player.line(&line));
    player.line("send");
    player
}

/// The lines for each worker, one worker after another, if some lines are for all of them.
fn each_worker(lines: Vec<String>, workers: u64) -> Vec<String> {
    if !lines.iter().any(|line| line.starts_with("all ")) {
        return lines;
    }
    let mut told = Vec::new();
    for part in lines.split(|line| line == "then") {
        for worker in (0..workers).map(|worker| format!("w{worker} ")) {
            let own = |line: &&String| line.starts_with("all ") || line.starts_with(&worker);
            let words = |line: &String| line.split_once(' ').map(|(_, words)| words.to_string());
            let said = |line: &String| format!("{worker}{}", words(line).unwrap_or_default());
            told.extend(part.iter().filter(own).map(said));
        }
        told.extend(part.iter().filter(|line| line.starts_with("client ")).cloned());
    }
    told
}

/// The lines of a text with single spaces, without comments.
fn lines(text: &str) -> impl Iterator<Item = String> {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

struct Player {
    dispatcher: Dispatcher,
    now_ns: u64,
    batch: Batch,
    told: Vec<String>,
    workers: u64,
    wants: Option<u32>,
}

impl Default for Player {
    fn default() -> Self {
        let (dispatcher, batch) = (Dispatcher::new(), Batch::default());
        Player { dispatcher, now_ns: 0, batch, told: Vec::new(), workers: 0, wants: None }
    }
}

impl Player {
    fn line(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |text: &str| text.trim_start_matches(['t', 'r', 'w']).parse::<u64>();
        let number = |text: &str| number(text).unwrap_or_else(|_| panic!("'{line}': {text}"));
        match *words.as_slice() {
            ["workers", count] => self.open(number(count)),
            ["wants", count] => self.wants = Some(number(count) as u32),
            ["holds", hold_ns] => {
                self.dispatcher = Dispatcher::new().holding(number(hold_ns));
            }
            ["at", now] => self.now_ns = number(now),
            ["flush"] => self.flush(),
            ["cancel"] => {
                self.line("send");
                let cancel = Message::Cancel { session: SESSION, request: None };
                self.step(Peer::Client(SESSION), cancel);
            }
            ["on", only] => self.hear_only(only),
            ["bye"] => self.step(Peer::Client(SESSION), Message::Bye),
            ["send"] if self.batch.is_empty() => {}
            ["send"] => {
                let batch = std::mem::take(&mut self.batch);
                let commands = Message::Commands { session: SESSION, batch: batch.into() };
                self.step(Peer::Client(SESSION), commands);
            }
            [worker, ..] if worker.starts_with('w') => self.worker(line, &words),
            ["free", ..] => {
                let slots = words[1..].iter().map(|slot| Slot(number(slot) as u32));
                self.batch.push(&Command::Free(slots.collect()));
            }
            [scope, ":=", name, "in", parent, ref wish @ ..] => {
                let (scope, parent) = (self::scope(scope), self::scope(parent));
                let name = name.trim_matches('"').into();
                let wish = wish.split_first().map(|(layout, named)| self::wish(layout, named));
                self.batch.push(&Command::DefineScope { scope, parent, name, wish });
            }
            ["in", scope] => self.batch.push(&Command::Scope(self::scope(scope))),
            ["read", slot, "as", request] => {
                let (slot, request) = (Slot(number(slot) as u32), number(request) as u32);
                self.batch.push(&Command::Read { slot, request: RequestId(request) });
            }
            ["sync", "as", request] => {
                let request = RequestId(number(request) as u32);
                self.batch.push(&Command::Sync { request });
            }
            ["describe", slot, "as", request] => {
                let (slot, request) = (Slot(number(slot) as u32), number(request) as u32);
                self.batch.push(&Command::Describe { slot, request: RequestId(request) });
            }
            [slot, ":=", "upload", ..] => {
                let (out, meta) = (Slot(number(slot) as u32), Meta::new(DType::F32, shape(line)));
                let data = vec![0; meta.bytes()].into();
                let provenance = Provenance::UNKNOWN;
                self.batch.push(&Command::Upload { out, meta, data, provenance });
            }
            _ => {
                let instruction = parse_instruction(line).unwrap_or_else(|error| panic!("{error}"));
                self.batch.push(&Command::Apply(instruction));
            }
        }
    }

    /// Workers register, and the client opens its session.
    fn open(&mut self, workers: u64) {
        self.workers = workers;
        for worker in 0..self.workers {
            let worker = Peer::Worker(WorkerId(worker as u32));
            self.step(worker, Message::Register(Box::default()));
        }
        let hello = Hello { workers: self.wants, ..Hello::named("tape") };
        self.step(Peer::Client(SESSION), Message::Hello(hello));
    }

    /// All workers but this one are suspect, until none is: `any`.
    fn hear_only(&mut self, worker: &str) {
        self.line("send");
        for other in 0..self.workers {
            let is_heard = worker == "any" || worker == format!("w{other}");
            let health = if is_heard { Health::Well } else { Health::Suspect };
            self.dispatcher.set_health(WorkerId(other as u32), health);
        }
    }

    /// What a worker says.
    fn worker(&mut self, line: &str, words: &[&str]) {
        let number = |text: &str| text.trim_start_matches(['r', 'w', '#']).parse::<u64>();
        let number = |text: &str| number(text).unwrap_or_else(|_| panic!("'{line}': {text}"));
        match *words {
            [worker, "done", count] => {
                let (session, commands) = (SESSION, number(count));
                let done = Message::Done { session, commands, bytes: 0, busy_ns: 0 };
                self.step(Peer::Worker(WorkerId(number(worker) as u32)), done);
            }
            [worker, "reports", barrier, ref failed @ ..] => {
                let barrier = number(barrier);
                let failure = failed.first().map(|_| self.failure());
                let report = Message::FailureReport {
                    session: SESSION,
                    barrier,
                    failure,
                    checksums: Default::default(),
                };
                self.step(Peer::Worker(WorkerId(number(worker) as u32)), report);
            }
            [worker, "failed"] => {
                let failed = Message::Failed { session: SESSION, failure: self.failure() };
                self.step(Peer::Worker(WorkerId(number(worker) as u32)), failed);
            }
            [worker, "answers", request, ref failed @ ..] => {
                let value = || Value { meta: Meta::new(DType::F32, [0]), data: Default::default() };
                let result = failed.first().map_or_else(|| Ok(value()), |_| Err(self.failure()));
                let request = RequestId(number(request) as u32);
                let answer = Message::Answer { session: SESSION, request, result };
                self.step(Peer::Worker(WorkerId(number(worker) as u32)), answer);
            }
            [worker, "gone"] => {
                let (worker, mut out) = (WorkerId(number(worker) as u32), Outbox::default());
                self.dispatcher.lose(self.now_ns, worker, "was lost", &mut out);
                self.hear(out);
            }
            [worker, "joins"] => {
                let worker = Peer::Worker(WorkerId(number(worker) as u32));
                self.step(worker, Message::Register(Box::default()));
            }
            [worker, "drained"] => {
                let (worker, mut out) = (WorkerId(number(worker) as u32), Outbox::default());
                let drained = self.dispatcher.drain(self.now_ns, worker, &mut out);
                if let Err(error) = drained {
                    let said = format!("operator {error}").replace("  ", " ");
                    self.told.extend(said.split(';').next().map(str::to_string));
                }
                self.hear(out);
            }
            [worker, "undrained"] => {
                let worker = WorkerId(number(worker) as u32);
                self.dispatcher.undrain(worker).expect("the worker is there");
            }
            [worker, "describes", request, "as", ..] => {
                let meta = Meta::new(DType::I64, shape(line));
                let result = Ok(Value { meta, data: Default::default() });
                let request = RequestId(number(request) as u32);
                let answer = Message::Answer { session: SESSION, request, result };
                self.step(Peer::Worker(WorkerId(number(worker) as u32)), answer);
            }
            _ => panic!("'{line}' is not what a worker says"),
        }
    }

    /// Sends what was held back, if it is time.
    fn flush(&mut self) {
        if self.dispatcher.flush_at_ns().is_some_and(|at_ns| at_ns <= self.now_ns) {
            let mut out = Outbox::default();
            self.dispatcher.flush(self.now_ns, &mut out);
            self.hear(out);
        }
    }

    fn step(&mut self, from: Peer, message: Message) {
        let mut out = Outbox::default();
        self.dispatcher.step(self.now_ns, from, message, &mut out);
        self.hear(out);
    }

    /// The one thing that fails on a tape.
    fn failure(&self) -> Arc<Failure> {
        Arc::new(Failure {
            id: FailureId { worker: 0, number: 1 },
            error: Error::value("it went wrong"),
            instruction: "t0 := gather".to_string(),
            slot: Slot(0),
            provenance: Provenance::UNKNOWN,
            holders: Default::default(),
        })
    }

    fn hear(&mut self, mut out: Outbox) {
        for (to, message) in out.drain() {
            let to = match to {
                Peer::Client(_) => "client".to_string(),
                Peer::Worker(worker) => worker.to_string(),
                Peer::Relay => "relay".to_string(),
            };
            let told = told(message);
            let said = told.into_iter().map(|line| format!("{to} {line}"));
            self.told.extend(said.flat_map(|line| lines(&line).collect::<Vec<_>>()));
        }
    }
}

fn scope(text: &str) -> ScopeId {
    let number = text.strip_prefix("scope").and_then(|number| number.parse().ok());
    ScopeId(number.unwrap_or_else(|| panic!("'{text}' is no scope")))
}

fn told(message: Message) -> Vec<String> {
    match message {
        Message::Commands { batch, .. } => {
            let text = |command: gt_core::Result<Command>| command.expect("it is right");
            batch.commands().map(|command| text(command).to_string()).collect()
        }
        Message::Done { commands, .. } => vec![format!("done {commands}")],
        Message::Answer { request, result: Ok(_), .. } => vec![format!("answer {request}")],
        Message::Answer { request, result: Err(failure), .. } => {
            vec![format!("answer {request}: {}", first_part(&failure))]
        }
        Message::FailureVerdict { barrier, failure: None, .. } => {
            vec![format!("verdict #{barrier}")]
        }
        Message::FailureVerdict { barrier, failure: Some(failure), .. } => {
            vec![format!("verdict #{barrier}: {}", first_part(&failure))]
        }
        Message::Handover { tag, result: Err(failure), .. } => {
            vec![format!("handover #{tag}: {}", first_part(&failure))]
        }
        Message::Forget { .. } => vec!["forget".to_string()],
        Message::Cancel { .. } => vec!["cancel".to_string()],
        Message::Ended { error, .. } => vec![format!("ended: {error}")],
        other => panic!("no tape is about {other:?}"),
    }
}

fn first_part(failure: &Failure) -> String {
    let text = failure.error.to_string();
    text.split(',').next().unwrap_or_default().to_string()
}

/// The sizes between the brackets of a line.
fn shape(line: &str) -> Shape {
    let inner = line.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    let (sizes, _) = inner.unwrap_or_else(|| panic!("'{line}' has no shape"));
    let sizes = sizes.split(',').map(str::trim).filter(|size| !size.is_empty());
    sizes.map(|size| size.parse::<usize>().expect("a size is a number")).collect()
}

/// `replicated 0 1` or `shard(0) 0 1`, or for a mesh `dp/2=0 tp/2 0 1 2 3`, whose first axis cuts
/// axis 0 and whose second has copies; and perhaps `replicated-on-use dropped`.
fn wish(layout: &str, words: &[&str]) -> Wish {
    let keep = !words.contains(&"dropped");
    let replicate = words.contains(&"replicated-on-use");
    let on_use = if replicate { OnUse::Replicate } else { OnUse::AsPlaced };
    let workers = words.iter().filter_map(|word| word.parse().ok());
    let axes = || [layout].into_iter().chain(words.iter().copied());
    let axes = || axes().filter_map(|word| word.split_once('/'));
    let wish = match layout.strip_prefix("shard(").and_then(|axis| axis.strip_suffix(')')) {
        None if layout.contains('/') => Wish {
            mesh: axes()
                .map(|(name, rest)| {
                    let size = rest.split('=').next().expect("a size");
                    (name.into(), size.parse().expect("a size"))
                })
                .collect(),
            cuts: axes()
                .map(|(_, rest)| {
                    rest.split_once('=').map(|(_, axis)| axis.parse().expect("an axis"))
                })
                .collect(),
            ..Wish::replicated(workers)
        },
        Some(axis) => Wish::sharded(axis.parse().expect("an axis"), workers),
        None => Wish::replicated(workers),
    };
    Wish { keep, on_use, ..wish }
}
