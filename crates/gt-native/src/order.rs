//! Elements in order: all along an axis, or the largest or smallest of them. NaN counts as the
//! largest, and equal elements keep their order.

use std::ops::Not;

use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::shape::Meta;
use gt_worker::engine::Results;
use gt_worker::value::{Element, Value};
use half::{bf16, f16};
use smallvec::smallvec;

use super::halves::Half;
use super::index::around;
use super::simd::vectorized;
use super::tile::{CHUNK, Shared};
use super::{Native, movement};

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
    if search.k == 0 {
        return Ok(smallvec![values, indices]);
    }
    native.split(before * after, size, |line| {
        let (start, out) = (line / after * size * after, line / after * search.k * after);
        let column = line % after;
        let number = |index: usize| numbers[start + index * after + column];
        let found = match after {
            1 => first_of_run(&numbers[start..start + size], search),
            _ => first((0..size).map(|index| number(index).key(search.largest)), search.k),
        };
        for (rank, index) in found.places().enumerate() {
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

/// Up to so many are kept in order, so that the limit is always the last of them.
const FEW: usize = 16;

/// Elements that may be among the `k` with the smallest keys, `k` not zero. Few of them are kept in
/// order; more are cut down to `k` from time to time. From then on only smaller ones than the last
/// of these are kept.
struct Candidates<K> {
    k: usize,
    kept: Vec<(K, usize)>,
    limit: Option<K>,
}

impl<K: Copy + Ord> Candidates<K> {
    fn new(k: usize) -> Self {
        let room = if k <= FEW { k + 1 } else { 4 * k };
        Candidates { k, kept: Vec::with_capacity(room), limit: None }
    }

    /// Looks at the next element.
    #[inline(always)]
    fn offer(&mut self, key: K, index: usize) {
        // Of equal ones the first counts, and that is there already.
        if self.limit.is_none_or(|limit| key < limit) {
            self.keep(key, index);
        }
    }

    fn keep(&mut self, key: K, index: usize) {
        self.kept.push((key, index));
        if self.k <= FEW {
            let mut at = self.kept.len() - 1;
            while at > 0 && self.kept[at - 1].0 > key {
                self.kept[at] = self.kept[at - 1];
                at -= 1;
            }
            self.kept[at] = (key, index);
        } else if self.kept.len() == 4 * self.k {
            self.kept.select_nth_unstable(self.k - 1);
        } else {
            return;
        }
        self.kept.truncate(self.k);
        self.limit = self.kept.get(self.k - 1).map(|&(key, _)| key);
    }

    /// Where the smallest are, in order.
    fn places(mut self) -> impl Iterator<Item = usize> {
        self.kept.sort_unstable();
        self.kept.truncate(self.k);
        self.kept.into_iter().map(|(_, index)| index)
    }
}

/// Finds the `k` smallest keys.
fn first<K: Copy + Ord>(keys: impl Iterator<Item = K>, k: usize) -> Candidates<K> {
    let mut candidates = Candidates::new(k);
    keys.enumerate().for_each(|(index, key)| candidates.offer(key, index));
    candidates
}

/// So many elements are looked at together: most of them are no candidates.
const BLOCK: usize = 32;

/// The same for elements one after another.
fn first_of_run<T: Ranked>(numbers: &[T], search: Rank) -> Candidates<T::Key> {
    let mut candidates = Candidates::new(search.k);
    let mut keys = [T::Key::default(); BLOCK];
    let mut at = 0;
    while at < numbers.len() {
        if let Some(limit) = candidates.limit {
            at += BLOCK * blocks_from(&numbers[at..], search.largest, limit);
        }
        let block = &numbers[at.min(numbers.len())..numbers.len().min(at + BLOCK)];
        write_keys(block, search.largest, &mut keys);
        for (own, &key) in keys[..block.len()].iter().enumerate() {
            candidates.offer(key, at + own);
        }
        at += BLOCK;
    }
    candidates
}

vectorized! {
    /// The keys of all elements: one by one, each would be a guess at its sign.
    fn write_keys<T: Ranked>(numbers: &[T], largest: bool, keys: &mut [T::Key]) {
        for (key, number) in keys.iter_mut().zip(numbers) {
            *key = number.key(largest);
        }
    }
}

vectorized! {
    /// How many blocks there are before the first that has a key below the limit.
    fn blocks_from<T: Ranked>(numbers: &[T], largest: bool, limit: T::Key) -> usize {
        let (blocks, _) = numbers.as_chunks::<BLOCK>();
        for (at, block) in blocks.iter().enumerate() {
            let mut is_below = false;
            for number in block {
                is_below |= number.key(largest) < limit;
            }
            if is_below {
                return at;
            }
        }
        blocks.len()
    }
}

/// An element that has a rank: a number that says where it comes in the order.
trait Ranked: Element {
    /// A number that is wide enough.
    type Key: Copy + Default + Ord + Into<u64> + Not<Output = Self::Key>;

    fn rank(self) -> Self::Key;

    /// The rank, turned around if the largest come first.
    #[inline(always)]
    fn key(self, largest: bool) -> Self::Key {
        if largest { !self.rank() } else { self.rank() }
    }
}

macro_rules! ranked {
    ($($type:ident as $key:ident |$x:ident| $rank:expr;)*) => {
        $(impl Ranked for $type {
            type Key = $key;

            #[inline(always)]
            fn rank(self) -> $key {
                let $x = self;
                $rank
            }
        })*
    };
}

ranked! {
    u8 as u8 |x| x;
    i8 as u8 |x| x as u8 ^ 0x80;
    i16 as u16 |x| x as u16 ^ 0x8000;
    i32 as u32 |x| x as u32 ^ 0x8000_0000;
    i64 as u64 |x| x as u64 ^ 1 << 63;
    f16 as u32 |x| x.widened().rank();
    bf16 as u32 |x| x.widened().rank();
    f32 as u32 |x| {
        // Adding zero makes minus zero a zero.
        let bits = (x + 0.0).to_bits();
        let turned = bits ^ if bits >> 31 == 1 { u32::MAX } else { 1 << 31 };
        if x.is_nan() { u32::MAX } else { turned }
    };
    f64 as u64 |x| {
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
    let narrow = size_of::<T::Key>() <= 4 && size <= u32::MAX as usize;
    let (mut packed, mut pairs) = (Vec::new(), Vec::new());
    for start in (0..numbers.len()).step_by(size) {
        let line = &numbers[start..start + size];
        let key = |number: &T| -> u64 { number.key(descending).into() };
        let ranks = line.iter().enumerate().map(|(at, number)| (key(number), at as u64));
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
