//! Who holds how much memory: buffers, and the lines of the user's program that made them.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gt_core::wire::SOME;
use gt_core::{DType, Error, Provenance};
use gt_transport::{Failure, Holder, Message};
use smallvec::SmallVec;

use crate::executor::Outcome;
use crate::store::{Store, Stored};
use crate::value::Value;

/// How many holders an error names.
const NAMED: usize = 4;

/// A buffer that somebody holds; values that share it are counted once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Where it begins; no two buffers begin at the same place.
    start: usize,
    /// What its elements are.
    pub dtype: DType,
    /// How large it is.
    pub bytes: usize,
    /// Where in the user's program its value was made.
    pub provenance: Provenance,
}

/// The buffers behind values, each once.
pub fn held<'a>(values: impl Iterator<Item = (&'a Value, Provenance)>) -> Vec<Holding> {
    let mut buffers = HashMap::new();
    for (value, provenance) in values.filter(|(value, _)| !value.buffer().is_empty()) {
        let (start, bytes) = (value.buffer().as_ptr() as usize, value.buffer().len());
        if let Entry::Vacant(place) = buffers.entry(start) {
            place.insert(Holding { start, dtype: value.dtype(), bytes, provenance });
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

/// The lines that hold the most, the largest first.
fn largest(holdings: &[Holding]) -> SmallVec<[Holder; NAMED]> {
    let (mut lines, mut seen): (HashMap<Provenance, u64>, HashSet<usize>) = Default::default();
    for holding in holdings.iter().filter(|holding| seen.insert(holding.start)) {
        *lines.entry(holding.provenance).or_default() += holding.bytes as u64;
    }
    let holder = |(provenance, bytes)| Holder { provenance, bytes };
    let mut holders: Vec<Holder> = lines.into_iter().map(holder).collect();
    holders.sort_by_key(|holder| (std::cmp::Reverse(holder.bytes), holder.provenance));
    holders.into_iter().take(NAMED).collect()
}

/// Lets the failures of a plan that ran out of memory name who held it: the plan, as it was then,
/// and the values of the session that the plan did not touch.
pub fn name_holders(mut outcome: Outcome, store: &Store) -> Outcome {
    let Some(mut holdings) = outcome.holdings.take() else { return outcome };
    holdings.extend(held(store.values()));
    let holders = largest(&holdings);
    let name = |failure: &mut Arc<Failure>| {
        if matches!(failure.error, Error::OutOfMemory(_)) && failure.holders.is_empty() {
            Arc::make_mut(failure).holders.clone_from(&holders);
        }
    };
    for (_, stored, _) in &mut outcome.kept {
        if let Stored::Failed(_, failure) = stored {
            name(failure);
        }
    }
    for message in &mut outcome.messages {
        match message {
            Message::Failed { failure, .. }
            | Message::Answer { result: Err(failure), .. }
            | Message::Handover { result: Err(failure), .. } => name(failure),
            _ => {}
        }
    }
    outcome.poison.iter_mut().for_each(name);
    outcome
}
