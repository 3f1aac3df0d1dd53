//! Driving elementwise loops: the output is computed in runs, and every operand is brought into
//! the form of a run, or of a single number, whatever its strides are.

use std::mem::MaybeUninit;

use gt_worker::value::Value;
use gt_worker::value::strided::{self, Walk, by_size};

use super::Native;

/// The most elements of a run that has to be gathered.
pub const TILE: usize = 1024;

/// The elements that one thread computes before it asks for more.
pub const CHUNK: usize = 32 * 1024;

/// Rows shorter than this are gathered: a call for each would cost more.
pub const SHORT_ROW: usize = 32;

/// Room for a gathered run of any dtype.
pub type Scratch = MaybeUninit<[u64; TILE]>;

/// A pointer that threads may share, because they use different parts of what it points to.
pub struct Shared<T>(pub *mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<T> {}

// SAFETY: whoever makes one hands out disjoint parts.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The pointer. A method, so that closures capture the whole.
    pub fn get(self) -> *mut T {
        self.0
    }
}

/// Part of an operand.
#[derive(Clone, Copy)]
pub enum Tile {
    /// One element after another.
    Run(*const u8),
    /// The same element every time.
    Fixed(*const u8),
}

impl Tile {
    /// The elements one after another, also if they are all the same.
    ///
    /// # Safety
    /// The tile has elements of `size` bytes, and `len` of them fit the scratch.
    pub unsafe fn run(self, size: usize, len: usize, scratch: &mut Scratch) -> *const u8 {
        match self {
            Tile::Run(start) => start,
            Tile::Fixed(element) => by_size!(size, T => {
                let start = scratch.as_mut_ptr().cast::<T>();
                // SAFETY: as promised by the caller.
                unsafe { std::slice::from_raw_parts_mut(start, len).fill(*element.cast()) };
                start.cast()
            }),
        }
    }
}

/// An operand, broadcast to the shape of the output.
pub struct Reader {
    base: Shared<u8>,
    size: usize,
    walk: Walk<1>,
}

impl Reader {
    /// Reads a tensor as if it had `shape`. It must stay alive as long as the reader.
    pub fn new(value: &Value, shape: &[usize]) -> Self {
        let missing = shape.len() - value.shape().rank();
        let step = |axis: usize| match axis.checked_sub(missing) {
            Some(own) if value.shape()[own] != 1 => value.strides()[own],
            _ => 0,
        };
        let strides: gt_worker::value::Strides = (0..shape.len()).map(step).collect();
        let walk = Walk::new(shape, [&strides]);
        Reader { base: Shared(value.as_ptr().cast_mut()), size: value.dtype().size(), walk }
    }

    /// Reads the same element every time. It must stay alive as long as the reader.
    pub fn fixed(element: *const u8, size: usize, count: usize) -> Self {
        let walk = Walk::new(&[count.max(2)], [&[0]]);
        Reader { base: Shared(element.cast_mut()), size, walk }
    }

    /// Has the elements from number `first` on brought near the processor, if they are a run, while
    /// others are computed with: the first loop over a tile would only wait for them.
    pub fn prefetch(&self, first: usize, len: usize) {
        #[cfg(target_arch = "x86_64")]
        if self.walk.is_flat() && self.walk.row_steps() == [1] {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let start = self.base.get().wrapping_add(first * self.size);
            for line in (0..len * self.size).step_by(64) {
                // SAFETY: a prefetch reads nothing that could be seen, wherever it points.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line).cast()) };
            }
        }
    }

    /// How many elements a row has, if tiles end where rows do.
    pub fn row(&self) -> Option<usize> {
        (!self.walk.is_flat()).then(|| self.walk.row_len())
    }

    fn is_direct(&self) -> bool {
        self.walk.is_flat() && matches!(self.walk.row_steps(), [0 | 1])
    }

