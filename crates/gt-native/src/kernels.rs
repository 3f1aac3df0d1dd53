//! Elementwise functions as loops over runs of elements, chosen by function and dtype once per
//! tensor. What drives them need not know the type of the elements.

use gt_core::dtype::DType;
use gt_core::kernel::{BinaryFn, UnaryFn};
use gt_core::{binary_functions, unary_functions};
use gt_worker::value::Element;
use half::{bf16, f16};

use super::bits::Bits;
use super::functions::*;
use super::halves::Half;
use super::number::Float;
use super::simd::vectorized;

/// Computes `len` elements of `out` from as many of `x`. The two do not overlap.
pub type MapRun = unsafe fn(x: *const u8, out: *mut u8, len: usize);

/// Computes `len` elements of `out` from `a` and `b`, of which one may be a single number in the
/// type that is computed in (f32 for 16-bit floats). Inputs and output do not overlap.
pub type ZipRun = unsafe fn(a: *const u8, b: *const u8, out: *mut u8, len: usize);

/// Which operand of a binary function is a single number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// None.
    Neither,
    /// The first.
    Left,
    /// The second.
    Right,
}

/// How many 16-bit floats are widened at a time.
const CHUNK: usize = 256;

vectorized! {
    fn map_run<T: Element, F: Unary<T>>(x: &[T], out: &mut [T]) {
        for (out, &x) in out.iter_mut().zip(x) {
            *out = F::of(x);
        }
    }
}

vectorized! {
    fn test_run<T: Element, F: Predicate<T>>(x: &[T], out: &mut [u8]) {
        for (out, &x) in out.iter_mut().zip(x) {
            *out = u8::from(F::of(x));
        }
    }
}

vectorized! {
    fn zip_run<T: Element, F: Binary<T>>(a: &[T], b: &[T], out: &mut [F::Out]) {
        for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
            *out = F::of(a, b);
        }
    }
}

vectorized! {
    fn left_run<T: Element, F: Binary<T>>(a: T, b: &[T], out: &mut [F::Out]) {
        for (out, &b) in out.iter_mut().zip(b) {
            *out = F::of(a, b);
        }
    }
}

vectorized! {
    fn right_run<T: Element, F: Binary<T>>(a: &[T], b: T, out: &mut [F::Out]) {
        for (out, &a) in out.iter_mut().zip(a) {
            *out = F::of(a, b);
        }
    }
}

unsafe fn slice<'a, T>(start: *const u8, len: usize) -> &'a [T] {
    // SAFETY: `MapRun` and `ZipRun` are called with runs of this type and length.
    unsafe { std::slice::from_raw_parts(start.cast(), len) }
}

unsafe fn slice_mut<'a, T>(start: *mut u8, len: usize) -> &'a mut [T] {
    // SAFETY: as above, and nothing else refers to the output meanwhile.
    unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }
}

unsafe fn map<T: Element, F: Unary<T>>(x: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as promised by the caller of a `MapRun`.
    let (x, out) = unsafe { (slice(x, len), slice_mut(out, len)) };
    map_run::<T, F>(x, out);
    F::repair(x, out);
}

unsafe fn test<T: Element, F: Predicate<T>>(x: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as promised by the caller of a `MapRun`.
    unsafe { test_run::<T, F>(slice(x, len), slice_mut(out, len)) }
}

unsafe fn test_half<H: Half, F: Predicate<f32>>(x: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as promised by the caller of a `MapRun`.
    let (x, out) = unsafe { (slice::<H>(x, len), slice_mut::<u8>(out, len)) };
    let mut wide = [0.0; CHUNK];
    for (x, out) in x.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
        H::widen(x, &mut wide[..x.len()]);
        test_run::<f32, F>(&wide[..x.len()], out);
    }
}

