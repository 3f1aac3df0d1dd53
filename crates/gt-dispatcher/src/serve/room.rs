//! How many descriptors the process of a server may use.

use gt_core::Result;

use super::cannot_listen;

/// Some descriptors are kept for the data plane, for logs, and for those who are told why they
/// cannot stay.
pub(super) fn most_descriptors() -> Result<u64> {
    let limit = gt_zmq::descriptor_limit().map_err(cannot_listen)?;
    Ok(limit - (limit / 8).clamp(limit.min(8), 256))
}
