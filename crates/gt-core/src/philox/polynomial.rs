//! Logarithm, sine and cosine from additions, multiplications, divisions and bit operations only:
//! the same bits on every machine, and without branches, so that loops over them become vectors.
//!
//! Coefficients were fitted in Chebyshev nodes with 60 digits. Products are never contracted.

use std::f32::consts as single;
use std::f64::consts as double;

/// The high part of ln 2: few enough bits that its product with an exponent is exact.
const LN2_HIGH_F32: f32 = 0.693_145_75;
const LN2_LOW_F32: f32 = 1.428_606_8e-6;
const LN2_HIGH_F64: f64 = 0.693_147_180_369_123_8;
const LN2_LOW_F64: f64 = 1.908_214_929_270_587_7e-10;

/// The value of a polynomial whose coefficients are given from the constant on.
#[doc(hidden)]
#[macro_export]
macro_rules! polynomial {
    ($x:expr; $last:expr) => { $last };
    ($x:expr; $first:expr, $($rest:expr),+) => {
        $first + $x * $crate::polynomial!($x; $($rest),+)
    };
}

/// The natural logarithm of a normal positive number, to about one unit in the last place.
#[inline(always)]
pub fn ln_f32(x: f32) -> f32 {
    let (exponent, mantissa) = split_f32(x);
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let tail = z * ln_tail_f32(z);
    // f − s·(f − tail) is 2s + s·tail, but exact in its first term.
    f - (s * (f - tail) - exponent * LN2_LOW_F32) + exponent * LN2_HIGH_F32
}

/// The natural logarithm of a number between √½ and √2.
#[inline(always)]
pub fn ln_mantissa_f32(x: f32) -> f32 {
    let f = x - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    f - s * (f - z * ln_tail_f32(z))
}

/// The natural logarithm of a number between √½ and √2.
#[inline(always)]
pub fn ln_mantissa_f64(x: f64) -> f64 {
    let f = x - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    f - s * (f - z * ln_tail_f64(z))
}

/// The exponent and the mantissa, between √½ and √2, of a normal positive number: so numbers near
/// one have the exponent zero.
#[inline(always)]
pub fn split_f32(x: f32) -> (f32, f32) {
    const ROOT_HALF: i32 = single::FRAC_1_SQRT_2.to_bits() as i32;
    let bits = x.to_bits() as i32;
    let exponent = (bits.wrapping_sub(ROOT_HALF)) >> 23;
    (exponent as f32, f32::from_bits(bits.wrapping_sub(exponent << 23) as u32))
}

/// The natural logarithm of a normal positive number, to about one unit in the last place.
#[inline(always)]
pub fn ln_f64(x: f64) -> f64 {
    let (exponent, mantissa) = split_f64(x);
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let tail = z * ln_tail_f64(z);
    f - (s * (f - tail) - exponent * LN2_LOW_F64) + exponent * LN2_HIGH_F64
}

/// The exponent and the mantissa, between √½ and √2, of a normal positive number.
#[inline(always)]
pub fn split_f64(x: f64) -> (f64, f64) {
    const ROOT_HALF: u64 = double::FRAC_1_SQRT_2.to_bits();
    const BIAS: u64 = 1 << 10;
    // Shifted as an unsigned number with a bias: there is no signed 64-bit shift in AVX2.
    let biased = x.to_bits().wrapping_sub(ROOT_HALF).wrapping_add(BIAS << 52) >> 52;
    let mantissa = f64::from_bits(x.to_bits().wrapping_sub(biased.wrapping_sub(BIAS) << 52));
    // A small integer becomes a float by standing in the low bits of a large one.
    const LARGE: f64 = 4_503_599_627_370_496.0;
    let exponent = f64::from_bits(LARGE.to_bits() | biased) - (LARGE + BIAS as f64);
    (exponent, mantissa)
}

#[inline(always)]
fn ln_tail_f32(z: f32) -> f32 {
    polynomial!(z; 0.666_666_87, 0.399_887_32, 0.295_821_58)
}

/// `(ln((1 + s) / (1 − s)) − 2s) / s³` for `z = s²`.
#[inline(always)]
pub fn ln_tail_f64(z: f64) -> f64 {
    polynomial!(
        z;
        0.666_666_666_666_666_6,
        0.400_000_000_000_008_9,
        0.285_714_285_707_954_3,
        0.222_222_223_935_666_1,
        0.181_817_954_423_719_84,
        0.153_862_504_479_401_9,
        0.132_684_856_806_544_27,
        0.130_896_291_606_746_23
    )
}

