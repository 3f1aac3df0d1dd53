//! How much of a worker's time a session gets, beside others.

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
}
