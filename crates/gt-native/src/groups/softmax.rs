//! Softmax and its logarithm along the last axis, with their gradients.

use gt_core::error::Result;
use gt_core::shape::Meta;
use gt_core::whole::Groups;
use smallvec::smallvec;

use super::{
    Float, LANES, Native, Numbers, Results, Shared, Value, check, combine, fold, part, sum,
    sum_of_products, vectorized,
};

vectorized! {
    pub(crate) fn largest<T: Float>(x: &[T]) -> T {
        combine(x, T::LOWEST, T::larger, |x| x)
    }
}

vectorized! {
    /// Exponentials, and their sum.
    fn exps<T: Float>(x: &[T], below: T, out: &mut [T]) -> T {
        let mut lanes = [T::ZERO; LANES];
        let ((chunks, rest), (outs, out)) =
            (x.as_chunks::<LANES>(), out[..x.len()].as_chunks_mut::<LANES>());
        for (chunk, out) in chunks.iter().zip(outs) {
            for lane in 0..LANES {
                out[lane] = chunk[lane].minus(below).exp();
                lanes[lane] = lanes[lane].plus(out[lane]);
            }
        }
        for ((lane, &x), out) in lanes.iter_mut().zip(rest).zip(out) {
            *out = x.minus(below).exp();
            *lane = lane.plus(*out);
        }
        fold(lanes, T::plus)
    }
}

vectorized! {
    /// The sum of the exponentials, which nobody else needs.
    fn sum_of_exps<T: Float>(x: &[T], below: T) -> T {
        combine(x, T::ZERO, T::plus, |x| x.minus(below).exp())
    }
}

vectorized! {
    pub(crate) fn multiply<T: Float>(out: &mut [T], by: T) {
        for out in out {
            *out = out.times(by);
        }
    }
}

vectorized! {
    fn shift<T: Float>(x: &[T], below: T, more: T, out: &mut [T]) {
        for (out, &x) in out.iter_mut().zip(x) {
            *out = x.minus(below).minus(more);
        }
    }
}

vectorized! {
    fn weigh<T: Float>(grad: &[T], result: &[T], total: T, out: &mut [T]) {
        for ((out, &grad), &result) in out.iter_mut().zip(grad).zip(result) {
            *out = result.times(grad.minus(total));
        }
    }
}

vectorized! {
    fn weigh_exps<T: Float>(grad: &[T], result: &[T], total: T, out: &mut [T]) {
        for ((out, &grad), &result) in out.iter_mut().zip(grad).zip(result) {
            *out = grad.minus(result.exp().times(total));
        }
    }
}

/// How a softmax is wanted.
#[derive(Clone, Copy)]
pub(crate) struct Softmax {
    /// How many elements there are along the axis.
    pub(crate) size: usize,
    /// Whether the logarithms are wanted.
    pub(crate) log: bool,
}

/// Exponentials that sum to one along the last axis, or their logarithms.
pub(crate) fn softmax<T: Float>(
    native: &Native,
    Softmax { size, log }: Softmax,
    x: &Value,
    out: &Meta,
) -> Result<Results> {
    let rows = x.count() / size.max(1);
    check(Groups { outer: 1, count: rows, inner: size }, &[x])?;
    let x = Numbers::<T>::new(native, x)?;
    let (result, writer) = native.output(out)?;
    let to = Shared(writer.start.get().cast::<T>());
    native.split(rows, 4 * size, |row| {
        // SAFETY: every row lies within the value, and belongs to one task.
        let (x, to) = unsafe { (x.run(row * size, size), part(to, row * size, size)) };
        let below = largest(x);
        if log {
            return shift(x, below, sum_of_exps(x, below).log(), to);
        }
        let total = exps(x, below, to);
        // One division for the row, which changes the last bit of a result at most.
        multiply(to, T::ONE.over(total));
    });
    Ok(smallvec![result])
}

/// The gradient of [`softmax`], from that of its result, and the result.
pub(crate) fn softmax_grad<T: Float>(
    native: &Native,
    Softmax { size, log }: Softmax,
    [grad, result]: [&Value; 2],
    out: &Meta,
) -> Result<Results> {
    let rows = grad.count() / size.max(1);
    check(Groups { outer: 1, count: rows, inner: size }, &[grad, result])?;
    let [grad, result] = [Numbers::<T>::new(native, grad)?, Numbers::new(native, result)?];
    let (output, writer) = native.output(out)?;
    let to = Shared(writer.start.get().cast::<T>());
    native.split(rows, 3 * size, |row| {
        let start = row * size;
        // SAFETY: every row lies within the values, and belongs to one task.
        let (grad, result, to) =
            unsafe { (grad.run(start, size), result.run(start, size), part(to, start, size)) };
        match log {
            true => weigh_exps(grad, result, sum(grad), to),
            false => weigh(grad, result, sum_of_products(grad, result), to),
        }
    });
    Ok(smallvec![output])
}
