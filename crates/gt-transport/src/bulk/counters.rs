//! How much went through, by the way it took.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Parcels and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Parcels that arrived whole.
    pub parcels_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Parcels that were sent whole.
    pub parcels_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
}

/// What a depot or a courier has carried since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Through shared memory on one host.
    pub unix: Traffic,
    /// Sealed, over TCP.
    pub tcp: Traffic,
}

/// The way bytes take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Road {
    Unix,
    Tcp,
}

/// The counters while they count.
#[derive(Debug, Default)]
pub(super) struct Meter {
    unix: [AtomicU64; 4],
    tcp: [AtomicU64; 4],
}

impl Meter {
    pub fn arrived(&self, road: Road, bytes: usize) {
        let counts = self.of(road);
        counts[0].fetch_add(1, Relaxed);
        counts[1].fetch_add(bytes as u64, Relaxed);
    }

    pub fn sent(&self, road: Road, bytes: usize) {
        let counts = self.of(road);
        counts[2].fetch_add(1, Relaxed);
        counts[3].fetch_add(bytes as u64, Relaxed);
    }

    pub fn read(&self) -> Counters {
        let traffic = |counts: &[AtomicU64; 4]| Traffic {
            parcels_in: counts[0].load(Relaxed),
            bytes_in: counts[1].load(Relaxed),
            parcels_out: counts[2].load(Relaxed),
            bytes_out: counts[3].load(Relaxed),
        };
        Counters { unix: traffic(&self.unix), tcp: traffic(&self.tcp) }
    }

    fn of(&self, road: Road) -> &[AtomicU64; 4] {
        match road {
            Road::Unix => &self.unix,
            Road::Tcp => &self.tcp,
        }
    }
}
