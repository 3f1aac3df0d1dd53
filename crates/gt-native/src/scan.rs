//! Each element combined with all those before it along an axis, strictly one after another: so
//! the bits depend on nothing else.

use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::kernel::ScanFn;
use gt_core::shape::Meta;
use gt_worker::value::{Element, Value};
use half::{bf16, f16};

use super::halves::Half;
use super::index::around;
use super::number::Number;
use super::simd::vectorized;
use super::tile::Shared;
use super::tree::{COLUMNS, Combine, Largest, Product, Smallest, Sum};
use super::{Native, movement};

/// An element that is added up in a type of its own: a long sum of narrow floats would lose more
/// with each step.
trait Scannable: Element {
    type Total: Number;

    fn total(self) -> Self::Total;
    fn of_total(total: Self::Total) -> Self;
}

macro_rules! scannable {
    ($($type:ident as $total:ident, |$x:ident| $to:expr, |$y:ident| $from:expr;)*) => {
        $(impl Scannable for $type {
            type Total = $total;

            #[inline(always)]
            fn total(self) -> $total {
                let $x = self;
                $to
            }
            #[inline(always)]
            fn of_total($y: $total) -> Self {
                $from
            }
        })*
    };
}

scannable! {
    u8 as u8, |x| x, |y| y;
    i8 as i8, |x| x, |y| y;
    i16 as i16, |x| x, |y| y;
    i32 as i32, |x| x, |y| y;
    i64 as i64, |x| x, |y| y;
    f16 as f32, |x| x.widened(), |y| Half::rounded(y);
    bf16 as f32, |x| x.widened(), |y| Half::rounded(y);
    f32 as f64, |x| f64::from(x), |y| y as f32;
    f64 as f64, |x| x, |y| y;
}

/// Combines along `axis`.
pub fn scan(native: &Native, with: ScanFn, axis: usize, x: Value, out: &Meta) -> Result<Value> {
    if x.meta() != out {
        return Err(Error::bug(format!("{with:?} of {} gives {out}", x.meta())));
    }
    let x = movement::contiguous(native, &x)?;
    match out.dtype {
        DType::Bool | DType::U8 => by_function::<u8>(native, with, axis, &x),
        DType::I8 => by_function::<i8>(native, with, axis, &x),
        DType::I16 => by_function::<i16>(native, with, axis, &x),
        DType::I32 => by_function::<i32>(native, with, axis, &x),
        DType::I64 => by_function::<i64>(native, with, axis, &x),
        DType::F16 => by_function::<f16>(native, with, axis, &x),
        DType::BF16 => by_function::<bf16>(native, with, axis, &x),
        DType::F32 => by_function::<f32>(native, with, axis, &x),
        DType::F64 => by_function::<f64>(native, with, axis, &x),
        dtype => Err(Error::bug(format!("there is no {with:?} for {dtype}"))),
    }
}

fn by_function<T: Scannable>(
    native: &Native,
    with: ScanFn,
    axis: usize,
    x: &Value,
) -> Result<Value> {
    match with {
        // Booleans stay zero or one.
        ScanFn::Sum if x.dtype() == DType::Bool => lines::<T, Largest>(native, axis, x),
        ScanFn::Sum => lines::<T, Sum>(native, axis, x),
        ScanFn::Prod => lines::<T, Product>(native, axis, x),
        ScanFn::Max => lines::<T, Largest>(native, axis, x),
        ScanFn::Min => lines::<T, Smallest>(native, axis, x),
    }
}

fn lines<T: Scannable, F: Combine<T::Total>>(
    native: &Native,
    axis: usize,
    x: &Value,
) -> Result<Value> {
    let [before, size, after] = around(x.shape(), axis)?;
    let (result, writer) = native.output(x.meta())?;
    if x.count() == 0 {
        return Ok(result);
    }
    let numbers = x.slice::<T>().ok_or_else(|| Error::bug("a scan of other elements"))?;
    let out = Shared(writer.start.get().cast::<T>());
    let blocks = after.div_ceil(COLUMNS);
    native.split(before * blocks, size * after.min(COLUMNS), |task| {
        let (line, left) = (task / blocks, task % blocks * COLUMNS);
        let numbers = &numbers[line * size * after + left..];
        // SAFETY: each task writes other columns of the output.
        let out = unsafe { out.get().add(line * size * after + left) };
        let shape = [size, COLUMNS.min(after - left), after];
        if after == 1 {
            column::<T, F>(&numbers[..size], out);
        } else {
            columns::<T, F>(numbers, out, shape);
        }
    });
    Ok(result)
}

/// Scans a run. The output has room for it.
fn column<T: Scannable, F: Combine<T::Total>>(numbers: &[T], out: *mut T) {
    let mut total = F::START;
    for (at, number) in numbers.iter().enumerate() {
        total = F::of(total, number.total());
        // SAFETY: as promised by the caller.
        unsafe { out.add(at).write(T::of_total(total)) };
    }
}

vectorized! {
    /// Scans columns side by side: `[rows, columns, the distance of rows]`. The output has room.
    fn columns<T: Scannable, F: Combine<T::Total>>(numbers: &[T], out: *mut T, shape: [usize; 3]) {
        let [rows, width, step] = shape;
        let mut totals = [F::START; COLUMNS];
        for row in 0..rows {
            let numbers = &numbers[row * step..row * step + width];
            // SAFETY: as promised by the caller.
            let out = unsafe { std::slice::from_raw_parts_mut(out.add(row * step), width) };
            for ((total, number), out) in totals.iter_mut().zip(numbers).zip(out) {
                *total = F::of(*total, number.total());
                *out = T::of_total(*total);
            }
        }
    }
}
