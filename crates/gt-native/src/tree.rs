//! The order in which many elements are combined into one. It depends on how many there are and
//! on nothing else, so sums have the same bits for every number of threads, for every stride, and
//! in a fused loop.
//!
//! A run of up to [`LEAF`] elements goes into 32 lanes, which are then folded in halves. A longer
//! run is a run of the results of its leaves. Sums over outer axes, where whole rows are added to
//! each other, go in groups of 32 rows, and groups of 32 groups.

use super::halves::Half;
use super::number::{Float, Number};
use super::simd::vectorized;
use gt_worker::value::Element;
use half::{bf16, f16};

/// How many elements one leaf combines.
pub const LEAF: usize = 1024;

/// How many rows a group has; a leaf of rows is a group of groups.
const GROUP: usize = 32;

/// How many combinations go on side by side.
const LANES: usize = 32;

/// A way to combine two elements.
pub trait Combine<A: Number>: Send + Sync {
    /// What an element changes nothing when combined with.
    const START: A;

    /// Combines two.
    fn of(a: A, b: A) -> A;
}

/// Adds.
pub struct Sum;
/// Multiplies.
pub struct Product;
/// Takes the larger.
pub struct Largest;
/// Takes the smaller.
pub struct Smallest;

impl<A: Number> Combine<A> for Sum {
    const START: A = A::ZERO;

    #[inline(always)]
    fn of(a: A, b: A) -> A {
        a.plus(b)
    }
}

impl<A: Number> Combine<A> for Product {
    const START: A = A::ONE;

    #[inline(always)]
    fn of(a: A, b: A) -> A {
        a.times(b)
    }
}

impl<A: Number> Combine<A> for Largest {
    const START: A = A::LOWEST;

    #[inline(always)]
    fn of(a: A, b: A) -> A {
        a.larger(b)
    }
}

impl<A: Number> Combine<A> for Smallest {
    const START: A = A::HIGHEST;

    #[inline(always)]
    fn of(a: A, b: A) -> A {
        a.smaller(b)
    }
}

/// An element that is combined in a type of its own.
pub trait Reducible: Element {
    /// The type it is combined in.
    type Wide: Number;

    /// Itself in that type.
    fn wide(self) -> Self::Wide;
    /// The result in its own type.
    fn from_wide(wide: Self::Wide) -> Self;
    /// The result divided by how many elements it is made of.
    fn mean(wide: Self::Wide, count: usize) -> Self::Wide;
}

macro_rules! reducible {
    ($($type:ident as $wide:ident, |$x:ident| $to:expr, |$y:ident| $from:expr,
        |$sum:ident, $count:ident| $mean:expr;)*) => {
        $(impl Reducible for $type {
            type Wide = $wide;

            #[inline(always)]
            fn wide(self) -> $wide {
                let $x = self;
                $to
            }
            #[inline(always)]
            fn from_wide($y: $wide) -> Self {
                $from
            }
            #[inline(always)]
            fn mean($sum: $wide, $count: usize) -> $wide {
                $mean
            }
        })*
    };
}

reducible! {
    u8 as u8, |x| x, |y| y, |sum, count| (u64::from(sum) / count.max(1) as u64) as u8;
    i8 as i8, |x| x, |y| y, |sum, count| (i64::from(sum) / count.max(1) as i64) as i8;
    i16 as i16, |x| x, |y| y, |sum, count| (i64::from(sum) / count.max(1) as i64) as i16;
    i32 as i32, |x| x, |y| y, |sum, count| (i64::from(sum) / count.max(1) as i64) as i32;
    i64 as i64, |x| x, |y| y, |sum, count| sum / count.max(1) as i64;
    f32 as f32, |x| x, |y| y, |sum, count| sum / f32::from_count(count);
    f64 as f64, |x| x, |y| y, |sum, count| sum / f64::from_count(count);
    f16 as f32, |x| widen_f16(x), |y| Half::rounded(y), |sum, count| sum / f32::from_count(count);
    bf16 as f32, |x| f32::from_bits(u32::from(x.to_bits()) << 16), |y| Half::rounded(y),
        |sum, count| sum / f32::from_count(count);
}

/// A 16-bit float as an f32, without branches or a look at the processor.
#[inline(always)]
fn widen_f16(x: f16) -> f32 {
    let bits = u32::from(x.to_bits());
    let (sign, size) = ((bits & 0x8000) << 16, (bits & 0x7fff) << 13);
    // The exponent is moved by a product, which also makes subnormal numbers normal.
    let finite = (f32::from_bits(size) * 2f32.powi(112)).to_bits();
    let special = size | 0x7f80_0000;
    f32::from_bits(sign | if bits & 0x7c00 == 0x7c00 { special } else { finite })
}

/// Combines a run of at most [`LEAF`] elements.
#[inline(always)]
fn leaf_of<T: Reducible, F: Combine<T::Wide>>(x: &[T]) -> T::Wide {
    if x.len() < LANES {
        return x.iter().fold(F::START, |sum, &x| F::of(sum, x.wide()));
    }
    let mut lanes = [F::START; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = F::of(lanes[lane], chunk[lane].wide());
        }
    }
    // What is left over is a chunk too, so that nothing goes lane by lane.
    let mut last = [F::START; LANES];
    for (lane, &x) in last.iter_mut().zip(rest) {
        *lane = x.wide();
    }
    for lane in 0..LANES {
        lanes[lane] = F::of(lanes[lane], last[lane]);
    }
    // The lanes go through memory: where the compiler sees what becomes of them, it takes them
    // apart, and folding costs as much as a third of the leaf.
    let mut lanes = std::hint::black_box(lanes);
    // Halves of a fixed length, so that the lanes stay in registers.
    fold::<T::Wide, F, 16>(&mut lanes);
    fold::<T::Wide, F, 8>(&mut lanes);
    fold::<T::Wide, F, 4>(&mut lanes);
    fold::<T::Wide, F, 2>(&mut lanes);
    F::of(lanes[0], lanes[1])
}

