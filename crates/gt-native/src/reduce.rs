//! Sums, means and extremes along axes. Reduced axes that follow each other are taken together,
//! from the last group to the first; see [`super::tree`] for the order within a group.

use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::kernel::ReduceFn;
use gt_core::shape::{Meta, Shape};
use gt_worker::buffer::Buffer;
use gt_worker::value::Value;
use gt_worker::value::strided::Walk;
use half::{bf16, f16};
use smallvec::SmallVec;

use super::tile::{CHUNK, Shared};
use super::tree::{self, COLUMNS, Combine, LEAF, Largest, Product, Reducible, Smallest, Sum};
use super::{Native, movement};

/// From so many rows on, one thread combines all of a row, if it has no more leaves than this.
const ROWS: usize = 64;
const ROW_LEAVES: usize = 32;

/// Combines the elements along `axes`.
pub fn reduce(
    native: &Native,
    with: ReduceFn,
    axes: &[usize],
    x: Value,
    out: &Meta,
) -> Result<Value> {
    if x.dtype() != out.dtype {
        return Err(Error::bug(format!("{with:?} of {} gives {out}", x.meta())));
    }
    let job = Job { native, with, axes, out };
    match x.dtype() {
        DType::Bool => match with {
            // Booleans are zero or one: "any" is the largest, "all" the smallest.
            ReduceFn::Sum | ReduceFn::Max | ReduceFn::Any => job.combine::<u8, Largest>(x),
            ReduceFn::Min => job.combine::<u8, Smallest>(x),
            // The product is true if all are, and if there are none.
            ReduceFn::All | ReduceFn::Prod => job.combine::<u8, Product>(x),
            ReduceFn::Mean => Err(Error::bug("a mean of booleans")),
        },
        DType::U8 => job.run::<u8>(x),
        DType::I8 => job.run::<i8>(x),
        DType::I16 => job.run::<i16>(x),
        DType::I32 => job.run::<i32>(x),
        DType::I64 => job.run::<i64>(x),
        DType::F16 => job.run::<f16>(x),
        DType::BF16 => job.run::<bf16>(x),
        DType::F32 => job.run::<f32>(x),
        DType::F64 => job.run::<f64>(x),
        dtype => Err(Error::bug(format!("there is no {with:?} for {dtype}"))),
    }
}

struct Job<'a> {
    native: &'a Native,
    with: ReduceFn,
    axes: &'a [usize],
    out: &'a Meta,
}

/// Axes that follow each other and are all kept, or all reduced.
#[derive(Clone, Copy)]
struct Group {
    size: usize,
    reduced: bool,
}

