//! Placements as numbers. Each is kept once, so that what is known of a value stays small.

use std::collections::{HashMap, HashSet};

use gt_core::placement::{Layout, Layouts, Mesh, Placement};
use gt_core::{Error, Result, WorkerId};

use crate::worker_map::WorkerMap;

/// A session has at most so many placements.
const MOST_PLACEMENTS: usize = 1 << 12;

/// With so many, those that no value has are forgotten.
const CROWDED: usize = MOST_PLACEMENTS / 2;

/// The number of a placement within its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlacementId(u32);

/// The placements of one session.
#[derive(Debug, Default)]
pub struct Placements {
    known: Vec<Known>,
    numbers: HashMap<Placement, PlacementId>,
    /// Those on one worker, which are asked for most.
    wholes: WorkerMap<Option<PlacementId>>,
    /// Numbers that stand for nothing, to be given again.
    free: Vec<PlacementId>,
    /// How many were left when it was last cleared up.
    left: usize,
}

#[derive(Debug)]
struct Known {
    placement: Placement,
    /// Copies on the same mesh.
    mesh: PlacementId,
    /// The worker, if the mesh has one only: it has all of a value.
    alone: Option<WorkerId>,
    /// A bit for each worker of the mesh, at its number: asking for one costs the same for few
    /// workers and for many.
    members: Box<[u64]>,
    /// For copies, other layouts on their mesh that were asked for; as many as are found quickly.
    layouts: Vec<(Layouts, PlacementId)>,
}

/// So many layouts of a mesh are looked at one after another.
const NEAR: usize = 16;

impl Placements {
    /// The number of a placement.
    pub fn intern(&mut self, placement: Placement) -> Result<PlacementId> {
        // A part of one is all of it.
        let placement = match placement.mesh().workers().len() {
            1 => Placement::replicated(placement.mesh().clone()),
            _ => placement,
        };
        if let Some(&number) = self.numbers.get(&placement) {
            return Ok(number);
        }
        let copies = Placement::replicated(placement.mesh().clone());
        let mesh = if copies == placement { None } else { Some(self.intern(copies)?) };
        if self.numbers.len() >= MOST_PLACEMENTS {
            return Err(Error::value(format!(
                "a session has at most {MOST_PLACEMENTS} placements"
            )));
        }
        let number = self.free.pop().unwrap_or(PlacementId(self.known.len() as u32));
        let (mesh, layouts) = (mesh.unwrap_or(number), Vec::new());
        let members = bits(placement.mesh().workers());
        let alone = match placement.mesh().workers() {
            [worker] if mesh == number => Some(*worker),
            _ => None,
        };
        let known = Known { placement: placement.clone(), mesh, alone, members, layouts };
        match self.known.get_mut(number.0 as usize) {
            Some(place) => *place = known,
            None => self.known.push(known),
        }
        self.numbers.insert(placement, number);
        Ok(number)
    }

    /// Whether it is time to forget those that no value has: values of ever other lengths may have
    /// ever other cuts.
    pub fn is_crowded(&self) -> bool {
        self.numbers.len() >= CROWDED.max(self.left + self.left / 4)
    }

    /// Forgets the cuts that nobody uses. Meshes stay; there are few.
    pub fn forget_unused(&mut self, used: &HashSet<PlacementId>) {
        let (known, free) = (&self.known, &mut self.free);
        self.numbers.retain(|_, number| {
            let stays = known[number.0 as usize].mesh == *number || used.contains(number);
            if !stays {
                free.push(*number);
            }
            stays
        });
        let forgotten: HashSet<PlacementId> = self.free.iter().copied().collect();
        for known in &mut self.known {
            known.layouts.retain(|(_, number)| !forgotten.contains(number));
        }
        self.left = self.numbers.len();
    }

    /// The same mesh with other layouts along its axes.
    pub fn with_layouts(&mut self, number: PlacementId, layouts: &[Layout]) -> Result<PlacementId> {
        let mesh = self.mesh(number);
        let is_alone = self.alone(mesh).is_some();
        if is_alone || layouts.iter().all(|layout| *layout == Layout::Replicate) {
            return Ok(mesh);
        }
        let near = &self.known[mesh.0 as usize].layouts;
        if let Some((_, found)) = near.iter().find(|(known, _)| known[..] == *layouts) {
            return Ok(*found);
        }
        let found = self.intern(self.get(mesh).with_layouts(layouts.iter().cloned()))?;
        let near = &mut self.known[mesh.0 as usize].layouts;
        if near.len() < NEAR {
            near.push((layouts.iter().cloned().collect(), found));
        }
        Ok(found)
    }

    /// The same with sums put together.
    pub fn together(&mut self, number: PlacementId) -> Result<PlacementId> {
        let layouts = self.layouts(number).iter().map(|layout| match layout {
            Layout::Partial(_) => Layout::Replicate,
            layout => layout.clone(),
        });
        let layouts: Layouts = layouts.collect();
        self.with_layouts(number, &layouts)
    }

    /// All of a value on one worker.
    pub fn whole(&mut self, worker: WorkerId) -> Result<PlacementId> {
        if let Some(known) = self.wholes.of(worker) {
            return Ok(*known);
        }
        let number = self.intern(Placement::on(worker))?;
        *self.wholes.of(worker) = Some(number);
        Ok(number)
    }

    /// The worker that has all of what is placed so, if it is alone on its mesh.
    #[inline]
    pub fn alone(&self, number: PlacementId) -> Option<WorkerId> {
        self.known[number.0 as usize].alone
    }

