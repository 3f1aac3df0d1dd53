//! Walking over strided memory: loops over several operands, merged into as few axes as possible.

use std::ops::Range;

use smallvec::SmallVec;

/// A loop over the elements of `N` operands of one shape. Axes that all operands step through
/// evenly are merged, so that most loops have one or two axes. Distances are in elements.
#[derive(Clone, Debug)]
pub struct Walk<const N: usize> {
    outer: SmallVec<[(usize, [isize; N]); 4]>,
    inner: (usize, [isize; N]),
}

impl<const N: usize> Walk<N> {
    /// The loop over `shape` for operands with these strides.
    pub fn new(shape: &[usize], strides: [&[isize]; N]) -> Self {
        let mut outer: SmallVec<[(usize, [isize; N]); 4]> = SmallVec::new();
        let mut inner: Option<(usize, [isize; N])> = None;
        for (axis, &size) in shape.iter().enumerate() {
            if size == 1 {
                continue;
            }
            let steps = strides.map(|strides| strides[axis]);
            inner = Some(match inner {
                Some((before, wide)) if continues(&wide, &steps, size) => (before * size, steps),
                Some(finished) => {
                    outer.push(finished);
                    (size, steps)
                }
                None => (size, steps),
            });
        }
        Walk { outer, inner: inner.unwrap_or((1, [1; N])) }
    }

    /// How many elements the innermost loop has.
    pub fn row_len(&self) -> usize {
        self.inner.0
    }

    /// How far each operand steps in the innermost loop.
    pub fn row_steps(&self) -> [isize; N] {
        self.inner.1
    }

    /// How often the innermost loop runs.
    pub fn row_count(&self) -> usize {
        self.outer.iter().map(|axis| axis.0).product()
    }

    /// Whether each operand is a single run with the innermost step.
    pub fn is_flat(&self) -> bool {
        self.outer.is_empty()
    }

    /// Where each operand's row number `row` begins.
    pub fn row_start(&self, row: usize) -> [isize; N] {
        let mut rest = row;
        let mut start = [0; N];
        for (size, steps) in self.outer.iter().rev() {
            let index = (rest % size) as isize;
            rest /= size;
            for operand in 0..N {
                start[operand] += index * steps[operand];
            }
        }
        start
    }

    /// Where each operand's element number `index` is.
    pub fn position(&self, index: usize) -> [isize; N] {
        let mut start = self.row_start(index / self.inner.0);
        let within = (index % self.inner.0) as isize;
        for (start, step) in start.iter_mut().zip(self.inner.1) {
            *start += within * step;
        }
        start
    }

    /// Calls `each` with where each operand's row begins, for these rows.
    pub fn for_rows(&self, rows: Range<usize>, mut each: impl FnMut([isize; N])) {
        if rows.is_empty() {
            return;
        }
        let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, self.outer.len());
        let mut rest = rows.start;
        for (axis, (size, _)) in self.outer.iter().enumerate().rev() {
            index[axis] = rest % size;
            rest /= size;
        }
        let mut start = self.row_start(rows.start);
        for _ in rows {
            each(start);
            for (axis, (size, steps)) in self.outer.iter().enumerate().rev() {
                index[axis] += 1;
                let carry = index[axis] == *size;
                let back = if carry { *size as isize } else { 0 };
                for operand in 0..N {
                    start[operand] += (1 - back) * steps[operand];
                }
                if !carry {
                    break;
                }
                index[axis] = 0;
            }
        }
    }
}

/// Whether an axis of `size` with `steps` carries on where an outer one with `wide` steps is.
fn continues<const N: usize>(wide: &[isize; N], steps: &[isize; N], size: usize) -> bool {
    (0..N).all(|operand| wide[operand] == steps[operand] * size as isize)
}

/// Evaluates an expression with a type of the same size as the elements.
#[macro_export]
macro_rules! by_size {
    ($size:expr, $type:ident => $body:expr) => {
        match $size {
            1 => {
                type $type = u8;
                $body
            }
            2 => {
                type $type = u16;
                $body
            }
            4 => {
                type $type = u32;
                $body
            }
            8 => {
                type $type = u64;
                $body
            }
            size => unreachable!("no dtype has {size} bytes"),
        }
    };
}
pub use by_size;

/// Copies every element from the second operand to the first.
///
/// # Safety
/// Every position of the walk, counted in elements of `size` bytes, is valid for both pointers and
/// aligned, and the two do not overlap.
pub unsafe fn copy(size: usize, walk: &Walk<2>, target: *mut u8, source: *const u8) {
    // SAFETY: as promised by the caller.
    unsafe { copy_rows(size, walk, 0..walk.row_count(), target, source) }
}

