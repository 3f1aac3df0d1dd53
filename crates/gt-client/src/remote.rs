//! A session whose dispatcher and workers are other processes.

use gt_zmq::Endpoint;

/// How a session elsewhere is reached.
pub struct RemoteOptions {
    /// Where the dispatcher listens.
    pub endpoint: Endpoint,
    /// What people call it in messages: `node7:12345`.
    pub address: String,
    /// Who the client is, for people.
    pub name: String,
    /// How many workers it wants; all there are if absent.
    pub workers: Option<u32>,
    /// Whether every operation waits for its result.
    pub sync: bool,
}
