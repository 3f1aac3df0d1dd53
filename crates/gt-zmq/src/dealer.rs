//! The side that connects to a router.

use std::time::Duration;

use bytes::Bytes;

use crate::context::Context;
use crate::link::Link;
use crate::socket::Socket;
use crate::{Endpoint, Options, Result, SendError, ffi};

/// What a dealer or a subscriber hears. After any of the last three nothing more comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DealerEvent {
    /// A message, of at least one frame.
    Message(Vec<Bytes>),
    /// The peer has introduced itself and accepts this side.
    Connected,
    /// Nobody listens at the address, or nobody answers there.
    Refused(String),
    /// Somebody answers, but the keys do not fit, this side is not admitted, or it is no ZeroMQ.
    Rejected(String),
    /// The connection has ended, after all messages that had arrived.
    Gone,
}

/// One connection to a router. It is not made again when it ends.
pub struct Dealer {
    link: Link,
}

impl Dealer {
    /// Begins to connect; `receive` tells how it went. What is sent meanwhile waits.
    pub fn connect(context: &Context, endpoint: &Endpoint, options: &Options) -> Result<Dealer> {
        let socket = Socket::open(context, ffi::ZMQ_DEALER, options)?;
        Ok(Dealer { link: Link::with_farewell(context, socket, endpoint)? })
    }

    /// Sends a message of at least one frame, whole or not at all; never waits.
    pub fn send(&mut self, frames: &[Bytes]) -> std::result::Result<(), SendError> {
        self.link.socket().ok_or(SendError::Gone)?.send_all(frames, None)
    }

    /// What has happened, if anything; never waits.
    pub fn receive(&mut self) -> Result<Option<DealerEvent>> {
        self.link.receive()
    }

    /// Closes the connection. What waits to leave is dropped with a plain drop; here it may still
    /// leave for so long, while the caller goes on.
    pub fn close_after(self, linger: Duration) {
        if let Some(socket) = self.link.into_socket() {
            socket.close_after(linger);
        }
    }

    pub(crate) fn link(&self) -> &Link {
        &self.link
    }
}
