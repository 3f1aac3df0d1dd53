//! Programs of elementwise kernels: every tile goes through all of them while it is near the
//! processor. The loops are those of the single kernels, so that no bit depends on what was joined.

use std::mem::MaybeUninit;

use gt_core::dtype::{DType, Scalar};
use gt_core::error::{Error, Result};
use gt_core::kernel::Kernel;
use gt_core::shape::Meta;
use gt_worker::engine::Results;
use gt_worker::engine::program::{Program, ProgramStep, Source};
use gt_worker::value::Value;
use smallvec::SmallVec;

use super::closing::{self, Closing};
use super::elementwise::{Element, element, wide, widen};
use super::kernels::{Fixed, MapRun, ZipRun, map_kernel, power_kernel, zip_kernel};
use super::tile::{CHUNK, Reader, SHORT_ROW, Scratch, TILE, Tile, Writer};
use super::tree::LEAF;
use super::{Native, cast, select};

/// Whether a kernel can be one of a program. Whole numbers are not divided there: divisors are
/// looked through before anything is written.
pub fn fuses(kernel: &Kernel, operand: DType, result: DType) -> bool {
    match kernel {
        Kernel::Map(function) => map_kernel(*function, operand).is_some(),
        Kernel::Zip(function) => {
            !(function.divides() && operand.is_int())
                && zip_kernel(*function, operand, Fixed::Neither).is_some()
        }
        Kernel::Cast => operand != result && cast::cast_kernel(operand, result).is_some(),
        Kernel::Where => operand == DType::Bool,
        Kernel::Reduce { with, .. } => operand == result && closing::closes(*with, operand),
        _ => false,
    }
}

/// Runs a program. Nothing is written before there is memory for all results.
pub fn run(native: &Native, program: &Program, inputs: &mut [Value]) -> Result<Results> {
    let count = program.shape.count();
    let copies = inputs.iter().map(|input| native.readable(input));
    let copies: SmallVec<[Option<Value>; 8]> = copies.collect::<Result<_>>()?;
    let (mut results, mut writers) = (Results::new(), SmallVec::<[Writer; 4]>::new());
    for &step in program.outputs.iter().filter(|&&step| step < program.steps.len()) {
        let meta = Meta { dtype: program.steps[step].result, shape: program.shape.clone() };
        let mut own: SmallVec<[&mut Value; 8]> = inputs.iter_mut().collect();
        let (result, writer) = native.reuse(&mut own, &meta)?;
        results.push(result);
        writers.push(writer);
    }
    let reader = |(input, copy): (&Value, &Option<Value>)| {
        Reader::new(copy.as_ref().unwrap_or(input), &program.shape)
    };
    let readers = inputs.iter().zip(&copies).map(reader).collect();
    let loops = Loops::new(program, readers, writers)?;
    if let Some(reduction) = &program.reduction {
        let closing = Closing::new(native, reduction, &program.shape)?;
        loops.reduce(native, reduction.step, &closing);
        results.push(closing.finish());
        return Ok(results);
    }
    if count <= CHUNK * 2 {
        loops.chunk(0, count);
    } else {
        native.threads.share(count.div_ceil(CHUNK), |task| {
            let first = task * CHUNK;
            loops.chunk(first, (first + CHUNK).min(count));
        });
    }
    Ok(results)
}

/// What computes a tile of a step's result.
enum Loop {
    Map(MapRun),
    /// Of two tensors: in general, and where the left or the right one is a single number.
    Zip([ZipRun; 3]),
    /// Of a tensor and a number, which is on this side.
    Number(ZipRun, Element, Fixed),
    Select([Element; 3]),
}

/// A step that is ready to run.
struct Ready {
    run: Loop,
    sources: SmallVec<[Source; 3]>,
    operand: DType,
    /// How many bytes an element of the result has.
    size: usize,
    to: To,
}

