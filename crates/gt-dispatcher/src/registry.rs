//! Where every value of a session is. Nothing else in the system knows.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gt_core::placement::Placement;
use gt_core::{Error, Meta, Provenance, Result, Slot, WorkerId};
use gt_transport::Failure;
use smallvec::SmallVec;

use crate::placements::{PlacementId, Placements};
use crate::recipe::Recipe;
use crate::worker_map::WorkerMap;

/// A session has at most so many values at once.
const MOST_VALUES: usize = Slot::MOST_VALUES as usize;

/// What the dispatcher keeps of one value: a million of them take 154 bytes each on x86-64. A test
/// compares this with the size of an entry.
pub const VALUE_BYTES: usize = 160;

/// A session may have as many values whatever its memory limit is.
const FEW_VALUES: usize = 1 << 18;

/// The values of one session.
#[derive(Debug, Default)]
pub struct Registry {
    entries: Vec<Option<Entry>>,
    /// How many of them there are.
    named: usize,
    copies: u32,
    free_copies: Vec<Slot>,
    /// What an instruction is made of that the dispatcher takes apart, under names of copies;
    /// `None` before it is made.
    parts: HashMap<Slot, Option<Entry>>,
    /// What the numbers of placements stand for.
    pub placements: Placements,
    /// Bytes of the whole values on each worker: the sum over all entries and their holders.
    held: WorkerMap<u64>,
}

/// Workers that have all of a value, and its name on each.
pub type Holders = SmallVec<[(WorkerId, Slot); 1]>;

/// What is known of a value.
#[derive(Debug)]
pub struct Entry {
    /// Its dtype and shape.
    pub meta: Meta,
    /// Whether its shape is still to be told by the worker.
    pub described: bool,
    /// Where in the program it is made.
    pub provenance: Provenance,
    /// When it is estimated to be there.
    pub ready_ns: u64,
    /// The workers that have all of it, and its name there; the one that computed it comes first.
    pub holders: Holders,
    /// The meshes it is on, and its name there, which is the same on each of their workers.
    pub spreads: SmallVec<[(PlacementId, Slot); 1]>,
    /// How copies of it are used that were moved for an instruction.
    pub copies: Copies,
    /// Whether it is a gradient that others are added to before its parts are put together.
    pub accumulates: bool,
    /// How it is made, if that is left for its first use. Nobody has it then.
    pub recipe: Option<Arc<Recipe>>,
    /// Whether another recipe goes on from it.
    pub continued: bool,
    /// Why nobody has it, if nobody does.
    pub lost: Option<Arc<Failure>>,
    /// How it lay on a mesh before it was lost.
    pub former: Option<Arc<Placement>>,
    /// Where that is among the workers that there are now, once something is to take its place.
    pub rehoused: Option<PlacementId>,
}

/// How a value is used that the config placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// Whether each worker that uses it gets all of it, whatever else would be cheaper.
    pub whole: bool,
    /// Whether they are kept after their use.
    pub kept: bool,
}

impl Default for Copies {
    fn default() -> Self {
        Copies { whole: false, kept: true }
    }
}

impl Entry {
    /// A value that nobody has.
    pub fn nowhere(meta: Meta) -> Self {
        let (holders, spreads) = (SmallVec::new(), SmallVec::new());
        Entry {
            meta,
            described: true,
            provenance: Provenance::UNKNOWN,
            ready_ns: 0,
            holders,
            spreads,
            copies: Copies::default(),
            accumulates: false,
            recipe: None,
            continued: false,
            lost: None,
            former: None,
            rehoused: None,
        }
    }

    /// A value that is made at its first use.
    pub fn deferred(recipe: Arc<Recipe>) -> Self {
        Entry { recipe: Some(recipe.clone()), ..Entry::nowhere(recipe.meta.clone()) }
    }

    /// Whether it is made at its first use, as that wants it. What composites are made of is made
    /// as the values beside it are.
    pub(crate) fn comes_as_asked(&self) -> bool {
        self.recipe.as_ref().is_some_and(|recipe| recipe.by_program)
    }