#[inline(always)]
fn fold<A: Number, F: Combine<A>, const HALF: usize>(lanes: &mut [A; LANES]) {
    for lane in 0..HALF {
        lanes[lane] = F::of(lanes[lane], lanes[lane + HALF]);
    }
}

vectorized! {
    /// Combines a run of at most [`LEAF`] elements.
    pub fn leaf<T: Reducible, F: Combine<T::Wide>>(x: &[T]) -> T::Wide {
        debug_assert!(x.len() <= LEAF);
        leaf_of::<T, F>(x)
    }
}

vectorized! {
    /// Combines each leaf of a run into its place of `out`.
    pub fn leaves<T: Reducible, F: Combine<T::Wide>>(x: &[T], out: &mut [T::Wide]) {
        for (leaf, out) in x.chunks(LEAF).zip(out) {
            *out = leaf_of::<T, F>(leaf);
        }
    }
}

/// A result with the bits it always has: which of two NaN a sum or product keeps is up to the
/// compiler, so that its sign means nothing.
#[inline(always)]
pub fn settled<A: Number>(result: A) -> A {
    if result.is_nan() { result.size() } else { result }
}

/// Combines a run of any length.
pub fn run<T: Reducible, F>(x: &[T]) -> T::Wide
where
    F: Combine<T::Wide>,
    T::Wide: Reducible<Wide = T::Wide>,
{
    if x.len() <= LEAF {
        return leaf::<T, F>(x);
    }
    let mut partial: Vec<T::Wide> = x.chunks(LEAF).map(leaf::<T, F>).collect();
    while partial.len() > 1 {
        partial = partial.chunks(LEAF).map(leaf::<T::Wide, F>).collect();
    }
    partial[0]
}

/// How many columns are combined at a time.
pub const COLUMNS: usize = 512;

/// How many rows are added to the accumulators while these are in registers.
const TOGETHER: usize = 8;

vectorized! {
    /// Adds rows to the accumulators, one after another. A row is a run of as many columns as
    /// there are accumulators, `step` elements after the one before it.
    fn add_rows<T: Reducible, F: Combine<T::Wide>>(
        first: *const T,
        step: isize,
        count: usize,
        sums: &mut [T::Wide],
    ) {
        let columns = sums.len();
        // SAFETY: the caller of `rows` gives so many rows of so many columns.
        let row = |row: usize| unsafe {
            std::slice::from_raw_parts(first.wrapping_offset(row as isize * step), columns)
        };
        let whole = count - count % TOGETHER;
        for start in (0..whole).step_by(TOGETHER) {
            let rows: [&[T]; TOGETHER] = std::array::from_fn(|index| row(start + index));
            for (column, sum) in sums.iter_mut().enumerate() {
                let mut added = *sum;
                for row in rows {
                    // SAFETY: each row has as many columns as there are accumulators.
                    added = F::of(added, unsafe { row.get_unchecked(column) }.wide());
                }
                *sum = added;
            }
        }
        for start in whole..count {
            for (sum, &x) in sums.iter_mut().zip(row(start)) {
                *sum = F::of(*sum, x.wide());
            }
        }
    }
}

/// Combines at most [`LEAF`] rows into one of at most [`COLUMNS`] columns.
///
/// # Safety
/// There are `count` rows of `sums.len()` columns, `step` elements apart.
pub unsafe fn rows<T: Reducible, F: Combine<T::Wide>>(
    first: *const T,
    step: isize,
    count: usize,
    sums: &mut [T::Wide],
) {
    debug_assert!(count <= LEAF && sums.len() <= COLUMNS);
    sums.fill(F::START);
    if count <= GROUP {
        return add_rows::<T, F>(first, step, count, sums);
    }
    let mut group = [F::START; COLUMNS];
    let group = &mut group[..sums.len()];
    for start in (0..count).step_by(GROUP) {
        group.fill(F::START);
        let first = first.wrapping_offset(start as isize * step);
        add_rows::<T, F>(first, step, GROUP.min(count - start), group);
        for (sum, &group) in sums.iter_mut().zip(group.iter()) {
            *sum = F::of(*sum, group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sums_stay_accurate() {
        let numbers: Vec<f32> = (0..3_000_001).map(|i| (i % 1000) as f32 * 0.1).collect();
        let exact: f64 = numbers.iter().map(|&x| f64::from(x)).sum();
        let found = f64::from(run::<f32, Sum>(&numbers));
        assert!((found - exact).abs() / exact < 3e-7, "{found} {exact}");
    }

    #[test]
    fn every_16_bit_float_is_widened() {
        for bits in 0..=u16::MAX {
            let x = f16::from_bits(bits);
            let (found, exact) = (widen_f16(x), x.to_f32());
            assert!(found.to_bits() == exact.to_bits() || (found.is_nan() && exact.is_nan()));
        }
    }

    #[test]
    fn every_length_is_summed_whole() {
        for len in [0, 1, 31, 32, 33, 1023, 1024, 1025, 1_100_000] {
            assert_eq!(run::<i64, Sum>(&vec![1i64; len]), len as i64);
        }
    }
}
