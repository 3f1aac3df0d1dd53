//! The largest element under each position of a window, without laying the windows out.

use std::sync::atomic::{AtomicBool, Ordering};

use gt_core::error::{Error, Result};
use gt_core::kernel::WindowSpec;
use gt_core::shape::{Meta, Shape};
use gt_worker::engine::Results;
use gt_worker::value::Value;
use smallvec::smallvec;

use super::number::Float;
use super::scratch::with_scratch;
use super::simd::vectorized;
use super::tile::Shared;
use super::{Native, movement};

/// A window over planes of `sizes`, with `positions` in each direction.
struct Window<'a> {
    spec: &'a WindowSpec,
    planes: usize,
    sizes: [usize; 2],
    positions: [usize; 2],
}

impl<'a> Window<'a> {
    fn new(spec: &'a WindowSpec, images: &Shape, results: &Shape) -> Result<Self> {
        let (&[.., height, width], &[.., rows, columns]) = (&**images, &**results) else {
            return Err(Error::bug(format!("a window over {images}")));
        };
        let window = Window {
            spec,
            planes: images[..images.rank() - 2].iter().product(),
            sizes: [height, width],
            positions: [rows, columns],
        };
        let fits = |axis: usize| spec.positions(axis, window.sizes[axis]) == window.positions[axis];
        match spec.size.len() == 2 && fits(0) && fits(1) {
            true => Ok(window),
            false => Err(Error::bug(format!("a window of {spec:?} from {images} to {results}"))),
        }
    }

    /// Where an element of the window at a position lies along an axis.
    fn place(&self, axis: usize, position: usize, element: usize) -> Option<usize> {
        let at = position * self.spec.stride[axis] + element * self.spec.dilation[axis];
        at.checked_sub(self.spec.padding[axis]).filter(|&at| at < self.sizes[axis])
    }

    /// The first element of the window that lies within the plane; zero if none does.
    fn first(&self, axis: usize, position: usize) -> usize {
        let mut elements = 0..self.spec.size[axis];
        elements.find(|&element| self.place(axis, position, element).is_some()).unwrap_or(0)
    }

    /// The columns at which an element of the window lies within the plane.
    fn span(&self, element: usize) -> (usize, usize) {
        let stride = self.spec.stride[1];
        let shift = element * self.spec.dilation[1];
        let padding = self.spec.padding[1];
        let left = padding.saturating_sub(shift).div_ceil(stride);
        let right = (self.sizes[1] + padding).saturating_sub(shift).div_ceil(stride);
        (left.min(self.positions[1]), right.min(self.positions[1]))
    }

    /// Calls `each` for every element of the window at a row of positions that meets the plane: its
    /// number, the columns at which it does, and where the first of these is in the plane.
    fn for_elements(&self, row: usize, mut each: impl FnMut(usize, (usize, usize), usize)) {
        for down in 0..self.spec.size[0] {
            let Some(top) = self.place(0, row, down) else { continue };
            for right in 0..self.spec.size[1] {
                let (first, end) = self.span(right);
                let left = self.place(1, first, right).filter(|_| first < end);
                if let Some(left) = left {
                    let element = down * self.spec.size[1] + right;
                    each(element, (first, end), top * self.sizes[1] + left);
                }
            }
        }
    }
}

/// The better of two, and its place in the window.
#[inline(always)]
fn keep_better<T: Float>(x: T, element: T, best: &mut T, at: &mut T) {
    let better = (x > *best) | (x.is_nan() & !best.is_nan());
    *best = std::hint::select_unpredictable(better, x, *best);
    *at = std::hint::select_unpredictable(better, element, *at);
}

vectorized! {
    fn keep_larger<T: Float>(x: &[T], element: T, best: &mut [T], at: &mut [T]) {
        for ((&x, best), at) in x.iter().zip(best).zip(at) {
            keep_better(x, element, best, at);
        }
    }
}

vectorized! {
    fn keep_larger_of_pairs<T: Float>(x: &[[T; 2]], element: T, best: &mut [T], at: &mut [T]) {
        for ((x, best), at) in x.iter().zip(best).zip(at) {
            keep_better(x[0], element, best, at);
        }
    }
}

/// Keeps what is better at every `stride`-th number.
fn keep<T: Float>(x: &[T], stride: usize, element: T, best: &mut [T], at: &mut [T]) {
    let done = match stride {
        1 => {
            keep_larger(x, element, best, at);
            best.len()
        }
        2 => {
            let (pairs, _) = x.as_chunks::<2>();
            keep_larger_of_pairs(pairs, element, best, at);
            pairs.len().min(best.len())
        }
        _ => 0,
    };
    let rest = x.iter().step_by(stride).skip(done);
    for ((&x, best), at) in rest.zip(&mut best[done..]).zip(&mut at[done..]) {
        keep_better(x, element, best, at);
    }
}

