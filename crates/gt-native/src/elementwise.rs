//! Functions of each element: of one tensor, of two, of a choice between two, and casts.

use gt_core::dtype::{DType, Scalar};
use gt_core::error::{Error, Result};
use gt_core::kernel::{BinaryFn, UnaryFn};
use gt_core::shape::{Meta, Shape};
use gt_worker::engine::Operand;
use gt_worker::value::Value;
use half::{bf16, f16};

use super::halves::Half;
use super::kernels::{Fixed, MapRun, map_kernel, power_kernel, zip_kernel};
use super::tile::{CHUNK, Reader, Scratch, Shared, TILE, Tile, Writer, for_tiles};
use super::{Native, cast, division, movement, select};

/// One element of any dtype.
pub type Element = [u8; 8];

/// A number as an element of a dtype.
pub fn element(scalar: Scalar, dtype: DType) -> Element {
    let mut bytes = [0; 8];
    let mut put = |element: &[u8]| bytes[..element.len()].copy_from_slice(element);
    let float = scalar.as_f64();
    match dtype {
        DType::Bool => put(&[u8::from(float != 0.0)]),
        DType::U8 => put(&(scalar.as_i64() as u8).to_ne_bytes()),
        DType::I8 => put(&(scalar.as_i64() as i8).to_ne_bytes()),
        DType::I16 => put(&(scalar.as_i64() as i16).to_ne_bytes()),
        DType::I32 => put(&(scalar.as_i64() as i32).to_ne_bytes()),
        DType::F16 => put(&f16::from_f32(float as f32).to_ne_bytes()),
        DType::BF16 => put(&bf16::from_f32(float as f32).to_ne_bytes()),
        DType::F32 => put(&(float as f32).to_ne_bytes()),
        DType::F64 => put(&float.to_ne_bytes()),
        _ => put(&scalar.as_i64().to_ne_bytes()),
    }
    bytes
}

/// A function of each element.
pub fn map(native: &Native, function: UnaryFn, x: &mut Value, out: &Meta) -> Result<Value> {
    let run = map_kernel(function, x.dtype()).ok_or_else(|| unsupported(&function, x.dtype()))?;
    map_with(native, run, x, out)
}

/// A loop over each element.
pub fn map_with(native: &Native, run: MapRun, x: &mut Value, out: &Meta) -> Result<Value> {
    let (result, writer) = native.reuse(&mut [x], out)?;
    let count = out.shape.count();
    if x.count() == count && writer.is_small(count) && x.is_contiguous() {
        // SAFETY: input and output have `count` elements of the dtypes the loop was chosen for.
        writer.small(count, |out| unsafe { run(x.as_ptr(), out, count) });
        return Ok(result);
    }
    let copy = native.readable(x)?;
    let readers = [Reader::new(copy.as_ref().unwrap_or(x), &out.shape)];
    let size = x.dtype().size();
    for_tiles(native, out.shape.count(), &readers, writer, |[x], out, len| {
        let mut scratch = Scratch::uninit();
        // SAFETY: tiles have `len` elements of the dtype the loop was chosen for. A fixed tile of
        // more than a scratch is cut by `for_each_part`.
        for_each_part(x, len, |x, start, len| unsafe {
            let x = x.run(size, len, &mut scratch);
            run(x, out.add(start * writer.size), len);
        });
    });
    Ok(result)
}

/// Cuts what would not fit a scratch: fixed tiles may be long.
fn for_each_part(x: Tile, len: usize, mut each: impl FnMut(Tile, usize, usize)) {
    match x {
        Tile::Run(_) => each(x, 0, len),
        Tile::Fixed(_) => {
            for start in (0..len).step_by(TILE) {
                each(x, start, TILE.min(len - start));
            }
        }
    }
}

/// A function of two elements, broadcasting.
pub fn zip(
    native: &Native,
    function: BinaryFn,
    operands: &mut [Operand; 2],
    out: &Meta,
) -> Result<Value> {
    division::check(native, function, operands, out)?;
    let [a, b] = operands;
    match (a, b) {
        (Operand::Tensor(a), Operand::Tensor(b)) => zip_tensors(native, function, a, b, out),
        (Operand::Tensor(a), Operand::Scalar(b)) => {
            match power_kernel(function, b.as_f64(), a.dtype()) {
                Some(run) => map_with(native, run, a, out),
                None => zip_scalar(native, function, a, *b, Fixed::Right, out),
            }
        }
        (Operand::Scalar(a), Operand::Tensor(b)) => {
            zip_scalar(native, function, b, *a, Fixed::Left, out)
        }
        (Operand::Scalar(a), Operand::Scalar(b)) => {
            let float = matches!(a, Scalar::Float(_)) || matches!(b, Scalar::Float(_));
            let own = if float { DType::F64 } else { DType::I64 };
            let dtype = if function.is_comparison() { own } else { out.dtype };
            let mut a = native.scalar(*a, dtype)?;
            zip_scalar(native, function, &mut a, *b, Fixed::Right, out)
        }
    }
}

