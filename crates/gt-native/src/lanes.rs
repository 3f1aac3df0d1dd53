//! Vectors of a processor's own width, for kernels whose sums have to stay in registers. Such a
//! kernel is written once over [`Lanes`]; which width runs is decided at run time, once a call.

#[cfg(target_arch = "x86_64")]
use super::cpu::Cpu;
use super::number::{Float, Number};

/// As many numbers as the processor computes with at a time.
///
/// # Safety
/// The methods may be called only where the processor has the instructions that the type stands
/// for, and with pointers to [`Lanes::COUNT`] numbers.
pub(super) unsafe trait Lanes: Copy {
    /// What they are vectors of.
    type Number: Vectors;
    /// How many numbers.
    const COUNT: usize;
    /// How many vectors stay in registers at once, besides those that are loaded.
    const REGISTERS: usize;
    /// How many runs [`Lanes::turn`] turns around.
    const TURNED: usize = 4;

    /// The same number in every lane.
    unsafe fn splat(number: Self::Number) -> Self;
    /// Numbers that lie one after another.
    unsafe fn load(start: *const Self::Number) -> Self;
    /// Puts them one after another.
    unsafe fn store(self, start: *mut Self::Number);
    /// `self + a · b`.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
    /// `self + other`.
    unsafe fn plus(self, other: Self) -> Self;

    /// Copies [`Lanes::TURNED`] runs of as many numbers, `step` apart, as runs `width` apart of the
    /// first, second, … of them.
    #[inline(always)]
    unsafe fn turn(from: *const Self::Number, step: isize, to: *mut Self::Number, width: usize) {
        // SAFETY: as promised by the caller.
        unsafe { Self::Number::turn(from, step, to, width) }
    }

    /// `sum + a · b` of single numbers, with the bits of a lane.
    #[inline(always)]
    unsafe fn add_one(sum: Self::Number, a: Self::Number, b: Self::Number) -> Self::Number {
        // SAFETY: as promised by the caller.
        unsafe { Self::splat(sum).add_product(Self::splat(a), Self::splat(b)).first() }
    }

    /// The number in the first lane.
    #[inline(always)]
    unsafe fn first(self) -> Self::Number {
        let mut lanes = [Self::Number::ZERO; MOST_LANES];
        // SAFETY: as promised by the caller; there is room for the widest vector.
        unsafe { self.store(lanes.as_mut_ptr()) };
        lanes[0]
    }
}

/// The most numbers in a vector.
const MOST_LANES: usize = 16;

/// Work that is computed with vectors of any width.
pub(super) trait Work<T: Vectors> {
    /// Does it. Everything in it must be `#[inline(always)]`, or it is not compiled along.
    ///
    /// # Safety
    /// The processor has the instructions of `V`.
    unsafe fn run<V: Lanes<Number = T>>(&self);
}

/// A number with vectors of several widths.
pub(super) trait Vectors: Float {
    /// Runs some work with the widest vectors that the processor has.
    fn with_lanes(work: &impl Work<Self>);

    /// Copies four runs of four numbers, `step` apart, as four runs `width` apart of the first,
    /// second, third and fourth of them.
    ///
    /// # Safety
    /// The numbers are there, and so is room for them.
    #[inline(always)]
    unsafe fn turn(from: *const Self, step: isize, to: *mut Self, width: usize) {
        for run in 0..4 {
            for number in 0..4 {
                // SAFETY: as promised by the caller.
                unsafe {
                    *to.add(number * width + run) = *from.offset(run as isize * step).add(number)
                };
            }
        }
    }
}

