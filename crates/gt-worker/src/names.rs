//! What a worker knows of a session's values without having them: their names, what they are, and
//! who still needs them.

use gt_core::{Error, Meta, Result, Slot};

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
    /// The values that the next plan made, loaded or lost the last holder of.
    touched: Vec<ValueId>,
}

/// One value.
#[derive(Debug, Default)]
struct Known {
    /// What it is; `None` before it is planned, and while its shape depends on data that nobody
    /// has looked at.
    meta: Option<Meta>,
    /// Where it is in the plan that is being made.
    register: Option<Register>,
    /// How many need it: its name, commands that wait, and the plan that will tell its shape.
    holders: u32,
    /// Whether the executor has it once the plans so far have run.
    kept: bool,
}

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

    /// Ends a name, if it is one. The value's number stays until the next plan is made.
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
        if known.holders == 0 {
            self.touched.push(id);
        }
    }

    /// What a value is, once it is planned and its shape is known.
    pub fn meta(&self, id: ValueId) -> Option<&Meta> {
        self.known[id.0 as usize].meta.as_ref()
    }

    /// Where the value is in the plan that is being made.
    pub fn register(&self, id: ValueId) -> Option<Register> {
        self.known[id.0 as usize].register
    }

    /// The plan that is being made has the value there.
    pub fn place(&mut self, id: ValueId, register: Register) {
        self.known[id.0 as usize].register = Some(register);
        self.touched.push(id);
    }

    /// It is known what a value is.
    pub fn describe(&mut self, id: ValueId, meta: Meta) {
        self.known[id.0 as usize].meta = Some(meta);
    }

    /// Whether nothing waits for a plan to drop it.
    pub fn is_settled(&self) -> bool {
        self.touched.is_empty()
    }

    /// Ends the making of a plan: what is needed further is kept, and what nobody needs dropped.
    pub fn settle(&mut self, plan: &mut Plan) {
        self.touched.sort_unstable();
        self.touched.dedup();
        for id in self.touched.drain(..) {
            let known = &mut self.known[id.0 as usize];
            let register = known.register.take();
            if known.holders == 0 {
                if known.kept {
                    plan.drops.push(id);
                }
                *known = Known::default();
                self.unused.push(id);
            } else if let (Some(register), false) = (register, known.kept) {
                known.kept = true;
                plan.keeps.push((register, id));
            }
        }
    }

    fn entry(&mut self, slot: Slot) -> &mut Option<ValueId> {
        match numbered(slot) {
            (Kind::Copy, index) => self.copies.entry(index),
            (Kind::Value, index) => self.values.entry(index),
        }
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
        assert_eq!(first.keeps, [(Register(0), id)]);
        names.hold(id);
        names.end(slot);
        let next = names.name(slot).unwrap();
        assert_ne!(next, id, "the name is used again, the value is not gone");
        let mut second = plan();
        names.settle(&mut second);
        assert!(second.drops.is_empty());
        names.release(id);
        names.settle(&mut second);
        assert_eq!(second.drops, [id]);
        assert_eq!(names.name(Slot(7)).unwrap(), id, "numbers are used again");
    }
}
