//! The machines, the links between them, and the dice that decide what happens next.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use gt_core::{SessionId, WorkerId};
use gt_dispatcher::{Dispatcher, Outbox};
use gt_native::Native;
use gt_transport::codec::{self, Limits};
use gt_transport::hello::Hello;
use gt_transport::{Message, Peer};
use gt_worker::buffer::Pool;
use gt_worker::plan::Work;
use gt_worker::{Action, Executor, Outcome, Told, Window, Worker};

use crate::client::Client;
use crate::dice::Dice;
use crate::script::Saying;

/// More than any program of a test needs.
const MEMORY_BYTES: usize = 1 << 30;

/// Time passes in steps up to this, so that workers are at times busy and at times not.
const LONGEST_STEP_NS: usize = 50_000;

/// What a simulation is made of.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Decides everything that is left open.
    pub seed: u64,
    /// How many clients.
    pub clients: usize,
    /// How many workers.
    pub workers: usize,
    /// How much of a queue a worker plans at once.
    pub window: Window,
    /// How long a plan takes at most.
    pub busy_ns: usize,
}

/// Clients, a dispatcher and workers. Messages of one link arrive in order; nothing else is sure.
pub struct Simulation {
    dice: Dice,
    now_ns: u64,
    clients: Vec<Client>,
    dispatcher: Dispatcher,
    workers: Vec<Worker>,
    /// What each worker's executor has to do.
    waiting: Vec<VecDeque<Work>>,
    executors: Vec<Executor>,
    busy_ns: usize,
    pool: Arc<Pool>,
    links: BTreeMap<(Node, Node), VecDeque<Message>>,
    /// How quick each event is, drawn when it is first met: some links are slow all the time.
    paces: BTreeMap<Event, u64>,
    /// See [`Simulation::fingerprint`].
    fingerprint: u64,
}

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Node {
    Client(usize),
    Dispatcher,
    Worker(usize),
}

/// Something that can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The first message of a link arrives.
    Deliver(Node, Node),
    /// An executor does the next thing.
    Finish(usize),
    /// A client goes on.
    Speak(usize),
}

impl Simulation {
    /// Workers that are ready and clients that have said hello, and nothing else yet.
    pub fn new(settings: Settings) -> Self {
        let Settings { seed, clients, workers, window, busy_ns } = settings;
        let pool = Pool::patterned(MEMORY_BYTES, 0xFF);
        let engine = Arc::new(Native::new(pool.clone(), 1).expect("it needs no threads"));
        let executor = |_| Executor::new(engine.clone());
        let ids = || (0..workers as u32).map(WorkerId);
        let mut dispatcher = Dispatcher::new().checking();
        for id in ids() {
            dispatcher.step(
                0,
                Peer::Worker(id),
                Message::Register(Box::default()),
                &mut Outbox::default(),
            );
        }
        let session = |index: usize| SessionId(index as u64 + 1);
        // Some have no memory for what is not needed yet, whatever others have.
        let worker = |id: WorkerId| {
            let mut worker = Worker::new(id, window, engine.clone());
            worker.leave_room(if (seed >> id.0) & 1 == 1 { 0 } else { u64::MAX });
            worker
        };
        let mut simulation = Simulation {
            dice: Dice::new(seed),
            now_ns: 0,
            clients: (0..clients).map(|index| Client::new(session(index))).collect(),
            dispatcher,
            workers: ids().map(worker).collect(),
            waiting: ids().map(|_| VecDeque::new()).collect(),
            executors: ids().map(executor).collect(),
            busy_ns,
            pool,
            links: BTreeMap::new(),
            paces: BTreeMap::new(),
            fingerprint: 0,
        };
        for index in 0..clients {
            let hello = Message::Hello(Hello::named(format!("client {index}")));
            simulation.send(Node::Client(index), Node::Dispatcher, hello);
        }
        simulation
    }

    /// Gives a client more to say.
    pub fn say(&mut self, client: usize, sayings: impl IntoIterator<Item = Saying>) {
        self.clients[client].continue_with(sayings);
    }

    /// A client, as far as it has heard.
    pub fn client(&self, client: usize) -> &Client {
        &self.clients[client]
    }

    /// A worker.
    pub fn worker(&self, worker: usize) -> &Worker {
        &self.workers[worker]
    }

    /// The dispatcher.
    pub fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    /// The operator wants a worker to be free; says whether there is somebody else.
    pub fn drain(&mut self, worker: usize) -> bool {
        let mut outbox = Outbox::default();
        let id = WorkerId(worker as u32);
        let is_drained = self.dispatcher.drain(self.now_ns, id, &mut outbox).is_ok();
        for (to, message) in outbox.drain() {
            self.send(Node::Dispatcher, self.node(to), message);
        }
        is_drained
    }

    /// The operator takes it back.
    pub fn undrain(&mut self, worker: usize) {
        self.dispatcher.undrain(WorkerId(worker as u32)).expect("the worker is there");
    }

    /// A number that depends on every byte that the dispatcher has sent, in order. A change of its
    /// structure that is to change nothing else leaves it as it is for every seed.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// How many values of all clients a worker has.
    pub fn values_on(&self, worker: usize) -> usize {
        let holdings = |client: &Client| self.executors[worker].holdings(client.id()).len();
        self.clients.iter().map(holdings).sum()
    }

