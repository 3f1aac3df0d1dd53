//! The protocol of the data plane as a machine: events go in, frames and actions come out. It has
//! no sockets, threads or clock; time is a number of milliseconds.
//!
//! Two processes that exchange values have one channel, whatever connection carries it at the
//! moment. A value is offered, granted, sent in chunks and confirmed. Until it is confirmed its
//! sender keeps it, so that a channel whose connection was cut goes on where it stopped. Where
//! there is no direct way the channel goes by a relay, and if there is no way at all for too long,
//! both sides are told that their transfers have failed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use gt_core::{Error, SessionId};

use self::link::{Link, State};
use self::receive::Incoming;
use self::send::Outgoing;
use super::buffer_source::{Buffer, BufferSource};
use super::frame::{Frame, Reason};
use super::limits::Limits;
use crate::Peer;
use crate::ticket::{Role, Ticket};

mod inbound;
mod link;
mod pace;
mod receive;
mod send;

/// The most bytes that one chunk has.
pub const CHUNK_BYTES: usize = 1 << 20;
/// How many values one side may have offered that are not settled, for each peer. It bounds what a
/// peer can make this side remember.
const WINDOW: u64 = 4096;
/// Frames without bytes that may wait to be sent on a connection, more than any honest peer causes.
const MOST_CONTROL: usize = 8 * WINDOW as usize;

/// A connection, as whoever has the sockets numbers them. A number is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConnectionId(pub u64);

/// How a connection is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// Straight to the peer.
    Direct,
    /// By way of the relay, where both sides meet.
    Relay,
}

/// What this side may do to reach a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// It is this side that connects; the other one listens.
    pub connects: bool,
    /// There is a relay.
    pub relay: bool,
}

/// One transfer, as one of its sides is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// What both sides call it.
    pub tag: u64,
    /// Whose value it is.
    pub session: SessionId,
    /// Who is at the other side.
    pub peer: Peer,
    /// How that is reached.
    pub reach: Reach,
}

/// How a transfer ended. Each ends in exactly one event, unless it is cancelled.
#[derive(Clone, Debug)]
pub enum Event {
    /// A value is here, whole.
    Arrived {
        /// What both sides call the transfer.
        tag: u64,
        /// Its bytes.
        data: Bytes,
    },
    /// A value is at the other side, whole.
    Confirmed {
        /// What both sides call the transfer.
        tag: u64,
    },
    /// A value will not arrive.
    Failed {
        /// What both sides call the transfer.
        tag: u64,
        /// Why.
        error: Error,
    },
}

/// What whoever has the sockets is to do.
#[derive(Clone, Debug)]
pub enum Action {
    /// Connect, and say [`Transfers::connected`] or [`Transfers::unreachable`].
    Connect {
        /// To whom.
        peer: Peer,
        /// How.
        via: Via,
        /// Which attempt it is.
        attempt: u64,
    },
    /// Hang up; nothing more is said of this connection.
    Close(ConnectionId),
    /// Tell whoever waits.
    Tell(Event),
}

/// A peer that does not keep to the protocol; its connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation(pub &'static str);

/// A frame to be sent, and the bytes behind it.
pub type Outbound = (Frame, Bytes);

/// What one side of all its channels knows.
pub struct Transfers {
    limits: Limits,
    source: Arc<dyn BufferSource>,
    links: BTreeMap<Peer, Link>,
    connections: HashMap<ConnectionId, Peer>,
    sends: HashMap<u64, Outgoing>,
    receives: HashMap<u64, Incoming>,
    actions: Vec<Action>,
    attempts: u64,
    epoch: u64,
    /// When time last passed.
    ticked: u64,
    /// Peers that are known to be away, and may come back.
    away: HashSet<Peer>,
    /// This process is, from everybody.
    is_cut_off: bool,
}

/// What a machine holds at the moment, for tests and reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Values that are to leave.
    pub sends: usize,
    /// Values that are to come.
    pub receives: usize,
    /// What is remembered of what peers have offered.
    pub inbound: usize,
    /// Bytes that came before it was known that they are wanted.
    pub early_bytes: usize,
}

