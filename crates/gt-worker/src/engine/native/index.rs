//! Kernels that find or use positions: gathering, scattering, the largest elements, and where
//! elements are not zero.

use std::cmp::Ordering;

use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::shape::Meta;
use half::{bf16, f16};
use smallvec::smallvec;

use super::number::{Half, Number};
use super::tile::Shared;
use super::{Native, elementwise, movement};
use crate::engine::Results;
use crate::value::strided::by_size;
use crate::value::{Element, Value};

/// `[before, size, after]`: the axis, and what lies around it.
fn around(shape: &[usize], axis: usize) -> Result<[usize; 3]> {
    if axis >= shape.len() {
        return Err(Error::bug(format!("there is no axis {axis} in {shape:?}")));
    }
    Ok([shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product()])
}

/// The positions, after checking that every one of them exists.
fn checked(index: &Value, axis: usize, size: usize) -> Result<&[i64]> {
    let positions = index.slice::<i64>();
    let positions = positions.ok_or_else(|| Error::bug(format!("{} as index", index.meta())))?;
    match positions.iter().find(|&&position| position < 0 || position as u64 >= size as u64) {
        Some(wrong) => Err(Error::index(format!(
            "index {wrong} is out of bounds for dimension {axis} with size {size}"
        ))),
        None => Ok(positions),
    }
}

/// Whether the axes around `axis` of an index exist in what it is used on.
fn index_fits(index: &Value, x: &[usize], axis: usize) -> bool {
    let within = |(other, (&own, &size)): (usize, (&usize, &usize))| other == axis || own <= size;
    index.shape().rank() == x.len() && index.shape().iter().zip(x).enumerate().all(within)
}

/// `out[i][j] = in[index[i][j]][j]`, for the axis given.
pub fn gather(native: &Native, axis: usize, x: Value, index: Value, out: &Meta) -> Result<Value> {
    if index.shape() != &out.shape || !index_fits(&index, x.shape(), axis) {
        return Err(Error::bug(format!("{} gathered by {}", x.meta(), index.meta())));
    }
    let size = x.shape()[axis];
    let (x, index) = (movement::contiguous(native, &x)?, movement::contiguous(native, &index)?);
    let positions = checked(&index, axis, size)?;
    let (result, writer) = native.output(out)?;
    let places = Places::new(&x, &out.shape, axis)?;
    by_size!(out.dtype.size(), T => {
        let source = Shared(x.as_ptr().cast_mut().cast::<T>());
        let target = Shared(writer.start.get().cast::<T>());
        native.split(places.rows, places.len, |row| {
            let start = row * places.len;
            places.for_row(row, &positions[start..start + places.len], |at, place| {
                // SAFETY: the positions were checked, and each row of the output is written by
                // one task.
                unsafe { *target.get().add(start + at) = *source.get().add(place) };
            });
        });
    });
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

    /// Calls `each` with the number of each element of a row of the index, and where it leads.
    fn for_row(&self, row: usize, positions: &[i64], mut each: impl FnMut(usize, usize)) {
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
            each(at, base + at * step + position as usize * stride);
        }
    }
}

/// The base with the elements of `source` added at the places that `index` names, in their order.
pub fn scatter_add(
    native: &Native,
    axis: usize,
    base: Value,
    index: Value,
    source: Value,
) -> Result<Value> {
    let wrong = || {
        let (base, index, source) = (base.meta(), index.meta(), source.meta());
        Error::bug(format!("{source} added to {base} at {index}"))
    };
    let fits = index_fits(&index, base.shape(), axis)
        && index.shape().rank() == source.shape().rank()
        && index.shape().iter().zip(source.shape().iter()).all(|(index, source)| index <= source)
        && source.dtype() == base.dtype();
    if !fits {
        return Err(wrong());
    }
    // Checked before anything is written, so that a failure leaves the base as it was.
    let index = movement::contiguous(native, &index)?;
    let positions = checked(&index, axis, base.shape()[axis])?;
    let ranges: Vec<_> =
        index.shape().iter().map(|&size| gt_core::attrs::Range::all(size)).collect();
    let source = movement::contiguous(native, &movement::slice(&ranges, source)?)?;
    let places = Places::new(&base, index.shape(), axis)?;
    let mut base = native.own(base)?;
    macro_rules! add {
        ($type:ty, |$a:ident, $b:ident| $sum:expr) => {{
            let source = source.slice::<$type>().expect("it is contiguous");
            let target = base.slice_mut::<$type>().expect("nobody else holds it");
            if places.len > 0 {
                for row in 0..places.rows {
                    let start = row * places.len;
                    places.for_row(row, &positions[start..start + places.len], |at, place| {
                        let ($a, $b) = (target[place], source[start + at]);
                        target[place] = $sum;
                    });
                }
            }
        }};
    }
    match base.dtype() {
        DType::Bool => add!(u8, |a, b| a | b),
        DType::U8 => add!(u8, |a, b| a.plus(b)),
        DType::I8 => add!(i8, |a, b| a.plus(b)),
        DType::I16 => add!(i16, |a, b| a.plus(b)),
        DType::I32 => add!(i32, |a, b| a.plus(b)),
        DType::I64 => add!(i64, |a, b| a.plus(b)),
        DType::F16 => add!(f16, |a, b| Half::rounded(a.widened() + b.widened())),
        DType::BF16 => add!(bf16, |a, b| Half::rounded(a.widened() + b.widened())),
        DType::F32 => add!(f32, |a, b| a + b),
        DType::F64 => add!(f64, |a, b| a + b),
        dtype => return Err(Error::bug(format!("there is no scattering of {dtype}"))),
    }
    Ok(base)
}

