//! The front desk: which connection belongs to whom, who is silent, who may come back. It does no
//! IO; whoever has the sockets brings what arrived, and takes away what is to be sent.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use gt_core::event::Ring;
use gt_core::wire::SOME;
use gt_core::{Error, SessionId, WorkerId};
use gt_transport::conversation::aside;
use gt_transport::report::{Report, SessionReport, Traffic, WorkerReport};
use gt_transport::ticket::Secret;
use gt_transport::{Message, Peer};

use self::seat::Seat;
use crate::dispatcher::Dispatcher;
use crate::load::Health;
use crate::outbox::Outbox;
use crate::role::Credentials;
use crate::roster::Member;

mod admit;
mod seat;

/// A connection, as whoever has the sockets numbers them. A number is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Line(pub u64);

/// How long somebody may be away.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// A client whose connection was closed and who did not say goodbye.
    pub closed_ns: u64,
    /// A client that is connected and silent.
    pub silent_ns: u64,
    /// A worker that is connected and silent, before nothing more is sent to it …
    pub suspect_ns: u64,
    /// … and before it is given up.
    pub worker_ns: u64,
}

impl Default for Patience {
    fn default() -> Self {
        const SECOND: u64 = 1_000_000_000;
        Patience {
            closed_ns: 4 * SECOND,
            silent_ns: 600 * SECOND,
            suspect_ns: 5 * SECOND,
            worker_ns: 6 * SECOND,
        }
    }
}

/// Between two looks at the clock others may be silent for so long. If it is longer, the dispatcher
/// itself was stopped, and nobody else is to blame.
const PAUSE_NS: u64 = 2_000_000_000;

/// What whoever has the sockets is to do.
#[derive(Debug, PartialEq)]
pub enum Delivery {
    /// Send these parts.
    Send(Line, Vec<Bytes>),
    /// Tell the relay.
    Relay(Message),
    /// Nobody speaks over this connection any more.
    Forget(Line),
}

/// Everybody who is there, and the dispatcher behind the desk.
#[derive(Debug)]
pub struct Front {
    dispatcher: Dispatcher,
    guests: HashMap<Line, Peer>,
    clients: HashMap<SessionId, Seat>,
    workers: HashMap<WorkerId, Seat>,
    sessions_opened: u64,
    workers_enlisted: u32,
    secret: Secret,
    patience: Patience,
    most_sessions: usize,
    most_workers: usize,
    /// When the clock was last looked at.
    checked_ns: u64,
    traffic: Traffic,
}

impl Front {
    /// A desk without guests.
    pub fn new(dispatcher: Dispatcher, secret: Secret, patience: Patience) -> Self {
        Front {
            dispatcher,
            guests: HashMap::new(),
            clients: HashMap::new(),
            workers: HashMap::new(),
            sessions_opened: 0,
            workers_enlisted: 0,
            secret,
            patience,
            most_sessions: 1 << 14,
            most_workers: 1 << 12,
            checked_ns: 0,
            traffic: Traffic::default(),
        }
    }

