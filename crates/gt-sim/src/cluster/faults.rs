//! What may go wrong in a simulated cluster.

use super::{Defect, MEMORY_BYTES};
use crate::data_network::{Troubles, Ways};

/// What may go wrong, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// What becomes of connections for data, at any byte.
    pub data: Troubles,
    /// Connections between a client and the dispatcher that break.
    pub breaks: usize,
    /// Connections to the dispatcher over which nothing comes for a while.
    pub delays: usize,
    /// Workers that end; another one takes their place.
    pub crashes: usize,
    /// Orders to drain a worker, or to take it back. One that ends is often drained.
    pub drains: usize,
    /// Workers that are stopped for a while, some of them for too long.
    pub stops: usize,
    /// Clients that end without a word.
    pub client_crashes: usize,
    /// Clients that are stopped for a while.
    pub client_stops: usize,
    /// Dispatchers that end; another one takes their place.
    pub dispatcher_crashes: usize,
    /// Which ways there are for data.
    pub ways: Ways,
    /// How much memory all workers have together.
    pub memory_bytes: usize,
    /// A mistake that is made on purpose.
    pub defect: Option<Defect>,
}

impl Faults {
    /// Nothing goes wrong.
    pub const NONE: Faults = Faults {
        data: Troubles::NONE,
        breaks: 0,
        delays: 0,
        crashes: 0,
        drains: 0,
        stops: 0,
        client_crashes: 0,
        client_stops: 0,
        dispatcher_crashes: 0,
        ways: Ways::Direct,
        memory_bytes: MEMORY_BYTES,
        defect: None,
    };

    /// Whether values may be lost.
    pub fn may_lose(&self) -> bool {
        self.crashes + self.stops + self.dispatcher_crashes > 0
    }
}
