//! Every operation as a method or function, made from the op table by `cargo xtask generate`; not edited by hand.

use gt_client::{Input, Tensor};
use gt_core::attrs::Attr;
use gt_core::{DType, Result, Scalar, ops};

use crate::create::{apply, apply_all};

fn row(code: u16) -> &'static gt_core::op::Op {
    ops::by_code(code).expect("the table has this row")
}

fn ints(values: &[i64]) -> Attr {
    Attr::Ints(values.iter().copied().collect())
}

/// The operations on a tensor.
pub trait Ops {
    /// The sum of two tensors, element by element.
    fn add<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The difference of two tensors, element by element.
    fn sub<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The product of two tensors, element by element.
    fn mul<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The quotient of two tensors, element by element.
    fn div<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Each element of the first tensor to the power of the second.
    fn pow<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The larger of two elements; not a number if one of them is not.
    fn maximum<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The smaller of two elements; not a number if one of them is not.
    fn minimum<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Each element with the other sign.
    fn neg(&self) -> Result<Tensor>;
    /// The size of each element without its sign.
    fn abs(&self) -> Result<Tensor>;
    /// e to the power of each element.
    fn exp(&self) -> Result<Tensor>;
    /// The natural logarithm of each element.
    fn log(&self) -> Result<Tensor>;
    /// The square root of each element.
    fn sqrt(&self) -> Result<Tensor>;
    /// The hyperbolic tangent of each element.
    fn tanh(&self) -> Result<Tensor>;
    /// 1 / (1 + exp(-x)) of each element.
    fn sigmoid(&self) -> Result<Tensor>;
    /// Each element, or zero where it is negative.
    fn relu(&self) -> Result<Tensor>;
    /// Whether two elements are equal.
    fn eq<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Whether two elements differ.
    fn ne<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Whether the first element is smaller.
    fn lt<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Whether the first element is smaller or equal.
    fn le<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Whether the first element is larger.
    fn gt<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Whether the first element is larger or equal.
    fn ge<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The sum of the elements along axes, or of all.
    fn sum(&self) -> Result<Tensor>;
    /// The sum of the elements along axes, or of all. All attributes are given.
    fn sum_with(&self, dim: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor>;
    /// The mean of the elements along axes, or of all.
    fn mean(&self) -> Result<Tensor>;
    /// The mean of the elements along axes, or of all. All attributes are given.
    fn mean_with(&self, dim: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor>;
    /// The largest element along axes, or of all.
    fn amax(&self) -> Result<Tensor>;
    /// The largest element along axes, or of all. All attributes are given.
    fn amax_with(&self, dim: &[i64], keepdim: bool) -> Result<Tensor>;
    /// The smallest element along axes, or of all.
    fn amin(&self) -> Result<Tensor>;
    /// The smallest element along axes, or of all. All attributes are given.
    fn amin_with(&self, dim: &[i64], keepdim: bool) -> Result<Tensor>;
    /// Matrix products of the last two axes; those before them broadcast.
    fn matmul<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The same elements in another shape; one size may be -1.
    fn reshape(&self, shape: &[i64]) -> Result<Tensor>;
    /// The axes in another order.
    fn permute(&self, dims: &[i64]) -> Result<Tensor>;
    /// The tensor repeated along axes of size one; -1 keeps a size.
    fn expand(&self, shape: &[i64]) -> Result<Tensor>;
    /// The same elements in another shape; one size may be -1.
    fn view(&self, shape: &[i64]) -> Result<Tensor>;
    /// Two axes exchanged; those of a matrix need not be named.
    fn transpose(&self) -> Result<Tensor>;
    /// Two axes exchanged; those of a matrix need not be named. All attributes are given.
    fn transpose_with(&self, dim0: i64, dim1: i64) -> Result<Tensor>;
    /// With another axis of size one.
    fn unsqueeze(&self, dim: i64) -> Result<Tensor>;
    /// Without the axes of size one that are named, or without any.
    fn squeeze(&self) -> Result<Tensor>;
    /// Without the axes of size one that are named, or without any. All attributes are given.
    fn squeeze_with(&self, dim: &[i64]) -> Result<Tensor>;
    /// The elements that an index names along an axis.
    fn gather<'a>(&'a self, index: impl Into<Input<'a>>, dim: i64) -> Result<Tensor>;
    /// The tensor with elements of another added at the places an index names.
    fn scatter_add<'a>(&'a self, index: impl Into<Input<'a>>, src: impl Into<Input<'a>>, dim: i64) -> Result<Tensor>;
    /// The k largest or smallest elements along an axis, and where they are.
    fn topk(&self, k: i64) -> Result<Vec<Tensor>>;
    /// The k largest or smallest elements along an axis, and where they are. All attributes are given.
    fn topk_with(&self, k: i64, dim: i64, largest: bool, sorted: bool) -> Result<Vec<Tensor>>;
    /// Exponentials along an axis, scaled so that they sum to one.
    fn softmax(&self, dim: i64) -> Result<Tensor>;
    /// -1, 0 or 1, as each element is negative, zero or positive.
    fn sign(&self) -> Result<Tensor>;
    /// The largest whole number that is not above each element.
    fn floor(&self) -> Result<Tensor>;
    /// The smallest whole number that is not below each element.
    fn ceil(&self) -> Result<Tensor>;
    /// The whole number nearest to each element; of two, the even one.
    fn round(&self) -> Result<Tensor>;
    /// Each element without its fraction.
    fn trunc(&self) -> Result<Tensor>;
    /// One over each element.
    fn reciprocal(&self) -> Result<Tensor>;
    /// One over the square root of each element.
    fn rsqrt(&self) -> Result<Tensor>;
    /// Each element times itself.
    fn square(&self) -> Result<Tensor>;
    /// exp(x) - 1 of each element, exact near zero.
    fn expm1(&self) -> Result<Tensor>;
    /// log(1 + x) of each element, exact near zero.
    fn log1p(&self) -> Result<Tensor>;
    /// The logarithm of each element to the base of two.
    fn log2(&self) -> Result<Tensor>;
    /// The sine of each element.
    fn sin(&self) -> Result<Tensor>;
    /// The cosine of each element.
    fn cos(&self) -> Result<Tensor>;
    /// The tangent of each element.
    fn tan(&self) -> Result<Tensor>;
    /// The error function of each element.
    fn erf(&self) -> Result<Tensor>;
    /// Each element times the share of the normal distribution below it.
    fn gelu(&self) -> Result<Tensor>;
    /// Each element times the share of the normal distribution below it. All attributes are given.
    fn gelu_with(&self, approximate: &str) -> Result<Tensor>;
    /// Each element times its sigmoid.
    fn silu(&self) -> Result<Tensor>;
    /// log(1 + exp(beta x)) / beta of each element; x itself above the threshold.
    fn softplus(&self) -> Result<Tensor>;
    /// log(1 + exp(beta x)) / beta of each element; x itself above the threshold. All attributes are given.
    fn softplus_with(&self, beta: f64, threshold: f64) -> Result<Tensor>;
    /// Each element, or a small part of it where it is negative.
    fn leaky_relu(&self) -> Result<Tensor>;
    /// Each element, or a small part of it where it is negative. All attributes are given.
    fn leaky_relu_with(&self, negative_slope: f64) -> Result<Tensor>;
    /// Each element, or alpha (exp(x) - 1) where it is negative.
    fn elu(&self) -> Result<Tensor>;
    /// Each element, or alpha (exp(x) - 1) where it is negative. All attributes are given.
    fn elu_with(&self, alpha: f64) -> Result<Tensor>;
    /// Whether each element is not a number.
    fn isnan(&self) -> Result<Tensor>;
    /// Whether each element is infinite.
    fn isinf(&self) -> Result<Tensor>;
    /// Whether each element is a number and finite.
    fn isfinite(&self) -> Result<Tensor>;
    /// Whether each element is zero.
    fn logical_not(&self) -> Result<Tensor>;
    /// Whether both elements are not zero.
    fn logical_and<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Whether one of two elements is not zero.
    fn logical_or<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Whether exactly one of two elements is not zero.
    fn logical_xor<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The bits that both elements have.
    fn bitwise_and<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The bits that one of two elements has.
    fn bitwise_or<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The bits that exactly one of two elements has.
    fn bitwise_xor<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The other bits of each element; the other truth of booleans.
    fn bitwise_not(&self) -> Result<Tensor>;
    /// The bits of each element moved up.
    fn bitwise_left_shift<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The bits of each element moved down.
    fn bitwise_right_shift<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The quotient of two elements, rounded down.
    fn floor_divide<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// What is left of a division rounded down; it has the sign of the divisor.
    fn remainder<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// What is left of a division cut towards zero; it has the sign of the dividend.
    fn fmod<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Each element, or the nearer limit where it is beyond one.
    fn clamp(&self) -> Result<Tensor>;
    /// Each element, or the nearer limit where it is beyond one. All attributes are given.
    fn clamp_with(&self, min: impl Into<Scalar>, max: impl Into<Scalar>) -> Result<Tensor>;
    /// input + weight (end - input), element by element.
    fn lerp<'a>(&'a self, end: impl Into<Input<'a>>, weight: impl Into<Input<'a>>) -> Result<Tensor>;
    /// input + value tensor1 tensor2, element by element.
    fn addcmul<'a>(&'a self, tensor1: impl Into<Input<'a>>, tensor2: impl Into<Input<'a>>) -> Result<Tensor>;
    /// input + value tensor1 tensor2, element by element. All attributes are given.
    fn addcmul_with<'a>(&'a self, tensor1: impl Into<Input<'a>>, tensor2: impl Into<Input<'a>>, value: impl Into<Scalar>) -> Result<Tensor>;
    /// The tensor with a number where the mask holds.
    fn masked_fill<'a>(&'a self, mask: impl Into<Input<'a>>, value: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Each element, or the limit where it is below.
    fn clamp_min<'a>(&'a self, min: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Each element, or the limit where it is above.
    fn clamp_max<'a>(&'a self, max: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The product of the elements along axes, or of all.
    fn prod(&self) -> Result<Tensor>;
    /// The product of the elements along axes, or of all. All attributes are given.
    fn prod_with(&self, dim: i64, keepdim: bool, dtype: Option<DType>) -> Result<Tensor>;
    /// Whether an element along axes, or of all, is not zero.
    fn any(&self) -> Result<Tensor>;
    /// Whether an element along axes, or of all, is not zero. All attributes are given.
    fn any_with(&self, dim: &[i64], keepdim: bool) -> Result<Tensor>;
    /// Whether no element along axes, or of all, is zero.
    fn all(&self) -> Result<Tensor>;
    /// Whether no element along axes, or of all, is zero. All attributes are given.
    fn all_with(&self, dim: &[i64], keepdim: bool) -> Result<Tensor>;
    /// Where the largest element is along an axis, or among all.
    fn argmax(&self) -> Result<Tensor>;
    /// Where the largest element is along an axis, or among all. All attributes are given.
    fn argmax_with(&self, dim: i64, keepdim: bool) -> Result<Tensor>;
    /// Where the smallest element is along an axis, or among all.
    fn argmin(&self) -> Result<Tensor>;
    /// Where the smallest element is along an axis, or among all. All attributes are given.
    fn argmin_with(&self, dim: i64, keepdim: bool) -> Result<Tensor>;
    /// The mean square distance of the elements from their mean.
    fn var(&self) -> Result<Tensor>;
    /// The mean square distance of the elements from their mean. All attributes are given.
    fn var_with(&self, dim: &[i64], correction: impl Into<Scalar>, keepdim: bool) -> Result<Tensor>;
    /// The square root of the mean square distance of the elements from their mean.
    fn std(&self) -> Result<Tensor>;
    /// The square root of the mean square distance of the elements from their mean. All attributes are given.
    fn std_with(&self, dim: &[i64], correction: impl Into<Scalar>, keepdim: bool) -> Result<Tensor>;
    /// The length of the elements along axes, or of all: the p-th root of their p-th powers.
    fn norm(&self) -> Result<Tensor>;
    /// The length of the elements along axes, or of all: the p-th root of their p-th powers. All attributes are given.
    fn norm_with(&self, p: f64, dim: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor>;
    /// The logarithm of the sum of the exponentials along axes.
    fn logsumexp(&self, dim: &[i64]) -> Result<Tensor>;
    /// The logarithm of the sum of the exponentials along axes. All attributes are given.
    fn logsumexp_with(&self, dim: &[i64], keepdim: bool) -> Result<Tensor>;
    /// The sum of each element and those before it along an axis.
    fn cumsum(&self, dim: i64) -> Result<Tensor>;
    /// The sum of each element and those before it along an axis. All attributes are given.
    fn cumsum_with(&self, dim: i64, dtype: Option<DType>) -> Result<Tensor>;
    /// The product of each element and those before it along an axis.
    fn cumprod(&self, dim: i64) -> Result<Tensor>;
    /// The product of each element and those before it along an axis. All attributes are given.
    fn cumprod_with(&self, dim: i64, dtype: Option<DType>) -> Result<Tensor>;
    /// The tensor so many times along each axis; there may be more axes than it has.
    fn repeat(&self, repeats: &[i64]) -> Result<Tensor>;
    /// The tensor so many times along each of its last axes.
    fn tile(&self, dims: &[i64]) -> Result<Tensor>;
    /// The tensor with the elements along axes in the opposite order.
    fn flip(&self, dims: &[i64]) -> Result<Tensor>;
    /// The tensor with the elements along the second axis in the opposite order.
    fn fliplr(&self) -> Result<Tensor>;
    /// The tensor with the elements along the first axis in the opposite order.
    fn flipud(&self) -> Result<Tensor>;
    /// The elements moved along axes, or among all; what leaves at the end comes in again.
    fn roll(&self, shifts: &[i64]) -> Result<Tensor>;
    /// The elements moved along axes, or among all; what leaves at the end comes in again. All attributes are given.
    fn roll_with(&self, shifts: &[i64], dims: &[i64]) -> Result<Tensor>;
    /// The tensor turned k times by a right angle, from the first of two axes to the second.
    fn rot90(&self) -> Result<Tensor>;
    /// The tensor turned k times by a right angle, from the first of two axes to the second. All attributes are given.
    fn rot90_with(&self, k: i64, dims: &[i64]) -> Result<Tensor>;
    /// The matrix with zeros above a diagonal.
    fn tril(&self) -> Result<Tensor>;
    /// The matrix with zeros above a diagonal. All attributes are given.
    fn tril_with(&self, diagonal: i64) -> Result<Tensor>;
    /// The matrix with zeros below a diagonal.
    fn triu(&self) -> Result<Tensor>;
    /// The matrix with zeros below a diagonal. All attributes are given.
    fn triu_with(&self, diagonal: i64) -> Result<Tensor>;
    /// The diagonal of a matrix, or the matrix with a vector as its diagonal.
    fn diag(&self) -> Result<Tensor>;
    /// The diagonal of a matrix, or the matrix with a vector as its diagonal. All attributes are given.
    fn diag_with(&self, diagonal: i64) -> Result<Tensor>;
    /// The sum of a matrix's diagonal.
    fn trace(&self) -> Result<Tensor>;
    /// The tensor with some axes that follow each other as one.
    fn flatten(&self) -> Result<Tensor>;
    /// The tensor with some axes that follow each other as one. All attributes are given.
    fn flatten_with(&self, start_dim: i64, end_dim: i64) -> Result<Tensor>;
    /// The tensor with one axis as several; one size may be -1.
    fn unflatten(&self, dim: i64, sizes: &[i64]) -> Result<Tensor>;
    /// So many elements along an axis, from a position on.
    fn narrow(&self, dim: i64, start: i64, length: i64) -> Result<Tensor>;
    /// The tensor with some axes at other places, the others in their order.
    fn movedim(&self, source: &[i64], destination: &[i64]) -> Result<Tensor>;
    /// The tensor repeated along axes of size one until it has this shape.
    fn broadcast_to(&self, shape: &[i64]) -> Result<Tensor>;
    /// One with the probability that each element says, or p, else zero.
    fn bernoulli(&self) -> Result<Tensor>;
    /// One with the probability that each element says, or p, else zero. All attributes are given.
    fn bernoulli_with(&self, p: f64) -> Result<Tensor>;
    /// Random positions along the last axis, each as likely as its weight says.
    fn multinomial(&self, num_samples: i64) -> Result<Tensor>;
    /// Random positions along the last axis, each as likely as its weight says. All attributes are given.
    fn multinomial_with(&self, num_samples: i64, replacement: bool) -> Result<Tensor>;
    /// The product of two matrices.
    fn mm<'a>(&'a self, mat2: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The products of the matrices in two stacks of the same height.
    fn bmm<'a>(&'a self, mat2: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The product of a matrix and a vector.
    fn mv<'a>(&'a self, vec: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The sum of the products of two vectors' elements.
    fn dot<'a>(&'a self, tensor: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The product of each element of a vector with each of another.
    fn outer<'a>(&'a self, vec2: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The sums of products along the last axis of each of two tensors.
    fn inner<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// beta input + alpha (mat1 @ mat2), for matrices.
    fn addmm<'a>(&'a self, mat1: impl Into<Input<'a>>, mat2: impl Into<Input<'a>>) -> Result<Tensor>;
    /// beta input + alpha (mat1 @ mat2), for matrices. All attributes are given.
    fn addmm_with<'a>(&'a self, mat1: impl Into<Input<'a>>, mat2: impl Into<Input<'a>>, beta: impl Into<Scalar>, alpha: impl Into<Scalar>) -> Result<Tensor>;
    /// beta input + alpha (batch1 @ batch2), for stacks of matrices.
    fn baddbmm<'a>(&'a self, batch1: impl Into<Input<'a>>, batch2: impl Into<Input<'a>>) -> Result<Tensor>;
    /// beta input + alpha (batch1 @ batch2), for stacks of matrices. All attributes are given.
    fn baddbmm_with<'a>(&'a self, batch1: impl Into<Input<'a>>, batch2: impl Into<Input<'a>>, beta: impl Into<Scalar>, alpha: impl Into<Scalar>) -> Result<Tensor>;
    /// The logarithm of each element to the base of ten.
    fn log10(&self) -> Result<Tensor>;
    /// Two to the power of each element.
    fn exp2(&self) -> Result<Tensor>;
    /// One less the error function of each element.
    fn erfc(&self) -> Result<Tensor>;
    /// The fraction of each element, with its sign.
    fn frac(&self) -> Result<Tensor>;
    /// The hyperbolic sine of each element.
    fn sinh(&self) -> Result<Tensor>;
    /// The hyperbolic cosine of each element.
    fn cosh(&self) -> Result<Tensor>;
    /// The number whose hyperbolic sine is each element.
    fn asinh(&self) -> Result<Tensor>;
    /// The number whose hyperbolic cosine is each element.
    fn acosh(&self) -> Result<Tensor>;
    /// The number whose hyperbolic tangent is each element.
    fn atanh(&self) -> Result<Tensor>;
    /// Each element, or the nearer limit where it is beyond one.
    fn hardtanh(&self) -> Result<Tensor>;
    /// Each element, or the nearer limit where it is beyond one. All attributes are given.
    fn hardtanh_with(&self, min_val: f64, max_val: f64) -> Result<Tensor>;
    /// Each element, or zero where it is negative, or six where it is above.
    fn relu6(&self) -> Result<Tensor>;
    /// Each element times a straight line that goes from zero at -3 to one at 3.
    fn hardswish(&self) -> Result<Tensor>;
    /// A straight line that goes from zero at -3 to one at 3.
    fn hardsigmoid(&self) -> Result<Tensor>;
    /// Each element that is above a threshold, and a number for the others.
    fn threshold(&self, threshold: impl Into<Scalar>, value: impl Into<Scalar>) -> Result<Tensor>;
    /// Each element times the hyperbolic tangent of its softplus.
    fn mish(&self) -> Result<Tensor>;
    /// Each element, or alpha (exp(x / alpha) - 1) where it is negative.
    fn celu(&self) -> Result<Tensor>;
    /// Each element, or alpha (exp(x / alpha) - 1) where it is negative. All attributes are given.
    fn celu_with(&self, alpha: f64) -> Result<Tensor>;
    /// A scaled elu that keeps a normal distribution normal.
    fn selu(&self) -> Result<Tensor>;
    /// The logarithm of the sigmoid of each element.
    fn logsigmoid(&self) -> Result<Tensor>;
    /// input + value tensor1 / tensor2, element by element.
    fn addcdiv<'a>(&'a self, tensor1: impl Into<Input<'a>>, tensor2: impl Into<Input<'a>>) -> Result<Tensor>;
    /// input + value tensor1 / tensor2, element by element. All attributes are given.
    fn addcdiv_with<'a>(&'a self, tensor1: impl Into<Input<'a>>, tensor2: impl Into<Input<'a>>, value: impl Into<Scalar>) -> Result<Tensor>;
    /// log(exp(a) + exp(b)) of two elements.
    fn logaddexp<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The longest side of a right triangle with two elements as its legs.
    fn hypot<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Zero where an element is negative, one where it is positive, else a value.
    fn heaviside<'a>(&'a self, values: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Each element, or a number where it is infinite or not a number.
    fn nan_to_num(&self) -> Result<Tensor>;
    /// Each element, or a number where it is infinite or not a number. All attributes are given.
    fn nan_to_num_with(&self, nan: f64, posinf: f64, neginf: f64) -> Result<Tensor>;
    /// The logarithm of the softmax along an axis.
    fn log_softmax(&self, dim: i64) -> Result<Tensor>;
    /// Exponentials of the negative elements along an axis, scaled so that they sum to one.
    fn softmin(&self, dim: i64) -> Result<Tensor>;
    /// The elements along one axis.
    fn ravel(&self) -> Result<Tensor>;
    /// sin(πx) / πx of each element, and one at zero.
    fn sinc(&self) -> Result<Tensor>;
    /// A tensor of zeros in the dtype of another.
    fn new_zeros(&self, shape: &[i64]) -> Result<Tensor>;
    /// A tensor of zeros in the dtype of another. All attributes are given.
    fn new_zeros_with(&self, shape: &[i64], dtype: Option<DType>) -> Result<Tensor>;
    /// A tensor of ones in the dtype of another.
    fn new_ones(&self, shape: &[i64]) -> Result<Tensor>;
    /// A tensor of ones in the dtype of another. All attributes are given.
    fn new_ones_with(&self, shape: &[i64], dtype: Option<DType>) -> Result<Tensor>;
    /// A tensor with the same number everywhere, in the dtype of another.
    fn new_full(&self, shape: &[i64], fill_value: impl Into<Scalar>) -> Result<Tensor>;
    /// A tensor with the same number everywhere, in the dtype of another. All attributes are given.
    fn new_full_with(&self, shape: &[i64], fill_value: impl Into<Scalar>, dtype: Option<DType>) -> Result<Tensor>;
    /// The parts of a tensor that a list of positions names along an axis.
    fn index_select<'a>(&'a self, index: impl Into<Input<'a>>, dim: i64) -> Result<Tensor>;
    /// The tensor with parts of another added at the positions a list names along an axis.
    fn index_add<'a>(&'a self, index: impl Into<Input<'a>>, source: impl Into<Input<'a>>, dim: i64) -> Result<Tensor>;
    /// The tensor with parts of another added at the positions a list names along an axis. All attributes are given.
    fn index_add_with<'a>(&'a self, index: impl Into<Input<'a>>, source: impl Into<Input<'a>>, dim: i64, alpha: impl Into<Scalar>) -> Result<Tensor>;
    /// The tensor with parts of another at the positions a list names along an axis.
    fn index_copy<'a>(&'a self, index: impl Into<Input<'a>>, source: impl Into<Input<'a>>, dim: i64) -> Result<Tensor>;
    /// The tensor with a number at the positions a list names along an axis.
    fn index_fill<'a>(&'a self, index: impl Into<Input<'a>>, value: impl Into<Input<'a>>, dim: i64) -> Result<Tensor>;
    /// The elements with these numbers, counted row by row.
    fn take<'a>(&'a self, index: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The tensor with elements of another, or a number, at the places an index names.
    fn scatter<'a>(&'a self, index: impl Into<Input<'a>>, src: impl Into<Input<'a>>, dim: i64) -> Result<Tensor>;
    /// The tensor with elements of another, or a number, at the places an index names. All attributes are given.
    fn scatter_with<'a>(&'a self, index: impl Into<Input<'a>>, src: impl Into<Input<'a>>, dim: i64, reduce: &str) -> Result<Tensor>;
    /// The elements that an index names along an axis, broadcasting; without one, among all.
    fn take_along_dim<'a>(&'a self, indices: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The elements that an index names along an axis, broadcasting; without one, among all. All attributes are given.
    fn take_along_dim_with<'a>(&'a self, indices: impl Into<Input<'a>>, dim: i64) -> Result<Tensor>;
    /// The tensor with the elements of another, one after another, where the mask holds.
    fn masked_scatter<'a>(&'a self, mask: impl Into<Input<'a>>, source: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The elements in order along an axis, and where they were; equal ones keep their order.
    fn sort(&self) -> Result<Vec<Tensor>>;
    /// The elements in order along an axis, and where they were; equal ones keep their order. All attributes are given.
    fn sort_with(&self, dim: i64, descending: bool, stable: bool) -> Result<Vec<Tensor>>;
    /// Where the elements are that come first, second and so on along an axis.
    fn argsort(&self) -> Result<Tensor>;
    /// Where the elements are that come first, second and so on along an axis. All attributes are given.
    fn argsort_with(&self, dim: i64, descending: bool, stable: bool) -> Result<Tensor>;
    /// The largest of each element and those before it along an axis, and where it is.
    fn cummax(&self, dim: i64) -> Result<Vec<Tensor>>;
    /// The smallest of each element and those before it along an axis, and where it is.
    fn cummin(&self, dim: i64) -> Result<Vec<Tensor>>;
    /// Whether two elements differ by no more than the tolerances allow.
    fn isclose<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Whether two elements differ by no more than the tolerances allow. All attributes are given.
    fn isclose_with<'a>(&'a self, other: impl Into<Input<'a>>, rtol: f64, atol: f64, equal_nan: bool) -> Result<Tensor>;
    /// The angle whose sine is each element.
    fn asin(&self) -> Result<Tensor>;
    /// The angle whose cosine is each element.
    fn acos(&self) -> Result<Tensor>;
    /// The angle whose tangent is each element.
    fn atan(&self) -> Result<Tensor>;
    /// The angle of the point whose height is the first element and whose width the second.
    fn atan2<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The diagonal of two axes, along an axis of its own that comes last.
    fn diagonal(&self) -> Result<Tensor>;
    /// The diagonal of two axes, along an axis of its own that comes last. All attributes are given.
    fn diagonal_with(&self, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor>;
    /// The tensor with other elements on a diagonal of two of its axes.
    fn diagonal_scatter<'a>(&'a self, src: impl Into<Input<'a>>) -> Result<Tensor>;
    /// The tensor with other elements on a diagonal of two of its axes. All attributes are given.
    fn diagonal_scatter_with<'a>(&'a self, src: impl Into<Input<'a>>, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor>;
    /// The element in the middle of all; of two, the smaller one.
    fn median(&self) -> Result<Tensor>;
}