    /// Lets the clients drop their answers, which share memory with workers as within a process.
    pub fn drop_answers(&mut self) {
        self.clients.iter_mut().for_each(Client::drop_answers);
    }

    /// How many bytes the values on all workers and the answers of all clients take.
    pub fn used_bytes(&self) -> usize {
        self.pool.used_bytes()
    }

    /// Lets things happen until nothing can.
    pub fn run_to_quiet(&mut self) {
        while self.step() {}
    }

    /// Lets one thing happen; gives whether there was any.
    pub fn step(&mut self) -> bool {
        let events = self.events();
        if events.is_empty() {
            return false;
        }
        let dice = &mut self.dice;
        let mut pace = |event: &Event| {
            *self.paces.entry(*event).or_insert_with(|| *dice.choose(&[1, 4, 4, 16]))
        };
        let paces: Vec<u64> = events.iter().map(&mut pace).collect();
        let event = events[self.dice.weigh(&paces)];
        self.now_ns += self.dice.below(LONGEST_STEP_NS) as u64;
        self.happen(event);
        true
    }

    fn events(&self) -> Vec<Event> {
        let links = self.links.iter().filter(|(_, waiting)| !waiting.is_empty());
        let deliveries = links.map(|(&(from, to), _)| Event::Deliver(from, to));
        let running = (0..self.workers.len()).filter(|&worker| !self.waiting[worker].is_empty());
        let speaking = (0..self.clients.len()).filter(|&client| self.clients[client].can_speak());
        deliveries.chain(running.map(Event::Finish)).chain(speaking.map(Event::Speak)).collect()
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Speak(client) => {
                for message in self.clients[client].speak(&mut self.dice) {
                    self.send(Node::Client(client), Node::Dispatcher, message);
                }
            }
            Event::Finish(worker) => {
                let work = self.waiting[worker].pop_front().expect("only what waits is finished");
                if let Some(outcome) = self.executors[worker].work(work) {
                    let busy_ns = self.dice.below(self.busy_ns + 1) as u64;
                    self.tell(worker, Told::Finished(Outcome { busy_ns, ..outcome }));
                }
            }
            Event::Deliver(from, to) => {
                let link = self.links.get_mut(&(from, to)).expect("only known links deliver");
                let message = link.pop_front().expect("only links with messages deliver");
                self.deliver(from, to, message);
            }
        }
    }

    fn deliver(&mut self, from: Node, to: Node, message: Message) {
        match to {
            Node::Client(client) => self.clients[client].hear(message),
            Node::Worker(worker) => self.tell(worker, Told::Message(message)),
            Node::Dispatcher => {
                let from = match from {
                    Node::Client(client) => Peer::Client(self.clients[client].id()),
                    Node::Worker(worker) => Peer::Worker(WorkerId(worker as u32)),
                    Node::Dispatcher => unreachable!("the dispatcher does not write to itself"),
                };
                let mut outbox = Outbox::default();
                self.dispatcher.step(self.now_ns, from, message, &mut outbox);
                for (to, message) in outbox.drain() {
                    self.send(Node::Dispatcher, self.node(to), message);
                }
            }
        }
    }

    fn tell(&mut self, worker: usize, told: Told) {
        let mut actions = Vec::new();
        self.workers[worker].step(told, &mut actions);
        for action in actions {
            match action {
                Action::Execute(work) => {
                    let session = work.session();
                    self.waiting[worker].push_back(work);
                    // What comes too late for a session that is forgotten begins anew.
                    let is_end = |work: &&Work| matches!(work, Work::Forget(of) if *of == session);
                    let later = self.waiting[worker].iter().rev().take_while(|it| !is_end(it));
                    let is_plan = |work: &&Work| matches!(work, Work::Run(_));
                    let plans = later.filter(|it| is_plan(it) && it.session() == session).count();
                    assert!(plans <= 2, "worker {worker} has {plans} plans of {session}");
                }
                Action::Send(to, message) => {
                    let to = to.map_or(Node::Dispatcher, |peer| self.node(peer));
                    self.send(Node::Worker(worker), to, message);
                }
            }
        }
    }

    fn node(&self, peer: Peer) -> Node {
        match peer {
            Peer::Worker(id) => Node::Worker(id.0 as usize),
            Peer::Relay => unreachable!("nothing travels apart from messages here"),
            Peer::Client(id) => {
                let found = self.clients.iter().position(|client| client.id() == id);
                Node::Client(found.expect("a message is for somebody"))
            }
        }
    }

    /// Puts a message on a link. Some travel as bytes, as they do between processes.
    fn send(&mut self, from: Node, to: Node, message: Message) {
        if from == Node::Dispatcher {
            let mut hasher = DefaultHasher::new();
            (self.fingerprint, to).hash(&mut hasher);
            let frames = codec::encode(&message);
            (frames.head, frames.payloads).hash(&mut hasher);
            self.fingerprint = hasher.finish();
        }
        let message = if self.dice.once_in(4) { as_decoded(message) } else { message };
        self.links.entry((from, to)).or_default().push_back(message);
    }
}

/// The message after a way over a wire. What no wire would carry stays as it is: whoever gets it
/// must refuse it too.
fn as_decoded(message: Message) -> Message {
    codec::decode(codec::encode(&message), &Limits::default()).unwrap_or(message)
}