    fn names(&self) -> impl Iterator<Item = Slot> {
        let on_workers = self.holders.iter().map(|&(_, name)| name);
        on_workers.chain(self.spreads.iter().map(|&(_, name)| name))
    }
}

impl Registry {
    /// The name of a value on `worker`, if it is there.
    pub fn name_on(&self, entry: &Entry, worker: WorkerId) -> Option<Slot> {
        if let Some(&(_, name)) = entry.holders.iter().find(|(holder, _)| *holder == worker) {
            return Some(name);
        }
        let mut copies = self.copies(entry);
        copies.find(|(mesh, _)| self.placements.contains(*mesh, worker)).map(|&(_, name)| name)
    }

    /// The meshes on which every worker has all of a value.
    fn copies<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = &'a (PlacementId, Slot)> {
        entry.spreads.iter().filter(|(place, _)| self.placements.is_replicated(*place))
    }

    /// Whether somebody has all of a value.
    pub fn is_whole(&self, entry: &Entry) -> bool {
        !entry.holders.is_empty() || self.copies(entry).next().is_some()
    }

    /// Why nobody has a value.
    pub fn lost(&self, entry: &Entry) -> Error {
        let unknown = || Error::bug("a value is neither somewhere nor lost");
        entry.lost.as_ref().map_or_else(unknown, |failure| failure.error.clone())
    }

    /// The name of a value on all workers of a mesh, if it has one.
    pub fn name_on_mesh(&self, entry: &Entry, mesh: PlacementId) -> Option<Slot> {
        let mut spreads = entry.spreads.iter();
        spreads.find(|(known, _)| self.placements.covers(*known, mesh)).map(|&(_, name)| name)
    }

    /// A worker that has all of a value, and its name there, or why nobody has.
    pub fn home(&self, entry: &Entry) -> std::result::Result<(WorkerId, Slot), Arc<Failure>> {
        let first_member = |&(mesh, name)| (self.placements.members(mesh)[0], name);
        let home = entry.holders.first().copied();
        let unknown = || unreachable!("a value that nobody has is lost");
        home.or_else(|| self.copies(entry).next().map(first_member))
            .ok_or_else(|| entry.lost.clone().unwrap_or_else(unknown))
    }

    /// All workers that have all of a value.
    pub fn whereabouts<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = WorkerId> {
        let members = |&(mesh, _): &(PlacementId, Slot)| self.placements.members(mesh);
        let on_meshes = self.copies(entry).flat_map(members).copied();
        entry.holders.iter().map(|&(worker, _)| worker).chain(on_meshes)
    }

    /// A worker is gone. What only it had is lost. Gives the parts that others have and nobody
    /// needs: of values that are lost, and of those that are all there without them.
    pub fn lose(&mut self, worker: WorkerId, failure: &Arc<Failure>) -> Vec<(WorkerId, Slot)> {
        let mut spare = Vec::new();
        self.held.remove(worker);
        let (placements, free_copies) = (&mut self.placements, &mut self.free_copies);
        for entry in self.entries.iter_mut().flatten() {
            let first = entry.spreads.first().map(|&(place, _)| place);
            let mut end = |name: Slot| free_copies.extend(Some(name).filter(|name| name.is_copy()));
            entry.holders.retain(|&mut (holder, name)| {
                let stays = holder != worker;
                if !stays {
                    end(name);
                }
                stays
            });
            entry.spreads.retain(|(mesh, name)| {
                if !placements.contains(*mesh, worker) {
                    return true;
                }
                let left = placements.without(*mesh, worker);
                let is_needed = |other| left.is_some_and(|left| placements.contains(left, other));
                let others = placements.members(*mesh).iter().copied();
                let others = others.filter(|other| *other != worker && !is_needed(*other));
                spare.extend(others.map(|other| (other, *name)));
                match left {
                    Some(left) => *mesh = left,
                    None => end(*name),
                }
                left.is_some()
            });
            let is_nowhere = entry.holders.is_empty() && entry.spreads.is_empty();
            if is_nowhere && entry.recipe.is_none() {
                entry.lost.get_or_insert_with(|| failure.clone());
                let former = || first.map(|place| Arc::new(placements.get(place).clone()));
                entry.former = entry.former.take().or_else(former);
            }
        }
        spare
    }

    /// The client's values of which a worker has something.
    pub fn values_on(&self, worker: WorkerId) -> Vec<Slot> {
        let is_there = |entry: &Entry| {
            let mut places = entry.spreads.iter().map(|&(place, _)| place);
            entry.holders.iter().any(|&(holder, _)| holder == worker)
                || places.any(|place| self.placements.contains(place, worker))
        };
        let there = self.values_of_first(self.entries.len()).filter(|(_, entry)| is_there(entry));
        there.map(|(slot, _)| slot).collect()
    }

    /// What is known of a value.
    pub fn get(&self, slot: Slot) -> Result<&Entry> {
        if slot.is_copy() {
            let part = self.parts.get(&slot).and_then(Option::as_ref);
            return part.ok_or_else(|| missing(slot));
        }
        self.entries.get(slot.0 as usize).and_then(Option::as_ref).ok_or_else(|| missing(slot))
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, slot: Slot) -> Result<&mut Entry> {
        if slot.is_copy() {
            let part = self.parts.get_mut(&slot).and_then(Option::as_mut);
            return part.ok_or_else(|| missing(slot));
        }
        let entry = self.entries.get_mut(slot.0 as usize).and_then(Option::as_mut);
        entry.ok_or_else(|| missing(slot))
    }

    /// Bytes of the whole values on a worker, copies included.
    pub fn held_bytes(&self, worker: WorkerId) -> u64 {
        self.held.get(worker).copied().unwrap_or_default()
    }

    /// A worker is given a copy of a value; gives the name it has there.
    pub fn add_copy(&mut self, slot: Slot, worker: WorkerId) -> Result<Slot> {
        let name = self.name_copy();
        self.add_holder(slot, worker, name)?;
        Ok(name)
    }

    /// A worker has all of a value, under this name.
    pub fn add_holder(&mut self, slot: Slot, worker: WorkerId, name: Slot) -> Result<()> {
        let entry = self.get_mut(slot)?;
        entry.holders.push((worker, name));
        let bytes = entry.meta.bytes() as u64;
        self.count(&[(worker, name)], bytes);
        Ok(())
    }

    /// No worker has all of a value any longer; gives those that had it.
    pub fn take_holders(&mut self, slot: Slot) -> Result<Holders> {
        let entry = self.get_mut(slot)?;
        let (holders, bytes) = (std::mem::take(&mut entry.holders), entry.meta.bytes() as u64);
        self.uncount(&holders, bytes);
        Ok(holders)
    }

    /// A worker does not have all of a value any longer.
    pub fn drop_holder(&mut self, slot: Slot, worker: WorkerId) -> Result<()> {
        let entry = self.get_mut(slot)?;
        let (dropped, kept) =
            entry.holders.iter().copied().partition(|(holder, _)| *holder == worker);
        entry.holders = kept;
        let (dropped, bytes): (Holders, u64) = (dropped, entry.meta.bytes() as u64);
        self.uncount(&dropped, bytes);
        Ok(())
    }

    /// The shape of a value is known.
    pub fn describe(&mut self, slot: Slot, meta: Meta) -> Result<()> {
        let entry = self.get_mut(slot)?;
        let (holders, bytes) = (entry.holders.clone(), meta.bytes() as u64);
        let before = std::mem::replace(&mut entry.meta, meta).bytes() as u64;
        entry.described = true;
        self.uncount(&holders, before);
        self.count(&holders, bytes);
        Ok(())
    }

    fn count(&mut self, holders: &[(WorkerId, Slot)], bytes: u64) {
        for &(worker, _) in holders {
            let held = self.held.of(worker);
            *held = held.saturating_add(bytes);
        }
    }

    fn uncount(&mut self, holders: &[(WorkerId, Slot)], bytes: u64) {
        for &(worker, _) in holders {
            let held = self.held.of(worker);
            *held = held.saturating_sub(bytes);
        }
    }

    /// Takes an entry out of the count of what workers have.
    fn uncounted(&mut self, entry: Entry) -> Entry {
        self.uncount(&entry.holders, entry.meta.bytes() as u64);
        entry
    }

    /// Gives a value its name.
    pub fn insert(&mut self, slot: Slot, entry: Entry) -> Result<()> {
        self.count(&entry.holders, entry.meta.bytes() as u64);
        if let Some(part) = self.parts.get_mut(&slot).filter(|part| part.is_none()) {
            *part = Some(entry);
            return Ok(());
        }
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
        self.named += 1;
        Ok(())
    }

    /// A name for something that an instruction is made of. It is given again after
    /// [`Registry::remove`] or [`Registry::rename`].
    pub fn name_part(&mut self) -> Slot {
        let slot = self.name_copy();
        self.parts.insert(slot, None);
        slot
    }

    /// Gives what was a part of an instruction the name that the client has for it.
    pub fn rename(&mut self, part: Slot, slot: Slot) -> Result<()> {
        let entry = self.parts.remove(&part).flatten().ok_or_else(|| missing(part))?;
        let entry = self.uncounted(entry);
        if entry.names().all(|name| name != part) {
            self.end_copy(part);
        }
        self.insert(slot, entry)
    }

    /// Takes a recipe away from its name, which waits for what is made by it.
    pub fn vacate(&mut self, slot: Slot) -> Result<Option<Arc<Recipe>>> {
        let Some(recipe) = self.get(slot)?.recipe.clone() else { return Ok(None) };
        match self.parts.get_mut(&slot) {
            Some(part) => *part = None,
            None => {
                self.entries[slot.0 as usize] = None;
                self.named -= 1;
            }
        }
        Ok(Some(recipe))
    }

    /// Takes a value away to give it another name; the names it has on workers stay.
    pub fn take(&mut self, slot: Slot) -> Result<Entry> {
        if slot.is_copy() {
            let entry = self.parts.remove(&slot).flatten().ok_or_else(|| missing(slot))?;
            return Ok(self.uncounted(entry));
        }
        let entry = self.entries.get_mut(slot.0 as usize).and_then(Option::take);
        let entry = entry.ok_or_else(|| missing(slot))?;
        self.named -= 1;
        Ok(self.uncounted(entry))
    }

    /// Takes a value's name away.
    pub fn remove(&mut self, slot: Slot) -> Result<Entry> {
        if slot.is_copy() {
            let entry = self.parts.remove(&slot).flatten().ok_or_else(|| missing(slot))?;
            entry.names().filter(|name| *name != slot).for_each(|name| self.end_copy(name));
            self.end_copy(slot);
            return Ok(self.uncounted(entry));
        }
        let entry = self.take(slot)?;
        entry.names().for_each(|name| self.end_copy(name));
        Ok(entry)
    }

    /// A name for a copy that no client knows of.
    pub fn name_copy(&mut self) -> Slot {
        self.free_copies.pop().unwrap_or_else(|| {
            self.copies += 1;
            Slot(Slot::FIRST_COPY + self.copies - 1)
        })
    }

    /// The name of a copy may be given again.
    pub fn end_copy(&mut self, name: Slot) {
        // The name of a part stands for it even where it has another one.
        if name.is_copy() && !self.parts.contains_key(&name) {
            self.free_copies.push(name);
        }
    }

    /// Forgets placements that no value has.
    pub fn forget_placements(&mut self) {
        let parts = self.parts.values().flatten();
        let entries = self.entries.iter().flatten().chain(parts);
        let places = |entry: &Entry| -> SmallVec<[PlacementId; 2]> {
            entry.spreads.iter().map(|&(place, _)| place).chain(entry.rehoused).collect()
        };
        let used = entries.flat_map(places);
        let used: HashSet<PlacementId> = used.collect();
        self.placements.forget_unused(&used);
    }

    /// The client's values that nobody has any more.
    pub fn lost_values(&self) -> impl Iterator<Item = (Slot, &Entry)> {
        self.values_of_first(self.entries.len()).filter(|(_, entry)| entry.lost.is_some())
    }

    /// The values that the first so many of the client's names stand for.
    pub fn values_of_first(&self, names: usize) -> impl Iterator<Item = (Slot, &Entry)> {
        let named = self.entries.iter().take(names).enumerate();
        named.filter_map(|(index, entry)| Some((Slot(index as u32), entry.as_ref()?)))
    }

    /// An error if the entries of its values take more memory than its session may hold.
    pub fn check_room(&self, limit_bytes: impl FnOnce() -> u64) -> Result<()> {
        if self.named <= FEW_VALUES {
            return Ok(());
        }
        let (held, limit) = ((self.named * VALUE_BYTES) as u64, limit_bytes());
        if held <= limit {
            return Ok(());
        }
        Err(Error::OutOfMemory(format!(
            "out of memory: the names of the {} values of this session take {held} bytes of the \
             server, and the session may hold {limit} bytes; free values before more are made",
            self.named
        )))
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.named
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn missing(slot: Slot) -> Error {
    Error::bug(format!("{slot} does not exist"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charge_for_a_value_covers_its_entry() {
        let entry = size_of::<Option<Entry>>();
        assert!((entry..=entry + 16).contains(&VALUE_BYTES), "an entry has {entry} bytes");
    }

    #[test]
    fn the_entries_of_many_values_count_against_the_memory_limit() {
        let mut registry = Registry::default();
        let limit = || (FEW_VALUES * VALUE_BYTES / 2) as u64;
        for number in 0..=FEW_VALUES as u32 {
            registry.check_room(limit).expect("a few values are free of charge");
            let value = Entry::nowhere(Meta::new(gt_core::DType::F32, [2]));
            registry.insert(Slot(number), value).expect("the names are in order");
        }
        assert!(matches!(registry.check_room(limit), Err(Error::OutOfMemory(_))));
        registry.check_room(|| 2 * limit() + VALUE_BYTES as u64).expect("there is room for all");
        registry.remove(Slot(7)).expect("it is there");
        registry.check_room(limit).expect("one is gone");
    }

    #[test]
    fn what_workers_hold_is_the_sum_over_entries_and_holders() {
        let [first, second] = [WorkerId(0), WorkerId(1)];
        let mut registry = Registry::default();
        let held = |registry: &Registry| [first, second].map(|worker| registry.held_bytes(worker));
        let insert = |registry: &mut Registry, slot: Slot, elements: usize| {
            let meta = Meta::new(gt_core::DType::F32, [elements]);
            let holders = Holders::from_slice(&[(first, slot)]);
            let value = Entry { holders, described: false, ..Entry::nowhere(meta) };
            registry.insert(slot, value).expect("the names are in order");
        };
        insert(&mut registry, Slot(0), 10);
        insert(&mut registry, Slot(1), 100);
        registry.add_copy(Slot(0), second).expect("it is there");
        assert_eq!(held(&registry), [440, 40]);
        let smaller = Meta::new(gt_core::DType::F32, [3]);
        registry.describe(Slot(0), smaller).expect("it is there");
        assert_eq!(held(&registry), [412, 12]);
        registry.drop_holder(Slot(0), first).expect("it is there");
        assert_eq!(held(&registry), [400, 12]);
        let entry = registry.take(Slot(0)).expect("it is there");
        assert_eq!(held(&registry), [400, 0]);
        registry.insert(Slot(0), entry).expect("the name is free");
        registry.take_holders(Slot(1)).expect("it is there");
        assert_eq!(held(&registry), [0, 12]);
        registry.remove(Slot(0)).expect("it is there");
        registry.remove(Slot(1)).expect("it is there");
        assert_eq!(held(&registry), [0, 0]);
    }
}
