//! Copies parts of a matrix into panels, which the innermost loop of a product reads in order.

use crate::engine::native::lanes::{Lanes, Vectors};

/// How much is turned around at a time: a cache line of single precision.
const TURNED: usize = 16;

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
pub unsafe fn pack<T: Vectors>(
    source: *const T,
    [across, along]: [isize; 2],
    [count, depth]: [usize; 2],
    width: usize,
    to: *mut T,
) {
    let at = |run: usize, number: usize| {
        source.wrapping_offset(run as isize * across + number as isize * along)
    };
    let groups = if across == 1 || along == 1 { count / 4 } else { 0 };
    let mut first = 0;
    while first < depth {
        let end = depth.min(first + TURNED);
        if along == 1 && end < depth {
            // The runs are too many for the processor to see where each goes on.
            (0..count).for_each(|run| expect_reads(at(run, end)));
        }
        for group in 0..groups {
            let mut number = first;
            // SAFETY: four runs of four numbers are there, and so is their place in the panel.
            unsafe {
                if across == 1 {
                    for number in first..end {
                        let four = at(4 * group, number).cast::<[T; 4]>().read_unaligned();
                        to.add(number * width + 4 * group).cast::<[T; 4]>().write_unaligned(four);
                    }
                    number = end;
                }
                while number + 4 <= end {
                    let to = to.add(number * width + 4 * group);
                    T::turn(at(4 * group, number), across, to, width);
                    number += 4;
                }
                for number in number..end {
                    for run in 4 * group..4 * group + 4 {
                        *to.add(number * width + run) = *at(run, number);
                    }
                }
            }
        }
        first = end;
    }
    if 4 * groups == width {
        return;
    }
    for number in 0..depth {
        for run in 4 * groups..width {
            // SAFETY: the number is there if the run is, and the panel has room for it.
            unsafe {
                let number_there = if run < count { *at(run, number) } else { T::ZERO };
                *to.add(number * width + run) = number_there;
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
