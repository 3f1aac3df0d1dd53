//! The dispatcher's only IO: sockets for clients and workers, the relay, the monitor, and the
//! clock.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gt_core::event::EventSink;
use gt_core::{Error, Result};
use gt_transport::priority::take_short_turns;
use gt_transport::stop::Stop;
use gt_transport::ticket::Secret;
use gt_transport::transfers::{DataPlane, PlaneOptions};
use gt_transport::{Message, Peer};
use gt_zmq::{Arrival, Context, IpcAccess, PeerId, Publisher, Router, TcpSecurity};
use tracing::{debug, info};

use crate::arrivals::{Arrivals, Kind};
use crate::dispatcher::Dispatcher;
use crate::gateway::{ConnectionId, Delivery, Gateway};
use crate::policy::PolicyUpdate;
use crate::role::{Credentials, Groups, Roles};
use crate::tickets::Tickets;

mod admission;
mod options;
mod room;

pub use options::{Local, Options};
use room::{Leftovers, most_descriptors};

/// How often time passes for the gateway.
const TICK: Duration = Duration::from_secs(1);
/// How often it looks who is silent.
const LOOK: Duration = Duration::from_millis(250);
/// How long commands that nobody waits for are joined, if they are too few to be worth a message.
const HOLD_NS: u64 = 5_000_000;
/// Messages of one peer that may wait to be heard.
const WAITING: u32 = 128;
/// Bytes that may wait to leave for a client; one that does not take them in is hung up on.
const MOST_WAITING_BYTES: u64 = 48 << 20;
/// Events are shown together, after so long …
const SHOW_NS: u64 = 10_000_000;
/// … or when there are so many.
const MANY_EVENTS: usize = 1 << 12;
/// How long what is to be sent waits for what else may go with it.
const TOGETHER_NS: u64 = 100_000;
/// Hearing a message of more bytes takes longer than sending: what is ready to be sent goes first.
const LONG_BYTES: usize = 4 << 10;
/// Messages that are heard before the clock is looked at again.
const BURST: usize = 256;
/// Messages that are taken in before they are heard. The rest stays with those who send it.
const TAKEN_IN: usize = 256;

/// A dispatcher that listens.
pub struct Server {
    router: Router,
    publisher: Option<Publisher>,
    relay: Arc<DataPlane>,
    gateway: Gateway,
    sink: Option<Box<dyn EventSink>>,
    published_ns: u64,
    tcp: Option<String>,
    start: Instant,
    peers: HashMap<ConnectionId, PeerId>,
    connections: HashMap<PeerId, (ConnectionId, Credentials)>,
    next_connection: u64,
    arrivals: Arrivals<PeerId, (Arrival, Acquaintance)>,
    late: Late,
    roles: Roles,
    policy: PolicyUpdate,
    /// How many descriptors there may be before nobody more is admitted.
    most_descriptors: u64,
    leftovers: Leftovers,
}

/// Whether somebody has spoken before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Acquaintance {
    Known,
    Stranger,
}

/// Connections that did not keep up or went away while something was sent to them.
type Late = Vec<ConnectionId>;

impl Server {
    /// Starts to listen.
    pub fn open(options: Options) -> Result<Server> {
        let Options { local, tcp, relay, advertise, timeouts, sink, policy } = options;
        take_short_turns();
        let context = Context::new().map_err(cannot_listen)?;
        // Whoever is silent is the gateway's business, as long as the connection stands. Clients
        // and workers keep pace by credits, so that a queue only has to outlast a burst.
        let bounds = gt_zmq::Options {
            heartbeat_timeout: Duration::from_nanos(timeouts.silent_ns.saturating_mul(2)),
            send_high_water: 1 << 17,
            receive_high_water: WAITING,
            ..Default::default()
        };
        let mut router = Router::new(&context, &bounds).map_err(cannot_listen)?;
        let mut publisher = None;
        if let Some(local) = &local {
            router.bind_ipc(&local.control, local.access).map_err(cannot_listen)?;
            let mut monitor =
                Publisher::new(&context, &Default::default()).map_err(cannot_listen)?;
            monitor.bind_ipc(&local.monitor, local.access).map_err(cannot_listen)?;
            publisher = Some(monitor);
        }
        let roles = Roles {
            groups: local.as_ref().map_or(Groups::default(), |local| local.groups),
            keys: tcp.as_ref().and_then(|(_, security)| match security {
                TcpSecurity::Curve { allowed, .. } => Some(allowed.clone()),
                TcpSecurity::Insecure => None,
            }),
            applied: 0,
        };
        let tcp = tcp.map(|(address, security)| router.bind_tcp(&address, security));
        let tcp = tcp.transpose().map_err(cannot_listen)?;
        let allowed_group = local.as_ref().and_then(|local| match local.access {
            IpcAccess::Group(group) => Some(group),
            IpcAccess::SameUser => None,
        });
        let unix = local.map(|local| local.relay);
        let relay =
            PlaneOptions { unix, allowed_group, tcp: relay, advertise, ..Default::default() };
        let relay = DataPlane::open(relay, |_| {})?;
        let secret = Secret::random();
        relay.identify(Peer::Relay, Some(secret.listener(Peer::Relay)));
        let tickets = Tickets::new(secret.clone(), Some(relay.address().clone()));
        let dispatcher = Dispatcher::new().between_processes(tickets).holding(HOLD_NS);
        let mut gateway = Gateway::new(dispatcher, secret, timeouts);
        if sink.is_some() {
            gateway.record_all();
        }
        let (peers, connections, late) = Default::default();
        let (start, published_ns, next_connection) = (Instant::now(), 0, 0);
        Ok(Server {
            router,
            publisher,
            relay,
            gateway,
            sink,
            published_ns,
            tcp,
            start,
            peers,
            connections,
            next_connection,
            arrivals: Arrivals::default(),
            late,
            roles,
            policy,
            most_descriptors: most_descriptors()?,
            leftovers: room::leftovers(),
        })
    }

