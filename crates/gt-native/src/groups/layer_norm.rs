//! Layer normalisation with its weight and bias, and its gradients: a row at a time, while it is
//! near the processor.

use gt_core::error::{Error, Result};
use gt_core::shape::Meta;
use gt_core::whole::Rows;
use smallvec::smallvec;

use super::super::scratch::with_scratch;
use super::{
    Float, Native, Numbers, Results, Shared, Value, mix, part, sum, sum_of_products,
    sum_of_squares, vectorized,
};

/// So many rows are added to sums of their own, and these to each other. It depends on nothing, so
/// that sums have the same bits for every number of threads.
const BLOCK: usize = 64;

/// How many columns of these sums are added up at a time.
const COLUMNS: usize = 512;

vectorized! {
    fn scale<T: Float>(x: &[T], moments: [T; 2], affine: [&[T]; 2], out: &mut [T]) {
        let ([mean, rstd], [weight, bias]) = (moments, affine);
        for (((out, &x), &weight), &bias) in out.iter_mut().zip(x).zip(weight).zip(bias) {
            *out = x.minus(mean).times(rstd).times(weight).plus(bias);
        }
    }
}

vectorized! {
    /// The elements of a row as they were before weight and bias, their gradient, and the sums that
    /// are the gradients of these two.
    fn open<T: Float>(
        given: [&[T]; 3],
        moments: [T; 2],
        made: [&mut [T]; 2],
        sums: [&mut [T]; 2],
    ) {
        let ([x, grad, weight], [mean, rstd]) = (given, moments);
        let ([standard, inner], [of_weight, of_bias]) = (made, sums);
        let size = x.len();
        let (grad, weight) = (&grad[..size], &weight[..size]);
        let (standard, inner) = (&mut standard[..size], &mut inner[..size]);
        let (of_weight, of_bias) = (&mut of_weight[..size], &mut of_bias[..size]);
        for place in 0..size {
            let before = x[place].minus(mean).times(rstd);
            standard[place] = before;
            inner[place] = grad[place].times(weight[place]);
            of_weight[place] = of_weight[place].plus(grad[place].times(before));
            of_bias[place] = of_bias[place].plus(grad[place]);
        }
    }
}

vectorized! {
    fn add<T: Float>(sums: &mut [T], more: &[T]) {
        for (sum, &more) in sums.iter_mut().zip(more) {
            *sum = sum.plus(more);
        }
    }
}

fn check(values: &[&Value], counts: &[usize]) -> Result<()> {
    let wrong = |(value, count): &(&&Value, &usize)| value.count() != **count;
    match values.iter().zip(counts).find(wrong) {
        None => Ok(()),
        Some((value, count)) => Err(Error::bug(format!("{} for {count} numbers", value.meta()))),
    }
}

/// Elements with mean zero and variance one, times a weight and plus a bias; their means, and what
/// they were multiplied by before.
pub(crate) fn layer_norm<T: Float>(
    native: &Native,
    rows: Rows,
    eps: T,
    values: [&Value; 3],
    outputs: [&Meta; 3],
) -> Result<Results> {
    let Rows { count, size } = rows;
    check(&values, &[count * size, size, size])?;
    let [x, weight, bias] = values.map(|value| Numbers::<T>::new(native, value));
    let (x, weight, bias) = (x?, weight?, bias?);
    let [(result, to), (means, mean_to), (rstds, rstd_to)] =
        [native.output(outputs[0])?, native.output(outputs[1])?, native.output(outputs[2])?];
    let [to, mean_to, rstd_to] =
        [to, mean_to, rstd_to].map(|writer| Shared(writer.start.get().cast::<T>()));
    let number = T::from_count(size);
    native.split(count, 3 * size, |row| {
        // SAFETY: each row lies within the values, and belongs to one task.
        unsafe {
            let x = x.run(row * size, size);
            let mean = sum(x).over(number);
            let rstd = T::ONE.over(sum_of_squares(x, mean).over(number).plus(eps).sqrt());
            let affine = [weight.run(0, size), bias.run(0, size)];
            scale(x, [mean, rstd], affine, part(to, row * size, size));
            mean_to.get().add(row).write(mean);
            rstd_to.get().add(row).write(rstd);
        }
    });
    Ok(smallvec![result, means, rstds])
}

