//! Products of a matrix and a vector. Every element of a result is summed in one order, whether the
//! matrix lies by rows or by columns, so that neither has to be copied; how a value lies depends on
//! where it was computed, and no bit may.

use super::lanes::{Lanes, Vectors, Work};
use super::number::Number;

/// An element is the sum of so many sums, each of every so-many-th product …
const LANES: usize = 16;
/// … for each block of so many products.
const BLOCK: usize = 4096;
/// So many elements of a result are computed together where the matrix lies by columns: all their
/// sums fit into the fastest cache.
const TILE: usize = 64;
/// So many rows are multiplied at a time.
const TOGETHER: usize = 4;
/// A thread is given about so many products at a time.
const SHARE: usize = 1 << 16;

/// A matrix that is multiplied by a vector of `inner` elements.
#[derive(Clone, Copy)]
pub struct Matrix<T> {
    pub start: *const T,
    pub inner: usize,
    /// The distances between elements that belong to neighbouring outputs, and to neighbouring
    /// elements of the vector. One of them is one, unless there is one element only.
    pub steps: [isize; 2],
}

impl<T: Vectors> Matrix<T> {
    /// Whether all products of an element lie one after another.
    fn is_by_rows(&self) -> bool {
        self.inner == 1 || self.steps[1] == 1
    }

    /// How many elements of the result a thread computes at a time.
    pub fn share(&self) -> usize {
        (SHARE / self.inner.max(1)).max(1).next_multiple_of(TILE)
    }

    /// The elements of the product with `vector` from `first` on.
    ///
    /// # Safety
    /// The matrix lies within a value, and has as many outputs.
    pub unsafe fn times(&self, vector: &[T], first: usize, out: &mut [T]) {
        let at = |output: usize| self.start.wrapping_offset(output as isize * self.steps[0]);
        if self.is_by_rows() {
            let (start, step) = (at(first), self.steps[0]);
            return T::with_lanes(&Rows {
                start,
                step,
                vector,
                out: out.as_mut_ptr(),
                count: out.len(),
            });
        }
        for (tile, out) in out.chunks_mut(TILE).enumerate() {
            let (start, step) = (at(first + tile * TILE), self.steps[1]);
            out.fill(T::ZERO);
            for (block, vector) in vector.chunks(BLOCK).enumerate() {
                let start = start.wrapping_offset((block * BLOCK) as isize * step);
                let (out, count) = (out.as_mut_ptr(), out.len());
                T::with_lanes(&Columns { start, step, vector, out, count });
            }
        }
    }
}

/// Products of `count` rows, `step` apart, with a vector.
struct Rows<'a, T> {
    start: *const T,
    step: isize,
    vector: &'a [T],
    out: *mut T,
    count: usize,
}

impl<T: Vectors> Work<T> for Rows<'_, T> {
    #[inline(always)]
    unsafe fn run<V: Lanes<Number = T>>(&self) {
        let mut row = 0;
        // Several rows at a time, because memory answers several questions at a time.
        while row + TOGETHER <= self.count {
            // SAFETY: the rows and their places in the result are there, here and below.
            unsafe { self.rows::<V, TOGETHER>(row) };
            row += TOGETHER;
        }
        for row in row..self.count {
            // SAFETY: as above.
            unsafe { self.rows::<V, 1>(row) };
        }
    }
}

impl<T: Vectors> Rows<'_, T> {
    #[inline(always)]
    unsafe fn rows<V: Lanes<Number = T>, const R: usize>(&self, first: usize) {
        let start: [*const T; R] = std::array::from_fn(|row| {
            self.start.wrapping_offset((first + row) as isize * self.step)
        });
        let mut totals = [T::ZERO; R];
        for (block, vector) in self.vector.chunks(BLOCK).enumerate() {
            let start = start.map(|row| row.wrapping_add(block * BLOCK));
            // SAFETY: the rows have as many numbers as the vector.
            let lanes = unsafe { dots::<V, R>(start, vector) };
            for (total, lanes) in totals.iter_mut().zip(lanes) {
                *total = total.plus(sum(lanes));
            }
        }
        for (row, total) in totals.into_iter().enumerate() {
            // SAFETY: the result has so many places.
            unsafe { *self.out.add(first + row) = total };
        }
    }
}

