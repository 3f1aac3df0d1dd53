//! What a worker knows of a session's values without having them: their names, what they are, and
//! who still needs them.

use std::sync::Arc;

use gt_core::placement::Signature;
use gt_core::{Error, Meta, Result, SignatureId, Slot};

use crate::plan::{Plan, Register, ValueId};

/// The values of one session.
#[derive(Debug, Default)]
pub struct Names {
    /// The client's names.
    values: Pages,
    /// Those that the dispatcher gave to copies.
    copies: Pages,
    /// By number.
    known: Vec<Known>,
    unused: Vec<ValueId>,
    /// The values that lost their last holder since [`Names::recycle`]; each once.
    released: Vec<ValueId>,
    /// The values that the next plan makes, loads or drops; each once.
    touched: Vec<ValueId>,
    /// How this worker and others share instructions.
    pub signatures: Signatures,
}

/// One value.
#[derive(Debug, Default)]
struct Known {
    /// What it is; `None` before it is planned, and while its shape depends on data that nobody
    /// has looked at.
    meta: Option<Meta>,
    /// What the whole is of which this worker has a part.
    whole: Option<Box<Meta>>,
    /// Where it is in the plan that is being made.
    register: Option<Register>,
    /// How many need it: its name, commands that wait, and the plan that will tell its shape.
    holders: u32,
    /// Whether the executor has it once the plans so far have run.
    kept: bool,
    /// Whether it is in the list of those that were released.
    released: bool,
    /// Whether it is in the list of those that were touched.
    touched: bool,
}

/// What a value takes here: itself, its name, and its number while nobody needs it.
#[cfg(test)]
pub(crate) const KNOWN_BYTES: usize =
    size_of::<Known>() + size_of::<Option<ValueId>>() + size_of::<ValueId>();

impl Names {
    /// The value of a name.
    pub fn find(&self, slot: Slot) -> Result<ValueId> {
        let found = match numbered(slot) {
            (Kind::Copy, index) => self.copies.get(index),
            (Kind::Value, index) => self.values.get(index),
        };
        found.ok_or_else(|| Error::bug(format!("{slot} is not on this worker")))
    }

    /// Names a value that will be made. An error if no session has so many names.
    pub fn name(&mut self, slot: Slot) -> Result<ValueId> {
        if numbered(slot).1 >= Slot::MOST_VALUES {
            return Err(Error::bug(format!("{slot} is not a name a dispatcher gives")));
        }
        let id = self.unused.pop().unwrap_or_else(|| {
            self.known.push(Known::default());
            ValueId(self.known.len() as u32 - 1)
        });
        self.known[id.0 as usize].holders = 1;
        if let Some(before) = self.entry(slot).replace(id) {
            self.release(before);
        }
        Ok(id)
    }

    /// Ends a name and gives its value.
    pub fn take(&mut self, slot: Slot) -> Result<ValueId> {
        let id = self.find(slot)?;
        self.end(slot);
        Ok(id)
    }

    /// Ends a name, if it is one.
    pub fn end(&mut self, slot: Slot) {
        let entry = match numbered(slot) {
            (Kind::Copy, index) => self.copies.get_mut(index),
            (Kind::Value, index) => self.values.get_mut(index),
        };
        if let Some(id) = entry.and_then(Option::take) {
            self.release(id);
        }
    }

    /// Somebody needs the value.
    pub fn hold(&mut self, id: ValueId) {
        self.known[id.0 as usize].holders += 1;
    }

    /// Somebody needs the value no more.
    pub fn release(&mut self, id: ValueId) {
        let known = &mut self.known[id.0 as usize];
        known.holders -= 1;
        if known.holders == 0 && !std::mem::replace(&mut known.released, true) {
            self.released.push(id);
        }
    }

    /// How many need a value: its name, commands that wait, and the plan that will tell its shape.
    pub fn holders(&self, id: ValueId) -> u32 {
        self.known[id.0 as usize].holders
    }