/// The gradients of [`layer_norm`], from those of its results, its input and weight, and its second
/// and third result.
pub(crate) fn layer_norm_grad<T: Float>(
    native: &Native,
    rows: Rows,
    values: [&Value; 7],
    outputs: [&Meta; 3],
) -> Result<Results> {
    let Rows { count, size } = rows;
    check(&values, &[count * size, count, count, count * size, size, count, count])?;
    let [grad, mean_grad, rstd_grad, x, weight, mean, rstd] =
        values.map(|value| Numbers::<T>::new(native, value));
    let (grad, mean_grad, rstd_grad, x) = (grad?, mean_grad?, rstd_grad?, x?);
    let (weight, mean, rstd) = (weight?, mean?, rstd?);
    let [(for_input, to), (for_weight, weight_to), (for_bias, bias_to)] =
        [native.output(outputs[0])?, native.output(outputs[1])?, native.output(outputs[2])?];
    let [to, weight_to, bias_to] =
        [to, weight_to, bias_to].map(|writer| Shared(writer.start.get().cast::<T>()));
    let blocks = count.div_ceil(BLOCK);
    let mut partial = native.pool.take(blocks * 2 * size * size_of::<T>())?;
    let partial = Shared(partial.as_mut_ptr().expect("a pooled buffer is writable").cast::<T>());
    let number = T::from_count(size);
    native.split(blocks, 6 * BLOCK * size, |block| {
        // SAFETY: each block has sums of its own.
        let sums = unsafe { part(partial, block * 2 * size, 2 * size) };
        sums.fill(T::ZERO);
        let (of_weight, of_bias) = sums.split_at_mut(size);
        with_scratch(2 * size, |made: &mut [T]| {
            let (standard, inner) = made.split_at_mut(size);
            for row in block * BLOCK..((block + 1) * BLOCK).min(count) {
                // SAFETY: each row lies within the values, and belongs to one task.
                unsafe {
                    let at = row * size;
                    let one = |numbers: &Numbers<T>| numbers.run(row, 1)[0];
                    let (mean, rstd) = (one(&mean), one(&rstd));
                    let given = [x.run(at, size), grad.run(at, size), weight.run(0, size)];
                    let made = [&mut *standard, &mut *inner];
                    open(given, [mean, rstd], made, [&mut *of_weight, &mut *of_bias]);
                    let both = sum_of_products(inner, standard);
                    let of_standard =
                        both.plus(one(&rstd_grad).times(rstd)).times(rstd).over(number).negative();
                    let more = one(&mean_grad).minus(sum(inner).times(rstd)).over(number);
                    mix(inner, standard, [rstd, of_standard, more], part(to, at, size));
                }
            }
        });
    });
    native.split((2 * size).div_ceil(COLUMNS), blocks * COLUMNS, |task| {
        let first = task * COLUMNS;
        let len = COLUMNS.min(2 * size - first);
        let mut sums = [T::ZERO; COLUMNS];
        for block in 0..blocks {
            // SAFETY: all blocks are done, and each has so many sums.
            add(&mut sums[..len], unsafe { part(partial, block * 2 * size + first, len) });
        }
        for (place, &sum) in (first..).zip(&sums[..len]) {
            let (to, place) =
                if place < size { (weight_to, place) } else { (bias_to, place - size) };
            // SAFETY: either output has a place for each column, written once.
            unsafe { to.get().add(place).write(sum) };
        }
    });
    Ok(smallvec![for_input, for_weight, for_bias])
}