    /// The elements from number `first` on.
    ///
    /// # Safety
    /// There are so many, and at most [`TILE`] unless the reader is direct.
    pub unsafe fn tile(&self, first: usize, len: usize, scratch: &mut Scratch) -> Tile {
        let row = self.walk.row_len();
        let step = self.walk.row_steps()[0];
        if matches!(step, 0 | 1) && (self.walk.is_flat() || first % row + len <= row) {
            let at = self.walk.position(first)[0] * self.size as isize;
            let start = self.base.get().wrapping_offset(at).cast_const();
            return if step == 1 { Tile::Run(start) } else { Tile::Fixed(start) };
        }
        by_size!(self.size, T => {
            let start = scratch.as_mut_ptr().cast::<T>();
            // SAFETY: the scratch has room for a tile, and the reader's positions are valid.
            unsafe {
                let out = std::slice::from_raw_parts_mut(start, len);
                strided::gather::<T>(&self.walk, self.base.get().cast(), first, out);
            }
            Tile::Run(start.cast())
        })
    }
}

/// Where results go.
#[derive(Clone, Copy)]
pub struct Writer {
    /// The first element of the output.
    pub start: Shared<u8>,
    /// How many bytes an element has.
    pub size: usize,
    /// Whether the output is one of the operands, so that a run must be read before it is written.
    pub in_place: bool,
}

impl Writer {
    /// Has the places of the elements from number `first` on brought near the processor, while
    /// others are computed.
    pub fn prefetch(&self, first: usize, len: usize) {
        #[cfg(target_arch = "x86_64")]
        if !self.in_place {
            use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
            let start = self.start.get().wrapping_add(first * self.size);
            for line in (0..len * self.size).step_by(64) {
                // SAFETY: a prefetch reads nothing that could be seen, wherever it points.
                unsafe { _mm_prefetch::<_MM_HINT_ET0>(start.wrapping_add(line).cast()) };
            }
        }
    }

    /// Whether so few elements are computed that one run is enough for them.
    pub fn is_small(&self, count: usize) -> bool {
        count <= if self.in_place { TILE } else { CHUNK }
    }

    /// Computes a small number of elements: `run` is told where to write them.
    #[inline]
    pub fn small(&self, count: usize, run: impl FnOnce(*mut u8)) {
        if !self.in_place {
            return run(self.start.get());
        }
        let mut results = Scratch::uninit();
        let held = results.as_mut_ptr().cast::<u8>();
        run(held);
        // SAFETY: a tile of results was written, and the output has room for it.
        unsafe { std::ptr::copy_nonoverlapping(held, self.start.get(), count * self.size) };
    }
}

/// Computes `count` elements in runs: `each` is given the operands' tiles, where the results go,
/// and how many. Runs are shared by all threads if there are many.
pub fn for_tiles<const N: usize>(
    native: &Native,
    count: usize,
    readers: &[Reader; N],
    writer: Writer,
    each: impl Fn([Tile; N], *mut u8, usize) + Sync,
) {
    if count <= CHUNK * 2 {
        return chunk(0, count, readers, writer, &each);
    }
    native.threads.share(count.div_ceil(CHUNK), |task| {
        let first = task * CHUNK;
        chunk(first, (first + CHUNK).min(count), readers, writer, &each);
    });
}

fn chunk<const N: usize>(
    mut first: usize,
    end: usize,
    readers: &[Reader; N],
    writer: Writer,
    each: &(impl Fn([Tile; N], *mut u8, usize) + Sync),
) {
    let direct = readers.iter().all(Reader::is_direct);
    let limit = if direct && !writer.in_place { CHUNK * 2 } else { TILE };
    let row = readers.iter().filter_map(Reader::row).min().unwrap_or(usize::MAX);
    let mut scratch = [const { Scratch::uninit() }; N];
    let mut results = Scratch::uninit();
    while first < end {
        let mut len = limit.min(end - first);
        if row >= SHORT_ROW {
            len = len.min(row - first % row);
        }
        let mut scratch = scratch.iter_mut();
        let tiles = std::array::from_fn(|operand| {
            let scratch = scratch.next().expect("one for each operand");
            // SAFETY: the elements exist, and runs are short unless every reader is direct.
            unsafe { readers[operand].tile(first, len, scratch) }
        });
        let out = writer.start.get().wrapping_add(first * writer.size);
        if writer.in_place {
            let held = results.as_mut_ptr().cast::<u8>();
            each(tiles, held, len);
            // SAFETY: `each` wrote `len` results, which is at most a tile, and the output has room.
            unsafe { std::ptr::copy_nonoverlapping(held, out, len * writer.size) };
        } else {
            each(tiles, out, len);
        }
        first += len;
    }
}
