//! A channel to one peer: the connection that carries it, and when to look for another one.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::inbound::Inbound;
use super::pace::Pace;
use super::{Action, ConnectionId, Outbound, Reach, Reason, Transfers, Via};
use crate::Peer;
use crate::transfers::frame::Frame;
use crate::transfers::limits::Limits;

/// How often a silent peer is asked whether it is there, in parts of the silence that is allowed.
const PINGS: u64 = 3;
/// Time passes at least so often for a process that is not stopped.
const PAUSE_MS: u64 = 3000;

/// Whether a channel has a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Down { retry_at: u64 },
    Connecting { attempt: u64, via: Via, since: u64 },
    Up { connection: ConnectionId },
}

/// One side of a channel.
pub(super) struct Link {
    pub peer: Peer,
    pub reach: Reach,
    pub state: State,
    /// Transfers that need it.
    pub wanted: usize,
    /// Since when it is missing.
    pub down_since: u64,
    /// When something was last wanted of it.
    pub used: u64,
    /// Attempts since then.
    pub tries: u64,
    /// The direct way failed not long ago.
    pub relay_first: bool,
    /// It leaves a direct way that is slow. The peer may hear bytes of the old connection for
    /// long, so that another one is made to tell it, and closed at once.
    pub leaves: bool,
    pub pace: Pace,
    /// When it last was not to blame that there is no way, because this process or the peer is
    /// known to be away.
    pub excused: u64,
    /// When the present connection was made, and whether anything has come of it.
    pub raised: u64,
    pub progress: bool,
    pub trouble: Option<String>,
    pub heard: u64,
    pub said: u64,
    pub control: VecDeque<Frame>,
    /// The peer's greeting was heard on this connection.
    pub greeted: bool,

    /// Tells this life of the link from the next.
    pub epoch: u64,
    pub next_seq: u64,
    /// Values that were offered and are not settled.
    pub offered: BTreeMap<u64, u64>,
    /// Those of them that are to be offered again.
    pub again: VecDeque<u64>,
    /// Tags of values that are ready and were never offered.
    pub unoffered: VecDeque<u64>,
    /// Values whose bytes may leave, in turns.
    pub turns: VecDeque<u64>,
    pub eager_bytes: usize,

    pub peer_epoch: Option<u64>,
    pub peer_oldest: u64,
    pub inbound: BTreeMap<u64, Inbound>,
    /// Numbers of values that were offered before it was known that they are wanted, by tag.
    pub early: HashMap<u64, u64>,
    pub early_bytes: usize,
    /// Values that were offered, are wanted, and wait for a grant.
    pub waiting: VecDeque<u64>,
    pub granted_large: usize,
    pub granted_small: usize,
    /// The value whose chunk is being read at the moment.
    pub reading: Option<u64>,
}

impl Link {
    fn new(peer: Peer, now: u64, epoch: u64, reach: Reach) -> Link {
        let (control, offered, again, unoffered, turns) = Default::default();
        let (inbound, early, waiting) = Default::default();
        Link {
            peer,
            reach,
            state: State::Down { retry_at: now },
            wanted: 0,
            down_since: now,
            used: now,
            tries: 0,
            relay_first: false,
            leaves: false,
            pace: Pace::default(),
            excused: 0,
            raised: now,
            progress: false,
            trouble: None,
            heard: now,
            said: now,
            control,
            greeted: false,
            epoch,
            next_seq: 0,
            offered,
            again,
            unoffered,
            turns,
            eager_bytes: 0,
            peer_epoch: None,
            peer_oldest: 0,
            inbound,
            early,
            early_bytes: 0,
            waiting,
            granted_large: 0,
            granted_small: 0,
            reading: None,
        }
    }

    pub fn connection(&self) -> Option<ConnectionId> {
        match self.state {
            State::Up { connection } => Some(connection),
            _ => None,
        }
    }

    /// Whether something is to travel, or a confirmation is owed.
    pub fn is_needed(&self) -> bool {
        self.wanted > 0 || !self.inbound.is_empty()
    }

    /// The first number that is not settled.
    pub fn oldest(&self) -> u64 {
        self.offered.first_key_value().map_or(self.next_seq, |(seq, _)| *seq)
    }

    /// Says something, if anybody hears it. What matters is said again on the next connection.
    pub fn say(&mut self, frame: Frame) {
        if self.connection().is_some() {
            self.control.push_back(frame);
        }
    }

    /// What is left of a chunk that is being read belongs nowhere.
    pub fn stop_reading(&mut self, seq: u64) {
        self.reading.take_if(|reading| *reading == seq);
    }

