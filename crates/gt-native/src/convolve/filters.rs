//! The gradient of filters: sums over all positions of all images. They are taken in chunks of
//! images that depend on sizes alone, so that no bit depends on the number of threads.

use gt_core::dtype::DType;
use gt_core::error::Result;
use gt_core::shape::Meta;

use super::stencil::{Band, Stencil};
use super::{Lanes, Native, SLACK, Shared, Vectors, Work, with_scratch};

/// About how many positions are summed before lanes are added up.
const POSITIONS: usize = 2048;
/// At most so many sums are kept apart.
const CHUNKS: usize = 16;

/// Some images, or a band of one.
#[derive(Clone, Copy)]
struct Unit {
    image: usize,
    count: usize,
    band: Band,
}

/// The filters, from images and results.
pub(super) fn sum<T: Vectors>(
    native: &Native,
    stencil: &Stencil,
    [images, results]: [&[T]; 2],
    (target, dtype): (Shared<T>, DType),
) -> Result<()> {
    let stacked = stencil.stacked(POSITIONS);
    let (pass, bands) = (&stencil.passes[0], stencil.bands());
    let starts = (0..stencil.images).step_by(stacked);
    let units = starts.flat_map(|image| {
        let count = stacked.min(stencil.images - image);
        bands.iter().map(move |&band| Unit { image, count, band })
    });
    let units: Vec<Unit> = units.collect();
    let chunks = units.len().clamp(1, CHUNKS);
    let offsets = stencil.offsets(pass, stacked);
    let size = stencil.made * offsets.len();
    let kept = Meta::new(dtype, [stencil.groups * chunks * size]);
    let (_parts, writer) = native.output(&kept)?;
    let parts = Shared(writer.start.get().cast::<T>());
    native.threads.share(stencil.groups * chunks, |task| {
        let (group, chunk) = (task / chunks, task % chunks);
        // SAFETY: each task has a part of its own.
        let part = unsafe { std::slice::from_raw_parts_mut(parts.get().add(task * size), size) };
        part.fill(T::ZERO);
        let at = |chunk: usize| units.len() * chunk / chunks;
        let task = Task { stencil, offsets: &offsets, stacked, group, images, results };
        for &unit in &units[at(chunk)..at(chunk + 1)] {
            task.add(unit, part);
        }
    });
    for group in 0..stencil.groups {
        // SAFETY: all parts are written, and the output has so many numbers.
        let (parts, out) = unsafe {
            let parts = parts.get().add(group * chunks * size);
            (
                std::slice::from_raw_parts(parts, chunks * size),
                std::slice::from_raw_parts_mut(target.get().add(group * size), size),
            )
        };
        out.copy_from_slice(&parts[..size]);
        for part in parts[size..].chunks_exact(size) {
            out.iter_mut().zip(part).for_each(|(out, &part)| *out = out.plus(part));
        }
    }
    Ok(())
}

struct Task<'a, T> {
    stencil: &'a Stencil,
    offsets: &'a [usize],
    stacked: usize,
    group: usize,
    images: &'a [T],
    results: &'a [T],
}

impl<T: Vectors> Task<'_, T> {
    /// Adds the sums of some images to a part.
    fn add(&self, unit: Unit, part: &mut [T]) {
        let Task { stencil, stacked, .. } = *self;
        let height = stencil.height() * stencil.pitch();
        let planes = stencil.planes_len(stacked);
        let len = ((unit.count - 1) * stencil.height() + unit.band.rows) * stencil.pitch();
        let row = (stacked * height).next_multiple_of(SLACK);
        with_scratch(planes + stencil.made * row, |scratch: &mut [T]| {
            let (planes, grads) = scratch.split_at_mut(planes);
            self.lay_out(unit, planes, grads, row);
            let sums = Sums {
                grads,
                planes,
                offsets: self.offsets,
                row,
                len,
                made: stencil.made,
                part: Shared(part.as_mut_ptr()),
            };
            // Beyond the end of a row, an input is multiplied by zero, which is zero for numbers
            // that are finite.
            let odd = |odd: bool, number: &T| odd | number.is_nan() | number.is_infinite();
            if !planes.iter().fold(false, odd) {
                return T::with_lanes(&sums);
            }
            self.add_exactly(unit, &sums, part);
        });
    }

    /// Brings images into planes, and results into rows of the same length, with zeros between.
    fn lay_out(&self, unit: Unit, planes: &mut [T], grads: &mut [T], row: usize) {
        let Task { stencil, stacked, group, .. } = *self;
        let height = stencil.height() * stencil.pitch();
        let channel = stencil.plane_len() * stacked;
        planes.fill(T::ZERO);
        grads.fill(T::ZERO);
        let [tall, wide] = stencil.output;
        let input = stencil.given * stencil.input[0] * stencil.input[1];
        for index in 0..unit.count {
            let plane = (unit.image + index) * stencil.groups + group;
            let image = &self.images[plane * input..][..input];
            stencil.fill(unit.band, image, &mut planes[index * height..], channel);
            for made in 0..stencil.made {
                let from = &self.results[(plane * stencil.made + made) * tall * wide..];
                let from = &from[unit.band.first * wide..][..unit.band.rows * wide];
                let to = &mut grads[made * row + index * height..];
                for (to, from) in to.chunks_mut(stencil.pitch()).zip(from.chunks_exact(wide)) {
                    to[..wide].copy_from_slice(from);
                }
            }
        }
    }

    /// The same, with the positions that count and no others.
    fn add_exactly(&self, unit: Unit, sums: &Sums<T>, part: &mut [T]) {
        let (pitch, wide) = (self.stencil.pitch(), self.stencil.output[1]);
        for (index, part) in part.iter_mut().enumerate() {
            let (made, offset) =
                (index / sums.offsets.len(), sums.offsets[index % sums.offsets.len()]);
            for image in 0..unit.count {
                for row in 0..unit.band.rows {
                    let at = (image * self.stencil.height() + row) * pitch;
                    let grads = &sums.grads[made * sums.row + at..][..wide];
                    let inputs = &sums.planes[offset + at..][..wide];
                    for (&grad, &input) in grads.iter().zip(inputs) {
                        *part = part.plus(grad.times(input));
                    }
                }
            }
        }
    }
}

