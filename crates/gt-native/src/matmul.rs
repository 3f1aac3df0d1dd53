//! Matrix products of the last two axes, in batches, on one thread for each panel of the result.
//! 16-bit floats are multiplied in pairs or widened first, so that their result is rounded once.

pub(super) mod block;
mod pack;
mod pairs;

use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::shape::{Meta, Shape};
use gt_worker::value::strided::Walk;
use gt_worker::value::{Strides, Value};

use super::cpu::has_pairs;
use super::lanes::Vectors;
use super::number::Number;
use super::tile::{CHUNK, Shared};
use super::{Native, elementwise, matvec, movement};
use block::Matrix;

/// Products with less work than this are computed by the caller alone.
const SMALL: usize = 1 << 20;

/// A vector and a matrix of more elements than this are multiplied as fast as the matrix can be
/// read, which the order of sums in [`block`] does not allow.
const SMALL_VECTOR: usize = 1 << 16;

/// A side of a product is cut into panels of about this size at least.
const PANEL_SIDE: usize = 96;
/// A product with more work than this has more panels than threads, so that helpers can make room
/// for another caller, and a thread that was held up does not hold up the others.
const LONG: usize = 1 << 31;
/// Panels have as many rows and columns as the kernels' own tiles, or a multiple.
const TILE: [usize; 2] = [8, 48];

/// `a @ b` for tensors of at least two axes; the axes before the last two broadcast.
pub fn matmul(native: &Native, a: Value, b: Value, out: &Meta) -> Result<Value> {
    let dtype = a.dtype();
    if a.shape().rank() < 2 || b.shape().rank() < 2 || b.dtype() != dtype {
        return Err(Error::bug(format!("a product of {} and {}", a.meta(), b.meta())));
    }
    if matches!(dtype, DType::F16 | DType::BF16) {
        let in_pairs = dtype == DType::BF16 && has_pairs() && a.count() > 0 && b.count() > 0;
        let mut result = match in_pairs && !is_large_vector(sizes(&a, &b)) {
            true => pairs::multiply(native, &a, &b, &out.shape)?,
            false => wide_product(native, a, b, out)?,
        };
        return elementwise::cast(native, &mut result, out);
    }
    let (a, b) = ordered(native, a, b)?;
    let (result, writer) = native.output(out)?;
    if out.shape.count() == 0 {
        return Ok(result);
    }
    let product = Product::new(&a, &b, out, writer.start);
    if product.k == 0 {
        // SAFETY: the output has so many bytes, and zero bytes are a zero of every dtype.
        unsafe { writer.start.get().write_bytes(0, out.bytes()) };
        return Ok(result);
    }
    match dtype {
        DType::F32 => product.float::<f32>(native, block::product),
        DType::F64 => product.float::<f64>(native, block::product),
        DType::U8 => product.integer::<u8>(native),
        DType::I8 => product.integer::<i8>(native),
        DType::I16 => product.integer::<i16>(native),
        DType::I32 => product.integer::<i32>(native),
        DType::I64 => product.integer::<i64>(native),
        _ => return Err(Error::bug(format!("there is no matrix product for {dtype}"))),
    }
    Ok(result)
}

/// The product of 16-bit floats in f32, after they are widened.
fn wide_product(native: &Native, a: Value, b: Value, out: &Meta) -> Result<Value> {
    let wide = |shape: &Shape| Meta { dtype: DType::F32, shape: shape.clone() };
    let widened = |mut value: Value| {
        let meta = wide(value.shape());
        elementwise::cast(native, &mut value, &meta)
    };
    matmul(native, widened(a)?, widened(b)?, &wide(&out.shape))
}

/// The sizes of each product of a batch.
fn sizes(a: &Value, b: &Value) -> block::Sizes {
    let (rows, inner) = (a.shape()[a.shape().rank() - 2], a.shape()[a.shape().rank() - 1]);
    [rows, inner, b.shape()[b.shape().rank() - 1]]
}

/// The operands as the kernels take them: runs along one axis, and a vector that is large as one.
fn ordered(native: &Native, a: Value, b: Value) -> Result<(Value, Value)> {
    let [rows, inner, columns] = sizes(&a, &b);
    let is_large = is_large_vector([rows, inner, columns]);
    let order = |value: Value, is_run: bool| match is_run && is_large {
        true => movement::contiguous(native, &value),
        false => with_unit_stride(native, value),
    };
    Ok((order(a, rows == 1)?, order(b, columns == 1)?))
}

fn is_large_vector([rows, inner, columns]: block::Sizes) -> bool {
    rows.min(columns) == 1 && rows.max(columns).saturating_mul(inner) > SMALL_VECTOR
}

