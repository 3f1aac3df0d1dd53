//! A cluster in simulated time: the dispatcher and the workers as they are, devices that take as
//! long as plans are estimated to, and values that take their time to arrive.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use gt_core::{SessionId, WorkerId};
use gt_dispatcher::{Dispatcher, Outbox};
use gt_transport::hello::Hello;
use gt_transport::{Batch, Message, Peer};
use gt_worker::agenda::Agenda;
use gt_worker::buffer::Pool;
use gt_worker::engine::null::Null;
use gt_worker::plan::Work;
use gt_worker::{Action, Executor, Told, Window, Worker};

/// How long a message takes.
const MESSAGE_NS: u64 = 20_000;
/// How many bytes travel in a nanosecond.
const BYTES_PER_NS: u64 = 4;
const MEMORY_BYTES: usize = 1 << 32;

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

/// Something that happens at a time.
enum Event {
    ToDispatcher(Peer, Message),
    ToClient(SessionId, Message),
    ToWorker(usize, Message),
    Finished(usize),
}

/// A dispatcher and workers in simulated time.
pub(crate) struct Cluster {
    pub now_ns: u64,
    dispatcher: Dispatcher,
    workers: Vec<Worker>,
    executors: Vec<Executor>,
    agendas: Vec<Agenda>,
    pub pools: Vec<Arc<Pool>>,
    /// How many times longer each worker takes than is estimated.
    slowness: Vec<u64>,
    /// What came of the plan that each device is at.
    running: Vec<Option<(u64, gt_worker::Outcome)>>,
    events: BTreeMap<u64, Event>,
    times: BinaryHeap<Reverse<(u64, u64)>>,
    next_event: u64,
    pub busy: Vec<Busy>,
}

impl Cluster {
    /// Workers, each with how many times longer it takes than is estimated.
    pub fn new(slowness: &[u64]) -> Self {
        let workers = slowness.len();
        let pools: Vec<Arc<Pool>> = (0..workers).map(|_| Pool::new(MEMORY_BYTES)).collect();
        let engine = |worker: usize| Arc::new(Null(pools[worker].clone()));
        let mut dispatcher = Dispatcher::new().checking();
        let mut out = Outbox::default();
        for worker in (0..workers as u32).map(WorkerId) {
            let register = Message::Register(Box::default());
            dispatcher.step(0, Peer::Worker(worker), register, &mut out);
        }
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
            slowness: slowness.to_vec(),
            events: BTreeMap::new(),
            times: BinaryHeap::new(),
            next_event: 0,
            busy: Vec::new(),
        }
    }

    /// Opens a session, which has so many workers; gives which ones.
    pub fn open(&mut self, session: SessionId, workers: Option<u32>) -> Vec<WorkerId> {
        let hello = Hello { workers, ..Hello::named("a client") };
        self.dispatch(Peer::Client(session), Message::Hello(hello));
        self.dispatcher.session(session).expect("just opened").workers().collect()
    }

    /// A client says something.
    pub fn say(&mut self, session: SessionId, batch: Batch) {
        let commands = Message::Commands { session, batch: batch.into() };
        self.at(self.now_ns, Event::ToDispatcher(Peer::Client(session), commands));
    }

    fn at(&mut self, at_ns: u64, event: Event) {
        self.times.push(Reverse((at_ns, self.next_event)));
        self.events.insert(self.next_event, event);
        self.next_event += 1;
    }

    /// Lets the next thing happen, if there is one; gives what a client hears by it.
    pub fn step(&mut self) -> Option<Option<(SessionId, Message)>> {
        let Reverse((at_ns, number)) = self.times.pop()?;
        self.now_ns = at_ns;
        match self.events.remove(&number).expect("it was put there") {
            Event::ToDispatcher(from, message) => self.dispatch(from, message),
            Event::ToClient(session, message) => return Some(Some((session, message))),
            Event::ToWorker(worker, message) => self.tell(worker, Told::Message(message)),
            Event::Finished(worker) => {
                let (busy_ns, mut outcome) = self.running[worker].take().expect("it runs");
                let session = outcome.session;
                outcome.busy_ns = self.agendas[worker].settle_time(session, busy_ns);
                self.agendas[worker].finish(session);
                self.tell(worker, Told::Finished(outcome));
            }
        }
        Some(None)
    }

    fn dispatch(&mut self, from: Peer, message: Message) {
        let mut out = Outbox::default();
        self.dispatcher.step(self.now_ns, from, message, &mut out);
        for (to, message) in out.drain() {
            if let Message::Ended { error, .. } = &message {
                panic!("the session ended: {error}");
            }
            let event = match to {
                Peer::Worker(worker) => Event::ToWorker(worker.0 as usize, message),
                Peer::Client(session) => Event::ToClient(session, message),
                Peer::Relay => continue,
            };
            self.at(self.now_ns + MESSAGE_NS, event);
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
            let Some(place) = self.agendas[worker].next() else { return };
            let Some(work) = self.agendas[worker].take(place) else { return };
            let cost_ns = match &work {
                Work::Run(plan) => plan.cost_ns.max(1000) * self.slowness[worker],
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
