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

/// What the dispatcher keeps of one value, at least. A test compares it with the size of an entry.
pub const VALUE_BYTES: usize = 112;

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

/// Placements of a value, and the name it has there.
pub type Places = SmallVec<[(PlacementId, Slot); 1]>;

/// What is known of a value.
#[derive(Debug)]
pub struct Entry {
    /// Its dtype and shape.
    pub meta: Meta,
    /// Whether it is somewhere.
    pub state: State,
    /// Where in the program it is made.
    pub provenance: Provenance,
    /// When it is estimated to be there.
    pub ready_ns: u64,
    /// Its placements, and the name it has on all workers of each. It rests in the first: what
    /// takes its place goes there. The others are copies, in the order in which they were made.
    pub at: Places,
    /// How copies of it are used that were moved for an instruction.
    pub copies: Copies,
    /// Whether it is a gradient that others are added to before its parts are put together.
    pub accumulates: bool,
    /// Whether another recipe goes on from it.
    pub continued: bool,
}

/// Whether a value is somewhere.
#[derive(Debug)]
pub enum State {
    /// It is.
    There,
    /// It is, but the worker has yet to report its shape.
    Awaited,
    /// It is made so at its first use.
    Deferred(Arc<Recipe>),
    /// The last worker that had a part of it is gone.
    Lost(Box<Loss>),
}

/// A value that nobody has any more.
#[derive(Debug)]
pub struct Loss {
    /// Why.
    pub failure: Arc<Failure>,
    /// How it lay before.
    pub former: Option<Placement>,
    /// Where that is among the workers that there are now, once something is to take its place.
    pub rehoused: Option<PlacementId>,
}

impl State {
    /// Nobody has it, for this reason.
    pub fn lost(failure: Arc<Failure>) -> State {
        State::Lost(Box::new(Loss { failure, former: None, rehoused: None }))
    }
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
    /// A value in no placement yet.
    pub fn new(meta: Meta) -> Self {
        Entry {
            meta,
            state: State::There,
            provenance: Provenance::UNKNOWN,
            ready_ns: 0,
            at: Places::new(),
            copies: Copies::default(),
            accumulates: false,
            continued: false,
        }
    }

    /// A value that is made at its first use.
    pub fn deferred(recipe: Arc<Recipe>) -> Self {
        let meta = recipe.meta.clone();
        Entry { state: State::Deferred(recipe), ..Entry::new(meta) }
    }

    /// How it is made, if that is left for its first use.
    #[inline]
    pub fn recipe(&self) -> Option<&Arc<Recipe>> {
        match &self.state {
            State::Deferred(recipe) => Some(recipe),
            _ => None,
        }
    }

    /// Why nobody has it, if nobody does.
    #[inline]
    pub fn loss(&self) -> Option<&Loss> {
        match &self.state {
            State::Lost(loss) => Some(loss),
            _ => None,
        }
    }

    /// Whether a worker is still to tell its shape.
    #[inline]
    pub fn is_awaited(&self) -> bool {
        matches!(self.state, State::Awaited)
    }

    /// Whether it is made at its first use, as that wants it. What composites are made of is made
    /// as the values beside it are.
    pub(crate) fn comes_as_asked(&self) -> bool {
        self.recipe().is_some_and(|recipe| recipe.by_program)
    }

    fn names(&self) -> impl Iterator<Item = Slot> {
        self.at.iter().map(|&(_, name)| name)
    }
}

impl Registry {
    /// The name of a value in a placement, if it has one there.
    #[inline]
    pub fn name_at(&self, entry: &Entry, place: PlacementId) -> Option<Slot> {
        let mut at = entry.at.iter();
        at.find(|(known, _)| self.placements.covers(*known, place)).map(|&(_, name)| name)
    }

    /// The name of a value on `worker`, if all of it is there.
    pub fn name_on(&self, entry: &Entry, worker: WorkerId) -> Option<Slot> {
        let mut wholes = self.wholes(entry);
        wholes.find(|(place, _)| self.placements.contains(*place, worker)).map(|&(_, name)| name)
    }