/// The value itself if its rows or columns are runs, else a copy of it.
fn with_unit_stride(native: &Native, value: Value) -> Result<Value> {
    let rank = value.shape().rank();
    let unit = |axis: usize| value.strides()[axis] == 1 || value.shape()[axis] == 1;
    let step = |axis: usize| value.strides()[axis] > 0 || value.shape()[axis] == 1;
    let (rows, columns) = (rank - 2, rank - 1);
    if (unit(rows) && step(columns)) || (unit(columns) && step(rows)) {
        return Ok(value);
    }
    movement::contiguous(native, &value)
}

/// Computes a part of a product on one thread; see [`block::product`].
type Multiply<T> = unsafe fn(block::Sizes, [Matrix<T>; 2], *mut T, usize);

/// A batch of products of `m × k` and `k × n` matrices.
struct Product {
    m: usize,
    k: usize,
    n: usize,
    /// Where each product's matrices begin: output, left, right.
    batch: Walk<3>,
    out: Shared<u8>,
    left: Shared<u8>,
    right: Shared<u8>,
    /// Distances between rows, and between columns.
    left_steps: [isize; 2],
    right_steps: [isize; 2],
}

impl Product {
    fn new(a: &Value, b: &Value, out: &Meta, start: Shared<u8>) -> Self {
        let lead = out.shape.rank() - 2;
        let (m, n) = (out.shape[lead], out.shape[lead + 1]);
        let k = a.shape()[a.shape().rank() - 1];
        let sizes = Shape::from(&out.shape[..lead]);
        let steps = |value: &Value| -> [isize; 2] {
            let rank = value.shape().rank();
            [value.strides()[rank - 2], value.strides()[rank - 1]]
        };
        let batch = Walk::new(
            &sizes,
            [&out.shape.strides()[..lead], &lead_strides(a, lead), &lead_strides(b, lead)],
        );
        Product {
            m,
            k,
            n,
            batch,
            out: start,
            left: Shared(a.as_ptr().cast_mut()),
            right: Shared(b.as_ptr().cast_mut()),
            left_steps: steps(a),
            right_steps: steps(b),
        }
    }

    fn count(&self) -> usize {
        self.batch.row_count() * self.batch.row_len()
    }

    fn float<T: Vectors>(&self, native: &Native, multiply: Multiply<T>) {
        if is_large_vector([self.m, self.k, self.n]) {
            return self.vector::<T>(native);
        }
        let work = self.m.saturating_mul(self.n).saturating_mul(self.k);
        let count = self.count();
        let threads = native.threads.count();
        let whole = Panel { rows: (0, self.m), columns: (0, self.n) };
        // Many products are shared whole; a few large ones are shared within.
        if work.saturating_mul(count) <= SMALL || threads == 1 {
            (0..count).for_each(|index| self.panel(multiply, index, whole));
        } else if count >= 2 * threads && work <= SMALL * 64 {
            let together = (SMALL / work.max(1)).max(1);
            native.threads.share(count.div_ceil(together), |chunk| {
                let first = chunk * together;
                for index in first..(first + together).min(count) {
                    self.panel(multiply, index, whole);
                }
            });
        } else {
            let panels = panels(self.m, self.n, threads * (work / LONG).clamp(1, 4));
            native.threads.share(count * panels.len(), |task| {
                self.panel(multiply, task / panels.len(), panels[task % panels.len()]);
            });
        }
    }

    /// One of the matrices is a vector.
    fn vector<T: Vectors>(&self, native: &Native) {
        let matrix = |index: usize| {
            let [_, left, right] = self.batch.position(index);
            let left = self.left.get().cast::<T>().wrapping_offset(left).cast_const();
            let right = self.right.get().cast::<T>().wrapping_offset(right).cast_const();
            let inner = self.k;
            if self.m == 1 {
                let [next_inner, next_column] = self.right_steps;
                let steps = [next_column, next_inner];
                (matvec::Matrix { start: right, inner, steps }, left)
            } else {
                (matvec::Matrix { start: left, inner, steps: self.left_steps }, right)
            }
        };
        let (outputs, share) = (self.m * self.n, matrix(0).0.share());
        let shares = outputs.div_ceil(share);
        native.threads.share(self.count() * shares, |task| {
            let (index, first) = (task / shares, task % shares * share);
            let (matrix, vector) = matrix(index);
            let out = self.out.get().cast::<T>().wrapping_offset(self.batch.position(index)[0]);
            // SAFETY: the operands lie within their values, the vector is one run, and each task
            // has its own part of the output.
            unsafe {
                let count = share.min(outputs - first);
                let out = std::slice::from_raw_parts_mut(out.add(first), count);
                let vector = std::slice::from_raw_parts(vector, self.k);
                matrix.times(vector, first, out);
            }
        });
    }

