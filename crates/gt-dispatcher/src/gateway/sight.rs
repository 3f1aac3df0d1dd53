//! What somebody may see of a server that others use too: everything about sessions of their own,
//! and sums about those of others. Whoever runs the server sees everything.

use gt_core::SessionId;
use gt_core::event::{Event, Events, Sums};
use gt_transport::Peer;
use gt_transport::report::{ChannelTraffic, SessionReport};
use gt_transport::share::Share;

use super::Gateway;
use crate::role::{Credentials, Identity, Role};

/// The session that stands for those of others.
const OTHERS: SessionId = SessionId(0);

/// Whose sessions somebody sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    All,
    Own(Identity),
}

impl From<Credentials> for Sight {
    fn from(credentials: Credentials) -> Sight {
        match credentials.role {
            Some(Role::Operator) => Sight::All,
            _ => Sight::Own(credentials.identity),
        }
    }
}

impl Gateway {
    /// Whether somebody sees a session.
    pub(super) fn is_seen(&self, sight: Sight, session: SessionId) -> bool {
        match sight {
            Sight::All => true,
            Sight::Own(identity) => self.owners.get(&session) == Some(&identity),
        }
    }

    /// Forgets whose the sessions were that are over, once everybody has seen the end of them.
    pub(super) fn forget_owners(&mut self) {
        if self.dispatcher.recording().waiting() == 0 {
            self.owners.retain(|session, _| self.clients.contains_key(session));
        }
    }
}

/// The events that somebody sees. What workers do for others is told as one event for each worker
/// and operation: how much there was of it, and how long it took.
pub(super) fn with_sums(events: &Events, is_seen: impl Fn(SessionId) -> bool) -> Events {
    let mut sums = Sums::default();
    let mut shown = Events { lost: events.lost, ..Events::default() };
    let last = events.list.last().map_or((0, 0), |last| (last.number, last.time_ns));
    for (event, beside) in events.iter() {
        if event.session == OTHERS.0 || is_seen(SessionId(event.session)) {
            shown.push(*event, beside);
        } else if event.has_command() {
            sums.add(&Event { session: OTHERS.0, ..*event });
        }
    }
    sums.append_to(&mut shown, last);
    shown
}

/// The same for what somebody is told of those who were there before: nothing of others.
pub(super) fn without_others(events: &Events, is_seen: impl Fn(SessionId) -> bool) -> Events {
    let mut shown = Events { lost: events.lost, ..Events::default() };
    for (event, beside) in events.iter() {
        if event.session == OTHERS.0 || is_seen(SessionId(event.session)) {
            shown.push(*event, beside);
        }
    }
    shown
}

/// Sessions of others, as one.
pub(super) fn sum_of_sessions(others: &[SessionReport]) -> Option<SessionReport> {
    let first = others.first()?;
    let sum =
        |what: fn(&SessionReport) -> u64| others.iter().map(what).fold(0, u64::saturating_add);
    Some(SessionReport {
        id: OTHERS,
        name: format!("{} of others", others.len()),
        user: String::new(),
        host: String::new(),
        age_ns: others.iter().map(|one| one.age_ns).max().unwrap_or_default(),
        share: Share::default(),
        connected: others.iter().any(|one| one.connected),
        silent_ns: others.iter().map(|one| one.silent_ns).min().unwrap_or(first.silent_ns),
        workers: Vec::new(),
        values: sum(|one| one.values),
        queued: sum(|one| one.queued),
        modifiers: Default::default(),
    })
}

/// Channels, with those of clients that somebody does not see as one.
pub(super) fn sum_of_channels(
    channels: &[ChannelTraffic],
    most: usize,
    is_seen: impl Fn(SessionId) -> bool,
) -> Vec<ChannelTraffic> {
    let mut shown: Vec<ChannelTraffic> = Vec::new();
    for channel in channels {
        let peer = match channel.peer {
            Peer::Client(session) if !is_seen(session) => Peer::Client(OTHERS),
            peer => peer,
        };
        let hidden = Peer::Client(OTHERS);
        match shown.iter().position(|known| known.peer == peer && peer == hidden) {
            Some(at) => {
                let known = &mut shown[at];
                known.bytes_in = known.bytes_in.saturating_add(channel.bytes_in);
                known.bytes_out = known.bytes_out.saturating_add(channel.bytes_out);
            }
            None if shown.len() < most => shown.push(ChannelTraffic { peer, ..*channel }),
            None => {}
        }
    }
    shown
}