    /// The connection is gone. Connections of which nothing comes do not make the wait longer.
    pub fn fall(&mut self, now: u64, settings: &Limits) {
        let is_good = self.progress || now - self.raised >= settings.silence.as_millis() as u64;
        let pause = if is_good { 0 } else { settings.retry.as_millis() as u64 };
        self.state = State::Down { retry_at: now + pause };
        if is_good {
            (self.down_since, self.tries) = (now, 0);
        }
        self.reading = None;
        self.control.clear();
        self.again.clear();
        self.turns.clear();
        self.waiting.clear();
        (self.granted_large, self.granted_small) = (0, 0);
        self.inbound.values_mut().for_each(Inbound::pause);
    }
}

impl Transfers {
    /// The channel to a peer, made if there is none.
    pub(super) fn link(&mut self, now: u64, peer: Peer, reach: Reach) -> &mut Link {
        if !self.links.contains_key(&peer) {
            self.epoch += 1;
            self.links.insert(peer, Link::new(peer, now, self.epoch, reach));
        }
        let link = self.links.get_mut(&peer).expect("just made");
        link.reach.connects |= reach.connects;
        link.reach.relay |= reach.relay;
        link
    }

    /// The channel that a connection carries.
    pub(super) fn up(&mut self, connection: ConnectionId) -> Option<&mut Link> {
        let peer = self.connections.get(&connection)?;
        self.links.get_mut(peer).filter(|link| link.connection() == Some(connection))
    }

    /// A transfer needs the channel to a peer.
    pub(super) fn want(&mut self, now: u64, peer: Peer, reach: Reach) {
        let link = self.link(now, peer, reach);
        link.used = now;
        if !link.is_needed() {
            // Nothing was to be heard while nothing was wanted.
            link.heard = now;
            link.pace.begin(now);
            if link.connection().is_none() {
                (link.down_since, link.tries) = (now, 0);
            }
        }
        link.wanted += 1;
        self.pursue(now, peer);
    }

    /// A transfer needs it no more.
    pub(super) fn unwant(&mut self, peer: Peer) {
        if let Some(link) = self.links.get_mut(&peer) {
            link.wanted -= 1;
        }
    }

    /// A connection carries the channel from here on.
    pub(super) fn raise(&mut self, now: u64, peer: Peer, connection: ConnectionId, via: Via) {
        let link = self.links.get_mut(&peer).expect("whoever connects has a channel");
        if let Some(before) = link.connection() {
            link.fall(now, &self.limits);
            self.connections.remove(&before);
            self.actions.push(Action::Close(before));
        }
        self.connections.insert(connection, peer);
        link.state = State::Up { connection };
        (link.heard, link.said, link.greeted) = (now, now, false);
        (link.raised, link.progress) = (now, false);
        link.used = now;
        link.relay_first = via == Via::Relay;
        link.pace.raise(now, via);
        link.control.clear();
        link.control.push_back(Frame::Hello { epoch: link.epoch, oldest: link.oldest() });
        link.again = link.offered.keys().copied().collect();
    }

    /// Looks for a connection, if one is wanted and it is time.
    pub(super) fn pursue(&mut self, now: u64, peer: Peer) {
        let connect = self.limits.connect.as_millis() as u64;
        let Some(link) = self.links.get_mut(&peer) else { return };
        let State::Down { retry_at } = link.state else { return };
        if !link.is_needed() || now < retry_at {
            return;
        }
        let apart = now - link.down_since;
        let Reach { connects, relay } = link.reach;
        // Whoever listens gives the other side twice the time before it goes to the relay.
        let is_late = if connects { apart >= connect } else { apart >= 2 * connect };
        // Either way may have come back meanwhile, so that they are tried in turns.
        let is_turn = !connects || link.tries % 2 == 1;
        let via = match (connects, relay) {
            (true, _) if link.leaves => Via::Direct,
            (_, true) if link.relay_first || (is_late && is_turn) => Via::Relay,
            (true, _) => Via::Direct,
            (false, _) => return,
        };
        self.attempts += 1;
        let attempt = self.attempts;
        link.tries += 1;
        link.relay_first = false;
        link.state = State::Connecting { attempt, via, since: now };
        self.actions.push(Action::Connect { peer, via, attempt });
    }