    /// The TCP address on which it listens, with the port that was chosen.
    pub fn tcp(&self) -> Option<&str> {
        self.tcp.as_deref()
    }

    /// Serves until it is asked to stop; then every client and worker is told.
    pub fn run(mut self, stop: &Stop) -> Result<()> {
        self.read_policy();
        let (mut next_look, mut next_tick) = (Instant::now() + LOOK, Instant::now() + TICK);
        while !stop.is_stopped() {
            let held = self.gateway.flush_at_ns().map(|at_ns| at_ns.saturating_sub(self.now_ns()));
            let left = next_look.saturating_duration_since(Instant::now());
            let left = held.map_or(left, |held_ns| left.min(Duration::from_nanos(held_ns)));
            let is_told = self.gateway.waiting_events() == 0;
            let left = if is_told { left } else { left.min(Duration::from_nanos(SHOW_NS)) };
            let left = if self.arrivals.len() == 0 { left } else { Duration::ZERO };
            gt_zmq::wait(&[&self.router], &[stop.waker()], left).map_err(cannot_listen)?;
            self.hear_all()?;
            if self.gateway.flush_at_ns().is_some_and(|at_ns| at_ns <= self.now_ns()) {
                let mut out = Vec::new();
                self.gateway.flush(self.now_ns(), &mut out);
                self.send_all(out);
            }
            self.show_events_in_time();
            let now = Instant::now();
            if now >= next_look {
                self.read_policy();
                self.apply_changed_keys();
                let mut out = Vec::new();
                self.gateway.check_silence(self.now_ns(), &mut out);
                self.send_all(out);
                next_look = now + LOOK;
            }
            if now >= next_tick {
                self.tick();
                next_tick = now + TICK;
            }
        }
        let mut out = Vec::new();
        self.gateway.close(self.now_ns(), &mut out);
        self.send_all(out);
        self.show_events();
        self.sink.iter_mut().for_each(|sink| sink.flush());
        self.relay.close();
        Ok(())
    }

    /// Takes the policy that was left, if one was.
    fn read_policy(&mut self) {
        let Some(policy) = self.policy.take() else { return };
        let mut out = Vec::new();
        self.gateway.set_policy(self.now_ns(), policy, &mut out);
        self.send_all(out);
    }

    /// Takes in what has arrived, a while at a time. What follows from several messages is sent
    /// together, so that the thread that has the sockets is woken once for all of it.
    fn hear_all(&mut self) -> Result<()> {
        let (mut out, mut since_ns) = (Vec::new(), self.now_ns());
        for _ in 0..BURST {
            self.take_in()?;
            let Some((arrival, acquaintance)) = self.arrivals.next() else { break };
            let now_ns = self.now_ns();
            if now_ns - since_ns > TOGETHER_NS || bytes(&arrival) > LONG_BYTES {
                self.send_all(std::mem::take(&mut out));
                since_ns = now_ns;
            }
            let before = out.len();
            self.hear(now_ns, arrival, acquaintance, &mut out);
            // Whoever speaks after being forgotten is somebody who has just come.
            if out[before..].iter().any(|delivery| matches!(delivery, Delivery::Forget(_))) {
                self.send_all(std::mem::take(&mut out));
            }
        }
        self.send_all(out);
        Ok(())
    }

