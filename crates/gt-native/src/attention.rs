//! Attention in one piece: the products of some queries with the keys they see are made, used and
//! forgotten, so that they never leave the caches. How many queries are together depends on nothing
//! but the sizes, and each stack is for itself, so that no bit depends on who computes what.

use gt_core::error::Result;
use gt_core::shape::Meta;
use gt_core::whole::Attention;
use gt_worker::engine::Results;
use gt_worker::value::Value;
use gt_worker::value::strided::Walk;
use smallvec::smallvec;

use super::groups::{LANES, fold, largest, multiply, sum_of_products};
use super::lanes::Vectors;
use super::matmul::block::{self, Matrix};
use super::matmul::lead_strides;
use super::number::Float;
use super::recurrent::{numbers, part, results};
use super::scratch::with_outer_scratch;
use super::simd::vectorized;
use super::{Native, movement};

/// So many queries are looked at together.
const QUERIES: usize = 64;

/// Where the matrices of each stack begin, and how they lie.
struct Stacks<T, const N: usize> {
    starts: [*const T; N],
    steps: [[isize; 2]; N],
    walk: Walk<N>,
}

// SAFETY: the values are only read.
unsafe impl<T, const N: usize> Sync for Stacks<T, N> {}

impl<T, const N: usize> Stacks<T, N> {
    fn new(values: [&Value; N]) -> Self {
        let lead = values[0].shape().rank() - 2;
        let strides = values.map(|value| lead_strides(value, lead));
        Stacks {
            starts: values.map(|value| value.as_ptr().cast()),
            steps: values.map(|value| [value.strides()[lead], value.strides()[lead + 1]]),
            walk: Walk::new(&values[0].shape()[..lead], strides.each_ref().map(|own| &own[..])),
        }
    }

    /// The matrices of one stack.
    fn of(&self, stack: usize) -> [Matrix<T>; N] {
        let at = self.walk.position(stack);
        std::array::from_fn(|index| Matrix {
            start: self.starts[index].wrapping_offset(at[index]),
            steps: self.steps[index],
        })
    }
}

fn transposed<T>(matrix: Matrix<T>) -> Matrix<T> {
    Matrix { start: matrix.start, steps: [matrix.steps[1], matrix.steps[0]] }
}

/// A matrix without its first rows.
fn from_row<T>(matrix: Matrix<T>, row: usize) -> Matrix<T> {
    Matrix { start: matrix.start.wrapping_offset(row as isize * matrix.steps[0]), ..matrix }
}

/// A matrix whose rows lie one after another.
fn rows_of<T>(start: *const T, len: usize) -> Matrix<T> {
    Matrix { start, steps: [len as isize, 1] }
}

/// Queries that are looked at together: which, and how many keys the last of them sees.
#[derive(Clone, Copy)]
struct Some {
    first: usize,
    count: usize,
    seen: usize,
}

/// What every thread knows of the sizes.
#[derive(Clone, Copy)]
struct Plan<T> {
    sizes: Attention,
    scale: T,
}

impl<T> Plan<T> {
    fn blocks(&self) -> usize {
        self.sizes.queries.div_ceil(QUERIES)
    }

    fn block(&self, index: usize) -> Some {
        let first = index * QUERIES;
        let count = QUERIES.min(self.sizes.queries - first);
        Some { first, count, seen: self.seen(first + count - 1) }
    }

    /// How many keys a query sees.
    fn seen(&self, query: usize) -> usize {
        match self.sizes.is_causal {
            true => self.sizes.keys.min(query + 1),
            false => self.sizes.keys,
        }
    }
}

