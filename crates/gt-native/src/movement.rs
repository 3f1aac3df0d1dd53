//! Kernels that move elements and compute nothing. Most only make another view.

use gt_core::attrs::Range;
use gt_core::error::{Error, Result};
use gt_core::kernel::{Diagonal, Kernel};
use gt_core::shape::{Meta, Shape};
use gt_core::strides::{self, reshaped};
use gt_worker::engine::Operands;
use gt_worker::value::strided::{self, Walk};
use gt_worker::value::{Strides, Value};

use super::Native;
use super::tile::CHUNK;

/// The same elements one after another; the value itself if they already are.
pub fn contiguous(native: &Native, value: &Value) -> Result<Value> {
    if value.is_contiguous() {
        return Ok(value.clone());
    }
    let (result, writer) = native.output(value.meta())?;
    let target = (&result.shape().strides()[..], writer.start.get());
    copy_into(native, target, value);
    Ok(result)
}

/// A view in another shape of a value whose elements lie one after another.
pub fn contiguous_view(value: Value, shape: Shape) -> Value {
    let (strides, offset) = (shape.strides(), value.offset());
    value.into_view(shape, strides, offset)
}

/// Copies a value to strided memory of the same shape.
fn copy_into(native: &Native, (strides, start): (&[isize], *mut u8), value: &Value) {
    if value.count() == 0 {
        return;
    }
    let walk = Walk::new(value.shape(), [strides, value.strides()]);
    let (size, rows) = (value.dtype().size(), walk.row_count());
    let (target, source) =
        (super::tile::Shared(start), super::tile::Shared(value.as_ptr().cast_mut()));
    let run = walk.row_len();
    if walk.row_steps() == [1, 1] && run > CHUNK {
        // Few long runs are shared too, in pieces.
        let pieces = run.div_ceil(CHUNK);
        return native.split(rows * pieces, CHUNK, |task| {
            let (row, first) = (task / pieces, task % pieces * CHUNK);
            let [to, from] = walk.row_start(row).map(|at| (at + first as isize) * size as isize);
            let bytes = CHUNK.min(run - first) * size;
            // SAFETY: the caller gives memory of this shape, apart from the value, which lies
            // within its buffer; each piece is copied once.
            unsafe {
                let to = target.get().offset(to);
                std::ptr::copy_nonoverlapping(source.get().offset(from), to, bytes);
            }
        });
    }
    // Whole blocks, so that turned planes are copied block by block.
    let together = (CHUNK / walk.row_len()).max(1).next_multiple_of(strided::BLOCK);
    let copy = |first: usize| {
        let rows = first..(first + together).min(rows);
        // SAFETY: the caller gives memory of this shape; the value lies within its buffer.
        unsafe { strided::copy_rows(size, &walk, rows, target.get(), source.get()) };
    };
    if value.count() <= 2 * CHUNK {
        // SAFETY: as above.
        unsafe { strided::copy(size, &walk, target.get(), source.get()) };
    } else {
        native.threads.share(rows.div_ceil(together), |task| copy(task * together));
    }
}

/// The axes in another order.
pub fn permute(axes: &[usize], x: Value) -> Value {
    let strides = axes.iter().map(|&axis| x.strides()[axis]).collect();
    let (shape, offset) = (x.shape().permuted(axes), x.offset());
    x.into_view(shape, strides, offset)
}

/// The same elements in another shape; a view if the strides allow it.
pub fn reshape(native: &Native, x: Value, out: &Meta) -> Result<Value> {
    if x.count() != out.shape.count() {
        return Err(Error::bug(format!("{} reshaped to {out}", x.meta())));
    }
    if x.is_contiguous() {
        return Ok(contiguous_view(x, out.shape.clone()));
    }
    match reshaped(x.shape(), x.strides(), &out.shape) {
        Some(strides) => {
            let offset = x.offset();
            Ok(x.into_view(out.shape.clone(), strides, offset))
        }
        None => Ok(contiguous_view(contiguous(native, &x)?, out.shape.clone())),
    }
}

/// The input broadcast to the shape of the output.
pub fn expand(x: Value, out: &Meta) -> Value {
    let missing = out.shape.rank() - x.shape().rank();
    let step = |axis: usize| match axis.checked_sub(missing) {
        Some(own) if x.shape()[own] == out.shape[axis] => x.strides()[own],
        _ => 0,
    };
    let strides = (0..out.shape.rank()).map(step).collect();
    let offset = x.offset();
    x.into_view(out.shape.clone(), strides, offset)
}

