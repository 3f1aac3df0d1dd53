//! What travels when a value goes from one placement to another: which part of it goes from which
//! worker to which, and how its parts are put together there. The dispatcher counts by it, and
//! workers send and receive by it, so that nobody has to be told piece by piece.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;

use super::{Combine, Cut, Layout, Placement, Span};
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assembly {
    /// There is at most one.
    One,
    /// Side by side, axis by axis: pieces that differ along the first of these only in where they
    /// are along the others are joined before.
    Join(SmallVec<[Joined; 1]>),
    /// Element by element.
    Combine(Combine),
}

/// An axis along which pieces are side by side, in each of its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The axis.
    pub axis: usize,
    /// How many blocks it has.
    pub blocks: usize,
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

/// Who along an axis of its mesh gives pieces of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Givers {
    /// The worker at the same place as the one that gets them.
    Same,
    /// One of them, as all have the same.
    Any,
    /// All of them.
    All,
}

/// How pieces from a placement are put together in another.
pub fn assembly(from: &Placement, to: &Placement) -> Assembly {
    let mut joined = SmallVec::new();
    for (layout, givers) in from.layouts.iter().zip(givers(from, to).unwrap_or_default()) {
        match layout {
            Layout::Partial(how) if givers == Givers::All => return Assembly::Combine(*how),
            Layout::Shard(Cut { axis, blocks, .. }) if givers == Givers::All => {
                joined.push(Joined { axis: *axis, blocks: *blocks });
            }
            _ => {}
        }
    }
    if joined.is_empty() { Assembly::One } else { Assembly::Join(joined) }
}

/// Who gives pieces along each axis of the mesh on which a value is; `None` if it does not go there
/// in one move. What is combined along one axis is moved along no other meanwhile.
fn givers(from: &Placement, to: &Placement) -> Option<SmallVec<[Givers; 2]>> {
    let is_sum = |layout: &Layout| matches!(layout, Layout::Partial(_));
    if from.mesh != to.mesh {
        let is_whole = from.layouts.iter().all(|layout| *layout == Layout::Replicate);
        let sum = Layout::Partial(Combine::Sum);
        let becomes_sum = to.layouts.iter().all(|layout| !is_sum(layout) || *layout == sum);
        let parted = from.layouts.iter().filter(|layout| **layout != Layout::Replicate).count();
        if (to.is_sum() && !(is_whole && becomes_sum)) || (from.is_sum() && parted > 1) {
            return None;
        }
        let any = |layout: &Layout| match layout {
            Layout::Replicate => Givers::Any,
            _ => Givers::All,
        };
        return Some(from.layouts.iter().map(any).collect());
    }
    let pairs = from.layouts.iter().zip(&to.layouts);
    let givers = pairs.map(|(from, to)| match (from, to) {
        (from, to) if from == to => Some(Givers::Same),
        (Layout::Replicate, Layout::Shard(_) | Layout::Partial(Combine::Sum)) => Some(Givers::Same),
        (_, Layout::Partial(_)) => None,
        _ => Some(Givers::All),
    });
    let givers: SmallVec<[Givers; 2]> = givers.collect::<Option<_>>()?;
    let moved = || from.layouts.iter().zip(&givers).filter(|(_, it)| **it == Givers::All);
    (moved().count() <= 1 || !moved().any(|(layout, _)| is_sum(layout))).then_some(givers)
}

/// The pieces in which a value goes from one placement to another, ordered by who gets them and
/// then by who gives them; `None` if it does not go there in one move. On one mesh they stay within
/// the axes along which something changes.
/// What has no elements does not travel, but for what tells whether a part has failed: a worker of
/// whose part nobody gets an element gives an empty piece to all who get a copy of one part.
pub fn pieces(from: &Placement, to: &Placement, shape: &Shape) -> Option<Vec<Piece>> {
    let along = givers(from, to)?;
    let mut found = Vec::new();
    for (index, &getter) in to.mesh.workers().iter().enumerate() {
        if !gets(from, to, index) {
            continue;
        }
        let wanted = to.part(shape, index);
        for giver in givers_to(from, to, &along, index) {
            let part = overlap(&from.part(shape, giver), &wanted)?;
            let piece = Piece { from: from.mesh.workers()[giver], to: getter, part };
            found.push((class(from, giver), class(to, index), piece));
        }
    }
    let words = words(from, &found);
    // A copy of what is empty tells whoever has none whether it has failed.
    let is_copied = shape.count() == 0 && from.layouts.iter().all(|it| *it == Layout::Replicate);
    found.retain(|(giver, getter, piece)| {
        piece.elements() > 0
            || words.get(giver).is_some_and(|hears| hears == getter)
            || (is_copied && piece.from != piece.to)
    });
    Some(found.into_iter().map(|(_, _, piece)| piece).collect())
}

