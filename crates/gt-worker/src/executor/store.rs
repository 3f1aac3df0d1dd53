//! The values of one session between plans, and what has failed of which the client was not told.

use std::collections::BTreeMap;
use std::sync::Arc;

use gt_core::{Meta, Provenance};
use gt_transport::Failure;
use smallvec::SmallVec;

use crate::engine::EngineValue;
use crate::plan::{Position, ValueId};

/// A value, or why there is none. What depends on a failed value fails with the same failure.
#[derive(Clone, Debug)]
pub enum Stored<V> {
    /// The value.
    Value(V),
    /// Its dtype and shape, and what went wrong.
    Failed(Meta, Arc<Failure>),
}

impl<V: EngineValue> Stored<V> {
    /// Its dtype and shape, known also of a value that failed.
    pub fn meta(&self) -> &Meta {
        match self {
            Stored::Value(value) => value.meta(),
            Stored::Failed(meta, _) => meta,
        }
    }

    /// The value, or what went wrong.
    pub fn into_result(self) -> Result<V, Arc<Failure>> {
        match self {
            Stored::Value(value) => Ok(value),
            Stored::Failed(_, failure) => Err(failure),
        }
    }
}

/// What has failed and was not told to the client, by the place of its command. Until it is told,
/// no command after it replaces a value.
pub type Untold = BTreeMap<Position, Arc<Failure>>;

/// The values of a session.
#[derive(Debug)]
pub struct Store<V> {
    values: Vec<Option<(Stored<V>, Provenance)>>,
    stored: u64,
    /// What the client was not told.
    pub untold: Untold,
}

impl<V> Default for Store<V> {
    fn default() -> Self {
        Store { values: Vec::new(), stored: 0, untold: Untold::default() }
    }
}

impl<V: EngineValue> Store<V> {
    /// How many values were ever put here.
    pub fn stored(&self) -> u64 {
        self.stored
    }

    /// A value, and where in the user's program it was made.
    pub fn get(&self, id: ValueId) -> Option<&(Stored<V>, Provenance)> {
        self.values.get(id.0 as usize)?.as_ref()
    }

    /// What a value is.
    pub fn meta(&self, id: ValueId) -> Option<&Meta> {
        Some(self.get(id)?.0.meta())
    }

    /// Puts a value here.
    pub fn put(&mut self, id: ValueId, stored: Stored<V>, place: Provenance) {
        let index = id.0 as usize;
        if index >= self.values.len() {
            self.values.resize_with(index + 1, || None);
        }
        self.stored += 1;
        self.values[index] = Some((stored, place));
    }

    /// Takes values away.
    pub fn take(&mut self, ids: &[ValueId]) -> SmallVec<[Stored<V>; 1]> {
        let take = |id: &ValueId| Some(self.values.get_mut(id.0 as usize)?.take()?.0);
        ids.iter().filter_map(take).collect()
    }

    /// The values that are here, and where each was made.
    pub fn values(&self) -> impl Iterator<Item = (&V, Provenance)> {
        self.values.iter().flatten().filter_map(|(stored, place)| match stored {
            Stored::Value(value) => Some((value, *place)),
            Stored::Failed(..) => None,
        })
    }
}
