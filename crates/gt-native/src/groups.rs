//! Composites over groups of elements that belong together, each group while it is near the
//! processor: standardisation and softmax, with their gradients.

mod layer_norm;
mod softmax;

use gt_core::error::{Error, Result};
use gt_core::shape::Meta;
use gt_core::whole::Groups;
use gt_worker::engine::Results;
use gt_worker::value::Value;
use smallvec::smallvec;

use super::number::Float;
use super::simd::vectorized;
use super::tile::Shared;
use super::{Native, movement};
pub(super) use layer_norm::{layer_norm, layer_norm_grad};
pub(super) use softmax::{Softmax, largest, multiply, softmax, softmax_grad};

/// How many sums go on side by side.
pub(super) const LANES: usize = 32;

/// What all lanes come to: halves are combined until one is left.
#[inline(always)]
pub(super) fn fold<T: Float>(lanes: [T; LANES], with: impl Fn(T, T) -> T) -> T {
    // They go through memory: where the compiler sees how they were made, it takes them apart.
    let mut lanes = std::hint::black_box(lanes);
    // Halves of a fixed length, so that the lanes stay in registers.
    halve::<T, 16>(&mut lanes, &with);
    halve::<T, 8>(&mut lanes, &with);
    halve::<T, 4>(&mut lanes, &with);
    halve::<T, 2>(&mut lanes, &with);
    with(lanes[0], lanes[1])
}

#[inline(always)]
fn halve<T: Float, const HALF: usize>(lanes: &mut [T; LANES], with: impl Fn(T, T) -> T) {
    for lane in 0..HALF {
        lanes[lane] = with(lanes[lane], lanes[lane + HALF]);
    }
}

/// Combines what `each` makes of every number, in lanes.
#[inline(always)]
fn combine<T: Float>(x: &[T], start: T, with: impl Fn(T, T) -> T, each: impl Fn(T) -> T) -> T {
    let mut lanes = [start; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = with(lanes[lane], each(chunk[lane]));
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane = with(*lane, each(x));
    }
    fold(lanes, with)
}

vectorized! {
    fn sum<T: Float>(x: &[T]) -> T {
        combine(x, T::ZERO, T::plus, |x| x)
    }
}

vectorized! {
    fn sum_of_squares<T: Float>(x: &[T], mean: T) -> T {
        combine(x, T::ZERO, T::plus, |x| x.minus(mean).times(x.minus(mean)))
    }
}

vectorized! {
    pub(super) fn sum_of_products<T: Float>(a: &[T], b: &[T]) -> T {
        let mut lanes = [T::ZERO; LANES];
        let ((chunks, rest), (others, other)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
        for (a, b) in chunks.iter().zip(others) {
            for lane in 0..LANES {
                lanes[lane] = lanes[lane].plus(a[lane].times(b[lane]));
            }
        }
        for ((lane, &a), &b) in lanes.iter_mut().zip(rest).zip(other) {
            *lane = lane.plus(a.times(b));
        }
        fold(lanes, T::plus)
    }
}

vectorized! {
    fn scale<T: Float>(x: &[T], mean: T, by: T, out: &mut [T]) {
        for (out, &x) in out.iter_mut().zip(x) {
            *out = x.minus(mean).times(by);
        }
    }
}

vectorized! {
    fn mix<T: Float>(a: &[T], b: &[T], factors: [T; 3], out: &mut [T]) {
        let [of_a, of_b, more] = factors;
        for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
            *out = a.times(of_a).plus(b.times(of_b)).plus(more);
        }
    }
}

/// The elements of a value one after another.
struct Numbers<T> {
    start: Shared<T>,
    _value: Value,
}

impl<T: Float> Numbers<T> {
    fn new(native: &Native, value: &Value) -> Result<Self> {
        let value = movement::contiguous(native, value)?;
        let numbers = value.slice::<T>();
        let wrong = || Error::bug(format!("{} is computed in another dtype", value.meta()));
        let start = Shared(numbers.ok_or_else(wrong)?.as_ptr().cast_mut());
        Ok(Numbers { start, _value: value })
    }

