//! The largest or smallest element along an axis and where it is: the first among equals, NaN
//! before all others.

use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::shape::Meta;
use gt_worker::engine::Results;
use gt_worker::value::Value;
use half::{bf16, f16};
use smallvec::smallvec;

use super::index::around;
use super::number::Number;
use super::simd::vectorized;
use super::tile::{CHUNK, Shared};
use super::tree::{self, COLUMNS, Combine, LEAF, Largest, Reducible, Smallest};
use super::{Native, movement};

/// What is searched along an axis.
#[derive(Clone, Copy)]
pub struct Search {
    /// Along which axis; `None` means among all elements.
    pub axis: Option<usize>,
    /// The largest, or the smallest.
    pub largest: bool,
}

/// A side that an element can be best on.
trait Side<A: Number>: Combine<A> {
    fn better(a: A, b: A) -> bool;
}

impl<A: Number> Side<A> for Largest {
    #[inline(always)]
    fn better(a: A, b: A) -> bool {
        (a > b) | (a.is_nan() & !b.is_nan())
    }
}

impl<A: Number> Side<A> for Smallest {
    #[inline(always)]
    fn better(a: A, b: A) -> bool {
        (a < b) | (a.is_nan() & !b.is_nan())
    }
}

/// The values, if `outs` has a place for them, and the positions.
pub fn extreme(native: &Native, search: Search, x: Value, outs: &[Meta]) -> Result<Results> {
    let x = movement::contiguous(native, &x)?;
    let job = Job { native, search, x: &x, outs };
    match x.dtype() {
        DType::Bool | DType::U8 => job.run::<u8>(),
        DType::I8 => job.run::<i8>(),
        DType::I16 => job.run::<i16>(),
        DType::I32 => job.run::<i32>(),
        DType::I64 => job.run::<i64>(),
        DType::F16 => job.run::<f16>(),
        DType::BF16 => job.run::<bf16>(),
        DType::F32 => job.run::<f32>(),
        DType::F64 => job.run::<f64>(),
        dtype => Err(Error::bug(format!("there is no order in {dtype}"))),
    }
}

struct Job<'a> {
    native: &'a Native,
    search: Search,
    x: &'a Value,
    outs: &'a [Meta],
}

impl Job<'_> {
    fn run<T: Reducible<Wide: Reducible<Wide = T::Wide>>>(&self) -> Result<Results> {
        let [before, size, after] = match self.search.axis {
            Some(axis) => around(self.x.shape(), axis)?,
            None => [1, self.x.count(), 1],
        };
        let wrong = || Error::bug(format!("the extremes of {} as {:?}", self.x.meta(), self.outs));
        let indices = self.outs.last().ok_or_else(wrong)?;
        let lines = before * after;
        let fits = self.outs.iter().all(|out| out.shape.count() == lines);
        if !fits || indices.dtype != DType::I64 || (size == 0 && lines > 0) {
            return Err(wrong());
        }
        let numbers = self.x.slice::<T>().ok_or_else(wrong)?;
        let (indices, writer) = self.native.output(indices)?;
        let places = Shared(writer.start.get().cast::<i64>());
        let shape = [before, size, after];
        match (lines, self.search.largest) {
            (0, _) => {}
            (_, true) => self.find::<T, Largest>(numbers, shape, places),
            (_, false) => self.find::<T, Smallest>(numbers, shape, places),
        }
        let [values, _] = self.outs else { return Ok(smallvec![indices]) };
        let (values, writer) = self.native.output(values)?;
        let values_out = writer.start.get().cast::<T>();
        for line in 0..lines {
            let (row, column) = (line / after, line % after);
            // SAFETY: the outputs have an element for each line, and its place was written.
            unsafe {
                let place = *places.get().add(line) as usize;
                values_out.add(line).write(numbers[(row * size + place) * after + column]);
            }
        }
        Ok(smallvec![values, indices])
    }

    fn find<T: Reducible, F: Side<T::Wide>>(
        &self,
        numbers: &[T],
        [before, size, after]: [usize; 3],
        places: Shared<i64>,
    ) {
        if after == 1 {
            return self.find_in_runs::<T, F>(numbers, size, places);
        }
        let blocks = after.div_ceil(COLUMNS);
        self.native.split(before * blocks, size * after.min(COLUMNS), |task| {
            let (line, left) = (task / blocks, task % blocks * COLUMNS);
            let width = COLUMNS.min(after - left);
            // SAFETY: each task writes the places of other columns.
            let places = unsafe {
                let start = places.get().add(line * after + left);
                std::slice::from_raw_parts_mut(start, width)
            };
            search_columns::<T, F>(&numbers[line * size * after + left..], after, size, places);
        });
    }

    /// Runs are cut into parts, so that threads share also a single one.
    fn find_in_runs<T: Reducible, F: Side<T::Wide>>(
        &self,
        numbers: &[T],
        size: usize,
        places: Shared<i64>,
    ) {
        let (runs, parts) = (numbers.len() / size, size.div_ceil(CHUNK));
        let search = |run: usize, part: usize| {
            let (first, end) = (part * CHUNK, (part * CHUNK + CHUNK).min(size));
            first + search_run::<T, F>(&numbers[run * size + first..run * size + end])
        };
        if parts == 1 {
            return self.native.split(runs, size, |run| {
                // SAFETY: each run has a place of its own.
                unsafe { places.get().add(run).write(search(run, 0) as i64) };
            });
        }
        let mut found = vec![0; runs * parts];
        let start = Shared(found.as_mut_ptr());
        self.native.split(runs * parts, CHUNK, |task| {
            // SAFETY: each part has a place of its own.
            unsafe { start.get().add(task).write(search(task / parts, task % parts)) };
        });
        for (run, found) in found.chunks(parts).enumerate() {
            let number = |place: usize| numbers[run * size + place].wide();
            let best = found[1..].iter().fold(found[0], |best, &next| {
                if F::better(number(next), number(best)) { next } else { best }
            });
            // SAFETY: as above.
            unsafe { places.get().add(run).write(best as i64) };
        }
    }
}

/// The place of the best element of a run: first the best leaf is found, then the place in it.
fn search_run<T: Reducible, F: Side<T::Wide>>(run: &[T]) -> usize {
    let mut leaves = run.chunks(LEAF).map(tree::leaf::<T, F>).enumerate();
    let (mut chosen, mut best) = leaves.next().expect("a run is not empty");
    for (leaf, number) in leaves {
        if F::better(number, best) {
            (chosen, best) = (leaf, number);
        }
    }
    let first = chosen * LEAF;
    let equal = |number: &T| {
        let number = number.wide();
        number == best || (number.is_nan() && best.is_nan())
    };
    first + run[first..].iter().position(equal).expect("the leaf's result is one of its elements")
}

vectorized! {
    /// The places of the best elements of columns side by side, in rows `step` apart.
    fn search_columns<T: Reducible, F: Side<T::Wide>>(
        numbers: &[T],
        step: usize,
        rows: usize,
        places: &mut [i64],
    ) {
        let mut best = [F::START; COLUMNS];
        for (best, number) in best.iter_mut().zip(&numbers[..places.len()]) {
            *best = number.wide();
        }
        places.fill(0);
        for row in 1..rows {
            let numbers = &numbers[row * step..row * step + places.len()];
            for ((place, best), number) in places.iter_mut().zip(&mut best).zip(numbers) {
                let number = number.wide();
                let wins = F::better(number, *best);
                *best = if wins { number } else { *best };
                *place = if wins { row as i64 } else { *place };
            }
        }
    }
}
