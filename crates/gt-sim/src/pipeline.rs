//! Layers on workers one after another, in simulated time: the dispatcher and the workers as they
//! are, devices that take as long as plans are estimated to, and values that take their time to
//! arrive. The client trains with several micro-batches to a step, forward and backward by turns.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use gt_core::instruction::Command;
use gt_core::placement::Wish;
use gt_core::text::parse_instruction;
use gt_core::{RequestId, ScopeId, SessionId, Slot, WorkerId};
use gt_dispatcher::{Dispatcher, Outbox};
use gt_transport::hello::Hello;
use gt_transport::{Batch, Message, Peer};
use gt_worker::agenda::{Agenda, Beside};
use gt_worker::buffer::Pool;
use gt_worker::engine::null::Null;
use gt_worker::plan::Work;
use gt_worker::{Action, Executor, Told, Window, Worker};

const SESSION: SessionId = SessionId(1);
/// How long a message takes.
const MESSAGE_NS: u64 = 20_000;
/// How many bytes travel in a nanosecond.
const BYTES_PER_NS: u64 = 4;
const MEMORY_BYTES: usize = 1 << 32;
const BATCH: usize = 256;

/// What is trained.
#[derive(Clone, Debug)]
pub struct Training {
    /// For each stage how many layers it has: each stage is a worker.
    pub layers: Vec<usize>,
    /// The micro-batches of a step.
    pub micro_batches: usize,
    /// How many rows a micro-batch has, and how wide layers are.
    pub rows: usize,
    /// See there.
    pub width: usize,
}

/// Something that a worker was at.
#[derive(Clone, Copy, Debug)]
pub struct Busy {
    /// The worker.
    pub worker: usize,
    /// From when.
    pub begin_ns: u64,
    /// To when.
    pub end_ns: u64,
}

/// How a step went.
#[derive(Debug)]
pub struct Course {
    /// When it was over.
    pub end_ns: u64,
    /// What workers were at, in the order of their beginnings.
    pub busy: Vec<Busy>,
    /// The most bytes that each worker had in values besides its parameters and their gradients.
    pub activation_bytes: Vec<usize>,
}

impl Course {
    /// How much of the time each worker was at work.
    pub fn utilisation(&self) -> Vec<f64> {
        let mut busy_ns = vec![0; self.activation_bytes.len()];
        self.busy.iter().for_each(|busy| busy_ns[busy.worker] += busy.end_ns - busy.begin_ns);
        busy_ns.into_iter().map(|busy| busy as f64 / self.end_ns as f64).collect()
    }
}

impl Training {
    /// The bytes of a micro-batch between two layers.
    pub fn activation_bytes(&self) -> usize {
        4 * self.rows * self.width
    }

    /// The bytes of a layer.
    fn layer_bytes(&self) -> usize {
        4 * self.width * self.width
    }

    /// What the client says: parameters, then a step.
    fn commands(&self) -> Vec<Command> {
        let mut said = Said::default();
        for stage in 0..self.layers.len() as u32 {
            let (scope, name) = (ScopeId(stage + 1), format!("stage{stage}").into());
            let wish = Some(Wish::replicated([stage]));
            said.0.push(Command::DefineScope { scope, parent: ScopeId::ROOT, name, wish });
        }
        let Training { rows, width, .. } = self;
        let mut weights = Vec::new();
        let mut layers = Vec::new();
        for (stage, &count) in self.layers.iter().enumerate() {
            said.enter(stage);
            for _ in 0..count {
                layers.push(stage);
                weights.push(said.make(&format!("full shape=[{width}, {width}] fill_value=1.0")));
            }
        }
        let mut gradients: Vec<Option<u32>> = vec![None; weights.len()];
        for _ in 0..self.micro_batches {
            said.enter(0);
            let mut values =
                vec![said.make(&format!("full shape=[{rows}, {width}] fill_value=1.0"))];
            for (layer, weight) in weights.iter().enumerate() {
                said.enter(layers[layer]);
                let input = values[layer];
                values.push(said.make(&format!("matmul t{input} t{weight}")));
            }
            let mut back = said.make(&format!("exp t{}", values[weights.len()]));
            for (layer, weight) in weights.iter().enumerate().rev() {
                said.enter(layers[layer]);
                let across = said.make(&format!("transpose t{} dim0=0 dim1=1", values[layer]));
                let own = said.make(&format!("matmul t{across} t{back}"));
                let input = said.make(&format!("matmul t{back} t{weight}"));
                said.free(&[across, back, values[layer + 1]]);
                back = input;
                let placed = said.make(&format!("place_like t{own} t{weight}"));
                said.free(&[own]);
                gradients[layer] = Some(match gradients[layer] {
                    None => placed,
                    Some(sum) => {
                        let next = said.replace(&format!("add t{sum} t{placed}"), sum);
                        said.free(&[placed]);
                        next
                    }
                });
            }
            said.free(&[back, values[0]]);
        }
        said.0.push(Command::Sync { request: RequestId(1) });
        said.0
    }

