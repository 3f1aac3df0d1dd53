//! Whole numbers as bits, with PyTorch's answers for moves that are too far.

use super::number::Number;

/// A whole number that can be taken as bits.
pub trait Bits: Number {
    /// Every bit turned.
    fn not(self) -> Self;
    /// The bits that both have.
    fn and(self, other: Self) -> Self;
    /// The bits that one of them has.
    fn or(self, other: Self) -> Self;
    /// The bits that just one of them has.
    fn xor(self, other: Self) -> Self;
    /// The bits moved up; zero if they move out, or by a negative number.
    fn up(self, places: Self) -> Self;
    /// The bits moved down, with the sign moving in; by as far as they go if `places` is negative.
    fn down(self, places: Self) -> Self;
}

macro_rules! integers {
    ($($type:ty)*) => {
        $(impl Bits for $type {
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn up(self, places: Self) -> Self {
                let within = (0..Self::BITS as Self).contains(&places);
                if within { self.wrapping_shl(places as u32) } else { 0 }
            }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "unsigned numbers take this road too")]
            fn down(self, places: Self) -> Self {
                let within = (0..Self::BITS as Self).contains(&places);
                let gone = if self < 0 { !0 } else { 0 };
                if within { self.wrapping_shr(places as u32) } else { gone }
            }
        })*
    };
}

integers!(u8 i8 i16 i32 i64);