    /// # Safety
    /// The value has so many elements.
    unsafe fn run(&self, first: usize, len: usize) -> &[T] {
        // SAFETY: as promised by the caller.
        unsafe { std::slice::from_raw_parts(self.start.get().add(first), len) }
    }
}

/// A part of an output.
///
/// # Safety
/// The output has so many elements, and nobody else uses these.
unsafe fn part<'a, T>(out: Shared<T>, first: usize, len: usize) -> &'a mut [T] {
    // SAFETY: as promised by the caller.
    unsafe { std::slice::from_raw_parts_mut(out.get().add(first), len) }
}

fn check(groups: Groups, values: &[&Value]) -> Result<()> {
    let Groups { outer, count, inner } = groups;
    let sizes = [outer * count * inner, count];
    match values.iter().find(|value| !sizes.contains(&value.count())) {
        None => Ok(()),
        Some(value) => Err(Error::bug(format!("{} in {groups:?}", value.meta()))),
    }
}

/// Elements with mean zero and variance one, their means, and what they were multiplied by.
pub(super) fn standardize<T: Float>(
    native: &Native,
    groups: Groups,
    eps: T,
    x: &Value,
    outputs: &[Meta; 3],
) -> Result<Results> {
    check(groups, &[x])?;
    let Groups { outer, count, inner } = groups;
    let x = Numbers::<T>::new(native, x)?;
    let [(result, to), (means, mean_to), (rstds, rstd_to)] =
        [native.output(&outputs[0])?, native.output(&outputs[1])?, native.output(&outputs[2])?];
    let [to, mean_to, rstd_to] =
        [to, mean_to, rstd_to].map(|writer| Shared(writer.start.get().cast::<T>()));
    let size = T::from_count(outer * inner);
    native.split(count, 3 * outer * inner, |group| {
        // SAFETY: every run lies within the value.
        let runs = || (0..outer).map(|run| unsafe { x.run((run * count + group) * inner, inner) });
        let mean = runs().map(sum).fold(T::ZERO, T::plus).over(size);
        let squares = runs().map(|run| sum_of_squares(run, mean)).fold(T::ZERO, T::plus);
        let rstd = T::ONE.over(squares.over(size).plus(eps).sqrt());
        for (run, x) in runs().enumerate() {
            // SAFETY: each run of the output belongs to one group.
            scale(x, mean, rstd, unsafe { part(to, (run * count + group) * inner, inner) });
        }
        // SAFETY: each group has a number of its own.
        unsafe {
            mean_to.get().add(group).write(mean);
            rstd_to.get().add(group).write(rstd);
        }
    });
    Ok(smallvec![result, means, rstds])
}

/// The gradient of [`standardize`], from those of its results, its first and its third one.
pub(super) fn standardize_grad<T: Float>(
    native: &Native,
    groups: Groups,
    values: [&Value; 5],
    out: &Meta,
) -> Result<Results> {
    check(groups, &values)?;
    let Groups { outer, count, inner } = groups;
    let [grad, mean_grad, rstd_grad, x, rstd] = [
        Numbers::<T>::new(native, values[0])?,
        Numbers::new(native, values[1])?,
        Numbers::new(native, values[2])?,
        Numbers::new(native, values[3])?,
        Numbers::new(native, values[4])?,
    ];
    let (result, writer) = native.output(out)?;
    let to = Shared(writer.start.get().cast::<T>());
    let size = T::from_count(outer * inner);
    native.split(count, 3 * outer * inner, |group| {
        let start = |run: usize| (run * count + group) * inner;
        let [mut total, mut both] = [T::ZERO; 2];
        for run in 0..outer {
            // SAFETY: every run lies within the values.
            let (grad, x) = unsafe { (grad.run(start(run), inner), x.run(start(run), inner)) };
            total = total.plus(sum(grad));
            both = both.plus(sum_of_products(grad, x));
        }
        // SAFETY: there is one for each group.
        let [mean_grad, rstd_grad, rstd] =
            unsafe { [&mean_grad, &rstd_grad, &rstd].map(|numbers| numbers.run(group, 1)[0]) };
        let of_x = both.plus(rstd_grad.times(rstd)).times(rstd).over(size).negative();
        let more = mean_grad.minus(total.times(rstd)).over(size);
        for run in 0..outer {
            // SAFETY: as above, and each run of the output belongs to one group.
            unsafe {
                let (grad, x) = (grad.run(start(run), inner), x.run(start(run), inner));
                mix(grad, x, [rstd, of_x, more], part(to, start(run), inner));
            }
        }
    });
    Ok(smallvec![result])
}