impl Job<'_> {
    fn run<T: Reducible<Wide: Reducible<Wide = T::Wide>>>(&self, x: Value) -> Result<Value> {
        match self.with {
            ReduceFn::Sum | ReduceFn::Mean => self.combine::<T, Sum>(x),
            ReduceFn::Max => self.combine::<T, Largest>(x),
            ReduceFn::Min => self.combine::<T, Smallest>(x),
            ReduceFn::Prod => self.combine::<T, Product>(x),
            ReduceFn::Any | ReduceFn::All => Err(Error::bug(format!("{:?} of numbers", self.with))),
        }
    }

    fn combine<T, F>(&self, x: Value) -> Result<Value>
    where
        T: Reducible<Wide: Reducible<Wide = T::Wide>>,
        F: Combine<T::Wide>,
    {
        let mut groups = self.groups(x.shape());
        let (value, writer) = self.native.output(self.out)?;
        let out = writer.start.get().cast::<T>();
        let count = self.out.shape.count();
        let reduced: usize = groups.iter().filter(|g| g.reduced).map(|g| g.size).product();
        if count == 0 {
            return Ok(value);
        }
        if reduced == 0 {
            self.store::<T>(&vec![F::START; count], 0, out);
            return Ok(value);
        }
        let Some(last) = groups.iter().rposition(|group| group.reduced) else {
            // Each element is combined with nothing.
            let whole = movement::contiguous(self.native, &x)?;
            return Ok(movement::contiguous_view(whole, self.out.shape.clone()));
        };
        let source = self.native.rows_of(x, &groups, last)?;
        let mut partial = self.stage::<T, F>(&source, &mut groups, last)?;
        while let Some(last) = groups.iter().rposition(|group| group.reduced) {
            let count: usize = groups.iter().map(|group| group.size).product();
            let len = row_len(&groups, last);
            partial.walk = rows_walk(count / len, len);
            partial = self.stage::<T::Wide, F>(&partial, &mut groups, last)?;
        }
        // SAFETY: the last stage wrote one result for each element of the output.
        let results = unsafe { std::slice::from_raw_parts(partial.start.get().cast(), count) };
        self.store::<T>(results, reduced, out);
        Ok(value)
    }

    fn groups(&self, shape: &Shape) -> SmallVec<[Group; 4]> {
        let mut groups: SmallVec<[Group; 4]> = SmallVec::new();
        for (axis, &size) in shape.iter().enumerate() {
            let reduced = self.axes.contains(&axis);
            match groups.last_mut() {
                _ if size == 1 => {}
                Some(group) if group.reduced == reduced => group.size *= size,
                _ => groups.push(Group { size, reduced }),
            }
        }
        groups
    }

    fn store<T: Reducible>(&self, results: &[T::Wide], reduced: usize, out: *mut T) {
        let mean = self.with == ReduceFn::Mean;
        for (index, &wide) in results.iter().enumerate() {
            let wide = if mean { T::mean(wide, reduced) } else { wide };
            // SAFETY: the output has as many elements as there are results.
            unsafe { *out.add(index) = T::from_wide(tree::settled(wide)) };
        }
    }

    /// Reduces the group `last`, after which all groups are kept, and takes it out of the list.
    fn stage<T, F>(
        &self,
        source: &Rows,
        groups: &mut SmallVec<[Group; 4]>,
        last: usize,
    ) -> Result<Rows>
    where
        T: Reducible<Wide: Reducible<Wide = T::Wide>>,
        F: Combine<T::Wide>,
    {
        let outer: usize = groups[..last].iter().map(|group| group.size).product();
        let size = groups[last].size;
        let inner: usize = groups[last + 1..].iter().map(|group| group.size).product();
        groups.remove(last);
        if inner == 1 && groups.len() == last {
            self.inner_stage::<T, F>(source, outer, size)
        } else {
            self.outer_stage::<T, F>(source, outer, size, inner)
        }
    }

    /// `[outer, size]` to `[outer]`.
    fn inner_stage<T, F>(&self, source: &Rows, outer: usize, size: usize) -> Result<Rows>
    where
        T: Reducible<Wide: Reducible<Wide = T::Wide>>,
        F: Combine<T::Wide>,
    {
        let leaves = size.div_ceil(LEAF);
        if leaves > 1 && leaves <= ROW_LEAVES && outer >= ROWS {
            return self.rows_stage::<T, F>(source, outer, size);
        }
        let result = Rows::empty::<T::Wide>(self.native, outer * leaves, leaves)?;
        let (out, start) = (result.start, source.start);
        let together = (CHUNK / LEAF).min(leaves);
        let runs = leaves.div_ceil(together);
        self.native.split(outer * runs, size.min(together * LEAF), |run| {
            let (row, part) = (run / runs, run % runs * together);
            let (from, count) = (part * LEAF, together.min(leaves - part));
            let len = (count * LEAF).min(size - from);
            // SAFETY: the row has `size` elements one after another, and the output a place for
            // each leaf, written once.
            unsafe {
                let first = start.get().cast::<T>().offset(source.row(row)).add(from);
                let out = out.get().cast::<T::Wide>().add(row * leaves + part);
                let out = std::slice::from_raw_parts_mut(out, count);
                tree::leaves::<T, F>(std::slice::from_raw_parts(first, len), out);
            }
        });
        if leaves == 1 {
            return Ok(result);
        }
        self.inner_stage::<T::Wide, F>(&result, outer, leaves)
    }

    /// The same for many rows of several leaves: each is combined to its end in one go.
    fn rows_stage<T, F>(&self, source: &Rows, outer: usize, size: usize) -> Result<Rows>
    where
        T: Reducible<Wide: Reducible<Wide = T::Wide>>,
        F: Combine<T::Wide>,
    {
        let leaves = size.div_ceil(LEAF);
        let result = Rows::empty::<T::Wide>(self.native, outer, 1)?;
        let (out, start) = (result.start, source.start);
        self.native.split(outer, size, |row| {
            let mut partial = [F::START; ROW_LEAVES];
            let partial = &mut partial[..leaves];
            // SAFETY: the row has `size` elements one after another, and the output a place for
            // each row, written once.
            unsafe {
                let first = start.get().cast::<T>().offset(source.row(row));
                tree::leaves::<T, F>(std::slice::from_raw_parts(first, size), partial);
                *out.get().cast::<T::Wide>().add(row) = tree::leaf::<T::Wide, F>(partial);
            }
        });
        Ok(result)
    }

    /// `[outer, size, inner]` to `[outer, inner]`.
    fn outer_stage<T, F>(
        &self,
        source: &Rows,
        outer: usize,
        size: usize,
        inner: usize,
    ) -> Result<Rows>
    where
        T: Reducible<Wide: Reducible<Wide = T::Wide>>,
        F: Combine<T::Wide>,
    {
        let (leaves, blocks) = (size.div_ceil(LEAF), inner.div_ceil(COLUMNS));
        let result = Rows::empty::<T::Wide>(self.native, outer * leaves * inner, inner)?;
        let (out, start) = (result.start, source.start);
        let step = if size > 1 { source.row(1) - source.row(0) } else { 0 };
        let work = size.min(LEAF) * inner.min(COLUMNS);
        self.native.split(outer * leaves * blocks, work, |task| {
            let (leaf, block) = (task / blocks, task % blocks);
            let (from, left) = (leaf % leaves * LEAF, block * COLUMNS);
            let width = COLUMNS.min(inner - left);
            // SAFETY: the rows of one outer index are `step` apart and have `inner` columns; the
            // output has a place for each column of each leaf, written once.
            unsafe {
                let row = source.row(leaf / leaves * size) + from as isize * step;
                let first = start.get().cast::<T>().offset(row).add(left);
                let sums = out.get().cast::<T::Wide>().add(leaf * inner + left);
                let sums = std::slice::from_raw_parts_mut(sums, width);
                tree::rows::<T, F>(first, step, LEAF.min(size - from), sums);
            }
        });
        if leaves == 1 {
            return Ok(result);
        }
        self.outer_stage::<T::Wide, F>(&result, outer, leaves, inner)
    }
}

