//! How a server is set up: where it listens, and for whom.

use std::path::PathBuf;

use gt_core::event::EventSink;
use gt_zmq::{IpcAccess, TcpSecurity};

use crate::gateway::Timeouts;
use crate::policy::PolicyUpdate;
use crate::role::Groups;

/// How a server is set up.
pub struct Options {
    /// Unix sockets for processes of this host.
    pub local: Option<Local>,
    /// A TCP port for everybody else: host and port, and how it is protected.
    pub tcp: Option<(String, TcpSecurity)>,
    /// The TCP address of the relay: host and port, where port 0 is a free one.
    pub relay: Option<String>,
    /// The host that others reach the relay by, if it is not the one it listens on.
    pub advertise: Option<String>,
    /// How long somebody may be away.
    pub timeouts: Timeouts,
    /// Who is interested in events.
    pub sink: Option<Box<dyn EventSink>>,
    /// What users may have, and what they may have instead while it runs.
    pub policy: PolicyUpdate,
}

/// Unix sockets, and who may connect to them.
pub struct Local {
    /// Where clients and workers connect.
    pub control: PathBuf,
    /// Where those connect who only watch.
    pub monitor: PathBuf,
    /// Where tensor data passes that finds no other way.
    pub relay: PathBuf,
    /// Who may.
    pub access: IpcAccess,
    /// What they may be there.
    pub groups: Groups,
}