/// Which elements a search is for.
#[derive(Clone, Copy)]
pub struct Search {
    /// How many along the axis.
    pub k: usize,
    /// Along which axis.
    pub axis: usize,
    /// The largest, or the smallest.
    pub largest: bool,
}

/// The `k` largest or smallest elements along an axis in order, and where they are. NaN counts as
/// the largest, and of equal elements the first comes first.
pub fn top_k(native: &Native, search: Search, x: Value, outs: &[Meta]) -> Result<Results> {
    let x = movement::contiguous(native, &x)?;
    match x.dtype() {
        DType::Bool | DType::U8 => top_k_of::<u8>(native, search, &x, outs, u8::cmp),
        DType::I8 => top_k_of::<i8>(native, search, &x, outs, i8::cmp),
        DType::I16 => top_k_of::<i16>(native, search, &x, outs, i16::cmp),
        DType::I32 => top_k_of::<i32>(native, search, &x, outs, i32::cmp),
        DType::I64 => top_k_of::<i64>(native, search, &x, outs, i64::cmp),
        DType::F16 => {
            top_k_of::<f16>(native, search, &x, outs, |a, b| order(&a.widened(), &b.widened()))
        }
        DType::BF16 => {
            top_k_of::<bf16>(native, search, &x, outs, |a, b| order(&a.widened(), &b.widened()))
        }
        DType::F32 => top_k_of::<f32>(native, search, &x, outs, order),
        DType::F64 => top_k_of::<f64>(native, search, &x, outs, order),
        dtype => Err(Error::bug(format!("there is no order in {dtype}"))),
    }
}

fn order<T: Number>(a: &T, b: &T) -> Ordering {
    a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

fn top_k_of<T: Element>(
    native: &Native,
    search: Search,
    x: &Value,
    outs: &[Meta],
    compare: fn(&T, &T) -> Ordering,
) -> Result<Results> {
    let wrong = || Error::bug(format!("the {} greatest of {} as {outs:?}", search.k, x.meta()));
    let [values, indices] = outs else { return Err(wrong()) };
    let scalar = x.shape().rank() == 0;
    let [before, size, after] = if scalar { [1; 3] } else { around(x.shape(), search.axis)? };
    if search.k > size || values.shape.count() != before * search.k * after {
        return Err(wrong());
    }
    let numbers = x.slice::<T>().ok_or_else(wrong)?;
    let (values, value_writer) = native.output(values)?;
    let (indices, index_writer) = native.output(indices)?;
    let value_target = Shared(value_writer.start.get().cast::<T>());
    let index_target = Shared(index_writer.start.get().cast::<i64>());
    native.split(before * after, size * 8, |line| {
        let (start, out) = (line / after * size * after, line / after * search.k * after);
        let column = line % after;
        let number = |index: usize| &numbers[start + index * after + column];
        let compare = |&a: &usize, &b: &usize| {
            let order = compare(number(a), number(b));
            let order = if search.largest { order.reverse() } else { order };
            order.then(a.cmp(&b))
        };
        let mut order: Vec<usize> = (0..size).collect();
        if search.k < size && search.k > 0 {
            order.select_nth_unstable_by(search.k - 1, compare);
        }
        order.truncate(search.k);
        order.sort_unstable_by(compare);
        for (rank, index) in order.into_iter().enumerate() {
            let at = out + rank * after + column;
            // SAFETY: each line of the outputs is written by one task.
            unsafe {
                value_target.get().add(at).write(*number(index));
                index_target.get().add(at).write(index as i64);
            }
        }
    });
    Ok(smallvec![values, indices])
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
