//! Memory that a thread uses within one task and keeps for the next.

use std::cell::RefCell;
use std::thread::LocalKey;

use super::number::Float;

/// More than this is given back after the task.
const KEPT_BYTES: usize = 4 << 20;

thread_local! {
    static SCRATCH: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    static OUTER: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with room for `len` numbers, which are any.
pub(super) fn with_scratch<T: Float, R>(len: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
    with_memory(&SCRATCH, len, work)
}

/// The same around work that uses [`with_scratch`] itself, again and again.
pub(super) fn with_outer_scratch<T: Float, R>(len: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
    with_memory(&OUTER, len, work)
}

fn with_memory<T: Float, R>(
    kept: &'static LocalKey<RefCell<Vec<u64>>>,
    len: usize,
    work: impl FnOnce(&mut [T]) -> R,
) -> R {
    const { assert!(align_of::<T>() <= align_of::<u64>()) };
    let words = (len * size_of::<T>()).div_ceil(size_of::<u64>());
    // Whatever is in use already belongs to a task further out.
    let mut memory = kept.take();
    if memory.len() < words {
        memory = vec![0; words];
    }
    // SAFETY: there are so many words, every bit of which is set, and every pattern is a float.
    let numbers = unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), len) };
    let result = work(numbers);
    if memory.len() * size_of::<u64>() <= KEPT_BYTES {
        kept.replace(memory);
    }
    result
}
