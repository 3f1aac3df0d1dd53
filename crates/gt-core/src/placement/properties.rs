//! Values that go from any placement to any other, over meshes of up to three axes: put together
//! they are what they were, and no more of them travels than has to.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use smallvec::SmallVec;

use super::{
    Assembly, At, Combine, Cut, Layout, Mesh, Piece, Placement, Span, assembly, between, pieces,
};
use crate::dtype::DType;
use crate::shape::{Meta, Shape};
use crate::slot::WorkerId;

/// Random numbers from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % end
    }

    fn shape(&mut self) -> Shape {
        (0..1 + self.below(3)).map(|_| [0, 1, 2, 3, 4, 6, 12][self.below(7)]).collect()
    }

    fn mesh(&mut self, first: u32) -> Mesh {
        let names = ["dp", "tp", "pp"];
        let axes: Vec<_> =
            (0..1 + self.below(3)).map(|axis| (names[axis], 1 + self.below(3))).collect();
        let count: usize = axes.iter().map(|(_, size)| size).product();
        let mut workers: Vec<_> = (first..first + count as u32).map(WorkerId).collect();
        let turned = self.below(count);
        workers.rotate_left(turned);
        Mesh::new(workers, &axes).expect("it fits")
    }

    fn cut(&mut self, axis: usize, size: usize, parts: usize) -> Cut {
        let blocks = if size > 0 && size.is_multiple_of(2) { 1 + self.below(2) } else { 1 };
        let inner = size / blocks;
        let mut points: Vec<usize> = (1..parts).map(|_| self.below(inner + 1)).collect();
        points.extend([0, inner]);
        points.sort_unstable();
        let uneven = At::points(points.into_iter().collect());
        Cut { axis, blocks, at: if self.below(2) == 0 { At::Even } else { uneven } }
    }

    /// A placement, with sums if they are allowed.
    fn placement(&mut self, mesh: &Mesh, shape: &Shape, sums: bool) -> Placement {
        let mut free: Vec<usize> = (0..shape.rank()).collect();
        let layouts = (0..mesh.rank()).map(|axis| match self.below(if sums { 4 } else { 3 }) {
            1 | 2 if !free.is_empty() => {
                let at = free.swap_remove(self.below(free.len()));
                Layout::Shard(self.cut(at, shape[at], mesh.size(axis)))
            }
            3 => Layout::Partial(Combine::Sum),
            _ => Layout::Replicate,
        });
        let layouts: Vec<_> = layouts.collect();
        Placement::new(mesh.clone(), layouts, shape).expect("it fits")
    }
}

/// The elements of a part, by their places in the whole.
fn elements(part: &[Span], shape: &Shape) -> Vec<usize> {
    let mut found = vec![0];
    for (span, &size) in part.iter().zip(shape.iter()) {
        let own = (0..span.blocks)
            .flat_map(|block| (0..span.len).map(move |at| block * span.inner + span.start + at));
        let own: Vec<usize> = own.collect();
        found = found.iter().flat_map(|at| own.iter().map(move |own| at * size + own)).collect();
    }
    found
}

/// What each worker has: elements by their places in the whole.
type Held = HashMap<WorkerId, BTreeMap<usize, i64>>;

fn value_of(element: usize) -> i64 {
    element as i64 * 7 + 3
}

/// The number of a worker among those that have parts of one sum, and how many these are.
fn share_of(placement: &Placement, index: usize) -> (usize, usize) {
    let mesh = placement.mesh();
    let sums =
        (0..mesh.rank()).filter(|&axis| matches!(placement.layouts()[axis], Layout::Partial(_)));
    sums.fold((0, 1), |(number, count), axis| {
        (number * mesh.size(axis) + mesh.coordinate(index, axis), count * mesh.size(axis))
    })
}

