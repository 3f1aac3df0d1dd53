//! Convolutions and their adjoints without their windows. Images are brought, band by band, into
//! planes with their padding, in which the input of every element under a filter lies at a fixed
//! distance from the output. A product of matrices then reads its columns straight from there.

mod filters;
mod stencil;

use gt_core::error::{Error, Result};
use gt_core::shape::Meta;
use gt_core::whole::{Convolve, Convolved};
use gt_worker::value::Value;

use super::lanes::{Lanes, Vectors, Work};
use super::scratch::with_scratch;
use super::tile::Shared;
use super::{Native, movement};
use stencil::{Band, Pass, Stencil};

/// How many channels of the result are packed together.
const BLOCK: usize = 8;
/// How many vectors of positions are computed at a time.
const VECTORS: usize = 3;
/// What may be read beyond the last plane, and the most positions that are computed at a time.
const SLACK: usize = VECTORS * 16;

/// One convolution, or one of its adjoints.
pub(super) fn convolve<T: Vectors>(
    native: &Native,
    conv: &Convolve,
    [first, second]: [&Value; 2],
    out: &Meta,
) -> Result<Value> {
    let first = movement::contiguous(native, first)?;
    let second = movement::contiguous(native, second)?;
    let (result, writer) = native.output(out)?;
    if out.shape.count() == 0 {
        return Ok(result);
    }
    let target = Shared(writer.start.get().cast::<T>());
    let (Some(given), Some(other)) = (first.slice::<T>(), second.slice::<T>()) else {
        let (first, second) = (first.meta(), second.meta());
        return Err(Error::bug(format!("a convolution of {first} and {second} in {}", out.dtype)));
    };
    match conv.makes {
        Convolved::Filters => {
            let stencil = Stencil::forward(conv, first.shape(), &out.shape, second.shape());
            filters::sum(native, &stencil, [given, other], (target, out.dtype))?;
        }
        Convolved::Results => {
            let stencil = Stencil::forward(conv, first.shape(), second.shape(), &out.shape);
            let packed = pack(&stencil, |made, given, tap| {
                other[(made * stencil.given + given) * stencil.taps + tap]
            });
            slide(native, &stencil, &packed, given, target);
        }
        Convolved::Images => {
            let stencil = Stencil::adjoint(conv, first.shape(), second.shape(), &out.shape);
            let packed = pack(&stencil, |made, given, tap| {
                let group = made / stencil.made;
                let filter = group * stencil.given + given;
                other[(filter * stencil.made + made % stencil.made) * stencil.taps + tap]
            });
            slide(native, &stencil, &packed, given, target);
        }
    }
    Ok(result)
}

/// The filters in the order in which they are read: for each group, pass and block of channels of
/// the result, for each element under a filter the numbers of the block. `filter` gives the number
/// for a channel of all results, a channel of a group, and an element of the window.
fn pack<T: Vectors>(stencil: &Stencil, filter: impl Fn(usize, usize, usize) -> T) -> Vec<T> {
    let mut packed = Vec::with_capacity(stencil.groups * stencil.packed_len());
    for group in 0..stencil.groups {
        for pass in &stencil.passes {
            for block in (0..stencil.made).step_by(BLOCK) {
                for given in 0..stencil.given {
                    for tap in &pass.taps {
                        packed.extend((block..block + BLOCK).map(|made| match made {
                            made if made < stencil.made => {
                                filter(group * stencil.made + made, given, tap.element)
                            }
                            _ => T::ZERO,
                        }));
                    }
                }
            }
        }
    }
    packed
}

/// Computes the output band by band.
fn slide<T: Vectors>(
    native: &Native,
    stencil: &Stencil,
    packed: &[T],
    given: &[T],
    target: Shared<T>,
) {
    let bands = stencil.bands();
    let offsets: Vec<Vec<usize>> =
        stencil.passes.iter().map(|pass| stencil.offsets(pass, 1)).collect();
    let tasks = stencil.images * stencil.groups * bands.len();
    native.split(tasks, stencil.work(), |task| {
        let (plane, band) = (task / bands.len(), bands[task % bands.len()]);
        let group = plane % stencil.groups;
        let len = stencil.input[0] * stencil.input[1] * stencil.given;
        let input = &given[plane * len..][..len];
        with_scratch(stencil.given * stencil.plane_len() + SLACK, |planes: &mut [T]| {
            stencil.fill(band, input, planes, stencil.plane_len());
            let size = stencil.output[0] * stencil.output[1];
            T::with_lanes(&Slide {
                stencil,
                band,
                offsets: &offsets,
                packed: &packed[group * stencil.packed_len()..][..stencil.packed_len()],
                planes,
                // SAFETY: each plane of the output belongs to one image and group, and each band
                // has rows of its own.
                target: unsafe { target.get().add(plane * stencil.made * size) },
            });
        });
    });
}

