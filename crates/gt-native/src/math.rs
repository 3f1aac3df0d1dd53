//! Functions of one number from additions, multiplications, divisions, square roots and bit
//! operations only: the same bits on every machine, and without branches, so that loops over them
//! become vectors. Errors are below 2.5 units in the last place unless said.
//!
//! Coefficients were fitted in Chebyshev nodes with 60 digits. A product and a sum are rounded once
//! where `mul_add` says so, and nowhere else.

/// A polynomial, the constant first; each product and sum is rounded once.
macro_rules! horner {
    ($x:expr; $last:expr) => { $last };
    ($x:expr; $first:expr, $($rest:expr),+) => {
        $x.mul_add(horner!($x; $($rest),+), $first)
    };
}

#[cfg(test)]
mod accuracy;
pub mod angle;
pub mod error;
pub mod periodic;
pub mod rest;

use gt_core::philox::polynomial::{
    ln_f32, ln_f64, ln_mantissa_f32, ln_mantissa_f64, ln_tail_f64, split_f32, split_f64,
};

const LOG2E: f64 = std::f64::consts::LOG2_E;

/// Adding this rounds to a whole number, which then stands in the low bits.
const ROUND_F32: f32 = 12_582_912.0;
const ROUND_F64: f64 = 6_755_399_441_055_744.0;

/// ln 2 in two parts; the product of the first with a small whole number is exact.
const LN2_F32: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];
const LN2_F64: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// `x = k·ln 2 + r`: the whole number `k`, the power `k` stands for, and `eʳ − 1`.
#[inline(always)]
fn reduce_f32(x: f32) -> (i32, f32) {
    let rounded = x.mul_add(LOG2E as f32, ROUND_F32);
    let k = rounded - ROUND_F32;
    let r = k.mul_add(-LN2_F32[1], k.mul_add(-LN2_F32[0], x));
    let square = r * r;
    let tail = horner!(r; 0.5, 0.166_665_76, 0.041_666_552, 0.008_363_334, 0.001_392_637_6);
    let whole = (rounded.to_bits() as i32).wrapping_sub(ROUND_F32.to_bits() as i32);
    (whole, square.mul_add(tail, r))
}

/// The same in double precision, of `x + low`; `k` stays a float.
#[inline(always)]
fn reduce_f64(x: f64, low: f64) -> (f64, f64) {
    let k = (x * LOG2E + ROUND_F64) - ROUND_F64;
    let r = ((x - k * LN2_F64[0]) - k * LN2_F64[1]) + low;
    let r2 = r * r;
    let (r4, r8) = (r2 * r2, r2 * r2 * (r2 * r2));
    let low = (0.5 + r * 0.166_666_666_666_666_7)
        + r2 * (0.041_666_666_666_666_67 + r * 0.008_333_333_333_325_985);
    let middle = (0.001_388_888_888_888_364_2 + r * 0.000_198_412_698_753_421_41)
        + r2 * (2.480_158_732_592_016_3e-5 + r * 2.755_725_474_040_541_6e-6);
    let high = (2.755_727_317_194_102_6e-7 + r * 2.510_549_090_698_669_6e-8)
        + r2 * 2.091_488_256_348_507e-9;
    let tail = low + r4 * middle + r8 * high;
    (k, r + r2 * tail)
}

#[inline(always)]
fn power_of_two_f32(k: i32) -> f32 {
    f32::from_bits((k.wrapping_add(127) as u32) << 23)
}

#[inline(always)]
fn power_of_two_f64(k: f64) -> f64 {
    f64::from_bits((k + ROUND_F64).to_bits().wrapping_add(1023) << 52)
}

/// `eˣ`.
#[inline(always)]
pub fn exp_f32(x: f32) -> f32 {
    // Comparisons written so that NaN passes through.
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -105.0 { -105.0 } else { x };
    let (k, grown) = reduce_f32(x);
    // Two factors, because the power itself may be too large or too small for a normal number.
    let half = k >> 1;
    (1.0 + grown) * power_of_two_f32(half) * power_of_two_f32(k.wrapping_sub(half))
}

