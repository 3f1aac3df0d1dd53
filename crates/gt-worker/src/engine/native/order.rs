//! Elements in order: all along an axis, or the largest or smallest of them. NaN counts as the
//! largest, and equal elements keep their order.

use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::shape::Meta;
use half::{bf16, f16};
use smallvec::smallvec;

use super::halves::Half;
use super::index::around;
use super::tile::{CHUNK, Shared};
use super::{Native, movement};
use crate::engine::Results;
use crate::value::{Element, Value};

/// Which elements are searched.
#[derive(Clone, Copy)]
pub struct Rank {
    /// How many along the axis.
    pub k: usize,
    /// Along which axis.
    pub axis: usize,
    /// The largest, or the smallest.
    pub largest: bool,
}

/// The `k` largest or smallest elements along an axis in order, and where they are. NaN counts as
/// the largest, and of equal elements the first comes first.
pub fn top_k(native: &Native, search: Rank, x: Value, outs: &[Meta]) -> Result<Results> {
    match x.dtype() {
        DType::Bool | DType::U8 => top_k_of::<u8>(native, search, x, outs),
        DType::I8 => top_k_of::<i8>(native, search, x, outs),
        DType::I16 => top_k_of::<i16>(native, search, x, outs),
        DType::I32 => top_k_of::<i32>(native, search, x, outs),
        DType::I64 => top_k_of::<i64>(native, search, x, outs),
        DType::F16 => top_k_of::<f16>(native, search, x, outs),
        DType::BF16 => top_k_of::<bf16>(native, search, x, outs),
        DType::F32 => top_k_of::<f32>(native, search, x, outs),
        DType::F64 => top_k_of::<f64>(native, search, x, outs),
        dtype => Err(Error::bug(format!("there is no order in {dtype}"))),
    }
}

fn top_k_of<T: Ranked>(native: &Native, search: Rank, x: Value, outs: &[Meta]) -> Result<Results> {
    let wrong = || Error::bug(format!("the {} greatest of other elements as {outs:?}", search.k));
    let x = movement::contiguous(native, &x)?;
    let [values, indices] = outs else { return Err(wrong()) };
    let [before, size, after] = around(x.shape(), search.axis)?;
    if search.k > size || values.shape.count() != before * search.k * after {
        return Err(wrong());
    }
    let numbers = x.slice::<T>().ok_or_else(wrong)?;
    let (values, value_writer) = native.output(values)?;
    let (indices, index_writer) = native.output(indices)?;
    let value_target = Shared(value_writer.start.get().cast::<T>());
    let index_target = Shared(index_writer.start.get().cast::<i64>());
    let turn = if search.largest { u64::MAX } else { 0 };
    native.split(before * after, size * 2, |line| {
        let (start, out) = (line / after * size * after, line / after * search.k * after);
        let column = line % after;
        let number = |index: usize| numbers[start + index * after + column];
        let ranks = (0..size).map(|index| number(index).rank() ^ turn);
        for (rank, index) in first(ranks, search.k).into_iter().enumerate() {
            let at = out + rank * after + column;
            // SAFETY: each line of the outputs is written by one task.
            unsafe {
                value_target.get().add(at).write(number(index));
                index_target.get().add(at).write(index as i64);
            }
        }
    });
    Ok(smallvec![values, indices])
}

/// Where the `k` smallest ranks are, in order. Those that may be among them are collected, and from
/// time to time cut down to `k`; from then on only smaller ones than the last of these are.
fn first(ranks: impl Iterator<Item = u64>, k: usize) -> Vec<usize> {
    if k == 0 {
        return Vec::new();
    }
    let room = (4 * k).max(64);
    let mut kept: Vec<(u64, usize)> = Vec::with_capacity(room);
    let mut limit = None;
    for (index, rank) in ranks.enumerate() {
        // Of equal ones the first counts, and that is there already.
        if limit.is_some_and(|limit| rank >= limit) {
            continue;
        }
        kept.push((rank, index));
        if kept.len() == room {
            kept.select_nth_unstable(k - 1);
            kept.truncate(k);
            limit = kept.last().map(|&(rank, _)| rank);
        }
    }
    kept.sort_unstable();
    kept.truncate(k);
    kept.into_iter().map(|(_, index)| index).collect()
}

/// An element that has a rank: a number that says where it comes in the order.
trait Ranked: Element {
    /// Whether ranks have 32 bits at most.
    const NARROW: bool = size_of::<Self>() <= 4;

    fn rank(self) -> u64;
}

macro_rules! ranked {
    ($($type:ident |$x:ident| $rank:expr;)*) => {
        $(impl Ranked for $type {
            #[inline(always)]
            fn rank(self) -> u64 {
                let $x = self;
                $rank
            }
        })*
    };
}

