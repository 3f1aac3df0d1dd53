//! The kinds of work an engine must be able to do. An operation's row names its kind; an engine
//! meets each kind once, and the compiler checks that it does.

use smallvec::SmallVec;

use crate::attrs::Range;
use crate::dtype::Scalar;
use crate::shape::{Meta, Shape};

/// A short list of axes.
pub type Axes = SmallVec<[usize; 4]>;

/// One piece of work. Axes are resolved, and operands arrive in the dtype the row computes in.
#[derive(Clone, Debug, PartialEq)]
pub enum Kernel {
    /// Every element is this number.
    Fill(Scalar),
    /// `start + step · i` for the `i`-th element.
    Iota {
        /// The first element.
        start: Scalar,
        /// What each next element adds.
        step: Scalar,
    },
    /// Counted random numbers; see [`crate::philox`].
    Random(Box<Random>),
    /// One function of each element.
    Map(UnaryFn),
    /// One function of two elements, broadcasting.
    Zip(BinaryFn),
    /// The second input where the first is true, else the third, broadcasting.
    Where,
    /// The input in the dtype of the output.
    Cast,
    /// Combines the elements along axes. Whether they stay with size one is seen in the output.
    Reduce {
        /// How elements are combined.
        with: ReduceFn,
        /// Along which axes.
        axes: Axes,
    },
    /// Matrix products of the last two axes, the axes before them broadcasting.
    Matmul,
    /// The axes in another order.
    Permute(Axes),
    /// The same elements in another shape.
    Reshape,
    /// The input broadcast to the shape of the output.
    Expand,
    /// A part of each axis.
    Slice(Vec<Range>),
    /// The first input with the second written over a part of it.
    SliceWrite(Vec<Range>),
    /// The inputs one after another along an axis.
    Concat(usize),
    /// `out[i][j] = in[index[i][j]][j]`, for the axis given.
    Gather(usize),
    /// The first input, with the elements of the third added at the places the second names.
    ScatterAdd(usize),
    /// Every position of a sliding window over the last axes; see [`WindowSpec`].
    Window(Box<WindowSpec>),
    /// The adjoint of [`Kernel::Window`]: overlapping elements are summed.
    Fold(Box<WindowSpec>),
    /// The `k` largest or smallest elements along an axis, and where they are.
    TopK {
        /// How many.
        k: usize,
        /// Along which axis.
        axis: usize,
        /// The largest, or the smallest.
        largest: bool,
    },
    /// The positions of the elements that are not zero, a row each.
    NonZero,
    /// Nothing of its own: the engine runs the row's expansion.
    Expansion,
}

/// Functions of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of mathematics")]
pub enum UnaryFn {
    Neg,
    Abs,
    Exp,
    Log,
    Sqrt,
    Tanh,
    Sigmoid,
    Relu,
}

/// Functions of two elements. Comparisons give booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of mathematics")]
pub enum BinaryFn {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Max,
    Min,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryFn {
    /// Whether the result is a boolean whatever the inputs are.
    pub const fn is_comparison(self) -> bool {
        use BinaryFn::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

/// Ways to combine many elements into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of mathematics")]
pub enum ReduceFn {
    Sum,
    Mean,
    Max,
    Min,
}

/// Which random numbers, and which part of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Random {
    /// How the numbers are distributed.
    pub distribution: Distribution,
    /// The key of the generator.
    pub seed: u64,
    /// How many random operations came before this one.
    pub stream: u64,
    /// The shape of the whole tensor, of which a shard computes its part.
    pub whole: Shape,
    /// Where this part begins in the whole, along each axis.
    pub start: Axes,
}

/// Distributions of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// Evenly from zero up to, but not including, one.
    Uniform,
    /// Mean zero, variance one.
    Normal,
}

/// A window that slides over the last `size.len()` axes. Window turns `[…, H, W]` into
/// `[…, kH, kW, outH, outW]`; Fold turns that back into `[…, H, W]`.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowSpec {
    /// The window's size along each axis.
    pub size: Axes,
    /// How far it moves between two positions.
    pub stride: Axes,
    /// How many zeros stand before and after the input.
    pub padding: Axes,
    /// The distance between the window's elements.
    pub dilation: Axes,
}

impl WindowSpec {
    /// How many positions the window has along spatial axis `axis` of `size` elements.
    pub fn positions(&self, axis: usize, size: usize) -> usize {
        let reach = self.dilation[axis] * self.size[axis].saturating_sub(1) + 1;
        let padded = size + 2 * self.padding[axis];
        if padded < reach { 0 } else { (padded - reach) / self.stride[axis] + 1 }
    }
}

impl Kernel {
    /// About how many nanoseconds one core needs. Only good enough to tell small from large.
    pub fn cost_ns(&self, inputs: &[&Meta], outputs: &[Meta]) -> u64 {
        let written: usize = outputs.iter().map(|meta| meta.shape.count()).sum();
        let read: usize = inputs.iter().map(|meta| meta.shape.count()).sum();
        let per_core = |work: usize, per_ns: usize| (work / per_ns) as u64;
        let elements = match self {
            Kernel::Permute(_) | Kernel::Reshape | Kernel::Expand | Kernel::Slice(_) => 0,
            Kernel::Matmul => {
                let inner = inputs[0].shape.last().copied().unwrap_or(1);
                per_core(written.saturating_mul(inner), 40)
            }
            Kernel::Fill(_) | Kernel::Zip(_) | Kernel::Cast | Kernel::Where => {
                per_core(read + written, 2)
            }
            Kernel::Reduce { .. } => per_core(read, 2),
            Kernel::TopK { .. } | Kernel::NonZero => per_core(read, 1) * 8,
            Kernel::Random(_) | Kernel::Map(_) => per_core(written, 1) * 2,
            _ => per_core(read + written, 1),
        };
        100 + elements
    }
}