/// Where a step's result goes.
#[derive(Clone, Copy)]
enum To {
    /// Into a scratch.
    Scratch(usize),
    /// Into the result of the program with this number.
    Output(usize),
    /// Into a scratch, and from there over an input once the tile is complete.
    Over(usize, usize),
}

/// Where the results of each step are.
type Made = SmallVec<[*mut u8; 24]>;

const _: () = assert!(LEAF <= TILE, "a leaf of a reduction is a tile");

struct Loops {
    steps: Vec<Ready>,
    readers: SmallVec<[Reader; 8]>,
    writers: SmallVec<[Writer; 4]>,
    /// How many scratches there are.
    scratches: usize,
}

/// Scratches for operands that are a single number where a loop wants a run.
const SPARE: usize = 3;

/// Memory for scratches. Processors take a load for one that follows a store if the two are at the
/// same place of their pages, and wait; so scratches begin at different places, and at those of
/// cache lines.
struct Scratches {
    memory: Vec<MaybeUninit<u64>>,
    first: *mut u8,
}

/// The size of a page, and of a scratch with what the next one is shifted by.
const PAGE: usize = 4096;
const SHIFT: usize = 17 * 64;
const STRIDE: usize = size_of::<Scratch>() + SHIFT;

impl Scratches {
    fn new(count: usize) -> Self {
        let mut memory = Vec::with_capacity((PAGE + SHIFT + count * STRIDE) / size_of::<u64>());
        let start: *mut MaybeUninit<u64> = memory.as_mut_ptr();
        let aligned = start.addr().next_multiple_of(PAGE) - start.addr() + SHIFT;
        Scratches { memory, first: start.cast::<u8>().wrapping_add(aligned) }
    }

    fn start(&self, number: usize) -> *mut Scratch {
        debug_assert!((number + 1) * STRIDE + PAGE <= self.memory.capacity() * size_of::<u64>());
        self.first.wrapping_add(number * STRIDE).cast()
    }

    fn get(&mut self, number: usize) -> &mut Scratch {
        // SAFETY: the memory has room for it, it is aligned, and a scratch needs no first value.
        unsafe { &mut *self.start(number) }
    }
}

impl Loops {
    fn new(
        program: &Program,
        readers: SmallVec<[Reader; 8]>,
        writers: SmallVec<[Writer; 4]>,
    ) -> Result<Self> {
        let mut last_use: SmallVec<[usize; 24]> = (0..program.steps.len()).collect();
        for (index, step) in program.steps.iter().enumerate() {
            for source in &step.sources {
                if let Source::Step(made) = *source {
                    last_use[made] = index;
                }
            }
        }
        if let Some(reduction) = &program.reduction {
            last_use[reduction.step] = usize::MAX;
        }
        let (mut scratches, mut free) = (0, SmallVec::<[usize; 24]>::new());
        let mut steps: Vec<Ready> = Vec::with_capacity(program.steps.len());
        for (index, step) in program.steps.iter().enumerate() {
            let output = program.outputs.iter().position(|&output| output == index);
            let mut scratch = || {
                free.pop().unwrap_or_else(|| {
                    scratches += 1;
                    scratches - 1
                })
            };
            let to = match output {
                None => To::Scratch(scratch()),
                Some(output) if writers[output].in_place => To::Over(scratch(), output),
                Some(output) => To::Output(output),
            };
            // A loop's result must not lie where its operands do, so these are given up after it.
            for (made, ready) in steps.iter().enumerate() {
                if let (To::Scratch(scratch), true) = (ready.to, last_use[made] == index) {
                    free.push(scratch);
                }
            }
            let (sources, operand, size) = (step.sources.clone(), step.operand, step.result.size());
            steps.push(Ready { run: choose(step)?, sources, operand, size, to });
        }
        Ok(Loops { steps, readers, writers, scratches })
    }

