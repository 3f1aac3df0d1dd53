//! Where every value of a session is. Nothing else in the system knows.

use std::sync::Arc;

use gt_core::{Error, Meta, Result, Slot, WorkerId};
use gt_transport::Failure;
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
    /// When it is estimated to be there.
    pub ready_ns: u64,
    /// The workers that have it and its name there; the one that computed it comes first.
    pub holders: SmallVec<[(WorkerId, Slot); 1]>,
    /// Why nobody has it, if nobody does.
    pub lost: Option<Arc<Failure>>,
}

impl Entry {
    /// The name of this value on `worker`, if it is there.
    pub fn name_on(&self, worker: WorkerId) -> Option<Slot> {
        self.holders.iter().find(|(holder, _)| *holder == worker).map(|&(_, name)| name)
    }

    /// A worker that has it, and its name there, or why nobody does.
    pub fn home(&self) -> std::result::Result<(WorkerId, Slot), Arc<Failure>> {
        let unknown = || unreachable!("a value that nobody has is lost");
        self.holders.first().copied().ok_or_else(|| self.lost.clone().unwrap_or_else(unknown))
    }
}

impl Registry {
    /// A worker is gone. What only it had is lost.
    pub fn lose(&mut self, worker: WorkerId, failure: &Arc<Failure>) {
        for entry in self.entries.iter_mut().flatten() {
            let copies = &mut self.free_copies;
            entry.holders.retain(|&mut (holder, name)| {
                if holder == worker && name.is_copy() {
                    copies.push(name);
                }
                holder != worker
            });
            if entry.holders.is_empty() {
                entry.lost.get_or_insert_with(|| failure.clone());
            }
        }
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
        let names = entry.holders.iter().map(|&(_, name)| name);
        self.free_copies.extend(names.filter(|name| name.is_copy()));
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