impl Ops for Tensor {
    fn add<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(1), &[Input::Tensor(self), other.into()], &[])
    }
    fn sub<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(2), &[Input::Tensor(self), other.into()], &[])
    }
    fn mul<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(3), &[Input::Tensor(self), other.into()], &[])
    }
    fn div<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(4), &[Input::Tensor(self), other.into()], &[])
    }
    fn pow<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(5), &[Input::Tensor(self), other.into()], &[])
    }
    fn maximum<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(6), &[Input::Tensor(self), other.into()], &[])
    }
    fn minimum<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(7), &[Input::Tensor(self), other.into()], &[])
    }
    fn neg(&self) -> Result<Tensor> {
        apply(row(20), &[Input::Tensor(self)], &[])
    }
    fn abs(&self) -> Result<Tensor> {
        apply(row(21), &[Input::Tensor(self)], &[])
    }
    fn exp(&self) -> Result<Tensor> {
        apply(row(22), &[Input::Tensor(self)], &[])
    }
    fn log(&self) -> Result<Tensor> {
        apply(row(23), &[Input::Tensor(self)], &[])
    }
    fn sqrt(&self) -> Result<Tensor> {
        apply(row(24), &[Input::Tensor(self)], &[])
    }
    fn tanh(&self) -> Result<Tensor> {
        apply(row(25), &[Input::Tensor(self)], &[])
    }
    fn sigmoid(&self) -> Result<Tensor> {
        apply(row(26), &[Input::Tensor(self)], &[])
    }
    fn relu(&self) -> Result<Tensor> {
        apply(row(27), &[Input::Tensor(self)], &[])
    }
    fn eq<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(60), &[Input::Tensor(self), other.into()], &[])
    }
    fn ne<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(61), &[Input::Tensor(self), other.into()], &[])
    }
    fn lt<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(62), &[Input::Tensor(self), other.into()], &[])
    }
    fn le<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(63), &[Input::Tensor(self), other.into()], &[])
    }
    fn gt<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(64), &[Input::Tensor(self), other.into()], &[])
    }
    fn ge<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(65), &[Input::Tensor(self), other.into()], &[])
    }
    fn sum(&self) -> Result<Tensor> {
        apply(row(80), &[Input::Tensor(self)], &[None, None, None])
    }
    fn sum_with(&self, dim: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
        apply(row(80), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(keepdim)), dtype.map(Attr::from)])
    }
    fn mean(&self) -> Result<Tensor> {
        apply(row(81), &[Input::Tensor(self)], &[None, None, None, None])
    }
    fn mean_with(&self, dim: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
        apply(row(81), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(keepdim)), dtype.map(Attr::from), None])
    }
    fn amax(&self) -> Result<Tensor> {
        apply(row(82), &[Input::Tensor(self)], &[None, None])
    }
    fn amax_with(&self, dim: &[i64], keepdim: bool) -> Result<Tensor> {
        apply(row(82), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(keepdim))])
    }
    fn amin(&self) -> Result<Tensor> {
        apply(row(83), &[Input::Tensor(self)], &[None, None])
    }
    fn amin_with(&self, dim: &[i64], keepdim: bool) -> Result<Tensor> {
        apply(row(83), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(keepdim))])
    }
    fn matmul<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(100), &[Input::Tensor(self), other.into()], &[])
    }
    fn reshape(&self, shape: &[i64]) -> Result<Tensor> {
        apply(row(120), &[Input::Tensor(self)], &[Some(ints(shape))])
    }
    fn permute(&self, dims: &[i64]) -> Result<Tensor> {
        apply(row(121), &[Input::Tensor(self)], &[Some(ints(dims))])
    }
    fn expand(&self, shape: &[i64]) -> Result<Tensor> {
        apply(row(122), &[Input::Tensor(self)], &[Some(ints(shape))])
    }
    fn view(&self, shape: &[i64]) -> Result<Tensor> {
        apply(row(126), &[Input::Tensor(self)], &[Some(ints(shape))])
    }
    fn transpose(&self) -> Result<Tensor> {
        apply(row(127), &[Input::Tensor(self)], &[None, None])
    }
    fn transpose_with(&self, dim0: i64, dim1: i64) -> Result<Tensor> {
        apply(row(127), &[Input::Tensor(self)], &[Some(Attr::from(dim0)), Some(Attr::from(dim1))])
    }
    fn unsqueeze(&self, dim: i64) -> Result<Tensor> {
        apply(row(128), &[Input::Tensor(self)], &[Some(Attr::from(dim))])
    }
    fn squeeze(&self) -> Result<Tensor> {
        apply(row(129), &[Input::Tensor(self)], &[None])
    }
    fn squeeze_with(&self, dim: &[i64]) -> Result<Tensor> {
        apply(row(129), &[Input::Tensor(self)], &[Some(ints(dim))])
    }
    fn gather<'a>(&'a self, index: impl Into<Input<'a>>, dim: i64) -> Result<Tensor> {
        apply(row(140), &[Input::Tensor(self), index.into()], &[Some(Attr::from(dim)), None, None])
    }
    fn scatter_add<'a>(&'a self, index: impl Into<Input<'a>>, src: impl Into<Input<'a>>, dim: i64) -> Result<Tensor> {
        apply(row(141), &[Input::Tensor(self), index.into(), src.into()], &[Some(Attr::from(dim)), None, None])
    }
    fn topk(&self, k: i64) -> Result<Vec<Tensor>> {
        apply_all(row(142), &[Input::Tensor(self)], &[Some(Attr::from(k)), None, None, None])
    }
    fn topk_with(&self, k: i64, dim: i64, largest: bool, sorted: bool) -> Result<Vec<Tensor>> {
        apply_all(row(142), &[Input::Tensor(self)], &[Some(Attr::from(k)), Some(Attr::from(dim)), Some(Attr::from(largest)), Some(Attr::from(sorted))])
    }
    fn softmax(&self, dim: i64) -> Result<Tensor> {
        apply(row(220), &[Input::Tensor(self)], &[Some(Attr::from(dim))])
    }
    fn sign(&self) -> Result<Tensor> {
        apply(row(300), &[Input::Tensor(self)], &[])
    }
    fn floor(&self) -> Result<Tensor> {
        apply(row(301), &[Input::Tensor(self)], &[])
    }
    fn ceil(&self) -> Result<Tensor> {
        apply(row(302), &[Input::Tensor(self)], &[])
    }
    fn round(&self) -> Result<Tensor> {
        apply(row(303), &[Input::Tensor(self)], &[])
    }
    fn trunc(&self) -> Result<Tensor> {
        apply(row(304), &[Input::Tensor(self)], &[])
    }
    fn reciprocal(&self) -> Result<Tensor> {
        apply(row(305), &[Input::Tensor(self)], &[])
    }
    fn rsqrt(&self) -> Result<Tensor> {
        apply(row(306), &[Input::Tensor(self)], &[])
    }
    fn square(&self) -> Result<Tensor> {
        apply(row(307), &[Input::Tensor(self)], &[])
    }
    fn expm1(&self) -> Result<Tensor> {
        apply(row(308), &[Input::Tensor(self)], &[])
    }
    fn log1p(&self) -> Result<Tensor> {
        apply(row(309), &[Input::Tensor(self)], &[])
    }
    fn log2(&self) -> Result<Tensor> {
        apply(row(310), &[Input::Tensor(self)], &[])
    }
    fn sin(&self) -> Result<Tensor> {
        apply(row(311), &[Input::Tensor(self)], &[])
    }
    fn cos(&self) -> Result<Tensor> {
        apply(row(312), &[Input::Tensor(self)], &[])
    }
    fn tan(&self) -> Result<Tensor> {
        apply(row(313), &[Input::Tensor(self)], &[])
    }
    fn erf(&self) -> Result<Tensor> {
        apply(row(314), &[Input::Tensor(self)], &[])
    }
    fn gelu(&self) -> Result<Tensor> {
        apply(row(330), &[Input::Tensor(self)], &[None])
    }
    fn gelu_with(&self, approximate: &str) -> Result<Tensor> {
        apply(row(330), &[Input::Tensor(self)], &[Some(Attr::Text(approximate.into()))])
    }
    fn silu(&self) -> Result<Tensor> {
        apply(row(331), &[Input::Tensor(self)], &[])
    }
    fn softplus(&self) -> Result<Tensor> {
        apply(row(332), &[Input::Tensor(self)], &[None, None])
    }
    fn softplus_with(&self, beta: f64, threshold: f64) -> Result<Tensor> {
        apply(row(332), &[Input::Tensor(self)], &[Some(Attr::Float(beta)), Some(Attr::Float(threshold))])
    }
    fn leaky_relu(&self) -> Result<Tensor> {
        apply(row(333), &[Input::Tensor(self)], &[None])
    }
    fn leaky_relu_with(&self, negative_slope: f64) -> Result<Tensor> {
        apply(row(333), &[Input::Tensor(self)], &[Some(Attr::Float(negative_slope))])
    }
    fn elu(&self) -> Result<Tensor> {
        apply(row(334), &[Input::Tensor(self)], &[None])
    }
    fn elu_with(&self, alpha: f64) -> Result<Tensor> {
        apply(row(334), &[Input::Tensor(self)], &[Some(Attr::Float(alpha))])
    }
    fn isnan(&self) -> Result<Tensor> {
        apply(row(350), &[Input::Tensor(self)], &[])
    }
    fn isinf(&self) -> Result<Tensor> {
        apply(row(351), &[Input::Tensor(self)], &[])
    }
    fn isfinite(&self) -> Result<Tensor> {
        apply(row(352), &[Input::Tensor(self)], &[])
    }
    fn logical_not(&self) -> Result<Tensor> {
        apply(row(353), &[Input::Tensor(self)], &[])
    }
    fn logical_and<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(354), &[Input::Tensor(self), other.into()], &[])
    }
    fn logical_or<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(355), &[Input::Tensor(self), other.into()], &[])
    }
    fn logical_xor<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(356), &[Input::Tensor(self), other.into()], &[])
    }
    fn bitwise_and<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(357), &[Input::Tensor(self), other.into()], &[])
    }
    fn bitwise_or<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(358), &[Input::Tensor(self), other.into()], &[])
    }
    fn bitwise_xor<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(359), &[Input::Tensor(self), other.into()], &[])
    }
    fn bitwise_not(&self) -> Result<Tensor> {
        apply(row(360), &[Input::Tensor(self)], &[])
    }
    fn bitwise_left_shift<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(361), &[Input::Tensor(self), other.into()], &[])
    }
    fn bitwise_right_shift<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(362), &[Input::Tensor(self), other.into()], &[])
    }
    fn floor_divide<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(380), &[Input::Tensor(self), other.into()], &[])
    }
    fn remainder<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(381), &[Input::Tensor(self), other.into()], &[])
    }
    fn fmod<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(382), &[Input::Tensor(self), other.into()], &[])
    }
    fn clamp(&self) -> Result<Tensor> {
        apply(row(384), &[Input::Tensor(self)], &[None, None])
    }
    fn clamp_with(&self, min: impl Into<Scalar>, max: impl Into<Scalar>) -> Result<Tensor> {
        apply(row(384), &[Input::Tensor(self)], &[Some(Attr::from(min.into())), Some(Attr::from(max.into()))])
    }
    fn lerp<'a>(&'a self, end: impl Into<Input<'a>>, weight: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(385), &[Input::Tensor(self), end.into(), weight.into()], &[])
    }
    fn addcmul<'a>(&'a self, tensor1: impl Into<Input<'a>>, tensor2: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(386), &[Input::Tensor(self), tensor1.into(), tensor2.into()], &[None])
    }
    fn addcmul_with<'a>(&'a self, tensor1: impl Into<Input<'a>>, tensor2: impl Into<Input<'a>>, value: impl Into<Scalar>) -> Result<Tensor> {
        apply(row(386), &[Input::Tensor(self), tensor1.into(), tensor2.into()], &[Some(Attr::from(value.into()))])
    }
    fn masked_fill<'a>(&'a self, mask: impl Into<Input<'a>>, value: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(387), &[Input::Tensor(self), mask.into(), value.into()], &[])
    }
    fn clamp_min<'a>(&'a self, min: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(389), &[Input::Tensor(self), min.into()], &[])
    }
    fn clamp_max<'a>(&'a self, max: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(390), &[Input::Tensor(self), max.into()], &[])
    }
    fn prod(&self) -> Result<Tensor> {
        apply(row(400), &[Input::Tensor(self)], &[None, None, None])
    }
    fn prod_with(&self, dim: i64, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
        apply(row(400), &[Input::Tensor(self)], &[Some(Attr::from(dim)), Some(Attr::from(keepdim)), dtype.map(Attr::from)])
    }
    fn any(&self) -> Result<Tensor> {
        apply(row(401), &[Input::Tensor(self)], &[None, None])
    }
    fn any_with(&self, dim: &[i64], keepdim: bool) -> Result<Tensor> {
        apply(row(401), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(keepdim))])
    }
    fn all(&self) -> Result<Tensor> {
        apply(row(402), &[Input::Tensor(self)], &[None, None])
    }
    fn all_with(&self, dim: &[i64], keepdim: bool) -> Result<Tensor> {
        apply(row(402), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(keepdim))])
    }
    fn argmax(&self) -> Result<Tensor> {
        apply(row(403), &[Input::Tensor(self)], &[None, None])
    }
    fn argmax_with(&self, dim: i64, keepdim: bool) -> Result<Tensor> {
        apply(row(403), &[Input::Tensor(self)], &[Some(Attr::from(dim)), Some(Attr::from(keepdim))])
    }
    fn argmin(&self) -> Result<Tensor> {
        apply(row(404), &[Input::Tensor(self)], &[None, None])
    }
    fn argmin_with(&self, dim: i64, keepdim: bool) -> Result<Tensor> {
        apply(row(404), &[Input::Tensor(self)], &[Some(Attr::from(dim)), Some(Attr::from(keepdim))])
    }
    fn var(&self) -> Result<Tensor> {
        apply(row(405), &[Input::Tensor(self)], &[None, None, None])
    }
    fn var_with(&self, dim: &[i64], correction: impl Into<Scalar>, keepdim: bool) -> Result<Tensor> {
        apply(row(405), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(correction.into())), Some(Attr::from(keepdim))])
    }
    fn std(&self) -> Result<Tensor> {
        apply(row(406), &[Input::Tensor(self)], &[None, None, None])
    }
    fn std_with(&self, dim: &[i64], correction: impl Into<Scalar>, keepdim: bool) -> Result<Tensor> {
        apply(row(406), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(correction.into())), Some(Attr::from(keepdim))])
    }
    fn norm(&self) -> Result<Tensor> {
        apply(row(407), &[Input::Tensor(self)], &[None, None, None, None])
    }
    fn norm_with(&self, p: f64, dim: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
        apply(row(407), &[Input::Tensor(self)], &[Some(Attr::Float(p)), Some(ints(dim)), Some(Attr::from(keepdim)), dtype.map(Attr::from)])
    }
    fn logsumexp(&self, dim: &[i64]) -> Result<Tensor> {
        apply(row(408), &[Input::Tensor(self)], &[Some(ints(dim)), None])
    }
    fn logsumexp_with(&self, dim: &[i64], keepdim: bool) -> Result<Tensor> {
        apply(row(408), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(keepdim))])
    }
    fn cumsum(&self, dim: i64) -> Result<Tensor> {
        apply(row(409), &[Input::Tensor(self)], &[Some(Attr::from(dim)), None])
    }
    fn cumsum_with(&self, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
        apply(row(409), &[Input::Tensor(self)], &[Some(Attr::from(dim)), dtype.map(Attr::from)])
    }
    fn cumprod(&self, dim: i64) -> Result<Tensor> {
        apply(row(410), &[Input::Tensor(self)], &[Some(Attr::from(dim)), None])
    }
    fn cumprod_with(&self, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
        apply(row(410), &[Input::Tensor(self)], &[Some(Attr::from(dim)), dtype.map(Attr::from)])
    }
    fn repeat(&self, repeats: &[i64]) -> Result<Tensor> {
        apply(row(420), &[Input::Tensor(self)], &[Some(ints(repeats))])
    }
    fn tile(&self, dims: &[i64]) -> Result<Tensor> {
        apply(row(421), &[Input::Tensor(self)], &[Some(ints(dims))])
    }
    fn flip(&self, dims: &[i64]) -> Result<Tensor> {
        apply(row(422), &[Input::Tensor(self)], &[Some(ints(dims))])
    }
    fn fliplr(&self) -> Result<Tensor> {
        apply(row(423), &[Input::Tensor(self)], &[])
    }
    fn flipud(&self) -> Result<Tensor> {
        apply(row(424), &[Input::Tensor(self)], &[])
    }
    fn roll(&self, shifts: &[i64]) -> Result<Tensor> {
        apply(row(425), &[Input::Tensor(self)], &[Some(ints(shifts)), None])
    }
    fn roll_with(&self, shifts: &[i64], dims: &[i64]) -> Result<Tensor> {
        apply(row(425), &[Input::Tensor(self)], &[Some(ints(shifts)), Some(ints(dims))])
    }
    fn rot90(&self) -> Result<Tensor> {
        apply(row(426), &[Input::Tensor(self)], &[None, None])
    }
    fn rot90_with(&self, k: i64, dims: &[i64]) -> Result<Tensor> {
        apply(row(426), &[Input::Tensor(self)], &[Some(Attr::from(k)), Some(ints(dims))])
    }
    fn tril(&self) -> Result<Tensor> {
        apply(row(431), &[Input::Tensor(self)], &[None])
    }
    fn tril_with(&self, diagonal: i64) -> Result<Tensor> {
        apply(row(431), &[Input::Tensor(self)], &[Some(Attr::from(diagonal))])
    }
    fn triu(&self) -> Result<Tensor> {
        apply(row(432), &[Input::Tensor(self)], &[None])
    }
    fn triu_with(&self, diagonal: i64) -> Result<Tensor> {
        apply(row(432), &[Input::Tensor(self)], &[Some(Attr::from(diagonal))])
    }
    fn diag(&self) -> Result<Tensor> {
        apply(row(433), &[Input::Tensor(self)], &[None])
    }
    fn diag_with(&self, diagonal: i64) -> Result<Tensor> {
        apply(row(433), &[Input::Tensor(self)], &[Some(Attr::from(diagonal))])
    }
    fn trace(&self) -> Result<Tensor> {
        apply(row(434), &[Input::Tensor(self)], &[])
    }
    fn flatten(&self) -> Result<Tensor> {
        apply(row(435), &[Input::Tensor(self)], &[None, None])
    }
    fn flatten_with(&self, start_dim: i64, end_dim: i64) -> Result<Tensor> {
        apply(row(435), &[Input::Tensor(self)], &[Some(Attr::from(start_dim)), Some(Attr::from(end_dim))])
    }
    fn unflatten(&self, dim: i64, sizes: &[i64]) -> Result<Tensor> {
        apply(row(436), &[Input::Tensor(self)], &[Some(Attr::from(dim)), Some(ints(sizes))])
    }
    fn narrow(&self, dim: i64, start: i64, length: i64) -> Result<Tensor> {
        apply(row(437), &[Input::Tensor(self)], &[Some(Attr::from(dim)), Some(Attr::from(start)), Some(Attr::from(length))])
    }
    fn movedim(&self, source: &[i64], destination: &[i64]) -> Result<Tensor> {
        apply(row(438), &[Input::Tensor(self)], &[Some(ints(source)), Some(ints(destination))])
    }
    fn broadcast_to(&self, shape: &[i64]) -> Result<Tensor> {
        apply(row(439), &[Input::Tensor(self)], &[Some(ints(shape))])
    }
    fn bernoulli(&self) -> Result<Tensor> {
        apply(row(451), &[Input::Tensor(self)], &[None, None, None, None, None])
    }
    fn bernoulli_with(&self, p: f64) -> Result<Tensor> {
        apply(row(451), &[Input::Tensor(self)], &[Some(Attr::Float(p)), None, None, None, None])
    }
    fn multinomial(&self, num_samples: i64) -> Result<Tensor> {
        apply(row(454), &[Input::Tensor(self)], &[Some(Attr::from(num_samples)), None, None, None])
    }
    fn multinomial_with(&self, num_samples: i64, replacement: bool) -> Result<Tensor> {
        apply(row(454), &[Input::Tensor(self)], &[Some(Attr::from(num_samples)), Some(Attr::from(replacement)), None, None])
    }
    fn mm<'a>(&'a self, mat2: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(456), &[Input::Tensor(self), mat2.into()], &[])
    }
    fn bmm<'a>(&'a self, mat2: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(457), &[Input::Tensor(self), mat2.into()], &[])
    }
    fn mv<'a>(&'a self, vec: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(458), &[Input::Tensor(self), vec.into()], &[])
    }
    fn dot<'a>(&'a self, tensor: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(459), &[Input::Tensor(self), tensor.into()], &[])
    }
    fn outer<'a>(&'a self, vec2: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(460), &[Input::Tensor(self), vec2.into()], &[])
    }
    fn inner<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(461), &[Input::Tensor(self), other.into()], &[])
    }
    fn addmm<'a>(&'a self, mat1: impl Into<Input<'a>>, mat2: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(462), &[Input::Tensor(self), mat1.into(), mat2.into()], &[None, None])
    }
    fn addmm_with<'a>(&'a self, mat1: impl Into<Input<'a>>, mat2: impl Into<Input<'a>>, beta: impl Into<Scalar>, alpha: impl Into<Scalar>) -> Result<Tensor> {
        apply(row(462), &[Input::Tensor(self), mat1.into(), mat2.into()], &[Some(Attr::from(beta.into())), Some(Attr::from(alpha.into()))])
    }
    fn baddbmm<'a>(&'a self, batch1: impl Into<Input<'a>>, batch2: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(463), &[Input::Tensor(self), batch1.into(), batch2.into()], &[None, None])
    }
    fn baddbmm_with<'a>(&'a self, batch1: impl Into<Input<'a>>, batch2: impl Into<Input<'a>>, beta: impl Into<Scalar>, alpha: impl Into<Scalar>) -> Result<Tensor> {
        apply(row(463), &[Input::Tensor(self), batch1.into(), batch2.into()], &[Some(Attr::from(beta.into())), Some(Attr::from(alpha.into()))])
    }
    fn log10(&self) -> Result<Tensor> {
        apply(row(465), &[Input::Tensor(self)], &[])
    }
    fn exp2(&self) -> Result<Tensor> {
        apply(row(466), &[Input::Tensor(self)], &[])
    }
    fn erfc(&self) -> Result<Tensor> {
        apply(row(467), &[Input::Tensor(self)], &[])
    }
    fn frac(&self) -> Result<Tensor> {
        apply(row(468), &[Input::Tensor(self)], &[])
    }
    fn sinh(&self) -> Result<Tensor> {
        apply(row(470), &[Input::Tensor(self)], &[])
    }
    fn cosh(&self) -> Result<Tensor> {
        apply(row(471), &[Input::Tensor(self)], &[])
    }
    fn asinh(&self) -> Result<Tensor> {
        apply(row(472), &[Input::Tensor(self)], &[])
    }
    fn acosh(&self) -> Result<Tensor> {
        apply(row(473), &[Input::Tensor(self)], &[])
    }
    fn atanh(&self) -> Result<Tensor> {
        apply(row(474), &[Input::Tensor(self)], &[])
    }
    fn hardtanh(&self) -> Result<Tensor> {
        apply(row(475), &[Input::Tensor(self)], &[None, None])
    }
    fn hardtanh_with(&self, min_val: f64, max_val: f64) -> Result<Tensor> {
        apply(row(475), &[Input::Tensor(self)], &[Some(Attr::Float(min_val)), Some(Attr::Float(max_val))])
    }
    fn relu6(&self) -> Result<Tensor> {
        apply(row(476), &[Input::Tensor(self)], &[])
    }
    fn hardswish(&self) -> Result<Tensor> {
        apply(row(477), &[Input::Tensor(self)], &[])
    }
    fn hardsigmoid(&self) -> Result<Tensor> {
        apply(row(478), &[Input::Tensor(self)], &[])
    }
    fn threshold(&self, threshold: impl Into<Scalar>, value: impl Into<Scalar>) -> Result<Tensor> {
        apply(row(479), &[Input::Tensor(self)], &[Some(Attr::from(threshold.into())), Some(Attr::from(value.into()))])
    }
    fn mish(&self) -> Result<Tensor> {
        apply(row(480), &[Input::Tensor(self)], &[])
    }
    fn celu(&self) -> Result<Tensor> {
        apply(row(481), &[Input::Tensor(self)], &[None])
    }
    fn celu_with(&self, alpha: f64) -> Result<Tensor> {
        apply(row(481), &[Input::Tensor(self)], &[Some(Attr::Float(alpha))])
    }
    fn selu(&self) -> Result<Tensor> {
        apply(row(482), &[Input::Tensor(self)], &[])
    }
    fn logsigmoid(&self) -> Result<Tensor> {
        apply(row(483), &[Input::Tensor(self)], &[])
    }
    fn addcdiv<'a>(&'a self, tensor1: impl Into<Input<'a>>, tensor2: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(485), &[Input::Tensor(self), tensor1.into(), tensor2.into()], &[None])
    }
    fn addcdiv_with<'a>(&'a self, tensor1: impl Into<Input<'a>>, tensor2: impl Into<Input<'a>>, value: impl Into<Scalar>) -> Result<Tensor> {
        apply(row(485), &[Input::Tensor(self), tensor1.into(), tensor2.into()], &[Some(Attr::from(value.into()))])
    }
    fn logaddexp<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(486), &[Input::Tensor(self), other.into()], &[])
    }
    fn hypot<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(487), &[Input::Tensor(self), other.into()], &[])
    }
    fn heaviside<'a>(&'a self, values: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(488), &[Input::Tensor(self), values.into()], &[])
    }
    fn nan_to_num(&self) -> Result<Tensor> {
        apply(row(489), &[Input::Tensor(self)], &[None, None, None])
    }
    fn nan_to_num_with(&self, nan: f64, posinf: f64, neginf: f64) -> Result<Tensor> {
        apply(row(489), &[Input::Tensor(self)], &[Some(Attr::Float(nan)), Some(Attr::Float(posinf)), Some(Attr::Float(neginf))])
    }
    fn log_softmax(&self, dim: i64) -> Result<Tensor> {
        apply(row(490), &[Input::Tensor(self)], &[Some(Attr::from(dim))])
    }
    fn softmin(&self, dim: i64) -> Result<Tensor> {
        apply(row(491), &[Input::Tensor(self)], &[Some(Attr::from(dim))])
    }
    fn ravel(&self) -> Result<Tensor> {
        apply(row(492), &[Input::Tensor(self)], &[])
    }
    fn sinc(&self) -> Result<Tensor> {
        apply(row(496), &[Input::Tensor(self)], &[])
    }
    fn new_zeros(&self, shape: &[i64]) -> Result<Tensor> {
        apply(row(497), &[Input::Tensor(self)], &[Some(ints(shape)), None])
    }
    fn new_zeros_with(&self, shape: &[i64], dtype: Option<DType>) -> Result<Tensor> {
        apply(row(497), &[Input::Tensor(self)], &[Some(ints(shape)), dtype.map(Attr::from)])
    }
    fn new_ones(&self, shape: &[i64]) -> Result<Tensor> {
        apply(row(498), &[Input::Tensor(self)], &[Some(ints(shape)), None])
    }
    fn new_ones_with(&self, shape: &[i64], dtype: Option<DType>) -> Result<Tensor> {
        apply(row(498), &[Input::Tensor(self)], &[Some(ints(shape)), dtype.map(Attr::from)])
    }
    fn new_full(&self, shape: &[i64], fill_value: impl Into<Scalar>) -> Result<Tensor> {
        apply(row(499), &[Input::Tensor(self)], &[Some(ints(shape)), Some(Attr::from(fill_value.into())), None])
    }
    fn new_full_with(&self, shape: &[i64], fill_value: impl Into<Scalar>, dtype: Option<DType>) -> Result<Tensor> {
        apply(row(499), &[Input::Tensor(self)], &[Some(ints(shape)), Some(Attr::from(fill_value.into())), dtype.map(Attr::from)])
    }
    fn index_select<'a>(&'a self, index: impl Into<Input<'a>>, dim: i64) -> Result<Tensor> {
        apply(row(503), &[Input::Tensor(self), index.into()], &[Some(Attr::from(dim)), None, None])
    }
    fn index_add<'a>(&'a self, index: impl Into<Input<'a>>, source: impl Into<Input<'a>>, dim: i64) -> Result<Tensor> {
        apply(row(504), &[Input::Tensor(self), index.into(), source.into()], &[Some(Attr::from(dim)), None])
    }
    fn index_add_with<'a>(&'a self, index: impl Into<Input<'a>>, source: impl Into<Input<'a>>, dim: i64, alpha: impl Into<Scalar>) -> Result<Tensor> {
        apply(row(504), &[Input::Tensor(self), index.into(), source.into()], &[Some(Attr::from(dim)), Some(Attr::from(alpha.into()))])
    }
    fn index_copy<'a>(&'a self, index: impl Into<Input<'a>>, source: impl Into<Input<'a>>, dim: i64) -> Result<Tensor> {
        apply(row(505), &[Input::Tensor(self), index.into(), source.into()], &[Some(Attr::from(dim))])
    }
    fn index_fill<'a>(&'a self, index: impl Into<Input<'a>>, value: impl Into<Input<'a>>, dim: i64) -> Result<Tensor> {
        apply(row(506), &[Input::Tensor(self), index.into(), value.into()], &[Some(Attr::from(dim))])
    }
    fn take<'a>(&'a self, index: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(507), &[Input::Tensor(self), index.into()], &[])
    }
    fn scatter<'a>(&'a self, index: impl Into<Input<'a>>, src: impl Into<Input<'a>>, dim: i64) -> Result<Tensor> {
        apply(row(508), &[Input::Tensor(self), index.into(), src.into()], &[Some(Attr::from(dim)), None])
    }
    fn scatter_with<'a>(&'a self, index: impl Into<Input<'a>>, src: impl Into<Input<'a>>, dim: i64, reduce: &str) -> Result<Tensor> {
        apply(row(508), &[Input::Tensor(self), index.into(), src.into()], &[Some(Attr::from(dim)), Some(Attr::Text(reduce.into()))])
    }
    fn take_along_dim<'a>(&'a self, indices: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(509), &[Input::Tensor(self), indices.into()], &[None])
    }
    fn take_along_dim_with<'a>(&'a self, indices: impl Into<Input<'a>>, dim: i64) -> Result<Tensor> {
        apply(row(509), &[Input::Tensor(self), indices.into()], &[Some(Attr::from(dim))])
    }
    fn masked_scatter<'a>(&'a self, mask: impl Into<Input<'a>>, source: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(510), &[Input::Tensor(self), mask.into(), source.into()], &[])
    }
    fn sort(&self) -> Result<Vec<Tensor>> {
        apply_all(row(512), &[Input::Tensor(self)], &[None, None, None])
    }
    fn sort_with(&self, dim: i64, descending: bool, stable: bool) -> Result<Vec<Tensor>> {
        apply_all(row(512), &[Input::Tensor(self)], &[Some(Attr::from(dim)), Some(Attr::from(descending)), Some(Attr::from(stable))])
    }
    fn argsort(&self) -> Result<Tensor> {
        apply(row(513), &[Input::Tensor(self)], &[None, None, None])
    }
    fn argsort_with(&self, dim: i64, descending: bool, stable: bool) -> Result<Tensor> {
        apply(row(513), &[Input::Tensor(self)], &[Some(Attr::from(dim)), Some(Attr::from(descending)), Some(Attr::from(stable))])
    }
    fn cummax(&self, dim: i64) -> Result<Vec<Tensor>> {
        apply_all(row(518), &[Input::Tensor(self)], &[Some(Attr::from(dim))])
    }
    fn cummin(&self, dim: i64) -> Result<Vec<Tensor>> {
        apply_all(row(519), &[Input::Tensor(self)], &[Some(Attr::from(dim))])
    }
    fn isclose<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(520), &[Input::Tensor(self), other.into()], &[None, None, None])
    }
    fn isclose_with<'a>(&'a self, other: impl Into<Input<'a>>, rtol: f64, atol: f64, equal_nan: bool) -> Result<Tensor> {
        apply(row(520), &[Input::Tensor(self), other.into()], &[Some(Attr::Float(rtol)), Some(Attr::Float(atol)), Some(Attr::from(equal_nan))])
    }
    fn asin(&self) -> Result<Tensor> {
        apply(row(645), &[Input::Tensor(self)], &[])
    }
    fn acos(&self) -> Result<Tensor> {
        apply(row(646), &[Input::Tensor(self)], &[])
    }
    fn atan(&self) -> Result<Tensor> {
        apply(row(647), &[Input::Tensor(self)], &[])
    }
    fn atan2<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(648), &[Input::Tensor(self), other.into()], &[])
    }
    fn diagonal(&self) -> Result<Tensor> {
        apply(row(649), &[Input::Tensor(self)], &[None, None, None])
    }
    fn diagonal_with(&self, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
        apply(row(649), &[Input::Tensor(self)], &[Some(Attr::from(offset)), Some(Attr::from(dim1)), Some(Attr::from(dim2))])
    }
    fn diagonal_scatter<'a>(&'a self, src: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(650), &[Input::Tensor(self), src.into()], &[None, None, None])
    }
    fn diagonal_scatter_with<'a>(&'a self, src: impl Into<Input<'a>>, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
        apply(row(650), &[Input::Tensor(self), src.into()], &[Some(Attr::from(offset)), Some(Attr::from(dim1)), Some(Attr::from(dim2))])
    }
    fn median(&self) -> Result<Tensor> {
        apply(row(651), &[Input::Tensor(self)], &[])
    }
}