macro_rules! vectors {
    ($number:ty: $plain:expr, $medium:ident, $wide:ident $(, $turn:item)?) => {
        impl Vectors for $number {
            fn with_lanes(work: &impl Work<Self>) {
                #[cfg(target_arch = "x86_64")]
                match Cpu::used() {
                    // SAFETY: the processor has these instructions.
                    Cpu::Avx512 => return unsafe { x86::run_wide::<$number, x86::$wide>(work) },
                    // SAFETY: the processor has these instructions.
                    Cpu::Avx2 => return unsafe { x86::run_medium::<$number, x86::$medium>(work) },
                    Cpu::Portable => {}
                }
                // SAFETY: every processor has these instructions.
                unsafe { work.run::<Plain<$number, $plain>>() }
            }

            $(#[cfg(target_arch = "x86_64")]
            #[inline(always)]
            $turn)?
        }
    };
}

vectors!(f32: 4, M8, M16,
unsafe fn turn(from: *const f32, step: isize, to: *mut f32, width: usize) {
    use std::arch::x86_64::*;
    // SAFETY: as promised by the caller; every processor of this architecture can do this.
    unsafe {
        let run = |index: isize| _mm_loadu_ps(from.wrapping_offset(index * step));
        let (a, b, c, d) = (run(0), run(1), run(2), run(3));
        let (low, high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
        let (next_low, next_high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
        _mm_storeu_ps(to, _mm_movelh_ps(low, next_low));
        _mm_storeu_ps(to.add(width), _mm_movehl_ps(next_low, low));
        _mm_storeu_ps(to.add(2 * width), _mm_movelh_ps(high, next_high));
        _mm_storeu_ps(to.add(3 * width), _mm_movehl_ps(next_high, high));
    }
});
vectors!(f64: 2, D4, D8);

/// Runs some work on pairs of bfloat16, of which each is in the place of one number.
///
/// # Safety
/// The processor has products of pairs; see [`super::cpu::has_pairs`].
pub(super) unsafe fn with_pairs(work: &impl Work<f32>) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as promised by the caller.
    unsafe {
        x86::run_pairs(work);
    }
    #[cfg(not(target_arch = "x86_64"))]
    unreachable!("{} has no products of pairs", size_of_val(work));
}

/// Vectors for any processor, in the form in which a compiler finds them.
#[derive(Clone, Copy)]
pub(super) struct Plain<T, const N: usize>([T; N]);

// SAFETY: every processor can do this.
unsafe impl<T: Vectors, const N: usize> Lanes for Plain<T, N> {
    type Number = T;
    const COUNT: usize = N;
    const REGISTERS: usize = 12;

    #[inline(always)]
    unsafe fn splat(number: T) -> Self {
        Plain([number; N])
    }

    #[inline(always)]
    unsafe fn load(start: *const T) -> Self {
        // SAFETY: the caller gives the place of so many numbers.
        Plain(unsafe { start.cast::<[T; N]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, start: *mut T) {
        // SAFETY: as above.
        unsafe { start.cast::<[T; N]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        Plain(std::array::from_fn(|lane| self.0[lane].plus(a.0[lane].times(b.0[lane]))))
    }

    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        Plain(std::array::from_fn(|lane| self.0[lane].plus(other.0[lane])))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Lanes, Vectors, Work};

    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn run_wide<T: Vectors, V: Lanes<Number = T>>(work: &impl Work<T>) {
        // SAFETY: the caller knows that the processor has the instructions.
        unsafe { work.run::<V>() }
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn run_medium<T: Vectors, V: Lanes<Number = T>>(work: &impl Work<T>) {
        // SAFETY: the caller knows that the processor has the instructions.
        unsafe { work.run::<V>() }
    }

    #[target_feature(enable = "avx512f,avx512bf16")]
    pub(super) unsafe fn run_pairs(work: &impl Work<f32>) {
        // SAFETY: the caller knows that the processor has the instructions.
        unsafe { work.run::<P16>() }
    }

    macro_rules! lanes {
        (
            $(#[$doc:meta])*
            $name:ident($vector:ty) of $count:literal $number:ty, $registers:literal;
            $splat:ident $load:ident $store:ident $add_product:expr, $plus:ident
            $(; $turn:ident of $turned:literal)?
        ) => {
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub(super) struct $name($vector);

            // SAFETY: it is used only where the processor has these instructions.
            unsafe impl Lanes for $name {
                type Number = $number;
                const COUNT: usize = $count;
                const REGISTERS: usize = $registers;
                $(const TURNED: usize = $turned;

                #[inline(always)]
                unsafe fn turn(from: *const $number, step: isize, to: *mut $number, width: usize) {
                    // SAFETY: as promised by the caller.
                    unsafe { $turn(from, step, to, width) }
                })?

                #[inline(always)]
                unsafe fn splat(number: $number) -> Self {
                    // SAFETY: as promised by the caller, here and below.
                    $name(unsafe { $splat(number) })
                }

                #[inline(always)]
                unsafe fn load(start: *const $number) -> Self {
                    // SAFETY: as above.
                    $name(unsafe { $load(start) })
                }

                #[inline(always)]
                unsafe fn store(self, start: *mut $number) {
                    // SAFETY: as above.
                    unsafe { $store(start, self.0) }
                }

                #[inline(always)]
                unsafe fn add_product(self, a: Self, b: Self) -> Self {
                    // SAFETY: as above.
                    $name(unsafe { $add_product(a.0, b.0, self.0) })
                }

                #[inline(always)]
                unsafe fn plus(self, other: Self) -> Self {
                    // SAFETY: as above.
                    $name(unsafe { $plus(self.0, other.0) })
                }
            }
        };
    }

    lanes! {
        /// AVX2 with fused products.
        M8(__m256) of 8 f32, 12;
        _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_fmadd_ps, _mm256_add_ps; turn_8 of 8
    }
    lanes! {
        /// AVX2 with fused products.
        D4(__m256d) of 4 f64, 12;
        _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_fmadd_pd, _mm256_add_pd
    }
    lanes! {
        /// AVX-512.
        M16(__m512) of 16 f32, 24;
        _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_fmadd_ps, _mm512_add_ps; turn_8 of 8
    }
    lanes! {
        /// AVX-512.
        D8(__m512d) of 8 f64, 24;
        _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_fmadd_pd, _mm512_add_pd
    }
    lanes! {
        /// AVX-512 with products of pairs of bfloat16, each in the place of one number.
        P16(__m512) of 16 f32, 24;
        _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps add_pairs, _mm512_add_ps; turn_8 of 8
    }

    /// Turns eight runs of eight numbers around.
    ///
    /// # Safety
    /// The processor has AVX2, the numbers are there, and so is room for them.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn turn_8(from: *const f32, step: isize, to: *mut f32, width: usize) {
        // SAFETY: as promised by the caller.
        unsafe {
            for half in 0..2 {
                // The same half of two runs that are four apart makes one vector, so that what is
                // left to do stays within the halves of vectors.
                let run = |index: isize| {
                    let start = from.wrapping_offset(index * step).wrapping_add(4 * half);
                    let other = start.wrapping_offset(4 * step);
                    let low = _mm256_castps128_ps256(_mm_loadu_ps(start));
                    _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(other))
                };
                let (a, b, c, d) = (run(0), run(1), run(2), run(3));
                let (low, high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
                let (next_low, next_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
                let to = to.add(4 * half * width);
                _mm256_storeu_ps(to, _mm256_shuffle_ps::<0x44>(low, next_low));
                _mm256_storeu_ps(to.add(width), _mm256_shuffle_ps::<0xee>(low, next_low));
                _mm256_storeu_ps(to.add(2 * width), _mm256_shuffle_ps::<0x44>(high, next_high));
                _mm256_storeu_ps(to.add(3 * width), _mm256_shuffle_ps::<0xee>(high, next_high));
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bf16")]
    fn add_pairs(a: __m512, b: __m512, sum: __m512) -> __m512 {
        // SAFETY: both types are 512 bits, and every pattern of them is a value of the other.
        let [a, b] = [a, b].map(|pairs| unsafe { std::mem::transmute::<__m512, __m512bh>(pairs) });
        _mm512_dpbf16_ps(sum, a, b)
    }
}
