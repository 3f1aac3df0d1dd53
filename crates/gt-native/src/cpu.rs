//! Which instructions kernels use: the widest that the processor has, unless less is asked for.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

use gt_core::error::{Error, Result};

/// Instructions that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cpu {
    /// Those that every processor of the architecture has.
    Portable = 1,
    /// Vectors of 256 bits, with fused products.
    Avx2,
    /// Vectors of 512 bits, for numbers of every width.
    Avx512,
}

/// What is used, as the number of a [`Cpu`]; zero until somebody asks. It is never more than the
/// processor has.
static USED: AtomicU8 = AtomicU8::new(0);

impl Cpu {
    /// All of them, the least first.
    pub const ALL: [Cpu; 3] = [Cpu::Portable, Cpu::Avx2, Cpu::Avx512];

    /// The most that this processor has.
    #[cfg(target_arch = "x86_64")]
    pub fn best() -> Self {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        match (avx2, avx512) {
            (true, true) => Cpu::Avx512,
            (true, false) => Cpu::Avx2,
            (false, _) => Cpu::Portable,
        }
    }

    /// The most that this processor has.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn best() -> Self {
        Cpu::Portable
    }

    /// What kernels use.
    #[inline]
    pub fn used() -> Self {
        match USED.load(Ordering::Relaxed) {
            1 => Cpu::Portable,
            2 => Cpu::Avx2,
            3 => Cpu::Avx512,
            _ => Cpu::first_used(),
        }
    }

    #[cold]
    fn first_used() -> Self {
        let best = Cpu::best();
        // Whoever has chosen meanwhile is heard.
        match USED.compare_exchange(0, best as u8, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => best,
            Err(_) => Cpu::used(),
        }
    }

    /// Has all kernels of this process use these instructions from here on, to compare them.
    pub fn select(self) -> Result<()> {
        if self > Cpu::best() {
            return Err(Error::value(format!("this processor has no {self}")));
        }
        USED.store(self as u8, Ordering::Relaxed);
        Ok(())
    }
}

/// Whether products of pairs of bfloat16 are instructions that may be used.
#[cfg(target_arch = "x86_64")]
pub(super) fn has_pairs() -> bool {
    Cpu::used() == Cpu::Avx512 && is_x86_feature_detected!("avx512bf16")
}

/// Whether products of pairs of bfloat16 are instructions that may be used.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn has_pairs() -> bool {
    false
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cpu::Portable => "portable",
            Cpu::Avx2 => "avx2",
            Cpu::Avx512 => "avx512",
        })
    }
}

impl FromStr for Cpu {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let named = Cpu::ALL.into_iter().find(|cpu| cpu.to_string() == text);
        named.ok_or_else(|| Error::value(format!("'{text}' is none of avx512, avx2 and portable")))
    }
}
