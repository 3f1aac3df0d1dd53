//! A place at the desk: a channel, and the connection that carries it at the moment.

use std::net::IpAddr;

use bytes::Bytes;
use gt_core::Result;
use gt_transport::Message;
use gt_transport::codec::Limits;
use gt_transport::reliable::{Heard, ReliableChannel, open_unsequenced, unsequenced};

use super::{ConnectionId, Delivery};
use crate::role::{Credentials, Identity};

/// After so many messages the other side hears that they have arrived.
const CONFIRM_EVERY: u64 = 32;

/// Somebody who is there, or may come back.
#[derive(Debug)]
pub(super) struct PeerState {
    pub(super) channel: ReliableChannel,
    pub(super) connection: Option<ConnectionId>,
    /// Who it is, as far as it was proven.
    pub(super) identity: Identity,
    /// Its host; none for a process of the dispatcher's host.
    pub(super) address: Option<IpAddr>,
    /// When it came.
    pub(super) since_ns: u64,
    pub(super) heard_ns: u64,
    unconfirmed: u64,
    /// The bytes that it was last told its workers use.
    told_bytes: u64,
}

impl PeerState {
    pub(super) fn new(
        channel: ReliableChannel,
        (connection, credentials): (ConnectionId, Credentials),
        now_ns: u64,
    ) -> Self {
        let Credentials { identity, address, .. } = credentials;
        let (since_ns, heard_ns, connection) = (now_ns, now_ns, Some(connection));
        let (unconfirmed, told_bytes) = (0, 0);
        PeerState {
            channel,
            connection,
            identity,
            address,
            since_ns,
            heard_ns,
            unconfirmed,
            told_bytes,
        }
    }

    /// What people call its host.
    pub(super) fn host(&self) -> String {
        self.address.map_or("localhost".to_string(), |address| address.to_string())
    }

    /// The word that the dispatcher is there, and what has arrived.
    pub(super) fn heartbeat(&mut self, used_bytes: u64) -> Option<Delivery> {
        self.unconfirmed = 0;
        self.told_bytes = used_bytes;
        let received = self.channel.received();
        Some(Delivery::Send(
            self.connection?,
            unsequenced(&Message::Heartbeat { received, used_bytes }),
        ))
    }

    /// The same, if it was last told something else.
    pub(super) fn tell_memory(&mut self, used_bytes: u64) -> Option<Delivery> {
        if self.told_bytes == used_bytes { None } else { self.heartbeat(used_bytes) }
    }

    /// The same, if the other side keeps much because it does not know what has arrived.
    pub(super) fn confirm_in_time(&mut self, used_bytes: u64) -> Option<Delivery> {
        if self.unconfirmed < CONFIRM_EVERY {
            return None;
        }
        self.heartbeat(used_bytes)
    }

    /// The message that arrived, if it is a new one.
    pub(super) fn listen(&mut self, parts: Vec<Bytes>) -> Result<Option<Message>> {
        if let Some(message) = open_unsequenced(&parts, &Limits::CONTROL)? {
            if let Message::Heartbeat { received, .. } = &message {
                self.channel.confirm(*received)?;
            }
            return Ok(Some(message));
        }
        self.unconfirmed += 1;
        match self.channel.hear(parts, &Limits::CONTROL)? {
            Heard::New(message) => Ok(Some(message)),
            Heard::Known => Ok(None),
        }
    }
}
