//! The angle that belongs to a tangent: halved twice, so that a short series is enough.

use std::hint::select_unpredictable;

use gt_core::polynomial;

macro_rules! angle {
    ($(#[$doc:meta])* $name:ident $type:ident: $($coefficient:expr),+) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(x: $type) -> $type {
            let size = x.abs();
            // The angle of the inverse is what a right angle leaves.
            let steep = size > 1.0;
            let tangent = select_unpredictable(steep, 1.0 / size, size);
            let half = tangent / (1.0 + (1.0 + tangent * tangent).sqrt());
            let quarter = half / (1.0 + (1.0 + half * half).sqrt());
            let square = quarter * quarter;
            let series = polynomial!(square; $($coefficient),+);
            let angle = 4.0 * (quarter + quarter * square * series);
            let right = std::$type::consts::FRAC_PI_2;
            let found = select_unpredictable(steep, right - angle, angle);
            if x.is_nan() { x } else { found.copysign(x) }
        }
    };
}

angle! {
    /// The angle with this tangent, to four units in the last place.
    atan_f32 f32: -1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0
}

angle! {
    /// The angle with this tangent, to four units in the last place.
    atan_f64 f64: -1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0, 1.0 / 13.0,
        -1.0 / 15.0, 1.0 / 17.0, -1.0 / 19.0, 1.0 / 21.0, -1.0 / 23.0
}

#[cfg(test)]
mod tests {
    use super::super::accuracy::*;
    use super::*;

    #[test]
    fn angles_are_right_to_a_few_units() {
        let single = worst_f32(atan_f32, f64::atan);
        assert!(single < 4.5, "{single}");
        let double = worst_f64(atan_f64, f64::atan);
        assert!(double < 4.5, "{double}");
    }

    #[test]
    fn ends_and_zeros_are_exact() {
        let right = std::f64::consts::FRAC_PI_2;
        assert_eq!((atan_f64(f64::INFINITY), atan_f64(f64::NEG_INFINITY)), (right, -right));
        assert!(atan_f64(-0.0).is_sign_negative() && atan_f32(f32::NAN).is_nan());
        assert_eq!(atan_f64(1e-300), 1e-300);
    }
}
