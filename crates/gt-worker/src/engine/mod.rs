//! What computes: an engine is given one kernel at a time and returns its results.

pub mod native;
pub mod null;

use std::fmt;

use gt_core::attrs::Attrs;
use gt_core::dtype::Scalar;
use gt_core::error::{Error, Result};
use gt_core::kernel::Kernel;
use gt_core::op::{Call, Op};
use gt_core::shape::Meta;
use smallvec::SmallVec;

use crate::value::Value;

/// One input of a kernel.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A tensor.
    Tensor(Value),
    /// A number written in the program; it takes the dtype of the tensors beside it.
    Scalar(Scalar),
}

/// The inputs of a kernel.
pub type Operands = SmallVec<[Operand; 3]>;

/// The results of a kernel.
pub type Results = SmallVec<[Value; 1]>;

/// Which composites an engine computes whole. This is all that planning knows of an engine.
pub trait Takes: Send + Sync {
    /// Whether the engine computes a composite whole. Otherwise its expansion is computed, one
    /// kernel after another.
    fn takes(&self, call: &Call) -> bool;
}

impl fmt::Debug for dyn Takes + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Takes")
    }
}

/// Something that can run kernels.
pub trait Engine: Takes {
    /// What users call it.
    fn name(&self) -> &'static str;

    /// Runs one kernel. Tensors arrive in the dtype the row computes in; what nobody else holds may
    /// be overwritten by the result. `outputs` is what the row inferred; only a data-dependent
    /// kernel may return another shape.
    fn run(&self, kernel: &Kernel, inputs: Operands, outputs: &[Meta]) -> Result<Results>;

    /// Computes a composite that it takes whole; otherwise as [`Engine::run`].
    fn run_whole(
        &self,
        op: &'static Op,
        _attrs: &Attrs,
        _inputs: Operands,
        _outputs: &[Meta],
    ) -> Result<Results> {
        Err(Error::bug(format!("{} does not take {} whole", self.name(), op.name)))
    }
}
