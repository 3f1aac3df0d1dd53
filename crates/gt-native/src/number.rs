//! What kernels need of an element type, with PyTorch's answers: integers wrap, and comparisons
//! with NaN let it through.

use std::hint::select_unpredictable;

use gt_worker::value::Element;

use super::math;
use super::simd::vectorized;

/// A number that kernels compute with. Booleans are `u8` that are zero or one.
pub trait Number: Element + PartialOrd {
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// Smaller than all others, or equal to the smallest.
    const LOWEST: Self;
    /// Larger than all others, or equal to the largest.
    const HIGHEST: Self;
    /// Whether two numbers can be [`Number::is_far`].
    const FAR: bool;

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
    /// The quotient, rounded down, if `rest` is what a quotient cut towards zero leaves.
    fn floor_over(self, other: Self, rest: Self) -> Self;
    /// The quotient, cut towards zero.
    fn trunc_over(self, other: Self) -> Self;
    /// What a quotient cut towards zero leaves, for numbers that are not [`Number::is_far`].
    fn rest(self, other: Self) -> Self;
    /// What a quotient by `self` rounded down leaves, if cut towards zero it leaves `rest`.
    fn turned(self, rest: Self) -> Self;
    /// The same as [`Number::rest`] for any numbers, slower.
    fn any_rest(self, other: Self) -> Self;
    /// Whether the quotient is too large, or too special, for a loop without branches.
    fn is_far(self, other: Self) -> bool;
    /// The nearest whole number that is not larger.
    fn floor(self) -> Self;
    /// The nearest whole number that is not smaller.
    fn ceil(self) -> Self;
    /// The nearest whole number, and the even one of two.
    fn round(self) -> Self;
    /// The whole number next to it, towards zero.
    fn trunc(self) -> Self;
    /// Whether it is NaN.
    fn is_nan(self) -> bool;
    /// Whether it is infinite.
    fn is_infinite(self) -> bool;

    /// One, zero or minus one; zero for NaN.
    #[inline(always)]
    fn sign(self) -> Self {
        let above = if self > Self::ZERO { Self::ONE } else { Self::ZERO };
        let below = if self < Self::ZERO { Self::ONE } else { Self::ZERO };
        above.minus(below)
    }

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
    /// The whole number that it is.
    fn to_count(self) -> i64;
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
    /// `eˣ − 1`.
    fn expm1(self) -> Self;
    /// The natural logarithm of `1 + x`.
    fn log1p(self) -> Self;
    /// The logarithm to the base of two.
    fn log2(self) -> Self;
    /// The sine; see [`Float::repair`].
    fn sin(self) -> Self;
    /// The cosine; see [`Float::repair`].
    fn cos(self) -> Self;
    /// The tangent; see [`Float::repair`].
    fn tan(self) -> Self;
    /// The angle with this tangent.
    fn atan(self) -> Self;
    /// The error function.
    fn erf(self) -> Self;
    /// The number times the share of the normal distribution below it.
    fn gelu(self) -> Self;
    /// Computes the results again for numbers too far from zero for sine, cosine and tangent.
    fn repair(x: &[Self], out: &mut [Self], far: fn(f64) -> f64);
}