/// `eˣ`.
#[inline(always)]
pub fn exp_f64(x: f64) -> f64 {
    exp_sum_f64(x, 0.0)
}

/// `eˣ` of a sum whose second part is tiny.
#[inline(always)]
fn exp_sum_f64(x: f64, low: f64) -> f64 {
    // Far outside, the second part of a product may be anything.
    let low = if x.abs() > 746.0 { 0.0 } else { low };
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let (k, grown) = reduce_f64(x, low);
    let half = (k * 0.5 + ROUND_F64) - ROUND_F64;
    (1.0 + grown) * power_of_two_f64(half) * power_of_two_f64(k - half)
}

/// The natural logarithm.
#[inline(always)]
pub fn log_f32(x: f32) -> f32 {
    let tiny = x < f32::MIN_POSITIVE;
    let normal = if tiny { x * 33_554_432.0 } else { x };
    let shift = if tiny { 25.0 * std::f32::consts::LN_2 } else { 0.0 };
    let found = ln_f32(normal) - shift;
    let found = if x < f32::INFINITY { found } else { x };
    let found = if x == 0.0 { f32::NEG_INFINITY } else { found };
    if x < 0.0 { f32::NAN } else { found }
}

/// The natural logarithm.
#[inline(always)]
pub fn log_f64(x: f64) -> f64 {
    let tiny = x < f64::MIN_POSITIVE;
    let normal = if tiny { x * 18_014_398_509_481_984.0 } else { x };
    let shift = if tiny { 54.0 * std::f64::consts::LN_2 } else { 0.0 };
    let found = ln_f64(normal) - shift;
    let found = if x < f64::INFINITY { found } else { x };
    let found = if x == 0.0 { f64::NEG_INFINITY } else { found };
    if x < 0.0 { f64::NAN } else { found }
}

/// `eˣ − 1`, to three units in the last place.
#[inline(always)]
pub fn expm1_f32(x: f32) -> f32 {
    let near = if x > 89.0 { 89.0 } else { x };
    let near = if near < -18.0 { -18.0 } else { near };
    let (k, grown) = reduce_f32(near);
    // What is taken away is one in the unit of the power, so that nothing is lost near zero.
    let one = power_of_two_f32(-k.min(64));
    let half = k >> 1;
    let power = [power_of_two_f32(half), power_of_two_f32(k.wrapping_sub(half))];
    ((grown + (1.0 - one)) * power[0] * power[1]).copysign(x)
}

/// `eˣ − 1`, to three units in the last place.
#[inline(always)]
pub fn expm1_f64(x: f64) -> f64 {
    let near = if x > 710.0 { 710.0 } else { x };
    let near = if near < -40.0 { -40.0 } else { near };
    let (k, grown) = reduce_f64(near, 0.0);
    let one = power_of_two_f64(-if k > 128.0 { 128.0 } else { k });
    let half = (k * 0.5 + ROUND_F64) - ROUND_F64;
    let power = [power_of_two_f64(half), power_of_two_f64(k - half)];
    ((grown + (1.0 - one)) * power[0] * power[1]).copysign(x)
}

macro_rules! log1p {
    ($name:ident $type:ident $ln:ident) => {
        /// The natural logarithm of `1 + x`.
        #[inline(always)]
        pub fn $name(x: $type) -> $type {
            let sum = 1.0 + x;
            // What the rounding of the sum lost changes the logarithm by so much.
            let lost = if x < 1.0 { x - (sum - 1.0) } else { 1.0 - (sum - x) };
            let found = ($ln(sum) + lost / sum).copysign(x);
            let found = if x < $type::INFINITY { found } else { x };
            let found = if x == -1.0 { $type::NEG_INFINITY } else { found };
            if x < -1.0 { $type::NAN } else { found }
        }
    };
}

log1p!(log1p_f32 f32 ln_f32);
log1p!(log1p_f64 f64 ln_f64);

