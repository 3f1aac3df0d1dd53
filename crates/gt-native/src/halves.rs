//! 16-bit floats: kernels compute in f32 and round the result once.

use gt_worker::value::Element;
use half::{bf16, f16};

use super::simd::vectorized;

/// A 16-bit float.
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

vectorized! {
    fn widen_bf16(from: &[bf16], to: &mut [f32]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = f32::from_bits(u32::from(from.to_bits()) << 16);
        }
    }
}

vectorized! {
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
