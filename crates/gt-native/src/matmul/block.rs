//! A product of two matrices on one thread, in blocks that stay in the caches. What is multiplied
//! is copied into panels first, so that the innermost loop reads memory in order, whatever the
//! strides are.
//!
//! An element of the result is a sum along the inner axis, one product after another, in parts
//! whose lengths depend on that of the axis alone. So its bits depend neither on how the operands
//! lie nor on which rows and columns are computed with it.

use super::pack::{copy, pack};
use crate::lanes::{Lanes, Vectors, Work, with_pairs};
use crate::number::Number;
use crate::scratch::with_scratch;

/// The most that is summed at a time along the inner axis.
const DEPTH: usize = 256;
/// How many rows and columns of the operands are in panels at a time: multiples of every tile.
const ROWS: usize = 192;
const COLUMNS: usize = 1536;
/// The most numbers in a tile.
const TILE: usize = 8 * 48;
/// Panels begin at cache lines.
const LINE: usize = 64;
/// What lies in runs is read where it is by so few tiles …
const FEW_TILES: usize = 3;
/// … and so are rows of the left operand that are at most this far apart.
const NEAR: usize = 1024;

/// A matrix: its first element, and the distances between rows and between columns.
#[derive(Clone, Copy)]
pub struct Matrix<T> {
    pub start: *const T,
    pub steps: [isize; 2],
}

/// The sizes of a product: rows, inner axis, columns.
pub type Sizes = [usize; 3];

/// Computes the product of two matrices; the rows of the result are `step` apart.
///
/// # Safety
/// The matrices have these sizes, the inner one of which is not zero, and nobody else uses the
/// result.
pub unsafe fn product<T: Vectors>(sizes: Sizes, factors: [Matrix<T>; 2], out: *mut T, step: usize) {
    // SAFETY: as promised by the caller.
    unsafe { in_panels(sizes, factors, (out, step), |block| T::with_lanes(block)) }
}

/// The same for pairs of bfloat16 along the inner axis, each in the place of one number; the inner
/// size is the number of pairs.
///
/// # Safety
/// As for [`product`], and the processor has products of pairs.
pub unsafe fn product_of_pairs(
    sizes: Sizes,
    factors: [Matrix<f32>; 2],
    out: *mut f32,
    step: usize,
) {
    // SAFETY: as promised by the caller.
    unsafe { in_panels(sizes, factors, (out, step), |block| with_pairs(block)) }
}

/// Gives a block its room for panels.
///
/// # Safety
/// As for [`product`].
unsafe fn in_panels<T: Vectors>(
    sizes: Sizes,
    [left, right]: [Matrix<T>; 2],
    (out, step): (*mut T, usize),
    run: impl FnOnce(&Block<T>),
) {
    let [rows, inner, columns] = sizes;
    let depth = inner.min(DEPTH);
    let left_len = depth * ROWS.min(rows.next_multiple_of(8));
    let right_len = depth * COLUMNS.min(columns.next_multiple_of(48));
    let spare = LINE / size_of::<T>();
    with_scratch(left_len + right_len + 2 * spare, |scratch: &mut [T]| {
        let first = scratch.as_mut_ptr();
        let first = first.wrapping_add(first.align_offset(LINE));
        let second = first.wrapping_add(left_len.next_multiple_of(spare));
        run(&Block { sizes, left, right, out, step, panels: [first, second] });
    });
}

struct Block<T> {
    sizes: Sizes,
    left: Matrix<T>,
    right: Matrix<T>,
    out: *mut T,
    step: usize,
    /// Room for what is in panels, of either operand.
    panels: [*mut T; 2],
}

impl<T: Vectors> Work<T> for Block<T> {
    #[inline(always)]
    unsafe fn run<V: Lanes<Number = T>>(&self) {
        // SAFETY: as promised by the caller of `product`; tiles fit the processor's registers.
        unsafe {
            match (self.sizes[0], V::REGISTERS) {
                (1, _) => self.parts::<V, 1, 3>(),
                (_, 24..) => self.parts::<V, 8, 3>(),
                _ => self.parts::<V, 4, 3>(),
            }
        }
    }
}

/// Where a part of the product is, and how large it is.
#[derive(Clone, Copy)]
struct Part {
    first: usize,
    depth: usize,
    row: usize,
    rows: usize,
    column: usize,
    columns: usize,
}

