//! What a running server tells of itself.

use bytes::Bytes;
use gt_core::wire::SOME;
use gt_core::{SessionId, WorkerId};
use gt_transport::Message;
use gt_transport::reliable::unsequenced;
use gt_transport::report::{Report, SessionReport, WorkerReport};

use super::peer_state::PeerState;
use super::sight::{Sight, sum_of_channels, sum_of_sessions};
use super::{ConnectionId, Delivery, Gateway};
use crate::role::Credentials;
use crate::worker_table::Member;

/// Channels of each worker that a report names.
const CHANNELS: usize = 64;

impl Gateway {
    /// How many clients have a session.
    pub fn session_count(&self) -> usize {
        self.clients.len()
    }

    /// About how many bytes of this process the sessions hold.
    pub fn held_bytes(&self) -> usize {
        self.dispatcher.sessions().map(|(_, session)| session.held_bytes()).sum()
    }

    /// What is there at the moment.
    pub fn report(&self, now_ns: u64) -> Report {
        self.report_to(now_ns, Sight::All)
    }

    /// The same, as somebody sees it.
    fn report_to(&self, now_ns: u64, sight: Sight) -> Report {
        let is_seen = |session: SessionId| self.is_seen(sight, session);
        let silent_ns = |state: Option<&PeerState>| {
            state.map_or(0, |state| now_ns.saturating_sub(state.heard_ns))
        };
        let sessions = self.dispatcher.sessions().map(|(id, session)| SessionReport {
            id,
            name: session.name.clone(),
            user: self.clients.get(&id).map_or(String::new(), |state| self.label(state.identity)),
            host: self.clients.get(&id).map_or(String::new(), PeerState::host),
            age_ns: self.clients.get(&id).map_or(0, |state| now_ns.saturating_sub(state.since_ns)),
            share: session.share(),
            connected: self.clients.get(&id).is_some_and(|state| state.connection.is_some()),
            silent_ns: silent_ns(self.clients.get(&id)),
            workers: session.seats().iter().take(SOME).copied().collect(),
            values: session.registry.len() as u64,
            queued: session.queued(),
            modifiers: session.modifiers(),
        });
        let (mut sessions, others): (Vec<_>, Vec<_>) =
            sessions.partition(|session| is_seen(session.id));
        sessions.truncate(SOME - 1);
        sessions.extend(sum_of_sessions(&others));
        let workers = &self.workers;
        let member = |(id, member): (WorkerId, &Member)| WorkerReport {
            id,
            info: member.info.clone(),
            silent_ns: silent_ns(workers.get(&id)),
            used_bytes: member.used_bytes,
            queued: self.dispatcher.queued_at(id),
            is_drained: member.is_drained,
            channels: sum_of_channels(&member.channels.list, CHANNELS, is_seen),
        };
        let workers = self.dispatcher.worker_table().members().map(member).take(SOME).collect();
        let version = env!("CARGO_PKG_VERSION").to_string();
        Report { version, uptime_ns: now_ns, workers, sessions, traffic: self.traffic }
    }

    /// Tells somebody how things are.
    pub(super) fn send_status(
        &mut self,
        now_ns: u64,
        connection: ConnectionId,
        credentials: Credentials,
        out: &mut Vec<Delivery>,
    ) {
        let answer = self.answer(now_ns, credentials, |gateway, sight| {
            Message::Report(Box::new(gateway.report_to(now_ns, sight)))
        });
        out.extend(answer.map(|parts| Delivery::Send(connection, parts)));
    }

    /// Tells somebody where values are that they may see.
    pub(super) fn send_values(
        &mut self,
        now_ns: u64,
        connection: ConnectionId,
        credentials: Credentials,
        out: &mut Vec<Delivery>,
    ) {
        let answer = self.answer(now_ns, credentials, |gateway, sight| {
            let is_seen = |session| gateway.is_seen(sight, session);
            Message::Values(Box::new(gateway.dispatcher.values(is_seen)))
        });
        out.extend(answer.map(|parts| Delivery::Send(connection, parts)));
    }

    /// The answer to somebody who asks, by what they may see; none if they ask too often.
    fn answer(
        &mut self,
        now_ns: u64,
        credentials: Credentials,
        answer: impl FnOnce(&Gateway, Sight) -> Message,
    ) -> Option<Vec<Bytes>> {
        let may_ask = self.questions.may_ask(now_ns, credentials.identity);
        may_ask.then(|| unsequenced(&answer(self, credentials.into())))
    }
}