    /// Runs it.
    pub fn run(&self) -> Course {
        let mut cluster = Cluster::new(self.layers.len());
        let mut batch = Batch::default();
        for command in self.commands() {
            batch.push(&command);
            if batch.len() >= BATCH {
                cluster.say(std::mem::take(&mut batch));
            }
        }
        cluster.say(batch);
        cluster.run();
        let kept = |stage: usize| self.layers[stage] * 2 * self.layer_bytes();
        let most = cluster.pools.iter().map(|pool| pool.peak_bytes()).enumerate();
        let activation_bytes = most.map(|(stage, most)| most.saturating_sub(kept(stage)));
        let activation_bytes = activation_bytes.collect();
        Course { end_ns: cluster.now_ns, busy: cluster.busy, activation_bytes }
    }
}

/// What a client says, with names for its values.
#[derive(Default)]
struct Said(Vec<Command>, Names);

#[derive(Default)]
struct Names {
    used: u32,
    free: Vec<u32>,
    scope: u32,
}

impl Said {
    fn enter(&mut self, stage: usize) {
        let scope = stage as u32 + 1;
        if std::mem::replace(&mut self.1.scope, scope) != scope {
            self.0.push(Command::Scope(ScopeId(scope)));
        }
    }

    fn make(&mut self, text: &str) -> u32 {
        let name = self.1.free.pop().unwrap_or_else(|| {
            self.1.used += 1;
            self.1.used - 1
        });
        let instruction = parse_instruction(&format!("t{name} := {text}"));
        self.0.push(Command::Apply(instruction.expect("an instruction")));
        name
    }

    fn replace(&mut self, text: &str, old: u32) -> u32 {
        let name = self.make(&format!("{text} replaces t{old}"));
        self.1.free.push(old);
        name
    }

    fn free(&mut self, names: &[u32]) {
        self.0.push(Command::Free(names.iter().map(|&name| Slot(name)).collect()));
        self.1.free.extend(names);
    }
}

/// Something that happens at a time.
enum Event {
    ToDispatcher(Peer, Message),
    ToWorker(usize, Message),
    Finished(usize),
}

struct Cluster {
    now_ns: u64,
    dispatcher: Dispatcher,
    workers: Vec<Worker>,
    executors: Vec<Executor>,
    agendas: Vec<Agenda>,
    pools: Vec<Arc<Pool>>,
    /// What came of the plan that each device is at.
    running: Vec<Option<(u64, gt_worker::Outcome)>>,
    events: BTreeMap<u64, Event>,
    times: BinaryHeap<Reverse<(u64, u64)>>,
    next_event: u64,
    busy: Vec<Busy>,
}