impl<T: Vectors> Block<T> {
    /// Goes through the product in parts, with tiles of `R` rows and `C` vectors.
    #[inline(always)]
    unsafe fn parts<V: Lanes<Number = T>, const R: usize, const C: usize>(&self) {
        let [rows, inner, columns] = self.sizes;
        let count = inner.div_ceil(DEPTH);
        // Few rows are read where they are; more would fetch them from afar again and again.
        let copies = rows > R * FEW_TILES || self.right.steps[1] != 1;
        let are_near =
            self.left.steps[0].unsigned_abs() <= NEAR || columns <= C * V::COUNT * FEW_TILES;
        let in_place = are_near && self.left.steps[1] == 1;
        // A panel that is used for one row alone is used while it is in the nearest cache.
        let most = if R == 1 { C * V::COUNT } else { COLUMNS };
        for depth in 0..count {
            let first = inner * depth / count;
            let depth = inner * (depth + 1) / count - first;
            let mut column = 0;
            while column < columns {
                let mut part =
                    Part { first, depth, row: 0, rows: 0, column, columns: columns - column };
                part.columns = part.columns.min(most);
                // SAFETY: the part lies within the product, here and below.
                unsafe { self.pack_right::<V, C>(part, copies) };
                while part.row < rows {
                    part.rows = ROWS.min(rows - part.row);
                    // SAFETY: as above.
                    unsafe {
                        if !in_place {
                            self.pack_left::<V, R>(part);
                        }
                        self.tiles::<V, R, C>(part, copies, in_place);
                    }
                    part.row += part.rows;
                }
                column += part.columns;
            }
        }
    }

    #[inline(always)]
    unsafe fn pack_left<V: Lanes<Number = T>, const R: usize>(&self, part: Part) {
        let [across, along] = self.left.steps;
        let start = part.row as isize * across + part.first as isize * along;
        let mut row = 0;
        while row < part.rows {
            let count = R.min(part.rows - row);
            let source = self.left.start.wrapping_offset(start + row as isize * across);
            // SAFETY: the rows are there, and so is room for them.
            unsafe {
                let to = self.panels[0].add(row * part.depth);
                pack::<V>(source, [across, along], [count, part.depth], R, to);
            }
            row += R;
        }
    }

    #[inline(always)]
    unsafe fn pack_right<V: Lanes<Number = T>, const C: usize>(&self, part: Part, copies: bool) {
        let width = C * V::COUNT;
        let [along, across] = self.right.steps;
        let start = part.first as isize * along + part.column as isize * across;
        let mut column = 0;
        while column < part.columns {
            let count = width.min(part.columns - column);
            if copies || count < width {
                let source = self.right.start.wrapping_offset(start + column as isize * across);
                let wide = count.next_multiple_of(V::COUNT);
                // SAFETY: the columns are there, and so is room for them.
                unsafe {
                    let to = self.panels[1].add(column * part.depth);
                    if across == 1 && count == width {
                        copy::<V, C>(source, along, part.depth, to);
                    } else {
                        pack::<V>(source, [across, along], [count, part.depth], wide, to);
                    }
                }
            }
            column += width;
        }
    }

    /// Computes the tiles of a part that is in panels.
    #[inline(always)]
    unsafe fn tiles<V: Lanes<Number = T>, const R: usize, const C: usize>(
        &self,
        part: Part,
        copies: bool,
        in_place: bool,
    ) {
        let width = C * V::COUNT;
        let [along, across] = self.right.steps;
        let mut column = 0;
        while column < part.columns {
            let columns = width.min(part.columns - column);
            let panel = self.panels[1].wrapping_add(column * part.depth).cast_const();
            let own = part.first as isize * along + (part.column + column) as isize * across;
            let own = self.right.start.wrapping_offset(own);
            let at = Part { column: part.column + column, columns, ..part };
            // The last columns have tiles as wide as they need.
            // SAFETY: both panels have so many rows, and the tiles are part of the result.
            unsafe {
                match columns.div_ceil(V::COUNT) {
                    1 => self.column::<V, R, 1>(at, panel, V::COUNT as isize, in_place),
                    2 => self.column::<V, R, 2>(at, panel, 2 * V::COUNT as isize, in_place),
                    _ if copies || columns < width => {
                        self.column::<V, R, C>(at, panel, width as isize, in_place);
                    }
                    _ => self.column::<V, R, C>(at, own, along, in_place),
                }
            }
            column += width;
        }
    }

    /// Computes the tiles of one panel of the right operand, whose rows are `step` apart.
    #[inline(always)]
    unsafe fn column<V: Lanes<Number = T>, const R: usize, const C: usize>(
        &self,
        part: Part,
        right: *const T,
        step: isize,
        in_place: bool,
    ) {
        let mut row = 0;
        while row < part.rows {
            let rows = R.min(part.rows - row);
            let left = self.panels[0].wrapping_add(row * part.depth);
            let out = self.out.wrapping_add((part.row + row) * self.step + part.column);
            let adds = part.first > 0;
            expect_writes::<V, R, C>(out, self.step);
            // SAFETY: as promised by the caller.
            unsafe {
                let sums = match in_place {
                    true => self.tile_in_place::<V, R, C>(part, row, right, step),
                    false => tile::<V, R, C>(part.depth, left, right, step),
                };
                if rows == R && part.columns == C * V::COUNT {
                    store(&sums, out, self.step, adds);
                } else {
                    store_part(&sums, out, self.step, [rows, part.columns], adds);
                }
            }
            row += R;
        }
    }

