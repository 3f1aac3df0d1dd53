//! The error function: a polynomial for small numbers, and what an exponential leaves of one.

use std::hint::select_unpredictable;

use gt_core::polynomial;

use super::{LN2_F32, LOG2E, ROUND_F32, exp_f64, power_of_two_f32, reduce_f32};

/// What the error function of a positive number lacks of one: a power of two, and how much more
/// than one times that, so that a small lack of one stays exact.
#[inline(always)]
fn lack_f32(size: f32) -> (f32, f32) {
    // Beyond this the result is one.
    let far = if size > 4.0 { 4.0 } else { size };
    let slope = horner!(
        far;
        0.128_379_17,
        0.636_619_4,
        0.102_777_83,
        -0.019_153_064,
        -0.000_160_396_11,
        0.001_667_027_5,
        -0.000_632_836_9,
        0.000_117_641_28,
        -9.256_266e-6
    );
    // The logarithm of it is close to a polynomial everywhere, and its exponential less one is
    // exact where it is small.
    let (k, grown) = reduce_f32(-far.mul_add(slope, far));
    (power_of_two_f32(k), grown)
}

/// What the tail of the normal distribution is computed in units of, so that none of its factors is
/// below the normal numbers where the result is.
const UNIT: f32 = 1.0 / 18_446_744_073_709_551_616.0;

/// The number times the share of the normal distribution below it, to 6e-7 of the result, and to
/// two units in the last place for positive numbers.
#[inline(always)]
pub fn gelu_f32(x: f32) -> f32 {
    // Beyond this the result of a negative number is zero. Comparisons let NaN pass.
    let size = x.abs();
    let size = if size > 15.0 { 15.0 } else { size };
    let half = size * -0.5;
    let square = size * half;
    // What the rounding of the square lost is a large part of what its exponential would miss.
    let lost = size.mul_add(half, -square);
    let share = size / (size + 3.0);
    let scaled = horner!(
        share;
        1.500_174_6 / UNIT,
        -2.093_765_7 / UNIT,
        1.095_304_3 / UNIT,
        0.090_828_41 / UNIT,
        0.050_018_877 / UNIT,
        -0.621_387_3 / UNIT,
        0.506_023_17 / UNIT,
        -0.128_263_3 / UNIT
    );
    let rounded = square.mul_add(LOG2E as f32, ROUND_F32);
    let k = rounded - ROUND_F32;
    let r = k.mul_add(-LN2_F32[0], square) + k.mul_add(-LN2_F32[1], lost);
    let grown = r * horner!(r; 1.0, 0.499_992_28, 0.166_671_16, 0.041_890_55, 0.008_312_479);
    let tail = share * scaled.mul_add(grown, scaled);
    // The power of two that is left is added to the exponent.
    let tail = f32::from_bits(tail.to_bits().wrapping_add(rounded.to_bits() << 23));
    // Zero below, except for an infinite number, whose product with no share is undefined.
    let above = if x < 0.0 { x + -x } else { x };
    let far = tail.mul_add(-UNIT, above);
    let slope = horner!(
        square;
        0.398_942_26,
        0.132_980_05,
        0.039_880_272,
        0.009_401_31,
        0.001_565_736
    );
    let near = x * x.mul_add(slope, 0.5);
    if size < 0.9 { near } else { far }
}

/// The number times the share of the normal distribution below it.
#[inline(always)]
pub fn gelu_f64(x: f64) -> f64 {
    x * ((erf_f64(x * std::f64::consts::FRAC_1_SQRT_2) + 1.0) * 0.5)
}

/// The error function, to two units in the last place.
#[inline(always)]
pub fn erf_f32(x: f32) -> f32 {
    let size = x.abs();
    let z = x * x;
    // The first coefficient is less one, which is added exactly.
    let series = horner!(
        z;
        0.128_379_15,
        -0.376_124_02,
        0.112_793_49,
        -0.026_569_465,
        0.004_399_869_6
    );
    let (power, grown) = lack_f32(size);
    let beyond = power.mul_add(-grown, 1.0 - power);
    // A choice and not a branch, which would keep the loop from becoming a vector.
    select_unpredictable(size < 0.65, size.mul_add(series, size), beyond).copysign(x)
}