unsafe fn map_half<H: Half, F: Unary<f32>>(x: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as promised by the caller of a `MapRun`.
    let (x, out) = unsafe { (slice::<H>(x, len), slice_mut::<H>(out, len)) };
    let (mut wide, mut result) = ([0.0; CHUNK], [0.0; CHUNK]);
    for (x, out) in x.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
        H::widen(x, &mut wide[..x.len()]);
        map_run::<f32, F>(&wide[..x.len()], &mut result);
        F::repair(&wide[..x.len()], &mut result[..x.len()]);
        H::narrow(&result[..x.len()], out);
    }
}

/// Computes the results again that a loop without branches gets wrong.
#[inline]
fn repair<T: Copy, F: Binary<T>>(
    a: impl Fn(usize) -> T,
    b: impl Fn(usize) -> T,
    out: &mut [F::Out],
) {
    for (at, out) in out.iter_mut().enumerate().filter(|_| F::REPAIRS) {
        if let Some(result) = F::repaired(a(at), b(at)) {
            *out = result;
        }
    }
}

unsafe fn both<T: Element, F: Binary<T>>(a: *const u8, b: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as promised by the caller of a `ZipRun`.
    let (a, b, out) = unsafe { (slice(a, len), slice(b, len), slice_mut(out, len)) };
    zip_run::<T, F>(a, b, out);
    repair::<T, F>(|at| a[at], |at| b[at], out);
}

unsafe fn left<T: Element, F: Binary<T>>(a: *const u8, b: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as above; `a` is a single number.
    let (a, b, out) = unsafe { (*a.cast(), slice(b, len), slice_mut(out, len)) };
    left_run::<T, F>(a, b, out);
    repair::<T, F>(|_| a, |at| b[at], out);
}

unsafe fn right<T: Element, F: Binary<T>>(a: *const u8, b: *const u8, out: *mut u8, len: usize) {
    // SAFETY: as above; `b` is a single number.
    let (a, b, out) = unsafe { (slice(a, len), *b.cast(), slice_mut(out, len)) };
    right_run::<T, F>(a, b, out);
    repair::<T, F>(|at| a[at], |_| b, out);
}

/// How results in f32 become elements: rounded, or as they are for comparisons.
trait Store<H>: Element {
    fn store(results: &[Self], out: *mut u8);
}

impl<H: Half> Store<H> for f32 {
    fn store(results: &[f32], out: *mut u8) {
        // SAFETY: the caller gives the place of as many elements.
        H::narrow(results, unsafe { slice_mut(out, results.len()) });
    }
}

impl<H: Half> Store<H> for u8 {
    fn store(results: &[u8], out: *mut u8) {
        // SAFETY: the caller gives the place of as many elements.
        unsafe { slice_mut::<u8>(out, results.len()) }.copy_from_slice(results);
    }
}

/// The runs of a binary function for 16-bit floats: widen, compute, round.
unsafe fn zip_half<H: Half, F: Binary<f32, Out: Store<H>>>(
    fixed: Fixed,
    a: *const u8,
    b: *const u8,
    out: *mut u8,
    len: usize,
) {
    let out_size = size_of::<F::Out>().min(size_of::<H>());
    let (mut wide_a, mut wide_b) = ([0.0; CHUNK], [0.0; CHUNK]);
    let mut result = [F::Out::default(); CHUNK];
    for start in (0..len).step_by(CHUNK) {
        let count = CHUNK.min(len - start);
        let (wide_a, wide_b) = (&mut wide_a[..count], &mut wide_b[..count]);
        let result = &mut result[..count];
        // SAFETY: as promised by the caller of a `ZipRun`; a single number is an f32.
        unsafe {
            if fixed != Fixed::Left {
                H::widen(slice(a.add(start * size_of::<H>()), count), wide_a);
            }
            if fixed != Fixed::Right {
                H::widen(slice(b.add(start * size_of::<H>()), count), wide_b);
            }
            match fixed {
                Fixed::Neither => {}
                Fixed::Left => wide_a.fill(*a.cast()),
                Fixed::Right => wide_b.fill(*b.cast()),
            }
            zip_run::<f32, F>(wide_a, wide_b, result);
            repair::<f32, F>(|at| wide_a[at], |at| wide_b[at], result);
            Store::<H>::store(result, out.add(start * out_size));
        }
    }
}