/// The logarithm to the base of two.
#[inline(always)]
pub fn log2_f32(x: f32) -> f32 {
    let tiny = x < f32::MIN_POSITIVE;
    let (exponent, mantissa) = split_f32(if tiny { x * 33_554_432.0 } else { x });
    let found =
        ln_mantissa_f32(mantissa) * LOG2E as f32 + if tiny { exponent - 25.0 } else { exponent };
    let found = if x < f32::INFINITY { found } else { x };
    let found = if x == 0.0 { f32::NEG_INFINITY } else { found };
    if x < 0.0 { f32::NAN } else { found }
}

/// The logarithm to the base of two.
#[inline(always)]
pub fn log2_f64(x: f64) -> f64 {
    let tiny = x < f64::MIN_POSITIVE;
    let (exponent, mantissa) = split_f64(if tiny { x * 18_014_398_509_481_984.0 } else { x });
    let found = ln_mantissa_f64(mantissa) * LOG2E + if tiny { exponent - 54.0 } else { exponent };
    let found = if x < f64::INFINITY { found } else { x };
    let found = if x == 0.0 { f64::NEG_INFINITY } else { found };
    if x < 0.0 { f64::NAN } else { found }
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh_f32(x: f32) -> f32 {
    let twice = 2.0 * x.abs();
    let twice = if twice > 20.0 { 20.0 } else { twice };
    let (k, grown) = reduce_f32(twice);
    let power = power_of_two_f32(k);
    // e²ˣ − 1 without taking one from a number close to it.
    let grown = power.mul_add(grown, power - 1.0);
    (grown / (grown + 2.0)).copysign(x)
}

/// The hyperbolic tangent, to four units in the last place.
#[inline(always)]
pub fn tanh_f64(x: f64) -> f64 {
    let twice = 2.0 * x.abs();
    let twice = if twice > 40.0 { 40.0 } else { twice };
    let (k, grown) = reduce_f64(twice, 0.0);
    let power = power_of_two_f64(k);
    let grown = power * grown + (power - 1.0);
    (grown / (grown + 2.0)).copysign(x)
}

/// `1 / (1 + e⁻ˣ)`.
#[inline(always)]
pub fn sigmoid_f32(x: f32) -> f32 {
    // The exponential of a negative number never overflows, and keeps small results exact.
    let shrunk = exp_f32(-x.abs());
    let above = if x < 0.0 { shrunk } else { 1.0 };
    above / (1.0 + shrunk)
}

/// `1 / (1 + e⁻ˣ)`.
#[inline(always)]
pub fn sigmoid_f64(x: f64) -> f64 {
    let shrunk = exp_f64(-x.abs());
    let above = if x < 0.0 { shrunk } else { 1.0 };
    above / (1.0 + shrunk)
}

/// `x` to the power of `y`, with C's answers for special values.
#[inline(always)]
pub fn pow_f32(x: f32, y: f32) -> f32 {
    let (base, exponent) = (f64::from(x.abs()), f64::from(y));
    let logarithm = ln_f64(base);
    let logarithm = if base == 0.0 { f64::NEG_INFINITY } else { logarithm };
    let logarithm = if base < f64::INFINITY { logarithm } else { base };
    let size = exp_f64(exponent * logarithm);
    signed_power(f64::from(x), exponent, size) as f32
}

/// `x` to the power of `y`, with C's answers for special values; to 8 units in the last place
/// where the result is close to the largest or smallest number.
#[inline(always)]
pub fn pow_f64(x: f64, y: f64) -> f64 {
    let base = x.abs();
    // Beyond this the result is zero, one or infinite; splitting larger numbers would overflow.
    let exponent = if y > 1e22 { 1e22 } else { y };
    let exponent = if exponent < -1e22 { -1e22 } else { exponent };
    let (high, low) = log_parts_f64(base);
    let product = exponent * high;
    let rest = product_error(exponent, high, product) + exponent * low;
    let size = exp_sum_f64(product, rest);
    let edge = if base == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    let at_edge = if edge * y > 0.0 { f64::INFINITY } else { 0.0 };
    let size = if base == 0.0 || base == f64::INFINITY { at_edge } else { size };
    let size = if base.is_nan() { base } else { size };
    signed_power(x, y, size)
}

/// The logarithm of a positive finite number as a sum of two.
#[inline(always)]
fn log_parts_f64(x: f64) -> (f64, f64) {
    let tiny = x < f64::MIN_POSITIVE;
    let (k, mantissa) = split_f64(if tiny { x * 18_014_398_509_481_984.0 } else { x });
    let k = if tiny { k - 54.0 } else { k };
    let f = mantissa - 1.0;
    let below = mantissa + 1.0;
    let below_low =
        if mantissa < 1.0 { mantissa - (below - 1.0) } else { 1.0 - (below - mantissa) };
    let s = f / below;
    let product = s * below;
    let rest = ((f - product) - product_error(s, below, product)) - s * below_low;
    let z = s * s;
    let curved = s * z * ln_tail_f64(z) + 2.0 * (rest / below);
    let (high, low) = exact_sum(2.0 * s, curved);
    let (whole, carried) = exact_sum(k * LN2_F64[0], high);
    exact_sum(whole, carried + low + k * LN2_F64[1])
}

/// A rounded sum and what the rounding lost.
#[inline(always)]
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let taken = sum - a;
    (sum, (a - (sum - taken)) + (b - taken))
}

