//! The whole wire: clients, the gateway, workers and the data plane as they are between processes,
//! with connections that break, processes that end, and values that travel apart from messages.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use gt_core::SessionId;
use gt_dispatcher::Dispatcher;
use gt_dispatcher::gateway::{ConnectionId, Delivery, Gateway, Timeouts};
use gt_dispatcher::role::{Credentials, Identity, Role};
use gt_dispatcher::session::Reach;
use gt_dispatcher::tickets::Tickets;
use gt_transport::codec::Limits;
use gt_transport::hello::{Hello, Token};
use gt_transport::reliable::{Heard, ReliableChannel, open_unsequenced, unsequenced};
use gt_transport::ticket::{Address, Secret};
use gt_transport::transfers::{self, Event, Plain};
use gt_transport::{Message, Peer};
use gt_worker::Told;
use gt_worker::buffer::Pool;
use gt_worker::engine::native::Native;

use crate::client::Client;
use crate::data_network::{DataNetwork, Ways};
use crate::dice::Dice;
use crate::script::Saying;

use self::calls::{Call, Calls};
pub use self::defect::Defect;
use self::workers::WorkerProcess;

mod calls;
mod defect;
mod misfortune;
mod workers;

const MEMORY_BYTES: usize = 1 << 30;
const OWN: Credentials =
    Credentials { reach: Reach::Local, identity: Identity::User(1000), role: Some(Role::Both) };

/// What may go wrong, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// Connections for data that are cut at any byte.
    pub cuts: usize,
    /// Connections between a client and the dispatcher that break.
    pub breaks: usize,
    /// Workers that end; another one takes their place.
    pub crashes: usize,
    /// Dispatchers that end; another one takes their place.
    pub dispatcher_crashes: usize,
    /// Which ways there are for data.
    pub ways: Ways,
    /// How much memory all workers have together.
    pub memory_bytes: usize,
    /// A mistake that is made on purpose.
    pub defect: Option<Defect>,
}

impl Faults {
    /// Nothing goes wrong.
    pub const NONE: Faults = Faults {
        cuts: 0,
        breaks: 0,
        crashes: 0,
        dispatcher_crashes: 0,
        ways: Ways::Direct,
        memory_bytes: MEMORY_BYTES,
        defect: None,
    };
}

/// What is on its way between the gateway and somebody.
#[derive(Default)]
struct Control {
    up: VecDeque<Vec<Bytes>>,
    down: VecDeque<Vec<Bytes>>,
}

struct ClientProcess {
    client: Client,
    session: SessionId,
    token: Token,
    channel: ReliableChannel,
    connection: Option<u64>,
    /// It has shown its token and waits for the welcome.
    is_returning: bool,
    /// It has said goodbye.
    has_left: bool,
    transfers: gt_client::transfers::Transfers<Calls>,
}

/// Processes of a server, its workers and its clients.
pub struct Cluster {
    dice: Dice,
    now_ms: u64,
    ticked_ms: u64,
    faults: Faults,
    gateway: Gateway,
    controls: BTreeMap<u64, Control>,
    next_connection: u64,
    clients: Vec<ClientProcess>,
    workers: BTreeMap<u64, WorkerProcess>,
    /// The data plane.
    pub data: DataNetwork,
    limits: transfers::Limits,
    engine: Arc<Native>,
    /// The memory of the workers.
    pool: Arc<Pool>,
    client_pool: Arc<Pool>,
}

/// A dispatcher that knows nobody, behind its gateway.
fn gateway(secret: Secret) -> Gateway {
    let tickets = Tickets::new(secret.clone(), Some(Address::default()));
    let dispatcher = Dispatcher::new().between_processes(tickets);
    Gateway::new(dispatcher, secret, Timeouts::default())
}

impl Cluster {
    /// Workers that are registered and clients that are welcome.
    pub fn new(seed: u64, workers: usize, clients: usize, faults: Faults) -> Cluster {
        let (pool, client_pool) = (Pool::new(faults.memory_bytes), Pool::new(MEMORY_BYTES));
        let engine = Arc::new(Native::new(pool.clone(), 1).expect("it needs no threads"));
        let mut dice = Dice::new(seed);
        let eager = *dice.choose(&[0, 1000]);
        let limits = transfers::Limits { chunk: 1000, eager, ..Default::default() };
        let mut cluster = Cluster {
            dice,
            now_ms: 0,
            ticked_ms: 0,
            faults,
            gateway: gateway(Secret::known(7)),
            controls: BTreeMap::new(),
            next_connection: 0,
            clients: Vec::new(),
            workers: BTreeMap::new(),
            data: DataNetwork::new(faults.ways),
            limits,
            engine,
            pool,
            client_pool,
        };
        (0..workers).for_each(|_| cluster.add_worker());
        while cluster.workers.values().any(|worker| worker.id.is_none()) {
            cluster.exchange();
        }
        (0..clients).for_each(|_| cluster.add_client());
        cluster
    }