    /// Lets go of what nobody needs. Called between commands: one that is being planned may have
    /// ended the names of values that it uses. What the executor has, the next plan drops; the
    /// number of anything else is used again at once.
    pub fn recycle(&mut self) {
        while let Some(id) = self.released.pop() {
            let known = &mut self.known[id.0 as usize];
            known.released = false;
            match (known.holders, known.kept) {
                (0, true) => self.touch(id),
                (0, false) => self.forget(id),
                _ => {}
            }
        }
    }

    /// Gives the number of a value away.
    fn forget(&mut self, id: ValueId) {
        let known = &mut self.known[id.0 as usize];
        *known = Known { touched: known.touched, ..Known::default() };
        self.unused.push(id);
    }

    fn touch(&mut self, id: ValueId) {
        let known = &mut self.known[id.0 as usize];
        if !std::mem::replace(&mut known.touched, true) {
            self.touched.push(id);
        }
    }

    /// What a value is, once it is planned and its shape is known.
    pub fn meta(&self, id: ValueId) -> Option<&Meta> {
        self.known[id.0 as usize].meta.as_ref()
    }

    /// What the whole value is of which this worker has a part, or all.
    pub fn whole(&self, id: ValueId) -> Option<&Meta> {
        let known = &self.known[id.0 as usize];
        known.whole.as_deref().or(known.meta.as_ref())
    }

    /// Whether this worker has a part of a sum, in a wider dtype than that of the sum.
    pub fn is_wide(&self, id: ValueId) -> bool {
        let known = &self.known[id.0 as usize];
        let dtype = |meta: &Meta| meta.dtype;
        known
            .whole
            .as_deref()
            .map(dtype)
            .is_some_and(|whole| Some(whole) != known.meta.as_ref().map(dtype))
    }

    /// This worker has a part of a value.
    pub fn describe_whole(&mut self, id: ValueId, whole: &Meta) {
        let known = &mut self.known[id.0 as usize];
        known.whole = (known.meta.as_ref() != Some(whole)).then(|| Box::new(whole.clone()));
    }

    /// Where the value is in the plan that is being made.
    pub fn register(&self, id: ValueId) -> Option<Register> {
        self.known[id.0 as usize].register
    }

    /// The plan that is being made has the value there.
    pub fn place(&mut self, id: ValueId, register: Register) {
        self.known[id.0 as usize].register = Some(register);
        self.touch(id);
    }

    /// It is known what a value is.
    pub fn describe(&mut self, id: ValueId, meta: Meta) {
        self.known[id.0 as usize].meta = Some(meta);
    }

    /// Whether nothing waits for a plan to drop it.
    pub fn is_settled(&self) -> bool {
        self.touched.is_empty() && self.released.is_empty()
    }

    /// Ends the making of a plan: what is needed further is kept, and what nobody needs dropped.
    pub fn settle(&mut self, plan: &mut Plan) {
        self.recycle();
        let mut touched = std::mem::take(&mut self.touched);
        for id in touched.drain(..) {
            let known = &mut self.known[id.0 as usize];
            known.touched = false;
            match (known.register.take(), known.holders, known.kept) {
                (_, 0, true) => {
                    plan.drops.push(id);
                    self.forget(id);
                }
                (Some(register), 1.., false) => {
                    known.kept = true;
                    plan.keeps.push((register, id));
                }
                _ => {}
            }
        }
        // Its room is used again.
        self.touched = touched;
    }

    fn entry(&mut self, slot: Slot) -> &mut Option<ValueId> {
        match numbered(slot) {
            (Kind::Copy, index) => self.copies.entry(index),
            (Kind::Value, index) => self.values.entry(index),
        }
    }
}

/// How this worker and others share instructions, by number.
#[derive(Debug, Default)]
pub struct Signatures {
    defined: Vec<Arc<Signature>>,
    current: Option<Arc<Signature>>,
}

/// A session has at most so many signatures.
const MOST_SIGNATURES: usize = 1 << 16;

impl Signatures {
    /// Gives one its number. A worker hears only of those of its meshes, so numbers have gaps.
    fn index(number: SignatureId) -> Result<usize> {
        let index = (number.0 as usize).checked_sub(1).filter(|index| *index < MOST_SIGNATURES);
        index.ok_or_else(|| Error::bug(format!("{number} is not the number of a signature")))
    }