/// What the rounding of `product = a · b` lost.
#[inline(always)]
fn product_error(a: f64, b: f64, product: f64) -> f64 {
    let ((a, a_low), (b, b_low)) = (halves(a), halves(b));
    ((a * b - product) + a * b_low + a_low * b) + a_low * b_low
}

/// A number as the sum of two with half as many bits.
#[inline(always)]
fn halves(x: f64) -> (f64, f64) {
    let high = f64::from_bits(x.to_bits() & !((1 << 27) - 1));
    (high, x - high)
}

/// `size` with the sign, or the special value, that the power of `x` to `y` has.
#[inline(always)]
fn signed_power(x: f64, y: f64, size: f64) -> f64 {
    let whole = y == y.trunc();
    let half = y * 0.5;
    let odd = whole && half != half.trunc();
    let size = if y.is_nan() { y } else { size };
    let size = if x.abs() == 1.0 && !y.is_nan() { 1.0 } else { size };
    let signed = if x.is_sign_negative() && odd { -size } else { size };
    let finite = x.abs() < f64::INFINITY;
    let signed = if x < 0.0 && !whole && finite { f64::NAN } else { signed };
    if y == 0.0 || x == 1.0 { 1.0 } else { signed }
}

#[cfg(test)]
mod tests {
    use super::accuracy::*;
    use super::*;

    #[test]
    fn single_precision_is_right_to_a_few_units() {
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let found = [
            worst_f32(exp_f32, f64::exp),
            worst_f32(log_f32, f64::ln),
            worst_f32(tanh_f32, f64::tanh),
            worst_f32(sigmoid_f32, sigmoid),
            worst_f32(expm1_f32, f64::exp_m1),
            worst_f32(log1p_f32, f64::ln_1p),
            worst_f32(log2_f32, f64::log2),
        ];
        println!("{found:?}");
        assert!(
            found
                .iter()
                .zip([1.1, 1.1, 2.5, 2.5, 3.0, 1.6, 2.5])
                .all(|(found, limit)| *found < limit)
        );
    }

    #[test]
    fn double_precision_is_right_to_a_few_units() {
        let sigmoid = |x: f64| if x < -700.0 { x.exp() } else { 1.0 / (1.0 + (-x).exp()) };
        let found = [
            worst_f64(exp_f64, f64::exp),
            worst_f64(log_f64, f64::ln),
            worst_f64(tanh_f64, f64::tanh),
            worst_f64(sigmoid_f64, sigmoid),
            worst_f64(expm1_f64, f64::exp_m1),
            worst_f64(log1p_f64, f64::ln_1p),
            worst_f64(log2_f64, f64::log2),
        ];
        println!("{found:?}");
        assert!(
            found
                .iter()
                .zip([1.5, 1.5, 4.5, 3.5, 3.5, 2.0, 3.0])
                .all(|(found, limit)| *found < limit)
        );
    }

