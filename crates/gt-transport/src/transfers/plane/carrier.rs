//! The thread of the data plane: it waits for sockets, lets the machine decide, and does what it
//! wants done.

use std::collections::{BTreeMap, HashMap};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Instant;

use super::connection::{Asked, Broken, Connection, Open, Phase};
use super::{Command, Shared, drain};
use crate::Peer;
use crate::report::ChannelTraffic;
use crate::ticket::Route;
use crate::transfers::handshake::Handshake;
use crate::transfers::key::Key;
use crate::transfers::limits::Limits;
use crate::transfers::listener::{Listener, Source};
use crate::transfers::machine::{Action, ConnectionId, Event, Transfers};
use crate::transfers::system;

/// How often time passes for the machine while something is under way, and otherwise.
const TICK_MS: u64 = 25;
const IDLE_MS: u64 = 1000;
/// How long nobody is accepted after the system had no descriptor for somebody.
const ACCEPT_PAUSE_MS: u64 = 50;

/// Everything that the thread has.
pub(super) struct Carrier {
    pub machine: Transfers,
    pub limits: Limits,
    listeners: Vec<Listener>,
    accept_at: u64,
    woken: UnixStream,
    pub shared: Arc<Shared>,
    told: Box<dyn Fn(Event) + Send>,
    pub own: Option<Peer>,
    pub key: Option<Key>,
    pub routes: HashMap<Peer, Route>,
    pub connections: BTreeMap<ConnectionId, Connection>,
    pub next_connection: u64,
    /// What travelled over connections that have ended.
    traffic: BTreeMap<Peer, ChannelTraffic>,
    pub start: Instant,
}

impl Carrier {
    pub fn new(
        machine: Transfers,
        limits: Limits,
        listeners: Vec<Listener>,
        woken: UnixStream,
        shared: Arc<Shared>,
        told: Box<dyn Fn(Event) + Send>,
    ) -> Carrier {
        let (own, key, routes, connections, traffic) = Default::default();
        Carrier {
            machine,
            limits,
            listeners,
            accept_at: 0,
            woken,
            shared,
            told,
            own,
            key,
            routes,
            connections,
            next_connection: 0,
            traffic,
            start: Instant::now(),
        }
    }

    pub fn run(mut self) {
        let mut ticked = 0;
        loop {
            let commands = std::mem::take(&mut *self.shared.commands.lock());
            for command in commands {
                if matches!(command, Command::Close) {
                    return;
                }
                self.obey(command);
            }
            let now = self.now();
            if now >= ticked + TICK_MS {
                ticked = now;
                self.machine.tick(now);
                self.send_away(now);
                self.count();
            }
            self.act();
            self.write_all();
            self.act();
            let timeout = if self.is_busy() { TICK_MS } else { IDLE_MS };
            self.wait(timeout);
        }
    }

