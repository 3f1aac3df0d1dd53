//! Where a tensor is: a mesh of workers, and for each axis of the mesh what it does to the tensor.

use std::fmt;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::slot::WorkerId;
use crate::wire::few;

/// Workers in an n-dimensional array. A group of workers is a mesh of one axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mesh {
    /// The workers, the last axis of the mesh running fastest.
    workers: Vec<WorkerId>,
    /// Name and size of each axis.
    #[serde(deserialize_with = "few")]
    axes: SmallVec<[(Box<str>, usize); 1]>,
}

impl Mesh {
    /// Workers side by side.
    pub fn group(workers: impl IntoIterator<Item = WorkerId>) -> Self {
        let workers: Vec<_> = workers.into_iter().collect();
        let size = workers.len();
        Mesh { workers, axes: SmallVec::from_iter([("workers".into(), size)]) }
    }

    /// Workers in an array whose axes have these names and sizes.
    pub fn new(workers: Vec<WorkerId>, axes: &[(&str, usize)]) -> Result<Self> {
        let places: usize = axes.iter().map(|&(_, size)| size).product();
        if places != workers.len() || workers.is_empty() {
            let count = workers.len();
            return Err(Error::value(format!("a mesh of {places} places and {count} workers")));
        }
        let axes = axes.iter().map(|&(name, size)| (name.into(), size)).collect();
        Ok(Mesh { workers, axes })
    }

    /// All its workers.
    pub fn workers(&self) -> &[WorkerId] {
        &self.workers
    }

    /// The position of the `index`-th worker along axis `axis` of the mesh.
    fn coordinate(&self, index: usize, axis: usize) -> usize {
        let after: usize = self.axes[axis + 1..].iter().map(|&(_, size)| size).product();
        index / after % self.axes[axis].1
    }
}

/// What one axis of the mesh does to a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Layout {
    /// Every worker along it has the same.
    Replicate,
    /// Each worker along it has a part of one axis of the tensor.
    Shard(Cut),
    /// Each worker along it has a part of every element; combined they give the value.
    Partial(Combine),
}

/// Where an axis is cut: part `i` reaches from `points[i]` to `points[i + 1]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cut {
    /// The axis of the tensor.
    pub axis: usize,
    /// One more point than there are parts, from zero to the size of the axis, never falling.
    #[serde(deserialize_with = "few")]
    pub points: SmallVec<[usize; 5]>,
}

impl Cut {
    /// As even as can be, the first parts taking what is left over.
    pub fn even(axis: usize, size: usize, parts: usize) -> Self {
        let (each, more) = (size / parts, size % parts);
        let points = (0..=parts).map(|part| part * each + part.min(more)).collect();
        Cut { axis, points }
    }

    /// Where part `part` begins, and how long it is.
    pub fn part(&self, part: usize) -> (usize, usize) {
        (self.points[part], self.points[part + 1] - self.points[part])
    }
}

/// How the parts of a value are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are those of mathematics")]
pub enum Combine {
    Sum,
    Max,
    Min,
    Prod,
}

/// Where a tensor is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Placement {
    mesh: Mesh,
    #[serde(deserialize_with = "few")]
    layouts: SmallVec<[Layout; 1]>,
}

impl Placement {
    /// A tensor of `shape` on `mesh`, one layout for each axis of the mesh.
    pub fn new(
        mesh: Mesh,
        layouts: impl IntoIterator<Item = Layout>,
        shape: &Shape,
    ) -> Result<Self> {
        let layouts: SmallVec<[Layout; 1]> = layouts.into_iter().collect();
        if layouts.len() != mesh.axes.len() {
            let (axes, count) = (mesh.axes.len(), layouts.len());
            return Err(Error::value(format!("{count} layouts for a mesh of {axes} axes")));
        }
        let mut cut_axes: SmallVec<[usize; 2]> = SmallVec::new();
        for (layout, (name, size)) in layouts.iter().zip(&mesh.axes) {
            let Layout::Shard(cut) = layout else { continue };
            let whole = shape.get(cut.axis);
            let reaches = cut.points.first() == Some(&0) && cut.points.last() == whole;
            let rising = cut.points.windows(2).all(|pair| pair[0] <= pair[1]);
            if !reaches || !rising || cut.points.len() != size + 1 || cut_axes.contains(&cut.axis) {
                return Err(Error::value(format!("{cut:?} along '{name}' does not fit {shape}")));
            }
            cut_axes.push(cut.axis);
        }
        Ok(Placement { mesh, layouts })
    }

    /// All of it on one worker.
    pub fn on(worker: WorkerId) -> Self {
        let layouts = SmallVec::from_iter([Layout::Replicate]);
        Placement { mesh: Mesh::group([worker]), layouts }
    }

    /// The workers that have a part of it.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// What each axis of the mesh does to it.
    pub fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// The part of a tensor of `shape` that the `index`-th worker of the mesh has: for each axis
    /// where it begins, and how long it is.
    pub fn part(&self, shape: &Shape, index: usize) -> SmallVec<[(usize, usize); 4]> {
        let mut part: SmallVec<[(usize, usize); 4]> = shape.iter().map(|&size| (0, size)).collect();
        for (axis, layout) in self.layouts.iter().enumerate() {
            if let Layout::Shard(cut) = layout {
                part[cut.axis] = cut.part(self.mesh.coordinate(index, axis));
            }
        }
        part
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Layout::Replicate => f.write_str("replicate"),
            Layout::Shard(cut) => write!(f, "shard({})", cut.axis),
            Layout::Partial(how) => write!(f, "partial({})", format!("{how:?}").to_lowercase()),
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, layout) in self.layouts.iter().enumerate() {
            let separator = if index == 0 { "" } else { " " };
            write!(f, "{separator}{layout}")?;
        }
        f.write_str(" on")?;
        self.mesh.workers.iter().try_for_each(|worker| write!(f, " {worker}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workers(count: u32) -> Vec<WorkerId> {
        (0..count).map(WorkerId).collect()
    }

    #[test]
    fn uneven_parts_cover_the_axis_once() {
        let cut = Cut::even(0, 10, 4);
        let parts: Vec<_> = (0..4).map(|part| cut.part(part)).collect();
        assert_eq!(parts, [(0, 3), (3, 3), (6, 2), (8, 2)]);
    }

    #[test]
    fn a_mesh_of_two_axes_cuts_both_axes_of_a_tensor() {
        let mesh = Mesh::new(workers(6), &[("data", 2), ("model", 3)]).unwrap();
        let shape = Shape::from([4, 9]);
        let layouts = [Layout::Shard(Cut::even(0, 4, 2)), Layout::Shard(Cut::even(1, 9, 3))];
        let placement = Placement::new(mesh, layouts, &shape).unwrap();
        assert_eq!(placement.part(&shape, 4).as_slice(), [(2, 2), (3, 3)]);
        assert_eq!(placement.to_string(), "shard(0) shard(1) on w0 w1 w2 w3 w4 w5");
    }

    #[test]
    fn cuts_that_do_not_fit_are_refused() {
        let shape = Shape::from([4]);
        let place = |cut| Placement::new(Mesh::group(workers(2)), [Layout::Shard(cut)], &shape);
        place(Cut::even(0, 4, 2)).unwrap();
        place(Cut::even(0, 5, 2)).unwrap_err();
        place(Cut::even(1, 4, 2)).unwrap_err();
        place(Cut::even(0, 4, 3)).unwrap_err();
    }
}