    /// Computes the elements from number `first` to `end`.
    fn chunk(&self, mut first: usize, end: usize) {
        let mut scratches = Scratches::new(self.room());
        let rows = self.readers.iter().filter_map(Reader::row);
        let row = rows.min().unwrap_or(usize::MAX);
        while first < end {
            let mut len = TILE.min(end - first);
            if row >= SHORT_ROW {
                len = len.min(row - first % row);
            }
            let (next, left) = (first + len, end - first - len);
            self.tile((first, len), (next, TILE.min(left)), &mut scratches);
            first = next;
        }
    }

    /// Computes all elements, and combines those of a step. Tiles are the leaves of the reduction,
    /// so that the order of its sums is the one it has alone.
    fn reduce(&self, native: &Native, step: usize, closing: &Closing) {
        let Closing { rows, size, leaves, .. } = *closing;
        let count = rows * leaves;
        let together = match rows * size <= 2 * CHUNK {
            true => count,
            false => (CHUNK / size.min(LEAF)).max(1),
        };
        let place = |leaf: usize| {
            let from = leaf % leaves * LEAF;
            (leaf / leaves * size + from, LEAF.min(size - from))
        };
        native.threads.share(count.div_ceil(together), |task| {
            let end = ((task + 1) * together).min(count);
            let mut scratches = Scratches::new(self.room());
            for leaf in task * together..end {
                let next = if leaf + 1 < end { place(leaf + 1) } else { (0, 0) };
                let made = self.tile(place(leaf), next, &mut scratches);
                // SAFETY: the tile has the elements of the leaf, which no other task computes.
                unsafe { closing.leaf(leaf, made[step], place(leaf).1) };
            }
        });
    }

    /// How many scratches a thread needs.
    fn room(&self) -> usize {
        self.scratches + self.readers.len() + SPARE
    }

    /// Computes a tile, given as its first element and its length, and has what the next one needs
    /// brought near meanwhile; gives where the results of each step are.
    fn tile(
        &self,
        (first, len): (usize, usize),
        next: (usize, usize),
        scratches: &mut Scratches,
    ) -> Made {
        let mut tiles: SmallVec<[Tile; 8]> = SmallVec::new();
        for (index, reader) in self.readers.iter().enumerate() {
            let scratch = scratches.get(self.scratches + index);
            // SAFETY: the elements exist, and a tile fits the scratch.
            tiles.push(unsafe { reader.tile(first, len, scratch) });
        }
        let spare = self.scratches + self.readers.len();
        let mut made = Made::new();
        for (index, step) in self.steps.iter().enumerate() {
            self.prefetch(next, index);
            let out = match step.to {
                To::Scratch(scratch) | To::Over(scratch, _) => {
                    scratches.get(scratch).as_mut_ptr().cast()
                }
                To::Output(output) => self.place(output, first),
            };
            let find = |operand: usize| match step.sources[operand] {
                Source::Input(input) => tiles[input],
                Source::Step(step) => Tile::Run(made[step].cast_const()),
                Source::Scalar(_) => match &step.run {
                    Loop::Select(numbers) => Tile::Fixed(numbers[operand].as_ptr()),
                    _ => unreachable!("a number is part of its loop"),
                },
            };
            // SAFETY: operands and result have `len` elements of the dtypes that the loop was
            // chosen for, and the result lies where none of the operands does.
            unsafe { step.run(find, out, len, |number| scratches.start(spare + number)) };
            made.push(out);
        }
        for (step, &made) in self.steps.iter().zip(&made) {
            if let To::Over(_, output) = step.to {
                let out = self.place(output, first);
                // SAFETY: the tile was written, and the output has room for it.
                unsafe { std::ptr::copy_nonoverlapping(made, out, len * step.size) };
            }
        }
        made
    }

    /// Has a share of what the next tile needs brought near, before step number `step`: more than a
    /// few cache lines at a time would have to wait for one another.
    fn prefetch(&self, (first, len): (usize, usize), step: usize) {
        let at = |step: usize| len * step / self.steps.len();
        let (from, to) = (at(step), at(step + 1));
        if from < to {
            self.readers.iter().for_each(|reader| reader.prefetch(first + from, to - from));
            self.writers.iter().for_each(|writer| writer.prefetch(first + from, to - from));
        }
    }

