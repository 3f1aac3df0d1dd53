//! The values of one session between plans, and what has failed of which the client was not told.

use std::collections::BTreeMap;
use std::sync::Arc;

use gt_core::{Meta, Provenance};
use gt_transport::Failure;
use smallvec::SmallVec;

use super::entries::Entries;
use crate::engine::EngineValue;
use crate::plan::{Position, ValueId};
use crate::spill::Region;

/// A value, or why there is none. What depends on a failed value fails with the same failure.
#[derive(Clone, Debug)]
pub enum Stored<V> {
    /// The value.
    Value(V),
    /// Its dtype and shape, and what went wrong.
    Failed(Meta, Arc<Failure>),
    /// The value is on disk.
    Away(Away),
}

/// A value that is on disk.
#[derive(Clone, Debug)]
pub struct Away {
    /// Its dtype and shape.
    pub meta: Meta,
    /// Its elements.
    pub region: Arc<Region>,
    /// What the store calls it, if it is there.
    id: Option<ValueId>,
}

impl Away {
    /// A value that a plan has made and that is on disk.
    pub fn made(meta: Meta, region: Region) -> Self {
        Away { meta, region: Arc::new(region), id: None }
    }
}

impl<V: EngineValue> Stored<V> {
    /// Its dtype and shape, known also of a value that failed.
    pub fn meta(&self) -> &Meta {
        match self {
            Stored::Value(value) => value.meta(),
            Stored::Failed(meta, _) | Stored::Away(Away { meta, .. }) => meta,
        }
    }

    /// The value, or what went wrong.
    pub fn into_result(self) -> Result<V, Arc<Failure>> {
        match self {
            Stored::Value(value) => Ok(value),
            Stored::Failed(_, failure) => Err(failure),
            Stored::Away(_) => unreachable!("what is on disk is brought back before its use"),
        }
    }
}

/// What has failed and was not told to the client, by the place of its command. Until it is told,
/// no command after it replaces a value.
pub type Untold = BTreeMap<Position, Arc<Failure>>;

/// The values of a session.
#[derive(Debug)]
pub struct Store<V> {
    values: Vec<Option<Kept<V>>>,
    stored: u64,
    /// How many plans there were.
    clock: u64,
    /// What the client was not told.
    pub untold: Untold,
    /// What its entries take. They are dropped before this counts them as free.
    pub(super) entries: Entries,
}

/// A value, where in the user's program it was made, and when it was last used.
#[derive(Debug)]
struct Kept<V> {
    stored: Stored<V>,
    place: Provenance,
    used: Tick,
}

/// What an entry of the table takes.
#[cfg(test)]
pub(super) const KEPT_BYTES: usize = size_of::<Option<Kept<crate::value::Value>>>();

/// A moment: plans of all sessions are counted together.
pub type Tick = u64;

impl<V> Default for Store<V> {
    fn default() -> Self {
        let (values, untold, entries) = Default::default();
        Store { values, stored: 0, clock: 0, untold, entries }
    }
}

impl<V: EngineValue> Store<V> {
    /// How many values were ever put here.
    pub fn stored(&self) -> u64 {
        self.stored
    }

    /// A plan begins or ends: what it uses and keeps was used now.
    pub fn advance(&mut self, now: Tick) {
        self.clock = now;
    }

    /// A value for somebody who uses it, and where in the user's program it was made.
    pub fn load(&mut self, id: ValueId) -> Option<(Stored<V>, Provenance)> {
        let kept = self.values.get_mut(id.0 as usize)?.as_mut()?;
        kept.used = self.clock;
        Some((kept.stored.clone(), kept.place))
    }

    /// What a value is.
    pub fn meta(&self, id: ValueId) -> Option<&Meta> {
        Some(self.values.get(id.0 as usize)?.as_ref()?.stored.meta())
    }

    /// Puts a value here. Its entry is charged by whoever does.
    pub fn put(&mut self, id: ValueId, stored: Stored<V>, place: Provenance) {
        let stored = match stored {
            Stored::Away(away) => Stored::Away(Away { id: Some(id), ..away }),
            stored => stored,
        };
        let index = id.0 as usize;
        if index >= self.values.len() {
            self.values.resize_with(index + 1, || None);
        }
        self.stored += 1;
        self.values[index] = Some(Kept { stored, place, used: self.clock });
    }

    /// Takes values away.
    pub fn take(&mut self, ids: &[ValueId]) -> SmallVec<[Stored<V>; 1]> {
        let take = |id: &ValueId| Some(self.values.get_mut(id.0 as usize)?.take()?.stored);
        let taken: SmallVec<[Stored<V>; 1]> = ids.iter().filter_map(take).collect();
        self.entries.remove(taken.len());
        taken
    }

    /// The values that are here, and where each was made.
    pub fn values(&self) -> impl Iterator<Item = (&V, Provenance)> {
        self.values.iter().flatten().filter_map(|kept| match &kept.stored {
            Stored::Value(value) => Some((value, kept.place)),
            Stored::Failed(..) | Stored::Away(_) => None,
        })
    }

    /// The values that nobody uses at the moment, and when each was used last.
    pub fn unused(&self) -> impl Iterator<Item = (Tick, ValueId, &V)> {
        let named = self.values.iter().enumerate();
        named.filter_map(|(index, kept)| match kept {
            Some(Kept { stored: Stored::Value(value), used, .. }) if value.can_be_spilled(1) => {
                Some((*used, ValueId(index as u32), value))
            }
            _ => None,
        })
    }

    /// A copy of a value is on disk; gives what was here of it, if it is still the same and nobody
    /// uses it.
    pub fn send_away(&mut self, id: ValueId, copied: &V, region: Region) -> Option<V> {
        let kept = self.values.get_mut(id.0 as usize)?.as_mut()?;
        // One holds it here, and one has copied it.
        let is_unused = |value: &V| value.memory() == copied.memory() && value.can_be_spilled(2);
        let Stored::Value(_) = &kept.stored else { return None };
        let away = Away { id: Some(id), ..Away::made(kept.stored.meta().clone(), region) };
        match std::mem::replace(&mut kept.stored, Stored::Away(away)) {
            Stored::Value(value) if is_unused(&value) => Some(value),
            stored => {
                kept.stored = stored;
                None
            }
        }
    }

    /// A value is back from disk.
    pub fn restore(&mut self, away: &Away, value: V) {
        let Some(id) = away.id else { return };
        let kept = self.values.get_mut(id.0 as usize).and_then(Option::as_mut);
        if let Some(Kept { stored, .. }) = kept
            && matches!(stored, Stored::Away(its) if Arc::ptr_eq(&its.region, &away.region))
        {
            *stored = Stored::Value(value);
        }
    }
}
