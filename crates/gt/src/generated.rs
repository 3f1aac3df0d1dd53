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
    /// Whether two elements differ by no more than the tolerances allow.
    fn isclose<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor>;
    /// Whether two elements differ by no more than the tolerances allow. All attributes are given.
    fn isclose_with<'a>(&'a self, other: impl Into<Input<'a>>, rtol: f64, atol: f64, equal_nan: bool) -> Result<Tensor>;
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
    fn var_with(&self, dim: &[i64], correction: i64, keepdim: bool) -> Result<Tensor>;
    /// The square root of the mean square distance of the elements from their mean.
    fn std(&self) -> Result<Tensor>;
    /// The square root of the mean square distance of the elements from their mean. All attributes are given.
    fn std_with(&self, dim: &[i64], correction: i64, keepdim: bool) -> Result<Tensor>;
    /// The length of the elements along axes, or of all: the p-th root of their p-th powers.
    fn norm(&self) -> Result<Tensor>;
    /// The length of the elements along axes, or of all: the p-th root of their p-th powers. All attributes are given.
    fn norm_with(&self, p: f64, dim: &[i64], keepdim: bool) -> Result<Tensor>;
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
    /// Two axes exchanged.
    fn transpose(&self, dim0: i64, dim1: i64) -> Result<Tensor>;
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
    /// The elements with these numbers, counted row by row.
    fn take<'a>(&'a self, index: impl Into<Input<'a>>) -> Result<Tensor>;
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
    /// Exponentials along an axis, scaled so that they sum to one.
    fn softmax(&self, dim: i64) -> Result<Tensor>;
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
    fn isclose<'a>(&'a self, other: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(520), &[Input::Tensor(self), other.into()], &[None, None, None])
    }
    fn isclose_with<'a>(&'a self, other: impl Into<Input<'a>>, rtol: f64, atol: f64, equal_nan: bool) -> Result<Tensor> {
        apply(row(520), &[Input::Tensor(self), other.into()], &[Some(Attr::Float(rtol)), Some(Attr::Float(atol)), Some(Attr::from(equal_nan))])
    }
    fn sum(&self) -> Result<Tensor> {
        apply(row(80), &[Input::Tensor(self)], &[None, None, None])
    }
    fn sum_with(&self, dim: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
        apply(row(80), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(keepdim)), dtype.map(Attr::from)])
    }
    fn mean(&self) -> Result<Tensor> {
        apply(row(81), &[Input::Tensor(self)], &[None, None, None])
    }
    fn mean_with(&self, dim: &[i64], keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
        apply(row(81), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(keepdim)), dtype.map(Attr::from)])
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
    fn var_with(&self, dim: &[i64], correction: i64, keepdim: bool) -> Result<Tensor> {
        apply(row(405), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(correction)), Some(Attr::from(keepdim))])
    }
    fn std(&self) -> Result<Tensor> {
        apply(row(406), &[Input::Tensor(self)], &[None, None, None])
    }
    fn std_with(&self, dim: &[i64], correction: i64, keepdim: bool) -> Result<Tensor> {
        apply(row(406), &[Input::Tensor(self)], &[Some(ints(dim)), Some(Attr::from(correction)), Some(Attr::from(keepdim))])
    }
    fn norm(&self) -> Result<Tensor> {
        apply(row(407), &[Input::Tensor(self)], &[None, None, None])
    }
    fn norm_with(&self, p: f64, dim: &[i64], keepdim: bool) -> Result<Tensor> {
        apply(row(407), &[Input::Tensor(self)], &[Some(Attr::Float(p)), Some(ints(dim)), Some(Attr::from(keepdim))])
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
    fn transpose(&self, dim0: i64, dim1: i64) -> Result<Tensor> {
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
        apply(row(140), &[Input::Tensor(self), index.into()], &[Some(Attr::from(dim))])
    }
    fn scatter_add<'a>(&'a self, index: impl Into<Input<'a>>, src: impl Into<Input<'a>>, dim: i64) -> Result<Tensor> {
        apply(row(141), &[Input::Tensor(self), index.into(), src.into()], &[Some(Attr::from(dim))])
    }
    fn topk(&self, k: i64) -> Result<Vec<Tensor>> {
        apply_all(row(142), &[Input::Tensor(self)], &[Some(Attr::from(k)), None, None, None])
    }
    fn topk_with(&self, k: i64, dim: i64, largest: bool, sorted: bool) -> Result<Vec<Tensor>> {
        apply_all(row(142), &[Input::Tensor(self)], &[Some(Attr::from(k)), Some(Attr::from(dim)), Some(Attr::from(largest)), Some(Attr::from(sorted))])
    }
    fn take<'a>(&'a self, index: impl Into<Input<'a>>) -> Result<Tensor> {
        apply(row(507), &[Input::Tensor(self), index.into()], &[])
    }
    fn index_select<'a>(&'a self, index: impl Into<Input<'a>>, dim: i64) -> Result<Tensor> {
        apply(row(503), &[Input::Tensor(self), index.into()], &[Some(Attr::from(dim))])
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
    fn softmax(&self, dim: i64) -> Result<Tensor> {
        apply(row(220), &[Input::Tensor(self)], &[Some(Attr::from(dim))])
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