/// The weighted values, and the logarithms of what weights were divided by; see
/// [`gt_core::whole::Whole::Attend`].
pub(super) fn attend<T: Vectors>(
    native: &Native,
    sizes: Attention,
    scale: T,
    [query, key, value]: [&Value; 3],
    outputs: [&Meta; 2],
) -> Result<Results> {
    let plan = Plan { sizes, scale };
    let stacks = Stacks::<T, 3>::new([query, key, value]);
    let ([result, totals], [to_result, to_totals]) = results::<T, 2>(native, outputs)?;
    let (blocks, width) = (plan.blocks(), sizes.width);
    native.threads.share(sizes.stacks * blocks, |task| {
        let (stack, some) = (task / blocks, plan.block(task % blocks));
        let Some { first, count, seen } = some;
        let [query, key, value] = stacks.of(stack);
        let row = stack * sizes.queries + first;
        with_outer_scratch(count * seen, |scores: &mut [T]| {
            // SAFETY: the matrices have these sizes, and nobody else has these rows of the results.
            unsafe {
                let factors = [from_row(query, first), transposed(key)];
                block::product([count, sizes.depth, seen], factors, scores.as_mut_ptr(), seen);
                let totals = part(to_totals, row, count);
                for (index, total) in totals.iter_mut().enumerate() {
                    let own = plan.seen(first + index);
                    let (scores, hidden) = scores[index * seen..][..seen].split_at_mut(own);
                    hidden.fill(T::ZERO);
                    *total = weigh(scores, scale);
                }
                let factors = [rows_of(scores.as_ptr(), seen), value];
                let out = to_result.get().add(row * width);
                block::product([count, seen, width], factors, out, width);
            }
        });
    });
    Ok(smallvec![result, totals])
}

/// Turns products into weights that sum to one; gives the logarithm of what they were divided by.
/// Where nothing is seen, the weights are zero.
fn weigh<T: Vectors>(scores: &mut [T], scale: T) -> T {
    multiply(scores, scale);
    let below = largest(scores);
    if is_blind(below) {
        scores.fill(T::ZERO);
        return below;
    }
    let total = exps(scores, below);
    multiply(scores, T::ONE.over(total));
    below.plus(total.log())
}

/// Whether a query sees nothing, from its largest product or the logarithm of their sum.
fn is_blind<T: Float>(below: T) -> bool {
    below.is_infinite() && below < T::ZERO
}

/// The gradients by queries, keys and values; see [`gt_core::whole::Whole::AttendGrad`].
pub(super) fn attend_grad<T: Vectors>(
    native: &Native,
    sizes: Attention,
    scale: T,
    [grad, total_grad, query, key, value, result, total]: [&Value; 7],
    outputs: [&Meta; 3],
) -> Result<Results> {
    let plan = Plan { sizes, scale };
    let own = [grad, total_grad, result, total].map(|value| movement::contiguous(native, value));
    let [grad, total_grad, result, total] = own;
    let own = [grad?, total_grad?, result?, total?];
    let [grad, total_grad, result, total] = own.each_ref().map(numbers::<T>);
    let stacks = Stacks::<T, 3>::new([query, key, value]);
    let (made, to) = results::<T, 3>(native, outputs)?;
    let Attention { queries, keys, depth, width, .. } = sizes;
    native.threads.share(sizes.stacks, |stack| {
        let matrices = stacks.of(stack);
        let rows = stack * queries;
        let room = keys * (2 * QUERIES.min(queries) + depth.max(width));
        with_outer_scratch(room, |scratch: &mut [T]| {
            for index in 0..plan.blocks() {
                let some = plan.block(index);
                let (first, count) = (rows + some.first, some.count);
                let given = Given {
                    grad: &grad[first * width..][..count * width],
                    result: &result[first * width..][..count * width],
                    total_grad: &total_grad[first..][..count],
                    total: &total[first..][..count],
                };
                // SAFETY: the results have so many rows for a stack, which nobody else has.
                let outs = unsafe {
                    [
                        part(to[0], first * depth, count * depth),
                        part(to[1], stack * keys * depth, keys * depth),
                        part(to[2], stack * keys * width, keys * width),
                    ]
                };
                back(&plan, some, matrices, given, outs, scratch);
            }
        });
    });
    Ok(made.into_iter().collect())
}

/// What is known of some queries of a stack.
#[derive(Clone, Copy)]
struct Given<'a, T> {
    grad: &'a [T],
    result: &'a [T],
    total_grad: &'a [T],
    total: &'a [T],
}

