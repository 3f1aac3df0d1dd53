//! Reading and writing parts of a tensor along an axis, where an index says which; a negative
//! number counts from the end.

use std::ops::Range;

use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::shape::{Meta, Shape};
use gt_worker::engine::Operands;
use gt_worker::value::Value;
use gt_worker::value::strided::{self, Walk, by_size};
use half::{bf16, f16};

use super::halves::Half;
use super::index::around;
use super::number::Number;
use super::simd::vectorized;
use super::tile::{CHUNK, Reader, Shared, Tile, for_tiles};
use super::tree::COLUMNS;
use super::{Native, movement};

/// Fails if a number is outside of what is allowed for an axis, which ends with its size.
pub fn check_within(numbers: &[i64], (allowed, axis): (Range<i64>, usize)) -> Result<()> {
    // Found a block at a time: looking at each would not become a vector.
    let outside = |block: &&[i64]| any_outside(block, allowed.start, allowed.end);
    let wrong = numbers.chunks(1024).find(outside);
    match wrong.and_then(|block| block.iter().find(|number| !allowed.contains(number))) {
        Some(number) => Err(Error::index(format!(
            "index {number} is out of bounds for dimension {axis} with size {}",
            allowed.end
        ))),
        None => Ok(()),
    }
}

vectorized! {
    fn any_outside(numbers: &[i64], low: i64, high: i64) -> bool {
        numbers.iter().fold(false, |any, &number| any | (number < low) | (number >= high))
    }
}

/// The positions that an index names, after checking that each exists.
struct Positions {
    index: Value,
    size: i64,
}

impl Positions {
    /// Those that may count from either end.
    fn new(native: &Native, index: &Value, axis: usize, size: usize) -> Result<Self> {
        Positions::within(native, index, (-(size as i64)..size as i64, axis))
    }

    fn within(native: &Native, index: &Value, allowed: (Range<i64>, usize)) -> Result<Self> {
        let index = movement::contiguous(native, index)?;
        let numbers = index.slice::<i64>();
        let numbers = numbers.ok_or_else(|| Error::bug(format!("{} as index", index.meta())))?;
        let size = allowed.0.end;
        check_within(numbers, allowed)?;
        Ok(Positions { index, size })
    }

    fn numbers(&self) -> &[i64] {
        self.index.slice().expect("it is contiguous, which was checked")
    }

    /// A number of the index as a position.
    #[inline(always)]
    fn place(&self, number: i64) -> usize {
        (if number < 0 { number + self.size } else { number }) as usize
    }
}

/// The shape of what an index takes out of a tensor.
fn taken(x: &[usize], axis: usize, index: &[usize]) -> Shape {
    x[..axis].iter().chain(index).chain(&x[axis + 1..]).copied().collect()
}

/// A tensor without axes as one with a single axis.
pub fn with_axes(value: Value) -> Value {
    if value.shape().rank() > 0 { value } else { movement::contiguous_view(value, [1].into()) }
}

/// `out[a][i][b] = x[a][index[i]][b]`, where each letter stands for any number of axes.
pub fn take(native: &Native, axis: usize, x: Value, index: Value, out: &Meta) -> Result<Value> {
    let x = with_axes(x);
    let [_, size, _] = around(x.shape(), axis)?;
    if taken(x.shape(), axis, index.shape()) != out.shape || x.dtype() != out.dtype {
        return Err(Error::bug(format!("{} taken from {} as {out}", index.meta(), x.meta())));
    }
    let positions = Positions::new(native, &index, axis, size)?;
    take_at(native, axis, x, &positions, out)
}

/// The rows of a table that an index names, none of which counts from the end.
pub fn rows(native: &Native, table: &Value, index: &Value, out: &Meta) -> Result<Value> {
    let size = table.shape().first().copied().unwrap_or_default();
    let positions = Positions::within(native, index, (0..size as i64, 0))?;
    take_at(native, 0, table.clone(), &positions, out)
}

