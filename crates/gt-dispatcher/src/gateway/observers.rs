//! Those who want to know what happens: a log, clients, and whoever watches for a while.

use std::collections::BTreeMap;
use std::sync::Arc;

use gt_core::event::{Detail, Events};
use gt_core::{Error, Result, SessionId};
use gt_transport::reliable::unsequenced;
use gt_transport::{Message, Peer};

use super::sight::{Sight, with_sums, without_others};
use super::{ConnectionId, Delivery, Gateway};
use crate::outbox::Outbox;
use crate::role::{Credentials, Identity, Role};

/// Somebody who watches says so again within this time.
const WATCH_NS: u64 = 5_000_000_000;
/// Messages that somebody who watches may be sent before they ask for more.
const MOST_MESSAGES: u32 = 1 << 10;
/// How many may watch at a time …
const MOST_WATCHERS: usize = 64;
/// … of which this many places are kept for operators …
const OPERATOR_WATCHERS: usize = 16;
/// … and no other user or key takes more than this many.
const WATCHERS_OF_ONE: usize = 16;

/// Who observes.
#[derive(Debug, Default)]
pub(super) struct Observers {
    /// Whether everything goes into a log.
    has_log: bool,
    /// Clients that want the events of their sessions.
    sessions: BTreeMap<SessionId, OwnEvents>,
    pub(super) watchers: BTreeMap<ConnectionId, Watcher>,
}

/// What is known of a client that wants the events of its session.
#[derive(Debug, Default)]
struct OwnEvents {
    /// How many could not be sent.
    lost: u64,
    /// It wants to know when it has all events so far.
    wants_mark: Option<After>,
}

/// What a client wants once it has all events so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    More,
    Nothing,
}

/// Somebody who watches.
#[derive(Debug)]
pub(super) struct Watcher {
    /// How many messages it may be sent.
    messages: u32,
    until_ns: u64,
    lost: u64,
    pub(super) identity: Identity,
    sight: Sight,
    detail: Detail,
}

impl Watcher {
    /// The roles in which it may go on watching.
    pub(super) fn suffices(&self) -> fn(Role) -> bool {
        match self.sight {
            Sight::All => |role| role == Role::Operator,
            Sight::Own(_) => |_| true,
        }
    }
}

impl Observers {
    /// An error if there is no place for another watcher: one user or key must not lock out the
    /// others, nor all of them the operator.
    fn check_place(&self, credentials: Credentials) -> Result<()> {
        let others = || self.watchers.values().filter(|watcher| watcher.sight != Sight::All);
        let own = others().filter(|watcher| watcher.identity == credentials.identity).count();
        let sight = Sight::from(credentials);
        if self.watchers.len() >= MOST_WATCHERS {
            return Err(Error::Lost(format!(
                "{MOST_WATCHERS} watch this server already; end one of them"
            )));
        }
        if sight != Sight::All && others().count() >= MOST_WATCHERS - OPERATOR_WATCHERS {
            let most = MOST_WATCHERS - OPERATOR_WATCHERS;
            return Err(Error::Lost(format!(
                "{most} others watch this server already, and further places are the operator's; \
                 end one of them"
            )));
        }
        if sight != Sight::All && own >= WATCHERS_OF_ONE {
            return Err(Error::Lost(format!(
                "this user or key watches this server {WATCHERS_OF_ONE} times already; end one of \
                 them"
            )));
        }
        Ok(())
    }

    /// If the dispatcher itself was stopped, those who watch have said so meanwhile.
    pub(super) fn excuse_pause(&mut self, pause_ns: u64) {
        for watcher in self.watchers.values_mut() {
            watcher.until_ns = watcher.until_ns.saturating_add(pause_ns);
        }
    }
}

impl Gateway {
    /// From now on everything is recorded; [`Gateway::publish_events`] gives it.
    pub fn record_all(&mut self) {
        self.observers.has_log = true;
        self.dispatcher.observe(Some(Detail::Each), &mut Outbox::default());
    }

    /// A client wants the events of its session; or, if it gets them, to know when these were all
    /// so far. With no more messages it wants nothing after that.
    pub(super) fn observe_session(
        &mut self,
        now_ns: u64,
        peer: Peer,
        messages: u32,
        out: &mut Vec<Delivery>,
    ) {
        let Peer::Client(session) = peer else { return };
        let is_known = self.observers.sessions.contains_key(&session);
        let own = self.observers.sessions.entry(session).or_default();
        if is_known || messages == 0 {
            own.wants_mark = Some(if messages == 0 { After::Nothing } else { After::More });
            return;
        }
        let introduction = self.dispatcher.introduction(now_ns).of(session);
        self.send_events(session, introduction, out);
        self.observe(now_ns, out);
    }

    /// Somebody wants to see so many more messages with events in this detail.
    pub(super) fn watch(
        &mut self,
        now_ns: u64,
        (connection, credentials): (ConnectionId, Credentials),
        (messages, detail): (u32, Detail),
        out: &mut Vec<Delivery>,
    ) {
        let watchers = &mut self.observers.watchers;
        let until_ns = now_ns.saturating_add(WATCH_NS);
        if let Some(watcher) = watchers.get_mut(&connection) {
            watcher.messages = watcher.messages.saturating_add(messages).min(MOST_MESSAGES);
            watcher.until_ns = until_ns;
            return;
        }
        if let Err(error) = self.observers.check_place(credentials) {
            return self.turn_away(connection, error, out);
        }
        let (messages, sight) = (messages.min(MOST_MESSAGES), credentials.into());
        let (lost, identity) = (0, credentials.identity);
        let watcher = Watcher { messages, until_ns, lost, identity, sight, detail };
        self.observers.watchers.insert(connection, watcher);
        let introduction = self.dispatcher.introduction(now_ns);
        let is_seen = |session| self.is_seen(sight, session);
        for piece in without_others(&introduction, is_seen).split() {
            let message = Message::Events(Arc::new(piece));
            out.push(Delivery::Send(connection, unsequenced(&message)));
        }
        self.observe(now_ns, out);
    }

