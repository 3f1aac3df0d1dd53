//! Larger values on their way between the client and workers.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use gt_core::{Meta, Provenance, RequestId, SessionId, Slot};
use gt_transport::ticket::{Role, Ticket, TransferKind};
use gt_transport::transfers::{Carry, Event};
use gt_transport::{Batch, Failure, FailureId, Message, Value};
use smallvec::SmallVec;

/// What travels apart from messages.
#[derive(Debug)]
pub struct Transfers<C> {
    /// What carries them.
    pub carrier: C,
    session: SessionId,
    numbers: u32,
    /// Uploads that wait for their tickets, by the client's numbers.
    uploads: HashMap<u32, Bytes>,
    /// Answers under way, by tag.
    answers: HashMap<u64, (RequestId, Meta)>,
}

impl<C: Carry> Transfers<C> {
    /// Nothing is under way.
    pub fn new(session: SessionId, carrier: C) -> Self {
        let (uploads, answers) = Default::default();
        Transfers { carrier, session, numbers: 0, uploads, answers }
    }

    /// Takes larger uploads out of a batch, which only announces them.
    pub fn unload(&mut self, batch: &mut Batch) {
        let numbers = &mut self.numbers;
        let detached = batch.detach(|| {
            *numbers = numbers.wrapping_add(1);
            *numbers
        });
        self.uploads.extend(detached);
    }

    /// The dispatcher gives leave to move a value.
    pub fn take_ticket(&mut self, ticket: Ticket) {
        let tag = ticket.tag;
        match (ticket.role, ticket.kind) {
            (Role::Send, TransferKind::Upload(number)) => {
                let Some(data) = self.uploads.remove(&number) else { return };
                self.carrier.take_ticket(ticket);
                self.carrier.send(tag, data);
            }
            (Role::Receive, TransferKind::Answer(request)) => {
                self.answers.insert(tag, (request, ticket.meta.clone()));
                self.carrier.take_ticket(ticket);
            }
            // The rest is for workers.
            _ => {}
        }
    }

    /// A read was answered by message, so nothing will come.
    pub fn answered(&mut self, request: RequestId) {
        let tag = self.answers.iter().find(|(_, (asked, _))| *asked == request);
        if let Some((&tag, _)) = tag {
            self.answers.remove(&tag);
            self.carrier.cancel(tag);
        }
    }

    /// A transfer has ended: the answer for the session, if it was one. What became of an upload
    /// is told by its worker, to whoever needs the value.
    pub fn ended(&mut self, event: Event) -> Option<Message> {
        let session = self.session;
        match event {
            Event::Arrived { tag, data } => {
                let (request, meta) = self.answers.remove(&tag)?;
                let result = Ok(Value { meta, data });
                Some(Message::Answer { session, request, result })
            }
            Event::Failed { tag, error } => {
                let (request, _) = self.answers.remove(&tag)?;
                let error = error.within("a value could not be brought here");
                let (slot, provenance, holders) = (Slot(0), Provenance::UNKNOWN, SmallVec::new());
                let (id, instruction) = (FailureId::NONE, "a transfer".to_string());
                let failure = Failure { id, error, instruction, slot, provenance, holders };
                Some(Message::Answer { session, request, result: Err(Arc::new(failure)) })
            }
            Event::Confirmed { .. } => None,
        }
    }
}
