//! What travels when a value goes from one placement to another: which part of it goes from which
//! worker to which, and how its parts are put together there. The dispatcher counts by it, and
//! workers send and receive by it, so that nobody has to be told piece by piece.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use super::{Combine, Layout, Placement, Span};
use crate::dtype::DType;
use crate::shape::Shape;
use crate::slot::WorkerId;

/// A part of a value that one worker gives and another gets; they may be the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Who has it.
    pub from: WorkerId,
    /// Who gets it.
    pub to: WorkerId,
    /// What it is of the whole value.
    pub part: SmallVec<[Span; 4]>,
}

impl Piece {
    /// Its shape.
    pub fn shape(&self) -> Shape {
        self.part.iter().map(Span::size).collect()
    }

    /// How many elements it has.
    pub fn elements(&self) -> usize {
        self.part.iter().map(Span::size).product()
    }
}

/// How whoever gets pieces makes one value of them, in the order of the workers they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assembly {
    /// There is at most one.
    One,
    /// Side by side along an axis, in each of its blocks.
    Join {
        /// The axis.
        axis: usize,
        /// How many blocks it has.
        blocks: usize,
    },
    /// Element by element.
    Combine(Combine),
}

impl Layout {
    /// The dtype in which workers have their parts of a value. Parts of a sum of halves are in
    /// float32, so that the sum is rounded once, as it is without a cut.
    pub fn part_dtype(&self, dtype: DType) -> DType {
        match self {
            Layout::Partial(how) => how.part_dtype(dtype),
            _ => dtype,
        }
    }
}

impl Combine {
    /// The dtype in which workers have what is combined to a value of `dtype`.
    pub fn part_dtype(self, dtype: DType) -> DType {
        match (self, dtype) {
            (Combine::Sum | Combine::Prod, DType::F16 | DType::BF16) => DType::F32,
            _ => dtype,
        }
    }
}

/// How pieces from a placement are put together.
pub fn assembly(from: &Placement) -> Assembly {
    match &from.layouts[0] {
        Layout::Replicate => Assembly::One,
        Layout::Shard(cut) => Assembly::Join { axis: cut.axis, blocks: cut.blocks },
        Layout::Partial(how) => Assembly::Combine(*how),
    }
}

/// The pieces in which a value goes from one placement to another, ordered by who gets them and
/// then by who gives them; `None` if it does not go there in one move. Both meshes have one axis.
/// What has no elements does not travel, but for what tells whether a part has failed: a worker of
/// whose part nobody gets an element gives an empty piece to all who get a copy, and of what is cut
/// to itself or to the first.
pub fn pieces(from: &Placement, to: &Placement, shape: &Shape) -> Option<Vec<Piece>> {
    if from.layouts.len() != 1 || to.layouts.len() != 1 {
        return None;
    }
    let sums = to.layouts[0] == Layout::Partial(Combine::Sum);
    if matches!(to.layouts[0], Layout::Partial(_))
        && !(sums && from.layouts[0] == Layout::Replicate)
    {
        return None;
    }
    let (givers, getters) = (from.mesh.workers(), to.mesh.workers());
    let mut pieces = Vec::new();
    // A whole value is a sum of which one worker has all; the others have zeros.
    let getting = if sums { 1 } else { getters.len() };
    for (index, &getter) in getters.iter().enumerate().take(getting) {
        let wanted = to.part(shape, index);
        match &from.layouts[0] {
            Layout::Replicate => {
                let own = givers.contains(&getter).then_some(getter);
                let giver = own.unwrap_or(givers[index % givers.len()]);
                pieces.push(Piece { from: giver, to: getter, part: wanted });
            }
            Layout::Partial(_) => {
                let piece = |&giver| Piece { from: giver, to: getter, part: wanted.clone() };
                pieces.extend(givers.iter().map(piece));
            }
            Layout::Shard(_) => {
                for (giving, &giver) in givers.iter().enumerate() {
                    let part = overlap(&from.part(shape, giving), &wanted)?;
                    pieces.push(Piece { from: giver, to: getter, part });
                }
            }
        }
    }
    let words = words(from, to, &pieces);
    pieces.retain(|piece| piece.elements() > 0 || words.contains(&(piece.from, piece.to)));
    Some(pieces)
}

/// Who says to whom whether its part has failed, because nobody gets an element of it. A copy is
/// good whatever became of others.
fn words(from: &Placement, to: &Placement, pieces: &[Piece]) -> BTreeSet<(WorkerId, WorkerId)> {
    if from.layouts[0] == Layout::Replicate {
        return BTreeSet::new();
    }
    let getters = to.mesh.workers();
    let given = pieces.iter().filter(|piece| piece.elements() > 0);
    let given: BTreeSet<WorkerId> = given.map(|piece| piece.from).collect();
    let silent = from.mesh.workers().iter().filter(|giver| !given.contains(giver));
    let hear = |giver: WorkerId| {
        let one = if getters.contains(&giver) { giver } else { getters[0] };
        let is_copy = to.layouts[0] == Layout::Replicate;
        getters.iter().copied().filter(move |getter| is_copy || *getter == one)
    };
    silent.flat_map(|&giver| hear(giver).map(move |getter| (giver, getter))).collect()
}