    #[test]
    fn powers_are_right() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let (mut single, mut double, mut extreme) = (0.0f64, 0.0f64, 0.0f64);
        for _ in 0..1_000_000 {
            let (x, y) = (next() * 20.0, next() * 20.0 - 10.0);
            let (a, b) = (x as f32, y as f32);
            single = single.max(units_f32(pow_f32(a, b), f64::from(a).powf(f64::from(b))));
            double = double.max(units_f64(pow_f64(x, y), x.powf(y)));
            let (x, y) = (next() * 1e10, next() * 64.0 - 32.0);
            extreme = extreme.max(units_f64(pow_f64(x, y), x.powf(y)));
        }
        println!("{single} {double} {extreme}");
        assert!(single < 0.51 && double < 2.0 && extreme < 8.0);
    }

    #[test]
    fn powers_of_special_values_are_those_of_c() {
        let inf = f64::INFINITY;
        let special = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            2.0,
            -2.0,
            3.0,
            -3.0,
            0.5,
            -0.5,
            1.5,
            inf,
            -inf,
            f64::NAN,
            1e300,
            -1e300,
            1e-310,
            -7.25,
            9_007_199_254_740_993.0,
            1e22,
            -1e25,
        ];
        for x in special {
            for y in special {
                let (found, exact) = (pow_f64(x, y), x.powf(y));
                assert!(units_f64(found, exact) < 8.0, "{x} to {y}: {found}, not {exact}");
                assert!(exact.is_nan() || found.is_sign_negative() == exact.is_sign_negative());
                let (x, y) = (x as f32, y as f32);
                let (found, exact) = (pow_f32(x, y), f64::from(x).powf(f64::from(y)));
                assert!(units_f32(found, exact) < 0.51, "{x} to {y}: {found}, not {exact}");
            }
        }
    }

    #[test]
    fn special_values_pass_through() {
        assert_eq!(exp_f32(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp_f32(f32::INFINITY), f32::INFINITY);
        assert_eq!((exp_f32(0.0), exp_f64(0.0)), (1.0, 1.0));
        assert!(exp_f32(f32::NAN).is_nan() && tanh_f64(f64::NAN).is_nan());
        assert_eq!(log_f32(0.0), f32::NEG_INFINITY);
        assert!(log_f32(-1.0).is_nan() && log_f64(-f64::INFINITY).is_nan());
        assert_eq!((tanh_f32(f32::INFINITY), tanh_f32(-50.0)), (1.0, -1.0));
        assert!(tanh_f32(-0.0).is_sign_negative());
        assert_eq!((sigmoid_f32(f32::NEG_INFINITY), sigmoid_f64(1e9)), (0.0, 1.0));
        assert_eq!((expm1_f32(f32::NEG_INFINITY), expm1_f64(f64::INFINITY)), (-1.0, f64::INFINITY));
        assert_eq!((log1p_f32(-1.0), log1p_f64(f64::INFINITY)), (f32::NEG_INFINITY, f64::INFINITY));
        assert!(
            log1p_f32(-1.5).is_nan() && log2_f64(-1.0).is_nan() && expm1_f64(f64::NAN).is_nan()
        );
        assert!(log1p_f64(-0.0).is_sign_negative() && expm1_f32(-0.0).is_sign_negative());
        assert_eq!((log2_f32(0.0), log2_f64(8.0), log2_f32(0.125)), (f32::NEG_INFINITY, 3.0, -3.0));
        assert_eq!((log2_f64(2f64.powi(-1070)), log2_f32(2f32.powi(-140))), (-1070.0, -140.0));
    }
}
