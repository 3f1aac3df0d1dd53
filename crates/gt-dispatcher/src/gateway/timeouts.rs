//! How long clients and workers may be silent or away.

/// How long somebody may be away.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// A client whose connection was closed and who did not say goodbye.
    pub closed_ns: u64,
    /// A client that is connected and silent.
    pub silent_ns: u64,
    /// A worker that is connected and silent, before nothing more is sent to it …
    pub suspect_ns: u64,
    /// … and before it is given up.
    pub worker_ns: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        const SECOND: u64 = 1_000_000_000;
        Timeouts {
            closed_ns: 4 * SECOND,
            silent_ns: 600 * SECOND,
            suspect_ns: 5 * SECOND,
            worker_ns: 6 * SECOND,
        }
    }
}
