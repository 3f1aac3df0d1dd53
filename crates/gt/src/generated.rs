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
    /// The positions of the elements that are not zero, a row each.
    fn nonzero(&self) -> Result<Tensor>;
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
    fn nonzero(&self) -> Result<Tensor> {
        apply(row(143), &[Input::Tensor(self)], &[])
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
