//! The gateway: the border between connections and the dispatcher.
//!
//! It maps connections to peers (clients and workers), admits new ones, resumes sessions by their
//! token, numbers and confirms messages of each peer's reliable channel, declares silent peers
//! suspect or lost, and delivers events to observers. The dispatcher behind it knows sessions and
//! workers, never connections.
//!
//! The gateway does no IO and reads no clock. [`serve`](crate::serve) brings what arrived with the
//! time of its arrival, and sends the [`Delivery`]s that come back, in order. So the simulator can
//! cut any connection between any two bytes and replay it from a seed. Maps are ordered: the order
//! in which peers are dropped reaches messages and must repeat.
//!
//! Nothing a peer sends can end another one: what breaks the rules ends the session it is about
//! (`refuse`), and a panic in the dispatcher's step ends the peer whose message caused it.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use gt_core::{Error, SessionId, WorkerId};
use gt_transport::reliable::unsequenced;
use gt_transport::report::Traffic;
use gt_transport::share::UserId;
use gt_transport::ticket::Secret;
use gt_transport::{Message, Peer};

use self::observers::Observers;
use self::peer_state::PeerState;
use self::questions::Questions;
use self::shared_encoder::SharedEncoder;
use crate::dispatcher::Dispatcher;
use crate::load::Health;
use crate::outbox::Outbox;
use crate::policy::Policy;
use crate::role::{Credentials, Identity};

mod access;
mod admit;
mod observers;
mod operate;
mod peer_state;
mod questions;
mod shared_encoder;
mod sight;
mod status;
mod timeouts;

pub use timeouts::Timeouts;

/// The number of a connection. Numbers are never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConnectionId(pub u64);

/// If the clock advances by more between two ticks, the server itself was stopped (SIGSTOP, a
/// suspended machine), so peers are not charged with the silence.
const PAUSE_NS: u64 = 2_000_000_000;

/// What the gateway wants done with connections.
#[derive(Debug, PartialEq)]
pub enum Delivery {
    /// Send these parts.
    Send(ConnectionId, Vec<Bytes>),
    /// Forget this connection: its peer is gone or refused.
    Forget(ConnectionId),
}

/// All peers, and the dispatcher that serves them.
#[derive(Debug)]
pub struct Gateway {
    dispatcher: Dispatcher,
    connections: BTreeMap<ConnectionId, Peer>,
    clients: BTreeMap<SessionId, PeerState>,
    workers: BTreeMap<WorkerId, PeerState>,
    sessions_opened: u64,
    workers_registered: u32,
    secret: Secret,
    timeouts: Timeouts,
    most_sessions: usize,
    most_workers: usize,
    /// When the clock was last looked at.
    checked_ns: u64,
    traffic: Traffic,
    observers: Observers,
    /// The identity that opened each session.
    owners: BTreeMap<SessionId, Identity>,
    questions: Questions,
    policy: Policy,
    /// The numbers by which workers know users.
    users: BTreeMap<Identity, UserId>,
    /// The names of users in reports.
    names: BTreeMap<Identity, String>,
    paused: BTreeSet<SessionId>,
    /// Whether new sessions are refused.
    is_drained: bool,
}

impl Gateway {
    /// A gateway without connections.
    pub fn new(dispatcher: Dispatcher, secret: Secret, timeouts: Timeouts) -> Self {
        Gateway {
            dispatcher,
            connections: BTreeMap::new(),
            clients: BTreeMap::new(),
            workers: BTreeMap::new(),
            sessions_opened: 0,
            workers_registered: 0,
            secret,
            timeouts,
            most_sessions: 1 << 14,
            most_workers: 1 << 12,
            checked_ns: 0,
            traffic: Traffic::default(),
            observers: Observers::default(),
            owners: BTreeMap::new(),
            questions: Questions::default(),
            policy: Policy::default(),
            users: BTreeMap::new(),
            names: BTreeMap::new(),
            paused: BTreeSet::new(),
            is_drained: false,
        }
    }