/// What is computed of one image and group, for one band.
struct Slide<'a, T> {
    stencil: &'a Stencil,
    band: Band,
    offsets: &'a [Vec<usize>],
    packed: &'a [T],
    planes: &'a [T],
    target: *mut T,
}

impl<T: Vectors> Work<T> for Slide<'_, T> {
    #[inline(always)]
    unsafe fn run<V: Lanes<Number = T>>(&self) {
        let mut packed = self.packed;
        for (pass, offsets) in self.stencil.passes.iter().zip(self.offsets) {
            let len = offsets.len() * self.stencil.made.next_multiple_of(BLOCK);
            let (own, rest) = packed.split_at(len);
            packed = rest;
            // SAFETY: the caller knows that the processor has the instructions.
            unsafe { self.pass::<V>(pass, offsets, own) };
        }
    }
}

impl<T: Vectors> Slide<'_, T> {
    #[inline(always)]
    unsafe fn pass<V: Lanes<Number = T>>(&self, pass: &Pass, offsets: &[usize], packed: &[T]) {
        let Some((first, end)) = self.stencil.positions(pass, self.band) else { return };
        let step = VECTORS * V::COUNT;
        let wide = V::REGISTERS >= BLOCK * VECTORS;
        let mut sums = [T::ZERO; BLOCK * SLACK];
        for position in (first..end).step_by(step) {
            let mut channel = 0;
            while channel < self.stencil.made {
                let left = self.stencil.made - channel;
                let block = &packed[channel / BLOCK * BLOCK * offsets.len()..];
                let block = &block[(channel % BLOCK).min(block.len())..];
                // SAFETY: every position is within the planes, or at most `SLACK` beyond, and a
                // block has `BLOCK` numbers for each offset.
                let count = unsafe {
                    let from = self.planes.as_ptr().add(position);
                    match left {
                        8.. if wide && channel.is_multiple_of(BLOCK) => {
                            multiply::<V, 8>(block.as_ptr(), offsets, from, &mut sums)
                        }
                        4.. => multiply::<V, 4>(block.as_ptr(), offsets, from, &mut sums),
                        2.. => multiply::<V, 2>(block.as_ptr(), offsets, from, &mut sums),
                        _ => multiply::<V, 1>(block.as_ptr(), offsets, from, &mut sums),
                    }
                };
                let size = self.stencil.output[0] * self.stencil.output[1];
                let range = (position, (position + step).min(end));
                let made = sums.chunks_exact(step).take(count);
                // SAFETY: the output has so many channels, and the pass has places for these
                // positions within a plane.
                unsafe {
                    let planes = self.target.add(channel * size);
                    self.stencil.write(pass, self.band, range, made, planes);
                }
                channel += count;
            }
        }
    }
}

/// For `M` channels and [`VECTORS`] vectors of positions the sums over all elements under a filter.
/// Gives the number of channels.
#[allow(clippy::needless_range_loop, reason = "loops over registers unroll by index")]
#[inline(always)]
unsafe fn multiply<V: Lanes, const M: usize>(
    block: *const V::Number,
    offsets: &[usize],
    from: *const V::Number,
    to: &mut [V::Number; BLOCK * SLACK],
) -> usize {
    // SAFETY: as promised by the caller.
    unsafe {
        let mut sums = [[V::splat(<V::Number as super::number::Number>::ZERO); VECTORS]; M];
        for (element, &offset) in offsets.iter().enumerate() {
            let from = from.add(offset);
            let inputs: [V; VECTORS] =
                [V::load(from), V::load(from.add(V::COUNT)), V::load(from.add(2 * V::COUNT))];
            for channel in 0..M {
                let factor = V::splat(*block.add(element * BLOCK + channel));
                for vector in 0..VECTORS {
                    sums[channel][vector] =
                        sums[channel][vector].add_product(factor, inputs[vector]);
                }
            }
        }
        let mut to = to.as_mut_ptr();
        for channel in 0..M {
            for vector in 0..VECTORS {
                sums[channel][vector].store(to);
                to = to.add(V::COUNT);
            }
        }
    }
    M
}
