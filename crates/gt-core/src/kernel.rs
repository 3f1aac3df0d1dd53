//! The kinds of work an engine must be able to do. An operation's row names its kind; an engine
//! meets each kind once, and the compiler checks that it does.

use smallvec::SmallVec;

use crate::attrs::Range;
use crate::dtype::{DType, Scalar};
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
    /// The elements of a diagonal along an axis of their own, which comes last.
    Diagonal(Diagonal),
    /// The first input with the second written over a part of it.
    SliceWrite(Vec<Range>),
    /// The inputs one after another along an axis.
    Concat(usize),
    /// `out[i][j] = in[index[i][j]][j]`, for the axis given.
    Gather(usize),
    /// The first input, with the elements of the third at the places the second names.
    Scatter {
        /// Along which axis the second input counts.
        axis: usize,
        /// Added to what is there, or instead of it; then the last one counts.
        add: bool,
    },
    /// Parts of the first input along an axis, where the second names which; a negative number
    /// counts from the end. The axes of the second stand where the axis was.
    Take(usize),
    /// The first input, with the third, broadcast, at the places that [`Kernel::Take`] of the
    /// second would read.
    Put {
        /// Along which axis the second input counts.
        axis: usize,
        /// Added to what is there, or instead of it; then the last one counts.
        add: bool,
    },
    /// The number of an element among all of a tensor with these sizes, from its index along each
    /// axis, one input for each. A negative index counts from the end.
    Ravel(Vec<usize>),
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
    /// The largest or smallest element along an axis and where it is: the first among equals, NaN
    /// before all others.
    Extreme {
        /// Along which axis.
        axis: usize,
        /// The largest, or the smallest.
        largest: bool,
    },
    /// Where the largest or smallest element is; see [`Kernel::Extreme`].
    ArgExtreme {
        /// Along which axis; `None` means among all elements, counted in their order.
        axis: Option<usize>,
        /// The largest, or the smallest.
        largest: bool,
    },
    /// Each element combined with all those before it along an axis.
    Scan {
        /// How elements are combined.
        with: ScanFn,
        /// Along which axis.
        axis: usize,
    },
    /// The elements in order along an axis, and where they were. Equal ones keep their order, and
    /// NaN counts as the largest.
    Sort {
        /// Along which axis.
        axis: usize,
        /// The largest first.
        descending: bool,
    },
    /// The positions of the elements that are not zero, a row each.
    NonZero,
    /// The first input as it is, if the second is true everywhere; otherwise the message is raised.
    Require(Box<str>),
    /// Nothing of its own: the engine runs the row's expansion.
    Expansion,
}

/// Gives a macro the functions of one element, by what they are functions of. To add one, add its
/// name here and what it computes to each engine; the compiler shows where.
#[macro_export]
macro_rules! unary_functions {
    ($table:ident! $($given:tt)*) => {
        $table! {
            $($given)*
            numbers: Neg Abs Relu Sign Floor Ceil Round Trunc Square;
            floats: Exp Log Sqrt Tanh Sigmoid Reciprocal Rsqrt Expm1 Log1p Log2 Sin Cos Tan Atan
                Erf Gelu;
            bits: Not;
            predicates: IsNan IsInf IsFinite;
        }
    };
}

/// Gives a macro the functions of two elements, by what they are functions of; see
/// [`unary_functions`](crate::unary_functions).
#[macro_export]
macro_rules! binary_functions {
    ($table:ident! $($given:tt)*) => {
        $table! {
            $($given)*
            numbers: Add Sub Mul Pow Max Min Eq Ne Lt Le Gt Ge FloorDiv TruncDiv Remainder Fmod;
            floats: Div;
            bits: And Or Xor Shl Shr;
        }
    };
}