    /// Gives a signature its number.
    pub fn define(&mut self, number: SignatureId, signature: Signature) -> Result<()> {
        signature.mesh.check()?;
        if signature.cuts.len() != signature.mesh.rank() {
            return Err(Error::bug(format!("{number} does not fit its mesh")));
        }
        let index = Self::index(number)?;
        let signature = Arc::new(signature);
        if index >= self.defined.len() {
            self.defined.resize(index + 1, signature.clone());
        }
        self.defined[index] = signature;
        Ok(())
    }

    /// What follows is shared so.
    pub fn begin(&mut self, number: SignatureId) -> Result<()> {
        self.current = match number {
            SignatureId::NONE => None,
            _ => {
                let found = self.defined.get(Self::index(number)?).cloned();
                Some(found.ok_or_else(|| Error::bug(format!("{number} is not defined")))?)
            }
        };
        Ok(())
    }

    /// What follows is not shared.
    pub fn end(&mut self) {
        self.current = None;
    }

    /// How what follows is shared.
    pub fn current(&self) -> Option<Arc<Signature>> {
        self.current.clone()
    }
}

/// So many names lie together.
const PAGE: usize = 64;

/// Values by number, in pages: a number costs a page at most, whatever it is. A client's names are
/// dense, but only some of its values are on this worker.
#[derive(Debug, Default)]
struct Pages {
    pages: Vec<Option<Box<[Option<ValueId>; PAGE]>>>,
}

impl Pages {
    fn get(&self, index: u32) -> Option<ValueId> {
        let page = self.pages.get(index as usize / PAGE)?.as_ref()?;
        page[index as usize % PAGE]
    }

    /// The entry, to be changed; `None` if no page has it.
    fn get_mut(&mut self, index: u32) -> Option<&mut Option<ValueId>> {
        let page = self.pages.get_mut(index as usize / PAGE)?.as_mut()?;
        Some(&mut page[index as usize % PAGE])
    }

    fn entry(&mut self, index: u32) -> &mut Option<ValueId> {
        let (page, place) = (index as usize / PAGE, index as usize % PAGE);
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        &mut self.pages[page].get_or_insert_with(|| Box::new([None; PAGE]))[place]
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
    use gt_core::{DType, SessionId, WorkerId};

    use super::*;

    fn plan() -> Plan {
        Plan::new(WorkerId(0), SessionId(1))
    }

    #[test]
    fn a_name_costs_little_however_far_it_is() {
        let mut names = Names::default();
        for first in [0, Slot::FIRST_COPY] {
            for far in [0, 1 << 16, Slot::MOST_VALUES - 1] {
                let id = names.name(Slot(first + far)).unwrap();
                assert_eq!(names.find(Slot(first + far)).unwrap(), id);
            }
            assert!(names.name(Slot(first + Slot::MOST_VALUES)).is_err());
            // Asking costs nothing.
            assert!(names.find(Slot(first + Slot::MOST_VALUES)).is_err());
            names.end(Slot(first + (1 << 20)));
        }
        let pages = |pages: &Pages| pages.pages.iter().flatten().count();
        assert_eq!((pages(&names.values), pages(&names.copies)), (3, 3));
    }

    #[test]
    fn a_value_outlives_its_name_while_somebody_waits_to_use_it() {
        let mut names = Names::default();
        let (id, slot) = (names.name(Slot(0)).unwrap(), Slot(0));
        names.place(id, Register(0));
        names.describe(id, Meta::new(DType::F32, [2]));
        let mut first = plan();
        names.settle(&mut first);
        assert_eq!(first.keeps[..], [(Register(0), id)]);
        names.hold(id);
        names.end(slot);
        let next = names.name(slot).unwrap();
        assert_ne!(next, id, "the name is used again, the value is not gone");
        let mut second = plan();
        names.settle(&mut second);
        assert!(second.drops.is_empty());
        names.release(id);
        names.settle(&mut second);
        assert_eq!(second.drops[..], [id]);
        assert_eq!(names.name(Slot(7)).unwrap(), id, "numbers are used again");
    }
}
