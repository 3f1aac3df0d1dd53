//! What the process of a server may use: descriptors, and memory, which it gives back.

use gt_core::Result;

use super::cannot_listen;

/// Fewer sessions leave nothing worth giving back.
const MANY_SESSIONS: usize = 64;

/// Some descriptors are kept for the data plane, for logs, and for those who are told why they
/// cannot stay.
pub(super) fn most_descriptors() -> Result<u64> {
    let limit = gt_zmq::descriptor_limit().map_err(cannot_listen)?;
    Ok(limit - (limit / 8).clamp(limit.min(8), 256))
}

/// Memory that sessions leave. What is freed lies between what is not, and the allocator keeps it.
#[derive(Default)]
pub(super) struct Leftovers {
    /// How many sessions there were since memory was given back.
    most: usize,
}

impl Leftovers {
    /// Gives memory back to the system if most of many sessions are over.
    pub(super) fn clear(&mut self, sessions: usize) {
        self.most = self.most.max(sessions);
        if self.most >= MANY_SESSIONS && sessions < self.most / 4 {
            self.most = sessions;
            trim();
        }
    }
}

fn trim() {
    // SAFETY: it may be called at any time and on any thread.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::malloc_trim(0);
    }
}
