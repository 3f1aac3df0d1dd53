//! Pieces of memory from the system, in classes of sizes.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

use super::ALIGNMENT;

/// From this size on, buffers consist of huge pages.
pub(super) const HUGE_PAGE: usize = 2 << 20;

/// Sizes are rounded up to four steps between powers of two, which wastes a quarter at most.
const STEPS: usize = 4;
/// How many classes there are.
pub(super) const CLASSES: usize = (usize::BITS as usize - 6) * STEPS;

/// The start of a piece of memory; its size follows from its class.
pub(super) struct Block(pub(super) NonNull<u8>);

// SAFETY: a block is owned by whoever holds it; the pointer is not shared.
unsafe impl Send for Block {}

/// The class of the smallest blocks that hold `len` bytes.
pub(super) fn class_of(len: usize) -> usize {
    let units = len.div_ceil(ALIGNMENT);
    if units <= STEPS {
        return units - 1;
    }
    // The two bits after the highest one say which of the four steps it is.
    let last = units - 1;
    let power = last.ilog2() as usize;
    let step = (last >> (power - 2)) & (STEPS - 1);
    (power - 1) * STEPS + step
}

/// How many bytes a block of this class has.
pub(super) fn class_bytes(class: usize) -> usize {
    if class < STEPS {
        return (class + 1) * ALIGNMENT;
    }
    let (power, step) = (class / STEPS + 1, class % STEPS);
    ((STEPS + step + 1) << (power - 2)) * ALIGNMENT
}

#[cfg(unix)]
pub(super) fn acquire(class: usize) -> Option<Block> {
    let size = class_bytes(class);
    if size < HUGE_PAGE {
        return acquire_small(size);
    }
    // One huge page more than needed, so that an aligned piece lies within; the rest goes back.
    let reserved = size.checked_add(HUGE_PAGE)?;
    let (read_write, private) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: an anonymous mapping at an address of the system's choice touches nothing else.
    let base = unsafe { libc::mmap(std::ptr::null_mut(), reserved, read_write, private, -1, 0) };
    if base == libc::MAP_FAILED {
        return None;
    }
    let base = base.cast::<u8>();
    let before = base.align_offset(HUGE_PAGE);
    // SAFETY: both parts lie within the mapping, begin at pages, and are not used by anyone; the
    // middle part stays.
    unsafe {
        let start = base.add(before);
        if before > 0 {
            libc::munmap(base.cast(), before);
        }
        libc::munmap(start.add(size).cast(), HUGE_PAGE - before);
        #[cfg(target_os = "linux")]
        libc::madvise(start.cast(), size, libc::MADV_HUGEPAGE);
        NonNull::new(start).map(Block)
    }
}

#[cfg(not(unix))]
pub(super) fn acquire(class: usize) -> Option<Block> {
    acquire_small(class_bytes(class))
}

fn acquire_small(size: usize) -> Option<Block> {
    // SAFETY: the size is not zero.
    NonNull::new(unsafe { alloc(layout(size)) }).map(Block)
}

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, ALIGNMENT).expect("a class fits the address space")
}

pub(super) fn release(block: Block, class: usize) {
    let size = class_bytes(class);
    if cfg!(unix) && size >= HUGE_PAGE {
        // SAFETY: the block is a mapping of this size, and its owner gave it up.
        #[cfg(unix)]
        unsafe {
            libc::munmap(block.0.as_ptr().cast(), size);
        }
        return;
    }
    // SAFETY: it was allocated with this layout, and its owner gave it up.
    unsafe { dealloc(block.0.as_ptr(), layout(size)) };
}
