//! Loops compiled several times: for the baseline of the architecture, for AVX2, and for AVX-512.
//! Which one runs is decided by the processor at run time. None contracts a product and a sum into
//! one rounding, so all give the same bits.

/// Defines a function whose body is compiled for each instruction set. What it calls per element
/// must be `#[inline(always)]`, or it is not compiled along.
macro_rules! vectorized {
    (
        $(#[$meta:meta])*
        $visibility:vis fn $name:ident $(<$($type:ident: $bound:path),*>)? (
            $($argument:ident: $kind:ty),* $(,)?
        ) $(-> $result:ty)? $body:block
    ) => {
        $(#[$meta])*
        #[inline]
        $visibility fn $name $(<$($type: $bound),*>)? ($($argument: $kind),*) $(-> $result)? {
            #[inline(always)]
            fn plain $(<$($type: $bound),*>)? ($($argument: $kind),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,f16c")]
            fn wide $(<$($type: $bound),*>)? ($($argument: $kind),*) $(-> $result)? {
                plain $(::<$($type),*>)? ($($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,f16c")]
            fn widest $(<$($type: $bound),*>)? ($($argument: $kind),*) $(-> $result)? {
                plain $(::<$($type),*>)? ($($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            if $crate::engine::native::simd::is_widest() {
                // SAFETY: the processor has what the function needs.
                return unsafe { widest $(::<$($type),*>)? ($($argument),*) };
            }
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("f16c") {
                // SAFETY: the processor has what the function needs.
                return unsafe { wide $(::<$($type),*>)? ($($argument),*) };
            }
            plain $(::<$($type),*>)? ($($argument),*)
        }
    };
}
pub(crate) use vectorized;

/// Whether the processor has vectors of 512 bits, for numbers of every width.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn is_widest() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("f16c")
}
