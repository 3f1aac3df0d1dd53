//! How much others may cost, and how long anything may take.

use std::time::Duration;

/// The bounds of the data plane of one process.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections of those who have shown a key.
    pub connections: usize,
    /// Connections of those who have not. If more come, the oldest goes.
    pub strangers: usize,
    /// Those among them that come from one address, or are of one user.
    pub strangers_of_one: usize,
    /// How long somebody may take to show a key; a third of it if it is this side that connects,
    /// because there may be another way.
    pub handshake: Duration,
    /// How long a value that was offered waits for the word that it is wanted.
    pub ticket_wait: Duration,
    /// How long a peer may be silent while something is to come from it or to go there.
    pub silence: Duration,
    /// A direct connection that carries fewer bytes while a peer may be silent, and answers
    /// nothing, gives way to the relay.
    pub least_bytes: usize,
    /// How long one attempt to connect may take, and how long only the direct way is tried.
    pub connect: Duration,
    /// How long to wait after an attempt that failed.
    pub retry: Duration,
    /// How long two processes may be apart before what was to travel between them fails.
    pub give_up: Duration,
    /// How long a connection without work is kept, and a relay waits for the other side.
    pub idle: Duration,
    /// The most bytes that one chunk has, at most [`super::CHUNK_BYTES`].
    pub chunk: usize,
    /// Values up to this size leave without a grant …
    pub eager: usize,
    /// … as long as so many bytes of them at most are unconfirmed for each peer.
    pub eager_total: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 1024,
            strangers: 64,
            strangers_of_one: 16,
            handshake: Duration::from_secs(10),
            ticket_wait: Duration::from_secs(30),
            silence: Duration::from_secs(15),
            least_bytes: 64 << 10,
            connect: Duration::from_secs(1),
            retry: Duration::from_millis(100),
            give_up: Duration::from_secs(20),
            idle: Duration::from_secs(60),
            chunk: super::CHUNK_BYTES,
            eager: 64 << 10,
            eager_total: 1 << 20,
        }
    }
}
