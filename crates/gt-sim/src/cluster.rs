//! The whole wire: clients, the gateway, workers and the data plane as they are between processes,
//! with connections that break, processes that end, and values that travel apart from messages.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use gt_core::WorkerId;
use gt_dispatcher::Dispatcher;
use gt_dispatcher::gateway::{ConnectionId, Delivery, Gateway, Timeouts};
use gt_dispatcher::role::{Credentials, Identity, Role};
use gt_dispatcher::session::Reach;
use gt_dispatcher::tickets::Tickets;
use gt_native::Native;
use gt_transport::codec::Limits;
use gt_transport::reliable::{Heard, ReliableChannel, open_unsequenced, unsequenced};
use gt_transport::ticket::{Address, Secret};
use gt_transport::transfers::{self, Event};
use gt_transport::{Message, Peer};
use gt_worker::Told;
use gt_worker::buffer::Pool;

use crate::client::Client;
use crate::data_network::DataNetwork;
use crate::dice::Dice;
use crate::script::Saying;

use self::calls::{Call, Calls};
use self::clients::ClientProcess;
pub use self::defect::Defect;
pub use self::faults::Faults;
use self::workers::WorkerProcess;

mod calls;
mod clients;
mod defect;
mod faults;
mod misfortune;
mod workers;

const MEMORY_BYTES: usize = 1 << 30;
/// Time passes so many times faster for everybody than it does otherwise: a seed that waits for
/// somebody silent takes no longer than it must.
const HASTE: u32 = 4;
/// How often everybody says that they are there.
const HEARTBEAT_MS: u64 = 1000 / HASTE as u64;
/// How long dispatchers hold commands back. A verdict is sent at once and may overtake commands
/// that are held back for long.
const HOLDS_NS: [u64; 3] = [0, 5_000_000, 500_000_000];
const OWN: Credentials = Credentials {
    reach: Reach::Local,
    address: None,
    identity: Identity::User(1000),
    role: Some(Role::Both),
};

/// What is on its way between the gateway and somebody.
#[derive(Default)]
struct Control {
    up: VecDeque<Vec<Bytes>>,
    down: VecDeque<Vec<Bytes>>,
    /// Until when nothing comes over it.
    delayed_until: u64,
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
    /// Those that the operator wants to be free.
    drained: BTreeSet<WorkerId>,
    /// The data plane.
    pub data: DataNetwork,
    limits: transfers::Limits,
    /// How long the dispatcher joins commands that nobody waits for.
    hold_ns: u64,
    engine: Arc<Native>,
    /// The memory of the workers.
    pool: Arc<Pool>,
    client_pool: Arc<Pool>,
}

/// A dispatcher without clients and workers, behind its gateway.
fn gateway(secret: Secret, hold_ns: u64) -> Gateway {
    let tickets = Tickets::new(secret.clone(), Some(Address::default()));
    let dispatcher = Dispatcher::new().checking().between_processes(tickets).holding(hold_ns);
    let Timeouts { closed_ns, silent_ns, suspect_ns, worker_ns } = Timeouts::default();
    let [closed_ns, silent_ns, suspect_ns, worker_ns] =
        [closed_ns, silent_ns, suspect_ns, worker_ns].map(|ns| ns / u64::from(HASTE));
    let timeouts = Timeouts { closed_ns, silent_ns, suspect_ns, worker_ns };
    Gateway::new(dispatcher, secret, timeouts)
}

/// The message in these parts, unless it was heard before.
fn open(channel: &mut ReliableChannel, parts: Vec<Bytes>) -> Option<Message> {
    let message = open_unsequenced(&parts, &Limits::CONTROL).expect("a message");
    message.or_else(|| match channel.hear(parts, &Limits::CONTROL).expect("the next one") {
        Heard::New(message) => Some(message),
        Heard::Known => None,
    })
}

/// What transfers may cost and take here.
fn limits(eager: usize) -> transfers::Limits {
    let usual = transfers::Limits::default();
    transfers::Limits {
        chunk: 1000,
        eager,
        least_bytes: 2000,
        silence: usual.silence / HASTE,
        connect: usual.connect / HASTE,
        retry: usual.retry / HASTE,
        give_up: usual.give_up / HASTE,
        ticket_wait: usual.ticket_wait / HASTE,
        ..usual
    }
}

