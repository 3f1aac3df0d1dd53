//! Loops compiled twice: for the baseline of the architecture, and for AVX2. Which one runs is
//! decided by the processor at run time. Neither contracts a product and a sum into one rounding,
//! so both give the same bits.

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
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("f16c") {
                // SAFETY: the processor has what the function needs.
                return unsafe { wide $(::<$($type),*>)? ($($argument),*) };
            }
            plain $(::<$($type),*>)? ($($argument),*)
        }
    };
}
pub(crate) use vectorized;