/// Whether a worker of the mesh gets something. A whole value is a sum of which the first worker
/// has all; the others have zeros.
fn gets(from: &Placement, to: &Placement, index: usize) -> bool {
    let same_mesh = from.mesh == to.mesh;
    (0..to.mesh.rank()).all(|axis| {
        let becomes_sum = matches!(to.layouts[axis], Layout::Partial(_))
            && !(same_mesh && from.layouts[axis] == to.layouts[axis]);
        !becomes_sum || to.mesh.coordinate(index, axis) == 0
    })
}

/// Who gives pieces to a worker, in the order of the workers.
fn givers_to(from: &Placement, to: &Placement, along: &[Givers], index: usize) -> Vec<usize> {
    let mesh = &from.mesh;
    let own = match mesh == &to.mesh {
        true => Some(index),
        false => mesh.index(to.mesh.workers()[index]),
    };
    // Whoever has nothing itself gets it from one of those that have the same, each from another.
    let mut turn = index;
    let mut places: SmallVec<[usize; 4]> = SmallVec::from_elem(0, mesh.rank());
    for axis in (0..mesh.rank()).rev() {
        places[axis] = own.map_or(turn % mesh.size(axis), |own| mesh.coordinate(own, axis));
        if along[axis] == Givers::Any {
            turn /= mesh.size(axis);
        }
    }
    let mut givers = vec![0];
    for (axis, &along) in along.iter().enumerate() {
        let size = mesh.size(axis);
        let there = match along {
            Givers::All => 0..size,
            Givers::Same | Givers::Any => places[axis]..places[axis] + 1,
        };
        let next = |before: usize| there.clone().map(move |at| before * size + at);
        givers = givers.into_iter().flat_map(next).collect();
    }
    givers
}

/// A number for what a worker has, which others that have the same share.
fn class(placement: &Placement, index: usize) -> usize {
    (0..placement.mesh.rank()).fold(0, |class, axis| {
        let coordinate = match placement.layouts[axis] {
            Layout::Replicate => 0,
            _ => placement.mesh.coordinate(index, axis),
        };
        class * placement.mesh.size(axis) + coordinate
    })
}

/// For each part of which nobody gets an element, who hears whether it has failed: those that get
/// one of the parts, of whom its own worker is one if it can be. A copy is good whatever became of
/// others.
fn words(from: &Placement, pieces: &[(usize, usize, Piece)]) -> BTreeMap<usize, usize> {
    let mut words = BTreeMap::new();
    if from.layouts.iter().all(|layout| *layout == Layout::Replicate) {
        return words;
    }
    let given = pieces.iter().filter(|(_, _, piece)| piece.elements() > 0);
    let given: BTreeSet<usize> = given.map(|(giver, ..)| *giver).collect();
    let silent = || pieces.iter().filter(|(giver, ..)| !given.contains(giver));
    let own = silent().filter(|(_, _, piece)| piece.from == piece.to);
    for (giver, getter, _) in own.chain(silent()) {
        words.entry(*giver).or_insert(*getter);
    }
    words
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
    use crate::placement::{At, Mesh};

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
        let joined = Joined { axis: 0, blocks: 1 };
        assert_eq!(assembly(&cut, &copies), Assembly::Join(SmallVec::from_iter([joined])));
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
        let cut = shard(&[0, 1], 1);
        let told = told(&partial, &cut, 1);
        assert_eq!(told, ["w0>w0 0+2", "w1>w0 0+2", "w0>w1 2+2", "w1>w1 2+2"]);
        assert_eq!(assembly(&partial, &cut), Assembly::Combine(Combine::Sum));
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