/// What two parts have in common; `None` if that cannot be said by one span for each axis.
fn overlap(one: &[Span], other: &[Span]) -> Option<SmallVec<[Span; 4]>> {
    one.iter().zip(other).map(|(one, other)| one.overlap(*other)).collect()
}

impl Span {
    fn is_whole(self) -> bool {
        self.start == 0 && self.len == self.inner
    }

    fn overlap(self, other: Span) -> Option<Span> {
        if other.is_whole() {
            return Some(self);
        }
        if self.is_whole() {
            return Some(other);
        }
        if self.blocks != other.blocks {
            return None;
        }
        let start = self.start.max(other.start);
        let end = (self.start + self.len).min(other.start + other.len);
        match end.checked_sub(start) {
            Some(len @ 1..) => Some(Span { start, len, ..self }),
            _ => Some(Span { len: 0, ..self }),
        }
    }

    /// Where this, which is a part of `own`, begins in each block of `own`.
    pub fn offset_in(self, own: Span) -> usize {
        if own.is_whole() { self.start } else { self.start - own.start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::{At, Cut, Mesh};

    fn on(workers: &[u32], layout: Layout) -> Placement {
        let mesh = Mesh::group(workers.iter().copied().map(WorkerId));
        Placement { mesh, layouts: SmallVec::from_iter([layout]) }
    }

    fn shard(workers: &[u32], axis: usize) -> Placement {
        on(workers, Layout::Shard(Cut::even(axis)))
    }

    /// `from>to start+len` along an axis.
    fn told(from: &Placement, to: &Placement, axis: usize) -> Vec<String> {
        let pieces = pieces(from, to, &Shape::from([7, 4])).expect("one move");
        let told = |piece: &Piece| {
            let Span { start, len, .. } = piece.part[axis];
            format!("{}>{} {start}+{len}", piece.from, piece.to)
        };
        pieces.iter().map(told).collect()
    }

    #[test]
    fn parts_are_gathered_from_all_and_sliced_from_oneself() {
        let (cut, copies) = (shard(&[0, 1, 2], 0), on(&[0, 1, 2], Layout::Replicate));
        let gathered = told(&cut, &copies, 0);
        assert_eq!(gathered[..3], ["w0>w0 0+3", "w1>w0 3+2", "w2>w0 5+2"]);
        assert_eq!(gathered.len(), 9);
        assert_eq!(told(&copies, &cut, 0), ["w0>w0 0+3", "w1>w1 3+2", "w2>w2 5+2"]);
        assert_eq!(assembly(&cut), Assembly::Join { axis: 0, blocks: 1 });
    }

    #[test]
    fn other_workers_pull_only_what_overlaps() {
        let (three, two) = (shard(&[0, 1, 2], 0), shard(&[2, 3], 0));
        assert_eq!(told(&three, &two, 0), ["w0>w2 0+3", "w1>w2 3+1", "w1>w3 4+1", "w2>w3 5+2"]);
        let whole = on(&[1], Layout::Replicate);
        assert_eq!(told(&whole, &two, 0), ["w1>w2 0+4", "w1>w3 4+3"]);
    }

    #[test]
    fn who_has_no_element_says_whether_it_failed() {
        let points = |at: &[usize]| Cut { axis: 0, blocks: 1, at: At::Points(at.into()) };
        let first = on(&[0, 1, 2], Layout::Shard(points(&[0, 7, 7, 7])));
        let evened = ["w0>w0 0+3", "w0>w1 3+2", "w1>w1 7+0", "w0>w2 5+2", "w2>w2 7+0"];
        assert_eq!(told(&first, &shard(&[0, 1, 2], 0), 0), evened);
        let gathered = ["w0>w3 0+7", "w1>w3 7+0", "w2>w3 7+0"];
        let copied = ["w0>w4 0+7", "w1>w4 7+0", "w2>w4 7+0"];
        let copies = on(&[3, 4], Layout::Replicate);
        assert_eq!(told(&first, &copies, 0), [gathered, copied].concat());
        let copies = on(&[0, 1], Layout::Replicate);
        assert_eq!(told(&copies, &on(&[2], Layout::Replicate), 0), ["w0>w2 0+7"]);
    }

    #[test]
    fn every_worker_gives_its_share_of_a_sum() {
        let partial = on(&[0, 1], Layout::Partial(Combine::Sum));
        let told = told(&partial, &shard(&[0, 1], 1), 1);
        assert_eq!(told, ["w0>w0 0+2", "w1>w0 0+2", "w0>w1 2+2", "w1>w1 2+2"]);
        assert_eq!(assembly(&partial), Assembly::Combine(Combine::Sum));
    }

    #[test]
    fn blocks_are_gathered_and_never_cut_across() {
        let blocks = Cut { axis: 1, blocks: 2, at: At::Even };
        let (blocks, copies) = (on(&[0, 1], Layout::Shard(blocks)), on(&[0], Layout::Replicate));
        let shape = Shape::from([7, 4]);
        let gathered = pieces(&blocks, &copies, &shape).expect("one move");
        assert_eq!(gathered.len(), 2);
        assert_eq!(gathered[1].part[1], Span { blocks: 2, inner: 2, start: 1, len: 1 });
        assert_eq!(pieces(&blocks, &shard(&[0, 1], 1), &shape), None);
        assert!(pieces(&blocks, &shard(&[0, 1], 0), &shape).is_some());
    }
}