/// For each row the sums of every [`LANES`]-th product with one block of the vector.
#[inline(always)]
unsafe fn dots<V: Lanes, const R: usize>(
    rows: [*const V::Number; R],
    vector: &[V::Number],
) -> [[V::Number; LANES]; R] {
    let mut lanes = [[V::Number::ZERO; LANES]; R];
    let whole = vector.len() / LANES * LANES;
    let mut part = 0;
    // As many lanes at a time as stay in registers for all rows.
    while part < LANES {
        // SAFETY: the rows have as many numbers as the vector, and all vectors of a part are
        // within [`LANES`].
        unsafe {
            let mut sums = [[V::splat(V::Number::ZERO); 2]; R];
            let wide = if V::COUNT < LANES { 2 } else { 1 };
            let mut at = part;
            while at < whole {
                for index in 0..wide {
                    let at = at + index * V::COUNT;
                    let factor = V::load(vector.as_ptr().add(at));
                    for (sums, row) in sums.iter_mut().zip(rows) {
                        sums[index] = sums[index].add_product(V::load(row.add(at)), factor);
                    }
                }
                at += LANES;
            }
            for (lanes, sums) in lanes.iter_mut().zip(sums) {
                for (index, sum) in sums.into_iter().enumerate().take(wide) {
                    sum.store(lanes.as_mut_ptr().add(part + index * V::COUNT));
                }
            }
            part += wide * V::COUNT;
        }
    }
    for (lanes, row) in lanes.iter_mut().zip(rows) {
        for (lane, at) in (whole..vector.len()).enumerate() {
            // SAFETY: as above.
            lanes[lane] = unsafe { V::add_one(lanes[lane], *row.add(at), vector[at]) };
        }
    }
    lanes
}

/// Adds to each of up to [`TILE`] outputs, which lie one after another, the products of one block
/// of the vector, whose rows are `step` apart.
struct Columns<'a, T> {
    start: *const T,
    step: isize,
    vector: &'a [T],
    out: *mut T,
    count: usize,
}

impl<T: Vectors> Work<T> for Columns<'_, T> {
    #[inline(always)]
    unsafe fn run<V: Lanes<Number = T>>(&self) {
        let mut lanes = [[T::ZERO; TILE]; LANES];
        let mut held = [T::ZERO; TILE];
        for (inner, &factor) in self.vector.iter().enumerate() {
            let mut row = self.start.wrapping_offset(inner as isize * self.step);
            let lane = lanes[inner % LANES].as_mut_ptr();
            // SAFETY: the row has `count` numbers, and what is held has [`TILE`], as a lane has.
            unsafe {
                if self.count < TILE {
                    std::ptr::copy_nonoverlapping(row, held.as_mut_ptr(), self.count);
                    row = held.as_ptr();
                }
                let factor = V::splat(factor);
                for at in (0..TILE).step_by(V::COUNT) {
                    V::load(lane.add(at))
                        .add_product(V::load(row.add(at)), factor)
                        .store(lane.add(at));
                }
            }
        }
        for column in 0..self.count {
            // SAFETY: the result has so many places.
            let out = unsafe { &mut *self.out.add(column) };
            *out = out.plus(sum(lanes.map(|lane| lane[column])));
        }
    }
}

/// The sum of all lanes, halves added to each other.
#[inline(always)]
fn sum<T: Vectors>(mut lanes: [T; LANES]) -> T {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] = lanes[lane].plus(lanes[lane + half]);
        }
        half /= 2;
    }
    lanes[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_do_not_depend_on_how_a_matrix_lies() {
        for (outputs, inner) in [(1, 1), (3, 17), (65, 300), (130, 4099), (7, 9000), (1, 200_000)] {
            let number = |seed: usize| ((seed * 2_654_435_761) % 1000) as f32 / 300.0 - 1.5;
            let by_rows: Vec<f32> = (0..outputs * inner).map(number).collect();
            let at = |place: usize| by_rows[place % outputs * inner + place / outputs];
            let by_columns: Vec<f32> = (0..outputs * inner).map(at).collect();
            let vector: Vec<f32> = (0..inner).map(|place| number(place + 77)).collect();
            let product = |matrix: &[f32], steps: [usize; 2], first: usize| {
                let steps = steps.map(|step| step as isize);
                let matrix = Matrix { start: matrix.as_ptr(), inner, steps };
                let mut out = vec![f32::NAN; outputs - first];
                // SAFETY: the matrix has so many elements, in this order.
                unsafe { matrix.times(&vector, first, &mut out) };
                out
            };
            let whole = Matrix { start: by_rows.as_ptr(), inner, steps: [inner as isize, 1] };
            assert!(whole.share() >= TILE);
            let rows = product(&by_rows, [inner, 1], 0);
            assert_eq!(rows, product(&by_columns, [1, outputs], 0), "{outputs} x {inner}");
            assert_eq!(rows[outputs / 2..], product(&by_columns, [1, outputs], outputs / 2));
            for (row, &found) in by_rows.chunks(inner).zip(&rows) {
                let products = row.iter().zip(&vector).map(|(&a, &b)| f64::from(a) * f64::from(b));
                let (exact, size) = products
                    .fold((0.0, 0.0), |(sum, size), product| (sum + product, size + product.abs()));
                assert!((f64::from(found) - exact).abs() <= 1e-6 * size, "{found} {exact}");
            }
        }
    }
}