    /// Computes a panel of one of the products.
    fn panel<T: Vectors>(&self, multiply: Multiply<T>, index: usize, panel: Panel) {
        let [out, left, right] = self.batch.position(index);
        let Panel { rows: (row, rows), columns: (column, columns) } = panel;
        let left = left + row as isize * self.left_steps[0];
        let right = right + column as isize * self.right_steps[1];
        let matrix = |start: Shared<u8>, at: isize, steps: [isize; 2]| Matrix {
            start: start.get().cast::<T>().wrapping_offset(at).cast_const(),
            steps,
        };
        let factors =
            [matrix(self.left, left, self.left_steps), matrix(self.right, right, self.right_steps)];
        let out = out + (row * self.n + column) as isize;
        // SAFETY: the matrices lie within their values, and each panel has its own output.
        unsafe {
            let out = self.out.get().cast::<T>().offset(out);
            multiply([rows, self.k, columns], factors, out, self.n);
        }
    }

    fn integer<T: Number>(&self, native: &Native) {
        let rows = self.count() * self.m;
        let together = (CHUNK / self.n.saturating_mul(self.k).max(1)).max(1);
        native.threads.share(rows.div_ceil(together), |chunk| {
            let first = chunk * together;
            for row in first..(first + together).min(rows) {
                self.integer_row::<T>(row / self.m, row % self.m);
            }
        });
    }

    /// One row of the output: the rows of the right matrix, each times a number of the left one.
    fn integer_row<T: Number>(&self, index: usize, row: usize) {
        let [out, left, right] = self.batch.position(index);
        // SAFETY: the matrices lie within their values, and each row of the output is written by
        // one thread only.
        unsafe {
            let out = self.out.get().cast::<T>().offset(out).add(row * self.n);
            let out = std::slice::from_raw_parts_mut(out, self.n);
            out.fill(T::ZERO);
            let left = self.left.get().cast::<T>().offset(left + row as isize * self.left_steps[0]);
            let right = self.right.get().cast::<T>().offset(right);
            for inner in 0..self.k as isize {
                let factor = *left.offset(inner * self.left_steps[1]);
                let start = right.offset(inner * self.right_steps[0]);
                for (column, out) in out.iter_mut().enumerate() {
                    let other = *start.offset(column as isize * self.right_steps[1]);
                    *out = out.plus(factor.times(other));
                }
            }
        }
    }
}

/// A part of a matrix: where its rows and columns begin, and how many there are.
#[derive(Clone, Copy)]
struct Panel {
    rows: (usize, usize),
    columns: (usize, usize),
}

/// Cuts a result of `m` rows and `n` columns into as many parts as it is large enough for. What is
/// multiplied for a panel is brought into order for each of them, so the grid is the one with the
/// shortest sides; rows are turned around for that, which takes longer.
fn panels(m: usize, n: usize, parts: usize) -> Vec<Panel> {
    let most = |side: usize, parts: usize| parts.min(side / PANEL_SIDE).max(1);
    let grids = (1..=most(m, parts)).map(|rows| (rows, most(n, parts / rows)));
    let length =
        |&(rows, columns): &(usize, usize)| (parts - rows * columns, 2 * m / rows + n / columns);
    let (rows, columns) = grids.min_by_key(length).unwrap_or((1, 1));
    let cuts = |size: usize, parts: usize, step: usize| {
        let steps = size.div_ceil(step);
        let at = move |part: usize| (steps * part / parts * step).min(size);
        (0..parts).map(move |part| (at(part), at(part + 1) - at(part)))
    };
    let rows = cuts(m, rows, TILE[0]);
    let columns = |rows| cuts(n, columns, TILE[1]).map(move |columns| Panel { rows, columns });
    rows.flat_map(columns).collect()
}

/// The strides of the axes before the last two, broadcast to `lead` axes.
pub(super) fn lead_strides(value: &Value, lead: usize) -> Strides {
    let own = value.shape().rank() - 2;
    let step = |axis: usize| match (axis + own).checked_sub(lead) {
        Some(axis) if value.shape()[axis] != 1 => value.strides()[axis],
        _ => 0,
    };
    (0..lead).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_cover_a_result_once() {
        for threads in [2, 3, 4, 8, 72] {
            for (m, n) in [(64, 256), (257, 33), (1000, 1000), (300, 5), (4096, 10), (513, 769)] {
                let panels = panels(m, n, threads);
                assert!(panels.len() <= threads);
                let mut seen = vec![0; m * n];
                for Panel { rows: (row, rows), columns: (column, columns) } in &panels {
                    for at in *row..row + rows {
                        seen[at * n + column..][..*columns].iter_mut().for_each(|seen| *seen += 1);
                    }
                }
                assert!(seen.iter().all(|&times| times == 1), "{m} x {n} on {threads}");
            }
        }
    }
}