unsafe fn both_half<H: Half, F: Binary<f32, Out: Store<H>>>(
    a: *const u8,
    b: *const u8,
    out: *mut u8,
    len: usize,
) {
    // SAFETY: as promised by the caller of a `ZipRun`.
    unsafe { zip_half::<H, F>(Fixed::Neither, a, b, out, len) }
}

unsafe fn left_half<H: Half, F: Binary<f32, Out: Store<H>>>(
    a: *const u8,
    b: *const u8,
    out: *mut u8,
    len: usize,
) {
    // SAFETY: as promised by the caller of a `ZipRun`.
    unsafe { zip_half::<H, F>(Fixed::Left, a, b, out, len) }
}

unsafe fn right_half<H: Half, F: Binary<f32, Out: Store<H>>>(
    a: *const u8,
    b: *const u8,
    out: *mut u8,
    len: usize,
) {
    // SAFETY: as promised by the caller of a `ZipRun`.
    unsafe { zip_half::<H, F>(Fixed::Right, a, b, out, len) }
}

/// The loop of a unary function; `None` if the dtype has no such function.
pub fn map_kernel(function: UnaryFn, dtype: DType) -> Option<MapRun> {
    match dtype {
        DType::Bool => map_bool(function),
        DType::U8 => map_integer::<u8>(function),
        DType::I8 => map_integer::<i8>(function),
        DType::I16 => map_integer::<i16>(function),
        DType::I32 => map_integer::<i32>(function),
        DType::I64 => map_integer::<i64>(function),
        DType::F16 => map_halves::<f16>(function),
        DType::BF16 => map_halves::<bf16>(function),
        DType::F32 => map_float::<f32>(function),
        DType::F64 => map_float::<f64>(function),
        _ => None,
    }
}

/// Most functions have no meaning for a boolean, or leave it what it is.
fn map_bool(function: UnaryFn) -> Option<MapRun> {
    match function {
        UnaryFn::Abs | UnaryFn::Relu | UnaryFn::Sign => Some(map::<u8, Abs>),
        UnaryFn::Not => Some(map::<u8, Flip>),
        UnaryFn::IsNan | UnaryFn::IsInf | UnaryFn::IsFinite => map_integer::<u8>(function),
        _ => None,
    }
}

macro_rules! integer_maps {
    (
        $function:expr, $type:ty;
        numbers: $($number:ident)*; floats: $($float:ident)*;
        bits: $($bits:ident)*; predicates: $($test:ident)*;
    ) => {
        match $function {
            $(UnaryFn::$number => Some(map::<$type, $number>),)*
            $(UnaryFn::$bits => Some(map::<$type, $bits>),)*
            $(UnaryFn::$test => Some(test::<$type, $test>),)*
            $(UnaryFn::$float => None,)*
        }
    };
}

macro_rules! float_maps {
    (
        $function:expr, $type:ty, $map:ident, $predicate:ident;
        numbers: $($number:ident)*; floats: $($float:ident)*;
        bits: $($bits:ident)*; predicates: $($test:ident)*;
    ) => {
        match $function {
            $(UnaryFn::$number => Some($map::<$type, $number>),)*
            $(UnaryFn::$float => Some($map::<$type, $float>),)*
            $(UnaryFn::$test => Some($predicate::<$type, $test>),)*
            $(UnaryFn::$bits => None,)*
        }
    };
}

fn map_integer<T: Bits>(function: UnaryFn) -> Option<MapRun> {
    unary_functions! { integer_maps! function, T; }
}

fn map_float<T: Float>(function: UnaryFn) -> Option<MapRun> {
    unary_functions! { float_maps! function, T, map, test; }
}

fn map_halves<H: Half>(function: UnaryFn) -> Option<MapRun> {
    unary_functions! { float_maps! function, H, map_half, test_half; }
}

