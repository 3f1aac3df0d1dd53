//! Elementwise kernels that are computed together, tile by tile, so that what only they need is
//! never stored.

use gt_core::kernel::Kernel;
use gt_core::{DType, Scalar, Shape};
use smallvec::SmallVec;

/// Kernels whose results have one shape. Each reads inputs of the program, broadcast to that
/// shape, and results of earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The shape of every result.
    pub shape: Shape,
    /// The kernels, in order.
    pub steps: Vec<ProgramStep>,
    /// The steps whose results are wanted.
    pub outputs: SmallVec<[usize; 2]>,
}

/// One kernel of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramStep {
    /// A function of elements: `Map`, `Zip`, `Where` or `Cast`.
    pub kernel: Kernel,
    /// Where its operands come from; at least one of them is a tensor.
    pub sources: SmallVec<[Source; 3]>,
    /// The dtype of its first tensor.
    pub operand: DType,
    /// The dtype of its result.
    pub result: DType,
}

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// An input of the program.
    Input(usize),
    /// The result of an earlier step.
    Step(usize),
    /// A number.
    Scalar(Scalar),
}
