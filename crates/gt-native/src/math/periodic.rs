//! Sine, cosine and tangent. Up to [`REACH`] the multiple of a quarter turn is taken away in three
//! parts, without branches; beyond it, with as many digits of 2/π as the number needs.

use std::hint::select_unpredictable;

use gt_core::philox::polynomial::{cos_tail_f32, cos_tail_f64, sin_tail_f32, sin_tail_f64};

use super::{ROUND_F32, ROUND_F64, exact_sum, product_error};

/// The largest number that the functions of f32 and f64 are right for; `far_…` are for the others.
pub const REACH: f64 = 1e5;

/// A quarter turn in three parts; the products of the first two with a small number are exact.
const QUARTER: [f64; 3] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];

/// The same for single precision, each as close as it can be.
const QUARTER_F32: [f32; 3] = [1.570_796_4, -4.371_139e-8, -1.715_124_5e-15];

/// An angle as a number of quarter turns and a rest of at most half of one, in two parts.
#[derive(Clone, Copy)]
struct Angle<T> {
    /// Only the last two bits count.
    quarters: u32,
    high: T,
    low: T,
}

impl<T> Angle<T> {
    /// The angle whose sine is this one's cosine.
    #[inline(always)]
    fn turned(self) -> Self {
        Angle { quarters: self.quarters.wrapping_add(1), ..self }
    }
}

/// The nearest number of quarter turns, as a float and in the low bits of the other.
#[inline(always)]
fn quarters(x: f64) -> (f64, u32) {
    let rounded = x * std::f64::consts::FRAC_2_PI + ROUND_F64;
    (rounded - ROUND_F64, rounded.to_bits() as u32)
}

#[inline(always)]
fn angle_f32(x: f32) -> Angle<f32> {
    let x = f64::from(x);
    let (k, quarters) = quarters(x);
    let rest = (x - k * QUARTER[0]) - k * QUARTER[1];
    let high = rest as f32;
    Angle { quarters, high, low: (rest - f64::from(high)) as f32 }
}

#[inline(always)]
fn angle_f64(x: f64) -> Angle<f64> {
    let (k, quarters) = quarters(x);
    let (rest, lost) = exact_sum(x - k * QUARTER[0], -(k * QUARTER[1]));
    let (high, low) = exact_sum(rest, lost - k * QUARTER[2]);
    Angle { quarters, high, low }
}

macro_rules! functions {
    ($type:ident $angle:ident $sine:ident $sin_tail:ident $cos_tail:ident $tan:ident) => {
        #[inline(always)]
        fn $sine(angle: Angle<$type>) -> $type {
            let Angle { quarters, high, low } = angle;
            let z = high * high;
            let sin = high + (high * z * $sin_tail(z) + low);
            let half = 0.5 * z;
            let about = 1.0 - half;
            let cos = about + (((1.0 - about) - half) + (z * z * $cos_tail(z) - high * low));
            let found = select_unpredictable(quarters & 1 == 0, sin, cos);
            select_unpredictable(quarters & 2 == 0, found, -found)
        }

        /// The tangent, to three units in the last place.
        #[inline(always)]
        pub fn $tan(x: $type) -> $type {
            let angle = $angle(x);
            select_unpredictable(x == 0.0, x, $sine(angle) / $sine(angle.turned()))
        }
    };
}

functions!(f32 angle_f32 sine_f32 sin_tail_f32 cos_tail_f32 tan_f32);
functions!(f64 angle_f64 sine_f64 sin_tail_f64 cos_tail_f64 tan_f64);

/// The sine, to two units in the last place.
#[inline(always)]
pub fn sin_f64(x: f64) -> f64 {
    // Also minus zero is its own sine.
    select_unpredictable(x == 0.0, x, sine_f64(angle_f64(x)))
}

/// The cosine, to two units in the last place.
#[inline(always)]
pub fn cos_f64(x: f64) -> f64 {
    sine_f64(angle_f64(x).turned())
}

/// The sine, to two units in the last place.
#[inline(always)]
pub fn sin_f32(x: f32) -> f32 {
    select_unpredictable(x == 0.0, x, turned_sine(x, 0))
}

/// The cosine, to two units in the last place.
#[inline(always)]
pub fn cos_f32(x: f32) -> f32 {
    turned_sine(x, 1)
}

/// The sine of a number and so many quarter turns.
#[inline(always)]
fn turned_sine(x: f32, turned: u32) -> f32 {
    // A number of quarter turns that is nearly the nearest is as good.
    let rounded = x.mul_add(std::f32::consts::FRAC_2_PI, ROUND_F32);
    let k = rounded - ROUND_F32;
    // The first difference is exact, and after the second the third changes only small rests.
    let rest = k.mul_add(-QUARTER_F32[0], x);
    let rest = k.mul_add(-QUARTER_F32[1], rest);
    let rest = k.mul_add(-QUARTER_F32[2], rest);
    let z = rest * rest;
    let tail = horner!(z; -0.166_666_64, 0.008_332_748, -0.000_195_878_7);
    let sin = (rest * z).mul_add(tail, rest);
    let cos = horner!(z; 1.0, -0.5, 0.041_666_664, -0.001_388_830_2, 2.454_792_2e-5);
    let quarters = rounded.to_bits().wrapping_add(turned);
    let found = select_unpredictable(quarters & 1 == 0, sin, cos);
    f32::from_bits(found.to_bits() ^ ((quarters & 2) << 30))
}