    /// The placements whose workers have all of a value.
    fn wholes<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = &'a (PlacementId, Slot)> {
        entry.at.iter().filter(|(place, _)| self.placements.is_replicated(*place))
    }

    /// The first placement of a value on more than one worker.
    pub fn on_mesh(&self, entry: &Entry) -> Option<(PlacementId, Slot)> {
        let mut at = entry.at.iter();
        at.find(|(place, _)| self.placements.alone(*place).is_none()).copied()
    }

    /// Whether somebody has all of a value.
    pub fn is_whole(&self, entry: &Entry) -> bool {
        self.wholes(entry).next().is_some()
    }

    /// Why nobody has a value.
    pub fn lost(&self, entry: &Entry) -> Error {
        let unknown = || Error::bug("a value is neither somewhere nor lost");
        entry.loss().map_or_else(unknown, |loss| loss.failure.error.clone())
    }

    /// A worker that has all of a value, and its name there, or why nobody has.
    pub fn home(&self, entry: &Entry) -> std::result::Result<(WorkerId, Slot), Arc<Failure>> {
        if let Some(&(place, name)) = self.wholes(entry).next() {
            return Ok((self.placements.members(place)[0], name));
        }
        let loss = entry.loss();
        Err(loss.unwrap_or_else(|| unreachable!("a value that nobody has is lost")).failure.clone())
    }

    /// All workers that have all of a value.
    pub fn whereabouts<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = WorkerId> {
        self.wholes(entry).flat_map(|&(place, _)| self.placements.members(place)).copied()
    }

    /// A worker is gone. What only it had is lost. Gives the parts that others have and nobody
    /// needs: of values that are lost, and of those that are all there without them.
    pub fn lose(&mut self, worker: WorkerId, failure: &Arc<Failure>) -> Vec<(WorkerId, Slot)> {
        let mut spare = Vec::new();
        self.held.remove(worker);
        for index in 0..self.entries.len() {
            let has_part =
                |(place, _): &(PlacementId, Slot)| self.placements.contains(*place, worker);
            let Some(entry) = &self.entries[index] else { continue };
            if !entry.at.iter().any(has_part) {
                continue;
            }
            let is_shared =
                |(place, _): &&(PlacementId, Slot)| self.placements.alone(*place).is_none();
            let first = entry.at.iter().find(is_shared).or(entry.at.first()).copied();
            let former = first.map(|(place, _)| self.placements.get(place).clone());
            let slot = Slot(index as u32);
            for (place, _) in entry.at.clone() {
                if self.placements.contains(place, worker) {
                    let left = self.placements.without(place, worker);
                    self.narrow(slot, place, left, &mut spare);
                }
            }
            let Some(entry) = &mut self.entries[index] else { continue };
            if entry.at.is_empty() {
                let failure = failure.clone();
                entry.state = State::Lost(Box::new(Loss { failure, former, rehoused: None }));
            }
        }
        spare.retain(|(other, _)| *other != worker);
        spare
    }

    /// A value is from here on in a part of a placement only, or not there at all. Adds what
    /// workers have of it that nobody needs.
    pub fn narrow(
        &mut self,
        slot: Slot,
        place: PlacementId,
        left: Option<PlacementId>,
        spare: &mut Vec<(WorkerId, Slot)>,
    ) {
        let entry = self.entries.get_mut(slot.0 as usize).and_then(Option::as_mut);
        let Some(entry) = entry else { return };
        let Some(index) = entry.at.iter().position(|(known, _)| *known == place) else { return };
        let (_, name) = entry.at.remove(index);
        // A worker that has it under another name too needs only that.
        let left = left.filter(|left| entry.at.iter().all(|(known, _)| known != left));
        let bytes = entry.meta.bytes() as u64;
        if let Some(left) = left {
            entry.at.insert(index, (left, name));
        } else if name.is_copy() {
            self.free_copies.push(name);
        }
        let is_needed = |other| left.is_some_and(|left| self.placements.contains(left, other));
        let others = self.placements.members(place).iter().copied();
        spare.extend(others.filter(|other| !is_needed(*other)).map(|other| (other, name)));
        if let Some(worker) = left.and_then(|left| self.placements.alone(left)) {
            let held = self.held.of(worker);
            *held = held.saturating_add(bytes);
        }
    }

    /// The client's values of which a worker has something.
    pub fn values_on(&self, worker: WorkerId) -> Vec<Slot> {
        let is_there = |entry: &Entry| {
            entry.at.iter().any(|&(place, _)| self.placements.contains(place, worker))
        };
        let there = self.values_of_first(self.entries.len()).filter(|(_, entry)| is_there(entry));
        there.map(|(slot, _)| slot).collect()
    }

    /// What is known of a value.
    #[inline]
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

    /// A value is in a further placement, under this name.
    pub fn add_place(&mut self, slot: Slot, place: PlacementId, name: Slot) -> Result<()> {
        let entry = self.get_mut(slot)?;
        entry.at.push((place, name));
        let bytes = entry.meta.bytes() as u64;
        self.count(&[(place, name)], |held| held.saturating_add(bytes));
        Ok(())
    }

    /// A value is in a placement no longer; gives the name that it had there, which ends with it.
    pub fn drop_place(&mut self, slot: Slot, place: PlacementId) -> Result<Option<Slot>> {
        let entry = self.get_mut(slot)?;
        let Some(index) = entry.at.iter().position(|(known, _)| *known == place) else {
            return Ok(None);
        };
        let ((_, name), bytes) = (entry.at.remove(index), entry.meta.bytes() as u64);
        if let Some(worker) = self.placements.alone(place) {
            let held = self.held.of(worker);
            *held = held.saturating_sub(bytes);
        }
        self.end_copy(name);
        Ok(Some(name))
    }

    /// The shape of a value is known.
    pub fn describe(&mut self, slot: Slot, meta: Meta) -> Result<()> {
        let entry = self.get_mut(slot)?;
        let (at, bytes) = (entry.at.clone(), meta.bytes() as u64);
        let before = std::mem::replace(&mut entry.meta, meta).bytes() as u64;
        if entry.is_awaited() {
            entry.state = State::There;
        }
        self.count(&at, |held| held.saturating_sub(before).saturating_add(bytes));
        Ok(())
    }

    #[inline]
    fn count(&mut self, at: &[(PlacementId, Slot)], change: impl Fn(u64) -> u64) {
        let alone = at.iter().filter_map(|(place, _)| self.placements.alone(*place));
        for worker in alone {
            let held = self.held.of(worker);
            *held = change(*held);
        }
    }

    /// Takes an entry out of the count of what workers have.
    #[inline]
    fn uncounted(&mut self, entry: Entry) -> Entry {
        let bytes = entry.meta.bytes() as u64;
        self.count(&entry.at, |held| held.saturating_sub(bytes));
        entry
    }

    /// Gives a value its name.
    #[inline]
    pub fn insert(&mut self, slot: Slot, entry: Entry) -> Result<()> {
        let bytes = entry.meta.bytes() as u64;
        self.count(&entry.at, |held| held.saturating_add(bytes));
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
        let Some(recipe) = self.get(slot)?.recipe().cloned() else { return Ok(None) };
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
    #[inline]
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
    #[inline]
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
            let rehoused = entry.loss().and_then(|loss| loss.rehoused);
            entry.at.iter().map(|&(place, _)| place).chain(rehoused).collect()
        };
        let used = entries.flat_map(places);
        let used: HashSet<PlacementId> = used.collect();
        self.placements.forget_unused(&used);
    }

    /// The client's values that nobody has any more.
    pub fn lost_values(&self) -> impl Iterator<Item = (Slot, &Entry)> {
        self.values_of_first(self.entries.len()).filter(|(_, entry)| entry.loss().is_some())
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

    /// Panics if what is known of values contradicts itself.
    pub fn check(&self) {
        let mut held: WorkerMap<u64> = WorkerMap::default();
        let mut names: HashSet<(WorkerId, Slot)> = HashSet::new();
        let mut copies: HashSet<Slot> = self.free_copies.iter().copied().collect();
        assert_eq!(copies.len(), self.free_copies.len(), "a copy's name is free twice");
        let named = self.entries.iter().flatten();
        assert_eq!(named.clone().count(), self.named, "values are counted wrongly");
        for entry in named.chain(self.parts.values().flatten()) {
            let is_somewhere = matches!(entry.state, State::There | State::Awaited);
            assert_eq!(is_somewhere, !entry.at.is_empty(), "{entry:?} is not where its state says");
            for (index, &(place, name)) in entry.at.iter().enumerate() {
                let alone = self.placements.alone(place);
                let others = &entry.at[..index];
                assert!(
                    others.iter().all(|(other, _)| *other != place),
                    "{entry:?} is twice there"
                );
                for &member in self.placements.members(place) {
                    assert!(names.insert((member, name)), "{name} on {member} is two values");
                }
                if let Some(worker) = alone {
                    *held.of(worker) += entry.meta.bytes() as u64;
                }
                let is_part = self.parts.contains_key(&name);
                assert!(
                    !name.is_copy() || is_part || copies.insert(name),
                    "{name}, of {entry:?}, is free or belongs to another value"
                );
            }
        }
        for (worker, &bytes) in self.held.iter() {
            assert_eq!(held.of(worker), &bytes, "the values on {worker} are counted wrongly");
        }
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
    use gt_core::placement::Mesh;

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
            let value = Entry::new(Meta::new(gt_core::DType::F32, [2]));
            registry.insert(Slot(number), value).expect("the names are in order");
        }
        assert!(matches!(registry.check_room(limit), Err(Error::OutOfMemory(_))));
        registry.check_room(|| 2 * limit() + VALUE_BYTES as u64).expect("there is room for all");
        registry.remove(Slot(7)).expect("it is there");
        registry.check_room(limit).expect("one is gone");
    }

    #[test]
    fn what_workers_hold_is_the_sum_over_entries_and_their_workers() {
        let [first, second] = [WorkerId(0), WorkerId(1)];
        let mut registry = Registry::default();
        let held = |registry: &Registry| [first, second].map(|worker| registry.held_bytes(worker));
        let mut place = |worker| registry.placements.whole(worker).expect("there are few");
        let [at_first, at_second] = [place(first), place(second)];
        let insert = |registry: &mut Registry, slot: Slot, elements: usize| {
            let meta = Meta::new(gt_core::DType::F32, [elements]);
            let (at, state) = (Places::from_slice(&[(at_first, slot)]), State::Awaited);
            registry.insert(slot, Entry { at, state, ..Entry::new(meta) }).expect("in order");
        };
        insert(&mut registry, Slot(0), 10);
        insert(&mut registry, Slot(1), 100);
        let name = registry.name_copy();
        registry.add_place(Slot(0), at_second, name).expect("it is there");
        assert_eq!(held(&registry), [440, 40]);
        let smaller = Meta::new(gt_core::DType::F32, [3]);
        registry.describe(Slot(0), smaller).expect("it is there");
        assert_eq!(held(&registry), [412, 12]);
        registry.drop_place(Slot(0), at_first).expect("it is there");
        assert_eq!(held(&registry), [400, 12]);
        let entry = registry.take(Slot(0)).expect("it is there");
        assert_eq!(held(&registry), [400, 0]);
        registry.insert(Slot(0), entry).expect("the name is free");
        registry.drop_place(Slot(1), at_first).expect("it is there");
        assert_eq!(held(&registry), [0, 12]);
        registry.remove(Slot(0)).expect("it is there");
        registry.remove(Slot(1)).expect("it is there");
        assert_eq!(held(&registry), [0, 0]);
    }

    /// Two values: one on the first worker, and one on a mesh of both with a copy on the second.
    fn two_values() -> Registry {
        let mut registry = Registry::default();
        let pair = Placement::replicated(Mesh::group([WorkerId(0), WorkerId(1)]));
        let pair = registry.placements.intern(pair).expect("there are few");
        let alone = registry.placements.whole(WorkerId(0)).expect("there are few");
        let second = registry.placements.whole(WorkerId(1)).expect("there are few");
        for (slot, place) in [(Slot(0), alone), (Slot(1), pair)] {
            let at = Places::from_slice(&[(place, slot)]);
            let meta = Meta::new(gt_core::DType::F32, [4]);
            registry.insert(slot, Entry { at, ..Entry::new(meta) }).expect("in order");
        }
        let name = registry.name_copy();
        registry.add_place(Slot(1), second, name).expect("it is there");
        registry
    }

    #[test]
    fn each_clause_of_the_check_finds_its_mistake() {
        type Plant = fn(&mut Registry);
        let plants: [(&str, Plant); 7] = [
            ("is free twice", |registry| {
                let name = registry.name_copy();
                registry.free_copies.extend([name, name]);
            }),
            ("values are counted wrongly", |registry| registry.named += 1),
            ("is not where its state says", |registry| value(registry, 0).at.clear()),
            ("is twice there", |registry| {
                let name = registry.name_copy();
                let (place, _) = value(registry, 0).at[0];
                value(registry, 0).at.push((place, name));
            }),
            ("is two values", |registry| value(registry, 1).at[0].1 = Slot(0)),
            ("is free or belongs to another", |registry| {
                let (_, name) = value(registry, 1).at[1];
                registry.free_copies.push(name);
            }),
            ("the values on w0 are counted wrongly", |registry| {
                *registry.held.of(WorkerId(0)) += 1
            }),
        ];
        two_values().check();
        for (words, plant) in plants {
            let mut registry = two_values();
            plant(&mut registry);
            let found = std::panic::catch_unwind(|| registry.check()).expect_err(words);
            let found = found.downcast_ref::<String>().expect("words");
            assert!(found.contains(words), "{found} instead of {words}");
        }
    }

    fn value(registry: &mut Registry, index: usize) -> &mut Entry {
        registry.entries[index].as_mut().expect("a value")
    }
}
