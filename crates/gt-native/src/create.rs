//! Kernels that make tensors out of numbers: constants, counts and random numbers.

use std::ops::Range;

use gt_core::dtype::{DType, Scalar};
use gt_core::error::{Error, Result};
use gt_core::kernel::{Distribution, Random};
use gt_core::philox;
use gt_core::shape::Meta;
use gt_worker::value::Value;
use gt_worker::value::strided::by_size;
use half::{bf16, f16};
use smallvec::SmallVec;

use super::Native;
use super::elementwise::element;
use super::halves::Half;
use super::tile::{CHUNK, Shared, TILE};

/// Every element is the same number.
pub fn fill(native: &Native, scalar: Scalar, out: &Meta) -> Result<Value> {
    let (result, writer) = native.output(out)?;
    let element = element(scalar, out.dtype);
    let count = out.shape.count();
    by_size!(out.dtype.size(), T => {
        let start = Shared(writer.start.get().cast::<T>());
        // SAFETY: an element of the dtype has this size, and eight bytes are enough for it.
        let element = unsafe { element.as_ptr().cast::<T>().read_unaligned() };
        native.split(count.div_ceil(CHUNK), CHUNK, |chunk| {
            let first = chunk * CHUNK;
            let len = CHUNK.min(count - first);
            // SAFETY: each chunk is another part of the output.
            unsafe { std::slice::from_raw_parts_mut(start.get().add(first), len) }.fill(element);
        });
    });
    Ok(result)
}

/// `start + step · i` for the `i`-th element.
pub fn iota(native: &Native, start: Scalar, step: Scalar, out: &Meta) -> Result<Value> {
    let whole = !matches!(start, Scalar::Float(_)) && !matches!(step, Scalar::Float(_));
    let (first, add) = (start.as_i64(), step.as_i64());
    let integer = move |index: usize| first.wrapping_add(add.wrapping_mul(index as i64));
    let (first, add) = (start.as_f64(), step.as_f64());
    let float = move |index: usize| first + add * index as f64;
    macro_rules! numbers {
        ($type:ty, $convert:expr) => {
            native.generate::<$type>(out, $convert)
        };
    }
    macro_rules! integers {
        ($type:ty) => {
            if whole {
                numbers!($type, |index| integer(index) as $type)
            } else {
                numbers!($type, |index| float(index) as i64 as $type)
            }
        };
    }
    match out.dtype {
        DType::Bool => numbers!(u8, |index| u8::from(float(index) != 0.0)),
        DType::U8 => integers!(u8),
        DType::I8 => integers!(i8),
        DType::I16 => integers!(i16),
        DType::I32 => integers!(i32),
        DType::I64 => integers!(i64),
        DType::F16 => numbers!(f16, |index| f16::from_f32(float(index) as f32)),
        DType::BF16 => numbers!(bf16, |index| bf16::from_f32(float(index) as f32)),
        DType::F32 => numbers!(f32, |index| float(index) as f32),
        DType::F64 => numbers!(f64, float),
        dtype => Err(Error::bug(format!("there is no counting in {dtype}"))),
    }
}

/// Counted random numbers.
pub fn random(native: &Native, random: &Random, out: &Meta) -> Result<Value> {
    let fits = |axis: usize| random.start[axis] + out.shape[axis] <= random.whole[axis];
    let ranks = [random.whole.rank(), random.start.len()];
    if ranks != [out.shape.rank(); 2] || !(0..out.shape.rank()).all(fits) {
        return Err(Error::bug(format!("{out} is no part of {}", random.whole)));
    }
    let (seed, rng_index) = (random.seed, random.rng_index);
    let uniform = random.distribution == Distribution::Uniform;
    if let Distribution::Integers { low, high } = random.distribution {
        return integers(native, random, low..high, out);
    }
    match out.dtype {
        DType::F32 if uniform => native.runs(random, out, |first, out| {
            philox::fill_uniform_f32(seed, rng_index, first, out);
        }),
        DType::F32 => native.runs(random, out, |first, out| {
            philox::fill_normal_f32(seed, rng_index, first, out);
        }),
        DType::F64 if uniform => native.runs(random, out, |first, out| {
            philox::fill_uniform_f64(seed, rng_index, first, out);
        }),
        DType::F64 => native.runs(random, out, |first, out| {
            philox::fill_normal_f64(seed, rng_index, first, out);
        }),
        DType::F16 => halves::<f16>(native, random, out, 11),
        DType::BF16 => halves::<bf16>(native, random, out, 8),
        dtype => Err(Error::bug(format!("there are no random numbers in {dtype}"))),
    }
}

