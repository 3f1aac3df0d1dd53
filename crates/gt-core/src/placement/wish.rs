//! What a signal wants, before it is known which workers there are.

use std::fmt;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::wire::few;

/// Where a signal wants the values that are made in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Wish {
    /// The workers, as the session numbers them; all of them if none is named.
    #[serde(deserialize_with = "few")]
    pub workers: SmallVec<[u32; 4]>,
    /// Name and size of each axis of the mesh; none for a group.
    #[serde(deserialize_with = "few")]
    pub mesh: SmallVec<[(Box<str>, u32); 1]>,
    /// For each axis of the mesh the axis of a value that it cuts, from the end if negative; one
    /// that is not named is replicated.
    #[serde(deserialize_with = "few")]
    pub cuts: SmallVec<[Option<i32>; 1]>,
    /// What operations are given of a value that is placed so.
    pub on_use: OnUse,
    /// Whether copies that were moved are kept after their use.
    pub keep: bool,
}

/// What operations are given of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OnUse {
    /// The value where it is, or what their signature asks for.
    #[default]
    AsPlaced,
    /// All of it, on each worker of the mesh: at rest it is cut, while it is used it is whole.
    Replicate,
}

impl Wish {
    /// A copy on each of these workers, or on all.
    pub fn replicated(workers: impl IntoIterator<Item = u32>) -> Self {
        let workers = workers.into_iter().collect();
        let (mesh, cuts) = (SmallVec::new(), SmallVec::new());
        Wish { workers, mesh, cuts, on_use: OnUse::AsPlaced, keep: true }
    }

    /// One axis cut over these workers, or over all.
    pub fn sharded(axis: i32, workers: impl IntoIterator<Item = u32>) -> Self {
        Wish { cuts: SmallVec::from_iter([Some(axis)]), ..Wish::replicated(workers) }
    }
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cuts.iter().all(Option::is_none) {
            f.write_str("replicated")?;
        }
        for (axis, cut) in self.cuts.iter().enumerate() {
            let Some(cut) = cut else { continue };
            match self.mesh.get(axis) {
                Some((name, size)) => write!(f, "shard({cut}: {name}/{size}) ")?,
                None => write!(f, "shard({cut})")?,
            }
        }
        self.workers.iter().try_for_each(|worker| write!(f, " {worker}"))?;
        if self.on_use == OnUse::Replicate {
            f.write_str(" whole while used")?;
        }
        if self.keep { Ok(()) } else { f.write_str(" dropped after use") }
    }
}