    /// The placement of a number.
    pub fn get(&self, number: PlacementId) -> &Placement {
        &self.known[number.0 as usize].placement
    }

    /// Copies on the same mesh, which stand for the mesh itself.
    #[inline]
    pub fn mesh(&self, number: PlacementId) -> PlacementId {
        self.known[number.0 as usize].mesh
    }

    /// What each axis of the mesh does to a value.
    pub fn layouts(&self, number: PlacementId) -> &[Layout] {
        self.get(number).layouts()
    }

    /// The workers of its mesh.
    pub fn members(&self, number: PlacementId) -> &[WorkerId] {
        self.get(number).mesh().workers()
    }

    /// Whether a worker belongs to its mesh.
    pub fn contains(&self, number: PlacementId, worker: WorkerId) -> bool {
        let word = self.known[number.0 as usize].members.get(worker.0 as usize / 64);
        word.is_some_and(|word| word >> (worker.0 % 64) & 1 == 1)
    }

    /// Whether whatever is placed so is on all workers of `other` too, as `other` wants it.
    pub fn covers(&self, number: PlacementId, other: PlacementId) -> bool {
        let members = |number: PlacementId| &self.known[number.0 as usize].members;
        let has_all = |(own, others): (&[u64], &[u64])| {
            let word = |index: usize| own.get(index).copied().unwrap_or(0);
            others.iter().enumerate().all(|(index, wanted)| wanted & !word(index) == 0)
        };
        number == other
            || (self.is_replicated(number)
                && self.is_replicated(other)
                && has_all((members(number), members(other))))
    }

    /// The same without a worker that is gone; `None` if values are not whole without it.
    pub fn without(&mut self, number: PlacementId, worker: WorkerId) -> Option<PlacementId> {
        if self.is_replicated(number) {
            let left = self.members(number).iter().copied().filter(|member| *member != worker);
            let left: Vec<_> = left.collect();
            let group = (!left.is_empty()).then(|| Placement::replicated(Mesh::group(left)))?;
            return self.intern(group).ok();
        }
        let placement = self.get(number);
        // Along an axis with copies the others have all of it.
        let layouts = placement.layouts().iter().enumerate();
        let mut copied = layouts.filter(|(_, layout)| **layout == Layout::Replicate);
        let left = copied.find_map(|(axis, _)| placement.mesh().without(worker, axis))?;
        let layouts = placement.layouts().to_vec();
        self.intern(Placement::replicated(left).with_layouts(layouts)).ok()
    }

    /// Whether every worker of the mesh has all of what is placed so.
    #[inline]
    pub fn is_replicated(&self, number: PlacementId) -> bool {
        self.mesh(number) == number
    }
}

/// A bit for each worker, at its number.
fn bits(workers: &[WorkerId]) -> Box<[u64]> {
    let last = workers.iter().map(|worker| worker.0 as usize).max().unwrap_or(0);
    let mut bits = vec![0; last / 64 + 1];
    workers.iter().for_each(|worker| bits[worker.0 as usize / 64] |= 1 << (worker.0 % 64));
    bits.into()
}

#[cfg(test)]
mod tests {
    use gt_core::placement::{At, Cut};

    use super::*;

    fn replicated(workers: &[u32]) -> Placement {
        Placement::replicated(Mesh::group(workers.iter().copied().map(WorkerId)))
    }

    #[test]
    fn a_placement_has_one_number_and_there_is_an_end_to_them() {
        let mut placements = Placements::default();
        let pair = placements.intern(replicated(&[0, 1])).unwrap();
        assert_eq!(placements.intern(replicated(&[0, 1])).unwrap(), pair);
        let alone = placements.without(pair, WorkerId(0)).unwrap();
        assert_eq!(placements.members(alone), [WorkerId(1)]);
        assert!(placements.covers(pair, alone) && !placements.covers(alone, pair));
        let far = placements.intern(replicated(&[1, 64, 200])).unwrap();
        let members = (0..300).filter(|&worker| placements.contains(far, WorkerId(worker)));
        assert_eq!(members.collect::<Vec<_>>(), [1, 64, 200]);
        assert!(placements.covers(far, alone) && !placements.covers(pair, far));
        assert_eq!(placements.without(alone, WorkerId(1)), None);
        let mut others = (0..MOST_PLACEMENTS as u32).map(|n| placements.intern(replicated(&[n])));
        assert!(others.any(|number| number.is_err()));
    }

    #[test]
    fn a_cut_that_no_value_has_gives_its_number_to_another() {
        let mut placements = Placements::default();
        let pair = placements.intern(replicated(&[0, 1])).unwrap();
        let at = |point| At::Points([0, point, 9].into_iter().collect());
        let cut = |point| [Layout::Shard(Cut { axis: 0, blocks: 1, at: at(point) })];
        let kept = placements.with_layouts(pair, &cut(1)).unwrap();
        let gone = placements.with_layouts(pair, &cut(2)).unwrap();
        placements.forget_unused(&HashSet::from([kept]));
        assert_eq!(placements.with_layouts(pair, &cut(1)).unwrap(), kept);
        assert_eq!(placements.with_layouts(pair, &cut(3)).unwrap(), gone);
        assert_eq!(*placements.layouts(gone), cut(3));
        assert_ne!(placements.with_layouts(pair, &cut(2)).unwrap(), gone);
    }
}