    /// Gives a client more to say.
    pub fn say(&mut self, client: usize, sayings: impl IntoIterator<Item = Saying>) {
        self.clients[client].client.continue_with(sayings);
    }

    /// A client, as far as it has heard.
    pub fn client(&self, client: usize) -> &Client {
        &self.clients[client].client
    }

    /// How many bytes the values of everybody take.
    pub fn used_bytes(&self) -> usize {
        self.pool.used_bytes() + self.client_pool.used_bytes()
    }

    /// Nothing goes wrong any more.
    pub fn calm(&mut self) {
        let Faults { ways, memory_bytes, defect, .. } = self.faults;
        self.faults = Faults { ways, memory_bytes, defect, ..Faults::NONE };
    }

    /// The processes of all clients end, after they have said goodbye.
    pub fn end_clients(&mut self) {
        for client in &mut self.clients {
            client.client.drop_answers();
            let calls = Calls::default();
            let pool = self.client_pool.clone();
            client.transfers = gt_client::transfers::Transfers::new(pool, calls);
            self.data.crash(self.now_ms, Peer::Client(client.session), &mut self.dice);
        }
    }

    fn now_ns(&self) -> u64 {
        self.now_ms * 1_000_000
    }

    fn connect(&mut self) -> u64 {
        self.next_connection += 1;
        self.controls.insert(self.next_connection, Control::default());
        self.next_connection
    }

    fn add_client(&mut self) {
        let connection = self.connect();
        let mut out = Vec::new();
        let hello = unsequenced(&Message::Hello(Hello::named("a client")));
        self.gateway.hear(self.now_ns(), ConnectionId(connection), OWN, hello, &mut out);
        // Workers hear of the session before its client does.
        let Some(Delivery::Send(_, parts)) = out.pop() else { panic!("no welcome") };
        self.push_down(out);
        let opened = open_unsequenced(&parts, &Limits::CONTROL);
        let Ok(Some(Message::Welcome(welcome))) = opened else { panic!("no welcome") };
        let (session, pool) = (welcome.session, self.client_pool.clone());
        self.data.add(self.now_ms, Peer::Client(session), self.limits.clone(), Arc::new(Plain));
        self.clients.push(ClientProcess {
            client: Client::new(session),
            session,
            token: welcome.token,
            channel: ReliableChannel::default(),
            connection: Some(connection),
            is_returning: false,
            has_left: false,
            transfers: gt_client::transfers::Transfers::new(pool, Calls::default()),
        });
    }

    fn push_up(&mut self, connection: u64, parts: Vec<Bytes>) {
        let control = self.controls.get_mut(&connection);
        control.into_iter().for_each(|control| control.up.push_back(parts.clone()));
    }

    fn push_down(&mut self, out: Vec<Delivery>) {
        for delivery in out {
            if let Delivery::Send(ConnectionId(connection), parts) = delivery
                && let Some(control) = self.controls.get_mut(&connection)
            {
                control.down.push_back(parts);
            }
        }
    }

    /// Lets something happen.
    pub fn step(&mut self) {
        match self.dice.below(16) {
            0 => self.pass(),
            1 | 2 => self.speak(),
            3..=6 => self.exchange(),
            7 | 8 => self.execute(),
            9..=11 => self.data.write_some(self.now_ms, &mut self.dice),
            12..=14 => self.data.read_some(self.now_ms, &mut self.dice),
            _ => self.misfortune(),
        }
        for (peer, event) in self.data.act(self.now_ms, &mut self.dice) {
            self.hear_transfer(peer, event);
        }
    }

    /// Time passes.
    fn pass(&mut self) {
        self.now_ms += 1 + self.dice.below(10) as u64;
        self.data.tick(self.now_ms, &mut self.dice);
        if self.now_ms < self.ticked_ms + 1000 {
            return;
        }
        self.ticked_ms = self.now_ms;
        let mut out = Vec::new();
        self.gateway.tick(self.now_ns(), &mut out);
        self.push_down(out);
        let there = self.clients.iter().filter(|client| !client.is_returning && !client.has_left);
        let there = there.filter_map(|c| Some((c.connection?, c.channel.received())));
        let workers = self.workers.iter().map(|(id, w)| (*id, w.channel.received()));
        for (connection, received) in there.chain(workers).collect::<Vec<_>>() {
            let heartbeat = Message::Heartbeat { received, used_bytes: 0 };
            self.push_up(connection, unsequenced(&heartbeat));
        }
    }

