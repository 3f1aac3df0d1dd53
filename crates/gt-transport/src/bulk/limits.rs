//! How much strangers may cost, and how long anything may take.

use std::time::Duration;

/// The bounds of a depot or a courier.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections of those who have shown a key that a depot serves at once.
    pub connections: usize,
    /// Connections of those who have not. If more come, the oldest goes.
    pub strangers: usize,
    /// Those among them that come from one address, or are of one user.
    pub strangers_of_one: usize,
    /// Requests that wait for a ticket that is not there yet.
    pub requests: usize,
    /// How long a request waits for its ticket, and a stranger may stay.
    pub ticket_wait: Duration,
    /// How long a transfer under way may bring no byte.
    pub stall: Duration,
    /// How long it may take to reach a peer.
    pub connect: Duration,
    /// Shared memory that a depot lends to those who fetch, over all connections.
    pub segment_bytes: usize,
    /// How long shared memory that nobody uses is kept.
    pub segment_idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 1024,
            strangers: 64,
            strangers_of_one: 16,
            requests: 1 << 16,
            ticket_wait: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            connect: Duration::from_secs(1),
            segment_bytes: 1 << 30,
            segment_idle: Duration::from_secs(10),
        }
    }
}