/// The same as [`take`] for positions that exist.
fn take_at(
    native: &Native,
    axis: usize,
    x: Value,
    positions: &Positions,
    out: &Meta,
) -> Result<Value> {
    let [before, _, after] = around(x.shape(), axis)?;
    let numbers = positions.numbers();
    let (result, writer) = native.output(out)?;
    if out.shape.count() == 0 {
        return Ok(result);
    }
    // A part that is no run is copied for each time it is taken: rather once, if it is often.
    let is_run = is_run(&x, axis);
    let often = !is_run && out.shape.count() >= x.count();
    let x = if often { movement::contiguous(native, &x)? } else { x };
    let is_run = is_run || often;
    let parts = Walk::new(&x.shape()[..axis], [&x.strides()[..axis]]);
    let tail = &x.shape()[axis + 1..];
    let part = Walk::new(tail, [&Shape::from(tail).strides(), &x.strides()[axis + 1..]]);
    let (step, bytes) = (x.strides()[axis], out.dtype.size());
    let together = (CHUNK / after).clamp(1, numbers.len());
    let tasks = numbers.len().div_ceil(together);
    let source = Shared(x.as_ptr().cast_mut());
    native.split(before * tasks, together * after, |task| {
        let (line, first) = (task / tasks, task % tasks * together);
        let numbers = &numbers[first..(first + together).min(numbers.len())];
        let start = parts.position(line)[0];
        let to = (line * positions.numbers().len() + first) * after;
        by_size!(bytes, T => {
            let places = numbers.iter().map(|&number| positions.place(number) as isize * step);
            // SAFETY: every position was checked, and each task writes another part of the output.
            unsafe {
                let source = source.get().cast::<T>().offset(start);
                let target = writer.start.get().cast::<T>().add(to);
                for (at, place) in places.enumerate() {
                    let (target, source) = (target.add(at * after), source.offset(place));
                    match (after, is_run) {
                        (1, _) => *target = *source,
                        (_, true) => std::ptr::copy_nonoverlapping(source, target, after),
                        _ => strided::copy(bytes, &part, target.cast(), source.cast()),
                    }
                }
            }
        });
    });
    Ok(result)
}

/// Whether what lies behind an axis is one run of elements.
fn is_run(x: &Value, axis: usize) -> bool {
    let mut expected = 1;
    (axis + 1..x.shape().rank()).rev().all(|axis| {
        let size = x.shape()[axis];
        let fits = size == 1 || x.strides()[axis] == expected;
        expected *= size as isize;
        fits
    })
}

/// What becomes of the elements that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// They are replaced, by the last of several.
    Set,
    /// They are added to, in order.
    Add,
}

impl Write {
    /// As a kernel says it.
    pub fn of(add: bool) -> Self {
        if add { Write::Add } else { Write::Set }
    }
}

/// Calls a macro with the type of the elements and a closure that combines an old and a new one.
macro_rules! by_write {
    ($write:expr, $dtype:expr, $body:ident) => {
        match ($write, $dtype) {
            (Write::Set, dtype) => by_size!(dtype.size(), T => $body!(T, |_, new| new)),
            (Write::Add, DType::Bool) => $body!(u8, |old, new| old | new),
            (Write::Add, DType::U8) => $body!(u8, |old, new| old.plus(new)),
            (Write::Add, DType::I8) => $body!(i8, |old, new| old.plus(new)),
            (Write::Add, DType::I16) => $body!(i16, |old, new| old.plus(new)),
            (Write::Add, DType::I32) => $body!(i32, |old, new| old.plus(new)),
            (Write::Add, DType::I64) => $body!(i64, |old, new| old.plus(new)),
            (Write::Add, DType::F16) => {
                $body!(f16, |old, new| Half::rounded(old.widened() + new.widened()))
            }
            (Write::Add, DType::BF16) => {
                $body!(bf16, |old, new| Half::rounded(old.widened() + new.widened()))
            }
            (Write::Add, DType::F32) => $body!(f32, |old, new| old + new),
            (Write::Add, DType::F64) => $body!(f64, |old, new| old + new),
            (_, dtype) => return Err(Error::bug(format!("there is no sum of {dtype}"))),
        }
    };
}
pub(super) use by_write;

/// Elements one after another, or the same one every time.
pub struct Source {
    value: Value,
    /// How far apart two of them are.
    pub step: usize,
}

impl Source {
    /// A value broadcast to a shape.
    pub fn new(native: &Native, value: Value, shape: &Shape) -> Result<Self> {
        if value.count() == 1 {
            return Ok(Source { value, step: 0 });
        }
        let meta = Meta { dtype: value.dtype(), shape: shape.clone() };
        let value = movement::contiguous(native, &movement::expand(value, &meta))?;
        Ok(Source { value, step: 1 })
    }

    /// Where the first is.
    pub fn start<T>(&self) -> Shared<T> {
        Shared(self.value.as_ptr().cast_mut().cast())
    }
}

