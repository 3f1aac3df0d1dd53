//! What carries values for whoever has them or waits for them.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::SessionId;

use super::plane::DataPlane;
use crate::ticket::Ticket;

/// The data plane of a process, or a simulated one.
pub trait Carry {
    /// A value may travel.
    fn take_ticket(&mut self, ticket: Ticket);
    /// Here is a value that a ticket allows to send.
    fn send(&mut self, tag: u64, data: Bytes);
    /// Gives a transfer up; nobody is told here.
    fn cancel(&mut self, tag: u64);
    /// A session is over, and with it its transfers.
    fn forget(&mut self, session: SessionId);
}

impl Carry for Arc<DataPlane> {
    fn take_ticket(&mut self, ticket: Ticket) {
        DataPlane::take_ticket(self, ticket);
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
}