/// The gradients by some queries, and what they add to those by keys and values; the first queries
/// of a stack write these.
fn back<T: Vectors>(
    plan: &Plan<T>,
    some: Some,
    [query, key, value]: [Matrix<T>; 3],
    given: Given<'_, T>,
    [by_query, by_key, by_value]: [&mut [T]; 3],
    scratch: &mut [T],
) {
    let Attention { depth, width, .. } = plan.sizes;
    let Some { first, count, seen } = some;
    let (weights, rest) = scratch.split_at_mut(count * seen);
    let (slopes, rest) = rest.split_at_mut(count * seen);
    let query = from_row(query, first);
    let grad = rows_of(given.grad.as_ptr(), width);
    // SAFETY: the matrices have these sizes, and all of what is written was borrowed.
    unsafe {
        let factors = [query, transposed(key)];
        block::product([count, depth, seen], factors, weights.as_mut_ptr(), seen);
        let factors = [grad, transposed(value)];
        block::product([count, width, seen], factors, slopes.as_mut_ptr(), seen);
    }
    for index in 0..count {
        let own = plan.seen(first + index);
        let (weights, hidden) = weights[index * seen..][..seen].split_at_mut(own);
        let (slopes, hidden_slopes) = slopes[index * seen..][..seen].split_at_mut(own);
        hidden.fill(T::ZERO);
        hidden_slopes.fill(T::ZERO);
        let [arrived, result] =
            [given.grad, given.result].map(|values| &values[index * width..][..width]);
        if is_blind(given.total[index]) {
            weights.fill(T::ZERO);
            slopes.fill(T::ZERO);
            continue;
        }
        let below = sum_of_products(arrived, result).minus(given.total_grad[index]);
        slope(weights, slopes, plan.scale, given.total[index], below);
    }
    let (weights, slopes) = (rows_of(weights.as_ptr(), seen), rows_of(slopes.as_ptr(), seen));
    // SAFETY: as above.
    unsafe {
        block::product([count, seen, depth], [slopes, key], by_query.as_mut_ptr(), depth);
    }
    let parts = [(slopes, query, by_key, depth), (weights, grad, by_value, width)];
    for (left, right, out, size) in parts {
        let (out, beyond) = out.split_at_mut(match first {
            // Keys that the first queries do not see have nothing yet.
            0 => seen * size,
            _ => out.len(),
        });
        beyond.fill(T::ZERO);
        let sums = if first == 0 { &mut *out } else { &mut rest[..seen * size] };
        // SAFETY: as above.
        unsafe {
            let factors = [transposed(left), right];
            block::product([seen, count, size], factors, sums.as_mut_ptr(), size);
        }
        if first > 0 {
            add(&mut out[..seen * size], &rest[..seen * size]);
        }
    }
}

vectorized! {
    /// Exponentials, and their sum.
    fn exps<T: Float>(scores: &mut [T], below: T) -> T {
        let mut lanes = [T::ZERO; LANES];
        let (chunks, rest) = scores.as_chunks_mut::<LANES>();
        for chunk in chunks {
            for lane in 0..LANES {
                chunk[lane] = chunk[lane].minus(below).exp();
                lanes[lane] = lanes[lane].plus(chunk[lane]);
            }
        }
        for (lane, score) in lanes.iter_mut().zip(rest) {
            *score = score.minus(below).exp();
            *lane = lane.plus(*score);
        }
        fold(lanes, T::plus)
    }
}

vectorized! {
    fn add<T: Float>(out: &mut [T], more: &[T]) {
        for (out, &more) in out.iter_mut().zip(more) {
            *out = out.plus(more);
        }
    }
}

vectorized! {
    /// Turns the products of a query into weights, and what arrives at these into what arrives at
    /// the products before they are scaled.
    fn slope<T: Float>(weights: &mut [T], slopes: &mut [T], scale: T, total: T, below: T) {
        for (weight, slope) in weights.iter_mut().zip(slopes) {
            *weight = weight.times(scale).minus(total).exp();
            *slope = weight.times(slope.minus(below)).times(scale);
        }
    }
}