    /// Time has passed. If it is much, this process was stopped, and no peer is to blame for what
    /// was not heard meanwhile.
    pub fn tick(&mut self, now: u64) {
        if now.saturating_sub(self.ticked) > PAUSE_MS {
            for link in self.links.values_mut() {
                (link.heard, link.excused) = (now, now);
                link.pace.begin(now);
            }
        }
        self.ticked = now;
        let peers: Vec<Peer> = self.links.keys().copied().collect();
        for peer in peers {
            self.tick_link(now, peer);
        }
    }

    fn tick_link(&mut self, now: u64, peer: Peer) {
        self.expire_early(now, peer);
        let [silence, give_up, idle] = [self.limits.silence, self.limits.give_up, self.limits.idle]
            .map(|t| t.as_millis() as u64);
        let is_away = self.away.contains(&peer) || self.is_cut_off;
        let Some(link) = self.links.get_mut(&peer) else { return };
        if link.is_needed() {
            link.used = now;
        }
        if is_away {
            link.excused = now;
        }
        match link.state {
            State::Up { connection } if link.is_needed() => {
                if now - link.heard >= silence {
                    self.actions.push(Action::Close(connection));
                    self.lost(now, connection, "the peer does not answer");
                } else if link.is_too_slow(now, &self.limits) {
                    self.actions.push(Action::Close(connection));
                    self.lost(now, connection, "the direct way is too slow");
                } else if now - link.said >= silence / PINGS && link.control.is_empty()
                    || link.pace.is_ping_due(now, silence)
                {
                    link.pace.pinged = true;
                    link.control.push_back(Frame::Ping);
                }
            }
            // The side that connected hangs up.
            State::Up { connection } if now - link.used >= idle && link.reach.connects => {
                self.actions.push(Action::Close(connection));
                self.connections.remove(&connection);
                link.fall(now, &self.limits);
            }
            State::Up { .. } => {}
            State::Connecting { since, .. } | State::Down { retry_at: since }
                if !link.is_needed() && now.saturating_sub(since.max(link.used)) >= idle =>
            {
                self.drop_link(peer);
            }
            _ if link.is_needed() && now - link.down_since.max(link.excused) >= give_up => {
                self.give_up(now, peer);
            }
            _ => self.pursue(now, peer),
        }
    }

    /// Two processes do not find each other: what was to travel between them fails.
    fn give_up(&mut self, now: u64, peer: Peer) {
        let receives = self.receives.iter().filter(|(_, receive)| receive.peer == peer);
        let mut receives: Vec<u64> = receives.map(|(tag, _)| *tag).collect();
        receives.sort_unstable();
        let sends = self.sends.iter().filter(|(_, send)| send.peer == peer && send.is_alive());
        let mut sends: Vec<u64> = sends.map(|(tag, _)| *tag).collect();
        sends.sort_unstable();
        for tag in receives {
            self.fail(tag, peer, Reason::Unreachable);
            self.end_receive(now, tag, Reason::Unreachable);
        }
        for tag in sends {
            self.fail(tag, peer, Reason::Unreachable);
            self.end_send_with_notice(tag, Reason::Unreachable);
        }
        if let Some(link) = self.links.get_mut(&peer) {
            link.state = State::Down { retry_at: now };
            link.down_since = now;
            link.inbound.clear();
            link.early.clear();
            link.early_bytes = 0;
        }
    }

    /// Nothing is known of a peer any more.
    pub(super) fn drop_link(&mut self, peer: Peer) {
        let Some(link) = self.links.remove(&peer) else { return };
        if let Some(connection) = link.connection() {
            self.connections.remove(&connection);
            self.actions.push(Action::Close(connection));
        }
        // What is left is word of failures that nobody came to hear.
        self.sends.retain(|_, send| send.peer != peer);
    }

    /// What is to be sent next over a connection, if there is anything.
    pub fn next_frame(&mut self, now: u64, connection: ConnectionId) -> Option<Outbound> {
        let next = self.next_of(connection)?;
        if let Some(link) = self.up(connection) {
            link.said = now;
            link.pace.moved += next.1.len();
        }
        Some(next)
    }

    /// Whether a connection has something to send.
    pub fn has_output(&self, connection: ConnectionId) -> bool {
        let Some(link) = self.connections.get(&connection).and_then(|peer| self.links.get(peer))
        else {
            return false;
        };
        !link.control.is_empty()
            || !link.again.is_empty()
            || !link.turns.is_empty()
            || (!link.unoffered.is_empty() && link.may_offer())
    }

    /// Whether time matters to it.
    pub fn is_busy(&self) -> bool {
        self.links.values().any(Link::is_needed)
    }
}