macro_rules! functions {
    (
        $(#[$doc:meta])* $type:ident;
        $($class:ident: $($name:ident)*;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names are those of mathematics")]
        pub enum $type {
            $($($name,)*)*
        }

        impl $type {
            /// All of them.
            pub const ALL: &[$type] = &[$($($type::$name,)*)*];
        }
    };
}

unary_functions! { functions!
    /// Functions of one element. Predicates give booleans. `Round` rounds half to even; `Not` is
    /// logical for booleans and bitwise for integers.
    UnaryFn;
}

binary_functions! { functions!
    /// Functions of two elements. Comparisons give booleans. `FloorDiv` and `Remainder` are
    /// Python's `//` and `%`; `TruncDiv` and `Fmod` cut towards zero. Integers are not divided by
    /// zero: it is an error. `And`, `Or` and `Xor` are logical for booleans and bitwise for
    /// integers.
    BinaryFn;
}

impl UnaryFn {
    /// Whether the result is a boolean whatever the input is.
    pub const fn is_predicate(self) -> bool {
        use UnaryFn::*;
        matches!(self, IsNan | IsInf | IsFinite)
    }
}

impl BinaryFn {
    /// Whether the result is a boolean whatever the inputs are.
    pub const fn is_comparison(self) -> bool {
        use BinaryFn::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// Whether it is a division, which fails for whole numbers if one of them is divided by zero.
    pub const fn divides(self) -> bool {
        use BinaryFn::*;
        matches!(self, FloorDiv | TruncDiv | Remainder | Fmod)
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
    Prod,
    Any,
    All,
}

/// Ways to combine an element with those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of mathematics")]
pub enum ScanFn {
    Sum,
    Prod,
    Max,
    Min,
}

/// Where a diagonal lies: its elements have both indices one larger than the element before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagonal {
    /// The two axes it runs along.
    pub axes: [usize; 2],
    /// Where it begins along each of them.
    pub start: [usize; 2],
}

/// Which random numbers, and which part of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Random {
    /// How the numbers are distributed.
    pub distribution: Distribution,
    /// The key of the generator.
    pub seed: u64,
    /// How many random operations came before this one.
    pub rng_index: u64,
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
    /// Whole numbers, each as likely as the others.
    Integers {
        /// The smallest.
        low: i64,
        /// One more than the largest.
        high: i64,
    },
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
    /// What a kernel costs that has nothing to do.
    pub const LEAST_NS: u64 = 100;

    /// Whether elements can make it fail; everything else only fails for want of memory. Failure
    /// barriers rely on this, so each kind is listed: a kind that is added does not compile until
    /// it has an answer here.
    pub fn depends_on_data(&self, dtype: DType) -> bool {
        match self {
            Kernel::Gather(_) | Kernel::Take(_) | Kernel::Ravel(_) => true,
            Kernel::Scatter { .. } | Kernel::Put { .. } | Kernel::Require(_) => true,
            // Any of these may be in it, and it is not expanded to find out.
            Kernel::Expansion => true,
            Kernel::Zip(function) => function.divides() && !dtype.is_float(),
            Kernel::Fill(_) | Kernel::Iota { .. } | Kernel::Random(_) => false,
            Kernel::Map(_) | Kernel::Where | Kernel::Cast | Kernel::Reduce { .. } => false,
            Kernel::Matmul | Kernel::Window(_) | Kernel::Fold(_) => false,
            Kernel::Permute(_) | Kernel::Reshape | Kernel::Expand | Kernel::Diagonal(_) => false,
            Kernel::Slice(_) | Kernel::SliceWrite(_) | Kernel::Concat(_) => false,
            Kernel::TopK { .. } | Kernel::Extreme { .. } | Kernel::ArgExtreme { .. } => false,
            Kernel::Scan { .. } | Kernel::Sort { .. } | Kernel::NonZero => false,
        }
    }

    /// About how many nanoseconds one core needs. Only good enough to tell small from large. That
    /// of a composite is the sum over its expansion; see [`crate::rules::work`].
    pub fn cost_ns(&self, inputs: &[&Meta], outputs: &[Meta]) -> u64 {
        let written: usize = outputs.iter().map(|meta| meta.shape.count()).sum();
        let read: usize = inputs.iter().map(|meta| meta.shape.count()).sum();
        let per_core = |work: usize, per_ns: usize| (work / per_ns) as u64;
        let elements = match self {
            Kernel::Permute(_) | Kernel::Reshape | Kernel::Expand => 0,
            Kernel::Slice(_) | Kernel::Diagonal(_) | Kernel::Expansion => 0,
            Kernel::Matmul => {
                let inner = inputs.first().and_then(|meta| meta.shape.last()).copied().unwrap_or(1);
                per_core(written.saturating_mul(inner), 40)
            }
            Kernel::Fill(_) | Kernel::Zip(_) | Kernel::Cast | Kernel::Where => {
                per_core(read + written, 8)
            }
            Kernel::Reduce { .. } => per_core(read, 16),
            Kernel::Extreme { .. } | Kernel::ArgExtreme { .. } => per_core(read, 1),
            Kernel::Scan { .. } => per_core(read, 1) * 2,
            Kernel::TopK { .. } | Kernel::NonZero => per_core(read, 1) * 8,
            Kernel::Sort { axis, .. } => {
                let size = inputs.first().and_then(|meta| meta.shape.get(*axis)).copied();
                let size = size.unwrap_or(1);
                per_core(read, 1) * 4 * u64::from(size.max(2).ilog2())
            }
            // Only the parts that are named are touched, and the rest of the first input if it
            // cannot be overwritten.
            Kernel::Take(_) => per_core(written, 1),
            Kernel::Scatter { .. } | Kernel::Put { .. } => per_core(read + written, 1) * 2,
            Kernel::Map(_) => per_core(written, 2),
            Kernel::Random(_) => per_core(written, 1) * 2,
            Kernel::Iota { .. } | Kernel::SliceWrite(_) | Kernel::Concat(_) => {
                per_core(read + written, 1)
            }
            Kernel::Gather(_) | Kernel::Ravel(_) | Kernel::Require(_) => {
                per_core(read + written, 1)
            }
            Kernel::Window(_) | Kernel::Fold(_) => per_core(read + written, 1),
        };
        Kernel::LEAST_NS + elements
    }
}
