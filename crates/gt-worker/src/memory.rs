//! Who holds how much memory: buffers, and the lines of the user's program that made them.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use gt_core::wire::SOME;
use gt_core::{DType, Provenance};
use gt_transport::Holder;
use smallvec::SmallVec;

use crate::engine::EngineValue;
use crate::executor::entries::ENTRY_BYTES;

/// How many holders an error names.
pub const NAMED: usize = 4;

/// A buffer that somebody holds; values that share it are counted once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Its number; no two buffers have the same.
    start: usize,
    /// What its elements are.
    pub dtype: DType,
    /// How large it is.
    pub bytes: usize,
    /// Where in the user's program its value was made.
    pub provenance: Provenance,
}

/// The buffers behind values, each once.
pub fn held<'a, V>(values: impl Iterator<Item = (&'a V, Provenance)>) -> Vec<Holding>
where
    V: EngineValue + 'a,
{
    let mut buffers = HashMap::new();
    for (value, provenance) in values {
        let (start, bytes) = value.memory();
        if let (true, Entry::Vacant(place)) = (bytes > 0, buffers.entry(start)) {
            place.insert(Holding { start, dtype: value.meta().dtype, bytes, provenance });
        }
    }
    buffers.into_values().collect()
}

/// Bytes by dtype and line, as many as fit into a message, the largest first.
pub fn usage_by_line(holdings: &[Holding]) -> Vec<(DType, Provenance, u64)> {
    let mut lines: HashMap<(DType, Provenance), u64> = HashMap::new();
    for holding in holdings {
        *lines.entry((holding.dtype, holding.provenance)).or_default() += holding.bytes as u64;
    }
    let mut lines: Vec<_> =
        lines.into_iter().map(|((dtype, line), bytes)| (dtype, line, bytes)).collect();
    lines.sort_by_key(|&(dtype, line, bytes)| (std::cmp::Reverse(bytes), line, dtype));
    lines.truncate(SOME);
    lines
}

/// The lines that hold the most, the largest first. What values take besides their elements counts:
/// that is most of what small ones take.
pub fn largest(holdings: &[Holding]) -> SmallVec<[Holder; NAMED]> {
    let (mut lines, mut seen): (HashMap<Provenance, u64>, HashSet<usize>) = Default::default();
    for holding in holdings.iter().filter(|holding| seen.insert(holding.start)) {
        *lines.entry(holding.provenance).or_default() += (holding.bytes + ENTRY_BYTES) as u64;
    }
    let holder = |(provenance, bytes)| Holder { provenance, bytes };
    let mut holders: Vec<Holder> = lines.into_iter().map(holder).collect();
    holders.sort_by_key(|holder| (std::cmp::Reverse(holder.bytes), holder.provenance));
    holders.into_iter().take(NAMED).collect()
}
