//! Loops compiled several times: for the baseline of the architecture, for AVX2, and for AVX-512.
//! Which one runs is decided at run time, by [`super::cpu`]. A product and a sum are rounded once
//! where `mul_add` says so and nowhere else, so all give the same bits.

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
            #[target_feature(enable = "avx2,fma,f16c")]
            fn wide $(<$($type: $bound),*>)? ($($argument: $kind),*) $(-> $result)? {
                plain $(::<$($type),*>)? ($($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
            fn widest $(<$($type: $bound),*>)? ($($argument: $kind),*) $(-> $result)? {
                plain $(::<$($type),*>)? ($($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            match $crate::cpu::Cpu::used() {
                $crate::cpu::Cpu::Avx512 => {
                    // SAFETY: the processor has what the function needs.
                    return unsafe { widest $(::<$($type),*>)? ($($argument),*) };
                }
                $crate::cpu::Cpu::Avx2 => {
                    // SAFETY: the processor has what the function needs.
                    return unsafe { wide $(::<$($type),*>)? ($($argument),*) };
                }
                $crate::cpu::Cpu::Portable => {}
            }
            plain $(::<$($type),*>)? ($($argument),*)
        }
    };
}
pub(crate) use vectorized;