    /// The tile that begins with a row, of the left operand as it lies: one run for each row.
    #[inline(always)]
    unsafe fn tile_in_place<V: Lanes<Number = T>, const R: usize, const C: usize>(
        &self,
        part: Part,
        row: usize,
        mut right: *const T,
        right_step: isize,
    ) -> [[V; C]; R] {
        let start = self.left.start.wrapping_add(part.first);
        // Rows beyond the last one are not part of the result, and may be any.
        let mut runs = [start; R];
        for (index, run) in runs.iter_mut().enumerate() {
            let row = part.row + (row + index).min(part.rows - 1);
            *run = start.wrapping_offset(row as isize * self.left.steps[0]);
        }
        // SAFETY: the runs and the panel have `depth` numbers.
        unsafe {
            let mut sums = [[V::splat(T::ZERO); C]; R];
            for number in 0..part.depth {
                add_products(&mut sums, right, |row| *runs[row].add(number));
                right = right.wrapping_offset(right_step);
            }
            sums
        }
    }
}

/// A tile of the result: `R` rows of `C` vectors, which stay in registers.
#[inline(always)]
unsafe fn tile<V: Lanes, const R: usize, const C: usize>(
    depth: usize,
    mut left: *const V::Number,
    mut right: *const V::Number,
    right_step: isize,
) -> [[V; C]; R] {
    // SAFETY: the panels have `depth` rows of as many numbers as the tile.
    unsafe {
        let mut sums = [[V::splat(V::Number::ZERO); C]; R];
        for _ in 0..depth {
            add_products(&mut sums, right, |row| *left.add(row));
            left = left.add(R);
            right = right.wrapping_offset(right_step);
        }
        sums
    }
}

/// Adds the products of one number of each row and of the vectors at `right` to a tile.
#[inline(always)]
unsafe fn add_products<V: Lanes, const R: usize, const C: usize>(
    sums: &mut [[V; C]; R],
    right: *const V::Number,
    number_of: impl Fn(usize) -> V::Number,
) {
    // SAFETY: the caller gives the place of so many vectors.
    unsafe {
        // A loop: a function of the library would not be compiled for these vectors.
        let mut factors = [V::splat(V::Number::ZERO); C];
        for (index, factor) in factors.iter_mut().enumerate() {
            *factor = V::load(right.add(index * V::COUNT));
        }
        for (row, sums) in sums.iter_mut().enumerate() {
            let number = V::splat(number_of(row));
            for (sum, factor) in sums.iter_mut().zip(factors) {
                *sum = sum.add_product(number, factor);
            }
        }
    }
}

/// Has the places of a tile brought near while it is computed.
#[inline(always)]
fn expect_writes<V: Lanes, const R: usize, const C: usize>(out: *mut V::Number, step: usize) {
    for row in 0..R {
        for index in 0..C {
            let place = out.wrapping_add(row * step + index * V::COUNT);
            #[cfg(target_arch = "x86_64")]
            {
                use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
                // SAFETY: a prefetch reads nothing that could be seen, wherever it points.
                unsafe { _mm_prefetch::<_MM_HINT_ET0>(place.cast_const().cast()) };
            }
            #[cfg(not(target_arch = "x86_64"))]
            let _ = place;
        }
    }
}

/// Writes a tile, or adds it to what is there.
#[inline(always)]
unsafe fn store<V: Lanes, const R: usize, const C: usize>(
    sums: &[[V; C]; R],
    out: *mut V::Number,
    step: usize,
    adds: bool,
) {
    // SAFETY: the result has a whole tile there.
    unsafe {
        for (row, sums) in sums.iter().enumerate() {
            for (index, &sum) in sums.iter().enumerate() {
                let place = out.add(row * step + index * V::COUNT);
                let sum = if adds { V::load(place).plus(sum) } else { sum };
                sum.store(place);
            }
        }
    }
}

/// The same for a tile of which only some rows and columns are part of the result.
#[inline(always)]
unsafe fn store_part<V: Lanes, const R: usize, const C: usize>(
    sums: &[[V; C]; R],
    out: *mut V::Number,
    step: usize,
    [rows, columns]: [usize; 2],
    adds: bool,
) {
    let mut held = [V::Number::ZERO; TILE];
    let width = C * V::COUNT;
    debug_assert!(R * width <= TILE);
    // SAFETY: a tile fits the memory held, and the result has so many rows and columns there.
    unsafe {
        store(sums, held.as_mut_ptr(), width, false);
        for row in 0..rows {
            for column in 0..columns {
                let (place, sum) = (out.add(row * step + column), held[row * width + column]);
                *place = if adds { (*place).plus(sum) } else { sum };
            }
        }
    }
}