    /// How many events wait to be published.
    pub fn waiting_events(&mut self) -> usize {
        let sessions = self.observers.sessions.values();
        let marks = sessions.filter(|own| own.wants_mark.is_some()).count();
        self.dispatcher.recording().waiting() + marks
    }

    /// Sends what was recorded to those who observe, and gives it for a log.
    pub fn publish_events(&mut self, now_ns: u64, out: &mut Vec<Delivery>) -> Option<Arc<Events>> {
        if self.waiting_events() == 0 {
            return None;
        }
        let events = Arc::new(self.dispatcher.recording().take().unwrap_or_default());
        let sessions: Vec<SessionId> = self.observers.sessions.keys().copied().collect();
        for session in sessions {
            self.send_events(session, events.of(session), out);
            self.send_mark(session, out);
            if self.dispatcher.session(session).is_none() {
                self.part(session, out);
            }
        }
        if !self.observers.watchers.is_empty() && !events.list.is_empty() {
            for piece in Events::pieces(&events) {
                self.show(&piece, out);
            }
        }
        self.observe(now_ns, out);
        Some(events).filter(|events| self.observers.has_log && !events.list.is_empty())
    }

    /// Whether a client waits for the last events of its session.
    pub(super) fn is_observed(&self, peer: Peer) -> bool {
        matches!(peer, Peer::Client(session) if self.observers.sessions.contains_key(&session))
    }

    /// The client of a session that is over has its last events.
    fn part(&mut self, session: SessionId, out: &mut Vec<Delivery>) {
        let connection = self.clients.get(&session).and_then(|state| state.connection);
        let error = Error::Lost("the session is closed".to_string());
        let ended = unsequenced(&Message::Ended { session, error });
        out.extend(connection.map(|connection| Delivery::Send(connection, ended)));
        self.disconnect(Peer::Client(session), out);
    }

    /// Sends events to the client that they are of. They are many, and a client that is slow to
    /// confirm them misses some rather than its session.
    fn send_events(&mut self, session: SessionId, events: Events, out: &mut Vec<Delivery>) {
        let Some(OwnEvents { lost, .. }) = self.observers.sessions.get_mut(&session) else {
            return;
        };
        let Some(state) = self.clients.get_mut(&session) else { return };
        if events.list.is_empty() {
            return;
        }
        for mut piece in events.split() {
            piece.lost += std::mem::take(lost);
            let count = piece.lost + piece.list.len() as u64;
            match state.channel.say(&Message::Events(Arc::new(piece))) {
                Ok(parts) => {
                    let send = |connection| Delivery::Send(connection, parts);
                    out.extend(state.connection.map(send));
                }
                Err(_) => *lost = count,
            }
        }
    }

    /// Tells a client that wants to know it that it has all events so far: with a list of none.
    fn send_mark(&mut self, session: SessionId, out: &mut Vec<Delivery>) {
        let Some(own) = self.observers.sessions.get_mut(&session) else { return };
        let Some(after) = own.wants_mark.take() else { return };
        if after == After::Nothing {
            self.observers.sessions.remove(&session);
        }
        let Some(state) = self.clients.get_mut(&session) else { return };
        if let Ok(parts) = state.channel.say(&Message::Events(Arc::default())) {
            out.extend(state.connection.map(|connection| Delivery::Send(connection, parts)));
        }
    }

    /// Sends events to those who watch and have room for a message.
    fn show(&mut self, piece: &Arc<Events>, out: &mut Vec<Delivery>) {
        let mut watchers = std::mem::take(&mut self.observers.watchers);
        for (&connection, watcher) in &mut watchers {
            if watcher.messages == 0 {
                watcher.lost += piece.lost + piece.list.len() as u64;
                continue;
            }
            watcher.messages -= 1;
            let mut shown = match watcher.sight {
                Sight::All => piece.clone(),
                sight => Arc::new(with_sums(piece, |session| self.is_seen(sight, session))),
            };
            if watcher.detail == Detail::Sums {
                shown = Arc::new(Events::summed([&*shown]));
            }
            let missed = std::mem::take(&mut watcher.lost);
            if missed > 0 {
                Arc::make_mut(&mut shown).lost += missed;
            }
            out.push(Delivery::Send(connection, unsequenced(&Message::Events(shown))));
        }
        self.observers.watchers = watchers;
    }

    /// Time has passed: whoever does not say so any more does not watch.
    pub(super) fn forget_observers(&mut self, now_ns: u64, out: &mut Vec<Delivery>) {
        self.observers.watchers.retain(|_, watcher| watcher.until_ns > now_ns);
        self.forget_owners();
        self.observe(now_ns, out);
    }

    /// Records if somebody observes, and only then.
    fn observe(&mut self, now_ns: u64, out: &mut Vec<Delivery>) {
        let Observers { has_log, sessions, watchers } = &mut self.observers;
        sessions.retain(|session, _| self.clients.contains_key(session));
        let complete = (*has_log || !sessions.is_empty()).then_some(Detail::Each);
        let wanted = watchers.values().map(|watcher| watcher.detail).max();
        let mut outbox = Outbox::default();
        self.dispatcher.observe(complete.max(wanted), &mut outbox);
        self.deliver(now_ns, &mut outbox, out);
    }
}
