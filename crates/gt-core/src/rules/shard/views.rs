//! The same elements in another shape: the indices that both shapes are made of.

use smallvec::SmallVec;

use super::factors::{Factor, Factors, Indices, Letter, Reading, alone, axis};
use super::signatures::gather_first;
use crate::op::Call;
use crate::shape::Shape;

/// The input has the elements of the result, row by row.
pub fn reshaped(call: &Call) -> Factors {
    let Ok(shapes) = (call.op.shape)(call) else { return gather_first(call) };
    let (input, output) = common(call.shape(0), &shapes[0]);
    Factors { inputs: vec![input], outputs: vec![output], ..Factors::default() }
}

/// The input stands along axes of its size, and is repeated along the others.
pub fn expanded(call: &Call) -> Factors {
    let Ok(shapes) = (call.op.shape)(call) else { return gather_first(call) };
    let (input, output) = (call.shape(0), &shapes[0]);
    let added = output.rank() - input.rank();
    let letter = |(axis, &size): (usize, &usize)| -> Letter {
        (size == output[axis + added]).then_some((axis + added) as u8)
    };
    let letters = input.iter().enumerate().map(letter).collect();
    Factors::of(call, vec![letters], vec![super::numbered(output.rank())])
}

/// The input stands there so many times along each axis of the result, which may have more axes.
pub fn repeated(call: &Call, sizes: &Shape, times: &[usize]) -> Factors {
    let rank = sizes.rank();
    let own = |axis: usize| Factor::of(Some(axis as u8), sizes[axis]);
    let turn = |axis: usize| Factor::of(Some((rank + axis) as u8), times[axis]);
    let added = rank - call.shape(0).rank();
    let input: Indices = (added..rank).map(|at| axis([own(at)])).collect();
    // Blocks of nothing, and no blocks, cannot be told apart.
    let output = (0..rank).map(|at| match sizes[at] * times[at] {
        _ if at < added => axis([turn(at)]),
        0 => alone(None, 0),
        _ => axis([turn(at), own(at)]),
    });
    Factors { inputs: vec![input], outputs: vec![output.collect()], ..Factors::default() }
}

/// The axes of two shapes of as many elements in terms of indices that both have. From either end,
/// what two sizes have in common is an index; between, where sizes have nothing in common, nothing
/// can be cut.
pub fn common(from: &Shape, to: &Shape) -> (Indices, Indices) {
    let mut letters = 0..u8::MAX;
    if from.count() == 0 {
        return alike_in_front(from, to);
    }
    let (mut from, mut to) = (Side::new(from), Side::new(to));
    while let (Some(a), Some(b)) = (from.outermost(), to.outermost()) {
        let size = common_divisor(from.left[a], to.left[b]);
        if size == 1 {
            break;
        }
        let factor = Factor::of(letters.next(), size);
        from.take_outer(a, factor);
        to.take_outer(b, factor);
    }
    while let (Some(a), Some(b)) = (from.innermost(), to.innermost()) {
        let size = common_divisor(from.left[a], to.left[b]);
        if size == 1 {
            break;
        }
        let factor = Factor::of(letters.next(), size);
        from.take_inner(a, factor);
        to.take_inner(b, factor);
    }
    (from.axes(), to.axes())
}

/// Without elements, only axes that are the same on both sides are known to follow each other.
fn alike_in_front(from: &Shape, to: &Shape) -> (Indices, Indices) {
    let alike = from.iter().zip(to.iter()).take_while(|(a, b)| a == b).count();
    let axes = |shape: &Shape| {
        let letter = |at: usize| (at < alike).then_some(at as u8);
        shape.iter().enumerate().map(|(at, &size)| alone(letter(at), size)).collect()
    };
    (axes(from), axes(to))
}

/// A shape while indices are found in it.
struct Side {
    /// What is left of each size.
    left: SmallVec<[usize; 4]>,
    /// The indices that were taken from the outside and, innermost first, from the inside.
    outer: SmallVec<[Reading; 4]>,
    inner: SmallVec<[Reading; 4]>,
}

impl Side {
    fn new(shape: &Shape) -> Self {
        let none = || shape.iter().map(|_| Reading::new()).collect();
        Side { left: shape.iter().copied().collect(), outer: none(), inner: none() }
    }

    fn outermost(&self) -> Option<usize> {
        self.left.iter().position(|&size| size > 1)
    }

    fn innermost(&self) -> Option<usize> {
        self.left.iter().rposition(|&size| size > 1)
    }

    fn take_outer(&mut self, at: usize, factor: Factor) {
        self.left[at] /= factor.size;
        self.outer[at].push(factor);
    }

    fn take_inner(&mut self, at: usize, factor: Factor) {
        self.left[at] /= factor.size;
        self.inner[at].push(factor);
    }

    fn axes(self) -> Indices {
        let sides = self.outer.into_iter().zip(self.left).zip(self.inner);
        let joined = sides.map(|((outer, left), inner)| {
            let rest = (left > 1).then_some(Factor::of(None, left));
            axis(outer.into_iter().chain(rest).chain(inner.into_iter().rev()))
        });
        joined.collect()
    }
}

pub(super) fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
