//! What a running server tells of itself.

use gt_core::WorkerId;
use gt_core::wire::SOME;
use gt_transport::Message;
use gt_transport::reliable::unsequenced;
use gt_transport::report::{Report, SessionReport, WorkerReport};

use super::peer_state::PeerState;
use super::{ConnectionId, Delivery, Gateway};
use crate::worker_table::Member;

/// Channels of each worker that a report names.
const CHANNELS: usize = 64;

impl Gateway {
    /// What is there at the moment.
    pub fn report(&self, now_ns: u64) -> Report {
        let silent_ns = |state: Option<&PeerState>| {
            state.map_or(0, |state| now_ns.saturating_sub(state.heard_ns))
        };
        let sessions = self.dispatcher.sessions().map(|(id, session)| SessionReport {
            id,
            name: session.name.clone(),
            connected: self.clients.get(&id).is_some_and(|state| state.connection.is_some()),
            silent_ns: silent_ns(self.clients.get(&id)),
            workers: session.places().iter().take(SOME).copied().collect(),
            values: session.registry.len() as u64,
            queued: session.queued(),
            modifiers: session.modifiers(),
        });
        let sessions = sessions.take(SOME).collect();
        let workers = &self.workers;
        let member = |(id, member): (WorkerId, &Member)| WorkerReport {
            id,
            info: member.info.clone(),
            silent_ns: silent_ns(workers.get(&id)),
            used_bytes: member.used_bytes,
            queued: self.dispatcher.queued_at(id),
            channels: member.channels.list.iter().take(CHANNELS).copied().collect(),
        };
        let workers = self.dispatcher.worker_table().members().map(member).take(SOME).collect();
        let version = env!("CARGO_PKG_VERSION").to_string();
        Report { version, uptime_ns: now_ns, workers, sessions, traffic: self.traffic }
    }

    pub(super) fn send_status(
        &mut self,
        now_ns: u64,
        connection: ConnectionId,
        out: &mut Vec<Delivery>,
    ) {
        let report = Message::Report(Box::new(self.report(now_ns)));
        out.push(Delivery::Send(connection, unsequenced(&report)));
    }
}
