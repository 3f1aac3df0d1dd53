//! Choosing between two elements. It only moves them, so it is compiled by their size.

use gt_worker::value::strided::by_size;

use super::simd::vectorized;

vectorized! {
    fn select_run<T: Copy>(mask: &[u8], a: &[T], b: &[T], out: &mut [T]) {
        for (((out, &mask), &a), &b) in out.iter_mut().zip(mask).zip(a).zip(b) {
            *out = if mask != 0 { a } else { b };
        }
    }
}

/// `out[i]` is an element of the second source where the first is true, else of the third.
///
/// # Safety
/// The sources and the output have `len` elements, of one byte for the mask and `size` otherwise.
pub unsafe fn select(size: usize, sources: [*const u8; 3], out: *mut u8, len: usize) {
    by_size!(size, T => {
        // SAFETY: as promised by the caller.
        let (mask, a, b, out) = unsafe {
            (
                std::slice::from_raw_parts(sources[0], len),
                std::slice::from_raw_parts(sources[1].cast::<T>(), len),
                std::slice::from_raw_parts(sources[2].cast::<T>(), len),
                std::slice::from_raw_parts_mut(out.cast::<T>(), len),
            )
        };
        select_run(mask, a, b, out);
    });
}