/// The sine of a number beyond [`REACH`].
pub fn far_sin(x: f64) -> f64 {
    sine_f64(far_angle(x))
}

/// The cosine of a number beyond [`REACH`].
pub fn far_cos(x: f64) -> f64 {
    sine_f64(far_angle(x).turned())
}

/// The tangent of a number beyond [`REACH`].
pub fn far_tan(x: f64) -> f64 {
    let angle = far_angle(x);
    sine_f64(angle) / sine_f64(angle.turned())
}

/// The bits of 2/π, after 64 that are zero.
const TWO_OVER_PI: [u64; 21] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// The angle of a number of at least 2¹⁶, by multiplying it with those bits of 2/π that say how far
/// it is from a whole number of turns (Payne and Hanek).
fn far_angle(x: f64) -> Angle<f64> {
    if !x.is_finite() {
        return Angle { quarters: 0, high: f64::NAN, low: 0.0 };
    }
    let bits = x.abs().to_bits();
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    // x is the mantissa times two to this power. Bits of 2/π before it less two give whole turns.
    let power = (bits >> 52) as usize - 1075 + 64 - 2;
    let word = |index: usize| {
        let (whole, shift) = (power / 64 + index, power % 64);
        let pair = u128::from(TWO_OVER_PI[whole]) << 64 | u128::from(TWO_OVER_PI[whole + 1]);
        u128::from((pair << shift >> 64) as u64)
    };
    // The product without the turns: two bits of quarter turns, and 126 behind the point.
    let low = (mantissa * word(2)) >> 64;
    let turn = ((mantissa * word(0)) << 64).wrapping_add(mantissa * word(1)).wrapping_add(low);
    let quarters = (turn.wrapping_add(1 << 125) >> 126) as u32;
    let rest = (turn << 2) as i128;
    let unit = 2f64.powi(-128);
    let high = rest as f64;
    let low = rest.wrapping_sub(high as i128) as f64 * unit;
    let high = high * unit;
    let quarter = QUARTER[0] + QUARTER[1];
    let quarter_low = (QUARTER[0] - quarter) + QUARTER[1] + QUARTER[2];
    let product = high * quarter;
    let lost = product_error(high, quarter, product) + (high * quarter_low + low * quarter);
    let (high, low) = exact_sum(product, lost);
    match x < 0.0 {
        true => Angle { quarters: quarters.wrapping_neg(), high: -high, low: -low },
        false => Angle { quarters, high, low },
    }
}

#[cfg(test)]
mod tests {
    use super::super::accuracy::*;
    use super::*;

    fn near() -> impl Iterator<Item = f64> {
        let dense = (-1_000_000..1_000_000).map(|step| f64::from(step) * 0.1 * 0.999_9);
        // Where the rest is small: multiples of a quarter turn and their neighbours.
        let zeros = (-63_000..63_000).map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2);
        let small = (-300..300).map(|k| 1.3f64.powi(k));
        dense.chain(zeros).chain(small)
    }

    fn far() -> impl Iterator<Item = f64> {
        (0..400_000)
            .map(|step| 1e5 * 1.001_7f64.powi(step) * if step % 2 == 0 { 1.0 } else { -1.0 })
    }

    #[test]
    fn single_precision_is_right_to_a_few_units() {
        type Case = (fn(f32) -> f32, fn(f64) -> f64, f64);
        let cases: [Case; 3] =
            [(sin_f32, f64::sin, 1.5), (cos_f32, f64::cos, 1.5), (tan_f32, f64::tan, 2.5)];
        for (ours, exact, limit) in cases {
            let xs = near().map(|x| x as f32).filter(|x| f64::from(x.abs()) <= REACH);
            let worst = xs.map(|x| units_f32(ours(x), exact(f64::from(x)))).fold(0.0, f64::max);
            println!("{worst}");
            assert!(worst < limit, "{worst}");
        }
    }

    #[test]
    fn double_precision_is_right_to_a_few_units() {
        type Case = (fn(f64) -> f64, fn(f64) -> f64, f64);
        let cases: [Case; 3] =
            [(sin_f64, f64::sin, 1.5), (cos_f64, f64::cos, 1.5), (tan_f64, f64::tan, 3.5)];
        for (ours, exact, limit) in cases {
            let xs = near().filter(|x| x.abs() <= REACH);
            let worst = xs.map(|x| units_f64(ours(x), exact(x))).fold(0.0, f64::max);
            println!("{worst}");
            assert!(worst < limit, "{worst}");
        }
    }

    #[test]
    fn numbers_of_any_size_have_a_sine() {
        type Case = (fn(f64) -> f64, fn(f64) -> f64, f64);
        let cases: [Case; 3] =
            [(far_sin, f64::sin, 1.5), (far_cos, f64::cos, 1.5), (far_tan, f64::tan, 3.5)];
        for (ours, exact, limit) in cases {
            let xs = far().filter(|x| x.is_finite()).chain([f64::MAX, 6_381_956_970_095_103e-3]);
            let worst = xs.map(|x| units_f64(ours(x), exact(x))).fold(0.0, f64::max);
            println!("{worst}");
            assert!(worst < limit, "{worst}");
            assert!(ours(f64::INFINITY).is_nan() && ours(f64::NAN).is_nan());
        }
        // The double closest to a multiple of a quarter turn.
        let closest = 6_381_956_970_095_103.0 * 2f64.powi(797);
        assert!(units_f64(far_cos(closest), -4.687_165_924_254_628e-19) <= 1.0);
    }
}
