//! Bounds on what may wait, and on how long silence is borne.

use std::time::Duration;

/// Bounds of a socket, which hold for each of its connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// A peer that sends a larger message, or one of more than 64 frames, is disconnected while it
    /// does so.
    pub max_message_bytes: usize,
    /// How many messages may wait to leave for one peer; at least one.
    pub send_high_water: u32,
    /// How many messages of one peer may wait to be received; at least one. Beyond it the peer's
    /// own messages wait on its side.
    pub receive_high_water: u32,
    /// How often a peer is asked for a sign of life, which libzmq's own thread gives however busy
    /// the program is; zero for never.
    pub heartbeat: Duration,
    /// After how much silence a connection is given up.
    pub heartbeat_timeout: Duration,
    /// For how long the peer is asked to bear our own silence.
    pub borne_silence: Duration,
    /// How long a host may take to answer at all, and then a peer to introduce itself.
    pub connect_timeout: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_message_bytes: 16 << 20,
            send_high_water: 1_000,
            receive_high_water: 1_000,
            heartbeat: Duration::from_secs(1),
            heartbeat_timeout: Duration::from_secs(5),
            borne_silence: Duration::from_secs(5),
            connect_timeout: Duration::from_secs(5),
        }
    }
}
