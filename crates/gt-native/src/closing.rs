//! Reductions at the end of a program: tiles are combined as soon as they are computed, in the
//! order of [`super::tree`].

use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::kernel::ReduceFn;
use gt_core::shape::Shape;
use gt_worker::buffer::Buffer;
use gt_worker::engine::program::Reduction;
use gt_worker::value::Value;

use super::Native;
use super::number::Number;
use super::tile::Shared;
use super::tree::{self, Combine, LEAF, Largest, Product, Reducible, Smallest, Sum};

/// A reduction along the last axes, whose leaves are computed elsewhere: the end of a program.
pub struct Closing {
    /// How many results there are, how many elements each is made of, and in how many leaves.
    pub rows: usize,
    pub size: usize,
    pub leaves: usize,
    run: LeafRun,
    finish: Finish,
    /// A place of eight bytes for the result of each leaf, and what holds them.
    partial: Shared<u64>,
    _memory: Buffer,
    with: ReduceFn,
    out: (Value, Shared<u8>),
}

/// Combines a run of elements into a place for the result.
type LeafRun = unsafe fn(*const u8, usize, *mut u8);
/// Combines the results of the leaves.
type Finish = unsafe fn(&Closing);

/// Whether a program can end with this reduction.
pub fn closes(with: ReduceFn, dtype: DType) -> bool {
    closing(with, dtype).is_some()
}

fn closing(with: ReduceFn, dtype: DType) -> Option<(LeafRun, Finish)> {
    fn of<T: Reducible<Wide = T> + Number, F: Combine<T>>() -> (LeafRun, Finish) {
        (leaf_run::<T, F>, finish::<T, F>)
    }
    fn by<T: Reducible<Wide = T> + Number>(with: ReduceFn) -> Option<(LeafRun, Finish)> {
        match with {
            ReduceFn::Sum | ReduceFn::Mean => Some(of::<T, Sum>()),
            ReduceFn::Max => Some(of::<T, Largest>()),
            ReduceFn::Min => Some(of::<T, Smallest>()),
            ReduceFn::Prod => Some(of::<T, Product>()),
            ReduceFn::Any | ReduceFn::All => None,
        }
    }
    match dtype {
        DType::F32 => by::<f32>(with),
        DType::F64 => by::<f64>(with),
        _ => None,
    }
}

impl Closing {
    /// Room for all results, of a value of `shape`. Nothing can fail after this.
    pub fn new(native: &Native, reduction: &Reduction, shape: &Shape) -> Result<Self> {
        let Reduction { with, first_axis, ref out, .. } = *reduction;
        let wrong = || Error::bug(format!("{reduction:?} of {shape}"));
        let (run, finish) = closing(with, out.dtype).ok_or_else(wrong)?;
        let (kept, combined) = shape.split_at_checked(first_axis).ok_or_else(wrong)?;
        let (rows, size): (usize, usize) = (kept.iter().product(), combined.iter().product());
        if rows != out.shape.count() || rows * size == 0 {
            return Err(wrong());
        }
        let leaves = size.div_ceil(LEAF);
        let mut memory = native.pool.take(rows * leaves * size_of::<u64>())?;
        let start = memory.as_mut_ptr().expect("a pooled buffer is writable");
        let (value, writer) = native.output(out)?;
        let (partial, out) = (Shared(start.cast()), (value, writer.start));
        Ok(Closing { rows, size, leaves, run, finish, partial, _memory: memory, with, out })
    }

    /// Combines the elements of leaf number `leaf`.
    ///
    /// # Safety
    /// There are `len` elements of the dtype of the result, as many as the leaf has, and nobody
    /// else computes it.
    pub unsafe fn leaf(&self, leaf: usize, run: *const u8, len: usize) {
        let place = self.partial.get().wrapping_add(leaf);
        // SAFETY: as promised by the caller; there is a place for each leaf.
        unsafe { (self.run)(run, len, place.cast()) };
    }

    /// The result, once all leaves are combined.
    pub fn finish(self) -> Value {
        // SAFETY: every leaf has a result, and the output has room for all rows.
        unsafe { (self.finish)(&self) };
        self.out.0
    }
}

/// # Safety
/// The run has `len` elements, and `out` has room for one.
unsafe fn leaf_run<T: Reducible<Wide = T> + Number, F: Combine<T>>(
    run: *const u8,
    len: usize,
    out: *mut u8,
) {
    // SAFETY: as promised by the caller.
    unsafe { *out.cast::<T>() = tree::leaf::<T, F>(std::slice::from_raw_parts(run.cast(), len)) };
}

/// # Safety
/// Each leaf has a result.
unsafe fn finish<T: Reducible<Wide = T> + Number, F: Combine<T>>(closing: &Closing) {
    let Closing { rows, size, leaves, with, .. } = *closing;
    let mut results: Vec<T> = Vec::with_capacity(leaves);
    for row in 0..rows {
        let place = |leaf: usize| closing.partial.get().wrapping_add(leaf);
        // SAFETY: each leaf has a result.
        let of = |leaf: usize| unsafe { *place(row * leaves + leaf).cast::<T>() };
        results.clear();
        results.extend((0..leaves).map(of));
        let whole = if leaves == 1 { results[0] } else { tree::run::<T, F>(&results) };
        let whole = if with == ReduceFn::Mean { T::mean(whole, size) } else { whole };
        // SAFETY: the output has an element for each row.
        unsafe { *closing.out.1.get().cast::<T>().add(row) = T::from_wide(tree::settled(whole)) };
    }
}