    /// Takes in what has arrived without hearing it, because whose turn it is depends on that.
    fn take_in(&mut self) -> Result<()> {
        while self.arrivals.len() < TAKEN_IN {
            let Some(arrival) = self.router.receive().map_err(cannot_listen)? else { break };
            let (Arrival::Message { from, .. } | Arrival::Gone { from }) = &arrival;
            let (from, bytes) = (from.clone(), bytes(&arrival));
            let acquaintance = match self.connections.contains_key(&from) {
                true => Acquaintance::Known,
                false => Acquaintance::Stranger,
            };
            // Who somebody is can be asked for as long as they are there.
            let (connection, _) = self.connection(&from);
            let is_worker = self.gateway.is_worker(connection);
            let kind = if is_worker { Kind::Worker } else { Kind::Client };
            self.arrivals.push(kind, from, bytes, (arrival, acquaintance));
        }
        Ok(())
    }

    fn hear(
        &mut self,
        now_ns: u64,
        arrival: Arrival,
        acquaintance: Acquaintance,
        out: &mut Vec<Delivery>,
    ) {
        match arrival {
            Arrival::Message { from, frames } => {
                let (connection, credentials) = self.connection(&from);
                let (number, frames_count) = (connection.0, frames.len());
                debug!(target: "gt::dispatcher", number, frames_count, "message");
                if acquaintance == Acquaintance::Known || self.has_room() {
                    self.gateway.hear(now_ns, connection, credentials, frames, out);
                } else {
                    self.gateway.turn_away(connection, self.crowded(), out);
                }
            }
            Arrival::Gone { from } => {
                let Some((connection, _)) = self.connections.remove(&from) else { return };
                self.peers.remove(&connection);
                debug!(target: "gt::dispatcher", connection = connection.0, "gone");
                self.gateway.gone(now_ns, connection, out);
            }
        }
    }

    /// Sends what the gateway wants sent. Whoever does not take it is gone, and what follows
    /// from that is sent as well; each round loses a connection, so this ends.
    fn send_all(&mut self, mut out: Vec<Delivery>) {
        loop {
            out.drain(..).for_each(|delivery| self.send(delivery));
            let late = std::mem::take(&mut self.late);
            if late.is_empty() {
                return;
            }
            for connection in late {
                if let Some(peer) = self.peers.remove(&connection) {
                    info!(target: "gt::dispatcher", connection = connection.0, "does not keep up");
                    self.connections.remove(&peer);
                    self.gateway.gone(self.now_ns(), connection, &mut out);
                }
            }
        }
    }

    fn send(&mut self, delivery: Delivery) {
        match delivery {
            Delivery::Send(connection, parts) => {
                let Some(peer) = self.peers.get(&connection) else { return };
                let is_full = !self.gateway.is_worker(connection)
                    && self.router.waiting_bytes(peer) > MOST_WAITING_BYTES;
                if is_full || self.router.send(peer, &parts).is_err() {
                    self.late.push(connection);
                }
            }
            // Whoever speaks there again is somebody who has just come.
            Delivery::Forget(connection) => {
                if let Some(peer) = self.peers.remove(&connection) {
                    self.connections.remove(&peer);
                }
            }
        }
    }

    fn tick(&mut self) {
        self.gateway.traffic().relayed_bytes = self.relay.relayed_bytes();
        let mut out = Vec::new();
        self.gateway.tick(self.now_ns(), &mut out);
        self.send_all(out);
        self.publish_report();
        self.leftovers.clear(self.gateway.held_bytes(), || {});
    }

    /// Tells those who watch how things are.
    fn publish_report(&mut self) {
        let now_ns = self.now_ns();
        let Some(publisher) = &mut self.publisher else { return };
        let report = Message::Report(Box::new(self.gateway.report(now_ns)));
        let frames = gt_transport::reliable::unsequenced(&report);
        // Nobody may be watching, and whoever is slow misses a report.
        let _ = publisher.publish(b"report", &frames);
    }

    /// Shows events to whoever is interested, when it is time.
    fn show_events_in_time(&mut self) {
        let now_ns = self.now_ns();
        let waiting = self.gateway.waiting_events();
        let is_late = now_ns.saturating_sub(self.published_ns) >= SHOW_NS;
        if waiting >= MANY_EVENTS || (waiting > 0 && is_late) {
            self.show_events();
        }
    }

    fn show_events(&mut self) {
        self.published_ns = self.now_ns();
        let mut out = Vec::new();
        let events = self.gateway.publish_events(self.published_ns, &mut out);
        self.send_all(out);
        if let (Some(sink), Some(events)) = (&mut self.sink, &events) {
            sink.take(events);
        }
    }

    fn now_ns(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }
}

fn bytes(arrival: &Arrival) -> usize {
    match arrival {
        Arrival::Message { frames, .. } => frames.iter().map(|frame| frame.len()).sum(),
        Arrival::Gone { .. } => 0,
    }
}

fn cannot_listen(error: gt_zmq::Error) -> Error {
    Error::runtime(format!("the server cannot listen: {error}"))
}
