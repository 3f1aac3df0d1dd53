//! What a quotient cut towards zero leaves, exactly and without branches.

use std::hint::select_unpredictable;

use super::product_error;

/// Whether [`rest_f32`] is not meant for these numbers.
#[inline(always)]
pub fn is_far_f32(a: f32, b: f32) -> bool {
    // Written so that NaN and a division by zero are far.
    let near = f64::from(a.abs()) < f64::from(b.abs()) * 536_870_912.0;
    !near | (b.abs() == f32::INFINITY)
}

/// The rest of `a / b`, with the sign of `a`.
#[inline(always)]
pub fn rest_f32(a: f32, b: f32) -> f32 {
    let (dividend, divisor) = (f64::from(a.abs()), f64::from(b.abs()));
    // The quotient has at most 29 bits and the divisor 24, so that their product is exact.
    let rest = dividend - (dividend / divisor).trunc() * divisor;
    // The quotient may have been rounded up to a whole number.
    let rest = select_unpredictable(rest < 0.0, rest + divisor, rest);
    (rest as f32).copysign(a)
}

/// Whether [`rest_f64`] is not meant for these numbers.
#[inline(always)]
pub fn is_far_f64(a: f64, b: f64) -> bool {
    let near = a.abs() < b.abs() * 4_503_599_627_370_496.0;
    // What the rounding of a product loses must not be too small for a normal number.
    !near | (b.abs() < 1e-270) | (b.abs() > 1e290)
}

/// The rest of `a / b`, with the sign of `a`.
#[inline(always)]
pub fn rest_f64(a: f64, b: f64) -> f64 {
    let (dividend, divisor) = (a.abs(), b.abs());
    let whole = (dividend / divisor).trunc();
    let product = whole * divisor;
    // The first difference is of numbers close to each other, and exact.
    let rest = (dividend - product) - product_error(whole, divisor, product);
    let rest = select_unpredictable(rest < 0.0, rest + divisor, rest);
    rest.copysign(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_exact_wherever_the_quotient_is_not_far() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_041);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut near = 0;
        for _ in 0..2_000_000 {
            let scale = (next() * 70.0 - 10.0).exp2();
            let (a, b) = ((next() - 0.5) * scale, next() - 0.5);
            // Whole multiples, and their neighbours, are where a quotient is rounded up.
            let multiple = b * (next() * 1e6).trunc();
            for a in [a, multiple, multiple.next_down(), multiple.next_up()] {
                if !is_far_f64(a, b) {
                    near += 1;
                    assert_eq!(rest_f64(a, b).to_bits(), (a % b).to_bits(), "{a:e} {b:e}");
                }
                let (a, b) = (a as f32, b as f32);
                for a in [a, a.next_down()] {
                    if !is_far_f32(a, b) {
                        assert_eq!(rest_f32(a, b).to_bits(), (a % b).to_bits(), "{a:e} {b:e}");
                    }
                }
            }
        }
        assert!(near > 1_000_000);
        assert!(
            is_far_f32(1.0, 0.0) && is_far_f32(f32::NAN, 1.0) && is_far_f32(1.0, f32::INFINITY)
        );
        assert!(is_far_f64(1.0, 0.0) && is_far_f64(1.0, f64::NAN) && is_far_f64(1e300, 1e-5));
    }
}
