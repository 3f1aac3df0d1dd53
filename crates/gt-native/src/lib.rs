//! The engine for CPUs: vectorised loops.

mod attention;
mod backend;
mod bits;
mod cast;
mod closing;
mod convolve;
pub mod cpu;
mod create;
mod division;
mod elementwise;
mod extreme;
mod functions;
mod fused;
mod groups;
mod halves;
mod index;
pub mod kernels;
mod lanes;
pub mod math;
mod matmul;
mod matvec;
mod movement;
pub mod number;
mod order;
mod pool;
mod recurrent;
mod reduce;
mod scan;
mod scratch;
mod select;
mod simd;
mod take;
pub mod threads;
mod tile;
pub mod tree;
mod whole;
mod window;

use std::num::NonZeroU64;
use std::sync::Arc;

use bytes::Bytes;
use gt_core::attrs::Attrs;
use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::kernel::Kernel;
use gt_core::op::{Call, Op};
use gt_core::shape::Meta;
use gt_transport::sync;
use gt_worker::buffer::Pool;
use gt_worker::engine::program::Program;
use gt_worker::engine::{Engine, Operand, Operands, Results, Takes};
use gt_worker::value::Value;
use smallvec::{SmallVec, smallvec};

pub use backend::BACKEND;
use extreme::Search;
use order::{Order, Rank};
use take::Write;
use threads::Threads;
use tile::{Shared, Writer};

/// Runs kernels on this machine's processors.
pub struct Native {
    pool: Arc<Pool>,
    threads: Arc<Threads>,
}

impl Native {
    /// An engine with threads of its own; one means that the caller computes alone.
    pub fn new(pool: Arc<Pool>, threads: usize) -> Result<Self> {
        Ok(Native::sharing(pool, Threads::new(threads)?))
    }

    /// An engine that shares its threads with others.
    pub fn sharing(pool: Arc<Pool>, threads: Arc<Threads>) -> Self {
        Native { pool, threads }
    }

    /// Where its tensors live.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Memory for a result. Whoever asks writes every element before the value is passed on.
    #[inline]
    fn output(&self, meta: &Meta) -> Result<(Value, Writer)> {
        let mut buffer = self.pool.take(meta.bytes())?;
        let start = Shared(buffer.as_mut_ptr().expect("a pooled buffer is writable"));
        let writer = Writer { start, size: meta.dtype.size(), in_place: false };
        Ok((Value::new(meta.clone(), buffer), writer))
    }

    /// An operand as a tensor.
    fn tensor(&self, operand: Operand, dtype: DType) -> Result<Value> {
        match operand {
            Operand::Tensor(value) => Ok(value),
            Operand::Scalar(scalar) => self.scalar(scalar, dtype),
        }
    }

    fn run_one(&self, kernel: &Kernel, inputs: &mut Operands, out: &Meta) -> Result<Value> {
        match kernel {
            Kernel::Fill(scalar) => create::fill(self, *scalar, out),
            Kernel::Iota { start, step } => create::iota(self, *start, *step, out),
            Kernel::Random(random) => create::random(self, random, out),
            Kernel::Zip(function) => {
                elementwise::zip(self, *function, exactly(kernel, inputs)?, out)
            }
            Kernel::Where => elementwise::choose(self, exactly(kernel, inputs)?, out),
            Kernel::Concat(axis) => movement::concat(self, *axis, inputs, out),
            Kernel::Matmul => {
                let [a, b] = self.tensors(kernel, inputs, out)?;
                matmul::matmul(self, a, b, out)
            }
            Kernel::SliceWrite(ranges) => {
                let [base, update] = self.tensors(kernel, inputs, out)?;
                movement::slice_write(self, ranges, base, update)
            }
            Kernel::Gather(axis) => {
                let [x, index] = self.tensors(kernel, inputs, out)?;
                index::gather(self, *axis, x, index, out)
            }
            Kernel::Take(axis) => {
                let [x, index] = self.tensors(kernel, inputs, out)?;
                take::take(self, *axis, x, index, out)
            }
            &Kernel::Scatter { axis, add } => {
                let [base, index, source] = self.tensors(kernel, inputs, out)?;
                index::scatter(self, (axis, Write::of(add)), base, index, source)
            }
            &Kernel::Put { axis, add } => {
                let [base, index, values] = self.tensors(kernel, inputs, out)?;
                take::put(self, (axis, Write::of(add)), base, index, values)
            }
            Kernel::Require(message) => {
                let [x, truth] = self.tensors(kernel, inputs, out)?;
                index::require(self, message, x, &truth)
            }
            Kernel::Ravel(sizes) => take::ravel(self, sizes, inputs, out),
            Kernel::Map(_) | Kernel::Cast => {
                let [x] = exactly(kernel, inputs)?;
                if let Operand::Scalar(scalar) = *x {
                    let predicate = matches!(kernel, Kernel::Map(with) if with.is_predicate());
                    let dtype = if predicate { DType::F64 } else { out.dtype };
                    *x = Operand::Tensor(self.scalar(scalar, dtype)?);
                }
                self.run_map(kernel, x, out)
            }
            Kernel::Reduce { .. } | Kernel::Scan { .. } | Kernel::NonZero => {
                self.run_unary(kernel, inputs, out)
            }
            Kernel::Permute(_) | Kernel::Reshape | Kernel::Expand | Kernel::Slice(_) => {
                self.run_unary(kernel, inputs, out)
            }
            Kernel::Diagonal(_) | Kernel::Window(_) | Kernel::Fold(_) => {
                self.run_unary(kernel, inputs, out)
            }
            Kernel::TopK { .. } | Kernel::Sort { .. } => Err(unexpected(kernel)),
            Kernel::Extreme { .. } | Kernel::ArgExtreme { .. } => Err(unexpected(kernel)),
            Kernel::Expansion => Err(unexpected(kernel)),
        }
    }