/// Whole numbers within a range.
fn integers(native: &Native, random: &Random, range: Range<i64>, out: &Meta) -> Result<Value> {
    if range.is_empty() {
        return Err(Error::bug(format!("there are no numbers in {range:?}")));
    }
    let (seed, rng_index) = (random.seed, random.rng_index);
    let fill = |first: u64, out: &mut [i64]| {
        philox::fill_integers(seed, rng_index, first, range.clone(), out);
    };
    macro_rules! narrow {
        ($type:ty) => {
            native.runs::<$type>(random, out, |mut first, out| {
                let mut wide = [0; TILE];
                for part in out.chunks_mut(TILE) {
                    let wide = &mut wide[..part.len()];
                    fill(first, wide);
                    part.iter_mut().zip(wide).for_each(|(to, from)| *to = *from as $type);
                    first += part.len() as u64;
                }
            })
        };
    }
    match out.dtype {
        DType::U8 => narrow!(u8),
        DType::I8 => narrow!(i8),
        DType::I16 => narrow!(i16),
        DType::I32 => narrow!(i32),
        DType::I64 => native.runs(random, out, fill),
        dtype => Err(Error::bug(format!("there are no random whole numbers in {dtype}"))),
    }
}

/// The f32 numbers, rounded. Uniform ones are cut to the `digits` of the dtype, because rounding up
/// could give one.
fn halves<H: Half>(native: &Native, random: &Random, out: &Meta, digits: i32) -> Result<Value> {
    let (seed, rng_index) = (random.seed, random.rng_index);
    let uniform = random.distribution == Distribution::Uniform;
    let scale = 2f32.powi(digits);
    native.runs::<H>(random, out, |mut first, out| {
        let mut wide = [0.0; TILE];
        for part in out.chunks_mut(TILE) {
            let wide = &mut wide[..part.len()];
            if uniform {
                philox::fill_uniform_f32(seed, rng_index, first, wide);
                wide.iter_mut().for_each(|x| *x = (*x * scale).trunc() / scale);
            } else {
                philox::fill_normal_f32(seed, rng_index, first, wide);
            }
            H::narrow(wide, part);
            first += part.len() as u64;
        }
    })
}

impl Native {
    /// A tensor whose elements are a function of their number.
    fn generate<T>(&self, out: &Meta, of: impl Fn(usize) -> T + Sync) -> Result<Value> {
        let (result, writer) = self.output(out)?;
        let count = out.shape.count();
        let start = Shared(writer.start.get().cast::<T>());
        self.split(count.div_ceil(CHUNK), CHUNK, |chunk| {
            for index in chunk * CHUNK..(chunk * CHUNK + CHUNK).min(count) {
                // SAFETY: the output has so many elements, and each is written once.
                unsafe { start.get().add(index).write(of(index)) };
            }
        });
        Ok(result)
    }

    /// Fills a part of a whole tensor: `fill` is given runs of elements and the number that the
    /// first of them has in the whole.
    fn runs<T>(
        &self,
        random: &Random,
        out: &Meta,
        fill: impl Fn(u64, &mut [T]) + Sync,
    ) -> Result<Value> {
        let (result, writer) = self.output(out)?;
        let count = out.shape.count();
        if count == 0 {
            return Ok(result);
        }
        // Axes that are whole lie one after another in the whole, too.
        let rank = out.shape.rank();
        let whole = (0..rank).rev().take_while(|&axis| out.shape[axis] == random.whole[axis]);
        let split = (rank - whole.count()).saturating_sub(1);
        let len: usize = out.shape[split..].iter().product();
        let strides: SmallVec<[u64; 4]> =
            random.whole.strides().into_iter().map(|stride| stride as u64).collect();
        let start = Shared(writer.start.get().cast::<T>());
        let parts = len.div_ceil(CHUNK);
        self.split(count / len * parts, len.min(CHUNK), |task| {
            let (run, part) = (task / parts, task % parts * CHUNK);
            let mut rest = run;
            let mut first: u64 =
                (split..rank).map(|axis| random.start[axis] as u64 * strides[axis]).sum();
            for axis in (0..split).rev() {
                let index = rest % out.shape[axis] + random.start[axis];
                rest /= out.shape[axis];
                first += index as u64 * strides[axis];
            }
            // SAFETY: each task is another part of the output.
            let numbers = unsafe {
                let start = start.get().add(run * len + part);
                std::slice::from_raw_parts_mut(start, CHUNK.min(len - part))
            };
            fill(first + part as u64, numbers);
        });
        Ok(result)
    }
}
