//! What a step wants sent.

use std::sync::Arc;

use gt_core::SessionId;
use gt_transport::{Batch, Message, Peer};

/// Messages on their way out, in order.
#[derive(Debug, Default)]
pub struct Outbox {
    messages: Vec<(Peer, Message)>,
}

impl Outbox {
    /// Asks for a message to be sent.
    pub fn send(&mut self, to: Peer, message: Message) {
        self.messages.push((to, message));
    }

    /// Asks for commands to be sent, if there are any.
    pub fn send_commands(&mut self, to: Peer, session: SessionId, batch: Arc<Batch>) {
        if !batch.is_empty() {
            self.send(to, Message::Commands { session, batch });
        }
    }

    /// How many messages are to be sent.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// The messages from the `first` on.
    pub fn since(&self, first: usize) -> &[(Peer, Message)] {
        self.messages.get(first..).unwrap_or_default()
    }

    /// Whether nothing is to be sent.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Everything asked for, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = (Peer, Message)> {
        self.messages.drain(..)
    }
}
