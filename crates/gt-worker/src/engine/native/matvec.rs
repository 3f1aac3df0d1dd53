//! Products of a matrix and a vector. Every element of a result is summed in one order, whether the
//! matrix lies by rows or by columns, so that neither has to be copied; how a value lies depends on
//! where it was computed, and no bit may.

use super::number::Number;
use super::simd::vectorized;

/// An element is the sum of so many sums, each of every so-many-th product …
const LANES: usize = 16;
/// … for each block of so many products.
const BLOCK: usize = 4096;
/// So many elements of a result are computed together where the matrix lies by columns: all their
/// sums fit into the fastest cache.
const TILE: usize = 64;
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

impl<T: Number> Matrix<T> {
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
            for (output, out) in out.iter_mut().enumerate() {
                // SAFETY: a row of the matrix; the caller says that it is there.
                let row = unsafe { std::slice::from_raw_parts(at(first + output), self.inner) };
                *out = dot(row, vector);
            }
            return;
        }
        for (tile, out) in out.chunks_mut(TILE).enumerate() {
            let (step, end) = (self.steps[1] as usize, out.len());
            let length = (self.inner - 1) * step + end;
            // SAFETY: as above; outputs lie one after another, and rows so far apart.
            let columns = unsafe { std::slice::from_raw_parts(at(first + tile * TILE), length) };
            out.fill(T::ZERO);
            for (block, vector) in vector.chunks(BLOCK).enumerate() {
                add_columns(&columns[block * BLOCK * step..], step, vector, out);
            }
        }
    }
}

vectorized! {
    fn dot<T: Number>(row: &[T], vector: &[T]) -> T {
        let mut total = T::ZERO;
        for (row, vector) in row.chunks(BLOCK).zip(vector.chunks(BLOCK)) {
            let mut lanes = [T::ZERO; LANES];
            let (rows, vectors) = (row.chunks_exact(LANES), vector.chunks_exact(LANES));
            let rest = rows.remainder().iter().zip(vectors.remainder());
            for (row, vector) in rows.zip(vectors) {
                for ((lane, &a), &b) in lanes.iter_mut().zip(row).zip(vector) {
                    *lane = lane.plus(a.times(b));
                }
            }
            for (lane, (&a, &b)) in lanes.iter_mut().zip(rest) {
                *lane = lane.plus(a.times(b));
            }
            total = total.plus(sum(lanes));
        }
        total
    }
}

vectorized! {
    /// Adds to each of up to [`TILE`] outputs the products of one block, whose rows are `step`
    /// elements apart.
    fn add_columns<T: Number>(columns: &[T], step: usize, vector: &[T], out: &mut [T]) {
        let mut lanes = [[T::ZERO; TILE]; LANES];
        for (inner, &factor) in vector.iter().enumerate() {
            // Rows may overlap.
            let row = &columns[inner * step..][..out.len()];
            for (lane, &element) in lanes[inner % LANES].iter_mut().zip(row) {
                *lane = lane.plus(element.times(factor));
            }
        }
        for (column, out) in out.iter_mut().enumerate() {
            *out = out.plus(sum(lanes.map(|lane| lane[column])));
        }
    }
}

/// The sum of all lanes, halves added to each other.
#[inline(always)]
fn sum<T: Number>(mut lanes: [T; LANES]) -> T {
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