fn spread(placement: &Placement, shape: &Shape) -> Held {
    let mut held = Held::new();
    for (index, &worker) in placement.mesh().workers().iter().enumerate() {
        let (number, count) = share_of(placement, index);
        let share = |element: usize, number: usize| (element * 31 + number * 17) as i64 % 11 - 5;
        let own = |element: usize| match number + 1 == count {
            true => value_of(element) - (0..number).map(|other| share(element, other)).sum::<i64>(),
            false => share(element, number),
        };
        let part = elements(&placement.part(shape, index), shape);
        held.insert(worker, part.into_iter().map(|element| (element, own(element))).collect());
    }
    held
}

/// Moves a value in one move; gives what everybody has then, and the pieces.
fn moved(from: &Placement, to: &Placement, held: &Held, shape: &Shape) -> (Held, Vec<Piece>) {
    let pieces = pieces(from, to, shape).expect("one move");
    let how = assembly(from, to);
    let mut found = Held::new();
    for (index, &getter) in to.mesh().workers().iter().enumerate() {
        let wanted = elements(&to.part(shape, index), shape);
        let mut own: BTreeMap<usize, i64> = BTreeMap::new();
        let own_pieces: Vec<&Piece> = pieces.iter().filter(|piece| piece.to == getter).collect();
        for piece in &own_pieces {
            for element in elements(&piece.part, shape) {
                let given = held[&piece.from][&element];
                let known = own.insert(element, given);
                match (known, &how) {
                    (None, _) => {}
                    (Some(known), Assembly::Combine(_)) => {
                        own.insert(element, known + given);
                    }
                    (Some(_), _) => panic!("{getter} gets an element twice"),
                }
            }
        }
        if own_pieces.is_empty() {
            own = wanted.iter().map(|&element| (element, 0)).collect();
        }
        let places: Vec<usize> = own.keys().copied().collect();
        let mut expected = wanted;
        expected.sort_unstable();
        assert_eq!(places, expected, "{getter} has other elements than it should");
        found.insert(getter, own);
    }
    (found, pieces)
}

/// Whether the parts make up the whole.
fn check_whole(placement: &Placement, held: &Held, shape: &Shape) {
    let mut sums: BTreeMap<(Vec<usize>, usize), i64> = BTreeMap::new();
    for (index, worker) in placement.mesh().workers().iter().enumerate() {
        // Workers with other coordinates along the axes without sums have copies or other parts.
        let row = placement.mesh().coordinates(index).into_iter().zip(placement.layouts());
        let row = row.filter(|(_, layout)| !matches!(layout, Layout::Partial(_)));
        let row: Vec<usize> = row.map(|(at, _)| at).collect();
        for (&element, &own) in &held[worker] {
            *sums.entry((row.clone(), element)).or_default() += own;
        }
    }
    for ((row, element), sum) in sums {
        assert_eq!(sum, value_of(element), "{placement}: element {element} at {row:?}");
    }
    let cut = |layout: &&Layout| matches!(layout, Layout::Shard(_));
    if placement.layouts().iter().filter(cut).count() == 0 {
        assert!(held.values().all(|own| own.len() == shape.count()));
    }
}

