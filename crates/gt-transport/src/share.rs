//! How much of a worker's time and memory a session gets, beside others.

use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

/// Who shares a part of the time among sessions: a user or a key, as the dispatcher numbers them.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct UserId(pub u64);

/// Somebody with three times the weight gets three times as much time, while both want it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Weight(NonZeroU16);

impl Weight {
    /// What everybody has who was not given another.
    pub const ONE: Weight = Weight(NonZeroU16::MIN);

    /// A weight; `None` for zero.
    pub fn new(weight: u16) -> Option<Weight> {
        NonZeroU16::new(weight).map(Weight)
    }

    /// The weight as a number.
    pub fn get(self) -> u16 {
        self.0.get()
    }
}

impl Default for Weight {
    fn default() -> Self {
        Weight::ONE
    }
}

/// The part of a session: users share the time of a worker by their weights, and a user's sessions
/// share the part of the user by theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Whose session it is.
    pub user: UserId,
    /// The weight of the user among users.
    pub user_weight: Weight,
    /// The weight of the session among those of the user.
    pub weight: Weight,
    /// Whether it gets none until it is told otherwise.
    pub paused: bool,
    /// How much memory it may hold on each worker.
    pub memory: MemoryLimit,
    /// How much memory all sessions of the user may hold together on each worker.
    pub user_memory: MemoryLimit,
}

/// How much memory somebody may hold on a worker: so many bytes, and so much of what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryLimit {
    /// The most bytes.
    pub bytes: u64,
    /// The most, in hundredths of the worker's memory.
    pub percent: u8,
}

impl MemoryLimit {
    /// What everybody has who was not given another.
    pub const NONE: MemoryLimit = MemoryLimit { bytes: u64::MAX, percent: u8::MAX };

    /// The most bytes on a worker that has `total`.
    pub fn of(self, total: usize) -> usize {
        let part = if self.percent < 100 {
            (total as u128 * u128::from(self.percent) / 100) as usize
        } else {
            usize::MAX
        };
        usize::try_from(self.bytes).unwrap_or(usize::MAX).min(part)
    }

    /// Whether nothing is limited.
    pub fn is_none(self) -> bool {
        self.bytes == u64::MAX && self.percent >= 100
    }
}

impl Default for MemoryLimit {
    fn default() -> Self {
        MemoryLimit::NONE
    }
}