/// The shape, strides and offset of a part of each axis.
fn part(x: &Value, ranges: &[Range]) -> Result<(Shape, Strides, usize)> {
    let fits = |(range, &size): (&Range, &usize)| range.fits(size);
    if ranges.len() != x.shape().rank() || !ranges.iter().zip(x.shape().iter()).all(fits) {
        return Err(Error::bug(format!("{} has no part {ranges:?}", x.meta())));
    }
    let shape: Shape = ranges.iter().map(|range| range.len).collect();
    let mut offset = x.offset() as isize;
    if shape.count() > 0 {
        let starts =
            ranges.iter().zip(x.strides()).map(|(range, &stride)| range.start as isize * stride);
        offset += starts.sum::<isize>();
    }
    let strides =
        ranges.iter().zip(x.strides()).map(|(range, &stride)| stride * range.step as isize);
    Ok((shape, strides.collect(), offset as usize))
}

/// A part of each axis.
pub fn slice(ranges: &[Range], x: Value) -> Result<Value> {
    let (shape, strides, offset) = part(&x, ranges)?;
    Ok(x.into_view(shape, strides, offset))
}

/// The elements of a diagonal, along an axis of their own.
pub fn diagonal(place: &Diagonal, x: Value, out: &Meta) -> Result<Value> {
    let (axes, len) = (place.axes, out.shape.last().copied().unwrap_or(0));
    let within = |(&axis, &start): (&usize, &usize)| {
        x.shape().get(axis).is_some_and(|&size| start + len <= size)
    };
    if axes[0] == axes[1] || !axes.iter().zip(&place.start).all(within) {
        return Err(Error::bug(format!("{place:?} of {}", x.meta())));
    }
    let strides = strides::after(&Kernel::Diagonal(*place), x.shape(), x.strides(), &out.shape);
    let strides = strides.ok_or_else(|| Error::bug("a diagonal has strides"))?;
    let step = |(&axis, &start): (&usize, &usize)| x.strides()[axis] * start as isize;
    let moved: isize = match len {
        0 => 0,
        _ => axes.iter().zip(&place.start).map(step).sum(),
    };
    let offset = x.offset().wrapping_add_signed(moved);
    Ok(x.into_view(out.shape.clone(), strides, offset))
}

/// The base with a part of it overwritten. The base is written in place if nobody else holds it.
pub fn slice_write(native: &Native, ranges: &[Range], base: Value, update: Value) -> Result<Value> {
    if base.dtype() != update.dtype() {
        return Err(Error::bug(format!("{} written into {}", update.meta(), base.meta())));
    }
    let mut base = native.own(base)?;
    let (shape, strides, offset) = part(&base, ranges)?;
    let update = if update.shape() == &shape {
        update
    } else if update.shape().expands_to(&shape) {
        expand(update, &Meta { dtype: base.dtype(), shape })
    } else {
        return Err(Error::bug(format!("{} written over a part of shape {shape}", update.meta())));
    };
    let size = base.dtype().size();
    let own = base.offset();
    let start = base.as_mut_ptr().expect("nobody else holds it");
    let target = start.wrapping_offset((offset as isize - own as isize) * size as isize);
    copy_into(native, (&strides, target), &update);
    Ok(base)
}

impl Native {
    /// The value with elements that may be written: itself, or a copy if others hold it too, or if
    /// several of its elements are the same memory.
    pub(super) fn own(&self, mut value: Value) -> Result<Value> {
        if value.is_contiguous() && value.is_unique() {
            return Ok(value);
        }
        let (result, writer) = self.output(value.meta())?;
        copy_into(self, (&result.shape().strides(), writer.start.get()), &value);
        Ok(result)
    }
}

/// The inputs one after another along an axis.
pub fn concat(native: &Native, axis: usize, inputs: &mut Operands, out: &Meta) -> Result<Value> {
    let (result, writer) = native.output(out)?;
    let strides = out.shape.strides();
    let mut position = 0;
    for input in inputs.drain(..) {
        let value = native.tensor(input, out.dtype)?;
        let fits = value.dtype() == out.dtype
            && value.shape().rank() == out.shape.rank()
            && value.shape().with(axis, out.shape[axis]) == out.shape;
        if !fits || position + value.shape()[axis] > out.shape[axis] {
            return Err(Error::bug(format!("{} within {out}", value.meta())));
        }
        let start = position as isize * strides[axis] * out.dtype.size() as isize;
        copy_into(native, (&strides, writer.start.get().wrapping_offset(start)), &value);
        position += value.shape()[axis];
    }
    if position != out.shape[axis] {
        return Err(Error::bug(format!("{position} of {out} are given")));
    }
    Ok(result)
}
