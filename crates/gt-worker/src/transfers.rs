//! Where larger values come and go: each by a ticket of the dispatcher, straight from or to another
//! process. Small ones and failures travel inside messages.

use std::collections::HashMap;
use std::sync::Arc;

use gt_core::{Meta, Provenance, RequestId, SessionId, Slot, WorkerId};
use gt_transport::ticket::{Role, Ticket, TransferKind};
use gt_transport::transfers::{Carry, Event};
use gt_transport::{Failure, FailureId, Message, Value};
use smallvec::SmallVec;

/// The transfers of a worker.
#[derive(Debug)]
pub struct Transfers<C> {
    /// What carries them.
    pub carrier: C,
    /// Values that will arrive.
    expected: HashMap<u64, Expected>,
    /// Values for other workers that may leave.
    handovers: HashMap<u64, SendGrant>,
    /// Reads whose answers go another way than by message.
    answers: HashMap<(SessionId, RequestId), SendGrant>,
}

#[derive(Debug)]
struct Expected {
    session: SessionId,
    meta: Meta,
}

/// Leave to send a value apart from messages.
#[derive(Debug)]
struct SendGrant {
    session: SessionId,
    tag: u64,
}

impl<C: Carry> Transfers<C> {
    /// Nothing is under way.
    pub fn new(carrier: C) -> Self {
        let (expected, handovers, answers) = Default::default();
        Transfers { carrier, expected, handovers, answers }
    }

    /// The dispatcher gives leave to move a value.
    pub fn take_ticket(&mut self, ticket: Ticket) {
        let Ticket { session, tag, role, kind, .. } = ticket;
        match (role, kind) {
            (Role::Receive, TransferKind::Upload { .. } | TransferKind::Handover) => {
                let meta = ticket.meta.clone();
                self.expected.insert(tag, Expected { session, meta });
            }
            (Role::Send, TransferKind::Handover) => {
                self.handovers.insert(tag, SendGrant { session, tag });
            }
            (Role::Send, TransferKind::Answer(request)) => {
                self.answers.insert((session, request), SendGrant { session, tag });
            }
            // Only clients upload, and only they want answers.
            (Role::Send, TransferKind::Upload { .. })
            | (Role::Receive, TransferKind::Answer(_)) => {
                return;
            }
        }
        self.carrier.take_ticket(ticket);
    }

    /// Sends a message of the worker: its larger data by another way, the rest to the dispatcher.
    pub fn dispatch(&mut self, message: Message) -> Option<Message> {
        match message {
            Message::Answer { session, request, result } => {
                let grant = self.answers.remove(&(session, request));
                match (grant, result) {
                    (Some(grant), Ok(Value { data, .. })) => {
                        self.carrier.send(grant.tag, data);
                        None
                    }
                    (grant, result) => {
                        grant.into_iter().for_each(|grant| self.carrier.cancel(grant.tag));
                        Some(Message::Answer { session, request, result })
                    }
                }
            }
            Message::Handover { session, to, tag, meta, result } => {
                match (self.handovers.remove(&tag), result) {
                    (Some(_), Ok(data)) => {
                        self.carrier.send(tag, data);
                        None
                    }
                    (grant, result) => {
                        grant.into_iter().for_each(|grant| self.carrier.cancel(grant.tag));
                        Some(Message::Handover { session, to, tag, meta, result })
                    }
                }
            }
            other => Some(other),
        }
    }

    /// A message hands over why a larger value does not come.
    pub fn give_up(&mut self, tag: u64) {
        if self.expected.remove(&tag).is_some() {
            self.carrier.cancel(tag);
        }
    }

    /// A session is over: nothing of it comes or goes any more.
    pub fn forget(&mut self, session: SessionId) {
        self.carrier.forget(session);
        self.expected.retain(|_, expected| expected.session != session);
        self.handovers.retain(|_, grant| grant.session != session);
        self.answers.retain(|_, grant| grant.session != session);
    }

    /// A transfer has ended: the handover for the worker, if a value arrived that it waits for, or
    /// will not. Whoever waits for a value that left learns at its own side whether it came.
    pub fn ended(&mut self, event: Event) -> Option<Message> {
        let (tag, result) = match event {
            Event::Arrived { tag, data } => (tag, Ok(data)),
            Event::Failed { tag, error } => {
                let (slot, provenance, holders) = (Slot(0), Provenance::UNKNOWN, SmallVec::new());
                let (id, instruction) = (FailureId::NONE, "a transfer".to_string());
                let failure = Failure { id, error, instruction, slot, provenance, holders };
                (tag, Err(Arc::new(failure)))
            }
            Event::Confirmed { .. } => return None,
        };
        let Expected { session, meta } = self.expected.remove(&tag)?;
        // A worker knows itself; the field is for the way between workers.
        Some(Message::Handover { session, to: WorkerId(0), tag, meta, result })
    }
}
