//! A place at the desk: a conversation, and the connection that carries it at the moment.

use bytes::Bytes;
use gt_core::Result;
use gt_transport::Message;
use gt_transport::codec::Limits;
use gt_transport::conversation::{Conversation, Heard, aside, open_aside};

use super::{Delivery, Line};

/// After so many messages the other side hears that they have arrived.
const CONFIRM_EVERY: u64 = 32;

/// Somebody who is there, or may come back.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) conversation: Conversation,
    pub(super) line: Option<Line>,
    pub(super) heard_ns: u64,
    unconfirmed: u64,
    /// The bytes that it was last told its workers use.
    told_bytes: u64,
}

impl Seat {
    pub(super) fn new(conversation: Conversation, line: Line, heard_ns: u64) -> Self {
        Seat { conversation, line: Some(line), heard_ns, unconfirmed: 0, told_bytes: 0 }
    }

    /// The word that the dispatcher is there, and what has arrived.
    pub(super) fn beat(&mut self, used_bytes: u64) -> Option<Delivery> {
        self.unconfirmed = 0;
        self.told_bytes = used_bytes;
        let received = self.conversation.received();
        Some(Delivery::Send(self.line?, aside(&Message::Beat { received, used_bytes })))
    }

    /// The same, if it was last told something else.
    pub(super) fn tell_memory(&mut self, used_bytes: u64) -> Option<Delivery> {
        if self.told_bytes == used_bytes { None } else { self.beat(used_bytes) }
    }

    /// The same, if the other side keeps much because it does not know what has arrived.
    pub(super) fn confirm_in_time(&mut self, used_bytes: u64) -> Option<Delivery> {
        if self.unconfirmed < CONFIRM_EVERY {
            return None;
        }
        self.beat(used_bytes)
    }

    /// The message that arrived, if it is a new one.
    pub(super) fn listen(&mut self, parts: Vec<Bytes>) -> Result<Option<Message>> {
        if let Some(message) = open_aside(&parts, &Limits::CONTROL)? {
            if let Message::Beat { received, .. } = &message {
                self.conversation.confirm(*received)?;
            }
            return Ok(Some(message));
        }
        self.unconfirmed += 1;
        match self.conversation.hear(parts, &Limits::CONTROL)? {
            Heard::New(message) => Ok(Some(message)),
            Heard::Known => Ok(None),
        }
    }
}
