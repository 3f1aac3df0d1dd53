//! What computes: an engine is given one kernel at a time and returns its results. What its values
//! are made of is its own business: the executor only asks what [`EngineValue`] says.

pub mod null;
pub mod program;
pub mod registry;

use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;

use bytes::Bytes;
use gt_core::attrs::Attrs;
use gt_core::dtype::{DType, Scalar};
use gt_core::error::{Error, Result};
use gt_core::kernel::Kernel;
use gt_core::op::{Call, Op};
use gt_core::shape::Meta;
use smallvec::SmallVec;

use self::program::Program;
use crate::buffer::Pool;
use crate::value::Value;

/// Smaller values stay in memory.
const SPILLED_BYTES: usize = 64 << 10;

/// A tensor as an engine keeps it: in this process's memory, or wherever it computes.
pub trait EngineValue: Clone + fmt::Debug + Send {
    /// Its dtype and shape.
    fn meta(&self) -> &Meta;

    /// Its elements, row by row.
    fn to_bytes(&self) -> Bytes;

    /// Whether a result of its shape can be written over it: nobody else has its elements, and they
    /// lie in a row.
    fn can_be_overwritten(&mut self) -> bool;

    /// The memory that its elements lie in, as a number of its own, and how many bytes that has.
    /// Values that share memory say the same.
    fn memory(&self) -> (usize, usize);

    /// Whether dropping it frees memory that is worth a place on disk: so many have its elements,
    /// and they lie in a row.
    fn can_be_spilled(&self, holders: usize) -> bool;
}

impl EngineValue for Value {
    fn meta(&self) -> &Meta {
        Value::meta(self)
    }

    fn to_bytes(&self) -> Bytes {
        Value::to_bytes(self)
    }

    fn can_be_overwritten(&mut self) -> bool {
        self.is_contiguous() && self.is_unique()
    }

    fn memory(&self) -> (usize, usize) {
        (self.buffer().as_ptr() as usize, self.buffer().len())
    }

    fn can_be_spilled(&self, holders: usize) -> bool {
        let is_large = self.meta().bytes() >= SPILLED_BYTES;
        is_large && Arc::strong_count(self.buffer()) == holders && self.is_contiguous()
    }
}

/// One input of a kernel.
#[derive(Clone, Debug)]
pub enum Operand<V = Value> {
    /// A tensor.
    Tensor(V),
    /// A number written in the program; it takes the dtype of the tensors beside it.
    Scalar(Scalar),
}

/// The inputs of a kernel.
pub type Operands<V = Value> = SmallVec<[Operand<V>; 3]>;

/// The results of a kernel.
pub type Results<V = Value> = SmallVec<[V; 1]>;

/// Which composites an engine computes whole. This is all that planning knows of an engine.
pub trait Takes: Send + Sync {
    /// Whether the engine computes a composite whole. Otherwise its expansion is computed, one
    /// kernel after another.
    fn takes(&self, call: &Call) -> bool;

    /// Whether an elementwise kernel, whose first tensor and result have these dtypes, can be
    /// computed together with others.
    fn fuses(&self, _kernel: &Kernel, _operand: DType, _result: DType) -> bool {
        false
    }
}

impl fmt::Debug for dyn Takes + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Takes")
    }
}

/// An engine whose values lie in the memory of this process.
pub type HostEngine = dyn Engine<Value = Value>;

/// Something that can run kernels.
pub trait Engine: Takes {
    /// What it keeps tensors in.
    type Value: EngineValue;

    /// What users call it.
    fn name(&self) -> &'static str;

    /// Where the memory of its values is counted, and that of the tables that name them.
    fn pool(&self) -> &Arc<Pool>;

    /// How many threads a long plan and a short one share, if the engine can run both at the same
    /// time. With `None`, a plan waits for the end of the one that runs.
    fn shared_threads(&self) -> Option<NonZeroU64> {
        None
    }

    /// Takes in the elements of a tensor, row by row.
    fn upload(&self, meta: Meta, data: Bytes) -> Result<Self::Value>;

    /// Runs one kernel. Tensors arrive in the dtype the row computes in; what nobody else holds may
    /// be overwritten by the result. `outputs` is what the row inferred; only a data-dependent
    /// kernel may return another shape.
    fn run(
        &self,
        kernel: &Kernel,
        inputs: Operands<Self::Value>,
        outputs: &[Meta],
    ) -> Result<Results<Self::Value>>;

    /// Computes a composite that it takes whole; otherwise as [`Engine::run`].
    fn run_whole(
        &self,
        op: &'static Op,
        _attrs: &Attrs,
        _inputs: Operands<Self::Value>,
        _outputs: &[Meta],
    ) -> Result<Results<Self::Value>> {
        Err(Error::bug(format!("{} does not take {} whole", self.name(), op.name)))
    }

    /// Computes elementwise kernels together; only asked for those it [`Takes::fuses`]. Inputs that
    /// nobody else holds may be overwritten, but not before there is memory for all results. What
    /// comes out has the bits of the kernels one by one.
    fn run_program(
        &self,
        _program: &Program,
        _inputs: &mut [Self::Value],
    ) -> Result<Results<Self::Value>> {
        Err(Error::bug(format!("{} does not compute kernels together", self.name())))
    }
}