/// What rows are made of.
#[expect(dead_code, reason = "it is only held")]
enum Memory {
    Input(Value),
    Partial(Buffer),
}

/// Rows of elements one after another; each row begins where the walk says.
struct Rows {
    start: Shared<u8>,
    walk: Walk<1>,
    /// Keeps the memory alive.
    _memory: Memory,
}

impl Rows {
    /// Room for `count` results, in rows of `len`.
    fn empty<W>(native: &Native, count: usize, len: usize) -> Result<Self> {
        let mut buffer = native.pool.take(count * size_of::<W>())?;
        let start = buffer.as_mut_ptr().expect("a pooled buffer is writable");
        let walk = rows_walk(count / len, len);
        Ok(Rows { start: Shared(start), walk, _memory: Memory::Partial(buffer) })
    }

    /// Where row number `row` begins, in elements.
    fn row(&self, row: usize) -> isize {
        self.walk.position(row)[0]
    }
}

/// How long rows are when the group `last` is reduced: it is the row, or rows are combined.
fn row_len(groups: &[Group], last: usize) -> usize {
    if last + 1 == groups.len() {
        return groups[last].size;
    }
    groups[last + 1..].iter().map(|group| group.size).product()
}

fn rows_walk(rows: usize, len: usize) -> Walk<1> {
    Walk::new(&[rows], [&[len as isize]])
}

impl Native {
    /// The input as rows: runs along the last group of axes. It is copied if these are not runs.
    fn rows_of(&self, x: Value, groups: &[Group], last: usize) -> Result<Rows> {
        let (inner_stage, len) = (last + 1 == groups.len(), row_len(groups, last));
        let whole = |value: Value| {
            let walk = rows_walk(value.count() / len, len);
            Rows { start: Shared(value.as_ptr().cast_mut()), walk, _memory: Memory::Input(value) }
        };
        if x.is_contiguous() {
            return Ok(whole(x));
        }
        match split_rows(&x, len) {
            Some(walk) if inner_stage || rows_are_even(&walk, groups[last].size) => {
                Ok(Rows { start: Shared(x.as_ptr().cast_mut()), walk, _memory: Memory::Input(x) })
            }
            _ => Ok(whole(movement::contiguous(self, &x)?)),
        }
    }

    /// Calls `each` for every number below `tasks`, on all threads if there is enough to do.
    /// `work` is about how many elements each of them reads.
    pub(super) fn split(&self, tasks: usize, work: usize, each: impl Fn(usize) + Sync) {
        if tasks.saturating_mul(work) <= 2 * CHUNK {
            return (0..tasks).for_each(each);
        }
        let together = (CHUNK / work.max(1)).max(1);
        self.threads.share(tasks.div_ceil(together), |chunk| {
            let first = chunk * together;
            (first..(first + together).min(tasks)).for_each(&each);
        });
    }
}

/// The walk over the starts of rows of `len` elements, if these lie one after another.
fn split_rows(x: &Value, len: usize) -> Option<Walk<1>> {
    let mut taken = 1;
    let mut axis = x.shape().rank();
    while taken < len {
        axis -= 1;
        if x.shape()[axis] != 1 && x.strides()[axis] != taken as isize {
            return None;
        }
        taken *= x.shape()[axis];
    }
    Some(Walk::new(&x.shape()[..axis], [&x.strides()[..axis]]))
}

/// Whether rows that are combined with each other are at even distances.
fn rows_are_even(walk: &Walk<1>, size: usize) -> bool {
    walk.row_len().is_multiple_of(size)
}
