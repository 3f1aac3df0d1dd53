//! The relay: two processes that cannot reach each other meet here, and what one says is passed on
//! to the other. What they say to each other is sealed, and the relay holds a few bytes of it at
//! most.

use std::sync::atomic::Ordering::Relaxed;

use super::carrier::Carrier;
use super::connection::{Broken, Phase};
use crate::Peer;
use crate::transfers::machine::ConnectionId;

/// Bytes that wait for somebody who is slow.
const BUFFER_BYTES: usize = 256 << 10;
/// What tells both that the other one is there.
const MET: u8 = 1;

impl Carrier {
    /// Somebody has come to meet somebody.
    pub fn join(&mut self, id: ConnectionId, from: Peer, mate: Peer) {
        let of = |one: Peer, other: Peer| {
            let is_it = |phase: &Phase| match phase {
                Phase::Waiting { from, mate } => *from == one && *mate == other,
                _ => false,
            };
            let found = self.connections.iter().filter(|(other, _)| **other != id);
            found.filter(|(_, c)| is_it(&c.phase)).map(|(id, _)| *id).next_back()
        };
        let (before, waiting) = (of(from, mate), of(mate, from));
        if let Some(before) = before {
            self.lose(before, "it came again");
        }
        let Some(other) = waiting else { return };
        for (one, other) in [(id, other), (other, id)] {
            if let Some(connection) = self.connections.get_mut(&one) {
                connection.phase = Phase::Spliced(other);
                connection.raw.push(MET);
            }
        }
    }

    /// Whether somebody can take more.
    pub fn has_room(&self, id: ConnectionId) -> bool {
        self.connections.get(&id).is_some_and(|connection| connection.raw.len() < BUFFER_BYTES)
    }

    /// Passes on what came.
    pub fn pass_on(&mut self, from: ConnectionId, to: ConnectionId) -> Result<(), Broken> {
        if !self.has_room(to) {
            return Ok(());
        }
        let mut bytes = vec![0; BUFFER_BYTES];
        let Some(connection) = self.connections.get(&from) else { return Ok(()) };
        let Some((count, _)) = connection.socket.read(&mut bytes)? else { return Ok(()) };
        self.shared.relayed_bytes.fetch_add(count as u64, Relaxed);
        if let Some(other) = self.connections.get_mut(&to) {
            other.raw.extend_from_slice(&bytes[..count]);
        }
        Ok(())
    }
}
