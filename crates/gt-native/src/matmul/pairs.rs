//! Products of bfloat16 by instructions that multiply pairs of numbers and add them to sums in f32.
//! They take numbers below the normal ones for zero, so that a row or a column with numbers small
//! enough to meet these is multiplied in f32. That depends on the row and the column of an element
//! alone, and not on what is computed with it.

use std::sync::atomic::{AtomicBool, Ordering};

use gt_core::dtype::DType;
use gt_core::error::Result;
use gt_core::shape::{Meta, Shape};
use gt_worker::value::Value;

use super::{Product, block, wide_product};
use crate::simd::vectorized;
use crate::tile::Shared;
use crate::{Native, movement};

/// The bits of 2⁻⁵⁵. Products of numbers from there on are multiples of 2⁻¹²⁴, and so are their
/// sums: none of them lies below the normal numbers.
const SMALL: u16 = (127 - 55) << 7;

#[inline(always)]
fn is_tiny(bits: u16) -> bool {
    (bits & 0x7fff).wrapping_sub(1) < SMALL - 1
}

vectorized! {
    /// Puts the numbers of two rows side by side; says whether one of them is tiny.
    fn interleave(first: &[u16], second: &[u16], to: &mut [u32]) -> bool {
        let mut tiny = false;
        for ((to, &first), &second) in to.iter_mut().zip(first).zip(second) {
            *to = u32::from(first) | u32::from(second) << 16;
            tiny |= is_tiny(first) | is_tiny(second);
        }
        tiny
    }
}

vectorized! {
    fn any_tiny(numbers: &[u16]) -> bool {
        numbers.iter().fold(false, |tiny, &bits| tiny | is_tiny(bits))
    }
}

/// Pairs of numbers along the inner axis, in the place of one f32 each, and which rows of a left
/// matrix or columns of a right one have tiny numbers.
struct Pairs {
    value: Value,
    tiny: Vec<AtomicBool>,
}

impl Pairs {
    /// Of matrices whose inner axis is the last one.
    fn along_rows(native: &Native, value: &Value) -> Result<Self> {
        let value = movement::contiguous(native, value)?;
        let (shape, numbers) = (value.shape(), value.as_ptr().cast::<u16>().cast_mut());
        let axis = shape.rank() - 1;
        let (inner, pairs) = (shape[axis], shape[axis].div_ceil(2));
        let tiny = flags(shape.count() / inner);
        let meta = Meta { dtype: DType::F32, shape: shape.with(axis, pairs) };
        let (result, writer) = native.output(&meta)?;
        let (from, to) = (Shared(numbers), Shared(writer.start.get().cast::<u16>()));
        native.split(tiny.len(), inner, |row| {
            // SAFETY: both have so many rows, and each row is written once.
            let (from, to) = unsafe {
                let to = to.get().add(row * 2 * pairs);
                let from = from.get().add(row * inner).cast_const();
                (
                    std::slice::from_raw_parts(from, inner),
                    std::slice::from_raw_parts_mut(to, 2 * pairs),
                )
            };
            to[..inner].copy_from_slice(from);
            to[inner..].fill(0);
            tiny[row].store(any_tiny(from), Ordering::Relaxed);
        });
        Ok(Pairs { value: result, tiny })
    }

    /// Of matrices whose inner axis is the last but one.
    fn down_columns(native: &Native, value: &Value) -> Result<Self> {
        let rank = value.shape().rank();
        if value.strides()[rank - 2] == 1 {
            let mut turned: Vec<usize> = (0..rank).collect();
            turned.swap(rank - 2, rank - 1);
            let rows = movement::permute(&turned, value.clone());
            let Pairs { value, tiny } = Pairs::along_rows(native, &rows)?;
            return Ok(Pairs { value: movement::permute(&turned, value), tiny });
        }
        let value = movement::contiguous(native, value)?;
        let (shape, numbers) = (value.shape(), value.as_ptr().cast::<u16>().cast_mut());
        let (inner, columns) = (shape[rank - 2], shape[rank - 1]);
        let (pairs, matrices) = (inner.div_ceil(2), shape.count() / (inner * columns));
        let tiny = flags(matrices * columns);
        let meta = Meta { dtype: DType::F32, shape: shape.with(rank - 2, pairs) };
        let (result, writer) = native.output(&meta)?;
        let (from, to) = (Shared(numbers), Shared(writer.start.get().cast::<u32>()));
        let zeros = vec![0; if inner.is_multiple_of(2) { 0 } else { columns }];
        native.split(matrices * pairs, 2 * columns, |task| {
            let (matrix, pair) = (task / pairs, task % pairs);
            // SAFETY: the value has so many rows, and so has the result, of which each is written
            // once.
            let (first, second, to) = unsafe {
                let row = |row: usize| {
                    let start = from.get().add((matrix * inner + row) * columns).cast_const();
                    std::slice::from_raw_parts(start, columns)
                };
                let second = if 2 * pair + 1 < inner { row(2 * pair + 1) } else { &zeros };
                let to = to.get().add(task * columns);
                (row(2 * pair), second, std::slice::from_raw_parts_mut(to, columns))
            };
            if interleave(first, second, to) {
                for (column, (&first, &second)) in first.iter().zip(second).enumerate() {
                    if is_tiny(first) | is_tiny(second) {
                        tiny[matrix * columns + column].store(true, Ordering::Relaxed);
                    }
                }
            }
        });
        Ok(Pairs { value: result, tiny })
    }

    fn has_tiny(&self) -> bool {
        self.tiny.iter().any(|tiny| tiny.load(Ordering::Relaxed))
    }
}

fn flags(count: usize) -> Vec<AtomicBool> {
    (0..count).map(|_| AtomicBool::new(false)).collect()
}

/// The product of two values in bfloat16, neither of which is empty, in f32.
pub(super) fn multiply(native: &Native, a: &Value, b: &Value, shape: &Shape) -> Result<Value> {
    let (left, right) = (Pairs::along_rows(native, a)?, Pairs::down_columns(native, b)?);
    let meta = Meta { dtype: DType::F32, shape: shape.clone() };
    let (mut result, writer) = native.output(&meta)?;
    let product = Product::new(&left.value, &right.value, &meta, writer.start);
    product.float(native, block::product_of_pairs);
    if left.has_tiny() || right.has_tiny() {
        let exact = wide_product(native, a.clone(), b.clone(), &meta)?;
        replace(&product, [&left, &right], &exact, &mut result);
    }
    Ok(result)
}

/// Takes the elements in rows and columns that have tiny numbers from another result.
fn replace(product: &Product, [left, right]: [&Pairs; 2], from: &Value, to: &mut Value) {
    let (from, to) = (from.slice::<f32>(), to.slice_mut::<f32>());
    let (from, to) = from.zip(to).expect("both are results of ours");
    let is_tiny = |pairs: &Pairs, at: usize| pairs.tiny[at].load(Ordering::Relaxed);
    let Product { m, n, k, .. } = *product;
    for index in 0..product.count() {
        let [out, rows, columns] = product.batch.position(index).map(|at| at as usize);
        let (rows, columns) = (rows / k, columns / k);
        for row in 0..m {
            let start = out + row * n;
            let whole = is_tiny(left, rows + row);
            for column in 0..n {
                if whole || is_tiny(right, columns + column) {
                    to[start + column] = from[start + column];
                }
            }
        }
    }
}
