//! Who observes, and what they are shown.

use std::collections::HashMap;

use gt_core::event::{Detail, Event, Events, Station};
use gt_core::instruction::Command;
use gt_core::{ScopeId, SessionId, WorkerId};
use gt_transport::{Batch, Message, Peer};

use super::Dispatcher;
use crate::outbox::Outbox;
use crate::recording::{Recording, peer_event};

impl Dispatcher {
    /// Begins or ends to record what happens, in so much detail; workers measure meanwhile how long
    /// commands take.
    pub fn observe(&mut self, detail: Option<Detail>, out: &mut Outbox) {
        let (was_on, on) = (self.recording.is_on(), detail.is_some());
        self.recording.switch(detail);
        if on == was_on {
            return;
        }
        for (worker, _) in self.worker_table.members() {
            out.send(Peer::Worker(worker), Message::Record { on });
        }
    }

    /// What was recorded.
    pub fn recording(&mut self) -> &mut Recording {
        &mut self.recording
    }

    /// Who is there, as events, for whoever begins to observe in the middle of it.
    pub fn introduction(&self, now_ns: u64) -> Events {
        let mut events = Events::default();
        for (worker, member) in self.worker_table.members() {
            let event = peer_event(now_ns, Station::Connected, SessionId(0), Some(worker));
            events.push(event, member.info.name.as_bytes());
        }
        for (&id, session) in &self.sessions {
            let event = peer_event(now_ns, Station::Connected, id, None);
            events.push(event, session.name.as_bytes());
            for (&scope, name) in &session.trail.names {
                let (parent, name) = (ScopeId::ROOT, name.clone());
                let mut batch = Batch::default();
                batch.push(&Command::DefineScope { scope, parent, name, wish: None });
                let event = Event::new(now_ns, Station::Received, id);
                events.push(event.about(0, batch.records[0]), batch.beside(0).0);
            }
        }
        events
    }

    /// Records what a step wants sent: commands to workers, and answers to clients.
    pub(super) fn record_outbox(&mut self, now_ns: u64, before: usize, out: &Outbox) {
        if !self.recording.is_on() {
            return;
        }
        let messages = out.since(before);
        // The commands of all batches for a worker were counted when they were taken.
        let mut left: HashMap<(SessionId, WorkerId), u64> = HashMap::new();
        for (to, message) in messages {
            if let (Peer::Worker(worker), Message::Commands { session, batch }) = (to, message) {
                *left.entry((*session, *worker)).or_default() += batch.len() as u64;
            }
        }
        for (to, message) in messages {
            match (to, message) {
                (Peer::Worker(worker), Message::Commands { session, batch }) => {
                    let Some(open) = self.sessions.get_mut(session) else { continue };
                    let progress = open.progress(*worker);
                    let of_both = (*session, *worker);
                    let later = left.entry(of_both).or_default();
                    let position = progress.sent.saturating_sub(*later);
                    *later -= batch.len() as u64;
                    self.recording.send(now_ns, of_both, (position, batch), progress);
                }
                (Peer::Client(session), Message::Answer { request, result, .. }) => {
                    self.recording.answer(now_ns, *session, *request, result);
                }
                _ => {}
            }
        }
    }
}
