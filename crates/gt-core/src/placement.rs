//! Where a tensor is: a mesh of workers, and for each axis of the mesh what it does to the tensor.

mod moves;
#[cfg(test)]
mod properties;
mod route;
mod text;
mod wish;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

pub use self::moves::{Assembly, Joined, Piece, assembly, pieces};
pub use self::route::between;
pub use self::wish::{OnUse, Wish};
use crate::dtype::DType;
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

    /// How many workers there are along an axis.
    pub fn size(&self, axis: usize) -> usize {
        self.axes[axis].1
    }

    /// What an axis is called.
    pub fn name(&self, axis: usize) -> &str {
        &self.axes[axis].0
    }

    /// How many axes it has.
    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// The place of a worker among all.
    pub fn index(&self, worker: WorkerId) -> Option<usize> {
        self.workers.iter().position(|member| *member == worker)
    }

    /// The same with another worker in the place of one; `None` if that is there already.
    pub fn with_instead(&self, worker: WorkerId, other: WorkerId) -> Option<Mesh> {
        if self.index(other).is_some() {
            return None;
        }
        let mut mesh = self.clone();
        let place = self.index(worker)?;
        mesh.workers[place] = other;
        Some(mesh)
    }

    /// The same without all that are at a worker's place along an axis; `None` if nobody else is.
    pub fn without(&self, worker: WorkerId, axis: usize) -> Option<Mesh> {
        let gone = self.coordinate(self.index(worker)?, axis);
        let is_left = |index: &usize| self.coordinate(*index, axis) != gone;
        let left = (0..self.workers.len()).filter(is_left).map(|index| self.workers[index]);
        let (workers, mut axes): (Vec<WorkerId>, _) = (left.collect(), self.axes.clone());
        axes[axis].1 -= 1;
        (!workers.is_empty()).then_some(Mesh { workers, axes })
    }

    /// An error if what came from elsewhere is not a mesh.
    pub fn check(&self) -> Result<()> {
        let mut sizes = self.axes.iter().map(|&(_, size)| size);
        let places = sizes.try_fold(1usize, usize::checked_mul);
        if self.workers.is_empty() || places != Some(self.workers.len()) {
            return Err(Error::bug("a mesh has other places than workers"));
        }
        Ok(())
    }

    /// The position of the `index`-th worker along each axis.
    pub fn coordinates(&self, index: usize) -> SmallVec<[usize; 4]> {
        (0..self.rank()).map(|axis| self.coordinate(index, axis)).collect()
    }

    /// The position of the `index`-th worker along axis `axis` of the mesh.
    pub fn coordinate(&self, index: usize, axis: usize) -> usize {
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

/// How an axis of a tensor is cut. The axis is `blocks` times an inner extent, and the inner extent
/// is cut: part `i` has of each block what reaches from point `i` to point `i + 1`. With one block
/// parts are what they are called; with three a fused `qkv` keeps its heads together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cut {
    /// The axis of the tensor.
    pub axis: usize,
    /// How many blocks the axis has.
    pub blocks: usize,
    /// Where each of them is cut.
    pub at: At,
}

/// Where something is cut.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum At {
    /// As evenly as can be, the first parts taking what is left over. The points come from the
    /// shape, so that one placement serves all shapes.
    Even,
    /// At these: one more than there are parts, from zero to the extent, never falling.
    Points(#[serde(deserialize_with = "few")] SmallVec<[usize; 5]>),
    /// An index of an operation only: each of so many blocks of its positions, at these points.
    InBlocks(usize, #[serde(deserialize_with = "few")] SmallVec<[usize; 5]>),
}

/// The points of a cut.
pub type Points = SmallVec<[usize; 5]>;

impl At {
    /// At points, or evenly if these are the even ones.
    pub fn points(points: Points) -> Self {
        let (extent, parts) = (points.last().copied().unwrap_or(0), points.len().max(1) - 1);
        if parts > 0 && even_points(extent, parts) == points {
            At::Even
        } else {
            At::Points(points)
        }
    }

    /// The points at which something of an extent is cut into so many parts.
    pub fn resolve(&self, extent: usize, parts: usize) -> Points {
        match self {
            At::Even => even_points(extent, parts),
            At::Points(points) | At::InBlocks(_, points) => points.clone(),
        }
    }
}

fn even_points(extent: usize, parts: usize) -> Points {
    let (each, more) = (extent / parts, extent % parts);
    (0..=parts).map(|part| part * each + part.min(more)).collect()
}

impl Cut {
    /// An axis in one block, cut as evenly as can be.
    pub fn even(axis: usize) -> Self {
        Cut { axis, blocks: 1, at: At::Even }
    }

    /// The points at which the inner extent of an axis of this size is cut.
    pub fn points(&self, size: usize, parts: usize) -> Points {
        self.at.resolve(size / self.blocks, parts)
    }

    /// What part `part` of `parts` has of an axis of this size.
    pub fn span(&self, size: usize, part: usize, parts: usize) -> Span {
        let points = self.points(size, parts);
        let (start, len) = (points[part], points[part + 1] - points[part]);
        Span { blocks: self.blocks, inner: size / self.blocks, start, len }
    }
}

/// What a part has of one axis: of each of its blocks, which are `inner` long, `len` elements from
/// `start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// How many blocks the axis has.
    pub blocks: usize,
    /// How long each of them is.
    pub inner: usize,
    /// Where the part begins in each of them.
    pub start: usize,
    /// How much of each of them it has.
    pub len: usize,
}

