//! Kernels that find or use positions: gathering, scattering, and where elements are not zero.

use std::sync::atomic::{AtomicBool, Ordering};

use gt_core::attrs::Range;
use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::shape::Meta;
use gt_worker::value::Value;
use gt_worker::value::strided::by_size;
use half::{bf16, f16};

use super::halves::Half;
use super::number::Number;
use super::take::{Source, Write, by_write, check_within, combine, with_axes};
use super::tile::Shared;
use super::tree::COLUMNS;
use super::{Native, elementwise, movement};

/// `[before, size, after]`: the axis, and what lies around it. A tensor without axes is one with a
/// single axis.
pub fn around(shape: &[usize], axis: usize) -> Result<[usize; 3]> {
    if shape.is_empty() && axis == 0 {
        return Ok([1; 3]);
    }
    if axis >= shape.len() {
        return Err(Error::bug(format!("there is no axis {axis} in {shape:?}")));
    }
    Ok([shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product()])
}

/// The positions, after checking that every one of them exists.
fn checked(index: &Value, axis: usize, size: usize) -> Result<&[i64]> {
    let positions = index.slice::<i64>();
    let positions = positions.ok_or_else(|| Error::bug(format!("{} as index", index.meta())))?;
    check_within(positions, (0..size as i64, axis))?;
    Ok(positions)
}

/// Whether the axes around `axis` of an index exist in what it is used on.
fn index_fits(index: &Value, x: &[usize], axis: usize) -> bool {
    let within = |(other, (&own, &size)): (usize, (&usize, &usize))| other == axis || own <= size;
    index.shape().rank() == x.len() && index.shape().iter().zip(x).enumerate().all(within)
}

/// `out[i][j] = in[index[i][j]][j]`, for the axis given.
pub fn gather(native: &Native, axis: usize, x: Value, index: Value, out: &Meta) -> Result<Value> {
    let fits = index.shape() == &out.shape;
    let [x, index] = [x, index].map(with_axes);
    if !fits || !index_fits(&index, x.shape(), axis) {
        return Err(Error::bug(format!("{} gathered by {}", x.meta(), index.meta())));
    }
    let size = x.shape()[axis];
    let (x, index) = (movement::contiguous(native, &x)?, movement::contiguous(native, &index)?);
    let positions = index.slice::<i64>();
    let positions = positions.ok_or_else(|| Error::bug(format!("{} as index", index.meta())))?;
    let (result, writer) = native.output(out)?;
    let places = Places::new(&x, index.shape(), axis)?;
    // Each row is checked before it is used; what is wrong is looked for once all are.
    let is_wrong = AtomicBool::new(false);
    by_size!(out.dtype.size(), T => {
        let source = Shared(x.as_ptr().cast_mut().cast::<T>());
        let target = Shared(writer.start.get().cast::<T>());
        native.split(places.rows, places.len, |row| {
            let start = row * places.len;
            let positions = &positions[start..start + places.len];
            if check_within(positions, (0..size as i64, axis)).is_err() {
                return is_wrong.store(true, Ordering::Relaxed);
            }
            places.for_row(row, 0, positions, |at, place| {
                // SAFETY: the positions were checked, and each row of the output is written by
                // one task.
                unsafe { *target.get().add(start + at) = *source.get().add(place) };
            });
        });
    });
    if is_wrong.into_inner() {
        check_within(positions, (0..size as i64, axis))?;
    }
    Ok(result)
}

/// Where the elements that an index names lie in a contiguous tensor.
struct Places {
    /// How many rows along the last axis the index has, and how long they are.
    rows: usize,
    len: usize,
    axis: usize,
    sizes: Vec<usize>,
    strides: Vec<usize>,
}

impl Places {
    fn new(x: &Value, index: &[usize], axis: usize) -> Result<Self> {
        let [..] = around(index, axis)?;
        let len = index[index.len() - 1];
        let rows = index[..index.len() - 1].iter().product();
        let strides = x.shape().strides().into_iter().map(|stride| stride as usize).collect();
        Ok(Places { rows, len, axis, sizes: index.to_vec(), strides })
    }

    /// Calls `each` with the number of each element of a row of the index, from column `left` on,
    /// and where it leads.
    #[inline(always)]
    fn for_row(
        &self,
        row: usize,
        left: usize,
        positions: &[i64],
        mut each: impl FnMut(usize, usize),
    ) {
        let last = self.sizes.len() - 1;
        let (mut rest, mut base) = (row, 0);
        for axis in (0..last).rev() {
            let index = rest % self.sizes[axis];
            rest /= self.sizes[axis];
            base += if axis == self.axis { 0 } else { index * self.strides[axis] };
        }
        let step = if self.axis == last { 0 } else { self.strides[last] };
        let stride = self.strides[self.axis];
        for (at, &position) in positions.iter().enumerate() {
            each(at, base + (left + at) * step + position as usize * stride);
        }
    }