fn zip_tensors(
    native: &Native,
    function: BinaryFn,
    a: &mut Value,
    b: &mut Value,
    out: &Meta,
) -> Result<Value> {
    let dtype = a.dtype();
    if b.dtype() != dtype {
        return Err(Error::bug(format!("{function:?} of {dtype} and {}", b.dtype())));
    }
    let loops = |fixed| zip_kernel(function, dtype, fixed);
    let run = loops(Fixed::Neither).ok_or_else(|| unsupported(&function, dtype))?;
    let (result, writer) = native.reuse(&mut [a, b], out)?;
    let count = out.shape.count();
    let flat = a.shape() == b.shape() && a.is_contiguous() && b.is_contiguous();
    if flat && writer.is_small(count) {
        // SAFETY: inputs and output have `count` elements of the dtypes the loop was chosen for.
        writer.small(count, |out| unsafe { run(a.as_ptr(), b.as_ptr(), out, count) });
        return Ok(result);
    }
    let (left, right) = (loops(Fixed::Left).unwrap_or(run), loops(Fixed::Right).unwrap_or(run));
    let copies = [native.readable(a)?, native.readable(b)?];
    let readers = [
        Reader::new(copies[0].as_ref().unwrap_or(a), &out.shape),
        Reader::new(copies[1].as_ref().unwrap_or(b), &out.shape),
    ];
    let size = dtype.size();
    for_tiles(native, count, &readers, writer, |[a, b], out, len| {
        let mut scratch = Scratch::uninit();
        // SAFETY: tiles have `len` elements of the dtype the loops were chosen for.
        unsafe {
            match (a, b) {
                (Tile::Run(a), Tile::Run(b)) => run(a, b, out, len),
                (Tile::Run(a), Tile::Fixed(b)) => right(a, widen(b, dtype).as_ptr(), out, len),
                (Tile::Fixed(a), Tile::Run(b)) => left(widen(a, dtype).as_ptr(), b, out, len),
                (Tile::Fixed(a), fixed) => for_each_part(fixed, len, |b, start, len| {
                    let b = b.run(size, len, &mut scratch);
                    left(widen(a, dtype).as_ptr(), b, out.add(start * writer.size), len);
                }),
            }
        }
    });
    Ok(result)
}

/// A function of each element of `x` and a number, on the side that `fixed` names.
fn zip_scalar(
    native: &Native,
    function: BinaryFn,
    x: &mut Value,
    scalar: Scalar,
    fixed: Fixed,
    out: &Meta,
) -> Result<Value> {
    let dtype = x.dtype();
    let run = zip_kernel(function, dtype, fixed).ok_or_else(|| unsupported(&function, dtype))?;
    let number = element(scalar, wide(dtype));
    let (result, writer) = native.reuse(&mut [x], out)?;
    let count = out.shape.count();
    if x.count() == count && writer.is_small(count) && x.is_contiguous() {
        let (a, b) = match fixed {
            Fixed::Left => (number.as_ptr(), x.as_ptr()),
            _ => (x.as_ptr(), number.as_ptr()),
        };
        // SAFETY: input and output have `count` elements of the dtypes the loop was chosen for.
        writer.small(count, |out| unsafe { run(a, b, out, count) });
        return Ok(result);
    }
    let copy = native.readable(x)?;
    let readers = [Reader::new(copy.as_ref().unwrap_or(x), &out.shape)];
    let size = dtype.size();
    for_tiles(native, count, &readers, writer, |[x], out, len| {
        let mut scratch = Scratch::uninit();
        for_each_part(x, len, |x, start, len| {
            // SAFETY: tiles have `len` elements of the dtype the loop was chosen for, and the
            // number has the type that is computed in.
            unsafe {
                let x = x.run(size, len, &mut scratch);
                let out = out.add(start * writer.size);
                match fixed {
                    Fixed::Left => run(number.as_ptr(), x, out, len),
                    _ => run(x, number.as_ptr(), out, len),
                }
            }
        });
    });
    Ok(result)
}

/// The dtype that is computed in.
pub fn wide(dtype: DType) -> DType {
    if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype }
}

/// An element in the type that is computed in.
///
/// # Safety
/// `x` leads to an element of this dtype.
pub unsafe fn widen(x: *const u8, dtype: DType) -> Element {
    let mut bytes = [0; 8];
    // SAFETY: the caller gives an element of this dtype.
    unsafe {
        match dtype {
            DType::F16 => bytes[..4].copy_from_slice(&(*x.cast::<f16>()).widened().to_ne_bytes()),
            DType::BF16 => bytes[..4].copy_from_slice(&(*x.cast::<bf16>()).widened().to_ne_bytes()),
            _ => std::ptr::copy_nonoverlapping(x, bytes.as_mut_ptr(), dtype.size()),
        }
    }
    bytes
}

