//! Loops that turn elements of one dtype into those of another. Fractions are cut towards zero;
//! 16-bit floats pass through f32.

use gt_core::dtype::DType;
use gt_worker::value::Element;
use half::{bf16, f16};

use super::halves::Half;
use super::kernels::MapRun;
use super::number::Number;
use super::simd::vectorized;

/// How many 16-bit floats are widened at a time.
const CHUNK: usize = 256;

/// Turns into another type of number.
trait Convert<T>: Number {
    fn convert(self) -> T;
}

macro_rules! convert {
    ($from:ty => $($to:ty $(as $middle:ty)?),*) => {
        $(impl Convert<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to {
                self $(as $middle)? as $to
            }
        })*
    };
}

convert!(u8 => u8, i8, i16, i32, i64, f32, f64);
convert!(i8 => u8, i8, i16, i32, i64, f32, f64);
convert!(i16 => u8, i8, i16, i32, i64, f32, f64);
convert!(i32 => u8, i8, i16, i32, i64, f32, f64);
convert!(i64 => u8, i8, i16, i32, i64, f32, f64);
// Through i32 a negative number wraps in a small integer, as it does in PyTorch.
convert!(f32 => u8 as i32, i8 as i32, i16 as i32, i32, i64, f32, f64);
convert!(f64 => u8 as i32, i8 as i32, i16 as i32, i32, i64, f32, f64);

/// A number that turns into every other.
trait Convertible
where
    Self: Convert<u8> + Convert<i8> + Convert<i16> + Convert<i32> + Convert<i64>,
    Self: Convert<f32> + Convert<f64>,
{
}

impl<T> Convertible for T where
    T: Convert<u8>
        + Convert<i8>
        + Convert<i16>
        + Convert<i32>
        + Convert<i64>
        + Convert<f32>
        + Convert<f64>
{
}

vectorized! {
    fn convert_run<U: Element, T: Convert<U>>(x: &[T], out: &mut [U]) {
        for (out, &x) in out.iter_mut().zip(x) {
            *out = x.convert();
        }
    }
}

vectorized! {
    fn truth_run<T: Number>(x: &[T], out: &mut [u8]) {
        for (out, &x) in out.iter_mut().zip(x) {
            *out = u8::from(x != T::ZERO);
        }
    }
}

unsafe fn slices<'a, T, U>(x: *const u8, out: *mut u8, len: usize) -> (&'a [T], &'a mut [U]) {
    // SAFETY: a `MapRun` is called with runs of this length and of the types it was chosen for.
    unsafe {
        (std::slice::from_raw_parts(x.cast(), len), std::slice::from_raw_parts_mut(out.cast(), len))
    }
}

unsafe fn plain<U: Element, T: Convert<U>>(x: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as promised by the caller of a `MapRun`.
    let (x, out) = unsafe { slices::<T, U>(x, out, len) };
    convert_run(x, out);
}

unsafe fn truth<T: Number>(x: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as promised by the caller of a `MapRun`.
    let (x, out) = unsafe { slices::<T, u8>(x, out, len) };
    truth_run(x, out);
}

unsafe fn narrow<H: Half, T: Convert<f32>>(x: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as promised by the caller of a `MapRun`.
    let (x, out) = unsafe { slices::<T, H>(x, out, len) };
    let mut wide = [0.0f32; CHUNK];
    for (x, out) in x.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
        convert_run(x, &mut wide[..x.len()]);
        H::narrow(&wide[..x.len()], out);
    }
}

unsafe fn widen<H: Half, U: Element>(x: *const u8, out: *mut u8, len: usize)
where
    f32: Convert<U>,
{
    // SAFETY: as promised by the caller of a `MapRun`.
    let (x, out) = unsafe { slices::<H, U>(x, out, len) };
    let mut wide = [0.0f32; CHUNK];
    for (x, out) in x.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
        H::widen(x, &mut wide[..x.len()]);
        convert_run(&wide[..x.len()], out);
    }
}

unsafe fn truth_half<H: Half>(x: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as promised by the caller of a `MapRun`.
    let (x, out) = unsafe { slices::<H, u8>(x, out, len) };
    let mut wide = [0.0f32; CHUNK];
    for (x, out) in x.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
        H::widen(x, &mut wide[..x.len()]);
        truth_run(&wide[..x.len()], out);
    }
}

unsafe fn between<H: Half, G: Half>(x: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as promised by the caller of a `MapRun`.
    let (x, out) = unsafe { slices::<H, G>(x, out, len) };
    let mut wide = [0.0f32; CHUNK];
    for (x, out) in x.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
        H::widen(x, &mut wide[..x.len()]);
        G::narrow(&wide[..x.len()], out);
    }
}

/// The loop from one dtype to another; `None` if one of them is not supported.
pub fn cast_kernel(from: DType, to: DType) -> Option<MapRun> {
    match from {
        DType::Bool | DType::U8 => from_number::<u8>(to),
        DType::I8 => from_number::<i8>(to),
        DType::I16 => from_number::<i16>(to),
        DType::I32 => from_number::<i32>(to),
        DType::I64 => from_number::<i64>(to),
        DType::F16 => from_half::<f16>(to),
        DType::BF16 => from_half::<bf16>(to),
        DType::F32 => from_number::<f32>(to),
        DType::F64 => from_number::<f64>(to),
        _ => None,
    }
}

fn from_number<T: Convertible>(to: DType) -> Option<MapRun> {
    Some(match to {
        DType::Bool => truth::<T>,
        DType::U8 => plain::<u8, T>,
        DType::I8 => plain::<i8, T>,
        DType::I16 => plain::<i16, T>,
        DType::I32 => plain::<i32, T>,
        DType::I64 => plain::<i64, T>,
        DType::F16 => narrow::<f16, T>,
        DType::BF16 => narrow::<bf16, T>,
        DType::F32 => plain::<f32, T>,
        DType::F64 => plain::<f64, T>,
        _ => return None,
    })
}

fn from_half<H: Half>(to: DType) -> Option<MapRun> {
    Some(match to {
        DType::Bool => truth_half::<H>,
        DType::U8 => widen::<H, u8>,
        DType::I8 => widen::<H, i8>,
        DType::I16 => widen::<H, i16>,
        DType::I32 => widen::<H, i32>,
        DType::I64 => widen::<H, i64>,
        DType::F16 => between::<H, f16>,
        DType::BF16 => between::<H, bf16>,
        DType::F32 => widen::<H, f32>,
        DType::F64 => widen::<H, f64>,
        _ => return None,
    })
}
