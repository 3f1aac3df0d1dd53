//! What computes: an engine is given one kernel at a time and returns its results.

pub mod native;
pub mod null;

use gt_core::dtype::Scalar;
use gt_core::error::Result;
use gt_core::kernel::Kernel;
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

/// Something that can run kernels.
pub trait Engine: Send + Sync {
    /// What users call it.
    fn name(&self) -> &'static str;

    /// Runs one kernel. Tensors arrive in the dtype the row computes in; what nobody else holds may
    /// be overwritten by the result. `outputs` is what the row inferred; only a data-dependent
    /// kernel may return another shape.
    fn run(&self, kernel: &Kernel, inputs: Operands, outputs: &[Meta]) -> Result<Results>;
}