/// The second input where the first is true, else the third.
pub fn choose(native: &Native, inputs: &[Operand; 3], out: &Meta) -> Result<Value> {
    let values = inputs.each_ref().map(|input| match input {
        Operand::Tensor(value) => Ok(value),
        Operand::Scalar(scalar) => Err(scalar),
    });
    let dtypes = [DType::Bool, out.dtype, out.dtype];
    let mut elements = [[0; 8]; 3];
    for (operand, value) in values.iter().enumerate() {
        match value {
            Ok(value) if value.dtype() == dtypes[operand] => {}
            Ok(value) => return Err(Error::bug(format!("a choice of {}", value.meta()))),
            Err(scalar) => elements[operand] = element(**scalar, dtypes[operand]),
        }
    }
    let (result, writer) = native.output(out)?;
    let count = out.shape.count();
    let readers: [Reader; 3] = std::array::from_fn(|operand| match values[operand] {
        Ok(value) => Reader::new(value, &out.shape),
        Err(_) => Reader::fixed(elements[operand].as_ptr(), dtypes[operand].size(), count),
    });
    let size = out.dtype.size();
    for_tiles(native, count, &readers, writer, |tiles, out, len| {
        let mut scratch = [const { Scratch::uninit() }; 3];
        let whole = tiles.iter().all(|tile| matches!(tile, Tile::Run(_)));
        let step = if whole { len } else { TILE };
        for start in (0..len).step_by(step.max(1)) {
            let part = step.min(len - start);
            let mut sources = [std::ptr::null(); 3];
            for (operand, scratch) in scratch.iter_mut().enumerate() {
                let size = dtypes[operand].size();
                // SAFETY: a part fits the scratch, and lies within the tile.
                sources[operand] = unsafe {
                    match tiles[operand] {
                        Tile::Run(run) => run.add(start * size),
                        fixed => fixed.run(size, part, scratch),
                    }
                };
            }
            // SAFETY: each source has `part` elements, and so has the output.
            unsafe { select::select(size, sources, out.add(start * size), part) };
        }
    });
    Ok(result)
}

/// The input in another dtype.
pub fn cast(native: &Native, x: &mut Value, out: &Meta) -> Result<Value> {
    if x.dtype() == out.dtype {
        return Ok(x.clone());
    }
    let run = cast::cast_kernel(x.dtype(), out.dtype);
    let run = run.ok_or_else(|| unsupported(&"a cast", x.dtype()))?;
    map_with(native, run, x, out)
}

fn unsupported(what: &dyn std::fmt::Debug, dtype: DType) -> Error {
    Error::bug(format!("there is no {what:?} for {dtype}"))
}

impl Native {
    /// The output's memory: that of an input nobody else holds, if it has the same form. A part of
    /// a larger buffer would keep all of it.
    #[inline]
    pub(super) fn reuse(&self, inputs: &mut [&mut Value], out: &Meta) -> Result<(Value, Writer)> {
        for input in inputs {
            let Some(start) = input.as_mut_ptr() else { continue };
            let same = input.dtype() == out.dtype && input.shape() == &out.shape;
            let spare = input.buffer().len().saturating_sub(out.bytes());
            if same && input.is_contiguous() && spare <= 64.max(out.bytes() / 4) {
                let writer =
                    Writer { start: Shared(start), size: out.dtype.size(), in_place: true };
                return Ok((input.clone(), writer));
            }
        }
        self.output(out)
    }

    /// A copy of a value that is large and whose rows are not runs: reading those piece by piece
    /// would fetch every cache line again for each of its elements.
    pub(super) fn readable(&self, x: &Value) -> Result<Option<Value>> {
        let columns = x.shape().iter().zip(x.strides()).rev().find(|(size, _)| **size != 1);
        let scattered = columns.is_some_and(|(_, &stride)| !matches!(stride, 0 | 1));
        let copied = (scattered && x.count() > CHUNK).then(|| movement::contiguous(self, x));
        copied.transpose()
    }

    /// A tensor without axes that holds a number.
    pub(super) fn scalar(&self, scalar: Scalar, dtype: DType) -> Result<Value> {
        let mut buffer = self.pool.take(dtype.size())?;
        let bytes = buffer.bytes_mut().expect("a pooled buffer is writable");
        bytes.copy_from_slice(&element(scalar, dtype)[..dtype.size()]);
        Ok(Value::new(Meta::new(dtype, Shape::scalar()), buffer))
    }
}
