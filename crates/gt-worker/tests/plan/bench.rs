//! A worker, and an executor whose engine notes what it is given and panics when asked to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use gt_core::attrs::Attrs;
use gt_core::instruction::{Command, Move};
use gt_core::kernel::{Kernel, UnaryFn};
use gt_core::op::{Call, Op};
use gt_core::placement::Placement;
use gt_core::text::parse_instruction;
use gt_core::{DType, Meta, Provenance, RequestId, SessionId, Slot, WorkerId};
use gt_native::Native;
use gt_transport::{Batch, Failure, Message, Peer, Value};
use gt_worker::agenda::Agenda;
use gt_worker::buffer::Pool;
use gt_worker::engine::{Engine, Operand, Operands, Results, Takes};
use gt_worker::plan::Work;
use gt_worker::{Action, Executor, Outcome, Told, Window, Worker};

/// Every command on its own.
pub const ONE: Window = Window { commands: 1, cost_ns: u64::MAX };
/// Whatever waits.
pub const UNLIMITED: Window = Window { commands: usize::MAX, cost_ns: u64::MAX };

/// One worker and all it ever said.
pub struct Bench {
    /// The worker.
    pub worker: Worker,
    /// Where its values are.
    pub pool: Arc<Pool>,
    /// The session and the number of commands of each plan, in order.
    pub plans: Vec<(SessionId, u64)>,
    /// How long each plan takes.
    pub busy_ns: u64,
    /// What runs the plans.
    pub executor: Executor,
    engine: Arc<Spy>,
    agenda: Agenda,
    done: HashMap<SessionId, u64>,
    answers: HashMap<(SessionId, RequestId), Result<Value, Arc<Failure>>>,
    failures: Vec<(SessionId, Arc<Failure>)>,
    handovers: Vec<(Peer, Result<Bytes, Arc<Failure>>)>,
    reports: usize,
}

type Result<T, E = gt_core::Error> = std::result::Result<T, E>;

impl Bench {
    /// A worker without sessions.
    pub fn new(window: Window) -> Self {
        Bench::with_memory(window, 1 << 24)
    }

    /// A worker with little memory.
    pub fn with_memory(window: Window, bytes: usize) -> Self {
        Bench::with(window, bytes, None)
    }

    /// A worker whose engine takes one composite whole, and gives zeros for it.
    pub fn taking(name: &'static str) -> Self {
        Bench::with(UNLIMITED, 1 << 24, Some(name))
    }

    fn with(window: Window, bytes: usize, whole: Option<&'static str>) -> Self {
        let pool = Pool::patterned(bytes, 0xFF);
        let native = Native::new(pool.clone(), 1).expect("it needs no threads");
        let engine = Arc::new(Spy { native, seen: Mutex::default(), whole });
        Bench {
            worker: Worker::new(WorkerId(0), window, engine.clone()),
            pool,
            plans: Vec::new(),
            busy_ns: 0,
            executor: Executor::new(engine.clone()),
            engine,
            agenda: Agenda::default(),
            done: HashMap::new(),
            answers: HashMap::new(),
            failures: Vec::new(),
            handovers: Vec::new(),
            reports: 0,
        }
    }

    /// Commands of a session in one batch: instructions in their text form, `free t0`,
    /// `read t0 as r1`, `sync as r1`, `receive 7` (as the first copy), `send t0 1 7` (to worker 1
    /// as 7), `wait 3` (for the verdict of barrier 3).
    pub fn say(&mut self, session: SessionId, lines: &[&str]) {
        let mut batch = Batch::default();
        lines.iter().for_each(|line| batch.push(&command(line)));
        self.tell(Message::Commands { session, batch: batch.into() });
    }

    /// So many bytes are left for what is made before it is needed.
    pub fn leave_room(&mut self, bytes: u64) {
        self.worker.leave_room(bytes);
    }

    /// Tells the worker something.
    pub fn tell(&mut self, message: Message) {
        self.step(Told::Message(message));
    }

    /// Runs plans until there are none.
    pub fn run(&mut self) {
        self.run_until(|_| false);
    }

    /// Runs plans until there are none, or it is enough.
    pub fn run_until(&mut self, enough: impl Fn(&Bench) -> bool) {
        while !enough(self) {
            let next = self.agenda.next();
            let Some(work) = next.and_then(|next| self.agenda.take(next)) else { return };
            self.agenda.finish(work.session());
            if let Work::Run(plan) = &work {
                self.plans.push((plan.session, plan.commands));
            }
            if let Some(outcome) = self.executor.work(work) {
                self.step(Told::Finished(Outcome { busy_ns: self.busy_ns, ..outcome }));
            }
        }
    }

    fn step(&mut self, told: Told) {
        let mut actions = Vec::new();
        self.worker.step(told, &mut actions);
        for action in actions {
            match action {
                Action::Execute(work) => self.agenda.push(work),
                Action::Send(None, Message::Answer { session, request, result }) => {
                    self.answers.insert((session, request), result);
                }
                Action::Send(None, Message::Failed { session, failure }) => {
                    self.failures.push((session, failure));
                }
                Action::Send(Some(to), Message::Handover { result, .. }) => {
                    self.handovers.push((to, result));
                }
                Action::Send(None, Message::Done { session, commands, .. }) => {
                    *self.done.entry(session).or_default() += commands;
                }
                Action::Send(None, Message::FailureReport { .. }) => self.reports += 1,
                other => panic!("a worker does not say {other:?}"),
            }
        }
    }