impl Cluster {
    /// Workers that are registered and clients that are welcome.
    pub fn new(seed: u64, workers: usize, clients: usize, faults: Faults) -> Cluster {
        let (pool, client_pool) =
            (Pool::patterned(faults.memory_bytes, 0xFF), Pool::patterned(MEMORY_BYTES, 0xFF));
        let engine = Arc::new(Native::new(pool.clone(), 1).expect("it needs no threads"));
        let mut dice = Dice::new(seed);
        let limits = limits(*dice.choose(&[0, 1000]));
        let hold_ns = *dice.choose(&HOLDS_NS);
        let mut cluster = Cluster {
            dice,
            now_ms: 0,
            ticked_ms: 0,
            faults,
            gateway: gateway(Secret::known(7), hold_ns),
            controls: BTreeMap::new(),
            next_connection: 0,
            clients: Vec::new(),
            workers: BTreeMap::new(),
            drained: BTreeSet::new(),
            data: DataNetwork::new(faults.ways),
            limits,
            hold_ns,
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

    /// How many bytes the values on workers take.
    pub fn worker_bytes(&self) -> usize {
        self.pool.used_bytes()
    }

    /// Nothing goes wrong any more.
    pub fn calm(&mut self) {
        let Faults { ways, memory_bytes, defect, .. } = self.faults;
        self.faults = Faults { ways, memory_bytes, defect, ..Faults::NONE };
    }

    fn now_ns(&self) -> u64 {
        self.now_ms * 1_000_000
    }

    fn connect(&mut self) -> u64 {
        self.next_connection += 1;
        self.controls.insert(self.next_connection, Control::default());
        self.next_connection
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
        if self.gateway.flush_at_ns().is_some_and(|at_ns| at_ns <= self.now_ns()) {
            let mut out = Vec::new();
            self.gateway.flush(self.now_ns(), &mut out);
            self.push_down(out);
        }
        if self.now_ms < self.ticked_ms + HEARTBEAT_MS {
            return;
        }
        self.ticked_ms = self.now_ms;
        let mut out = Vec::new();
        self.gateway.tick(self.now_ns(), &mut out);
        self.push_down(out);
        let is_there = |client: &&ClientProcess| {
            client.runs(self.now_ms) && !client.is_returning && !client.has_left
        };
        let there = self.clients.iter().filter(is_there);
        let there = there.filter_map(|c| Some((c.connection?, c.channel.received())));
        let workers = self.workers.iter().filter(|(_, worker)| worker.runs(self.now_ms));
        let workers = workers.map(|(id, worker)| (*id, worker.channel.received()));
        for (connection, received) in there.chain(workers).collect::<Vec<_>>() {
            let heartbeat = Message::Heartbeat { received, used_bytes: 0 };
            self.push_up(connection, unsequenced(&heartbeat));
        }
    }

    /// Whether something can arrive over a connection: at the gateway, or at somebody.
    fn arrives(&self, connection: u64, control: &Control) -> (bool, bool) {
        let is_stopped = match self.workers.get(&connection) {
            Some(worker) => !worker.runs(self.now_ms),
            None => self
                .clients
                .iter()
                .any(|client| client.connection == Some(connection) && !client.runs(self.now_ms)),
        };
        let is_delayed = control.delayed_until > self.now_ms;
        (
            !control.up.is_empty() && !is_delayed,
            !control.down.is_empty() && !is_delayed && !is_stopped,
        )
    }

    /// A message arrives, at the gateway or at somebody.
    fn exchange(&mut self) {
        let busy = self.controls.iter().map(|(id, control)| (*id, self.arrives(*id, control)));
        let busy: Vec<_> = busy.filter(|(_, (up, down))| *up || *down).collect();
        if busy.is_empty() {
            return;
        }
        let &(connection, (up, down)) = self.dice.choose(&busy);
        let is_up = !down || (up && self.dice.once_in(2));
        let control = self.controls.get_mut(&connection).expect("just listed");
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
                Call::Away(peer, is_away) => machine.set_away(peer, is_away),
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