/// The largest elements, and their places in the window.
pub(super) fn max_pool<T: Float>(
    native: &Native,
    spec: &WindowSpec,
    x: &Value,
    [out, places]: [&Meta; 2],
) -> Result<Results> {
    let window = Window::new(spec, x.shape(), &out.shape)?;
    let x = movement::contiguous(native, x)?;
    let wrong = || Error::bug(format!("a window over {}", x.meta()));
    let numbers = x.slice::<T>().ok_or_else(wrong)?;
    let (result, writer) = native.output(out)?;
    let (found, place_writer) = native.output(places)?;
    let target = Shared(writer.start.get().cast::<T>());
    let place_target = Shared(place_writer.start.get().cast::<i64>());
    let ([height, width], [rows, columns]) = (window.sizes, window.positions);
    let work = rows * columns * (spec.size[0] * spec.size[1] + 1);
    let firsts: Vec<usize> = (0..columns).map(|column| window.first(1, column)).collect();
    native.split(window.planes, work, |plane| {
        let from = &numbers[plane * height * width..][..height * width];
        with_scratch(columns, |at: &mut [T]| {
            for row in 0..rows {
                let start = (plane * rows + row) * columns;
                // SAFETY: each plane of the outputs is written by one task.
                let (best, places) = unsafe {
                    (
                        std::slice::from_raw_parts_mut(target.get().add(start), columns),
                        std::slice::from_raw_parts_mut(place_target.get().add(start), columns),
                    )
                };
                best.fill(T::LOWEST);
                let top = window.first(0, row) * spec.size[1];
                for (at, &first) in at.iter_mut().zip(&firsts) {
                    *at = T::from_count(top + first);
                }
                window.for_elements(row, |element, (first, end), place| {
                    let (best, at) = (&mut best[first..end], &mut at[first..end]);
                    let element = T::from_count(element);
                    keep(&from[place..], spec.stride[1], element, best, at);
                });
                for (place, &at) in places.iter_mut().zip(at.iter()) {
                    *place = at.to_count();
                }
            }
        });
    });
    Ok(smallvec![result, found])
}

/// The gradient of [`max_pool`], which goes to the places.
pub(super) fn max_pool_grad<T: Float>(
    native: &Native,
    spec: &WindowSpec,
    [grad, places]: [&Value; 2],
    out: &Meta,
) -> Result<Results> {
    let window = Window::new(spec, &out.shape, grad.shape())?;
    let [grad, places] =
        [movement::contiguous(native, grad)?, movement::contiguous(native, places)?];
    let wrong = || Error::bug(format!("{} at {}", grad.meta(), places.meta()));
    let grads = grad.slice::<T>().ok_or_else(wrong)?;
    let found = places.slice::<i64>().filter(|found| found.len() == grads.len());
    let found = found.ok_or_else(wrong)?;
    let (result, writer) = native.output(out)?;
    let target = Shared(writer.start.get().cast::<T>());
    let ([height, width], [rows, columns]) = (window.sizes, window.positions);
    let outside = AtomicBool::new(false);
    let elements =
        (0..spec.size[0]).flat_map(|down| (0..spec.size[1]).map(move |right| (down, right)));
    let elements: Vec<(usize, usize)> = elements.collect();
    native.split(window.planes, rows * columns + height * width, |plane| {
        // SAFETY: each plane of the output is written by one task.
        let to = unsafe {
            let start = target.get().add(plane * height * width);
            std::slice::from_raw_parts_mut(start, height * width)
        };
        to.fill(T::ZERO);
        for row in 0..rows {
            let start = (plane * rows + row) * columns;
            let found = grads[start..start + columns].iter().zip(&found[start..]);
            for (column, (&grad, &place)) in found.enumerate() {
                let element = usize::try_from(place).ok().and_then(|place| elements.get(place));
                let Some(&(down, right)) = element else {
                    outside.store(true, Ordering::Relaxed);
                    continue;
                };
                let (top, left) = (window.place(0, row, down), window.place(1, column, right));
                if let (Some(top), Some(left)) = (top, left) {
                    let to = &mut to[top * width + left];
                    *to = to.plus(grad);
                }
            }
        }
    });
    match outside.into_inner() {
        true => {
            let elements = elements.len();
            Err(Error::index(format!("a place is not one of the window's {elements}")))
        }
        false => Ok(smallvec![result]),
    }
}