    fn run_map(&self, kernel: &Kernel, x: &mut Operand, out: &Meta) -> Result<Value> {
        match (kernel, x) {
            (Kernel::Map(function), Operand::Tensor(x)) => {
                elementwise::map(self, *function, x, out)
            }
            (Kernel::Cast, Operand::Tensor(x)) => elementwise::cast(self, x, out),
            _ => Err(Error::bug(format!("{kernel:?} is no function of each element"))),
        }
    }

    fn run_unary(&self, kernel: &Kernel, inputs: &mut Operands, out: &Meta) -> Result<Value> {
        let [x] = self.tensors(kernel, inputs, out)?;
        match kernel {
            Kernel::Reduce { with, axes } => reduce::reduce(self, *with, axes, x, out),
            &Kernel::Scan { with, axis } => scan::scan(self, with, axis, x, out),
            Kernel::Permute(axes) => Ok(movement::permute(axes, x)),
            Kernel::Reshape => movement::reshape(self, x, out),
            Kernel::Expand => Ok(movement::expand(x, out)),
            Kernel::Slice(ranges) => movement::slice(ranges, x),
            Kernel::Diagonal(place) => movement::diagonal(place, x, out),
            Kernel::Window(spec) => window::window(self, spec, x, out),
            Kernel::Fold(spec) => window::fold(self, spec, x, out),
            Kernel::NonZero => index::non_zero(self, &x),
            other => Err(unexpected(other)),
        }
    }

    fn run_order(&self, kernel: &Kernel, x: Value, outputs: &[Meta]) -> Result<Results> {
        match *kernel {
            Kernel::TopK { k, axis, largest } => {
                order::top_k(self, Rank { k, axis, largest }, x, outputs)
            }
            Kernel::Sort { axis, descending } => {
                order::sort(self, Order { axis, descending }, x, outputs)
            }
            Kernel::Extreme { axis, largest } => {
                extreme::extreme(self, Search { axis: Some(axis), largest }, x, outputs)
            }
            Kernel::ArgExtreme { axis, largest } => {
                extreme::extreme(self, Search { axis, largest }, x, outputs)
            }
            ref other => Err(unexpected(other)),
        }
    }

    fn tensors<const N: usize>(
        &self,
        kernel: &Kernel,
        inputs: &mut Operands,
        out: &Meta,
    ) -> Result<[Value; N]> {
        exactly::<N>(kernel, inputs)?;
        let values = inputs.drain(..).map(|operand| self.tensor(operand, out.dtype));
        let values: SmallVec<[Value; N]> = values.collect::<Result<_>>()?;
        Ok(values.into_inner().unwrap_or_else(|_| unreachable!("their number was checked")))
    }
}

/// A kernel where it does not belong.
fn unexpected(kernel: &Kernel) -> Error {
    Error::bug(format!("an engine was given {kernel:?}"))
}

/// The operands, if there are exactly `N`.
fn exactly<'a, const N: usize>(
    kernel: &Kernel,
    inputs: &'a mut Operands,
) -> Result<&'a mut [Operand; N]> {
    let found = inputs.len();
    let wrong = |_| Error::bug(format!("{kernel:?} was given {found} operands"));
    inputs.as_mut_slice().try_into().map_err(wrong)
}

impl Takes for Native {
    fn takes(&self, call: &Call) -> bool {
        whole::takes(call)
    }

    fn fuses(&self, kernel: &Kernel, operand: DType, result: DType) -> bool {
        fused::fuses(kernel, operand, result)
    }
}

impl Engine for Native {
    type Value = Value;

    fn shared_threads(&self) -> Option<NonZeroU64> {
        NonZeroU64::new(self.threads.count() as u64)
    }

    fn name(&self) -> &'static str {
        "native"
    }

    fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    fn upload(&self, meta: Meta, data: Bytes) -> Result<Value> {
        Value::from_bytes(meta, data, &self.pool)
    }

    fn run(&self, kernel: &Kernel, mut inputs: Operands, outputs: &[Meta]) -> Result<Results> {
        match (kernel, outputs) {
            (
                Kernel::TopK { .. }
                | Kernel::Sort { .. }
                | Kernel::Extreme { .. }
                | Kernel::ArgExtreme { .. },
                [out, ..],
            ) => {
                let [x] = self.tensors(kernel, &mut inputs, out)?;
                self.run_order(kernel, x, outputs)
            }
            (_, [out]) => Ok(smallvec![self.run_one(kernel, &mut inputs, out)?]),
            _ => Err(Error::bug(format!("{kernel:?} with {} results", outputs.len()))),
        }
    }

    fn run_whole(
        &self,
        op: &'static Op,
        attrs: &Attrs,
        inputs: Operands,
        outputs: &[Meta],
    ) -> Result<Results> {
        whole::run(self, op, attrs, inputs, outputs)
    }

    fn run_program(&self, program: &Program, inputs: &mut [Value]) -> Result<Results> {
        fused::run(self, program, inputs)
    }
}
