//! What the operator of a server wants done.

use gt_core::{SessionId, WorkerId};
use serde::{Deserialize, Serialize};

/// An order of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// End a session; its client is told.
    Kill(SessionId),
    /// Compute nothing more for a session until it is resumed.
    Pause(SessionId),
    /// Go on with a session that was paused.
    Resume(SessionId),
    /// Move everything away from a worker, and give it nothing more.
    DrainWorker(WorkerId),
    /// Use a worker again.
    UndrainWorker(WorkerId),
    /// Take no more sessions; those that are there go on.
    Drain,
    /// Take sessions again.
    Undrain,
}
