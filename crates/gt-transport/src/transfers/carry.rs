//! What carries values for whoever has them or waits for them.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::SessionId;

use super::buffer_source::Buffer;
use super::plane::DataPlane;
use crate::Peer;
use crate::ticket::Ticket;

/// The data plane of a process, or a simulated one.
pub trait Carry {
    /// A value may travel. One that comes here is put into memory of the carrier.
    fn take_ticket(&mut self, ticket: Ticket);
    /// A value may come here, into memory of exactly its length.
    fn take_ticket_into(&mut self, ticket: Ticket, buffer: Box<dyn Buffer>);
    /// Here is a value that a ticket allows to send.
    fn send(&mut self, tag: u64, data: Bytes);
    /// Gives a transfer up; nobody is told here.
    fn cancel(&mut self, tag: u64);
    /// A session is over, and with it its transfers.
    fn forget(&mut self, session: SessionId);
    /// A peer is away and may come back, or has come back.
    fn set_away(&mut self, peer: Peer, is_away: bool);
}

impl Carry for Arc<DataPlane> {
    fn take_ticket(&mut self, ticket: Ticket) {
        DataPlane::take_ticket(self, ticket);
    }

    fn take_ticket_into(&mut self, ticket: Ticket, buffer: Box<dyn Buffer>) {
        DataPlane::take_ticket_into(self, ticket, buffer);
    }

    fn send(&mut self, tag: u64, data: Bytes) {
        DataPlane::send(self, tag, data);
    }

    fn cancel(&mut self, tag: u64) {
        DataPlane::cancel(self, tag);
    }

    fn forget(&mut self, session: SessionId) {
        DataPlane::forget(self, session);
    }

    fn set_away(&mut self, peer: Peer, is_away: bool) {
        DataPlane::set_away(self, peer, is_away);
    }
}