/// Elements divided by the root of their mean square, and the reciprocals of these roots.
pub(super) fn rms_standardize<T: Float>(
    native: &Native,
    groups: Groups,
    eps: T,
    x: &Value,
    outputs: [&Meta; 2],
) -> Result<Results> {
    check(groups, &[x])?;
    let Groups { outer, count, inner } = groups;
    let x = Numbers::<T>::new(native, x)?;
    let [(result, to), (rstds, rstd_to)] = [native.output(outputs[0])?, native.output(outputs[1])?];
    let [to, rstd_to] = [to, rstd_to].map(|writer| Shared(writer.start.get().cast::<T>()));
    let size = T::from_count(outer * inner);
    native.split(count, 3 * outer * inner, |group| {
        // SAFETY: every run lies within the value.
        let runs = || (0..outer).map(|run| unsafe { x.run((run * count + group) * inner, inner) });
        let squares = runs().map(|run| sum_of_products(run, run)).fold(T::ZERO, T::plus);
        let rstd = T::ONE.over(squares.over(size).plus(eps).sqrt());
        for (run, x) in runs().enumerate() {
            // SAFETY: each run of the output belongs to one group.
            scale(x, T::ZERO, rstd, unsafe { part(to, (run * count + group) * inner, inner) });
        }
        // SAFETY: each group has a number of its own.
        unsafe { rstd_to.get().add(group).write(rstd) };
    });
    Ok(smallvec![result, rstds])
}

/// The gradient of [`rms_standardize`], from those of its results, and the results.
pub(super) fn rms_standardize_grad<T: Float>(
    native: &Native,
    groups: Groups,
    values: [&Value; 4],
    out: &Meta,
) -> Result<Results> {
    check(groups, &values)?;
    let Groups { outer, count, inner } = groups;
    let [grad, rstd_grad, x, rstd] = [
        Numbers::<T>::new(native, values[0])?,
        Numbers::new(native, values[1])?,
        Numbers::new(native, values[2])?,
        Numbers::new(native, values[3])?,
    ];
    let (result, writer) = native.output(out)?;
    let to = Shared(writer.start.get().cast::<T>());
    let size = T::from_count(outer * inner);
    native.split(count, 3 * outer * inner, |group| {
        let start = |run: usize| (run * count + group) * inner;
        let mut both = T::ZERO;
        for run in 0..outer {
            // SAFETY: every run lies within the values.
            let (grad, x) = unsafe { (grad.run(start(run), inner), x.run(start(run), inner)) };
            both = both.plus(sum_of_products(grad, x));
        }
        // SAFETY: there is one for each group.
        let [rstd_grad, rstd] =
            unsafe { [&rstd_grad, &rstd].map(|numbers| numbers.run(group, 1)[0]) };
        let of_x = both.plus(rstd_grad.times(rstd)).times(rstd).over(size).negative();
        for run in 0..outer {
            // SAFETY: as above, and each run of the output belongs to one group.
            unsafe {
                let (grad, x) = (grad.run(start(run), inner), x.run(start(run), inner));
                mix(grad, x, [rstd, of_x, T::ZERO], part(to, start(run), inner));
            }
        }
    });
    Ok(smallvec![result])
}