/// A tensor of zeros.
pub fn zeros(shape: &[i64]) -> Result<Tensor> {
    apply(row(160), &[], &[Some(ints(shape)), None])
}

/// A tensor of zeros. All attributes are given.
pub fn zeros_with(shape: &[i64], dtype: Option<DType>) -> Result<Tensor> {
    apply(row(160), &[], &[Some(ints(shape)), dtype.map(Attr::from)])
}

/// A tensor of ones.
pub fn ones(shape: &[i64]) -> Result<Tensor> {
    apply(row(161), &[], &[Some(ints(shape)), None])
}

/// A tensor of ones. All attributes are given.
pub fn ones_with(shape: &[i64], dtype: Option<DType>) -> Result<Tensor> {
    apply(row(161), &[], &[Some(ints(shape)), dtype.map(Attr::from)])
}

/// A tensor with the same number everywhere.
pub fn full(shape: &[i64], fill_value: impl Into<Scalar>) -> Result<Tensor> {
    apply(row(162), &[], &[Some(ints(shape)), Some(Attr::from(fill_value.into())), None])
}

/// A tensor with the same number everywhere. All attributes are given.
pub fn full_with(shape: &[i64], fill_value: impl Into<Scalar>, dtype: Option<DType>) -> Result<Tensor> {
    apply(row(162), &[], &[Some(ints(shape)), Some(Attr::from(fill_value.into())), dtype.map(Attr::from)])
}