ranked! {
    u8 |x| u64::from(x);
    i8 |x| u64::from(x as u8 ^ 0x80);
    i16 |x| u64::from(x as u16 ^ 0x8000);
    i32 |x| u64::from(x as u32 ^ 0x8000_0000);
    i64 |x| x as u64 ^ 1 << 63;
    f16 |x| x.widened().rank();
    bf16 |x| x.widened().rank();
    f32 |x| {
        // Adding zero makes minus zero a zero.
        let bits = (x + 0.0).to_bits();
        let turned = bits ^ if bits >> 31 == 1 { u32::MAX } else { 1 << 31 };
        u64::from(if x.is_nan() { u32::MAX } else { turned })
    };
    f64 |x| {
        let bits = (x + 0.0).to_bits();
        let turned = bits ^ if bits >> 63 == 1 { u64::MAX } else { 1 << 63 };
        if x.is_nan() { u64::MAX } else { turned }
    };
}

/// Which way elements are ordered.
#[derive(Clone, Copy)]
pub struct Order {
    /// Along which axis.
    pub axis: usize,
    /// The largest first.
    pub descending: bool,
}

/// The elements in order along an axis, and where they were.
pub fn sort(native: &Native, order: Order, x: Value, outs: &[Meta]) -> Result<Results> {
    let [values, indices] = outs else { return Err(Error::bug("a sort without two results")) };
    let same = x.meta() == values && x.shape() == &indices.shape && indices.dtype == DType::I64;
    if !same {
        return Err(Error::bug(format!("{} sorted as {outs:?}", x.meta())));
    }
    match x.dtype() {
        DType::Bool | DType::U8 => sort_of::<u8>(native, order, x),
        DType::I8 => sort_of::<i8>(native, order, x),
        DType::I16 => sort_of::<i16>(native, order, x),
        DType::I32 => sort_of::<i32>(native, order, x),
        DType::I64 => sort_of::<i64>(native, order, x),
        DType::F16 => sort_of::<f16>(native, order, x),
        DType::BF16 => sort_of::<bf16>(native, order, x),
        DType::F32 => sort_of::<f32>(native, order, x),
        DType::F64 => sort_of::<f64>(native, order, x),
        dtype => Err(Error::bug(format!("there is no order in {dtype}"))),
    }
}

fn sort_of<T: Ranked>(native: &Native, order: Order, x: Value) -> Result<Results> {
    let [_, size, _] = around(x.shape(), order.axis)?;
    // Turned so that lines are runs; the results are turned back.
    let mut axes: Vec<usize> = (0..x.shape().rank()).filter(|&axis| axis != order.axis).collect();
    axes.extend((x.shape().rank() > 0).then_some(order.axis));
    let x = movement::contiguous(native, &movement::permute(&axes, x))?;
    let numbers = x.slice::<T>().ok_or_else(|| Error::bug("a sort of other elements"))?;
    let (values, value_writer) = native.output(x.meta())?;
    let meta = Meta { dtype: DType::I64, shape: x.shape().clone() };
    let (indices, index_writer) = native.output(&meta)?;
    let value_target = Shared(value_writer.start.get().cast::<T>());
    let index_target = Shared(index_writer.start.get().cast::<i64>());
    let lines = numbers.len() / size.max(1);
    let together = (CHUNK / 8 / size.max(1)).max(1);
    native.split(lines.div_ceil(together), together * size * 8, |task| {
        let first = task * together * size;
        let end = (first + together * size).min(numbers.len());
        // SAFETY: each task writes other lines of the outputs.
        let (values, indices) = unsafe {
            (
                std::slice::from_raw_parts_mut(value_target.get().add(first), end - first),
                std::slice::from_raw_parts_mut(index_target.get().add(first), end - first),
            )
        };
        sort_lines(&numbers[first..end], size, order.descending, values, indices);
    });
    let mut back = vec![0; axes.len()];
    axes.iter().enumerate().for_each(|(at, &axis)| back[axis] = at);
    Ok([values, indices].into_iter().map(|value| movement::permute(&back, value)).collect())
}

/// Sorts runs of `size` elements each.
fn sort_lines<T: Ranked>(
    numbers: &[T],
    size: usize,
    descending: bool,
    values: &mut [T],
    indices: &mut [i64],
) {
    if size == 0 {
        return;
    }
    let turn = if descending { u64::MAX } else { 0 };
    let narrow = T::NARROW && size <= u32::MAX as usize;
    let (mut packed, mut pairs) = (Vec::new(), Vec::new());
    for start in (0..numbers.len()).step_by(size) {
        let line = &numbers[start..start + size];
        let ranks = line.iter().enumerate().map(|(at, number)| (number.rank() ^ turn, at as u64));
        let indices = &mut indices[start..start + size];
        // The place comes after the rank, so that equal elements keep their order.
        if narrow {
            packed.clear();
            packed.extend(ranks.map(|(rank, at)| rank << 32 | at));
            packed.sort_unstable();
            let places = packed.iter().map(|&key| i64::from(key as u32));
            indices.iter_mut().zip(places).for_each(|(index, place)| *index = place);
        } else {
            pairs.clear();
            pairs.extend(ranks);
            pairs.sort_unstable();
            indices.iter_mut().zip(&pairs).for_each(|(index, pair)| *index = pair.1 as i64);
        }
        for (value, &place) in values[start..start + size].iter_mut().zip(indices.iter()) {
            *value = line[place as usize];
        }
    }
}
