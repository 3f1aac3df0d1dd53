//! The values of one session on one worker.

use std::sync::Arc;

use gt_core::{Error, Meta, Provenance, Result, Slot};
use gt_transport::Failure;

use crate::value::Value;

/// A value, or why there is none. What depends on a failed value fails with the same failure.
#[derive(Clone, Debug)]
pub enum Stored {
    /// The value.
    Value(Value),
    /// Its dtype and shape, and what went wrong.
    Failed(Meta, Arc<Failure>),
}

impl Stored {
    /// Its dtype and shape, known also of a value that failed.
    pub fn meta(&self) -> &Meta {
        match self {
            Stored::Value(value) => value.meta(),
            Stored::Failed(meta, _) => meta,
        }
    }

    /// The value, or what went wrong.
    pub fn into_result(self) -> std::result::Result<Value, Arc<Failure>> {
        match self {
            Stored::Value(value) => Ok(value),
            Stored::Failed(_, failure) => Err(failure),
        }
    }
}

/// A place in a plan for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Register(pub u32);

#[derive(Debug, Default)]
enum Entry {
    #[default]
    Empty,
    Here(Stored, Provenance),
    /// A plan has it, or will make it.
    InPlan(Register),
}

/// Values by their names: the client's, and those the dispatcher gave to copies.
#[derive(Debug, Default)]
pub struct Store {
    values: Names,
    copies: Names,
    stored: u64,
}

/// So many names lie together.
const PAGE: usize = 64;

/// Entries by number, in pages: a number costs a page at most, whatever it is. A client's names are
/// dense, but only some of its values are on this worker.
#[derive(Debug, Default)]
struct Names {
    pages: Vec<Option<Box<[Entry; PAGE]>>>,
}

impl Names {
    fn get(&self, index: u32) -> Option<&Entry> {
        let page = self.pages.get(index as usize / PAGE)?.as_ref()?;
        Some(&page[index as usize % PAGE])
    }

    /// The entry, to be changed; `None` if it is empty and no page has it.
    fn get_mut(&mut self, index: u32) -> Option<&mut Entry> {
        let page = self.pages.get_mut(index as usize / PAGE)?.as_mut()?;
        Some(&mut page[index as usize % PAGE])
    }

    fn entry(&mut self, index: u32) -> &mut Entry {
        let (page, place) = (index as usize / PAGE, index as usize % PAGE);
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let empty = || Box::new([const { Entry::Empty }; PAGE]);
        &mut self.pages[page].get_or_insert_with(empty)[place]
    }

    fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.pages.iter().flatten().flat_map(|page| page.iter())
    }
}

/// What planning finds under a name.
pub enum Found {
    /// The value; it now belongs to the plan.
    Loaded(Stored, Provenance),
    /// The plan has it already.
    Planned(Register),
}

impl Store {
    /// How many values were ever put here; those that live only inside a plan are not.
    pub fn stored(&self) -> u64 {
        self.stored
    }

    /// Gives the value to a plan, which will know it as `register` unless it knows it already.
    pub fn load(&mut self, slot: Slot, register: Register) -> Result<Found> {
        let missing = || Error::bug(format!("{slot} is not on this worker"));
        let entry = self.known(slot).ok_or_else(missing)?;
        match std::mem::replace(entry, Entry::InPlan(register)) {
            Entry::Here(stored, place) => Ok(Found::Loaded(stored, place)),
            Entry::InPlan(known) => {
                *entry = Entry::InPlan(known);
                Ok(Found::Planned(known))
            }
            Entry::Empty => {
                *entry = Entry::Empty;
                Err(missing())
            }
        }
    }

    /// A plan will make this value. An error if no session has so many.
    pub fn promise(&mut self, slot: Slot, register: Register) -> Result<()> {
        if numbered(slot).1 >= Slot::MOST_VALUES {
            return Err(Error::bug(format!("{slot} is not a name a dispatcher gives")));
        }
        *self.entry(slot) = Entry::InPlan(register);
        Ok(())
    }

    /// Forgets a name. A value that a plan has stays there as long as the plan needs it.
    pub fn free(&mut self, slot: Slot) {
        if let Some(entry) = self.known(slot) {
            *entry = Entry::Empty;
        }
    }

    /// The register a name stands for in the current plan.
    pub fn register(&mut self, slot: Slot) -> Option<Register> {
        match self.known(slot)? {
            Entry::InPlan(register) => Some(*register),
            _ => None,
        }
    }

    /// Puts a value here, with the place in the user's program where it was made.
    pub fn put(&mut self, slot: Slot, stored: Stored, place: Provenance) {
        self.stored += 1;
        *self.entry(slot) = Entry::Here(stored, place);
    }

    /// What is here under a name.
    pub fn peek(&self, slot: Slot) -> Option<(&Stored, Provenance)> {
        let entry = match numbered(slot) {
            (Kind::Copy, index) => self.copies.get(index),
            (Kind::Value, index) => self.values.get(index),
        };
        match entry? {
            Entry::Here(stored, place) => Some((stored, *place)),
            _ => None,
        }
    }

    /// The values that are here, and where each was made.
    pub fn values(&self) -> impl Iterator<Item = (&Value, Provenance)> {
        self.values.iter().chain(self.copies.iter()).filter_map(|entry| match entry {
            Entry::Here(Stored::Value(value), place) => Some((value, *place)),
            _ => None,
        })
    }

    fn known(&mut self, slot: Slot) -> Option<&mut Entry> {
        match numbered(slot) {
            (Kind::Copy, index) => self.copies.get_mut(index),
            (Kind::Value, index) => self.values.get_mut(index),
        }
    }

    fn entry(&mut self, slot: Slot) -> &mut Entry {
        match numbered(slot) {
            (Kind::Copy, index) => self.copies.entry(index),
            (Kind::Value, index) => self.values.entry(index),
        }
    }
}

/// Who gave a name.
enum Kind {
    /// The client.
    Value,
    /// The dispatcher.
    Copy,
}

/// Who gave a name, and its number among theirs.
fn numbered(slot: Slot) -> (Kind, u32) {
    match slot.is_copy() {
        true => (Kind::Copy, slot.0 - Slot::FIRST_COPY),
        false => (Kind::Value, slot.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_costs_little_however_far_it_is() {
        let mut store = Store::default();
        for first in [0, Slot::FIRST_COPY] {
            for far in [0, 1 << 16, Slot::MOST_VALUES - 1] {
                store.promise(Slot(first + far), Register(3)).unwrap();
                assert_eq!(store.register(Slot(first + far)), Some(Register(3)));
            }
            assert!(store.promise(Slot(first + Slot::MOST_VALUES), Register(3)).is_err());
            // Asking costs nothing.
            assert!(store.load(Slot(first + Slot::MOST_VALUES), Register(4)).is_err());
            store.free(Slot(first + (1 << 20)));
        }
        let pages = |names: &Names| names.pages.iter().flatten().count();
        assert_eq!((pages(&store.values), pages(&store.copies)), (3, 3));
    }
}