/// Sine and cosine of `turn / 2³²` of a full circle.
#[inline(always)]
pub fn sin_cos_f32(turn: u32) -> (f32, f32) {
    let quadrant = turn.wrapping_add(1 << 29) >> 30;
    let rest = turn.wrapping_sub(quadrant << 30) as i32;
    let t = rest as f32 * (single::TAU * 2f32.powi(-32));
    let z = t * t;
    let sin = t + t * z * sin_tail_f32(z);
    let cos = 1.0 - (0.5 * z - z * z * cos_tail_f32(z));
    let odd = quadrant & 1 != 0;
    let (sin, cos) = (if odd { cos } else { sin }, if odd { sin } else { cos });
    let negative_sin = (quadrant & 2) << 30;
    let negative_cos = (quadrant.wrapping_add(1) & 2) << 30;
    (f32::from_bits(sin.to_bits() ^ negative_sin), f32::from_bits(cos.to_bits() ^ negative_cos))
}

/// Sine and cosine of `turn / 2⁶⁴` of a full circle.
#[inline(always)]
pub fn sin_cos_f64(turn: u64) -> (f64, f64) {
    let quadrant = turn.wrapping_add(1 << 61) >> 62;
    let rest = turn.wrapping_sub(quadrant << 62) as i64;
    let t = rest as f64 * (double::TAU * 2f64.powi(-64));
    let z = t * t;
    let sin = t + t * z * sin_tail_f64(z);
    let cos = 1.0 - (0.5 * z - z * z * cos_tail_f64(z));
    let odd = quadrant & 1 != 0;
    let (sin, cos) = (if odd { cos } else { sin }, if odd { sin } else { cos });
    let negative_sin = (quadrant & 2) << 62;
    let negative_cos = (quadrant.wrapping_add(1) & 2) << 62;
    (f64::from_bits(sin.to_bits() ^ negative_sin), f64::from_bits(cos.to_bits() ^ negative_cos))
}

/// `(sin t − t) / t³` for `z = t²`, up to an eighth of a circle.
#[inline(always)]
pub fn sin_tail_f32(z: f32) -> f32 {
    polynomial!(z; -0.166_666_64, 0.008_332_748, -0.000_195_878_7)
}

/// `(cos t − 1 + t² / 2) / t⁴` for `z = t²`, up to an eighth of a circle.
#[inline(always)]
pub fn cos_tail_f32(z: f32) -> f32 {
    polynomial!(z; 0.041_666_664, -0.001_388_830_2, 2.454_792_2e-5)
}

/// `(sin t − t) / t³` for `z = t²`, up to an eighth of a circle.
#[inline(always)]
pub fn sin_tail_f64(z: f64) -> f64 {
    polynomial!(
        z;
        -0.166_666_666_666_666_66,
        0.008_333_333_333_333_331,
        -0.000_198_412_698_412_650_63,
        2.755_731_921_933_767_2e-6,
        -2.505_210_623_192_785_7e-8,
        1.605_853_153_661_183_3e-10,
        -7.586_692_262_094_344e-13
    )
}

/// `(cos t − 1 + t² / 2) / t⁴` for `z = t²`, up to an eighth of a circle.
#[inline(always)]
pub fn cos_tail_f64(z: f64) -> f64 {
    polynomial!(
        z;
        0.041_666_666_666_666_664,
        -0.001_388_888_888_888_739_8,
        2.480_158_729_876_477_8e-5,
        -2.755_731_727_125_851_5e-7,
        2.087_614_617_018_397_6e-9,
        -1.138_262_534_944_759_2e-11
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right_to_a_unit_in_the_last_place() {
        let mut worst = 0.0f64;
        for bits in (0x0080_0000..0x7f80_0000u32).step_by(997) {
            let x = f32::from_bits(bits);
            let exact = f64::from(x).ln();
            let unit = f64::from(f32::EPSILON) * exact.abs().max(1e-30);
            worst = worst.max((f64::from(ln_f32(x)) - exact).abs() / unit);
        }
        assert!(worst < 1.0, "{worst}");
        for step in 0..2_000_000u64 {
            let x = f64::from_bits((1 << 52) + step * 4_600_000_000_007);
            let exact = x.ln();
            let error = (ln_f64(x) - exact).abs() / (f64::EPSILON * exact.abs().max(1e-300));
            assert!(error < 1.5, "{x} {error}");
        }
        assert_eq!((ln_f32(1.0), ln_f64(1.0)), (0.0, 0.0));
    }

    #[test]
    fn sines_and_cosines_are_right() {
        for step in 0..1_000_000u32 {
            let turn = step.wrapping_mul(2_654_435_761);
            let angle = f64::from(turn) / 2f64.powi(32) * std::f64::consts::TAU;
            let (sin, cos) = sin_cos_f32(turn);
            assert!((f64::from(sin) - angle.sin()).abs() < 1.3e-7);
            assert!((f64::from(cos) - angle.cos()).abs() < 1.3e-7);
            let (sin, cos) = sin_cos_f64(u64::from(turn) << 32);
            assert!((sin - angle.sin()).abs() < 2e-15 && (cos - angle.cos()).abs() < 2e-15);
        }
    }
}