impl Span {
    /// All of an axis.
    pub fn whole(size: usize) -> Self {
        Span { blocks: 1, inner: size, start: 0, len: size }
    }

    /// How many elements it has.
    pub fn size(&self) -> usize {
        self.blocks * self.len
    }
}

/// How the workers of a mesh share an instruction: for each axis of the mesh the index of the
/// operation that it cuts, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signature {
    /// The workers.
    pub mesh: Mesh,
    /// The letters of the indices; an axis that cuts none has workers that do the same.
    #[serde(deserialize_with = "few")]
    pub cuts: Cuts,
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

/// What each axis of a mesh does to a tensor.
pub type Layouts = SmallVec<[Layout; 1]>;

/// For each axis of a mesh the index of an operation that it cuts, and where.
pub type Cuts = SmallVec<[Option<(u8, At)>; 1]>;

/// Where a tensor is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Placement {
    mesh: Mesh,
    #[serde(deserialize_with = "few")]
    layouts: Layouts,
}

impl Placement {
    /// A tensor of `shape` on `mesh`, one layout for each axis of the mesh.
    pub fn new(
        mesh: Mesh,
        layouts: impl IntoIterator<Item = Layout>,
        shape: &Shape,
    ) -> Result<Self> {
        let layouts: Layouts = layouts.into_iter().collect();
        if layouts.len() != mesh.axes.len() {
            let (axes, count) = (mesh.axes.len(), layouts.len());
            return Err(Error::value(format!("{count} layouts for a mesh of {axes} axes")));
        }
        let mut cut_axes: SmallVec<[usize; 2]> = SmallVec::new();
        for (layout, (name, parts)) in layouts.iter().zip(&mesh.axes) {
            let Layout::Shard(cut) = layout else { continue };
            let fits = shape.get(cut.axis).is_some_and(|&size| fits(cut, size, *parts));
            if !fits || cut_axes.contains(&cut.axis) {
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

    /// All of it on each worker of a mesh.
    pub fn replicated(mesh: Mesh) -> Self {
        let layouts = mesh.axes.iter().map(|_| Layout::Replicate).collect();
        Placement { mesh, layouts }
    }

    /// The same with another worker in the place of each; `None` stands for a place without one.
    /// Along a single axis the others share what is cut evenly; an array of workers with a vacant
    /// place is no mesh.
    pub fn among(&self, heirs: &[Option<WorkerId>]) -> Option<Placement> {
        let there: Vec<WorkerId> = heirs.iter().copied().flatten().collect();
        if there.len() == self.mesh.workers.len() {
            let mesh = Mesh { workers: there, axes: self.mesh.axes.clone() };
            return Some(Placement { mesh, layouts: self.layouts.clone() });
        }
        if there.is_empty() || self.mesh.rank() > 1 {
            return None;
        }
        let evenly = |layout: &Layout| match layout {
            Layout::Shard(cut) => Layout::Shard(Cut { at: At::Even, ..cut.clone() }),
            layout => layout.clone(),
        };
        let layouts = self.layouts.iter().map(evenly).collect();
        Some(Placement { mesh: Mesh::group(there), layouts })
    }

    /// The same mesh with other layouts, one for each of its axes.
    pub fn with_layouts(&self, layouts: impl IntoIterator<Item = Layout>) -> Self {
        let layouts: Layouts = layouts.into_iter().collect();
        assert_eq!(layouts.len(), self.mesh.rank(), "one layout for each axis of a mesh");
        Placement { mesh: self.mesh.clone(), layouts }
    }

    /// An error if what came from elsewhere is no placement for this shape.
    pub fn check(&self, shape: &Shape) -> Result<()> {
        self.mesh.check()?;
        Placement::new(self.mesh.clone(), self.layouts.iter().cloned(), shape).map(drop)
    }

    /// The workers that have a part of it.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// What each axis of the mesh does to it.
    pub fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// Whether its parts have to be combined along an axis of the mesh.
    pub fn is_sum(&self) -> bool {
        self.layouts.iter().any(|layout| matches!(layout, Layout::Partial(_)))
    }

    /// Along how many axes of the mesh its parts are still to be summed up.
    pub fn sums(&self) -> usize {
        self.layouts.iter().filter(|layout| matches!(layout, Layout::Partial(_))).count()
    }

    /// The dtype in which workers have their parts of a value.
    pub fn part_dtype(&self, dtype: DType) -> DType {
        self.layouts.iter().fold(dtype, |dtype, layout| layout.part_dtype(dtype))
    }

    /// What each axis of the mesh does to it, in words.
    pub fn describe(&self) -> String {
        if self.mesh.workers.len() == 1 {
            return "whole".to_string();
        }
        if let [layout] = self.layouts.as_slice() {
            return layout.to_string();
        }
        let axes = self.mesh.axes.iter().zip(&self.layouts);
        let axes = axes.map(|((name, _), layout)| format!("{name}: {layout}"));
        axes.collect::<Vec<_>>().join(", ")
    }

    /// The part of a tensor of `shape` that the `index`-th worker of the mesh has.
    pub fn part(&self, shape: &Shape, index: usize) -> SmallVec<[Span; 4]> {
        let mut part: SmallVec<[Span; 4]> = shape.iter().map(|&size| Span::whole(size)).collect();
        for (axis, layout) in self.layouts.iter().enumerate() {
            if let Layout::Shard(cut) = layout {
                let parts = self.mesh.axes[axis].1;
                part[cut.axis] =
                    cut.span(shape[cut.axis], self.mesh.coordinate(index, axis), parts);
            }
        }
        part
    }

    /// The shape of that part.
    pub fn part_shape(&self, shape: &Shape, index: usize) -> Shape {
        self.part(shape, index).iter().map(Span::size).collect()
    }
}

/// Whether an axis of this size can be cut so.
fn fits(cut: &Cut, size: usize, parts: usize) -> bool {
    let whole_blocks = cut.blocks > 0 && size.is_multiple_of(cut.blocks);
    whole_blocks
        && match &cut.at {
            At::Even => true,
            At::Points(points) => {
                points.len() == parts + 1
                    && points.first() == Some(&0)
                    && points.last() == Some(&(size / cut.blocks))
                    && points.windows(2).all(|pair| pair[0] <= pair[1])
            }
            At::InBlocks(..) => false,
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
        let spans: Vec<_> = (0..4).map(|part| Cut::even(0).span(10, part, 4)).collect();
        let found: Vec<_> = spans.iter().map(|span| (span.start, span.len)).collect();
        assert_eq!(found, [(0, 3), (3, 3), (6, 2), (8, 2)]);
        assert_eq!(At::points(SmallVec::from_slice(&[0, 3, 6, 8, 10])), At::Even);
        let uneven = At::points(SmallVec::from_slice(&[0, 1, 10]));
        assert_eq!(uneven.resolve(10, 2).as_slice(), [0, 1, 10]);
    }

    #[test]
    fn a_part_of_an_axis_in_blocks_has_some_of_each() {
        let cut = Cut { axis: 0, blocks: 3, at: At::Even };
        let span = cut.span(12, 1, 2);
        assert_eq!((span.blocks, span.inner, span.start, span.len), (3, 4, 2, 2));
        assert_eq!(span.size(), 6);
    }

    #[test]
    fn a_mesh_of_two_axes_cuts_both_axes_of_a_tensor() {
        let mesh = Mesh::new(workers(6), &[("data", 2), ("model", 3)]).unwrap();
        let shape = Shape::from([4, 9]);
        let layouts = [Layout::Shard(Cut::even(0)), Layout::Shard(Cut::even(1))];
        let placement = Placement::new(mesh, layouts, &shape).unwrap();
        let part = placement.part(&shape, 4);
        let found: Vec<_> = part.iter().map(|span| (span.start, span.len)).collect();
        assert_eq!(found, [(2, 2), (3, 3)]);
        assert_eq!(placement.part_shape(&shape, 4), Shape::from([2, 3]));
        assert_eq!(placement.to_string(), "data: shard(0), model: shard(1) on w0 w1 w2 w3 w4 w5");
    }

    #[test]
    fn cuts_that_do_not_fit_are_refused() {
        let shape = Shape::from([4]);
        let place = |cut| Placement::new(Mesh::group(workers(2)), [Layout::Shard(cut)], &shape);
        let at = |points: &[usize]| At::Points(SmallVec::from_slice(points));
        let cut = |blocks, at| Cut { axis: 0, blocks, at };
        place(Cut::even(0)).unwrap();
        place(cut(1, at(&[0, 1, 4]))).unwrap();
        place(cut(2, at(&[0, 1, 2]))).unwrap();
        place(Cut::even(1)).unwrap_err();
        place(cut(1, at(&[0, 5, 4]))).unwrap_err();
        place(cut(1, at(&[0, 2, 3, 4]))).unwrap_err();
        place(cut(3, At::Even)).unwrap_err();
        place(cut(2, at(&[0, 1, 4]))).unwrap_err();
    }
}