/// The loop for a power with a well-known exponent, which a product or a root gives faster.
pub fn power_kernel(function: BinaryFn, exponent: f64, dtype: DType) -> Option<MapRun> {
    macro_rules! loops {
        ($($dtype:ident $type:ty: $loop:ident;)*) => {
            match dtype {
                $(DType::$dtype if exponent == 2.0 => Some($loop::<$type, Square>),
                DType::$dtype if exponent == 3.0 => Some($loop::<$type, Cube>),
                DType::$dtype if exponent == 0.5 => Some($loop::<$type, Sqrt>),
                DType::$dtype if exponent == -1.0 => Some($loop::<$type, Reciprocal>),)*
                _ => None,
            }
        };
    }
    if function != BinaryFn::Pow {
        return None;
    }
    loops!(F16 f16: map_half; BF16 bf16: map_half; F32 f32: map; F64 f64: map;)
}

/// The loop of a binary function; `None` if the dtype has no such function.
pub fn zip_kernel(function: BinaryFn, dtype: DType, fixed: Fixed) -> Option<ZipRun> {
    match dtype {
        DType::Bool => zip_bool(function, fixed),
        DType::U8 => zip_integer::<u8>(function, fixed),
        DType::I8 => zip_integer::<i8>(function, fixed),
        DType::I16 => zip_integer::<i16>(function, fixed),
        DType::I32 => zip_integer::<i32>(function, fixed),
        DType::I64 => zip_integer::<i64>(function, fixed),
        DType::F16 => zip_halves::<f16>(function, fixed),
        DType::BF16 => zip_halves::<bf16>(function, fixed),
        DType::F32 => zip_float::<f32>(function, fixed),
        DType::F64 => zip_float::<f64>(function, fixed),
        _ => None,
    }
}

/// Booleans are bytes of zero or one, so "or" is the larger and "and" the smaller.
fn zip_bool(function: BinaryFn, fixed: Fixed) -> Option<ZipRun> {
    use BinaryFn::*;
    match function {
        Add => zip_integer::<u8>(Max, fixed),
        Mul => zip_integer::<u8>(Min, fixed),
        Sub | Div | FloorDiv | TruncDiv | Remainder | Fmod | Shl | Shr => None,
        other => zip_integer::<u8>(other, fixed),
    }
}

macro_rules! zips {
    (
        @loops $function:expr, $fixed:expr, $type:ty, $loops:tt;
        [$($name:ident)*] [$($none:ident)*]
    ) => {
        match $function {
            $(BinaryFn::$name => Some(zips!(@loop $fixed, $type, $name, $loops)),)*
            $(BinaryFn::$none => None,)*
        }
    };
    (@loop $fixed:expr, $type:ty, $name:ident, [$both:ident $left:ident $right:ident]) => {
        match $fixed {
            Fixed::Neither => $both::<$type, $name>,
            Fixed::Left => $left::<$type, $name>,
            Fixed::Right => $right::<$type, $name>,
        }
    };
    (
        integer $function:expr, $fixed:expr, $type:ty, $loops:tt;
        numbers: $($number:ident)*; floats: $($float:ident)*; bits: $($bits:ident)*;
    ) => {
        zips!(@loops $function, $fixed, $type, $loops; [$($number)* $($bits)*] [$($float)*])
    };
    (
        float $function:expr, $fixed:expr, $type:ty, $loops:tt;
        numbers: $($number:ident)*; floats: $($float:ident)*; bits: $($bits:ident)*;
    ) => {
        zips!(@loops $function, $fixed, $type, $loops; [$($number)* $($float)*] [$($bits)*])
    };
}

fn zip_integer<T: Bits>(function: BinaryFn, fixed: Fixed) -> Option<ZipRun> {
    binary_functions! { zips! integer function, fixed, T, [both left right]; }
}

fn zip_float<T: Float>(function: BinaryFn, fixed: Fixed) -> Option<ZipRun> {
    binary_functions! { zips! float function, fixed, T, [both left right]; }
}

fn zip_halves<H: Half>(function: BinaryFn, fixed: Fixed) -> Option<ZipRun> {
    binary_functions! { zips! float function, fixed, H, [both_half left_half right_half]; }
}
