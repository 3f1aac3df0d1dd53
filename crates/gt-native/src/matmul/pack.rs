//! Copies parts of a matrix into panels, which the innermost loop of a product reads in order.

use crate::lanes::{Lanes, Vectors};
use crate::number::Number;

/// How many numbers of each run are copied at a time: a cache line of single precision.
const CHUNK: usize = 16;

/// Copies `depth` rows of a whole panel, `step` apart.
///
/// # Safety
/// The rows are there, and so is room for them.
#[inline(always)]
pub unsafe fn copy<V: Lanes, const C: usize>(
    source: *const V::Number,
    step: isize,
    depth: usize,
    to: *mut V::Number,
) {
    for row in 0..depth {
        for index in 0..C {
            let from = source.wrapping_offset(row as isize * step).wrapping_add(index * V::COUNT);
            // SAFETY: the rows are there, and so is room for them.
            unsafe { V::load(from).store(to.add((row * C + index) * V::COUNT)) };
        }
    }
}

/// Copies `count` runs of `depth` numbers into a panel that is `width` wide; what the panel has
/// beyond them is zero.
///
/// # Safety
/// The runs are there, and so is room for the panel.
#[inline(always)]
pub unsafe fn pack<V: Lanes>(
    source: *const V::Number,
    [across, along]: [isize; 2],
    [count, depth]: [usize; 2],
    width: usize,
    to: *mut V::Number,
) {
    let at = |run: usize, number: usize| {
        source.wrapping_offset(run as isize * across + number as isize * along)
    };
    let place = |run: usize, number: usize| to.wrapping_add(number * width + run);
    // So many runs lie as whole blocks of eight or four, which are copied or turned around at once.
    let blocks = if across == 1 || along == 1 { count / 4 * 4 } else { 0 };
    let mut first = 0;
    while first < depth {
        let end = depth.min(first + CHUNK);
        if along == 1 && end < depth {
            // The runs are too many for the processor to see where each goes on.
            (0..count).for_each(|run| expect_reads(at(run, end)));
        }
        let mut run = 0;
        while run < blocks {
            let is_wide = run + V::TURNED <= blocks;
            let runs = if is_wide { V::TURNED } else { 4 };
            let mut number = first;
            // SAFETY: so many runs of numbers are there, and so is their place in the panel.
            unsafe {
                if across == 1 {
                    for number in first..end {
                        let four = at(run, number).cast::<[V::Number; 4]>().read_unaligned();
                        place(run, number).cast::<[V::Number; 4]>().write_unaligned(four);
                    }
                    run += 4;
                    continue;
                }
                while number + runs <= end {
                    match is_wide {
                        true => V::turn(at(run, number), across, place(run, number), width),
                        false => {
                            V::Number::turn(at(run, number), across, place(run, number), width);
                        }
                    }
                    number += runs;
                }
                for number in number..end {
                    (run..run + runs).for_each(|run| *place(run, number) = *at(run, number));
                }
            }
            run += runs;
        }
        first = end;
    }
    if blocks == width {
        return;
    }
    for number in 0..depth {
        for run in blocks..width {
            // SAFETY: the number is there if the run is, and the panel has room for it.
            unsafe {
                let there = if run < count { *at(run, number) } else { V::Number::ZERO };
                *place(run, number) = there;
            }
        }
    }
}

/// Has a cache line brought near.
#[inline(always)]
fn expect_reads<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that could be seen, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