    fn place(&self, output: usize, first: usize) -> *mut u8 {
        let writer = self.writers[output];
        writer.start.get().wrapping_add(first * writer.size)
    }
}

impl Ready {
    /// Computes a tile.
    ///
    /// # Safety
    /// The operands have `len` elements, at most [`TILE`], of the dtypes that the loop was chosen
    /// for, and `out` has room for as many results, apart from them. The spare scratches are apart
    /// from all of these.
    unsafe fn run(
        &self,
        find: impl Fn(usize) -> Tile,
        out: *mut u8,
        len: usize,
        spare: impl Fn(usize) -> *mut Scratch,
    ) {
        let (dtype, size) = (self.operand, self.operand.size());
        // SAFETY: as promised by the caller.
        unsafe {
            match &self.run {
                Loop::Map(run) => run(find(0).run(size, len, &mut *spare(0)), out, len),
                Loop::Number(run, number, Fixed::Left) => {
                    run(number.as_ptr(), find(1).run(size, len, &mut *spare(0)), out, len);
                }
                Loop::Number(run, number, _) => {
                    run(find(0).run(size, len, &mut *spare(0)), number.as_ptr(), out, len);
                }
                Loop::Zip([run, left, right]) => match (find(0), find(1)) {
                    (Tile::Run(a), Tile::Run(b)) => run(a, b, out, len),
                    (Tile::Run(a), Tile::Fixed(b)) => right(a, widen(b, dtype).as_ptr(), out, len),
                    (Tile::Fixed(a), b) => {
                        let b = b.run(size, len, &mut *spare(0));
                        left(widen(a, dtype).as_ptr(), b, out, len);
                    }
                },
                Loop::Select(_) => {
                    let mut sources = [std::ptr::null(); 3];
                    for (operand, source) in sources.iter_mut().enumerate() {
                        let size = if operand == 0 { 1 } else { self.size };
                        *source = find(operand).run(size, len, &mut *spare(operand));
                    }
                    select::select(self.size, sources, out, len);
                }
            }
        }
    }
}

/// The loop of a step.
fn choose(step: &ProgramStep) -> Result<Loop> {
    let dtype = step.operand;
    let wrong = || Error::bug(format!("{:?} of {dtype} is not part of a program", step.kernel));
    let number = |scalar: Scalar| element(scalar, wide(dtype));
    Ok(match (&step.kernel, &step.sources[..]) {
        (Kernel::Map(function), [_]) => Loop::Map(map_kernel(*function, dtype).ok_or_else(wrong)?),
        (Kernel::Cast, [_]) => Loop::Map(cast::cast_kernel(dtype, step.result).ok_or_else(wrong)?),
        (Kernel::Zip(function), [_, Source::Scalar(scalar)]) => {
            match power_kernel(*function, scalar.as_f64(), dtype) {
                Some(run) => Loop::Map(run),
                None => {
                    let run = zip_kernel(*function, dtype, Fixed::Right).ok_or_else(wrong)?;
                    Loop::Number(run, number(*scalar), Fixed::Right)
                }
            }
        }
        (Kernel::Zip(function), [Source::Scalar(scalar), _]) => {
            let run = zip_kernel(*function, dtype, Fixed::Left).ok_or_else(wrong)?;
            Loop::Number(run, number(*scalar), Fixed::Left)
        }
        (Kernel::Zip(function), [_, _]) => {
            let run = |fixed| zip_kernel(*function, dtype, fixed).ok_or_else(wrong);
            Loop::Zip([run(Fixed::Neither)?, run(Fixed::Left)?, run(Fixed::Right)?])
        }
        (Kernel::Where, [_, a, b]) => {
            let number = |source: &Source| match source {
                Source::Scalar(scalar) => element(*scalar, step.result),
                _ => [0; 8],
            };
            Loop::Select([[0; 8], number(a), number(b)])
        }
        _ => return Err(wrong()),
    })
}
