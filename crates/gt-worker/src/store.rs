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
    values: Vec<Entry>,
    copies: Vec<Entry>,
    stored: u64,
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
        let entry = self.entry(slot);
        match std::mem::replace(entry, Entry::InPlan(register)) {
            Entry::Here(stored, place) => Ok(Found::Loaded(stored, place)),
            Entry::InPlan(known) => {
                *entry = Entry::InPlan(known);
                Ok(Found::Planned(known))
            }
            Entry::Empty => {
                *entry = Entry::Empty;
                Err(Error::bug(format!("{slot} is not on this worker")))
            }
        }
    }

    /// A plan will make this value.
    pub fn promise(&mut self, slot: Slot, register: Register) {
        *self.entry(slot) = Entry::InPlan(register);
    }

    /// Forgets a name. A value that a plan has stays there as long as the plan needs it.
    pub fn free(&mut self, slot: Slot) {
        *self.entry(slot) = Entry::Empty;
    }

    /// The register a name stands for in the current plan.
    pub fn register(&mut self, slot: Slot) -> Option<Register> {
        match self.entry(slot) {
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
        let (entries, index) = match slot.is_copy() {
            true => (&self.copies, slot.0 - Slot::FIRST_COPY),
            false => (&self.values, slot.0),
        };
        match entries.get(index as usize)? {
            Entry::Here(stored, place) => Some((stored, *place)),
            _ => None,
        }
    }

    /// The values that are here, and where each was made.
    pub fn values(&self) -> impl Iterator<Item = (&Value, Provenance)> {
        self.values.iter().chain(&self.copies).filter_map(|entry| match entry {
            Entry::Here(Stored::Value(value), place) => Some((value, *place)),
            _ => None,
        })
    }

    fn entry(&mut self, slot: Slot) -> &mut Entry {
        let (entries, index) = if slot.is_copy() {
            (&mut self.copies, (slot.0 - Slot::FIRST_COPY) as usize)
        } else {
            (&mut self.values, slot.0 as usize)
        };
        // The dispatcher has checked that names are dense.
        if index >= entries.len() {
            entries.resize_with(index + 1, Entry::default);
        }
        &mut entries[index]
    }
}
