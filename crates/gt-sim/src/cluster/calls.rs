//! What the data plane of a simulated process is told, until its machine hears it.

use bytes::Bytes;
use gt_core::SessionId;
use gt_transport::Peer;
use gt_transport::ticket::Ticket;
use gt_transport::transfers::{Buffer, Carry};

/// What a data plane is told, until the machine hears it.
#[derive(Default)]
pub(super) struct Calls(pub Vec<Call>);

/// One thing that it is told.
pub(super) enum Call {
    Ticket(Box<Ticket>, Option<Box<dyn Buffer>>),
    Send(u64, Bytes),
    Cancel(u64),
    Forget(SessionId),
    Away(Peer, bool),
}

impl Carry for Calls {
    fn take_ticket(&mut self, ticket: Ticket) {
        self.0.push(Call::Ticket(Box::new(ticket), None));
    }

    fn take_ticket_into(&mut self, ticket: Ticket, buffer: Box<dyn Buffer>) {
        self.0.push(Call::Ticket(Box::new(ticket), Some(buffer)));
    }

    fn send(&mut self, tag: u64, data: Bytes) {
        self.0.push(Call::Send(tag, data));
    }

    fn cancel(&mut self, tag: u64) {
        self.0.push(Call::Cancel(tag));
    }

    fn forget(&mut self, session: SessionId) {
        self.0.push(Call::Forget(session));
    }

    fn set_away(&mut self, peer: Peer, is_away: bool) {
        self.0.push(Call::Away(peer, is_away));
    }
}