    /// Calls `each` with the number of each element of the index, and where it leads. Elements that
    /// lead to the same place are in one task and in their order.
    fn for_parts(&self, native: &Native, positions: &[i64], each: impl Fn(usize, usize) + Sync) {
        let last = self.sizes.len() - 1;
        let groups: usize = self.sizes[..self.axis].iter().product();
        let rows = self.rows / if self.axis == last { self.rows } else { groups };
        let width = if self.axis < last && groups < 16 { COLUMNS } else { self.len };
        let pieces = self.len.div_ceil(width);
        native.split(self.rows / rows * pieces, rows * width * 4, |task| {
            let (group, left) = (task / pieces, task % pieces * width);
            for row in group * rows..(group + 1) * rows {
                let start = row * self.len + left;
                let end = start + width.min(self.len - left);
                self.for_row(row, left, &positions[start..end], |at, place| {
                    each(start + at, place);
                });
            }
        });
    }
}

/// The base with the elements of `source` at the places that `index` names, in their order.
pub fn scatter(
    native: &Native,
    (axis, write): (usize, Write),
    base: Value,
    index: Value,
    source: Value,
) -> Result<Value> {
    let shape = base.shape().clone();
    let [base, index] = [base, index].map(with_axes);
    let fixed = source.shape().rank() == 0;
    let within = || index.shape().iter().zip(source.shape().iter()).all(|(own, all)| own <= all);
    let covered = fixed || (index.shape().rank() == source.shape().rank() && within());
    if !index_fits(&index, base.shape(), axis) || !covered || source.dtype() != base.dtype() {
        let (base, index, source) = (base.meta(), index.meta(), source.meta());
        return Err(Error::bug(format!("{source} scattered over {base} at {index}")));
    }
    // Checked before anything is written, so that a failure leaves the base as it was.
    let index = movement::contiguous(native, &index)?;
    let positions = checked(&index, axis, base.shape()[axis])?;
    let ranges = index.shape().iter().map(|&size| Range::all(size));
    let ranges: Vec<_> = ranges.take(source.shape().rank()).collect();
    let source = Source::new(native, movement::slice(&ranges, source)?, index.shape())?;
    let places = Places::new(&base, index.shape(), axis)?;
    let mut base = native.own(base)?;
    if positions.is_empty() {
        return Ok(movement::contiguous_view(base, shape));
    }
    let target = Shared(base.as_mut_ptr().expect("nobody else holds it"));
    macro_rules! write {
        ($type:ty, $combine:expr) => {{
            let (target, from) = (Shared(target.get().cast::<$type>()), source.start::<$type>());
            places.for_parts(native, positions, |at, place| {
                // SAFETY: the positions were checked, and no other task writes to this place.
                unsafe {
                    let place = std::slice::from_raw_parts_mut(target.get().add(place), 1);
                    combine(place, from.get().add(at * source.step), 0, $combine);
                }
            });
        }};
    }
    by_write!(write, base.dtype(), write);
    Ok(movement::contiguous_view(base, shape))
}

/// A value that is an error unless a condition holds everywhere.
pub fn require(native: &Native, message: &str, x: Value, truth: &Value) -> Result<Value> {
    let truth = movement::contiguous(native, truth)?;
    let truth = truth.slice::<u8>().ok_or_else(|| Error::bug("truth is not contiguous"))?;
    if truth.contains(&0) { Err(Error::runtime(message)) } else { Ok(x) }
}

/// The positions of the elements that are not zero, a row each.
pub fn non_zero(native: &Native, x: &Value) -> Result<Value> {
    let truth = Meta { dtype: DType::Bool, shape: x.shape().clone() };
    let truth = movement::contiguous(native, &elementwise::cast(native, &mut x.clone(), &truth)?)?;
    let truth = truth.slice::<u8>().ok_or_else(|| Error::bug("truth is not contiguous"))?;
    let count = truth.iter().filter(|&&byte| byte != 0).count();
    let rank = x.shape().rank();
    let (result, writer) = native.output(&Meta::new(DType::I64, [count, rank]))?;
    let mut target = writer.start.get().cast::<i64>();
    let mut index: Vec<i64> = vec![0; rank];
    for &byte in truth {
        if byte != 0 {
            // SAFETY: the output has a row for each element that is not zero.
            unsafe {
                std::ptr::copy_nonoverlapping(index.as_ptr(), target, rank);
                target = target.add(rank);
            }
        }
        for axis in (0..rank).rev() {
            index[axis] += 1;
            if index[axis] < x.shape()[axis] as i64 {
                break;
            }
            index[axis] = 0;
        }
    }
    Ok(result)
}