/// The base with `values`, broadcast, at the places that [`take`] would read.
pub fn put(
    native: &Native,
    (axis, write): (usize, Write),
    base: Value,
    index: Value,
    values: Value,
) -> Result<Value> {
    let shape = base.shape().clone();
    let base = with_axes(base);
    let [before, size, after] = around(base.shape(), axis)?;
    let place = taken(base.shape(), axis, index.shape());
    if !values.shape().expands_to(&place) || values.dtype() != base.dtype() {
        return Err(Error::bug(format!("{} put at {place} of {}", values.meta(), base.meta())));
    }
    // Checked before anything is written, so that a failure leaves the base as it was.
    let positions = Positions::new(native, &index, axis, size)?;
    let numbers = positions.numbers();
    let source = Source::new(native, values, &place)?;
    let mut base = native.own(base)?;
    // Elements that share a place are in one task, which writes them in their order.
    let width = if before < 16 { after.clamp(1, COLUMNS) } else { after.max(1) };
    let pieces = after.div_ceil(width);
    let target = Shared(base.as_mut_ptr().expect("nobody else holds it"));
    macro_rules! put {
        ($type:ty, $combine:expr) => {{
            let (target, from) = (Shared(target.get().cast::<$type>()), source.start::<$type>());
            native.split(before * pieces, numbers.len() * width, |task| {
                let (line, left) = (task / pieces, task % pieces * width);
                let width = width.min(after - left);
                for (at, &number) in numbers.iter().enumerate() {
                    let to = (line * size + positions.place(number)) * after + left;
                    let new = (line * numbers.len() + at) * after + left;
                    // SAFETY: the position was checked, and no other task writes these columns.
                    unsafe {
                        let target = std::slice::from_raw_parts_mut(target.get().add(to), width);
                        let from = from.get().add(new * source.step);
                        combine(target, from, source.step, $combine);
                    }
                }
            });
        }};
    }
    by_write!(write, base.dtype(), put);
    Ok(movement::contiguous_view(base, shape))
}

/// Combines a run with another, or with one element.
///
/// # Safety
/// There are as many elements, `step` apart, as the run has.
#[inline(always)]
pub unsafe fn combine<T: Copy>(run: &mut [T], from: *const T, step: usize, of: impl Fn(T, T) -> T) {
    // SAFETY: as promised by the caller.
    unsafe {
        if step == 0 {
            let new = *from;
            run.iter_mut().for_each(|old| *old = of(*old, new));
        } else {
            let from = std::slice::from_raw_parts(from, run.len());
            run.iter_mut().zip(from).for_each(|(old, &new)| *old = of(*old, new));
        }
    }
}

/// The numbers of elements in a tensor of these sizes, from an index for each axis.
pub fn ravel(native: &Native, sizes: &[usize], inputs: &mut Operands, out: &Meta) -> Result<Value> {
    let count = inputs.len();
    if count != sizes.len() || count == 0 || out.dtype != DType::I64 {
        return Err(Error::bug(format!("{count} indices for {sizes:?} as {out}")));
    }
    let (result, writer) = native.output(out)?;
    for (axis, input) in inputs.drain(..).enumerate() {
        let index = native.tensor(input, DType::I64)?;
        if index.dtype() != DType::I64 || !index.shape().expands_to(&out.shape) {
            return Err(Error::bug(format!("{} as an index of {out}", index.meta())));
        }
        let limit = sizes[axis] as i64;
        if out.shape.count() > 0 {
            // Only what is there is looked at, also if it is broadcast.
            Positions::new(native, &index, axis, sizes[axis])?;
        }
        let readers = [Reader::new(&index, &out.shape)];
        for_tiles(native, out.shape.count(), &readers, writer, |[index], out, len| {
            // SAFETY: the tile has `len` numbers, and so has this part of the output; all but the
            // first axis find what those before them wrote.
            let total = unsafe { std::slice::from_raw_parts_mut(out.cast::<i64>(), len) };
            if axis == 0 {
                total.fill(0);
            }
            let add = |total: &mut i64, index: i64| {
                let place = if index < 0 { index + limit } else { index };
                *total = *total * limit + place;
            };
            match index {
                Tile::Run(run) => {
                    // SAFETY: as above.
                    let run = unsafe { std::slice::from_raw_parts(run.cast::<i64>(), len) };
                    run.iter().zip(total).for_each(|(&index, total)| add(total, index));
                }
                Tile::Fixed(index) => {
                    // SAFETY: as above.
                    let index = unsafe { *index.cast::<i64>() };
                    total.iter_mut().for_each(|total| add(total, index));
                }
            }
        });
    }
    Ok(result)
}