    /// How many commands of a session are reported as done.
    pub fn done(&self, session: SessionId) -> u64 {
        self.done.get(&session).copied().unwrap_or(0)
    }

    /// How many plans the executor has before it.
    pub fn waiting(&self) -> usize {
        self.agenda.len()
    }

    /// Whether a request has an answer.
    pub fn is_answered(&self, session: SessionId, request: u32) -> bool {
        self.answers.contains_key(&(session, RequestId(request)))
    }

    /// The answer to a read.
    pub fn answer(&self, session: SessionId, request: u32) -> Result<Value, Arc<Failure>> {
        let answer = self.answers.get(&(session, RequestId(request)));
        answer.unwrap_or_else(|| panic!("{session} has no answer to r{request}")).clone()
    }

    /// The numbers that a read gave.
    pub fn read(&self, session: SessionId, request: u32) -> Vec<f32> {
        numbers(&self.answer(session, request).unwrap_or_else(|failure| panic!("{failure:?}")))
    }

    /// How many answers a session got.
    pub fn answers(&self, session: SessionId) -> usize {
        self.answers.keys().filter(|(asked, _)| *asked == session).count()
    }

    /// What a session was told of failures.
    pub fn failures(&self, session: SessionId) -> Vec<Arc<Failure>> {
        let of_session = self.failures.iter().filter(|(whose, _)| *whose == session);
        of_session.map(|(_, failure)| failure.clone()).collect()
    }

    /// What was handed to other workers.
    pub fn handovers(&self) -> impl Iterator<Item = (Peer, Result<Bytes, Arc<Failure>>)> {
        self.handovers.iter().cloned()
    }

    /// How often it reported to a failure barrier.
    pub fn reports(&self) -> usize {
        self.reports
    }

    /// The kernels that ran, and whether each could write over its first input.
    pub fn seen(&self) -> Vec<(String, bool)> {
        self.engine.seen.lock().expect("nobody panics with it").clone()
    }
}

/// Single precision elements.
pub fn numbers(value: &Value) -> Vec<f32> {
    let (numbers, _) = value.data.as_chunks::<4>();
    numbers.iter().map(|&number| f32::from_le_bytes(number)).collect()
}

/// A command in the text form of [`Bench::say`].
pub fn command(line: &str) -> Command {
    let number = |text: &str| text.trim_start_matches(['t', 'r']).parse::<u32>();
    let number = |text: &str| number(text).unwrap_or_else(|_| panic!("'{line}': {text}"));
    let words: Vec<&str> = line.split(' ').collect();
    match *words.as_slice() {
        ["free", slot] => Command::Free([Slot(number(slot))].into_iter().collect()),
        ["read", slot, "as", request] => {
            Command::Read { slot: Slot(number(slot)), request: RequestId(number(request)) }
        }
        ["sync", "as", request] => Command::Sync { request: RequestId(number(request)) },
        ["receive", tag] => {
            let (out, provenance) = (Slot(Slot::FIRST_COPY), Provenance::UNKNOWN);
            Command::Receive { out, tag: number(tag).into(), provenance }
        }
        ["wait", barrier] => Command::Wait { barrier: number(barrier).into() },
        ["send", slot, to, tag] => {
            let (from, to) = (Placement::on(WorkerId(0)), Placement::on(WorkerId(number(to))));
            let (out, slot) = (Slot(Slot::FIRST_COPY + 9), Slot(number(slot)));
            let (meta, tag) = (Meta::new(DType::F32, [2]), number(tag).into());
            Command::Move(Box::new(Move { out, slot, meta, from, to, tag }))
        }
        _ => Command::Apply(parse_instruction(line).unwrap_or_else(|error| panic!("{error}"))),
    }
}

/// The native engine, watched. Hyperbolic tangents make it panic.
struct Spy {
    native: Native,
    seen: Mutex<Vec<(String, bool)>>,
    whole: Option<&'static str>,
}

impl Takes for Spy {
    fn takes(&self, call: &Call) -> bool {
        Some(call.op.name) == self.whole
    }
}

impl Engine for Spy {
    type Value = gt_worker::value::Value;

    fn name(&self) -> &'static str {
        "spy"
    }

    fn pool(&self) -> &Arc<Pool> {
        self.native.pool()
    }

    fn upload(&self, meta: Meta, data: Bytes) -> Result<Self::Value> {
        self.native.upload(meta, data)
    }

    fn run(&self, kernel: &Kernel, mut inputs: Operands, outputs: &[Meta]) -> Result<Results> {
        let given_away = match inputs.first_mut() {
            Some(Operand::Tensor(value)) => value.is_unique(),
            _ => false,
        };
        let seen = (format!("{kernel:?}"), given_away);
        self.seen.lock().expect("nobody panics with it").push(seen);
        assert!(*kernel != Kernel::Map(UnaryFn::Tanh), "not today");
        self.native.run(kernel, inputs, outputs)
    }

    fn run_whole(
        &self,
        op: &'static Op,
        _: &Attrs,
        _: Operands,
        outputs: &[Meta],
    ) -> Result<Results> {
        self.seen.lock().expect("nobody panics with it").push((op.name.to_string(), false));
        self.native.run(&Kernel::Fill(0.0.into()), Operands::new(), outputs)
    }
}
