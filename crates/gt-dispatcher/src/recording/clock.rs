//! How the clocks of workers differ from the dispatcher's.

/// A worker's clock may go faster or slower than ours by this part of the time.
const DRIFT: u64 = 20_000;

/// How a worker's clock differs from ours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// What to add to its time: the least that was seen, because messages take time to come.
    pub(super) offset_ns: i64,
    seen_ns: u64,
}

impl Clock {
    pub(super) fn adjust(before: Option<Clock>, now_ns: u64, clock_ns: u64) -> Clock {
        let offset_ns = (now_ns as i64).wrapping_sub(clock_ns as i64);
        let offset_ns = before.map_or(offset_ns, |before| {
            let drift_ns = now_ns.saturating_sub(before.seen_ns) / DRIFT;
            offset_ns.min(before.offset_ns.saturating_add(drift_ns as i64))
        });
        Clock { offset_ns, seen_ns: now_ns }
    }
}
