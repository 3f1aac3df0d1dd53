//! The search for the first result that is not finite: what is looked at, and what is found.

use std::fmt;

use gt_core::DType;
use smallvec::SmallVec;

use crate::plan::{Origin, Use};

/// Looks whether the results of an instruction are finite, if its inputs are.
#[derive(Debug)]
pub struct Check {
    /// The instruction.
    pub origin: Origin,
    /// Its tensors of floating point numbers.
    pub inputs: SmallVec<[Use; 3]>,
    /// The same among its results.
    pub outputs: SmallVec<[Use; 3]>,
}

impl Check {
    /// Every use of a value, those of results last.
    pub fn uses_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Use> {
        self.inputs.iter_mut().chain(&mut self.outputs)
    }
}

/// How many elements of a tensor are not finite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotFinite {
    /// Those that are no numbers.
    pub nans: usize,
    /// Those that are infinite.
    pub infinities: usize,
    /// All elements.
    pub elements: usize,
}

impl NotFinite {
    /// Counts them among elements in a row; `None` if all are finite.
    pub fn among(dtype: DType, bytes: &[u8]) -> Option<NotFinite> {
        let found = match dtype {
            DType::F16 => count(bytes.as_chunks().0, |word| (u16::from_le_bytes(word), 0x7c00)),
            DType::BF16 => count(bytes.as_chunks().0, |word| (u16::from_le_bytes(word), 0x7f80)),
            DType::F32 => {
                count(bytes.as_chunks().0, |word| (u32::from_le_bytes(word), 0x7f80 << 16))
            }
            DType::F64 => {
                count(bytes.as_chunks().0, |word| (u64::from_le_bytes(word), 0x7ff0 << 48))
            }
            _ => NotFinite::default(),
        };
        (found.nans + found.infinities > 0).then_some(found)
    }
}

/// Counts elements whose exponent has all bits set: `parts` gives the bits of one, and the exponent
/// with all of them. Bits below the exponent make it no number.
fn count<const SIZE: usize, B: Bits>(
    words: &[[u8; SIZE]],
    parts: impl Fn([u8; SIZE]) -> (B, B),
) -> NotFinite {
    let mut found = NotFinite { elements: words.len(), ..NotFinite::default() };
    for word in words {
        let (bits, exponent) = parts(*word);
        let (bits, exponent) = (bits.into(), exponent.into());
        if bits & exponent == exponent {
            let is_nan = bits & (lowest_bit(exponent) - 1) != 0;
            *(if is_nan { &mut found.nans } else { &mut found.infinities }) += 1;
        }
    }
    found
}

/// The bits of an element.
trait Bits: Into<u64> + Copy {}
impl Bits for u16 {}
impl Bits for u32 {}
impl Bits for u64 {}

fn lowest_bit(bits: u64) -> u64 {
    bits & bits.wrapping_neg()
}

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotFinite { nans, infinities, elements } = self;
        write!(f, "{nans} nan and {infinities} inf among {elements} elements")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_counted_in_every_dtype() {
        let found = |nans, infinities| {
            Some(NotFinite { nans, infinities, elements: 5 }).filter(|_| nans + infinities > 0)
        };
        let odd = [1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];
        let fine = [1.0, f64::MIN_POSITIVE, -2.5, 0.0, -0.0];
        for (values, expected) in [(odd, found(1, 2)), (fine, found(0, 0))] {
            let doubles: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            let singles: Vec<u8> = values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect();
            // The upper half of a float32 is a bfloat16.
            let halves: Vec<u8> = singles.chunks(4).flat_map(|word| [word[2], word[3]]).collect();
            assert_eq!(NotFinite::among(DType::F64, &doubles), expected);
            assert_eq!(NotFinite::among(DType::F32, &singles), expected);
            assert_eq!(NotFinite::among(DType::BF16, &halves), expected);
        }
        let halves: Vec<u8> = [0x3c00_u16, 0x7e00, 0x7c00, 0xfc00, 0x7bff]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        assert_eq!(NotFinite::among(DType::F16, &halves), found(1, 2));
        assert_eq!(NotFinite::among(DType::I64, &[0xff; 40]), None);
    }
}
