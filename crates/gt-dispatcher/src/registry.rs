//! Where every value of a session is. Nothing else in the system knows.

use gt_core::{Error, Meta, Result, Slot, WorkerId};
use smallvec::SmallVec;

/// A session has at most so many values at once.
const MOST_VALUES: usize = Slot::MOST_VALUES as usize;

/// The values of one session.
#[derive(Debug, Default)]
pub struct Registry {
    entries: Vec<Option<Entry>>,
    copies: u32,
    free_copies: Vec<Slot>,
}

/// What is known of a value.
#[derive(Debug)]
pub struct Entry {
    /// Its dtype and shape.
    pub meta: Meta,
    /// Whether its shape is still to be told by the worker.
    pub described: bool,
    /// The worker that computed it.
    pub home: WorkerId,
    /// When it is estimated to be there.
    pub ready_ns: u64,
    /// Other workers that have it, and its name there.
    pub copies: SmallVec<[(WorkerId, Slot); 1]>,
}

impl Entry {
    /// The name of this value on `worker`, if it is there; `slot` is the client's name for it.
    pub fn name_on(&self, worker: WorkerId, slot: Slot) -> Option<Slot> {
        if self.home == worker {
            return Some(slot);
        }
        self.copies.iter().find(|(holder, _)| *holder == worker).map(|&(_, name)| name)
    }

    /// The workers that have it, and its name there; `slot` is the client's name for it.
    pub fn names(&self, slot: Slot) -> impl Iterator<Item = (WorkerId, Slot)> {
        std::iter::once((self.home, slot)).chain(self.copies.iter().copied())
    }

    /// The workers that have it.
    pub fn holders(&self) -> impl Iterator<Item = WorkerId> {
        std::iter::once(self.home).chain(self.copies.iter().map(|&(worker, _)| worker))
    }
}

impl Registry {
    /// Whether a worker has any of the values.
    pub fn holds(&self, worker: WorkerId) -> bool {
        self.entries.iter().flatten().any(|entry| entry.holders().any(|holder| holder == worker))
    }

    /// What is known of a value.
    pub fn get(&self, slot: Slot) -> Result<&Entry> {
        self.entries.get(slot.0 as usize).and_then(Option::as_ref).ok_or_else(|| missing(slot))
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, slot: Slot) -> Result<&mut Entry> {
        let entry = self.entries.get_mut(slot.0 as usize).and_then(Option::as_mut);
        entry.ok_or_else(|| missing(slot))
    }

    /// Gives a value its name.
    pub fn insert(&mut self, slot: Slot, entry: Entry) -> Result<()> {
        let index = slot.0 as usize;
        // A client's stream gives a name that was freed, or the first that was never used.
        if slot.is_copy() || index > self.entries.len() {
            return Err(Error::bug(format!("{slot} is not a name a client can give")));
        }
        if index >= MOST_VALUES {
            return Err(Error::value(format!(
                "a session has at most {MOST_VALUES} values at once; free some before more are made"
            )));
        }
        if index == self.entries.len() {
            self.entries.push(None);
        }
        let place = &mut self.entries[index];
        if place.is_some() {
            return Err(Error::bug(format!("{slot} is named twice")));
        }
        *place = Some(entry);
        Ok(())
    }

    /// Takes a value's name away.
    pub fn remove(&mut self, slot: Slot) -> Result<Entry> {
        let entry = self.entries.get_mut(slot.0 as usize).and_then(Option::take);
        let entry = entry.ok_or_else(|| missing(slot))?;
        self.free_copies.extend(entry.copies.iter().map(|&(_, name)| name));
        Ok(entry)
    }

    /// A name for a copy that no client knows of.
    pub fn name_copy(&mut self) -> Slot {
        self.free_copies.pop().unwrap_or_else(|| {
            self.copies += 1;
            Slot(Slot::FIRST_COPY + self.copies - 1)
        })
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.entries.iter().flatten().count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn missing(slot: Slot) -> Error {
    Error::bug(format!("{slot} does not exist"))
}