    /// Handles a message that arrived over a connection.
    pub fn hear(
        &mut self,
        now_ns: u64,
        connection: ConnectionId,
        credentials: Credentials,
        parts: Vec<Bytes>,
        out: &mut Vec<Delivery>,
    ) {
        self.count(&parts);
        let Some(&peer) = self.connections.get(&connection) else {
            return self.admit(now_ns, connection, credentials, &parts, out);
        };
        let Some(state) = self.state(peer) else { return };
        state.heard_ns = now_ns;
        if let Peer::Worker(worker) = peer {
            self.dispatcher.set_health(worker, Health::Well);
        }
        let Some(state) = self.state(peer) else { return };
        match state.listen(parts) {
            Ok(Some(Message::StatusRequest)) => {
                self.send_status(now_ns, connection, credentials, out);
            }
            Ok(Some(Message::Heartbeat { used_bytes, .. })) => {
                if let Peer::Worker(worker) = peer {
                    self.dispatcher.note_memory(worker, used_bytes);
                }
            }
            Ok(Some(Message::Channels(channels))) if matches!(peer, Peer::Worker(_)) => {
                if let Peer::Worker(worker) = peer {
                    self.dispatcher.note_channels(worker, channels);
                }
            }
            Ok(Some(Message::Observe { messages, .. })) => {
                self.observe_session(now_ns, peer, messages, out);
            }
            Ok(Some(Message::Bye)) if matches!(peer, Peer::Worker(_)) => {
                self.drop_worker(now_ns, peer, "left", out);
            }
            Ok(Some(Message::Bye)) => {
                self.step(now_ns, peer, Message::Bye, out);
                if !self.is_observed(peer) {
                    self.disconnect(peer, out);
                }
            }
            Ok(Some(message)) => {
                if let Message::Commands { batch, .. } = &message {
                    self.traffic.commands += batch.len() as u64;
                }
                self.step(now_ns, peer, message, out);
            }
            Ok(None) => {}
            Err(error) => self.refuse(now_ns, peer, error, out),
        }
        let used_bytes = match peer {
            Peer::Client(session) => self.dispatcher.used_bytes(session),
            Peer::Worker(_) | Peer::Relay => 0,
        };
        if let Some(state) = self.state(peer) {
            out.extend(state.confirm_in_time(used_bytes));
        }
    }

    /// A connection was closed.
    pub fn gone(&mut self, now_ns: u64, connection: ConnectionId, out: &mut Vec<Delivery>) {
        self.observers.watchers.remove(&connection);
        match self.connections.remove(&connection) {
            Some(peer @ Peer::Worker(_)) => self.drop_worker(now_ns, peer, "was lost", out),
            Some(Peer::Client(session)) => {
                if let Some(state) = self.clients.get_mut(&session) {
                    (state.connection, state.heard_ns) = (None, now_ns);
                }
            }
            Some(Peer::Relay) | None => {}
        }
    }

    /// Sends heartbeats to all peers, and checks for silent ones.
    pub fn tick(&mut self, now_ns: u64, out: &mut Vec<Delivery>) {
        self.check_silence(now_ns, out);
        for (&session, state) in &mut self.clients {
            out.extend(state.heartbeat(self.dispatcher.used_bytes(session)));
        }
        out.extend(self.workers.values_mut().filter_map(|state| state.heartbeat(0)));
    }

    /// Marks silent workers as suspect, and drops peers that were silent for too long.
    pub fn check_silence(&mut self, now_ns: u64, out: &mut Vec<Delivery>) {
        self.excuse_pause(now_ns);
        self.forget_observers(now_ns, out);
        let Timeouts { closed_ns, silent_ns, suspect_ns, worker_ns } = self.timeouts;
        let silence = |state: &PeerState| now_ns.saturating_sub(state.heard_ns);
        let over = |state: &PeerState| {
            silence(state) > if state.connection.is_some() { silent_ns } else { closed_ns }
        };
        let clients = self.clients.iter().filter(|(_, state)| over(state)).map(|(&id, _)| id);
        for session in clients.collect::<Vec<_>>() {
            let error = Error::Lost("the client was silent for too long".to_string());
            self.refuse(now_ns, Peer::Client(session), error, out);
        }
        self.tell_absences(now_ns, out);
        let workers = self.workers.iter().map(|(&id, state)| (id, silence(state)));
        for (worker, silence) in workers.collect::<Vec<_>>() {
            if silence >= worker_ns {
                self.drop_worker(now_ns, Peer::Worker(worker), "was silent for too long", out);
            } else if silence >= suspect_ns {
                self.dispatcher.set_health(worker, Health::Suspect);
            }
        }
    }

    /// If the server itself was stopped, messages that peers sent meanwhile are still unread: the
    /// pause does not count as their silence.
    fn excuse_pause(&mut self, now_ns: u64) {
        let pause = now_ns.saturating_sub(self.checked_ns);
        self.checked_ns = now_ns;
        if pause > PAUSE_NS {
            let states = self.clients.values_mut().chain(self.workers.values_mut());
            states.for_each(|state| state.heard_ns = now_ns.min(state.heard_ns + pause));
            self.observers.excuse_pause(pause);
        }
    }

    /// When the next commands that are held back are due.
    pub fn flush_at_ns(&self) -> Option<u64> {
        self.dispatcher.flush_at_ns()
    }

    /// Sends commands that are due.
    pub fn flush(&mut self, now_ns: u64, out: &mut Vec<Delivery>) {
        let mut outbox = Outbox::default();
        self.dispatcher.flush(now_ns, &mut outbox);
        self.deliver(now_ns, &mut outbox, out);
    }

    /// Ends all sessions and workers with the server.
    pub fn close(&mut self, now_ns: u64, out: &mut Vec<Delivery>) {
        let error = || Error::Lost("the server was stopped".to_string());
        for session in self.clients.keys().copied().collect::<Vec<_>>() {
            self.refuse(now_ns, Peer::Client(session), error(), out);
        }
        for state in self.workers.values() {
            let ended = Message::Ended { session: SessionId(0), error: error() };
            out.extend(
                state.connection.map(|connection| Delivery::Send(connection, unsequenced(&ended))),
            );
        }
    }