    fn speak(&mut self) {
        let all = 0..self.clients.len();
        let able: Vec<usize> = all.filter(|&at| self.clients[at].client.can_speak()).collect();
        if able.is_empty() {
            return;
        }
        let index = *self.dice.choose(&able);
        for mut message in self.clients[index].client.speak(&mut self.dice) {
            let process = &mut self.clients[index];
            if let Message::Commands { batch, .. } = &mut message {
                process.transfers.unload(Arc::make_mut(batch));
            }
            process.has_left |= message == Message::Bye;
            let parts = process.channel.say(&message).expect("it fits");
            if let (Some(connection), false) = (process.connection, process.is_returning) {
                self.push_up(connection, parts);
            }
        }
    }

    /// A message arrives, at the gateway or at somebody.
    fn exchange(&mut self) {
        let busy = self.controls.iter().filter(|(_, c)| !c.up.is_empty() || !c.down.is_empty());
        let busy: Vec<u64> = busy.map(|(id, _)| *id).collect();
        if busy.is_empty() {
            return;
        }
        let connection = *self.dice.choose(&busy);
        let control = self.controls.get_mut(&connection).expect("just listed");
        let is_up = control.down.is_empty() || (!control.up.is_empty() && self.dice.once_in(2));
        let queue = if is_up { &mut control.up } else { &mut control.down };
        let parts = queue.pop_front().expect("one of them has something");
        if is_up {
            let (now_ns, mut out) = (self.now_ns(), Vec::new());
            self.gateway.hear(now_ns, ConnectionId(connection), OWN, parts, &mut out);
            return self.push_down(out);
        }
        if self.workers.contains_key(&connection) {
            return self.worker_hears(connection, parts);
        }
        let is_it = |process: &ClientProcess| process.connection == Some(connection);
        if let Some(index) = self.clients.iter().position(is_it) {
            self.client_hears(index, parts);
        }
    }

    fn client_hears(&mut self, index: usize, parts: Vec<Bytes>) {
        let process = &mut self.clients[index];
        if process.has_left && !process.is_returning {
            return;
        }
        let message = match open_unsequenced(&parts, &Limits::CONTROL).expect("a message") {
            Some(message) => message,
            None => match process.channel.hear(parts, &Limits::CONTROL).expect("the next one") {
                Heard::New(message) => message,
                Heard::Known => return,
            },
        };
        match message {
            Message::Heartbeat { received, .. } => {
                process.channel.confirm(received).expect("what was said");
            }
            Message::Welcome(welcome) => {
                process.is_returning = false;
                let again: Vec<_> =
                    process.channel.repeat(welcome.received).expect("it is kept").collect();
                let connection = process.connection.expect("it is heard over one");
                again.into_iter().for_each(|parts| self.push_up(connection, parts));
            }
            Message::Ticket(ticket) => {
                let answered = process.transfers.take_ticket(*ticket);
                assert!(answered.is_none(), "there is memory for what is read: {answered:?}");
            }
            // Whoever is nobody to the gateway any more is told without a name.
            Message::Ended { error, .. } => {
                let session = process.session;
                process.client.hear(Message::Ended { session, error });
            }
            message => {
                let is_news = match &message {
                    Message::Answer { request, .. } => process.transfers.answered(*request),
                    _ => true,
                };
                if is_news {
                    process.client.hear(message);
                }
            }
        }
        let calls = std::mem::take(&mut self.clients[index].transfers.carrier);
        self.call(Peer::Client(self.clients[index].session), calls);
    }

    /// The machine of a process hears what its data plane was told.
    fn call(&mut self, peer: Peer, calls: Calls) {
        let (now, calls) = (self.now_ms, self.by_credit(peer, calls));
        let Some(machine) = self.data.machine(peer) else { return };
        for call in calls.0 {
            match call {
                Call::Ticket(ticket, buffer) => machine.take_ticket(now, &ticket, buffer),
                Call::Send(tag, data) => machine.send(tag, data),
                Call::Cancel(tag) => machine.cancel(now, tag),
                Call::Forget(session) => machine.forget(now, session),
            }
        }
    }

    fn hear_transfer(&mut self, peer: Peer, event: Event) {
        match peer {
            Peer::Client(session) => {
                let is_it = |process: &&mut ClientProcess| process.session == session;
                let process = self.clients.iter_mut().find(is_it).expect("a client of ours");
                if let Some(answered) = process.transfers.ended(event) {
                    process.client.hear(answered.into_message(session));
                }
            }
            Peer::Worker(worker) => {
                let mut workers = self.workers.iter_mut();
                let Some((&connection, process)) = workers.find(|(_, w)| w.id == Some(worker))
                else {
                    return;
                };
                process.credit.iter_mut().for_each(|credit| credit.ended(&event));
                if let Some(handover) = process.transfers.ended(event) {
                    self.step_worker(connection, Told::Message(handover));
                }
                self.call_of_worker(connection);
            }
            Peer::Relay => {}
        }
    }
}