/// The numbers from start up to end, a step apart.
pub fn arange(start: impl Into<Scalar>, end: impl Into<Scalar>) -> Result<Tensor> {
    apply(row(163), &[], &[Some(Attr::from(start.into())), Some(Attr::from(end.into())), None, None])
}

/// The numbers from start up to end, a step apart. All attributes are given.
pub fn arange_with(start: impl Into<Scalar>, end: impl Into<Scalar>, step: impl Into<Scalar>, dtype: Option<DType>) -> Result<Tensor> {
    apply(row(163), &[], &[Some(Attr::from(start.into())), Some(Attr::from(end.into())), Some(Attr::from(step.into())), dtype.map(Attr::from)])
}

/// Random numbers evenly from zero up to one.
pub fn rand(shape: &[i64]) -> Result<Tensor> {
    apply(row(180), &[], &[Some(ints(shape)), None, None, None, None, None])
}

/// Random numbers evenly from zero up to one. All attributes are given.
pub fn rand_with(shape: &[i64], dtype: Option<DType>) -> Result<Tensor> {
    apply(row(180), &[], &[Some(ints(shape)), dtype.map(Attr::from), None, None, None, None])
}

/// Random numbers with mean zero and variance one.
pub fn randn(shape: &[i64]) -> Result<Tensor> {
    apply(row(181), &[], &[Some(ints(shape)), None, None, None, None, None])
}