/// The error function, to three units in the last place.
#[inline(always)]
pub fn erf_f64(x: f64) -> f64 {
    let size = x.abs();
    let z = x * x;
    // Two halves, so that the processor need not wait for one product after another.
    let square = z * z;
    let even = polynomial!(
        square;
        0.128_379_167_095_512_6,
        0.112_837_916_709_548_79,
        0.005_223_977_624_818_014_5,
        0.000_120_553_311_116_427_1,
        1.646_100_048_412_136_8e-6,
        1.465_977_527_404_743_6e-8,
        5.957_176_147_748_911e-11
    );
    let odd = polynomial!(
        square;
        -0.376_126_389_031_837_5,
        -0.026_866_170_645_076_792,
        -0.000_854_832_698_083_379,
        -1.492_559_526_683_118_2e-5,
        -1.635_031_270_105_469_5e-7,
        -1.137_284_885_679_167_4e-9
    );
    let series = even + z * odd;
    let far = if size > 6.0 { 6.0 } else { size };
    let u = (far - 3.0) / (far + 3.0);
    let square = u * u;
    let even = polynomial!(
        square;
        0.179_001_151_181_389_96,
        0.245_603_801_712_331_95,
        0.071_665_837_197_748_74,
        0.004_269_136_347_508_256,
        -0.000_597_062_351_709_328_4,
        6.406_182_073_530_546e-5,
        -8.008_021_319_412_685e-6,
        1.280_190_086_296_266_2e-6
    );
    let odd = polynomial!(
        square;
        -0.326_233_560_043_037_16,
        -0.150_115_936_500_787_44,
        -0.024_392_499_318_273_194,
        0.000_707_746_444_390_153_8,
        4.525_472_635_483_354e-5,
        -1.284_889_451_252_353e-5,
        2.023_603_179_641_757e-6
    );
    let scaled = even + u * odd;
    let beyond = 1.0 - exp_f64(-far * far) * scaled;
    let found = select_unpredictable(size < 1.0, size + size * series, beyond);
    if x.is_nan() { x } else { found.copysign(x) }
}

#[cfg(test)]
mod tests {
    use super::super::accuracy::*;
    use super::*;

    unsafe extern "C" {
        fn erf(x: f64) -> f64;
        fn erfc(x: f64) -> f64;
    }

    fn exact_erf(x: f64) -> f64 {
        // SAFETY: it is a function of the C library that Rust's own standard library links.
        unsafe { erf(x) }
    }

    fn exact_erfc(x: f64) -> f64 {
        // SAFETY: as above.
        unsafe { erfc(x) }
    }

    #[test]
    fn the_error_function_is_right_to_a_few_units() {
        let single = worst_f32(erf_f32, exact_erf);
        assert!(single < 1.5, "{single}");
        let double = worst_f64(erf_f64, exact_erf);
        println!("{single} {double}");
        assert!(double < 3.5, "{double}");
    }

    #[test]
    fn gelu_is_right_to_a_share_of_its_result_and_to_two_units_above_zero() {
        let near = (-4_000_000..2_000_000).map(|step| step as f32 * 4e-6);
        let all = (0..=u32::MAX).step_by(1023).map(f32::from_bits).chain(near);
        for x in all.filter(|x| x.is_finite()) {
            let (found, wide) = (gelu_f32(x), f64::from(x));
            let exact = wide * (0.5 * exact_erfc(-wide * std::f64::consts::FRAC_1_SQRT_2));
            assert!(x < 0.0 || units_f32(found, exact) < 2.0, "{x}: {found}, not {exact}");
            let error = (f64::from(found) - exact).abs();
            let near = error < 6e-7 * exact.abs() || units_f32(found, exact) < 2.0;
            assert!(near, "{x}: {found}, not {exact}");
        }
        assert!(gelu_f32(f32::NAN).is_nan() && gelu_f64(f64::NAN).is_nan());
        assert!(gelu_f32(f32::from_bits(0xffc1_2345)).is_nan());
        assert!(gelu_f32(f32::NEG_INFINITY).is_nan() && gelu_f64(f64::NEG_INFINITY).is_nan());
        assert_eq!((gelu_f32(f32::INFINITY), gelu_f32(-16.0)), (f32::INFINITY, 0.0));
        assert_eq!((gelu_f32(1e-40), gelu_f32(0.0).to_bits()), (5e-41, 0));
        assert!(gelu_f32(-0.0).is_sign_negative() && gelu_f64(-0.0).is_sign_negative());
    }

    #[test]
    fn known_values_in_double_precision() {
        let cases = [
            (1e-300, 1.128_379_167_095_512_6e-300),
            (1e-08, 1.128_379_167_095_512_6e-8),
            (0.001, 0.001_128_378_790_969_236_5),
            (0.25, 0.276_326_390_168_236_96),
            (0.5, 0.520_499_877_813_046_5),
            (0.84375, 0.767_225_661_232_341_6),
            (0.9375, 0.815_102_401_034_399_8),
            (0.9990234375, 0.842_295_018_528_102_8),
            (1.0, 0.842_700_792_949_714_9),
            (1.0625, 0.867_058_269_434_952_8),
            (1.25, 0.922_900_128_256_458_3),
            (1.5, 0.966_105_146_475_310_8),
            (1.75, 0.986_671_671_219_182_4),
            (2.0, 0.995_322_265_018_952_7),
            (2.5, 0.999_593_047_982_555),
            (3.0, 0.999_977_909_503_001_4),
            (3.5, 0.999_999_256_901_627_6),
            (4.0, 0.999_999_984_582_742_1),
            (5.0, 0.999_999_999_998_462_6),
            (5.9, 0.999_999_999_999_999_9),
        ];
        for (x, exact) in cases {
            assert!(units_f64(erf_f64(x), exact) <= 2.0, "{x}: {}, not {exact}", erf_f64(x));
            assert_eq!(erf_f64(-x), -erf_f64(x));
        }
        assert!(erf_f64(f64::NAN).is_nan() && erf_f32(-0.0).is_sign_negative());
        assert_eq!((erf_f64(f64::INFINITY), erf_f32(f32::NEG_INFINITY)), (1.0, -1.0));
    }
}