/// As [`copy`], for these rows only.
///
/// # Safety
/// As for [`copy`].
pub unsafe fn copy_rows(
    size: usize,
    walk: &Walk<2>,
    rows: Range<usize>,
    target: *mut u8,
    source: *const u8,
) {
    by_size!(size, T => {
        let (target, source) = (target.cast::<T>(), source.cast::<T>());
        // SAFETY: as promised by the caller.
        unsafe { copy_typed(walk, rows, target, source) }
    });
}

unsafe fn copy_typed<T: Copy + Default>(
    walk: &Walk<2>,
    rows: Range<usize>,
    target: *mut T,
    source: *const T,
) {
    let len = walk.row_len();
    if len == 0 {
        return;
    }
    // SAFETY: as promised by the caller of `copy`.
    unsafe {
        match (walk.row_steps(), walk.outer.last()) {
            ([1, 1], _) => walk.for_rows(rows, |[to, from]| {
                std::ptr::copy_nonoverlapping(source.offset(from), target.offset(to), len);
            }),
            ([1, 0], _) => walk.for_rows(rows, |[to, from]| {
                let value = *source.offset(from);
                std::slice::from_raw_parts_mut(target.offset(to), len).fill(value);
            }),
            (steps, Some(&(size, outer))) if size >= BLOCK && len >= BLOCK => {
                transpose(walk, rows, (size, outer), (len, steps), target, source);
            }
            ([to_step, from_step], _) => walk.for_rows(rows, |[to, from]| {
                for index in 0..len as isize {
                    *target.offset(to + index * to_step) = *source.offset(from + index * from_step);
                }
            }),
        }
    }
}

/// Rows and columns that are copied together, so that a cache line of either side is used whole.
pub const BLOCK: usize = 16;

unsafe fn transpose<T: Copy + Default>(
    walk: &Walk<2>,
    rows: Range<usize>,
    (height, outer): (usize, [isize; 2]),
    (len, steps): (usize, [isize; 2]),
    target: *mut T,
    source: *const T,
) {
    let mut row = rows.start;
    while row < rows.end {
        // A block of rows must not cross into the next plane.
        let count = BLOCK.min(rows.end - row).min(height - row % height);
        let [to, from] = walk.row_start(row);
        for left in (0..len).step_by(BLOCK) {
            let width = BLOCK.min(len - left);
            let to = to + left as isize * steps[0];
            let from = from + left as isize * steps[1];
            // SAFETY: as promised by the caller of `copy`.
            unsafe {
                let (target, source) = (target.offset(to), source.offset(from));
                if (count, width, outer[1], steps[0]) == (BLOCK, BLOCK, 1, 1) {
                    transpose_block(source, steps[1], target, outer[0]);
                    continue;
                }
                for line in 0..count as isize {
                    for column in 0..width as isize {
                        *target.offset(line * outer[0] + column * steps[0]) =
                            *source.offset(line * outer[1] + column * steps[1]);
                    }
                }
            }
        }
        row += count;
    }
}

/// Turns a block whose lines are runs in the source and whose columns are runs in the target.
unsafe fn transpose_block<T: Copy + Default>(
    source: *const T,
    source_step: isize,
    target: *mut T,
    target_step: isize,
) {
    // Read along the source and written along the target: at strides of a power of two, a cache
    // would not keep the lines of a block until they are used up.
    let mut block = [[T::default(); BLOCK]; BLOCK];
    for (column, block) in block.iter_mut().enumerate() {
        // SAFETY: as promised by the caller of `copy`.
        *block =
            unsafe { source.offset(column as isize * source_step).cast::<[T; BLOCK]>().read() };
    }
    for line in 0..BLOCK {
        let mut run = [T::default(); BLOCK];
        for (element, block) in run.iter_mut().zip(&block) {
            *element = block[line];
        }
        // SAFETY: as above.
        unsafe { target.offset(line as isize * target_step).cast::<[T; BLOCK]>().write(run) };
    }
}

/// Reads the elements `first..first + out.len()` of a strided operand, counted row by row.
///
/// # Safety
/// Every position of the walk is valid for `source`.
pub unsafe fn gather<T: Copy>(walk: &Walk<1>, source: *const T, first: usize, out: &mut [T]) {
    let (len, [step]) = (walk.row_len(), walk.row_steps());
    let mut within = first % len.max(1);
    let mut rest = out;
    let last = (first + rest.len()).div_ceil(len.max(1));
    walk.for_rows(first / len.max(1)..last, |[start]| {
        let count = (len - within).min(rest.len());
        let (head, tail) = std::mem::take(&mut rest).split_at_mut(count);
        // SAFETY: as promised by the caller.
        unsafe {
            let row = source.offset(start + within as isize * step);
            match step {
                1 => std::ptr::copy_nonoverlapping(row, head.as_mut_ptr(), count),
                0 => head.fill(*row),
                _ => {
                    for (index, element) in head.iter_mut().enumerate() {
                        *element = *row.offset(index as isize * step);
                    }
                }
            }
        }
        rest = tail;
        within = 0;
    });
}
