//! Elementwise kernels that are computed together, tile by tile, so that what only they need is
//! never stored.

use gt_core::kernel::{Kernel, ReduceFn};
use gt_core::{DType, Meta, Scalar, Shape};
use smallvec::SmallVec;

/// Kernels whose results have one shape. Each reads inputs of the program, broadcast to that
/// shape, and results of earlier ones. The last of them may be followed by a reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The shape of every result but that of the reduction.
    pub shape: Shape,
    /// The kernels, in order.
    pub steps: Vec<ProgramStep>,
    /// What it ends with.
    pub reduction: Option<Reduction>,
    /// The steps whose results are wanted, in order. That of the reduction is, and comes last.
    pub outputs: SmallVec<[usize; 2]>,
}

/// What combines the result of a kernel along its last axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// How.
    pub with: ReduceFn,
    /// From this axis on, all are combined.
    pub first_axis: usize,
    /// The step that makes what is combined.
    pub step: usize,
    /// What comes of it.
    pub out: Meta,
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