impl Transfers {
    /// A machine without channels. Arriving values are put into memory of `source`; `epoch` is
    /// greater than that of any earlier machine of the same process.
    pub fn new(limits: Limits, source: Arc<dyn BufferSource>, epoch: u64) -> Self {
        let (links, connections, sends, receives, actions) = Default::default();
        Transfers {
            limits,
            source,
            links,
            connections,
            sends,
            receives,
            actions,
            attempts: 0,
            epoch,
            ticked: 0,
            away: HashSet::new(),
            is_cut_off: false,
        }
    }

    /// A value may travel. If it comes here it is put into `buffer`, or else into memory of the
    /// source.
    pub fn take_ticket(&mut self, now: u64, ticket: &Ticket, buffer: Option<Box<dyn Buffer>>) {
        let Ticket { session, tag, peer, route, .. } = ticket;
        let reach = Reach { connects: route.direct.is_some(), relay: route.relay.is_some() };
        let order = Order { tag: *tag, session: *session, peer: *peer, reach };
        match ticket.role {
            Role::Send => self.permit(now, order),
            Role::Receive => self.expect_into(now, order, ticket.meta.bytes(), buffer),
        }
    }

    /// What is to be done since this was last asked.
    pub fn actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// A connection that this side asked for is there.
    pub fn connected(&mut self, now: u64, peer: Peer, attempt: u64, connection: ConnectionId) {
        let Some(link) = self.links.get_mut(&peer) else {
            return self.actions.push(Action::Close(connection));
        };
        match link.state {
            State::Connecting { attempt: own, .. } if own == attempt && link.leaves => {
                link.turn_to_relay(now);
                self.actions.push(Action::Close(connection));
                self.pursue(now, peer);
            }
            State::Connecting { attempt: own, via, .. } if own == attempt => {
                self.raise(now, peer, connection, via);
            }
            _ => self.actions.push(Action::Close(connection)),
        }
    }

    /// A peer has connected, and has shown its key. What carried its channel before is replaced.
    pub fn accepted(&mut self, now: u64, peer: Peer, connection: ConnectionId) {
        self.link(now, peer, Reach { connects: false, relay: false });
        self.raise(now, peer, connection, Via::Direct);
    }

    /// An attempt to connect has failed.
    pub fn unreachable(&mut self, now: u64, peer: Peer, attempt: u64, why: &str) {
        let retry = self.limits.retry.as_millis() as u64;
        let Some(link) = self.links.get_mut(&peer) else { return };
        if let State::Connecting { attempt: own, .. } = link.state
            && own == attempt
        {
            link.trouble = Some(why.into());
            if link.leaves {
                link.turn_to_relay(now);
            } else {
                link.state = State::Down { retry_at: now + retry };
            }
        }
    }

    /// A connection has ended. Values that were under way go on over the next one.
    pub fn lost(&mut self, now: u64, connection: ConnectionId, why: &str) {
        let Some(peer) = self.connections.remove(&connection) else { return };
        let Some(link) = self.links.get_mut(&peer) else { return };
        if link.connection() == Some(connection) {
            link.trouble = Some(why.into());
            link.fall(now, &self.limits);
            self.pursue(now, peer);
        }
    }

    /// Bytes came over a connection, whatever they mean.
    pub fn heard(&mut self, now: u64, connection: ConnectionId, bytes: usize) {
        if let Some(link) = self.up(connection) {
            link.heard = now;
            link.pace.moved += bytes;
        }
    }

    /// A peer is away and may come back, or has come back. What is to travel there waits.
    pub fn set_away(&mut self, peer: Peer, is_away: bool) {
        if is_away {
            self.away.insert(peer);
        } else {
            self.away.remove(&peer);
        }
    }

    /// This process reaches nobody, not even the dispatcher, or does so again. What is to travel
    /// waits.
    pub fn set_cut_off(&mut self, is_cut_off: bool) {
        self.is_cut_off = is_cut_off;
    }