/// Random numbers with mean zero and variance one. All attributes are given.
pub fn randn_with(shape: &[i64], dtype: Option<DType>) -> Result<Tensor> {
    apply(row(181), &[], &[Some(ints(shape)), dtype.map(Attr::from), None, None, None, None])
}

/// So many numbers from start to end, evenly spaced.
pub fn linspace(start: impl Into<Scalar>, end: impl Into<Scalar>, steps: i64) -> Result<Tensor> {
    apply(row(440), &[], &[Some(Attr::from(start.into())), Some(Attr::from(end.into())), Some(Attr::from(steps)), None, None, None])
}

/// So many numbers from start to end, evenly spaced. All attributes are given.
pub fn linspace_with(start: impl Into<Scalar>, end: impl Into<Scalar>, steps: i64, dtype: Option<DType>) -> Result<Tensor> {
    apply(row(440), &[], &[Some(Attr::from(start.into())), Some(Attr::from(end.into())), Some(Attr::from(steps)), dtype.map(Attr::from), None, None])
}

/// Powers of a base, whose exponents go evenly from start to end.
pub fn logspace(start: impl Into<Scalar>, end: impl Into<Scalar>, steps: i64) -> Result<Tensor> {
    apply(row(441), &[], &[Some(Attr::from(start.into())), Some(Attr::from(end.into())), Some(Attr::from(steps)), None, None, None, None])
}