macro_rules! integers {
    ($($type:ty)*) => {
        $(impl Number for $type {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const LOWEST: Self = Self::MIN;
            const HIGHEST: Self = Self::MAX;
            const FAR: bool = false;

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
            #[allow(unused_comparisons, reason = "unsigned numbers take this road too")]
            fn floor_over(self, other: Self, rest: Self) -> Self {
                // Whoever divides has looked for zeros; the loop must not panic.
                let uneven = rest != 0 && (self < 0) != (other < 0);
                self.trunc_over(other).wrapping_sub(Self::from(uneven))
            }
            #[inline(always)]
            fn trunc_over(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn rest(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "unsigned numbers take this road too")]
            fn turned(self, rest: Self) -> Self {
                let opposite = rest != 0 && (rest < 0) != (self < 0);
                if opposite { rest.wrapping_add(self) } else { rest }
            }
            #[inline(always)]
            fn any_rest(self, other: Self) -> Self {
                self.rest(other)
            }
            #[inline(always)]
            fn is_far(self, _: Self) -> bool {
                false
            }
            #[inline(always)]
            fn floor(self) -> Self {
                self
            }
            #[inline(always)]
            fn ceil(self) -> Self {
                self
            }
            #[inline(always)]
            fn round(self) -> Self {
                self
            }
            #[inline(always)]
            fn trunc(self) -> Self {
                self
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
            #[inline(always)]
            fn is_infinite(self) -> bool {
                false
            }
        })*
    };
}

integers!(u8 i8 i16 i32 i64);

/// Methods that are functions of [`math`].
macro_rules! functions {
    ($($name:ident $function:path;)*) => {
        $(#[inline(always)]
        fn $name(self) -> Self {
            $function(self)
        })*
    };
}

vectorized! {
    /// Whether one of the numbers is larger than that, whatever its sign.
    fn any_beyond<T: Number>(numbers: &[T], limit: T) -> bool {
        numbers.iter().fold(false, |found, x| found | (x.size() > limit))
    }
}

macro_rules! floats {
    ($($type:ident $exp:ident $log:ident $tanh:ident $sigmoid:ident $pow:ident
        $expm1:ident $log1p:ident $log2:ident $sin:ident $cos:ident $tan:ident $atan:ident
        $erf:ident $gelu:ident $rest:ident $is_far:ident;)*) => {
        $(impl Number for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const LOWEST: Self = Self::NEG_INFINITY;
            const HIGHEST: Self = Self::INFINITY;
            const FAR: bool = true;

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
            fn floor_over(self, other: Self, rest: Self) -> Self {
                let quotient = self / other;
                let whole = (self - rest) / other;
                let below = other.turned(rest) != rest;
                let whole = select_unpredictable(below, whole - 1.0, whole);
                // The division may have rounded a whole number to just below it.
                let floor = whole.floor();
                let floor = select_unpredictable(whole - floor > 0.5, floor + 1.0, floor);
                let zero = (0.0 as $type).copysign(quotient);
                let floor = select_unpredictable(whole == 0.0, zero, floor);
                select_unpredictable(other == 0.0, quotient, floor)
            }
            #[inline(always)]
            fn trunc_over(self, other: Self) -> Self {
                (self / other).trunc()
            }
            #[inline(always)]
            fn rest(self, other: Self) -> Self {
                math::rest::$rest(self, other)
            }
            #[inline(always)]
            fn turned(self, rest: Self) -> Self {
                let opposite = (rest != 0.0) & ((rest < 0.0) != (self < 0.0));
                select_unpredictable(opposite, rest + self, rest)
            }
            // Inlined, it would be computed for every pair and chosen afterwards.
            #[inline(never)]
            fn any_rest(self, other: Self) -> Self {
                self % other
            }
            #[inline(always)]
            fn is_far(self, other: Self) -> bool {
                math::rest::$is_far(self, other)
            }
            #[inline(always)]
            fn floor(self) -> Self {
                self.floor()
            }
            #[inline(always)]
            fn ceil(self) -> Self {
                self.ceil()
            }
            #[inline(always)]
            fn round(self) -> Self {
                self.round_ties_even()
            }
            #[inline(always)]
            fn trunc(self) -> Self {
                self.trunc()
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            #[inline(always)]
            fn is_infinite(self) -> bool {
                self.abs() == Self::INFINITY
            }
        }

        impl Float for $type {
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn to_count(self) -> i64 {
                self as i64
            }

            #[inline(always)]
            fn from_count(count: usize) -> Self {
                count as $type
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            functions! {
                exp math::$exp;
                log math::$log;
                tanh math::$tanh;
                sigmoid math::$sigmoid;
                expm1 math::$expm1;
                log1p math::$log1p;
                log2 math::$log2;
                sin math::periodic::$sin;
                cos math::periodic::$cos;
                tan math::periodic::$tan;
                atan math::angle::$atan;
                erf math::error::$erf;
                gelu math::error::$gelu;
            }
            fn repair(x: &[Self], out: &mut [Self], far: fn(f64) -> f64) {
                let is_far = |x: &$type| x.abs() > math::periodic::REACH as $type;
                if any_beyond(x, math::periodic::REACH as $type) {
                    for (out, x) in out.iter_mut().zip(x).filter(|(_, x)| is_far(x)) {
                        *out = far(*x as f64) as $type;
                    }
                }
            }
        })*
    };
}

floats! {
    f32 exp_f32 log_f32 tanh_f32 sigmoid_f32 pow_f32
        expm1_f32 log1p_f32 log2_f32 sin_f32 cos_f32 tan_f32 atan_f32 erf_f32 gelu_f32
        rest_f32 is_far_f32;
    f64 exp_f64 log_f64 tanh_f64 sigmoid_f64 pow_f64
        expm1_f64 log1p_f64 log2_f64 sin_f64 cos_f64 tan_f64 atan_f64 erf_f64 gelu_f64
        rest_f64 is_far_f64;
}