    /// Counters of messages and payloads, without those of the relay.
    pub fn traffic(&mut self) -> &mut Traffic {
        &mut self.traffic
    }

    /// Passes a message to the dispatcher. A panic ends the peer that sent it, and no other.
    fn step(&mut self, now_ns: u64, peer: Peer, message: Message, out: &mut Vec<Delivery>) {
        let mut outbox = Outbox::default();
        let dispatcher = &mut self.dispatcher;
        let step = AssertUnwindSafe(|| dispatcher.step(now_ns, peer, message, &mut outbox));
        let panicked = catch_unwind(step).is_err();
        self.deliver(now_ns, &mut outbox, out);
        if panicked {
            self.refuse(now_ns, peer, Error::bug("the dispatcher panicked"), out);
        }
    }

    /// Ends a peer that broke the rules or is gone.
    fn refuse(&mut self, now_ns: u64, peer: Peer, error: Error, out: &mut Vec<Delivery>) {
        match peer {
            Peer::Client(session) => {
                self.traffic.refused += 1;
                let mut outbox = Outbox::default();
                self.dispatcher.close(now_ns, session, error, &mut outbox);
                self.deliver(now_ns, &mut outbox, out);
                self.disconnect(peer, out);
            }
            Peer::Worker(_) => {
                self.traffic.refused += 1;
                self.drop_worker(now_ns, peer, "broke the rules", out);
            }
            Peer::Relay => {}
        }
    }

    fn drop_worker(&mut self, now_ns: u64, peer: Peer, why: &str, out: &mut Vec<Delivery>) {
        let Peer::Worker(worker) = peer else { return };
        self.disconnect(peer, out);
        let mut outbox = Outbox::default();
        self.dispatcher.lose(now_ns, worker, why, &mut outbox);
        self.deliver(now_ns, &mut outbox, out);
    }

    /// Sends what the dispatcher wants sent. The channel of a peer without a connection keeps it
    /// for later. If a message cannot be encoded, its session ends.
    fn deliver(&mut self, now_ns: u64, outbox: &mut Outbox, out: &mut Vec<Delivery>) {
        let (mut unsaid, mut encoder) = (Vec::new(), SharedEncoder::default());
        for (to, message) in outbox.drain() {
            let used_bytes = match (to, &message) {
                // A client that synchronised may ask next how much memory that took.
                (Peer::Client(session), Message::Answer { .. }) => {
                    Some(self.dispatcher.used_bytes(session))
                }
                _ => None,
            };
            let Some(state) = self.state(to) else { continue };
            out.extend(used_bytes.and_then(|used_bytes| state.tell_memory(used_bytes)));
            let ended = matches!(message, Message::Ended { .. });
            match (state.channel.say_encoded(encoder.encode(&message)), state.connection) {
                (Ok(parts), Some(connection)) => out.push(Delivery::Send(connection, parts)),
                (Ok(_), None) => {}
                // The last message needs no sequence number.
                (Err(_), connection) if ended => {
                    out.extend(
                        connection
                            .map(|connection| Delivery::Send(connection, unsequenced(&message))),
                    );
                }
                (Err(error), _) => unsaid.push((session_of(to, &message), to, error)),
            }
            if ended {
                self.disconnect(to, out);
            }
        }
        for (session, to, error) in unsaid {
            self.refuse(now_ns, session.map_or(to, Peer::Client), error, out);
        }
    }

    fn disconnect(&mut self, peer: Peer, out: &mut Vec<Delivery>) {
        let state = match peer {
            Peer::Client(session) => {
                self.paused.remove(&session);
                self.clients.remove(&session)
            }
            Peer::Worker(worker) => self.workers.remove(&worker),
            Peer::Relay => None,
        };
        if let Some(connection) = state.and_then(|state| state.connection) {
            self.connections.remove(&connection);
            out.push(Delivery::Forget(connection));
        }
    }

    fn state(&mut self, peer: Peer) -> Option<&mut PeerState> {
        match peer {
            Peer::Client(session) => self.clients.get_mut(&session),
            Peer::Worker(worker) => self.workers.get_mut(&worker),
            Peer::Relay => None,
        }
    }

    fn count(&mut self, parts: &[Bytes]) {
        self.traffic.messages += 1;
        for payload in parts.iter().skip(2) {
            self.traffic.payloads += 1;
            let largest = &mut self.traffic.largest_payload;
            *largest = (*largest).max(payload.len() as u64);
        }
    }
}

/// The session that a message is about.
fn session_of(to: Peer, message: &Message) -> Option<SessionId> {
    match (to, message) {
        (Peer::Client(session), _) => Some(session),
        (_, Message::Commands { session, .. } | Message::Handover { session, .. }) => {
            Some(*session)
        }
        (_, Message::Ticket(ticket)) => Some(ticket.session),
        _ => None,
    }
}
