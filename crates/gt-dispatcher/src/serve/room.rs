//! What the process of a server may use: descriptors, and memory, which it gives back.

use gt_core::Result;
pub(super) use gt_transport::heap::Leftovers;

use super::cannot_listen;

/// Where sessions held less, their end leaves nothing worth giving back.
const MUCH_HELD: usize = 4 << 20;

/// Some descriptors are kept for the data plane, for logs, and for those who are told why they
/// cannot stay.
pub(super) fn most_descriptors() -> Result<u64> {
    let limit = gt_zmq::descriptor_limit().map_err(cannot_listen)?;
    Ok(limit - (limit / 8).clamp(limit.min(8), 256))
}

/// Memory that sessions leave.
pub(super) fn leftovers() -> Leftovers {
    Leftovers::of_at_least(MUCH_HELD)
}