/// Products of rows of results with rows of planes.
struct Sums<'a, T> {
    grads: &'a [T],
    planes: &'a [T],
    offsets: &'a [usize],
    /// The distance between rows of results, and how much of them is read.
    row: usize,
    len: usize,
    made: usize,
    part: Shared<T>,
}

impl<T: Vectors> Work<T> for Sums<'_, T> {
    #[inline(always)]
    unsafe fn run<V: Lanes<Number = T>>(&self) {
        // SAFETY: the caller knows that the processor has the instructions.
        unsafe {
            match V::REGISTERS {
                24.. => self.tiles::<V, 4, 6>(),
                _ => self.tiles::<V, 3, 4>(),
            }
        }
    }
}

impl<T: Vectors> Sums<'_, T> {
    #[inline(always)]
    unsafe fn tiles<V: Lanes<Number = T>, const M: usize, const N: usize>(&self) {
        let count = self.offsets.len();
        for first in (0..count).step_by(N) {
            for made in (0..self.made).step_by(M) {
                // At the border some are computed again, and not added.
                let rows: [usize; M] =
                    std::array::from_fn(|row| (made + row).min(self.made - 1) * self.row);
                let columns: [usize; N] =
                    std::array::from_fn(|column| self.offsets[(first + column).min(count - 1)]);
                // SAFETY: rows have zeros up to a multiple of every vector's length, and so much
                // may be read beyond the planes.
                let sums = unsafe { self.tile::<V, M, N>(rows, columns) };
                for (row, sums) in sums.iter().enumerate().take(self.made - made) {
                    for (column, &sum) in sums.iter().enumerate().take(count - first) {
                        // SAFETY: the part has a number for each channel and offset.
                        unsafe {
                            let place = (made + row) * count + first + column;
                            let place = self.part.get().add(place);
                            *place = (*place).plus(sum);
                        }
                    }
                }
            }
        }
    }

    #[allow(clippy::needless_range_loop, reason = "loops over registers unroll by index")]
    #[inline(always)]
    unsafe fn tile<V: Lanes<Number = T>, const M: usize, const N: usize>(
        &self,
        rows: [usize; M],
        columns: [usize; N],
    ) -> [[T; N]; M] {
        // SAFETY: as promised by the caller.
        unsafe {
            let (grads, planes) = (self.grads.as_ptr(), self.planes.as_ptr());
            let mut sums = [[V::splat(T::ZERO); N]; M];
            for at in (0..self.len).step_by(V::COUNT) {
                let mut inputs = [V::splat(T::ZERO); N];
                for column in 0..N {
                    inputs[column] = V::load(planes.add(columns[column] + at));
                }
                for row in 0..M {
                    let grad = V::load(grads.add(rows[row] + at));
                    for column in 0..N {
                        sums[row][column] = sums[row][column].add_product(grad, inputs[column]);
                    }
                }
            }
            let mut totals = [[T::ZERO; N]; M];
            for row in 0..M {
                for column in 0..N {
                    totals[row][column] = total(sums[row][column]);
                }
            }
            totals
        }
    }
}

/// The sum of all lanes: halves are added until one is left.
#[inline(always)]
unsafe fn total<V: Lanes>(sum: V) -> V::Number {
    use crate::number::Number;
    let mut lanes = [V::Number::ZERO; 16];
    // SAFETY: no vector has more numbers.
    unsafe { sum.store(lanes.as_mut_ptr()) };
    let mut count = V::COUNT;
    while count > 1 {
        count /= 2;
        for lane in 0..count {
            lanes[lane] = lanes[lane].plus(lanes[lane + count]);
        }
    }
    lanes[0]
}
