//! What kernels need of an element type, with PyTorch's answers: integers wrap, and comparisons
//! with NaN let it through.

use std::hint::select_unpredictable;

use half::{bf16, f16};

use super::math;
use crate::value::Element;

/// A number that kernels compute with. Booleans are `u8` that are zero or one.
pub trait Number: Element + PartialOrd {
    /// Zero.
    const ZERO: Self;
    /// Smaller than all others, or equal to the smallest.
    const LOWEST: Self;
    /// Larger than all others, or equal to the largest.
    const HIGHEST: Self;

    /// `self + other`.
    fn plus(self, other: Self) -> Self;
    /// `self − other`.
    fn minus(self, other: Self) -> Self;
    /// `self · other`.
    fn times(self, other: Self) -> Self;
    /// `−self`.
    fn negative(self) -> Self;
    /// The distance from zero.
    fn size(self) -> Self;
    /// `self` to the power of `other`.
    fn power(self, other: Self) -> Self;
    /// Whether it is NaN.
    fn is_nan(self) -> bool;

    /// The larger of both; NaN if one is.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // A choice and not a branch, which would keep the loop from becoming a vector.
        select_unpredictable((self > other) | self.is_nan(), self, other)
    }

    /// The smaller of both; NaN if one is.
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        select_unpredictable((self < other) | self.is_nan(), self, other)
    }
}

/// A number with fractions.
pub trait Float: Number {
    /// `self / other`.
    fn over(self, other: Self) -> Self;
    /// The nearest number to a count.
    fn from_count(count: usize) -> Self;
    /// `eˣ`.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn log(self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The hyperbolic tangent.
    fn tanh(self) -> Self;
    /// `1 / (1 + e⁻ˣ)`.
    fn sigmoid(self) -> Self;
}

macro_rules! integers {
    ($($type:ty)*) => {
        $(impl Number for $type {
            const ZERO: Self = 0;
            const LOWEST: Self = Self::MIN;
            const HIGHEST: Self = Self::MAX;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn negative(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "unsigned numbers take this road too")]
            fn size(self) -> Self {
                if self < 0 { self.wrapping_neg() } else { self }
            }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "unsigned numbers take this road too")]
            fn power(self, other: Self) -> Self {
                if other < 0 {
                    // One over a whole number, cut towards zero.
                    return match self {
                        1 => 1,
                        _ if self.wrapping_add(1) == 0 => if other % 2 == 0 { 1 } else { self },
                        _ => 0,
                    };
                }
                let (mut result, mut square, mut left) = (1, self, other);
                while left > 0 {
                    if left % 2 == 1 {
                        result = square.wrapping_mul(result);
                    }
                    square = square.wrapping_mul(square);
                    left /= 2;
                }
                result
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
        })*
    };
}

integers!(u8 i8 i16 i32 i64);

macro_rules! floats {
    ($($type:ident $exp:ident $log:ident $tanh:ident $sigmoid:ident $pow:ident;)*) => {
        $(impl Number for $type {
            const ZERO: Self = 0.0;
            const LOWEST: Self = Self::NEG_INFINITY;
            const HIGHEST: Self = Self::INFINITY;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn negative(self) -> Self {
                -self
            }
            #[inline(always)]
            fn size(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn power(self, other: Self) -> Self {
                math::$pow(self, other)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
        }

        impl Float for $type {
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn from_count(count: usize) -> Self {
                count as $type
            }
            #[inline(always)]
            fn exp(self) -> Self {
                math::$exp(self)
            }
            #[inline(always)]
            fn log(self) -> Self {
                math::$log(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn tanh(self) -> Self {
                math::$tanh(self)
            }
            #[inline(always)]
            fn sigmoid(self) -> Self {
                math::$sigmoid(self)
            }
        })*
    };
}

floats! {
    f32 exp_f32 log_f32 tanh_f32 sigmoid_f32 pow_f32;
    f64 exp_f64 log_f64 tanh_f64 sigmoid_f64 pow_f64;
}

/// A 16-bit float. Kernels compute in f32 and round the result once.
pub trait Half: Element {
    /// Widens a run of numbers.
    fn widen(from: &[Self], to: &mut [f32]);
    /// Rounds a run of numbers.
    fn narrow(from: &[f32], to: &mut [Self]);
    /// Rounds one number.
    fn rounded(x: f32) -> Self;
    /// Widens one number.
    fn widened(self) -> f32;
}

impl Half for f16 {
    fn widen(from: &[Self], to: &mut [f32]) {
        half::slice::HalfFloatSliceExt::convert_to_f32_slice(from, to);
    }

    fn narrow(from: &[f32], to: &mut [Self]) {
        half::slice::HalfFloatSliceExt::convert_from_f32_slice(to, from);
    }

    fn rounded(x: f32) -> Self {
        f16::from_f32(x)
    }

    fn widened(self) -> f32 {
        self.to_f32()
    }
}

super::simd::vectorized! {
    fn widen_bf16(from: &[bf16], to: &mut [f32]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = f32::from_bits(u32::from(from.to_bits()) << 16);
        }
    }
}

super::simd::vectorized! {
    fn narrow_bf16(from: &[f32], to: &mut [bf16]) {
        for (to, from) in to.iter_mut().zip(from) {
            let bits = from.to_bits();
            // Half a unit, and to even at a tie. NaN would overflow into another number.
            let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
            let quiet = bits >> 16 | 0x40;
            *to = bf16::from_bits(if from.is_nan() { quiet } else { rounded } as u16);
        }
    }
}

impl Half for bf16 {
    fn widen(from: &[Self], to: &mut [f32]) {
        widen_bf16(from, to);
    }

    fn narrow(from: &[f32], to: &mut [Self]) {
        narrow_bf16(from, to);
    }

    fn rounded(x: f32) -> Self {
        bf16::from_f32(x)
    }

    fn widened(self) -> f32 {
        self.to_f32()
    }
}
