//! How much slower a worker is than the quickest one. Estimates of work are rough and machines
//! differ, so that only one that takes ten times as long counts as slow.

/// It is not judged by less than this …
const LEAST_GIVEN_NS: u64 = 1_000_000;
/// … and what lies longer back than this counts half.
const MOST_GIVEN_NS: u64 = 1_000_000_000;
/// Ratios are counted in parts.
const PARTS: u64 = 16;
/// How far estimates may be off for one worker and not for another.
const ROUGH: u64 = 10;

/// What a worker was given, as estimated, and what it has said that it took, which lags behind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    given_ns: u64,
    took_ns: u64,
    /// How many times longer it takes than the quickest worker; nothing if that is not known.
    slowness: Option<u64>,
}

impl Pace {
    /// How long work takes that is estimated to take so long.
    pub fn taken_ns(&self, cost_ns: u64) -> u64 {
        cost_ns.saturating_mul(self.slowness.unwrap_or(1))
    }

    pub fn assign(&mut self, cost_ns: u64) -> u64 {
        self.given_ns = self.given_ns.saturating_add(cost_ns);
        if self.given_ns > MOST_GIVEN_NS {
            (self.given_ns, self.took_ns) = (self.given_ns / 2, self.took_ns / 2);
        }
        self.taken_ns(cost_ns)
    }

    pub fn note_busy(&mut self, busy_ns: u64) {
        self.took_ns = self.took_ns.saturating_add(busy_ns);
    }

    /// How long it takes for what is estimated to take a while, if that is known.
    pub fn ratio(&self) -> Option<u64> {
        let is_known = self.given_ns >= LEAST_GIVEN_NS && self.took_ns > 0;
        is_known.then(|| (self.took_ns.saturating_mul(PARTS) / self.given_ns).max(1))
    }

    /// Compares it with the quickest.
    pub fn compare(&mut self, quickest: u64) {
        let slowness = self.ratio().map(|ratio| ratio / quickest);
        self.slowness = slowness.filter(|slowness| *slowness >= ROUGH);
    }
}
