//! Placements as numbers. Each is kept once, so that what is known of a value stays small.

use std::collections::HashMap;

use gt_core::placement::{Layout, Mesh, Placement};
use gt_core::{Error, Result, WorkerId};

/// A session has at most so many placements.
const MOST_PLACEMENTS: usize = 1 << 12;

/// The number of a placement within its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlacementId(u32);

/// The placements of one session.
#[derive(Debug, Default)]
pub struct Placements {
    known: Vec<Known>,
    numbers: HashMap<Placement, PlacementId>,
}

#[derive(Debug)]
struct Known {
    placement: Placement,
    /// Copies on the same mesh.
    mesh: PlacementId,
    /// For copies, other layouts on their mesh that were asked for; as many as are found quickly.
    layouts: Vec<(Layout, PlacementId)>,
}

/// So many layouts of a mesh are looked at one after another.
const NEAR: usize = 16;

impl Placements {
    /// The number of a placement.
    pub fn intern(&mut self, placement: Placement) -> Result<PlacementId> {
        if let Some(&number) = self.numbers.get(&placement) {
            return Ok(number);
        }
        let copies = Placement::replicated(placement.mesh().clone());
        let mesh = if copies == placement { None } else { Some(self.intern(copies)?) };
        if self.known.len() >= MOST_PLACEMENTS {
            return Err(Error::value(format!(
                "a session has at most {MOST_PLACEMENTS} placements"
            )));
        }
        let number = PlacementId(self.known.len() as u32);
        let (mesh, layouts) = (mesh.unwrap_or(number), Vec::new());
        self.known.push(Known { placement: placement.clone(), mesh, layouts });
        self.numbers.insert(placement, number);
        Ok(number)
    }

    /// The same mesh with another layout along its axis.
    pub fn with_layout(&mut self, number: PlacementId, layout: &Layout) -> Result<PlacementId> {
        let mesh = self.mesh(number);
        if *layout == Layout::Replicate {
            return Ok(mesh);
        }
        let near = &self.known[mesh.0 as usize].layouts;
        if let Some((_, found)) = near.iter().find(|(known, _)| known == layout) {
            return Ok(*found);
        }
        let found = self.intern(self.get(mesh).with_layout(layout.clone()))?;
        let near = &mut self.known[mesh.0 as usize].layouts;
        if near.len() < NEAR {
            near.push((layout.clone(), found));
        }
        Ok(found)
    }

    /// All of a value on one worker.
    pub fn whole(&mut self, worker: WorkerId) -> Result<PlacementId> {
        self.intern(Placement::on(worker))
    }

    /// The placement of a number.
    pub fn get(&self, number: PlacementId) -> &Placement {
        &self.known[number.0 as usize].placement
    }

    /// Copies on the same mesh, which stand for the mesh itself.
    pub fn mesh(&self, number: PlacementId) -> PlacementId {
        self.known[number.0 as usize].mesh
    }

    /// What the axis of the mesh does to a value.
    pub fn layout(&self, number: PlacementId) -> &Layout {
        &self.get(number).layouts()[0]
    }

    /// The workers of its mesh.
    pub fn members(&self, number: PlacementId) -> &[WorkerId] {
        self.get(number).mesh().workers()
    }

    /// Whether a worker belongs to its mesh.
    pub fn contains(&self, number: PlacementId, worker: WorkerId) -> bool {
        self.members(number).contains(&worker)
    }

    /// Whether whatever is placed so is on all workers of `other` too, as `other` wants it.
    pub fn covers(&self, number: PlacementId, other: PlacementId) -> bool {
        let has_all =
            |other| self.members(other).iter().all(|&member| self.contains(number, member));
        number == other
            || (self.is_replicated(number) && self.is_replicated(other) && has_all(other))
    }

    /// The same without a worker that is gone; `None` if values are not whole without it.
    pub fn without(&mut self, number: PlacementId, worker: WorkerId) -> Option<PlacementId> {
        let left: Vec<_> = self.members(number).iter().copied().filter(|m| *m != worker).collect();
        if left.is_empty() || !self.is_replicated(number) {
            return None;
        }
        self.intern(Placement::replicated(Mesh::group(left))).ok()
    }

    /// Whether every worker of the mesh has all of what is placed so.
    pub fn is_replicated(&self, number: PlacementId) -> bool {
        self.mesh(number) == number
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(placements.without(alone, WorkerId(1)), None);
        let mut others = (0..MOST_PLACEMENTS as u32).map(|n| placements.intern(replicated(&[n])));
        assert!(others.any(|number| number.is_err()));
    }
}
