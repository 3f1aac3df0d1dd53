//! Composites in one piece: what a row's expansion comes to, for engines that compute it without
//! the values between. An engine meets each kind once, or leaves it to the expansion.

use crate::kernel::WindowSpec;
use crate::shape::Shape;

/// One composite. Axes are resolved, and operands arrive in the dtype the row computes in.
#[derive(Clone, Debug, PartialEq)]
pub enum Whole {
    /// Images and filters; see [`Convolve`].
    Convolve(Convolve),
    /// The largest element under each position of a window over the last two axes, and its place in
    /// the window: the first of equal ones, and of those that are NaN.
    MaxPool(WindowSpec),
    /// The gradient of [`Whole::MaxPool`]: that of its first result, and the places.
    MaxPoolGrad(WindowSpec),
    /// Elements with mean zero and variance one, their mean, and the reciprocal of their standard
    /// deviation.
    Standardize {
        /// Which elements share a mean.
        groups: Groups,
        /// What is added to the variance.
        eps: f64,
    },
    /// The gradient of [`Whole::Standardize`]: those of its three results, and its first and third
    /// result.
    StandardizeGrad(Groups),
    /// Elements divided by the root of their mean square, and the reciprocal of that root.
    RmsStandardize {
        /// Which elements share a root.
        groups: Groups,
        /// What is added to the mean square.
        eps: f64,
    },
    /// The gradient of [`Whole::RmsStandardize`]: those of its results, and the results.
    RmsStandardizeGrad(Groups),
    /// Layer normalisation: elements with mean zero and variance one in each row, times a weight
    /// and plus a bias; their means, and the reciprocals of their standard deviations.
    LayerNorm {
        /// What shares a mean.
        rows: Rows,
        /// What is added to the variance.
        eps: f64,
    },
    /// The gradients of [`Whole::LayerNorm`]: those of its results, its input and weight, and its
    /// second and third result.
    LayerNormGrad(Rows),
    /// Exponentials that sum to one, or their logarithms, along the last axis.
    Softmax {
        /// How many elements there are along it.
        size: usize,
        /// Whether the logarithms are wanted.
        log: bool,
    },
    /// The gradient of [`Whole::Softmax`]: that of its result, and the result.
    SoftmaxGrad {
        /// How many elements there are along the axis.
        size: usize,
        /// Whether the result was a logarithm.
        log: bool,
    },
    /// Steps of an LSTM, from the products of its inputs, the weights and the first states: the
    /// states and the gates of each step.
    LstmSteps(Steps),
    /// The gradient of [`Whole::LstmSteps`]: those of its results, the weights, the gates, the cell
    /// states after each step, and the first one.
    LstmStepsGrad(Steps),
    /// Steps of a GRU, from the products of its inputs, the weights and bias and the first state:
    /// the states, and of each step the gates and the product that is reset.
    GruSteps(Steps),
    /// The gradient of [`Whole::GruSteps`]: those of its results, the weights, its second result,
    /// its first one, and the first state.
    GruStepsGrad(Steps),
    /// The rows of a table that positions name, none of which counts from the end.
    Embedding,
    /// Values weighted by how well their keys answer queries, and the logarithms of what the
    /// weights were divided by.
    Attend(Attention),
    /// The gradient of [`Whole::Attend`]: those of its results, its inputs, and its results.
    AttendGrad(Attention),
}

/// Rows of elements, one after another. Neither of these is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// How many rows there are.
    pub count: usize,
    /// How many elements each has.
    pub size: usize,
}

/// Stacks of queries, keys and values. None of these sizes is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// How many stacks there are, each for itself.
    pub stacks: usize,
    /// How many queries a stack has.
    pub queries: usize,
    /// How many keys and values.
    pub keys: usize,
    /// How many numbers a query and a key have.
    pub depth: usize,
    /// How many numbers a value has.
    pub width: usize,
    /// What products of queries and keys are multiplied with.
    pub scale: f64,
    /// Whether a query sees no key after its own place.
    pub is_causal: bool,
}

/// A piece of a sequence: how many steps, how many sequences, and how many numbers a state has.
/// None of these is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// How many steps there are.
    pub steps: usize,
    /// How many sequences there are.
    pub batch: usize,
    /// How many numbers a state has.
    pub hidden: usize,
}

/// Elements of a tensor `(outer, count, inner)` that belong together: those with the same index
/// along the axis between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// How many runs each group has.
    pub outer: usize,
    /// How many groups there are.
    pub count: usize,
    /// How long each run is.
    pub inner: usize,
}

impl Groups {
    /// Runs shorter than this are not worth a loop of their own.
    const SHORT: usize = 8;

    /// What shares an index along all other axes; `None` if these axes do not lie between the
    /// others, if there is nothing, or if runs are short.
    pub fn along(shape: &Shape, axes: &[usize]) -> Option<Self> {
        let along = |axis: usize| axes.contains(&axis);
        let first = (0..shape.rank()).find(|&axis| !along(axis)).unwrap_or(0);
        let end = (0..shape.rank()).rfind(|&axis| !along(axis)).map_or(first, |axis| axis + 1);
        if (first..end).any(along) {
            return None;
        }
        let [outer, count, inner] = [&shape[..first], &shape[first..end], &shape[end..]]
            .map(|sizes| sizes.iter().product());
        let worth = inner >= Groups::SHORT || (outer == 1 && inner > 0);
        (outer > 0 && count > 0 && worth).then_some(Groups { outer, count, inner })
    }
}

/// A convolution of images `(N, C, H, W)` with filters `(O, C / groups, kH, kW)`, or one of its
/// adjoints.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolve {
    /// How a filter slides over an image.
    pub spec: WindowSpec,
    /// Channels on either side are in so many groups; a filter sees those of its own.
    pub groups: usize,
    /// Which of the three is computed from the other two.
    pub makes: Convolved,
}

/// Which part of a convolution is the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convolved {
    /// The results, of images and filters.
    Results,
    /// The images, of results and filters.
    Images,
    /// The filters, of images and results.
    Filters,
}