    /// Takes in what arrived over a connection.
    pub fn hear(
        &mut self,
        now_ns: u64,
        line: Line,
        credentials: Credentials,
        parts: Vec<Bytes>,
        out: &mut Vec<Delivery>,
    ) {
        self.count(&parts);
        let Some(&peer) = self.guests.get(&line) else {
            return self.admit(now_ns, line, credentials, &parts, out);
        };
        let Some(seat) = self.seat(peer) else { return };
        seat.heard_ns = now_ns;
        if let Peer::Worker(worker) = peer {
            self.dispatcher.set_health(worker, Health::Well);
        }
        let Some(seat) = self.seat(peer) else { return };
        match seat.listen(parts) {
            Ok(Some(Message::Inquire)) => self.answer_inquiry(now_ns, line, out),
            Ok(Some(Message::Beat { used_bytes, .. })) => {
                if let Peer::Worker(worker) = peer {
                    self.dispatcher.note_memory(worker, used_bytes);
                }
            }
            Ok(Some(Message::Bye)) if matches!(peer, Peer::Worker(_)) => {
                self.drop_worker(now_ns, peer, "left", out);
            }
            Ok(Some(Message::Bye)) => {
                self.step(now_ns, peer, Message::Bye, out);
                self.unseat(peer, out);
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
        if let Some(seat) = self.seat(peer) {
            out.extend(seat.confirm_in_time(used_bytes));
        }
    }

    /// A connection was closed.
    pub fn gone(&mut self, now_ns: u64, line: Line, out: &mut Vec<Delivery>) {
        match self.guests.remove(&line) {
            Some(peer @ Peer::Worker(_)) => self.drop_worker(now_ns, peer, "was lost", out),
            Some(Peer::Client(session)) => {
                if let Some(seat) = self.clients.get_mut(&session) {
                    (seat.line, seat.heard_ns) = (None, now_ns);
                }
            }
            Some(Peer::Relay) | None => {}
        }
    }

    /// Time has passed: tells everybody that the dispatcher is there, and gives up who is not.
    pub fn tick(&mut self, now_ns: u64, out: &mut Vec<Delivery>) {
        self.check_silence(now_ns, out);
        for (&session, seat) in &mut self.clients {
            out.extend(seat.beat(self.dispatcher.used_bytes(session)));
        }
        out.extend(self.workers.values_mut().filter_map(|seat| seat.beat(0)));
    }

    /// Time has passed: suspects workers that are silent, and gives up who is gone.
    pub fn check_silence(&mut self, now_ns: u64, out: &mut Vec<Delivery>) {
        self.excuse_pause(now_ns);
        let Patience { closed_ns, silent_ns, suspect_ns, worker_ns } = self.patience;
        let over = |seat: &Seat| {
            let patience = if seat.line.is_some() { silent_ns } else { closed_ns };
            now_ns.saturating_sub(seat.heard_ns) > patience
        };
        let clients = self.clients.iter().filter(|(_, seat)| over(seat)).map(|(&id, _)| id);
        for session in clients.collect::<Vec<_>>() {
            let error = Error::Lost("the client was silent for too long".to_string());
            self.refuse(now_ns, Peer::Client(session), error, out);
        }
        let silence = |seat: &Seat| now_ns.saturating_sub(seat.heard_ns);
        let workers = self.workers.iter().map(|(&id, seat)| (id, silence(seat)));
        for (worker, silence) in workers.collect::<Vec<_>>() {
            if silence >= worker_ns {
                self.drop_worker(now_ns, Peer::Worker(worker), "was silent for too long", out);
            } else if silence >= suspect_ns {
                self.dispatcher.set_health(worker, Health::Suspect);
            }
        }
    }

    /// If the dispatcher itself was stopped, what others said meanwhile waits to be heard.
    fn excuse_pause(&mut self, now_ns: u64) {
        let pause = now_ns.saturating_sub(self.checked_ns);
        self.checked_ns = now_ns;
        if pause > PAUSE_NS {
            let seats = self.clients.values_mut().chain(self.workers.values_mut());
            seats.for_each(|seat| seat.heard_ns = now_ns.min(seat.heard_ns + pause));
        }
    }

    /// The server ends: everybody who is there is told.
    pub fn close(&mut self, now_ns: u64, out: &mut Vec<Delivery>) {
        let error = || Error::Lost("the server was stopped".to_string());
        for session in self.clients.keys().copied().collect::<Vec<_>>() {
            self.refuse(now_ns, Peer::Client(session), error(), out);
        }
        for seat in self.workers.values() {
            let ended = Message::Ended { session: SessionId(0), error: error() };
            out.extend(seat.line.map(|line| Delivery::Send(line, aside(&ended))));
        }
    }

    /// What happened, for whoever is interested.
    pub fn events(&self) -> &Ring {
        &self.dispatcher.events
    }

    /// What is there at the moment.
    pub fn report(&self, now_ns: u64) -> Report {
        let silent_ns =
            |seat: Option<&Seat>| seat.map_or(0, |seat| now_ns.saturating_sub(seat.heard_ns));
        let sessions = self.dispatcher.sessions().map(|(id, session)| SessionReport {
            id,
            name: session.name.clone(),
            connected: self.clients.get(&id).is_some_and(|seat| seat.line.is_some()),
            silent_ns: silent_ns(self.clients.get(&id)),
            workers: session.places().iter().take(SOME).copied().collect(),
            values: session.registry.len() as u64,
            queued: session.queued(),
        });
        let sessions = sessions.take(SOME).collect();
        let workers = &self.workers;
        let member = |(id, member): (WorkerId, &Member)| WorkerReport {
            id,
            card: member.card.clone(),
            silent_ns: silent_ns(workers.get(&id)),
            used_bytes: member.used_bytes,
            queued: self.dispatcher.queued_at(id),
        };
        let workers = self.dispatcher.roster().members().map(member).take(SOME).collect();
        let version = env!("CARGO_PKG_VERSION").to_string();
        Report { version, uptime_ns: now_ns, workers, sessions, traffic: self.traffic }
    }

    /// What passed through so far; the relay's part is counted elsewhere.
    pub fn traffic(&mut self) -> &mut Traffic {
        &mut self.traffic
    }

    fn answer_inquiry(&mut self, now_ns: u64, line: Line, out: &mut Vec<Delivery>) {
        let report = Message::Report(Box::new(self.report(now_ns)));
        out.push(Delivery::Send(line, aside(&report)));
    }

    /// Lets the dispatcher take a message. A panic ends whoever caused it, and nobody else.
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

    /// Ends somebody who broke the rules or is not there.
    fn refuse(&mut self, now_ns: u64, peer: Peer, error: Error, out: &mut Vec<Delivery>) {
        match peer {
            Peer::Client(session) => {
                self.traffic.refused += 1;
                let mut outbox = Outbox::default();
                self.dispatcher.close(now_ns, session, error, &mut outbox);
                self.deliver(now_ns, &mut outbox, out);
                self.unseat(peer, out);
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
        self.unseat(peer, out);
        let mut outbox = Outbox::default();
        self.dispatcher.lose(now_ns, worker, why, &mut outbox);
        self.deliver(now_ns, &mut outbox, out);
    }

    /// Passes on what the dispatcher wants sent. Whoever is away gets it later. A session of which
    /// something cannot be said ends.
    fn deliver(&mut self, now_ns: u64, outbox: &mut Outbox, out: &mut Vec<Delivery>) {
        let mut unsaid = Vec::new();
        for (to, message) in outbox.drain() {
            if to == Peer::Relay {
                out.push(Delivery::Relay(message));
                continue;
            }
            let used_bytes = match (to, &message) {
                // Whoever has waited for everything may ask how much memory that took.
                (Peer::Client(session), Message::Answer { .. }) => {
                    Some(self.dispatcher.used_bytes(session))
                }
                _ => None,
            };
            let Some(seat) = self.seat(to) else { continue };
            out.extend(used_bytes.and_then(|used_bytes| seat.tell_memory(used_bytes)));
            let ended = matches!(message, Message::Ended { .. });
            match (seat.conversation.say(&message), seat.line) {
                (Ok(parts), Some(line)) => out.push(Delivery::Send(line, parts)),
                (Ok(_), None) => {}
                // The end needs no number, because nothing follows it.
                (Err(_), line) if ended => {
                    out.extend(line.map(|line| Delivery::Send(line, aside(&message))));
                }
                (Err(error), _) => unsaid.push((session_of(to, &message), to, error)),
            }
            if ended {
                self.unseat(to, out);
            }
        }
        for (session, to, error) in unsaid {
            self.refuse(now_ns, session.map_or(to, Peer::Client), error, out);
        }
    }

    fn unseat(&mut self, peer: Peer, out: &mut Vec<Delivery>) {
        let seat = match peer {
            Peer::Client(session) => self.clients.remove(&session),
            Peer::Worker(worker) => self.workers.remove(&worker),
            Peer::Relay => None,
        };
        if let Some(line) = seat.and_then(|seat| seat.line) {
            self.guests.remove(&line);
            out.push(Delivery::Forget(line));
        }
    }

    fn seat(&mut self, peer: Peer) -> Option<&mut Seat> {
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

/// Whose message this is.
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