    pub fn now(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    fn is_busy(&self) -> bool {
        let is_waiting = |c: &Connection| !matches!(c.phase, Phase::Open(_) | Phase::Spliced(_));
        self.machine.is_busy() || self.connections.values().any(is_waiting)
    }

    fn obey(&mut self, command: Command) {
        let now = self.now();
        match command {
            Command::Identify(own, key) => (self.own, self.key) = (Some(own), key),
            Command::Ticket(ticket, buffer) => {
                let route = self.routes.entry(ticket.peer).or_default();
                if ticket.route.direct.is_some() {
                    route.direct.clone_from(&ticket.route.direct);
                }
                if ticket.route.relay.is_some() {
                    route.relay.clone_from(&ticket.route.relay);
                }
                self.machine.take_ticket(now, &ticket, buffer);
            }
            Command::Send(tag, data) => self.machine.send(tag, data),
            Command::Cancel(tag) => self.machine.cancel(now, tag),
            Command::Forget(session) => {
                self.machine.forget(now, session);
                self.routes.remove(&Peer::Client(session));
                self.act();
                self.traffic.remove(&Peer::Client(session));
            }
            Command::Away(peer, is_away) => self.machine.set_away(peer, is_away),
            Command::CutOff(is_cut_off) => self.machine.set_cut_off(is_cut_off),
            Command::Connected { peer, via, attempt, socket } => match socket {
                Ok(socket) => self.begin(peer, via, attempt, socket),
                Err(error) => self.machine.unreachable(now, peer, attempt, &error.to_string()),
            },
            Command::Close => {}
        }
    }

    /// Does what the machine wants done.
    fn act(&mut self) {
        for action in self.machine.actions() {
            match action {
                Action::Connect { peer, via, attempt } => self.connect(peer, via, attempt),
                Action::Close(id) => self.drop_connection(id),
                Action::Tell(event) => (self.told)(event),
            }
        }
    }

    fn accept(&mut self, at: usize) {
        loop {
            match self.listeners[at].accept() {
                Ok(Some((socket, Some(source)))) => {
                    if self.admit(source) {
                        self.add(socket, Some(source), None, Handshake::listen());
                    }
                }
                Ok(Some((_, None))) => {}
                Ok(None) => return,
                Err(_) => {
                    // Most likely there is no descriptor left; some may be freed in a moment.
                    self.accept_at = self.now() + ACCEPT_PAUSE_MS;
                    return;
                }
            }
        }
    }

    /// Makes room for somebody. If there are too many strangers the oldest goes, and first of all
    /// one from where the new one comes; those who have shown a key stay. If there are too many of
    /// these, nobody else is let in.
    fn admit(&mut self, source: Source) -> bool {
        let (strangers, others): (Vec<_>, Vec<_>) =
            self.connections.values().filter(|c| c.source.is_some()).partition(|c| c.is_stranger());
        if others.len() >= self.limits.connections {
            return false;
        }
        let of_one = strangers.iter().filter(|stranger| stranger.source == Some(source));
        let of_one: Vec<ConnectionId> = of_one.map(|stranger| stranger.id).collect();
        let leaves = if of_one.len() >= self.limits.strangers_of_one {
            of_one.first().copied()
        } else if strangers.len() >= self.limits.strangers {
            strangers.first().map(|stranger| stranger.id)
        } else {
            None
        };
        leaves.into_iter().for_each(|oldest| self.drop_connection(oldest));
        true
    }

    /// Whoever takes too long to say who it is, or waits for somebody who does not come, leaves.
    fn send_away(&mut self, now: u64) {
        let patience = self.limits.handshake.as_millis() as u64;
        let late = |c: &&Connection| {
            let is_waiting = !matches!(c.phase, Phase::Open(_) | Phase::Spliced(_));
            let is_direct = c.asked.is_some_and(|asked| !asked.by_relay);
            is_waiting && now - c.opened >= if is_direct { patience / 3 } else { patience }
        };
        let late: Vec<ConnectionId> =
            self.connections.values().filter(late).map(|c| c.id).collect();
        for id in late {
            self.lose(id, "the other side did not answer in time");
        }
    }

    fn wait(&mut self, timeout_ms: u64) {
        let mut sockets = vec![(self.woken.as_raw_fd(), true, false)];
        let accepts = self.now() >= self.accept_at;
        sockets.extend(self.listeners.iter().map(|listener| (listener.fd(), accepts, false)));
        let ids: Vec<ConnectionId> = self.connections.keys().copied().collect();
        let interests: Vec<(RawFd, bool, bool)> =
            self.connections.values().map(|connection| self.interest(connection)).collect();
        sockets.extend(interests);
        let ready = system::poll(&sockets, timeout_ms);
        if ready[0] {
            drain(&self.woken);
        }
        for at in 0..self.listeners.len() {
            if ready[1 + at] {
                self.accept(at);
            }
        }
        let first = 1 + self.listeners.len();
        for (id, is_ready) in ids.into_iter().zip(&ready[first..]) {
            if *is_ready {
                self.hear(id);
            }
        }
    }

    fn interest(&self, connection: &Connection) -> (RawFd, bool, bool) {
        let (reads, writes) = match &connection.phase {
            Phase::Open(open) => (true, open.has_output(connection.id, &self.machine)),
            Phase::Spliced(other) => (self.has_room(*other), false),
            _ => (true, false),
        };
        (connection.socket.fd(), reads, writes || !connection.raw.is_empty())
    }

    /// Something came over a connection, or it has room, or it has ended.
    fn hear(&mut self, id: ConnectionId) {
        let now = self.now();
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let heard = match &mut connection.phase {
            Phase::Open(open) => open.read(now, id, &connection.socket, &mut self.machine),
            Phase::Spliced(other) => {
                let other = *other;
                self.pass_on(id, other)
            }
            _ => self.greet(id),
        };
        if let Err(Broken(why)) = heard {
            self.lose(id, &why);
        }
        self.act();
    }

    fn write_all(&mut self) {
        let now = self.now();
        let mut broken = Vec::new();
        for (id, connection) in &mut self.connections {
            let mut write = || -> Result<(), Broken> {
                while !connection.raw.is_empty() {
                    let count = connection.socket.write(&connection.raw, None)?;
                    if count == 0 {
                        return Ok(());
                    }
                    connection.raw.drain(..count);
                }
                match &mut connection.phase {
                    Phase::Open(open) => {
                        open.write(now, *id, &connection.socket, &mut self.machine)
                    }
                    _ => Ok(()),
                }
            };
            if let Err(Broken(why)) = write() {
                broken.push((*id, why));
            }
        }
        broken.into_iter().for_each(|(id, why)| self.lose(id, &why));
    }

    /// A connection cannot go on; whoever it matters to is told.
    pub fn lose(&mut self, id: ConnectionId, why: &str) {
        let now = self.now();
        let Some(connection) = self.connections.get(&id) else { return };
        match (&connection.phase, connection.asked) {
            (Phase::Open(_), _) => self.machine.lost(now, id, why),
            (_, Some(Asked { peer, attempt, .. })) => {
                self.machine.unreachable(now, peer, attempt, why);
            }
            _ => {}
        }
        self.drop_connection(id);
    }

    fn drop_connection(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.remove(&id) else { return };
        connection.socket.shutdown();
        match connection.phase {
            Phase::Open(open) => add(&mut self.traffic, &open),
            Phase::Spliced(other) => self.drop_connection(other),
            _ => {}
        }
    }

    /// Writes down what has travelled, for whoever asks.
    fn count(&mut self) {
        let mut traffic = self.traffic.clone();
        for connection in self.connections.values() {
            if let Phase::Open(open) = &connection.phase {
                add(&mut traffic, open);
            }
        }
        *self.shared.traffic.lock() = traffic.into_values().collect();
    }
}

impl Connection {
    fn is_stranger(&self) -> bool {
        matches!(self.phase, Phase::Handshake(_))
    }
}

fn add(traffic: &mut BTreeMap<Peer, ChannelTraffic>, open: &Open) {
    let Open { peer, road, .. } = *open;
    let entry = ChannelTraffic::new(peer, road);
    let entry = traffic.entry(open.peer).or_insert(entry);
    entry.road = open.road;
    entry.bytes_in += open.reader.chunk_bytes;
    entry.bytes_out += open.bytes_out;
    entry.timed_bytes += open.speed.timed_bytes;
    entry.timed_ns += open.speed.timed_ns;
}