/// Moves a value however many moves that takes; gives how many elements travelled.
fn follow(from: &Placement, to: &Placement, meta: &Meta) -> usize {
    let (mut now, mut held) = (from.clone(), spread(from, &meta.shape));
    let mut travelled = 0;
    for _ in 0..10 {
        let next = between(&now, to, meta).map(|layouts| now.with_layouts(layouts));
        let is_last = next.is_none();
        let next = next.unwrap_or_else(|| to.clone());
        next.check(&meta.shape).expect("a placement");
        let (found, pieces) = moved(&now, &next, &held, &meta.shape);
        check_whole(&next, &found, &meta.shape);
        let travels = pieces.iter().filter(|piece| piece.from != piece.to);
        travelled += travels.map(Piece::elements).sum::<usize>();
        (now, held) = (next, found);
        if is_last {
            return travelled;
        }
    }
    panic!("{from} does not come to {to}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_value_is_the_same_wherever_it_goes(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let shape = dice.shape();
        let mesh = dice.mesh(0);
        let first = dice.below(4) as u32;
        let other = if dice.below(2) == 0 { mesh.clone() } else { dice.mesh(first) };
        let from = dice.placement(&mesh, &shape, true);
        let sums = dice.below(3) == 0;
        let to = dice.placement(&other, &shape, sums);
        follow(&from, &to, &Meta::new(DType::F32, shape.clone()));
    }

    #[test]
    fn whoever_lacks_elements_gets_those_and_no_others(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let (shape, mesh) = (dice.shape(), dice.mesh(0));
        let from = dice.placement(&mesh, &shape, false);
        let to = dice.placement(&mesh, &shape, false);
        let Some(pieces) = pieces(&from, &to, &shape) else { return Ok(()) };
        for (index, &getter) in mesh.workers().iter().enumerate() {
            let own = elements(&from.part(&shape, index), &shape);
            let wanted = elements(&to.part(&shape, index), &shape);
            let lacking = wanted.iter().filter(|element| !own.contains(element)).count();
            let travels = pieces.iter().filter(|piece| piece.to == getter && piece.from != getter);
            prop_assert_eq!(travels.clone().map(Piece::elements).sum::<usize>(), lacking);
            // Along axes where nothing changes, nobody asks anybody else.
            for piece in travels {
                let giver = mesh.index(piece.from).expect("a member");
                for axis in 0..mesh.rank() {
                    let alike = from.layouts()[axis] == to.layouts()[axis]
                        || from.layouts()[axis] == Layout::Replicate;
                    let (there, here) = (mesh.coordinates(giver), mesh.coordinates(index));
                    prop_assert!(!alike || there[axis] == here[axis]);
                }
            }
        }
    }
}

fn on_grid(layouts: [Layout; 2]) -> Placement {
    let mesh = Mesh::new((0..6).map(WorkerId).collect(), &[("dp", 2), ("tp", 3)]).expect("six");
    Placement::replicated(mesh).with_layouts(layouts)
}

#[test]
fn a_sum_over_a_mesh_costs_what_the_textbook_says() {
    let (sum, copies) = (|| Layout::Partial(Combine::Sum), || Layout::Replicate);
    let cut = |axis| Layout::Shard(Cut::even(axis));
    let meta = Meta::new(DType::F32, [48, 60]);
    let count = 48 * 60;
    // Everybody sends and gets (n - 1) / n of it twice, n being all six.
    let all = follow(&on_grid([sum(), sum()]), &on_grid([copies(), copies()]), &meta);
    assert_eq!(all, 6 * 2 * count * 5 / 6);
    // Along dp only, among the two that have the same third of it.
    let rows = follow(&on_grid([sum(), cut(0)]), &on_grid([copies(), cut(0)]), &meta);
    assert_eq!(rows, 6 * count / 3);
    // A gradient that is cut along one axis stays a sum along the other.
    let scattered = follow(&on_grid([sum(), sum()]), &on_grid([sum(), cut(1)]), &meta);
    assert_eq!(scattered, 6 * count * 2 / 3);
}

#[test]
fn a_gather_stays_among_the_workers_of_one_row() {
    let cut = |axis| Layout::Shard(Cut::even(axis));
    let from = on_grid([cut(0), cut(1)]);
    let to = on_grid([cut(0), Layout::Replicate]);
    let found = pieces(&from, &to, &Shape::from([4, 6])).expect("one move");
    assert_eq!(found.len(), 6 * 3);
    assert!(found.iter().all(|piece| piece.from.0 / 3 == piece.to.0 / 3));
    let joined = match assembly(&from, &to) {
        Assembly::Join(joined) => joined.iter().map(|joined| joined.axis).collect(),
        _ => SmallVec::<[usize; 2]>::new(),
    };
    assert_eq!(joined.as_slice(), [1]);
}