impl Cluster {
    fn new(workers: usize) -> Self {
        let pools: Vec<Arc<Pool>> = (0..workers).map(|_| Pool::new(MEMORY_BYTES)).collect();
        let engine = |worker: usize| Arc::new(Null(pools[worker].clone()));
        let mut dispatcher = Dispatcher::new();
        let mut out = Outbox::default();
        for worker in (0..workers as u32).map(WorkerId) {
            let register = Message::Register(Box::default());
            dispatcher.step(0, Peer::Worker(worker), register, &mut out);
        }
        let hello = Message::Hello(Hello::named("pipeline"));
        dispatcher.step(0, Peer::Client(SESSION), hello, &mut out);
        let worker =
            |index: usize| Worker::new(WorkerId(index as u32), Window::default(), engine(index));
        Cluster {
            now_ns: 0,
            dispatcher,
            workers: (0..workers).map(worker).collect(),
            executors: (0..workers).map(|index| Executor::new(engine(index))).collect(),
            agendas: (0..workers).map(|_| Agenda::default()).collect(),
            running: (0..workers).map(|_| None).collect(),
            pools,
            events: BTreeMap::new(),
            times: BinaryHeap::new(),
            next_event: 0,
            busy: Vec::new(),
        }
    }

    fn say(&mut self, batch: Batch) {
        let commands = Message::Commands { session: SESSION, batch: batch.into() };
        self.at(self.now_ns, Event::ToDispatcher(Peer::Client(SESSION), commands));
    }

    fn at(&mut self, at_ns: u64, event: Event) {
        self.times.push(Reverse((at_ns, self.next_event)));
        self.events.insert(self.next_event, event);
        self.next_event += 1;
    }

    fn run(&mut self) {
        while let Some(Reverse((at_ns, number))) = self.times.pop() {
            self.now_ns = at_ns;
            match self.events.remove(&number).expect("it was put there") {
                Event::ToDispatcher(from, message) => self.dispatch(from, message),
                Event::ToWorker(worker, message) => self.tell(worker, Told::Message(message)),
                Event::Finished(worker) => {
                    let (busy_ns, mut outcome) = self.running[worker].take().expect("it runs");
                    let session = outcome.session;
                    outcome.busy_ns = self.agendas[worker].settle_time(session, busy_ns);
                    self.agendas[worker].finish(session);
                    self.tell(worker, Told::Finished(outcome));
                }
            }
        }
    }

    fn dispatch(&mut self, from: Peer, message: Message) {
        let mut out = Outbox::default();
        self.dispatcher.step(self.now_ns, from, message, &mut out);
        for (to, message) in out.drain() {
            if let Message::Ended { error, .. } = &message {
                panic!("the session ended: {error}");
            }
            if let Peer::Worker(worker) = to {
                let at_ns = self.now_ns + MESSAGE_NS;
                self.at(at_ns, Event::ToWorker(worker.0 as usize, message));
            }
        }
    }

    fn tell(&mut self, worker: usize, told: Told) {
        let mut actions = Vec::new();
        self.workers[worker].step(told, &mut actions);
        for action in actions {
            match action {
                Action::Execute(work) => self.agendas[worker].push(work),
                Action::Send(Some(Peer::Worker(to)), message) => {
                    let bytes = match &message {
                        Message::Handover { result: Ok(data), .. } => data.len() as u64,
                        _ => 0,
                    };
                    let at_ns = self.now_ns + MESSAGE_NS + bytes / BYTES_PER_NS;
                    self.at(at_ns, Event::ToWorker(to.0 as usize, message));
                }
                Action::Send(_, message) => {
                    let from = Peer::Worker(WorkerId(worker as u32));
                    self.at(self.now_ns + MESSAGE_NS, Event::ToDispatcher(from, message));
                }
            }
        }
        self.begin(worker);
    }

    /// Begins what is due, if the device is free. Its values are made at once, and what came of it
    /// is known when its time is over.
    fn begin(&mut self, worker: usize) {
        while self.running[worker].is_none() {
            let Some(place) = self.agendas[worker].next(Beside::Nothing) else { return };
            let Some(work) = self.agendas[worker].take(place) else { return };
            let cost_ns = match &work {
                Work::Run(plan) => plan.cost_ns.max(1000),
                Work::Forget(_) => 0,
            };
            if let Some(outcome) = self.executors[worker].work(work) {
                let (begin_ns, end_ns) = (self.now_ns, self.now_ns + cost_ns);
                self.busy.push(Busy { worker, begin_ns, end_ns });
                self.running[worker] = Some((cost_ns, outcome));
                self.at(end_ns, Event::Finished(worker));
            }
        }
    }
}