/// Powers of a base, whose exponents go evenly from start to end. All attributes are given.
pub fn logspace_with(start: impl Into<Scalar>, end: impl Into<Scalar>, steps: i64, base: f64, dtype: Option<DType>) -> Result<Tensor> {
    apply(row(441), &[], &[Some(Attr::from(start.into())), Some(Attr::from(end.into())), Some(Attr::from(steps)), Some(Attr::Float(base)), dtype.map(Attr::from), None, None])
}

/// A matrix with ones on its diagonal and zeros elsewhere.
pub fn eye(n: i64) -> Result<Tensor> {
    apply(row(442), &[], &[Some(Attr::from(n)), None, None, None])
}

/// A matrix with ones on its diagonal and zeros elsewhere. All attributes are given.
pub fn eye_with(n: i64, m: i64, dtype: Option<DType>) -> Result<Tensor> {
    apply(row(442), &[], &[Some(Attr::from(n)), Some(Attr::from(m)), dtype.map(Attr::from), None])
}

/// Random whole numbers from low up to, but not including, high.
pub fn randint(low: i64, high: i64, shape: &[i64]) -> Result<Tensor> {
    apply(row(448), &[], &[Some(Attr::from(low)), Some(Attr::from(high)), Some(ints(shape)), None, None, None, None, None])
}

/// Random whole numbers from low up to, but not including, high. All attributes are given.
pub fn randint_with(low: i64, high: i64, shape: &[i64], dtype: Option<DType>) -> Result<Tensor> {
    apply(row(448), &[], &[Some(Attr::from(low)), Some(Attr::from(high)), Some(ints(shape)), dtype.map(Attr::from), None, None, None, None])
}

/// The whole numbers from zero up to n in a random order.
pub fn randperm(n: i64) -> Result<Tensor> {
    apply(row(450), &[], &[Some(Attr::from(n)), None, None, None])
}

/// The whole numbers from zero up to n in a random order. All attributes are given.
pub fn randperm_with(n: i64, dtype: Option<DType>) -> Result<Tensor> {
    apply(row(450), &[], &[Some(Attr::from(n)), dtype.map(Attr::from), None, None])
}