    /// A frame came. The bytes of a chunk are asked for by [`Transfers::memory`].
    pub fn frame(
        &mut self,
        now: u64,
        connection: ConnectionId,
        frame: Frame,
    ) -> Result<(), Violation> {
        let Some(link) = self.up(connection) else { return Ok(()) };
        link.heard = now;
        if link.control.len() > MOST_CONTROL {
            return Err(Violation("it asks for more than it hears"));
        }
        if link.greeted == matches!(frame, Frame::Hello { .. }) {
            return Err(Violation("a connection begins with one greeting"));
        }
        let peer = link.peer;
        let is_work = !matches!(frame, Frame::Hello { .. } | Frame::Ping | Frame::Pong);
        link.progress |= is_work && !matches!(frame, Frame::Chunk { .. } | Frame::Offer { .. });
        match frame {
            Frame::Hello { epoch, oldest } => self.greeted(peer, epoch, oldest),
            Frame::Offer { seq, tag, bytes, eager } => {
                self.offered(now, peer, seq, tag, Ok((bytes, eager)))
            }
            Frame::Fail { seq, tag, reason } => self.offered(now, peer, seq, tag, Err(reason)),
            Frame::Release { oldest } => self.release(peer, oldest),
            Frame::Chunk { seq, offset, bytes, .. } => {
                self.chunk_begins(peer, seq, offset, bytes as usize)
            }
            Frame::Grant { seq, offset } => self.granted(peer, seq, offset),
            Frame::Done { seq } => self.settled(peer, seq, Ok(())),
            Frame::Refuse { seq, reason } => self.settled(peer, seq, Err(reason)),
            Frame::Ping => {
                link.control.push_back(Frame::Pong);
                Ok(())
            }
            Frame::Pong => {
                link.pace.answered = true;
                Ok(())
            }
            Frame::Ring | Frame::Free { .. } => Err(Violation("a frame of another layer")),
        }
    }

    /// Gives up a transfer. Nobody is told here; the other side is, if it knows of it.
    pub fn cancel(&mut self, now: u64, tag: u64) {
        if self.receives.contains_key(&tag) {
            self.end_receive(now, tag, Reason::Withdrawn);
        }
        if self.sends.contains_key(&tag) {
            self.end_send(tag, Reason::Withdrawn);
        }
    }

    /// A session is over: its transfers are dropped, and so is the channel to its client.
    pub fn forget(&mut self, now: u64, session: SessionId) {
        let receives = self.receives.iter().filter(|(_, other)| other.session == session);
        let sends = self.sends.iter().filter(|(_, other)| other.session == session);
        let tags = receives.map(|(tag, _)| *tag).chain(sends.map(|(tag, _)| *tag));
        let mut tags: Vec<u64> = tags.collect();
        tags.sort_unstable();
        tags.into_iter().for_each(|tag| self.cancel(now, tag));
        self.drop_link(Peer::Client(session));
        self.away.remove(&Peer::Client(session));
    }

    /// What it holds.
    pub fn held(&self) -> Held {
        Held {
            sends: self.sends.len(),
            receives: self.receives.len(),
            inbound: self.links.values().map(|link| link.inbound.len()).sum(),
            early_bytes: self.links.values().map(|link| link.early_bytes).sum(),
        }
    }

    fn tell(&mut self, event: Event) {
        self.actions.push(Action::Tell(event));
    }

    fn fail(&mut self, tag: u64, peer: Peer, reason: Reason) {
        let trouble = self.links.get(&peer).and_then(|link| link.trouble.clone());
        let error = reason_error(reason, tag, peer, trouble.as_deref());
        self.tell(Event::Failed { tag, error });
    }
}

/// What people are told of a transfer that failed.
fn reason_error(reason: Reason, tag: u64, peer: Peer, trouble: Option<&str>) -> Error {
    let lost = |why: String| Error::Lost(format!("transfer {tag} with {peer} failed: {why}"));
    match reason {
        Reason::Withdrawn => lost("the other side gave it up".to_string()),
        Reason::Unreachable => {
            let why = trouble.unwrap_or("nobody connected");
            lost(format!(
                "there was no way between the two, neither direct nor by the relay ({why})"
            ))
        }
        Reason::NoMemory => Error::OutOfMemory(format!(
            "transfer {tag} with {peer} failed: its receiver has no room"
        )),
        Reason::NobodyWaits => lost("nobody waits for it there".to_string()),
        Reason::WrongLength => lost("the two sides were told different lengths".to_string()),
    }
}
