//! The methods and operators of `Tensor`, made from the op table by `cargo xtask generate`; not edited by hand.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::call::{binary, in_place, method, method_in_place, reflected, unary};
use crate::tensor::Tensor;

#[pymethods]
impl Tensor {
    #[doc = "The sum of two tensors, element by element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).add(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 2.0000, -2.5000,  4.5000],\n        [ 1.0000, -2.5000,  7.0000]])"]
    #[pyo3(name = "add", text_signature = "($self, other, alpha=None)", signature = (*args, **kwargs))]
    fn op_add<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(1, slf, args, kwargs)
    }

    #[doc = "The sum of two tensors, element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).add_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 2.0000, -2.5000,  4.5000],\n        [ 1.0000, -2.5000,  7.0000]])"]
    #[pyo3(name = "add_", text_signature = "($self, other, alpha=None)", signature = (*args, **kwargs))]
    fn op_add_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(1, slf, args, kwargs)
    }

    fn __add__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(1, slf, other)
    }

    fn __radd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(1, slf, other)
    }

    fn __iadd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(1, slf, other)
    }

    #[doc = "The difference of two tensors, element by element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).sub(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.0000,  1.5000, -0.5000],\n        [-1.0000,  0.5000, -1.0000]])"]
    #[pyo3(name = "sub", text_signature = "($self, other, alpha=None)", signature = (*args, **kwargs))]
    fn op_sub<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(2, slf, args, kwargs)
    }

    #[doc = "The difference of two tensors, element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).sub_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.0000,  1.5000, -0.5000],\n        [-1.0000,  0.5000, -1.0000]])"]
    #[pyo3(name = "sub_", text_signature = "($self, other, alpha=None)", signature = (*args, **kwargs))]
    fn op_sub_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(2, slf, args, kwargs)
    }

    #[doc = "The difference of two tensors, element by element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).sub(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.0000,  1.5000, -0.5000],\n        [-1.0000,  0.5000, -1.0000]])"]
    #[pyo3(name = "subtract", text_signature = "($self, other, alpha=None)", signature = (*args, **kwargs))]
    fn op_subtract<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(2, slf, args, kwargs)
    }

    #[doc = "The difference of two tensors, element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).sub_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.0000,  1.5000, -0.5000],\n        [-1.0000,  0.5000, -1.0000]])"]
    #[pyo3(name = "subtract_", text_signature = "($self, other, alpha=None)", signature = (*args, **kwargs))]
    fn op_subtract_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(2, slf, args, kwargs)
    }

    fn __sub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(2, slf, other)
    }

    fn __rsub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(2, slf, other)
    }

    fn __isub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(2, slf, other)
    }

    #[doc = "The product of two tensors, element by element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).mul(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 0.7500,  1.0000,  5.0000],\n        [ 0.0000,  1.5000, 12.0000]])"]
    #[pyo3(name = "mul", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_mul<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(3, slf, args, kwargs)
    }

    #[doc = "The product of two tensors, element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).mul_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 0.7500,  1.0000,  5.0000],\n        [ 0.0000,  1.5000, 12.0000]])"]
    #[pyo3(name = "mul_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_mul_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(3, slf, args, kwargs)
    }

    #[doc = "The product of two tensors, element by element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).mul(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 0.7500,  1.0000,  5.0000],\n        [ 0.0000,  1.5000, 12.0000]])"]
    #[pyo3(name = "multiply", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_multiply<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(3, slf, args, kwargs)
    }

    #[doc = "The product of two tensors, element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).mul_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 0.7500,  1.0000,  5.0000],\n        [ 0.0000,  1.5000, 12.0000]])"]
    #[pyo3(name = "multiply_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_multiply_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(3, slf, args, kwargs)
    }

    fn __mul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(3, slf, other)
    }

    fn __rmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(3, slf, other)
    }

    fn __imul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(3, slf, other)
    }

    #[doc = "The quotient of two tensors, element by element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).div(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[6.0000, 0.2000, 0.5714],\n        [5.3333, 0.2000, 0.5000]])"]
    #[pyo3(name = "div", text_signature = "($self, other, rounding_mode=None)", signature = (*args, **kwargs))]
    fn op_div<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(4, slf, args, kwargs)
    }

    #[doc = "The quotient of two tensors, element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).div_(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[6.0000, 0.2000, 0.5714],\n        [5.3333, 0.2000, 0.5000]])"]
    #[pyo3(name = "div_", text_signature = "($self, other, rounding_mode=None)", signature = (*args, **kwargs))]
    fn op_div_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(4, slf, args, kwargs)
    }

    #[doc = "The quotient of two tensors, element by element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).div(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[6.0000, 0.2000, 0.5714],\n        [5.3333, 0.2000, 0.5000]])"]
    #[pyo3(name = "divide", text_signature = "($self, other, rounding_mode=None)", signature = (*args, **kwargs))]
    fn op_divide<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(4, slf, args, kwargs)
    }

    #[doc = "The quotient of two tensors, element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).div_(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[6.0000, 0.2000, 0.5714],\n        [5.3333, 0.2000, 0.5000]])"]
    #[pyo3(name = "divide_", text_signature = "($self, other, rounding_mode=None)", signature = (*args, **kwargs))]
    fn op_divide_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(4, slf, args, kwargs)
    }

    #[doc = "The quotient of two tensors, element by element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).div(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[6.0000, 0.2000, 0.5714],\n        [5.3333, 0.2000, 0.5000]])"]
    #[pyo3(name = "true_divide", text_signature = "($self, other, rounding_mode=None)", signature = (*args, **kwargs))]
    fn op_true_divide<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(4, slf, args, kwargs)
    }

    #[doc = "The quotient of two tensors, element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).div_(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[6.0000, 0.2000, 0.5714],\n        [5.3333, 0.2000, 0.5000]])"]
    #[pyo3(name = "true_divide_", text_signature = "($self, other, rounding_mode=None)", signature = (*args, **kwargs))]
    fn op_true_divide_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(4, slf, args, kwargs)
    }

    fn __truediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(4, slf, other)
    }

    fn __rtruediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(4, slf, other)
    }

    fn __itruediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(4, slf, other)
    }

    #[doc = "Each element of the first tensor to the power of the second.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).pow(gt.tensor([[0.25, 2.5, 3.5], [0.75, 5.0, 6.0]]))\ntensor([[1.1067e+00, 1.7678e-01, 1.1314e+01],\n        [2.8284e+00, 1.0000e+00, 7.2900e+02]])"]
    #[pyo3(name = "pow", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_pow<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(5, slf, args, kwargs)
    }

    #[doc = "Each element of the first tensor to the power of the second. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).pow_(gt.tensor([[0.25, 2.5, 3.5], [0.75, 5.0, 6.0]]))\ntensor([[1.1067e+00, 1.7678e-01, 1.1314e+01],\n        [2.8284e+00, 1.0000e+00, 7.2900e+02]])"]
    #[pyo3(name = "pow_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_pow_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(5, slf, args, kwargs)
    }

    fn __pow__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, _modulo: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(5, slf, other)
    }

    fn __rpow__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, _modulo: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(5, slf, other)
    }

    fn __ipow__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, _modulo: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(5, slf, other)
    }

    #[doc = "The larger of two elements; not a number if one of them is not.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).maximum(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.5000, -0.5000,  2.5000],\n        [ 1.0000, -1.0000,  4.0000]])"]
    #[pyo3(name = "maximum", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_maximum<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(6, slf, args, kwargs)
    }

    #[doc = "The smaller of two elements; not a number if one of them is not.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).minimum(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 0.5000, -2.0000,  2.0000],\n        [ 0.0000, -1.5000,  3.0000]])"]
    #[pyo3(name = "minimum", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_minimum<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(7, slf, args, kwargs)
    }

    #[doc = "Each element with the other sign.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).neg()\ntensor([[-1.5000,  0.5000, -2.0000],\n        [-0.0000,  1.0000, -3.0000]])"]
    #[pyo3(name = "neg", text_signature = "($self)")]
    fn op_neg(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(20, slf)
    }

    #[doc = "Each element with the other sign. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).neg_()\ntensor([[-1.5000,  0.5000, -2.0000],\n        [-0.0000,  1.0000, -3.0000]])"]
    #[pyo3(name = "neg_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_neg_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(20, slf, args, kwargs)
    }

    #[doc = "Each element with the other sign.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).neg()\ntensor([[-1.5000,  0.5000, -2.0000],\n        [-0.0000,  1.0000, -3.0000]])"]
    #[pyo3(name = "negative", text_signature = "($self)")]
    fn op_negative(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(20, slf)
    }

    #[doc = "Each element with the other sign. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).neg_()\ntensor([[-1.5000,  0.5000, -2.0000],\n        [-0.0000,  1.0000, -3.0000]])"]
    #[pyo3(name = "negative_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_negative_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(20, slf, args, kwargs)
    }

    fn __neg__(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(20, slf)
    }

    #[doc = "The size of each element without its sign.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).abs()\ntensor([[1.5000, 0.5000, 2.0000],\n        [4.0000, 1.0000, 3.0000]])"]
    #[pyo3(name = "abs", text_signature = "($self)")]
    fn op_abs(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(21, slf)
    }

    #[doc = "The size of each element without its sign. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).abs_()\ntensor([[1.5000, 0.5000, 2.0000],\n        [4.0000, 1.0000, 3.0000]])"]
    #[pyo3(name = "abs_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_abs_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(21, slf, args, kwargs)
    }

    #[doc = "The size of each element without its sign.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).abs()\ntensor([[1.5000, 0.5000, 2.0000],\n        [4.0000, 1.0000, 3.0000]])"]
    #[pyo3(name = "absolute", text_signature = "($self)")]
    fn op_absolute(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(21, slf)
    }

    #[doc = "The size of each element without its sign. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).abs_()\ntensor([[1.5000, 0.5000, 2.0000],\n        [4.0000, 1.0000, 3.0000]])"]
    #[pyo3(name = "absolute_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_absolute_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(21, slf, args, kwargs)
    }

    fn __abs__(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(21, slf)
    }

    #[doc = "e to the power of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).exp()\ntensor([[ 4.4817,  0.6065,  7.3891],\n        [ 1.0000,  0.3679, 20.0855]])"]
    #[pyo3(name = "exp", text_signature = "($self)")]
    fn op_exp(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(22, slf)
    }

    #[doc = "e to the power of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).exp_()\ntensor([[ 4.4817,  0.6065,  7.3891],\n        [ 1.0000,  0.3679, 20.0855]])"]
    #[pyo3(name = "exp_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_exp_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(22, slf, args, kwargs)
    }

    #[doc = "The natural logarithm of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).log()\ntensor([[ 0.4055, -0.6931,  0.6931],\n        [ 1.3863,  0.0000,  1.0986]])"]
    #[pyo3(name = "log", text_signature = "($self)")]
    fn op_log(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(23, slf)
    }

    #[doc = "The natural logarithm of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).log_()\ntensor([[ 0.4055, -0.6931,  0.6931],\n        [ 1.3863,  0.0000,  1.0986]])"]
    #[pyo3(name = "log_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_log_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(23, slf, args, kwargs)
    }

    #[doc = "The square root of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).sqrt()\ntensor([[1.2247, 0.7071, 1.4142],\n        [2.0000, 1.0000, 1.7321]])"]
    #[pyo3(name = "sqrt", text_signature = "($self)")]
    fn op_sqrt(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(24, slf)
    }

    #[doc = "The square root of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).sqrt_()\ntensor([[1.2247, 0.7071, 1.4142],\n        [2.0000, 1.0000, 1.7321]])"]
    #[pyo3(name = "sqrt_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sqrt_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(24, slf, args, kwargs)
    }

    #[doc = "The hyperbolic tangent of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).tanh()\ntensor([[ 0.9051, -0.4621,  0.9640],\n        [ 0.0000, -0.7616,  0.9951]])"]
    #[pyo3(name = "tanh", text_signature = "($self)")]
    fn op_tanh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(25, slf)
    }

    #[doc = "The hyperbolic tangent of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).tanh_()\ntensor([[ 0.9051, -0.4621,  0.9640],\n        [ 0.0000, -0.7616,  0.9951]])"]
    #[pyo3(name = "tanh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_tanh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(25, slf, args, kwargs)
    }

    #[doc = "1 / (1 + exp(-x)) of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).sigmoid()\ntensor([[0.8176, 0.3775, 0.8808],\n        [0.5000, 0.2689, 0.9526]])"]
    #[pyo3(name = "sigmoid", text_signature = "($self)")]
    fn op_sigmoid(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(26, slf)
    }

    #[doc = "1 / (1 + exp(-x)) of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).sigmoid_()\ntensor([[0.8176, 0.3775, 0.8808],\n        [0.5000, 0.2689, 0.9526]])"]
    #[pyo3(name = "sigmoid_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sigmoid_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(26, slf, args, kwargs)
    }

    #[doc = "Each element, or zero where it is negative.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).relu()\ntensor([[1.5000, 0.0000, 2.0000],\n        [4.0000, 0.0000, 3.0000]])"]
    #[pyo3(name = "relu", text_signature = "($self)")]
    fn op_relu(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(27, slf)
    }

    #[doc = "Each element, or zero where it is negative. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).relu_()\ntensor([[1.5000, 0.0000, 2.0000],\n        [4.0000, 0.0000, 3.0000]])"]
    #[pyo3(name = "relu_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_relu_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(27, slf, args, kwargs)
    }

    #[doc = "Whether two elements are equal.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).eq(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[False, False, False],\n        [False, False, False]])"]
    #[pyo3(name = "eq", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_eq<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(60, slf, args, kwargs)
    }

    #[doc = "Whether two elements are equal. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[True, True, True], [False, True, True]]).eq_(gt.tensor([[True, True, True], [True, True, True]]))\ntensor([[ True,  True,  True],\n        [False,  True,  True]])"]
    #[pyo3(name = "eq_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_eq_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(60, slf, args, kwargs)
    }

    fn __eq__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(60, slf, other)
    }

    #[doc = "Whether two elements differ.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).ne(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[True, True, True],\n        [True, True, True]])"]
    #[pyo3(name = "ne", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_ne<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(61, slf, args, kwargs)
    }

    #[doc = "Whether two elements differ. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[True, True, True], [False, True, True]]).ne_(gt.tensor([[True, True, True], [True, True, True]]))\ntensor([[False, False, False],\n        [ True, False, False]])"]
    #[pyo3(name = "ne_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_ne_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(61, slf, args, kwargs)
    }

    #[doc = "Whether two elements differ.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).ne(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[True, True, True],\n        [True, True, True]])"]
    #[pyo3(name = "not_equal", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_not_equal<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(61, slf, args, kwargs)
    }

    #[doc = "Whether two elements differ. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[True, True, True], [False, True, True]]).ne_(gt.tensor([[True, True, True], [True, True, True]]))\ntensor([[False, False, False],\n        [ True, False, False]])"]
    #[pyo3(name = "not_equal_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_not_equal_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(61, slf, args, kwargs)
    }

    fn __ne__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(61, slf, other)
    }

    #[doc = "Whether the first element is smaller.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).lt(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[False, False,  True],\n        [ True, False,  True]])"]
    #[pyo3(name = "lt", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_lt<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(62, slf, args, kwargs)
    }

    #[doc = "Whether the first element is smaller. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[True, True, True], [False, True, True]]).lt_(gt.tensor([[True, True, True], [True, True, True]]))\ntensor([[False, False, False],\n        [ True, False, False]])"]
    #[pyo3(name = "lt_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_lt_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(62, slf, args, kwargs)
    }

    #[doc = "Whether the first element is smaller.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).lt(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[False, False,  True],\n        [ True, False,  True]])"]
    #[pyo3(name = "less", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_less<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(62, slf, args, kwargs)
    }

    #[doc = "Whether the first element is smaller. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[True, True, True], [False, True, True]]).lt_(gt.tensor([[True, True, True], [True, True, True]]))\ntensor([[False, False, False],\n        [ True, False, False]])"]
    #[pyo3(name = "less_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_less_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(62, slf, args, kwargs)
    }

    fn __lt__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(62, slf, other)
    }

    #[doc = "Whether the first element is smaller or equal.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).le(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[False, False,  True],\n        [ True, False,  True]])"]
    #[pyo3(name = "le", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_le<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(63, slf, args, kwargs)
    }

    #[doc = "Whether the first element is smaller or equal. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[True, True, True], [False, True, True]]).le_(gt.tensor([[True, True, True], [True, True, True]]))\ntensor([[True, True, True],\n        [True, True, True]])"]
    #[pyo3(name = "le_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_le_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(63, slf, args, kwargs)
    }

    #[doc = "Whether the first element is smaller or equal.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).le(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[False, False,  True],\n        [ True, False,  True]])"]
    #[pyo3(name = "less_equal", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_less_equal<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(63, slf, args, kwargs)
    }

    #[doc = "Whether the first element is smaller or equal. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[True, True, True], [False, True, True]]).le_(gt.tensor([[True, True, True], [True, True, True]]))\ntensor([[True, True, True],\n        [True, True, True]])"]
    #[pyo3(name = "less_equal_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_less_equal_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(63, slf, args, kwargs)
    }

    fn __le__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(63, slf, other)
    }

    #[doc = "Whether the first element is larger.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).gt(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ True,  True, False],\n        [False,  True, False]])"]
    #[pyo3(name = "gt", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_gt<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(64, slf, args, kwargs)
    }

    #[doc = "Whether the first element is larger. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[True, True, True], [False, True, True]]).gt_(gt.tensor([[True, True, True], [True, True, True]]))\ntensor([[False, False, False],\n        [False, False, False]])"]
    #[pyo3(name = "gt_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_gt_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(64, slf, args, kwargs)
    }

    #[doc = "Whether the first element is larger.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).gt(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ True,  True, False],\n        [False,  True, False]])"]
    #[pyo3(name = "greater", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_greater<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(64, slf, args, kwargs)
    }

    #[doc = "Whether the first element is larger. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[True, True, True], [False, True, True]]).gt_(gt.tensor([[True, True, True], [True, True, True]]))\ntensor([[False, False, False],\n        [False, False, False]])"]
    #[pyo3(name = "greater_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_greater_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(64, slf, args, kwargs)
    }

    fn __gt__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(64, slf, other)
    }

    #[doc = "Whether the first element is larger or equal.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).ge(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ True,  True, False],\n        [False,  True, False]])"]
    #[pyo3(name = "ge", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_ge<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(65, slf, args, kwargs)
    }

    #[doc = "Whether the first element is larger or equal. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[True, True, True], [False, True, True]]).ge_(gt.tensor([[True, True, True], [True, True, True]]))\ntensor([[ True,  True,  True],\n        [False,  True,  True]])"]
    #[pyo3(name = "ge_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_ge_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(65, slf, args, kwargs)
    }

    #[doc = "Whether the first element is larger or equal.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).ge(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ True,  True, False],\n        [False,  True, False]])"]
    #[pyo3(name = "greater_equal", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_greater_equal<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(65, slf, args, kwargs)
    }

    #[doc = "Whether the first element is larger or equal. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[True, True, True], [False, True, True]]).ge_(gt.tensor([[True, True, True], [True, True, True]]))\ntensor([[ True,  True,  True],\n        [False,  True,  True]])"]
    #[pyo3(name = "greater_equal_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_greater_equal_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(65, slf, args, kwargs)
    }

    fn __ge__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(65, slf, other)
    }

    #[doc = "The sum of the elements along axes, or of all.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]).sum(dim=(0,), keepdim=True)\ntensor([[5.5000, 1.5000]])"]
    #[pyo3(name = "sum", text_signature = "($self, dim=None, keepdim=False, dtype=None)", signature = (*args, **kwargs))]
    fn op_sum<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(80, slf, args, kwargs)
    }

    #[doc = "The mean of the elements along axes, or of all.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]).mean(dim=(0,), keepdim=True)\ntensor([[1.1000, 0.3000]])"]
    #[pyo3(name = "mean", text_signature = "($self, dim=None, keepdim=False, dtype=None)", signature = (*args, **kwargs))]
    fn op_mean<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(81, slf, args, kwargs)
    }

    #[doc = "The largest element along axes, or of all.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]).amax(dim=(0,), keepdim=True)\ntensor([[2.5000, 3.0000]])"]
    #[pyo3(name = "amax", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_amax<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(82, slf, args, kwargs)
    }

    #[doc = "The smallest element along axes, or of all.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]).amin(dim=(0,), keepdim=True)\ntensor([[-1., -2.]])"]
    #[pyo3(name = "amin", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_amin<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(83, slf, args, kwargs)
    }

    #[doc = "Matrix products of the last two axes; those before them broadcast.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).matmul(gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0]]))\ntensor([[ -0.7500,   5.2500],\n        [  3.0000,   6.0000],\n        [  9.2500, -13.7500]])"]
    #[pyo3(name = "matmul", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_matmul<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(100, slf, args, kwargs)
    }

    fn __matmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(100, slf, other)
    }

    fn __rmatmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(100, slf, other)
    }

    #[doc = "The same elements in another shape; one size may be -1.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).reshape((3, 2))\ntensor([[ 1.5000, -0.5000],\n        [ 2.0000,  0.0000],\n        [-1.0000,  3.0000]])"]
    #[pyo3(name = "reshape", text_signature = "($self, shape)", signature = (*args, **kwargs))]
    fn op_reshape<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(120, slf, args, kwargs)
    }

    #[doc = "The axes in another order.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).permute((1, 0))\ntensor([[ 1.5000,  0.0000],\n        [-0.5000, -1.0000],\n        [ 2.0000,  3.0000]])"]
    #[pyo3(name = "permute", text_signature = "($self, dims)", signature = (*args, **kwargs))]
    fn op_permute<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(121, slf, args, kwargs)
    }

    #[doc = "The tensor repeated along axes of size one; -1 keeps a size.\n\n>>> import gt\n>>> gt.tensor([[1.5], [-0.5]]).expand((2, 3))\ntensor([[ 1.5000,  1.5000,  1.5000],\n        [-0.5000, -0.5000, -0.5000]])"]
    #[pyo3(name = "expand", text_signature = "($self, shape)", signature = (*args, **kwargs))]
    fn op_expand<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(122, slf, args, kwargs)
    }

    #[doc = "The same elements in another shape; one size may be -1.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).view((6,))\ntensor([ 1.5000, -0.5000,  2.0000,  0.0000, -1.0000,  3.0000])"]
    #[pyo3(name = "view", text_signature = "($self, shape)", signature = (*args, **kwargs))]
    fn op_view<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(126, slf, args, kwargs)
    }

    #[doc = "Two axes exchanged; those of a matrix need not be named.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).transpose(dim0=0, dim1=1)\ntensor([[ 1.5000,  0.0000],\n        [-0.5000, -1.0000],\n        [ 2.0000,  3.0000]])"]
    #[pyo3(name = "transpose", text_signature = "($self, dim0=None, dim1=None)", signature = (*args, **kwargs))]
    fn op_transpose<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(127, slf, args, kwargs)
    }

    #[doc = "Two axes exchanged; those of a matrix need not be named. Writes the result into the tensor."]
    #[pyo3(name = "transpose_", text_signature = "($self, dim0=None, dim1=None)", signature = (*args, **kwargs))]
    fn op_transpose_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(127, slf, args, kwargs)
    }

    #[doc = "Two axes exchanged; those of a matrix need not be named.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).transpose(dim0=0, dim1=1)\ntensor([[ 1.5000,  0.0000],\n        [-0.5000, -1.0000],\n        [ 2.0000,  3.0000]])"]
    #[pyo3(name = "swapaxes", text_signature = "($self, dim0=None, dim1=None)", signature = (*args, **kwargs))]
    fn op_swapaxes<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(127, slf, args, kwargs)
    }

    #[doc = "Two axes exchanged; those of a matrix need not be named. Writes the result into the tensor."]
    #[pyo3(name = "swapaxes_", text_signature = "($self, dim0=None, dim1=None)", signature = (*args, **kwargs))]
    fn op_swapaxes_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(127, slf, args, kwargs)
    }

    #[doc = "Two axes exchanged; those of a matrix need not be named.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).transpose(dim0=0, dim1=1)\ntensor([[ 1.5000,  0.0000],\n        [-0.5000, -1.0000],\n        [ 2.0000,  3.0000]])"]
    #[pyo3(name = "swapdims", text_signature = "($self, dim0=None, dim1=None)", signature = (*args, **kwargs))]
    fn op_swapdims<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(127, slf, args, kwargs)
    }

    #[doc = "Two axes exchanged; those of a matrix need not be named. Writes the result into the tensor."]
    #[pyo3(name = "swapdims_", text_signature = "($self, dim0=None, dim1=None)", signature = (*args, **kwargs))]
    fn op_swapdims_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(127, slf, args, kwargs)
    }

    #[doc = "With another axis of size one.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).unsqueeze(0)\ntensor([[[ 1.5000, -0.5000,  2.0000],\n         [ 0.0000, -1.0000,  3.0000]]])"]
    #[pyo3(name = "unsqueeze", text_signature = "($self, dim)", signature = (*args, **kwargs))]
    fn op_unsqueeze<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(128, slf, args, kwargs)
    }

    #[doc = "With another axis of size one. Writes the result into the tensor."]
    #[pyo3(name = "unsqueeze_", text_signature = "($self, dim)", signature = (*args, **kwargs))]
    fn op_unsqueeze_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(128, slf, args, kwargs)
    }

    #[doc = "Without the axes of size one that are named, or without any.\n\n>>> import gt\n>>> gt.tensor([[[1.5], [-0.5], [2.0]]]).squeeze()\ntensor([ 1.5000, -0.5000,  2.0000])"]
    #[pyo3(name = "squeeze", text_signature = "($self, dim=None)", signature = (*args, **kwargs))]
    fn op_squeeze<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(129, slf, args, kwargs)
    }

    #[doc = "Without the axes of size one that are named, or without any. Writes the result into the tensor."]
    #[pyo3(name = "squeeze_", text_signature = "($self, dim=None)", signature = (*args, **kwargs))]
    fn op_squeeze_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(129, slf, args, kwargs)
    }

    #[doc = "The elements that an index names along an axis.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]).gather(0, gt.tensor([[1, 3, 1], [3, 1, 3]]))\ntensor([[ 0.0000, -1.5000,  3.0000],\n        [ 1.0000, -1.0000,  4.0000]])"]
    #[pyo3(name = "gather", text_signature = "($self, dim, index)", signature = (*args, **kwargs))]
    fn op_gather<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(140, slf, args, kwargs)
    }

    #[doc = "The tensor with elements of another added at the places an index names.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0, -1.0], [3.0, 0.5, -2.0, 2.5, 1.0]]).scatter_add(-1, gt.tensor([[1, 3, 0], [2, 4, 1]]), gt.tensor([[-1.5, 4.0, 1.5], [-0.5, 2.0, 0.0]]))\ntensor([[ 3.0000, -2.0000,  2.0000,  4.0000, -1.0000],\n        [ 3.0000,  0.5000, -2.5000,  2.5000,  3.0000]])"]
    #[pyo3(name = "scatter_add", text_signature = "($self, dim, index, src)", signature = (*args, **kwargs))]
    fn op_scatter_add<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(141, slf, args, kwargs)
    }

    #[doc = "The tensor with elements of another added at the places an index names. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0, -1.0], [3.0, 0.5, -2.0, 2.5, 1.0]]).scatter_add_(-1, gt.tensor([[1, 3, 0], [2, 4, 1]]), gt.tensor([[-1.5, 4.0, 1.5], [-0.5, 2.0, 0.0]]))\ntensor([[ 3.0000, -2.0000,  2.0000,  4.0000, -1.0000],\n        [ 3.0000,  0.5000, -2.5000,  2.5000,  3.0000]])"]
    #[pyo3(name = "scatter_add_", text_signature = "($self, dim, index, src)", signature = (*args, **kwargs))]
    fn op_scatter_add_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(141, slf, args, kwargs)
    }

    #[doc = "The k largest or smallest elements along an axis, and where they are.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0, 3.0]).topk(2)\ntopk(values=tensor([3., 2.]), indices=tensor([5, 2]))"]
    #[pyo3(name = "topk", text_signature = "($self, k, dim=-1, largest=True, sorted=True)", signature = (*args, **kwargs))]
    fn op_topk<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(142, slf, args, kwargs)
    }

    #[doc = "Exponentials along an axis, scaled so that they sum to one.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0, -1.0], [3.0, 0.5, -2.0, 2.5, 1.0]]).softmax(-1)\ntensor([[0.3237, 0.0438, 0.5337, 0.0722, 0.0266],\n        [0.5462, 0.0448, 0.0037, 0.3313, 0.0739]])"]
    #[pyo3(name = "softmax", text_signature = "($self, dim, dtype=None)", signature = (*args, **kwargs))]
    fn op_softmax<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(220, slf, args, kwargs)
    }

    #[doc = "-1, 0 or 1, as each element is negative, zero or positive.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).sign()\ntensor([[ 1., -1.,  1.],\n        [ 1., -1.,  1.]])"]
    #[pyo3(name = "sign", text_signature = "($self)")]
    fn op_sign(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(300, slf)
    }

    #[doc = "-1, 0 or 1, as each element is negative, zero or positive. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).sign_()\ntensor([[ 1., -1.,  1.],\n        [ 1., -1.,  1.]])"]
    #[pyo3(name = "sign_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sign_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(300, slf, args, kwargs)
    }

    #[doc = "-1, 0 or 1, as each element is negative, zero or positive.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).sign()\ntensor([[ 1., -1.,  1.],\n        [ 1., -1.,  1.]])"]
    #[pyo3(name = "sgn", text_signature = "($self)")]
    fn op_sgn(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(300, slf)
    }

    #[doc = "-1, 0 or 1, as each element is negative, zero or positive. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).sign_()\ntensor([[ 1., -1.,  1.],\n        [ 1., -1.,  1.]])"]
    #[pyo3(name = "sgn_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sgn_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(300, slf, args, kwargs)
    }

    #[doc = "The largest whole number that is not above each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).floor()\ntensor([[ 1., -1.,  2.],\n        [ 4., -1.,  3.]])"]
    #[pyo3(name = "floor", text_signature = "($self)")]
    fn op_floor(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(301, slf)
    }

    #[doc = "The largest whole number that is not above each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).floor_()\ntensor([[ 1., -1.,  2.],\n        [ 4., -1.,  3.]])"]
    #[pyo3(name = "floor_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_floor_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(301, slf, args, kwargs)
    }

    #[doc = "The smallest whole number that is not below each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).ceil()\ntensor([[ 2., -0.,  2.],\n        [ 4., -1.,  3.]])"]
    #[pyo3(name = "ceil", text_signature = "($self)")]
    fn op_ceil(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(302, slf)
    }

    #[doc = "The smallest whole number that is not below each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).ceil_()\ntensor([[ 2., -0.,  2.],\n        [ 4., -1.,  3.]])"]
    #[pyo3(name = "ceil_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_ceil_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(302, slf, args, kwargs)
    }

    #[doc = "The whole number nearest to each element; of two, the even one.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).round()\ntensor([[ 2., -0.,  2.],\n        [ 4., -1.,  3.]])"]
    #[pyo3(name = "round", text_signature = "($self, decimals=None)", signature = (*args, **kwargs))]
    fn op_round<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(303, slf, args, kwargs)
    }

    #[doc = "The whole number nearest to each element; of two, the even one. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).round_()\ntensor([[ 2., -0.,  2.],\n        [ 4., -1.,  3.]])"]
    #[pyo3(name = "round_", text_signature = "($self, decimals=None)", signature = (*args, **kwargs))]
    fn op_round_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(303, slf, args, kwargs)
    }

    #[doc = "Each element without its fraction.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).trunc()\ntensor([[ 1., -0.,  2.],\n        [ 4., -1.,  3.]])"]
    #[pyo3(name = "trunc", text_signature = "($self)")]
    fn op_trunc(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(304, slf)
    }

    #[doc = "Each element without its fraction. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).trunc_()\ntensor([[ 1., -0.,  2.],\n        [ 4., -1.,  3.]])"]
    #[pyo3(name = "trunc_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_trunc_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(304, slf, args, kwargs)
    }

    #[doc = "Each element without its fraction.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).trunc()\ntensor([[ 1., -0.,  2.],\n        [ 4., -1.,  3.]])"]
    #[pyo3(name = "fix", text_signature = "($self)")]
    fn op_fix(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(304, slf)
    }

    #[doc = "Each element without its fraction. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).trunc_()\ntensor([[ 1., -0.,  2.],\n        [ 4., -1.,  3.]])"]
    #[pyo3(name = "fix_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_fix_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(304, slf, args, kwargs)
    }

    #[doc = "One over each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).reciprocal()\ntensor([[ 0.6667, -2.0000,  0.5000],\n        [ 0.2500, -1.0000,  0.3333]])"]
    #[pyo3(name = "reciprocal", text_signature = "($self)")]
    fn op_reciprocal(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(305, slf)
    }

    #[doc = "One over each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).reciprocal_()\ntensor([[ 0.6667, -2.0000,  0.5000],\n        [ 0.2500, -1.0000,  0.3333]])"]
    #[pyo3(name = "reciprocal_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_reciprocal_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(305, slf, args, kwargs)
    }

    #[doc = "One over the square root of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).rsqrt()\ntensor([[0.8165, 1.4142, 0.7071],\n        [0.5000, 1.0000, 0.5774]])"]
    #[pyo3(name = "rsqrt", text_signature = "($self)")]
    fn op_rsqrt(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(306, slf)
    }

    #[doc = "One over the square root of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).rsqrt_()\ntensor([[0.8165, 1.4142, 0.7071],\n        [0.5000, 1.0000, 0.5774]])"]
    #[pyo3(name = "rsqrt_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_rsqrt_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(306, slf, args, kwargs)
    }

    #[doc = "Each element times itself.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).square()\ntensor([[2.2500, 0.2500, 4.0000],\n        [0.0000, 1.0000, 9.0000]])"]
    #[pyo3(name = "square", text_signature = "($self)")]
    fn op_square(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(307, slf)
    }

    #[doc = "Each element times itself. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).square_()\ntensor([[2.2500, 0.2500, 4.0000],\n        [0.0000, 1.0000, 9.0000]])"]
    #[pyo3(name = "square_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_square_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(307, slf, args, kwargs)
    }

    #[doc = "exp(x) - 1 of each element, exact near zero.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).expm1()\ntensor([[ 3.4817, -0.3935,  6.3891],\n        [ 0.0000, -0.6321, 19.0855]])"]
    #[pyo3(name = "expm1", text_signature = "($self)")]
    fn op_expm1(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(308, slf)
    }

    #[doc = "exp(x) - 1 of each element, exact near zero. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).expm1_()\ntensor([[ 3.4817, -0.3935,  6.3891],\n        [ 0.0000, -0.6321, 19.0855]])"]
    #[pyo3(name = "expm1_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_expm1_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(308, slf, args, kwargs)
    }

    #[doc = "log(1 + x) of each element, exact near zero.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).log1p()\ntensor([[0.9163, 0.4055, 1.0986],\n        [1.6094, 0.6931, 1.3863]])"]
    #[pyo3(name = "log1p", text_signature = "($self)")]
    fn op_log1p(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(309, slf)
    }

    #[doc = "log(1 + x) of each element, exact near zero. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).log1p_()\ntensor([[0.9163, 0.4055, 1.0986],\n        [1.6094, 0.6931, 1.3863]])"]
    #[pyo3(name = "log1p_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_log1p_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(309, slf, args, kwargs)
    }

    #[doc = "The logarithm of each element to the base of two.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).log2()\ntensor([[ 0.5850, -1.0000,  1.0000],\n        [ 2.0000,  0.0000,  1.5850]])"]
    #[pyo3(name = "log2", text_signature = "($self)")]
    fn op_log2(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(310, slf)
    }

    #[doc = "The logarithm of each element to the base of two. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).log2_()\ntensor([[ 0.5850, -1.0000,  1.0000],\n        [ 2.0000,  0.0000,  1.5850]])"]
    #[pyo3(name = "log2_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_log2_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(310, slf, args, kwargs)
    }

    #[doc = "The sine of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).sin()\ntensor([[ 0.9975, -0.4794,  0.9093],\n        [ 0.0000, -0.8415,  0.1411]])"]
    #[pyo3(name = "sin", text_signature = "($self)")]
    fn op_sin(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(311, slf)
    }

    #[doc = "The sine of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).sin_()\ntensor([[ 0.9975, -0.4794,  0.9093],\n        [ 0.0000, -0.8415,  0.1411]])"]
    #[pyo3(name = "sin_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sin_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(311, slf, args, kwargs)
    }

    #[doc = "The cosine of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).cos()\ntensor([[ 0.0707,  0.8776, -0.4161],\n        [ 1.0000,  0.5403, -0.9900]])"]
    #[pyo3(name = "cos", text_signature = "($self)")]
    fn op_cos(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(312, slf)
    }

    #[doc = "The cosine of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).cos_()\ntensor([[ 0.0707,  0.8776, -0.4161],\n        [ 1.0000,  0.5403, -0.9900]])"]
    #[pyo3(name = "cos_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_cos_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(312, slf, args, kwargs)
    }

    #[doc = "The tangent of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).tan()\ntensor([[14.1014, -0.5463, -2.1850],\n        [ 0.0000, -1.5574, -0.1425]])"]
    #[pyo3(name = "tan", text_signature = "($self)")]
    fn op_tan(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(313, slf)
    }

    #[doc = "The tangent of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).tan_()\ntensor([[14.1014, -0.5463, -2.1850],\n        [ 0.0000, -1.5574, -0.1425]])"]
    #[pyo3(name = "tan_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_tan_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(313, slf, args, kwargs)
    }

    #[doc = "The error function of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).erf()\ntensor([[ 0.9661, -0.5205,  0.9953],\n        [ 0.0000, -0.8427,  1.0000]])"]
    #[pyo3(name = "erf", text_signature = "($self)")]
    fn op_erf(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(314, slf)
    }

    #[doc = "The error function of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).erf_()\ntensor([[ 0.9661, -0.5205,  0.9953],\n        [ 0.0000, -0.8427,  1.0000]])"]
    #[pyo3(name = "erf_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_erf_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(314, slf, args, kwargs)
    }

    #[doc = "Each element times the share of the normal distribution below it.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).gelu()\ntensor([[ 1.3998, -0.1543,  1.9545],\n        [ 0.0000, -0.1587,  2.9960]])"]
    #[pyo3(name = "gelu", text_signature = "($self, approximate=None)", signature = (*args, **kwargs))]
    fn op_gelu<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(330, slf, args, kwargs)
    }

    #[doc = "Each element times its sigmoid.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).silu()\ntensor([[ 1.2264, -0.1888,  1.7616],\n        [ 0.0000, -0.2689,  2.8577]])"]
    #[pyo3(name = "silu", text_signature = "($self)")]
    fn op_silu(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(331, slf)
    }

    #[doc = "log(1 + exp(beta x)) / beta of each element; x itself above the threshold.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).softplus()\ntensor([[1.7014, 0.4741, 2.1269],\n        [0.6931, 0.3133, 3.0486]])"]
    #[pyo3(name = "softplus", text_signature = "($self, beta=1.0, threshold=20.0)", signature = (*args, **kwargs))]
    fn op_softplus<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(332, slf, args, kwargs)
    }

    #[doc = "Each element, or a small part of it where it is negative.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).leaky_relu()\ntensor([[ 1.5000, -0.0050,  2.0000],\n        [ 4.0000, -0.0100,  3.0000]])"]
    #[pyo3(name = "leaky_relu", text_signature = "($self, negative_slope=0.01)", signature = (*args, **kwargs))]
    fn op_leaky_relu<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(333, slf, args, kwargs)
    }

    #[doc = "Each element, or alpha (exp(x) - 1) where it is negative.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).elu()\ntensor([[ 1.5000, -0.3935,  2.0000],\n        [ 4.0000, -0.6321,  3.0000]])"]
    #[pyo3(name = "elu", text_signature = "($self, alpha=1.0)", signature = (*args, **kwargs))]
    fn op_elu<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(334, slf, args, kwargs)
    }

    #[doc = "Whether each element is not a number.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).isnan()\ntensor([[False, False, False],\n        [False, False, False]])"]
    #[pyo3(name = "isnan", text_signature = "($self)")]
    fn op_isnan(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(350, slf)
    }

    #[doc = "Whether each element is infinite.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).isinf()\ntensor([[False, False, False],\n        [False, False, False]])"]
    #[pyo3(name = "isinf", text_signature = "($self)")]
    fn op_isinf(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(351, slf)
    }

    #[doc = "Whether each element is a number and finite.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).isfinite()\ntensor([[True, True, True],\n        [True, True, True]])"]
    #[pyo3(name = "isfinite", text_signature = "($self)")]
    fn op_isfinite(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(352, slf)
    }

    #[doc = "Whether each element is zero.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).logical_not()\ntensor([[False, False, False],\n        [ True, False, False]])"]
    #[pyo3(name = "logical_not", text_signature = "($self)")]
    fn op_logical_not(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(353, slf)
    }

    #[doc = "Whether both elements are not zero.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).logical_and(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ True,  True,  True],\n        [False,  True,  True]])"]
    #[pyo3(name = "logical_and", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_logical_and<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(354, slf, args, kwargs)
    }

    #[doc = "Whether one of two elements is not zero.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).logical_or(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[True, True, True],\n        [True, True, True]])"]
    #[pyo3(name = "logical_or", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_logical_or<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(355, slf, args, kwargs)
    }

    #[doc = "Whether exactly one of two elements is not zero.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).logical_xor(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[False, False, False],\n        [ True, False, False]])"]
    #[pyo3(name = "logical_xor", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_logical_xor<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(356, slf, args, kwargs)
    }

    #[doc = "The bits that both elements have.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_and(gt.tensor([1, 3, 0]))\ntensor([[1, 3, 0],\n        [1, 0, 0]])"]
    #[pyo3(name = "bitwise_and", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_and<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(357, slf, args, kwargs)
    }

    #[doc = "The bits that both elements have. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_and_(gt.tensor([1, 3, 0]))\ntensor([[1, 3, 0],\n        [1, 0, 0]])"]
    #[pyo3(name = "bitwise_and_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_and_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(357, slf, args, kwargs)
    }

    fn __and__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(357, slf, other)
    }

    fn __rand__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(357, slf, other)
    }

    fn __iand__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(357, slf, other)
    }

    #[doc = "The bits that one of two elements has.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_or(gt.tensor([1, 3, 0]))\ntensor([[1, 3, 5],\n        [7, 3, 2]])"]
    #[pyo3(name = "bitwise_or", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_or<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(358, slf, args, kwargs)
    }

    #[doc = "The bits that one of two elements has. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_or_(gt.tensor([1, 3, 0]))\ntensor([[1, 3, 5],\n        [7, 3, 2]])"]
    #[pyo3(name = "bitwise_or_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_or_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(358, slf, args, kwargs)
    }

    fn __or__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(358, slf, other)
    }

    fn __ror__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(358, slf, other)
    }

    fn __ior__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(358, slf, other)
    }

    #[doc = "The bits that exactly one of two elements has.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_xor(gt.tensor([1, 3, 0]))\ntensor([[0, 0, 5],\n        [6, 3, 2]])"]
    #[pyo3(name = "bitwise_xor", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_xor<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(359, slf, args, kwargs)
    }

    #[doc = "The bits that exactly one of two elements has. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_xor_(gt.tensor([1, 3, 0]))\ntensor([[0, 0, 5],\n        [6, 3, 2]])"]
    #[pyo3(name = "bitwise_xor_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_xor_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(359, slf, args, kwargs)
    }

    fn __xor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(359, slf, other)
    }

    fn __rxor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(359, slf, other)
    }

    fn __ixor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(359, slf, other)
    }

    #[doc = "The other bits of each element; the other truth of booleans.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_not()\ntensor([[-2, -4, -6],\n        [-8, -1, -3]])"]
    #[pyo3(name = "bitwise_not", text_signature = "($self)")]
    fn op_bitwise_not(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(360, slf)
    }

    #[doc = "The other bits of each element; the other truth of booleans. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_not_()\ntensor([[-2, -4, -6],\n        [-8, -1, -3]])"]
    #[pyo3(name = "bitwise_not_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_bitwise_not_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(360, slf, args, kwargs)
    }

    fn __invert__(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(360, slf)
    }

    #[doc = "The bits of each element moved up.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_left_shift(gt.tensor([1, 3, 0]))\ntensor([[ 2, 24,  5],\n        [14,  0,  2]])"]
    #[pyo3(name = "bitwise_left_shift", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_left_shift<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(361, slf, args, kwargs)
    }

    #[doc = "The bits of each element moved up. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_left_shift_(gt.tensor([1, 3, 0]))\ntensor([[ 2, 24,  5],\n        [14,  0,  2]])"]
    #[pyo3(name = "bitwise_left_shift_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_left_shift_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(361, slf, args, kwargs)
    }

    fn __lshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(361, slf, other)
    }

    fn __rlshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(361, slf, other)
    }

    fn __ilshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(361, slf, other)
    }

    #[doc = "The bits of each element moved down.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_right_shift(gt.tensor([1, 3, 0]))\ntensor([[0, 0, 5],\n        [3, 0, 2]])"]
    #[pyo3(name = "bitwise_right_shift", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_right_shift<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(362, slf, args, kwargs)
    }

    #[doc = "The bits of each element moved down. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1, 3, 5], [7, 0, 2]]).bitwise_right_shift_(gt.tensor([1, 3, 0]))\ntensor([[0, 0, 5],\n        [3, 0, 2]])"]
    #[pyo3(name = "bitwise_right_shift_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_right_shift_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(362, slf, args, kwargs)
    }

    fn __rshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(362, slf, other)
    }

    fn __rrshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(362, slf, other)
    }

    fn __irshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(362, slf, other)
    }

    #[doc = "The quotient of two elements, rounded down.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).floor_divide(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[6., 0., 0.],\n        [5., 0., 0.]])"]
    #[pyo3(name = "floor_divide", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_floor_divide<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(380, slf, args, kwargs)
    }

    #[doc = "The quotient of two elements, rounded down. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).floor_divide_(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[6., 0., 0.],\n        [5., 0., 0.]])"]
    #[pyo3(name = "floor_divide_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_floor_divide_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(380, slf, args, kwargs)
    }

    fn __floordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(380, slf, other)
    }

    fn __rfloordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(380, slf, other)
    }

    fn __ifloordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(380, slf, other)
    }

    #[doc = "What is left of a division rounded down; it has the sign of the divisor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).remainder(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[ 0.0000, -0.5000,  2.0000],\n        [ 0.2500, -1.0000,  3.0000]])"]
    #[pyo3(name = "remainder", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_remainder<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(381, slf, args, kwargs)
    }

    #[doc = "What is left of a division rounded down; it has the sign of the divisor. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).remainder_(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[ 0.0000, -0.5000,  2.0000],\n        [ 0.2500, -1.0000,  3.0000]])"]
    #[pyo3(name = "remainder_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_remainder_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(381, slf, args, kwargs)
    }

    fn __mod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        binary(381, slf, other)
    }

    fn __rmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        reflected(381, slf, other)
    }

    fn __imod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<()> {
        in_place(381, slf, other)
    }

    #[doc = "What is left of a division cut towards zero; it has the sign of the dividend.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).fmod(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[ 0.0000, -0.5000,  2.0000],\n        [ 0.2500, -1.0000,  3.0000]])"]
    #[pyo3(name = "fmod", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_fmod<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(382, slf, args, kwargs)
    }

    #[doc = "What is left of a division cut towards zero; it has the sign of the dividend. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).fmod_(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[ 0.0000, -0.5000,  2.0000],\n        [ 0.2500, -1.0000,  3.0000]])"]
    #[pyo3(name = "fmod_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_fmod_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(382, slf, args, kwargs)
    }

    #[doc = "Each element, or the nearer limit where it is beyond one.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 4.0], [-1.0, 3.0, 0.25, -2.5], [3.5, 0.75, -5.0, 6.0]]).clamp(min=-0.5, max=0.75)\ntensor([[ 0.7500, -0.5000,  0.7500,  0.7500],\n        [-0.5000,  0.7500,  0.2500, -0.5000],\n        [ 0.7500,  0.7500, -0.5000,  0.7500]])"]
    #[pyo3(name = "clamp", text_signature = "($self, min=None, max=None)", signature = (*args, **kwargs))]
    fn op_clamp<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(384, slf, args, kwargs)
    }

    #[doc = "Each element, or the nearer limit where it is beyond one. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 4.0], [-1.0, 3.0, 0.25, -2.5], [3.5, 0.75, -5.0, 6.0]]).clamp_(min=-0.5, max=0.75)\ntensor([[ 0.7500, -0.5000,  0.7500,  0.7500],\n        [-0.5000,  0.7500,  0.2500, -0.5000],\n        [ 0.7500,  0.7500, -0.5000,  0.7500]])"]
    #[pyo3(name = "clamp_", text_signature = "($self, min=None, max=None)", signature = (*args, **kwargs))]
    fn op_clamp_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(384, slf, args, kwargs)
    }

    #[doc = "Each element, or the nearer limit where it is beyond one.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 4.0], [-1.0, 3.0, 0.25, -2.5], [3.5, 0.75, -5.0, 6.0]]).clamp(min=-0.5, max=0.75)\ntensor([[ 0.7500, -0.5000,  0.7500,  0.7500],\n        [-0.5000,  0.7500,  0.2500, -0.5000],\n        [ 0.7500,  0.7500, -0.5000,  0.7500]])"]
    #[pyo3(name = "clip", text_signature = "($self, min=None, max=None)", signature = (*args, **kwargs))]
    fn op_clip<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(384, slf, args, kwargs)
    }

    #[doc = "Each element, or the nearer limit where it is beyond one. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 4.0], [-1.0, 3.0, 0.25, -2.5], [3.5, 0.75, -5.0, 6.0]]).clamp_(min=-0.5, max=0.75)\ntensor([[ 0.7500, -0.5000,  0.7500,  0.7500],\n        [-0.5000,  0.7500,  0.2500, -0.5000],\n        [ 0.7500,  0.7500, -0.5000,  0.7500]])"]
    #[pyo3(name = "clip_", text_signature = "($self, min=None, max=None)", signature = (*args, **kwargs))]
    fn op_clip_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(384, slf, args, kwargs)
    }

    #[doc = "input + weight (end - input), element by element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).lerp(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), gt.tensor([1.5, -0.5, 2.0]))\ntensor([[ 0.0000,  0.2500,  3.0000],\n        [ 1.5000, -0.7500,  5.0000]])"]
    #[pyo3(name = "lerp", text_signature = "($self, end, weight)", signature = (*args, **kwargs))]
    fn op_lerp<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(385, slf, args, kwargs)
    }

    #[doc = "input + weight (end - input), element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).lerp_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), gt.tensor([1.5, -0.5, 2.0]))\ntensor([[ 0.0000,  0.2500,  3.0000],\n        [ 1.5000, -0.7500,  5.0000]])"]
    #[pyo3(name = "lerp_", text_signature = "($self, end, weight)", signature = (*args, **kwargs))]
    fn op_lerp_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(385, slf, args, kwargs)
    }

    #[doc = "input + value tensor1 tensor2, element by element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).addcmul(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), gt.tensor([1.5, -0.5, 2.0]), value=0.5)\ntensor([[ 1.8750,  0.0000,  4.5000],\n        [ 0.7500, -0.6250,  7.0000]])"]
    #[pyo3(name = "addcmul", text_signature = "($self, tensor1, tensor2, value=1)", signature = (*args, **kwargs))]
    fn op_addcmul<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(386, slf, args, kwargs)
    }

    #[doc = "input + value tensor1 tensor2, element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).addcmul_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), gt.tensor([1.5, -0.5, 2.0]), value=0.5)\ntensor([[ 1.8750,  0.0000,  4.5000],\n        [ 0.7500, -0.6250,  7.0000]])"]
    #[pyo3(name = "addcmul_", text_signature = "($self, tensor1, tensor2, value=1)", signature = (*args, **kwargs))]
    fn op_addcmul_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(386, slf, args, kwargs)
    }

    #[doc = "The tensor with a number where the mask holds.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).masked_fill(gt.tensor([[True, False, True], [False, True, False]]), 0.5)\ntensor([[ 0.5000, -0.5000,  0.5000],\n        [ 0.0000,  0.5000,  3.0000]])"]
    #[pyo3(name = "masked_fill", text_signature = "($self, mask, value)", signature = (*args, **kwargs))]
    fn op_masked_fill<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(387, slf, args, kwargs)
    }

    #[doc = "The tensor with a number where the mask holds. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).masked_fill_(gt.tensor([[True, False, True], [False, True, False]]), 0.5)\ntensor([[ 0.5000, -0.5000,  0.5000],\n        [ 0.0000,  0.5000,  3.0000]])"]
    #[pyo3(name = "masked_fill_", text_signature = "($self, mask, value)", signature = (*args, **kwargs))]
    fn op_masked_fill_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(387, slf, args, kwargs)
    }

    #[doc = "Each element, or the limit where it is below.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).clamp_min(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.5000, -0.5000,  2.5000],\n        [ 1.0000, -1.0000,  4.0000]])"]
    #[pyo3(name = "clamp_min", text_signature = "($self, min)", signature = (*args, **kwargs))]
    fn op_clamp_min<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(389, slf, args, kwargs)
    }

    #[doc = "Each element, or the limit where it is below. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).clamp_min_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.5000, -0.5000,  2.5000],\n        [ 1.0000, -1.0000,  4.0000]])"]
    #[pyo3(name = "clamp_min_", text_signature = "($self, min)", signature = (*args, **kwargs))]
    fn op_clamp_min_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(389, slf, args, kwargs)
    }

    #[doc = "Each element, or the limit where it is above.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).clamp_max(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 0.5000, -2.0000,  2.0000],\n        [ 0.0000, -1.5000,  3.0000]])"]
    #[pyo3(name = "clamp_max", text_signature = "($self, max)", signature = (*args, **kwargs))]
    fn op_clamp_max<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(390, slf, args, kwargs)
    }

    #[doc = "Each element, or the limit where it is above. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).clamp_max_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 0.5000, -2.0000,  2.0000],\n        [ 0.0000, -1.5000,  3.0000]])"]
    #[pyo3(name = "clamp_max_", text_signature = "($self, max)", signature = (*args, **kwargs))]
    fn op_clamp_max_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(390, slf, args, kwargs)
    }

    #[doc = "The product of the elements along axes, or of all.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).prod()\ntensor(18.)"]
    #[pyo3(name = "prod", text_signature = "($self, dim=None, keepdim=False, dtype=None)", signature = (*args, **kwargs))]
    fn op_prod<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(400, slf, args, kwargs)
    }

    #[doc = "Whether an element along axes, or of all, is not zero.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]).any(dim=(0,), keepdim=True)\ntensor([[True, True]])"]
    #[pyo3(name = "any", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_any<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(401, slf, args, kwargs)
    }

    #[doc = "Whether no element along axes, or of all, is zero.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]).all(dim=(0,), keepdim=True)\ntensor([[ True, False]])"]
    #[pyo3(name = "all", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_all<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(402, slf, args, kwargs)
    }

    #[doc = "Where the largest element is along an axis, or among all.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).argmax()\ntensor(11)"]
    #[pyo3(name = "argmax", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_argmax<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(403, slf, args, kwargs)
    }

    #[doc = "Where the smallest element is along an axis, or among all.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).argmin()\ntensor(7)"]
    #[pyo3(name = "argmin", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_argmin<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(404, slf, args, kwargs)
    }

    #[doc = "The mean square distance of the elements from their mean.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).var()\ntensor(3.5208)"]
    #[pyo3(name = "var", text_signature = "($self, dim=None, correction=1, keepdim=False)", signature = (*args, **kwargs))]
    fn op_var<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(405, slf, args, kwargs)
    }

    #[doc = "The square root of the mean square distance of the elements from their mean.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).std()\ntensor(1.8764)"]
    #[pyo3(name = "std", text_signature = "($self, dim=None, correction=1, keepdim=False)", signature = (*args, **kwargs))]
    fn op_std<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(406, slf, args, kwargs)
    }

    #[doc = "The length of the elements along axes, or of all: the p-th root of their p-th powers.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 4.0], [-1.0, 3.0, 0.25, -2.5], [3.5, 0.75, -5.0, 6.0]]).norm()\ntensor(10.6125)"]
    #[pyo3(name = "norm", text_signature = "($self, p=2.0, dim=None, keepdim=False, dtype=None)", signature = (*args, **kwargs))]
    fn op_norm<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(407, slf, args, kwargs)
    }

    #[doc = "The logarithm of the sum of the exponentials along axes.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).logsumexp((1,))\ntensor([2.6010, 3.1018, 4.2445])"]
    #[pyo3(name = "logsumexp", text_signature = "($self, dim, keepdim=False)", signature = (*args, **kwargs))]
    fn op_logsumexp<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(408, slf, args, kwargs)
    }

    #[doc = "The sum of each element and those before it along an axis.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).cumsum(0)\ntensor([[ 1.5000, -0.5000,  2.0000,  0.0000],\n        [ 0.5000,  2.5000,  2.5000, -2.0000],\n        [ 3.0000,  3.5000,  1.0000,  2.0000]])"]
    #[pyo3(name = "cumsum", text_signature = "($self, dim, dtype=None)", signature = (*args, **kwargs))]
    fn op_cumsum<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(409, slf, args, kwargs)
    }

    #[doc = "The product of each element and those before it along an axis.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 4.0], [-1.0, 3.0, 0.25, -2.5], [3.5, 0.75, -5.0, 6.0]]).cumprod(0)\ntensor([[  1.5000,  -0.5000,   2.0000,   4.0000],\n        [ -1.5000,  -1.5000,   0.5000, -10.0000],\n        [ -5.2500,  -1.1250,  -2.5000, -60.0000]])"]
    #[pyo3(name = "cumprod", text_signature = "($self, dim, dtype=None)", signature = (*args, **kwargs))]
    fn op_cumprod<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(410, slf, args, kwargs)
    }

    #[doc = "The tensor so many times along each axis; there may be more axes than it has.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).repeat((2, 1))\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000],\n        [ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000]])"]
    #[pyo3(name = "repeat", text_signature = "($self, repeats)", signature = (*args, **kwargs))]
    fn op_repeat<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(420, slf, args, kwargs)
    }

    #[doc = "The tensor so many times along each of its last axes.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).tile((2,))\ntensor([[ 1.5000, -0.5000,  2.0000,  1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000,  0.0000, -1.0000,  3.0000]])"]
    #[pyo3(name = "tile", text_signature = "($self, dims)", signature = (*args, **kwargs))]
    fn op_tile<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(421, slf, args, kwargs)
    }

    #[doc = "The tensor with the elements along axes in the opposite order.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0, 0.0]).flip((0,))\ntensor([ 0.0000,  2.0000, -0.5000,  1.5000])"]
    #[pyo3(name = "flip", text_signature = "($self, dims)", signature = (*args, **kwargs))]
    fn op_flip<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(422, slf, args, kwargs)
    }

    #[doc = "The tensor with the elements along the second axis in the opposite order.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).fliplr()\ntensor([[ 2.0000, -0.5000,  1.5000],\n        [ 3.0000, -1.0000,  0.0000]])"]
    #[pyo3(name = "fliplr", text_signature = "($self)")]
    fn op_fliplr(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(423, slf)
    }

    #[doc = "The tensor with the elements along the first axis in the opposite order.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).flipud()\ntensor([[ 0.0000, -1.0000,  3.0000],\n        [ 1.5000, -0.5000,  2.0000]])"]
    #[pyo3(name = "flipud", text_signature = "($self)")]
    fn op_flipud(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(424, slf)
    }

    #[doc = "The elements moved along axes, or among all; what leaves at the end comes in again.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0]).roll((2,), dims=(0,))\ntensor([ 0.0000, -1.0000,  1.5000, -0.5000,  2.0000])"]
    #[pyo3(name = "roll", text_signature = "($self, shifts, dims=None)", signature = (*args, **kwargs))]
    fn op_roll<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(425, slf, args, kwargs)
    }

    #[doc = "The tensor turned k times by a right angle, from the first of two axes to the second.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).rot90()\ntensor([[ 2.0000,  3.0000],\n        [-0.5000, -1.0000],\n        [ 1.5000,  0.0000]])"]
    #[pyo3(name = "rot90", text_signature = "($self, k=1, dims=None)", signature = (*args, **kwargs))]
    fn op_rot90<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(426, slf, args, kwargs)
    }

    #[doc = "The matrix with zeros above a diagonal.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5]]).tril()\ntensor([[ 1.5000,  0.0000,  0.0000],\n        [ 0.0000, -1.0000,  0.0000],\n        [ 0.5000, -2.0000,  2.5000]])"]
    #[pyo3(name = "tril", text_signature = "($self, diagonal=0)", signature = (*args, **kwargs))]
    fn op_tril<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(431, slf, args, kwargs)
    }

    #[doc = "The matrix with zeros above a diagonal. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5]]).tril_()\ntensor([[ 1.5000,  0.0000,  0.0000],\n        [ 0.0000, -1.0000,  0.0000],\n        [ 0.5000, -2.0000,  2.5000]])"]
    #[pyo3(name = "tril_", text_signature = "($self, diagonal=0)", signature = (*args, **kwargs))]
    fn op_tril_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(431, slf, args, kwargs)
    }

    #[doc = "The matrix with zeros below a diagonal.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5]]).triu()\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000],\n        [ 0.0000,  0.0000,  2.5000]])"]
    #[pyo3(name = "triu", text_signature = "($self, diagonal=0)", signature = (*args, **kwargs))]
    fn op_triu<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(432, slf, args, kwargs)
    }

    #[doc = "The matrix with zeros below a diagonal. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5]]).triu_()\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000],\n        [ 0.0000,  0.0000,  2.5000]])"]
    #[pyo3(name = "triu_", text_signature = "($self, diagonal=0)", signature = (*args, **kwargs))]
    fn op_triu_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(432, slf, args, kwargs)
    }

    #[doc = "The diagonal of a matrix, or the matrix with a vector as its diagonal.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0]).diag()\ntensor([[ 1.5000,  0.0000,  0.0000],\n        [ 0.0000, -0.5000,  0.0000],\n        [ 0.0000,  0.0000,  2.0000]])"]
    #[pyo3(name = "diag", text_signature = "($self, diagonal=0)", signature = (*args, **kwargs))]
    fn op_diag<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(433, slf, args, kwargs)
    }

    #[doc = "The sum of a matrix's diagonal.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5]]).trace()\ntensor(3.)"]
    #[pyo3(name = "trace", text_signature = "($self)")]
    fn op_trace(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(434, slf)
    }

    #[doc = "The tensor with some axes that follow each other as one.\n\n>>> import gt\n>>> gt.tensor(1.5).flatten()\ntensor([1.5000])"]
    #[pyo3(name = "flatten", text_signature = "($self, start_dim=0, end_dim=-1)", signature = (*args, **kwargs))]
    fn op_flatten<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(435, slf, args, kwargs)
    }

    #[doc = "The tensor with one axis as several; one size may be -1.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0, 3.0]).unflatten(0, (2, 3))\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000]])"]
    #[pyo3(name = "unflatten", text_signature = "($self, dim, sizes)", signature = (*args, **kwargs))]
    fn op_unflatten<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(436, slf, args, kwargs)
    }

    #[doc = "So many elements along an axis, from a position on.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0]).narrow(0, 1, 3)\ntensor([-0.5000,  2.0000,  0.0000])"]
    #[pyo3(name = "narrow", text_signature = "($self, dim, start, length)", signature = (*args, **kwargs))]
    fn op_narrow<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(437, slf, args, kwargs)
    }

    #[doc = "The tensor with some axes at other places, the others in their order.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0]).movedim((0,), (0,))\ntensor([ 1.5000, -0.5000,  2.0000])"]
    #[pyo3(name = "movedim", text_signature = "($self, source, destination)", signature = (*args, **kwargs))]
    fn op_movedim<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(438, slf, args, kwargs)
    }

    #[doc = "The tensor with some axes at other places, the others in their order.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0]).movedim((0,), (0,))\ntensor([ 1.5000, -0.5000,  2.0000])"]
    #[pyo3(name = "moveaxis", text_signature = "($self, source, destination)", signature = (*args, **kwargs))]
    fn op_moveaxis<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(438, slf, args, kwargs)
    }

    #[doc = "The tensor repeated along axes of size one until it has this shape.\n\n>>> import gt\n>>> gt.tensor([[1.5], [-0.5]]).broadcast_to((2, 3))\ntensor([[ 1.5000,  1.5000,  1.5000],\n        [-0.5000, -0.5000, -0.5000]])"]
    #[pyo3(name = "broadcast_to", text_signature = "($self, shape)", signature = (*args, **kwargs))]
    fn op_broadcast_to<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(439, slf, args, kwargs)
    }

    #[doc = "One with the probability that each element says, or p, else zero.\n\n>>> import gt\n>>> gt.tensor([0.5, 0.25, 0.75]).bernoulli(p=0.25).shape\n(3,)"]
    #[pyo3(name = "bernoulli", text_signature = "($self, p=None)", signature = (*args, **kwargs))]
    fn op_bernoulli<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(451, slf, args, kwargs)
    }

    #[doc = "Random numbers evenly between two numbers, in the shape of the tensor. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0]).uniform_(low=-2.0, to=3.0).shape\n(3,)"]
    #[pyo3(name = "uniform_", text_signature = "($self, low=0.0, to=1.0)", signature = (*args, **kwargs))]
    fn op_uniform_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(452, slf, args, kwargs)
    }

    #[doc = "Random numbers with a mean and a standard deviation, in the shape of the tensor. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0]).normal_(mean=-2.0, std=3.0).shape\n(3,)"]
    #[pyo3(name = "normal_", text_signature = "($self, mean=0.0, std=1.0)", signature = (*args, **kwargs))]
    fn op_normal_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(453, slf, args, kwargs)
    }

    #[doc = "Random positions along the last axis, each as likely as its weight says.\n\n>>> import gt\n>>> gt.tensor([1.5, 0.5, 2.0, 4.0]).multinomial(3).shape\n(3,)"]
    #[pyo3(name = "multinomial", text_signature = "($self, num_samples, replacement=False)", signature = (*args, **kwargs))]
    fn op_multinomial<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(454, slf, args, kwargs)
    }

    #[doc = "The product of two matrices.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).mm(gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0]]))\ntensor([[ -0.7500,   5.2500],\n        [  3.0000,   6.0000],\n        [  9.2500, -13.7500]])"]
    #[pyo3(name = "mm", text_signature = "($self, mat2)", signature = (*args, **kwargs))]
    fn op_mm<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(456, slf, args, kwargs)
    }

    #[doc = "The products of the matrices in two stacks of the same height.\n\n>>> import gt\n>>> gt.tensor([[[1.5, -0.5], [2.0, 0.0]]]).bmm(gt.tensor([[[-1.0], [3.0]]]))\ntensor([[[-3.],\n         [-2.]]])"]
    #[pyo3(name = "bmm", text_signature = "($self, mat2)", signature = (*args, **kwargs))]
    fn op_bmm<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(457, slf, args, kwargs)
    }

    #[doc = "The product of a matrix and a vector.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).mv(gt.tensor([1.5, -0.5, 2.0, 0.0]))\ntensor([ 6.5000, -2.0000,  0.2500])"]
    #[pyo3(name = "mv", text_signature = "($self, vec)", signature = (*args, **kwargs))]
    fn op_mv<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(458, slf, args, kwargs)
    }

    #[doc = "The sum of the products of two vectors' elements.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0, 0.0]).dot(gt.tensor([-1.0, 3.0, 0.5, -2.0]))\ntensor(-2.)"]
    #[pyo3(name = "dot", text_signature = "($self, tensor)", signature = (*args, **kwargs))]
    fn op_dot<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(459, slf, args, kwargs)
    }

    #[doc = "The sum of the products of two vectors' elements.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0, 0.0]).dot(gt.tensor([-1.0, 3.0, 0.5, -2.0]))\ntensor(-2.)"]
    #[pyo3(name = "vdot", text_signature = "($self, tensor)", signature = (*args, **kwargs))]
    fn op_vdot<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(459, slf, args, kwargs)
    }

    #[doc = "The product of each element of a vector with each of another.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0]).outer(gt.tensor([0.0, -1.0, 3.0, 0.5]))\ntensor([[ 0.0000, -1.5000,  4.5000,  0.7500],\n        [-0.0000,  0.5000, -1.5000, -0.2500],\n        [ 0.0000, -2.0000,  6.0000,  1.0000]])"]
    #[pyo3(name = "outer", text_signature = "($self, vec2)", signature = (*args, **kwargs))]
    fn op_outer<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(460, slf, args, kwargs)
    }

    #[doc = "The product of each element of a vector with each of another.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0]).outer(gt.tensor([0.0, -1.0, 3.0, 0.5]))\ntensor([[ 0.0000, -1.5000,  4.5000,  0.7500],\n        [-0.0000,  0.5000, -1.5000, -0.2500],\n        [ 0.0000, -2.0000,  6.0000,  1.0000]])"]
    #[pyo3(name = "ger", text_signature = "($self, vec2)", signature = (*args, **kwargs))]
    fn op_ger<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(460, slf, args, kwargs)
    }

    #[doc = "The sums of products along the last axis of each of two tensors.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0, 0.0]).inner(gt.tensor([-1.0, 3.0, 0.5, -2.0]))\ntensor(-2.)"]
    #[pyo3(name = "inner", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_inner<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(461, slf, args, kwargs)
    }

    #[doc = "beta input + alpha (mat1 @ mat2), for matrices.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0]]).addmm(gt.tensor([[0.5, -2.0, 2.5, 1.0], [-1.5, 4.0, 1.5, -0.5], [2.0, 0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0], [2.5, 1.0], [-1.5, 4.0], [1.5, -0.5]]))\ntensor([[-5.5000,  6.0000],\n        [ 8.2500, 13.2500],\n        [ 6.0000, -6.5000]])"]
    #[pyo3(name = "addmm", text_signature = "($self, mat1, mat2, beta=1, alpha=1)", signature = (*args, **kwargs))]
    fn op_addmm<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(462, slf, args, kwargs)
    }

    #[doc = "beta input + alpha (mat1 @ mat2), for matrices. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0]]).addmm_(gt.tensor([[0.5, -2.0, 2.5, 1.0], [-1.5, 4.0, 1.5, -0.5], [2.0, 0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0], [2.5, 1.0], [-1.5, 4.0], [1.5, -0.5]]))\ntensor([[-5.5000,  6.0000],\n        [ 8.2500, 13.2500],\n        [ 6.0000, -6.5000]])"]
    #[pyo3(name = "addmm_", text_signature = "($self, mat1, mat2, beta=1, alpha=1)", signature = (*args, **kwargs))]
    fn op_addmm_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(462, slf, args, kwargs)
    }

    #[doc = "beta input + alpha (batch1 @ batch2), for stacks of matrices.\n\n>>> import gt\n>>> gt.tensor([[[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0]], [[0.5, -2.0], [2.5, 1.0], [-1.5, 4.0]]]).baddbmm(gt.ones(2, 3, 4), gt.ones(2, 4, 2))\ntensor([[[5.5000, 3.5000],\n         [6.0000, 4.0000],\n         [3.0000, 7.0000]],\n<BLANKLINE>\n        [[4.5000, 2.0000],\n         [6.5000, 5.0000],\n         [2.5000, 8.0000]]])"]
    #[pyo3(name = "baddbmm", text_signature = "($self, batch1, batch2, beta=1, alpha=1)", signature = (*args, **kwargs))]
    fn op_baddbmm<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(463, slf, args, kwargs)
    }

    #[doc = "beta input + alpha (batch1 @ batch2), for stacks of matrices. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0]], [[0.5, -2.0], [2.5, 1.0], [-1.5, 4.0]]]).baddbmm_(gt.ones(2, 3, 4), gt.ones(2, 4, 2))\ntensor([[[5.5000, 3.5000],\n         [6.0000, 4.0000],\n         [3.0000, 7.0000]],\n<BLANKLINE>\n        [[4.5000, 2.0000],\n         [6.5000, 5.0000],\n         [2.5000, 8.0000]]])"]
    #[pyo3(name = "baddbmm_", text_signature = "($self, batch1, batch2, beta=1, alpha=1)", signature = (*args, **kwargs))]
    fn op_baddbmm_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(463, slf, args, kwargs)
    }

    #[doc = "The logarithm of each element to the base of ten.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).log10()\ntensor([[ 0.1761, -0.3010,  0.3010],\n        [ 0.6021,  0.0000,  0.4771]])"]
    #[pyo3(name = "log10", text_signature = "($self)")]
    fn op_log10(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(465, slf)
    }

    #[doc = "The logarithm of each element to the base of ten. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).log10_()\ntensor([[ 0.1761, -0.3010,  0.3010],\n        [ 0.6021,  0.0000,  0.4771]])"]
    #[pyo3(name = "log10_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_log10_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(465, slf, args, kwargs)
    }

    #[doc = "Two to the power of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).exp2()\ntensor([[2.8284, 0.7071, 4.0000],\n        [1.0000, 0.5000, 8.0000]])"]
    #[pyo3(name = "exp2", text_signature = "($self)")]
    fn op_exp2(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(466, slf)
    }

    #[doc = "Two to the power of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).exp2_()\ntensor([[2.8284, 0.7071, 4.0000],\n        [1.0000, 0.5000, 8.0000]])"]
    #[pyo3(name = "exp2_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_exp2_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(466, slf, args, kwargs)
    }

    #[doc = "One less the error function of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).erfc()\ntensor([[3.3895e-02, 1.5205e+00, 4.6777e-03],\n        [1.0000e+00, 1.8427e+00, 2.2113e-05]])"]
    #[pyo3(name = "erfc", text_signature = "($self)")]
    fn op_erfc(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(467, slf)
    }

    #[doc = "One less the error function of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).erfc_()\ntensor([[3.3895e-02, 1.5205e+00, 4.6777e-03],\n        [1.0000e+00, 1.8427e+00, 2.2113e-05]])"]
    #[pyo3(name = "erfc_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_erfc_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(467, slf, args, kwargs)
    }

    #[doc = "The fraction of each element, with its sign.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).frac()\ntensor([[ 0.5000, -0.5000,  0.0000],\n        [ 0.0000,  0.0000,  0.0000]])"]
    #[pyo3(name = "frac", text_signature = "($self)")]
    fn op_frac(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(468, slf)
    }

    #[doc = "The fraction of each element, with its sign. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).frac_()\ntensor([[ 0.5000, -0.5000,  0.0000],\n        [ 0.0000,  0.0000,  0.0000]])"]
    #[pyo3(name = "frac_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_frac_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(468, slf, args, kwargs)
    }

    #[doc = "The hyperbolic sine of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).sinh()\ntensor([[ 2.1293, -0.5211,  3.6269],\n        [ 0.0000, -1.1752, 10.0179]])"]
    #[pyo3(name = "sinh", text_signature = "($self)")]
    fn op_sinh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(470, slf)
    }

    #[doc = "The hyperbolic sine of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).sinh_()\ntensor([[ 2.1293, -0.5211,  3.6269],\n        [ 0.0000, -1.1752, 10.0179]])"]
    #[pyo3(name = "sinh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sinh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(470, slf, args, kwargs)
    }

    #[doc = "The hyperbolic cosine of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).cosh()\ntensor([[ 2.3524,  1.1276,  3.7622],\n        [ 1.0000,  1.5431, 10.0677]])"]
    #[pyo3(name = "cosh", text_signature = "($self)")]
    fn op_cosh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(471, slf)
    }

    #[doc = "The hyperbolic cosine of each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).cosh_()\ntensor([[ 2.3524,  1.1276,  3.7622],\n        [ 1.0000,  1.5431, 10.0677]])"]
    #[pyo3(name = "cosh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_cosh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(471, slf, args, kwargs)
    }

    #[doc = "The number whose hyperbolic sine is each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).asinh()\ntensor([[ 1.1948, -0.4812,  1.4436],\n        [ 0.0000, -0.8814,  1.8184]])"]
    #[pyo3(name = "asinh", text_signature = "($self)")]
    fn op_asinh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(472, slf)
    }

    #[doc = "The number whose hyperbolic sine is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).asinh_()\ntensor([[ 1.1948, -0.4812,  1.4436],\n        [ 0.0000, -0.8814,  1.8184]])"]
    #[pyo3(name = "asinh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_asinh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(472, slf, args, kwargs)
    }

    #[doc = "The number whose hyperbolic sine is each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).asinh()\ntensor([[ 1.1948, -0.4812,  1.4436],\n        [ 0.0000, -0.8814,  1.8184]])"]
    #[pyo3(name = "arcsinh", text_signature = "($self)")]
    fn op_arcsinh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(472, slf)
    }

    #[doc = "The number whose hyperbolic sine is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).asinh_()\ntensor([[ 1.1948, -0.4812,  1.4436],\n        [ 0.0000, -0.8814,  1.8184]])"]
    #[pyo3(name = "arcsinh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_arcsinh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(472, slf, args, kwargs)
    }

    #[doc = "The number whose hyperbolic cosine is each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, 2.0, 3.0], [1.25, 4.0, 2.5]]).acosh()\ntensor([[0.9624, 1.3170, 1.7627],\n        [0.6931, 2.0634, 1.5668]])"]
    #[pyo3(name = "acosh", text_signature = "($self)")]
    fn op_acosh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(473, slf)
    }

    #[doc = "The number whose hyperbolic cosine is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, 2.0, 3.0], [1.25, 4.0, 2.5]]).acosh_()\ntensor([[0.9624, 1.3170, 1.7627],\n        [0.6931, 2.0634, 1.5668]])"]
    #[pyo3(name = "acosh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_acosh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(473, slf, args, kwargs)
    }

    #[doc = "The number whose hyperbolic cosine is each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, 2.0, 3.0], [1.25, 4.0, 2.5]]).acosh()\ntensor([[0.9624, 1.3170, 1.7627],\n        [0.6931, 2.0634, 1.5668]])"]
    #[pyo3(name = "arccosh", text_signature = "($self)")]
    fn op_arccosh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(473, slf)
    }

    #[doc = "The number whose hyperbolic cosine is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, 2.0, 3.0], [1.25, 4.0, 2.5]]).acosh_()\ntensor([[0.9624, 1.3170, 1.7627],\n        [0.6931, 2.0634, 1.5668]])"]
    #[pyo3(name = "arccosh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_arccosh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(473, slf, args, kwargs)
    }

    #[doc = "The number whose hyperbolic tangent is each element.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).atanh()\ntensor([[0.5493, 0.2554, 0.9730],\n        [0.1257, 1.3540, 0.7332]])"]
    #[pyo3(name = "atanh", text_signature = "($self)")]
    fn op_atanh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(474, slf)
    }

    #[doc = "The number whose hyperbolic tangent is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).atanh_()\ntensor([[0.5493, 0.2554, 0.9730],\n        [0.1257, 1.3540, 0.7332]])"]
    #[pyo3(name = "atanh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_atanh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(474, slf, args, kwargs)
    }

    #[doc = "The number whose hyperbolic tangent is each element.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).atanh()\ntensor([[0.5493, 0.2554, 0.9730],\n        [0.1257, 1.3540, 0.7332]])"]
    #[pyo3(name = "arctanh", text_signature = "($self)")]
    fn op_arctanh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(474, slf)
    }

    #[doc = "The number whose hyperbolic tangent is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).atanh_()\ntensor([[0.5493, 0.2554, 0.9730],\n        [0.1257, 1.3540, 0.7332]])"]
    #[pyo3(name = "arctanh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_arctanh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(474, slf, args, kwargs)
    }

    #[doc = "Each element, or the nearer limit where it is beyond one.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).hardtanh()\ntensor([[ 1.0000, -0.5000,  1.0000],\n        [ 1.0000, -1.0000,  1.0000]])"]
    #[pyo3(name = "hardtanh", text_signature = "($self, min_val=-1.0, max_val=1.0)", signature = (*args, **kwargs))]
    fn op_hardtanh<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(475, slf, args, kwargs)
    }

    #[doc = "Each element, or zero where it is negative, or six where it is above.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).relu6()\ntensor([[1.5000, 0.0000, 2.0000],\n        [4.0000, 0.0000, 3.0000]])"]
    #[pyo3(name = "relu6", text_signature = "($self)")]
    fn op_relu6(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(476, slf)
    }

    #[doc = "Each element times a straight line that goes from zero at -3 to one at 3.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).hardswish()\ntensor([[ 1.1250, -0.2083,  1.6667],\n        [ 0.0000, -0.3333,  3.0000]])"]
    #[pyo3(name = "hardswish", text_signature = "($self)")]
    fn op_hardswish(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(477, slf)
    }

    #[doc = "A straight line that goes from zero at -3 to one at 3.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).hardsigmoid()\ntensor([[0.7500, 0.4167, 0.8333],\n        [0.5000, 0.3333, 1.0000]])"]
    #[pyo3(name = "hardsigmoid", text_signature = "($self)")]
    fn op_hardsigmoid(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(478, slf)
    }

    #[doc = "Each element that is above a threshold, and a number for the others.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).threshold(0.0, 0.0)\ntensor([[1.5000, 0.0000, 2.0000],\n        [4.0000, 0.0000, 3.0000]])"]
    #[pyo3(name = "threshold", text_signature = "($self, threshold, value)", signature = (*args, **kwargs))]
    fn op_threshold<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(479, slf, args, kwargs)
    }

    #[doc = "Each element times the hyperbolic tangent of its softplus.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).mish()\ntensor([[ 1.4034, -0.2207,  1.9440],\n        [ 0.0000, -0.3034,  2.9865]])"]
    #[pyo3(name = "mish", text_signature = "($self)")]
    fn op_mish(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(480, slf)
    }

    #[doc = "Each element, or alpha (exp(x / alpha) - 1) where it is negative.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).celu()\ntensor([[ 1.5000, -0.3935,  2.0000],\n        [ 4.0000, -0.6321,  3.0000]])"]
    #[pyo3(name = "celu", text_signature = "($self, alpha=1.0)", signature = (*args, **kwargs))]
    fn op_celu<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(481, slf, args, kwargs)
    }

    #[doc = "A scaled elu that keeps a normal distribution normal.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).selu()\ntensor([[ 1.5761, -0.6918,  2.1014],\n        [ 4.2028, -1.1113,  3.1521]])"]
    #[pyo3(name = "selu", text_signature = "($self)")]
    fn op_selu(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(482, slf)
    }

    #[doc = "The logarithm of the sigmoid of each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).logsigmoid()\ntensor([[-0.2014, -0.9741, -0.1269],\n        [-0.6931, -1.3133, -0.0486]])"]
    #[pyo3(name = "logsigmoid", text_signature = "($self)")]
    fn op_logsigmoid(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(483, slf)
    }

    #[doc = "input + value tensor1 / tensor2, element by element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).addcdiv(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]), gt.tensor([1.5, -0.5, 2.0]), value=0.5)\ntensor([[1.5833, 2.0000, 2.8750],\n        [4.2500, 4.0000, 4.5000]])"]
    #[pyo3(name = "addcdiv", text_signature = "($self, tensor1, tensor2, value=1)", signature = (*args, **kwargs))]
    fn op_addcdiv<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(485, slf, args, kwargs)
    }

    #[doc = "input + value tensor1 / tensor2, element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).addcdiv_(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]), gt.tensor([1.5, -0.5, 2.0]), value=0.5)\ntensor([[1.5833, 2.0000, 2.8750],\n        [4.2500, 4.0000, 4.5000]])"]
    #[pyo3(name = "addcdiv_", text_signature = "($self, tensor1, tensor2, value=1)", signature = (*args, **kwargs))]
    fn op_addcdiv_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(485, slf, args, kwargs)
    }

    #[doc = "log(exp(a) + exp(b)) of two elements.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).logaddexp(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.8133, -0.2986,  2.9741],\n        [ 1.3133, -0.5259,  4.3133]])"]
    #[pyo3(name = "logaddexp", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_logaddexp<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(486, slf, args, kwargs)
    }

    #[doc = "The longest side of a right triangle with two elements as its legs.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).hypot(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[1.5207, 2.5495, 4.0311],\n        [4.0697, 5.0990, 6.7082]])"]
    #[pyo3(name = "hypot", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_hypot<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(487, slf, args, kwargs)
    }

    #[doc = "The longest side of a right triangle with two elements as its legs. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).hypot_(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[1.5207, 2.5495, 4.0311],\n        [4.0697, 5.0990, 6.7082]])"]
    #[pyo3(name = "hypot_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_hypot_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(487, slf, args, kwargs)
    }

    #[doc = "Zero where an element is negative, one where it is positive, else a value.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).heaviside(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[1., 0., 1.],\n        [1., 0., 1.]])"]
    #[pyo3(name = "heaviside", text_signature = "($self, values)", signature = (*args, **kwargs))]
    fn op_heaviside<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(488, slf, args, kwargs)
    }

    #[doc = "Zero where an element is negative, one where it is positive, else a value. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).heaviside_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[1., 0., 1.],\n        [1., 0., 1.]])"]
    #[pyo3(name = "heaviside_", text_signature = "($self, values)", signature = (*args, **kwargs))]
    fn op_heaviside_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(488, slf, args, kwargs)
    }

    #[doc = "Each element, or a number where it is infinite or not a number.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).nan_to_num()\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000]])"]
    #[pyo3(name = "nan_to_num", text_signature = "($self, nan=None, posinf=None, neginf=None)", signature = (*args, **kwargs))]
    fn op_nan_to_num<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(489, slf, args, kwargs)
    }

    #[doc = "Each element, or a number where it is infinite or not a number. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).nan_to_num_()\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000]])"]
    #[pyo3(name = "nan_to_num_", text_signature = "($self, nan=None, posinf=None, neginf=None)", signature = (*args, **kwargs))]
    fn op_nan_to_num_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(489, slf, args, kwargs)
    }

    #[doc = "The logarithm of the softmax along an axis.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0, -1.0], [3.0, 0.5, -2.0, 2.5, 1.0]]).log_softmax(-1)\ntensor([[-1.1279, -3.1279, -0.6279, -2.6279, -3.6279],\n        [-0.6047, -3.1047, -5.6047, -1.1047, -2.6047]])"]
    #[pyo3(name = "log_softmax", text_signature = "($self, dim, dtype=None)", signature = (*args, **kwargs))]
    fn op_log_softmax<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(490, slf, args, kwargs)
    }

    #[doc = "Exponentials of the negative elements along an axis, scaled so that they sum to one.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0, -1.0], [3.0, 0.5, -2.0, 2.5, 1.0]]).softmin(-1)\ntensor([[0.0390, 0.2880, 0.0236, 0.1747, 0.4748],\n        [0.0059, 0.0714, 0.8698, 0.0097, 0.0433]])"]
    #[pyo3(name = "softmin", text_signature = "($self, dim, dtype=None)", signature = (*args, **kwargs))]
    fn op_softmin<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(491, slf, args, kwargs)
    }

    #[doc = "The elements along one axis.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).ravel()\ntensor([ 1.5000, -0.5000,  2.0000,  0.0000, -1.0000,  3.0000])"]
    #[pyo3(name = "ravel", text_signature = "($self)")]
    fn op_ravel(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(492, slf)
    }

    #[doc = "sin(πx) / πx of each element, and one at zero.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).sinc()\ntensor([[-2.1221e-01,  6.3662e-01,  2.7828e-08],\n        [ 2.7828e-08, -2.7828e-08, -2.5305e-09]])"]
    #[pyo3(name = "sinc", text_signature = "($self)")]
    fn op_sinc(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(496, slf)
    }

    #[doc = "sin(πx) / πx of each element, and one at zero. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).sinc_()\ntensor([[-2.1221e-01,  6.3662e-01,  2.7828e-08],\n        [ 2.7828e-08, -2.7828e-08, -2.5305e-09]])"]
    #[pyo3(name = "sinc_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sinc_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(496, slf, args, kwargs)
    }

    #[doc = "A tensor of zeros in the dtype of another.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5]).new_zeros((2, 3))\ntensor([[0., 0., 0.],\n        [0., 0., 0.]])"]
    #[pyo3(name = "new_zeros", text_signature = "($self, shape, dtype=None)", signature = (*args, **kwargs))]
    fn op_new_zeros<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(497, slf, args, kwargs)
    }

    #[doc = "A tensor of zeros in the dtype of another.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5]).new_zeros((2, 3))\ntensor([[0., 0., 0.],\n        [0., 0., 0.]])"]
    #[pyo3(name = "new_empty", text_signature = "($self, shape, dtype=None)", signature = (*args, **kwargs))]
    fn op_new_empty<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(497, slf, args, kwargs)
    }

    #[doc = "A tensor of ones in the dtype of another.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5]).new_ones((2, 3))\ntensor([[1., 1., 1.],\n        [1., 1., 1.]])"]
    #[pyo3(name = "new_ones", text_signature = "($self, shape, dtype=None)", signature = (*args, **kwargs))]
    fn op_new_ones<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(498, slf, args, kwargs)
    }

    #[doc = "A tensor with the same number everywhere, in the dtype of another.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5]).new_full((2, 3), 1.5)\ntensor([[1.5000, 1.5000, 1.5000],\n        [1.5000, 1.5000, 1.5000]])"]
    #[pyo3(name = "new_full", text_signature = "($self, shape, fill_value, dtype=None)", signature = (*args, **kwargs))]
    fn op_new_full<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(499, slf, args, kwargs)
    }

    #[doc = "The parts of a tensor that a list of positions names along an axis.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]).index_select(0, gt.tensor([1, 3, 1, 3, 1])).shape\n(5, 3)"]
    #[pyo3(name = "index_select", text_signature = "($self, dim, index)", signature = (*args, **kwargs))]
    fn op_index_select<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(503, slf, args, kwargs)
    }

    #[doc = "The tensor with parts of another added at the positions a list names along an axis.\n\n>>> import gt\n>>> gt.tensor(1.5).index_add(0, gt.tensor([0]), gt.tensor(-0.5), alpha=2)\ntensor(0.5000)"]
    #[pyo3(name = "index_add", text_signature = "($self, dim, index, source, alpha=1)", signature = (*args, **kwargs))]
    fn op_index_add<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(504, slf, args, kwargs)
    }

    #[doc = "The tensor with parts of another added at the positions a list names along an axis. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor(1.5).index_add_(0, gt.tensor([0]), gt.tensor(-0.5), alpha=2)\ntensor(0.5000)"]
    #[pyo3(name = "index_add_", text_signature = "($self, dim, index, source, alpha=1)", signature = (*args, **kwargs))]
    fn op_index_add_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(504, slf, args, kwargs)
    }

    #[doc = "The tensor with parts of another at the positions a list names along an axis.\n\n>>> import gt\n>>> gt.tensor(1.5).index_copy(0, gt.tensor([0]), gt.tensor(-0.5))\ntensor(-0.5000)"]
    #[pyo3(name = "index_copy", text_signature = "($self, dim, index, source)", signature = (*args, **kwargs))]
    fn op_index_copy<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(505, slf, args, kwargs)
    }

    #[doc = "The tensor with parts of another at the positions a list names along an axis. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor(1.5).index_copy_(0, gt.tensor([0]), gt.tensor(-0.5))\ntensor(-0.5000)"]
    #[pyo3(name = "index_copy_", text_signature = "($self, dim, index, source)", signature = (*args, **kwargs))]
    fn op_index_copy_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(505, slf, args, kwargs)
    }

    #[doc = "The tensor with a number at the positions a list names along an axis.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]).index_fill(0, gt.tensor([1, 3, 1, 3, 1]), 1.5)\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 1.5000,  1.5000,  1.5000],\n        [ 0.5000, -2.0000,  2.5000],\n        [ 1.5000,  1.5000,  1.5000]])"]
    #[pyo3(name = "index_fill", text_signature = "($self, dim, index, value)", signature = (*args, **kwargs))]
    fn op_index_fill<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(506, slf, args, kwargs)
    }

    #[doc = "The tensor with a number at the positions a list names along an axis. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]).index_fill_(0, gt.tensor([1, 3, 1, 3, 1]), 1.5)\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 1.5000,  1.5000,  1.5000],\n        [ 0.5000, -2.0000,  2.5000],\n        [ 1.5000,  1.5000,  1.5000]])"]
    #[pyo3(name = "index_fill_", text_signature = "($self, dim, index, value)", signature = (*args, **kwargs))]
    fn op_index_fill_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(506, slf, args, kwargs)
    }

    #[doc = "The elements with these numbers, counted row by row.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]).take(gt.tensor([[1, 3, 5], [7, 9, 11]]))\ntensor([[-0.5000,  0.0000,  3.0000],\n        [-2.0000,  1.0000,  4.0000]])"]
    #[pyo3(name = "take", text_signature = "($self, index)", signature = (*args, **kwargs))]
    fn op_take<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(507, slf, args, kwargs)
    }

    #[doc = "The tensor with elements of another, or a number, at the places an index names.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]).scatter(0, gt.tensor([[1, 3], [1, 3]]), gt.tensor([[1.5, -0.5], [2.0, 0.0]]), reduce=\"add\")\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 3.5000, -1.0000,  3.0000],\n        [ 0.5000, -2.0000,  2.5000],\n        [ 1.0000, -2.0000,  4.0000]])"]
    #[pyo3(name = "scatter", text_signature = "($self, dim, index, src, reduce=None)", signature = (*args, **kwargs))]
    fn op_scatter<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(508, slf, args, kwargs)
    }

    #[doc = "The tensor with elements of another, or a number, at the places an index names. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]).scatter_(0, gt.tensor([[1, 3], [1, 3]]), gt.tensor([[1.5, -0.5], [2.0, 0.0]]), reduce=\"add\")\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 3.5000, -1.0000,  3.0000],\n        [ 0.5000, -2.0000,  2.5000],\n        [ 1.0000, -2.0000,  4.0000]])"]
    #[pyo3(name = "scatter_", text_signature = "($self, dim, index, src, reduce=None)", signature = (*args, **kwargs))]
    fn op_scatter_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(508, slf, args, kwargs)
    }

    #[doc = "The elements that an index names along an axis, broadcasting; without one, among all.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]).take_along_dim(gt.tensor([[1], [3]]), dim=0)\ntensor([[ 0.0000, -1.0000,  3.0000],\n        [ 1.0000, -1.5000,  4.0000]])"]
    #[pyo3(name = "take_along_dim", text_signature = "($self, indices, dim=None)", signature = (*args, **kwargs))]
    fn op_take_along_dim<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(509, slf, args, kwargs)
    }

    #[doc = "The tensor with the elements of another, one after another, where the mask holds.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).masked_scatter(gt.tensor([[True, False, True], [False, True, False]]), gt.tensor([0.5, -2.0, 2.5, 1.0, -1.5, 4.0, 1.5]))\ntensor([[ 0.5000, -0.5000, -2.0000],\n        [ 0.0000,  2.5000,  3.0000]])"]
    #[pyo3(name = "masked_scatter", text_signature = "($self, mask, source)", signature = (*args, **kwargs))]
    fn op_masked_scatter<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(510, slf, args, kwargs)
    }

    #[doc = "The tensor with the elements of another, one after another, where the mask holds. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).masked_scatter_(gt.tensor([[True, False, True], [False, True, False]]), gt.tensor([0.5, -2.0, 2.5, 1.0, -1.5, 4.0, 1.5]))\ntensor([[ 0.5000, -0.5000, -2.0000],\n        [ 0.0000,  2.5000,  3.0000]])"]
    #[pyo3(name = "masked_scatter_", text_signature = "($self, mask, source)", signature = (*args, **kwargs))]
    fn op_masked_scatter_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(510, slf, args, kwargs)
    }

    #[doc = "The elements in order along an axis, and where they were; equal ones keep their order.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0, 3.0]).sort(stable=True)\nsort(values=tensor([-1.0000, -0.5000,  0.0000,  1.5000,  2.0000,  3.0000]), indices=tensor([4, 1, 3, 0, 2, 5]))"]
    #[pyo3(name = "sort", text_signature = "($self, dim=-1, descending=False, stable=False)", signature = (*args, **kwargs))]
    fn op_sort<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(512, slf, args, kwargs)
    }

    #[doc = "Where the elements are that come first, second and so on along an axis.\n\n>>> import gt\n>>> gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0, 3.0]).argsort(stable=True)\ntensor([4, 1, 3, 0, 2, 5])"]
    #[pyo3(name = "argsort", text_signature = "($self, dim=-1, descending=False, stable=False)", signature = (*args, **kwargs))]
    fn op_argsort<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(513, slf, args, kwargs)
    }

    #[doc = "The largest of each element and those before it along an axis, and where it is.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).cummax(0)\ncummax(values=tensor([[ 1.5000, -0.5000,  2.0000,  0.0000],\n        [ 1.5000,  3.0000,  2.0000,  0.0000],\n        [ 2.5000,  3.0000,  2.0000,  4.0000]]), indices=tensor([[0, 0, 0, 0],\n        [0, 1, 0, 0],\n        [2, 1, 0, 2]]))"]
    #[pyo3(name = "cummax", text_signature = "($self, dim)", signature = (*args, **kwargs))]
    fn op_cummax<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(518, slf, args, kwargs)
    }

    #[doc = "The smallest of each element and those before it along an axis, and where it is.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).cummin(0)\ncummin(values=tensor([[ 1.5000, -0.5000,  2.0000,  0.0000],\n        [-1.0000, -0.5000,  0.5000, -2.0000],\n        [-1.0000, -0.5000, -1.5000, -2.0000]]), indices=tensor([[0, 0, 0, 0],\n        [1, 0, 1, 1],\n        [1, 0, 2, 1]]))"]
    #[pyo3(name = "cummin", text_signature = "($self, dim)", signature = (*args, **kwargs))]
    fn op_cummin<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(519, slf, args, kwargs)
    }

    #[doc = "Whether two elements differ by no more than the tolerances allow.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).isclose(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), rtol=0.5, atol=0.1)\ntensor([[False, False,  True],\n        [False,  True,  True]])"]
    #[pyo3(name = "isclose", text_signature = "($self, other, rtol=1e-5, atol=1e-8, equal_nan=False)", signature = (*args, **kwargs))]
    fn op_isclose<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(520, slf, args, kwargs)
    }

    #[doc = "decay input + weight other, element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).decay_add_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), 0.9, 1.0)\ntensor([[ 1.8500, -2.4500,  4.3000],\n        [ 1.0000, -2.4000,  6.7000]])"]
    #[pyo3(name = "decay_add_", text_signature = "($self, other, decay, weight)", signature = (*args, **kwargs))]
    fn op_decay_add_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(642, slf, args, kwargs)
    }

    #[doc = "decay input + (1 - decay) other², element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).decay_add_square_(gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), 0.9)\ntensor([[ 1.3750, -0.0500,  2.4250],\n        [ 0.1000, -0.6750,  4.3000]])"]
    #[pyo3(name = "decay_add_square_", text_signature = "($self, other, decay)", signature = (*args, **kwargs))]
    fn op_decay_add_square_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(643, slf, args, kwargs)
    }

    #[doc = "input - size direction / (√square / scale + eps), element by element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]).step_along_(gt.tensor([[0.25, 2.5, 3.5], [0.75, 5.0, 6.0]]), gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]), 0.5, 1.0, 0.25)\ntensor([[ 1.4152, -0.8060,  0.9485],\n        [ 3.8333, -1.0000,  1.4864]])"]
    #[pyo3(name = "step_along_", text_signature = "($self, direction, square, size, scale, eps)", signature = (*args, **kwargs))]
    fn op_step_along_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(644, slf, args, kwargs)
    }

    #[doc = "The angle whose sine is each element.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).asin()\ntensor([[0.5236, 0.2527, 0.8481],\n        [0.1253, 1.0654, 0.6751]])"]
    #[pyo3(name = "asin", text_signature = "($self)")]
    fn op_asin(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(645, slf)
    }

    #[doc = "The angle whose sine is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).asin_()\ntensor([[0.5236, 0.2527, 0.8481],\n        [0.1253, 1.0654, 0.6751]])"]
    #[pyo3(name = "asin_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_asin_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(645, slf, args, kwargs)
    }

    #[doc = "The angle whose sine is each element.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).asin()\ntensor([[0.5236, 0.2527, 0.8481],\n        [0.1253, 1.0654, 0.6751]])"]
    #[pyo3(name = "arcsin", text_signature = "($self)")]
    fn op_arcsin(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(645, slf)
    }

    #[doc = "The angle whose sine is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).asin_()\ntensor([[0.5236, 0.2527, 0.8481],\n        [0.1253, 1.0654, 0.6751]])"]
    #[pyo3(name = "arcsin_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_arcsin_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(645, slf, args, kwargs)
    }

    #[doc = "The angle whose cosine is each element.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).acos()\ntensor([[1.0472, 1.3181, 0.7227],\n        [1.4455, 0.5054, 0.8957]])"]
    #[pyo3(name = "acos", text_signature = "($self)")]
    fn op_acos(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(646, slf)
    }

    #[doc = "The angle whose cosine is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).acos_()\ntensor([[1.0472, 1.3181, 0.7227],\n        [1.4455, 0.5054, 0.8957]])"]
    #[pyo3(name = "acos_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_acos_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(646, slf, args, kwargs)
    }

    #[doc = "The angle whose cosine is each element.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).acos()\ntensor([[1.0472, 1.3181, 0.7227],\n        [1.4455, 0.5054, 0.8957]])"]
    #[pyo3(name = "arccos", text_signature = "($self)")]
    fn op_arccos(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(646, slf)
    }

    #[doc = "The angle whose cosine is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]).acos_()\ntensor([[1.0472, 1.3181, 0.7227],\n        [1.4455, 0.5054, 0.8957]])"]
    #[pyo3(name = "arccos_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_arccos_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(646, slf, args, kwargs)
    }

    #[doc = "The angle whose tangent is each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).atan()\ntensor([[ 0.9828, -0.4636,  1.1071],\n        [ 0.0000, -0.7854,  1.2490]])"]
    #[pyo3(name = "atan", text_signature = "($self)")]
    fn op_atan(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(647, slf)
    }

    #[doc = "The angle whose tangent is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).atan_()\ntensor([[ 0.9828, -0.4636,  1.1071],\n        [ 0.0000, -0.7854,  1.2490]])"]
    #[pyo3(name = "atan_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_atan_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(647, slf, args, kwargs)
    }

    #[doc = "The angle whose tangent is each element.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).atan()\ntensor([[ 0.9828, -0.4636,  1.1071],\n        [ 0.0000, -0.7854,  1.2490]])"]
    #[pyo3(name = "arctan", text_signature = "($self)")]
    fn op_arctan(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(647, slf)
    }

    #[doc = "The angle whose tangent is each element. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).atan_()\ntensor([[ 0.9828, -0.4636,  1.1071],\n        [ 0.0000, -0.7854,  1.2490]])"]
    #[pyo3(name = "arctan_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_arctan_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(647, slf, args, kwargs)
    }

    #[doc = "The angle of the point whose height is the first element and whose width the second.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).atan2(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[ 1.4056, -2.9442,  0.5191],\n        [ 1.3854, -2.9442,  0.4636]])"]
    #[pyo3(name = "atan2", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_atan2<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(648, slf, args, kwargs)
    }

    #[doc = "The angle of the point whose height is the first element and whose width the second. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).atan2_(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[ 1.4056, -2.9442,  0.5191],\n        [ 1.3854, -2.9442,  0.4636]])"]
    #[pyo3(name = "atan2_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_atan2_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(648, slf, args, kwargs)
    }

    #[doc = "The angle of the point whose height is the first element and whose width the second.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).atan2(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[ 1.4056, -2.9442,  0.5191],\n        [ 1.3854, -2.9442,  0.4636]])"]
    #[pyo3(name = "arctan2", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_arctan2<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(648, slf, args, kwargs)
    }

    #[doc = "The angle of the point whose height is the first element and whose width the second. Writes the result into the tensor.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]).atan2_(gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[ 1.4056, -2.9442,  0.5191],\n        [ 1.3854, -2.9442,  0.4636]])"]
    #[pyo3(name = "arctan2_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_arctan2_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(648, slf, args, kwargs)
    }

    #[doc = "The diagonal of two axes, along an axis of its own that comes last.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).diagonal()\ntensor([ 1.5000,  3.0000, -1.5000])"]
    #[pyo3(name = "diagonal", text_signature = "($self, offset=0, dim1=0, dim2=1)", signature = (*args, **kwargs))]
    fn op_diagonal<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(649, slf, args, kwargs)
    }

    #[doc = "The tensor with other elements on a diagonal of two of its axes.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]).diagonal_scatter(gt.tensor([1.5, -0.5, 2.0]))\ntensor([[ 1.5000, -0.5000,  2.0000,  0.0000],\n        [-1.0000, -0.5000,  0.5000, -2.0000],\n        [ 2.5000,  1.0000,  2.0000,  4.0000]])"]
    #[pyo3(name = "diagonal_scatter", text_signature = "($self, src, offset=0, dim1=0, dim2=1)", signature = (*args, **kwargs))]
    fn op_diagonal_scatter<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(650, slf, args, kwargs)
    }

    #[doc = "The element in the middle of all; of two, the smaller one.\n\n>>> import gt\n>>> gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]).median()\ntensor(0.)"]
    #[pyo3(name = "median", text_signature = "($self, dim=None, keepdim=None)", signature = (*args, **kwargs))]
    fn op_median<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(651, slf, args, kwargs)
    }

    #[doc = "kept input - size mean / (√square / scale + eps), where mean and square, the averages of grad and grad², have moved on by weight and by 1 - decay. Writes each result into the input at its place."]
    #[pyo3(name = "adam_", text_signature = "($self, mean, square, grad, size, scale, kept, weight, decay, eps)", signature = (*args, **kwargs))]
    fn op_adam_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(656, slf, args, kwargs)
    }

    #[doc = "As adam, along the largest squares so far. Writes each result into the input at its place."]
    #[pyo3(name = "amsgrad_", text_signature = "($self, mean, square, peak, grad, size, scale, kept, weight, decay, eps)", signature = (*args, **kwargs))]
    fn op_amsgrad_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(657, slf, args, kwargs)
    }

    #[doc = "input - size buffer, where buffer has become decay buffer + weight grad. Writes each result into the input at its place."]
    #[pyo3(name = "momentum_", text_signature = "($self, buffer, grad, size, decay, weight)", signature = (*args, **kwargs))]
    fn op_momentum_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(660, slf, args, kwargs)
    }

    #[doc = "input - size (grad + decay buffer), where buffer has become decay buffer + weight grad. Writes each result into the input at its place."]
    #[pyo3(name = "nesterov_", text_signature = "($self, buffer, grad, size, decay, weight)", signature = (*args, **kwargs))]
    fn op_nesterov_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(661, slf, args, kwargs)
    }

}

/// The docstring of each function, by the code of its row.
pub static FUNCTION_DOCS: &[(u16, &str)] = &[
    (1, "add(input, other, alpha=None)\n--\n\nThe sum of two tensors, element by element.\n\n>>> import gt\n>>> gt.add(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 2.0000, -2.5000,  4.5000],\n        [ 1.0000, -2.5000,  7.0000]])"),
    (2, "sub(input, other, alpha=None)\n--\n\nThe difference of two tensors, element by element.\n\n>>> import gt\n>>> gt.sub(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.0000,  1.5000, -0.5000],\n        [-1.0000,  0.5000, -1.0000]])"),
    (3, "mul(input, other)\n--\n\nThe product of two tensors, element by element.\n\n>>> import gt\n>>> gt.mul(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 0.7500,  1.0000,  5.0000],\n        [ 0.0000,  1.5000, 12.0000]])"),
    (4, "div(input, other, rounding_mode=None)\n--\n\nThe quotient of two tensors, element by element.\n\n>>> import gt\n>>> gt.div(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]), gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[6.0000, 0.2000, 0.5714],\n        [5.3333, 0.2000, 0.5000]])"),
    (5, "pow(input, other)\n--\n\nEach element of the first tensor to the power of the second.\n\n>>> import gt\n>>> gt.pow(gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]), gt.tensor([[0.25, 2.5, 3.5], [0.75, 5.0, 6.0]]))\ntensor([[1.1067e+00, 1.7678e-01, 1.1314e+01],\n        [2.8284e+00, 1.0000e+00, 7.2900e+02]])"),
    (6, "maximum(input, other)\n--\n\nThe larger of two elements; not a number if one of them is not.\n\n>>> import gt\n>>> gt.maximum(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.5000, -0.5000,  2.5000],\n        [ 1.0000, -1.0000,  4.0000]])"),
    (7, "minimum(input, other)\n--\n\nThe smaller of two elements; not a number if one of them is not.\n\n>>> import gt\n>>> gt.minimum(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 0.5000, -2.0000,  2.0000],\n        [ 0.0000, -1.5000,  3.0000]])"),
    (20, "neg(input)\n--\n\nEach element with the other sign.\n\n>>> import gt\n>>> gt.neg(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[-1.5000,  0.5000, -2.0000],\n        [-0.0000,  1.0000, -3.0000]])"),
    (21, "abs(input)\n--\n\nThe size of each element without its sign.\n\n>>> import gt\n>>> gt.abs(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[1.5000, 0.5000, 2.0000],\n        [4.0000, 1.0000, 3.0000]])"),
    (22, "exp(input)\n--\n\ne to the power of each element.\n\n>>> import gt\n>>> gt.exp(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 4.4817,  0.6065,  7.3891],\n        [ 1.0000,  0.3679, 20.0855]])"),
    (23, "log(input)\n--\n\nThe natural logarithm of each element.\n\n>>> import gt\n>>> gt.log(gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]))\ntensor([[ 0.4055, -0.6931,  0.6931],\n        [ 1.3863,  0.0000,  1.0986]])"),
    (24, "sqrt(input)\n--\n\nThe square root of each element.\n\n>>> import gt\n>>> gt.sqrt(gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]))\ntensor([[1.2247, 0.7071, 1.4142],\n        [2.0000, 1.0000, 1.7321]])"),
    (25, "tanh(input)\n--\n\nThe hyperbolic tangent of each element.\n\n>>> import gt\n>>> gt.tanh(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 0.9051, -0.4621,  0.9640],\n        [ 0.0000, -0.7616,  0.9951]])"),
    (26, "sigmoid(input)\n--\n\n1 / (1 + exp(-x)) of each element.\n\n>>> import gt\n>>> gt.sigmoid(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[0.8176, 0.3775, 0.8808],\n        [0.5000, 0.2689, 0.9526]])"),
    (27, "relu(input)\n--\n\nEach element, or zero where it is negative.\n\n>>> import gt\n>>> gt.relu(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[1.5000, 0.0000, 2.0000],\n        [4.0000, 0.0000, 3.0000]])"),
    (40, "where(condition, input, other)\n--\n\nElements of the first tensor where the condition holds, else of the second.\n\n>>> import gt\n>>> gt.where(gt.tensor([[True, False, True], [False, True, False]]), gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([0.5, -2.0, 2.5]))\ntensor([[ 1.5000, -2.0000,  2.0000],\n        [ 0.5000, -1.0000,  2.5000]])"),
    (60, "eq(input, other)\n--\n\nWhether two elements are equal.\n\n>>> import gt\n>>> gt.eq(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[False, False, False],\n        [False, False, False]])"),
    (61, "ne(input, other)\n--\n\nWhether two elements differ.\n\n>>> import gt\n>>> gt.ne(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[True, True, True],\n        [True, True, True]])"),
    (62, "lt(input, other)\n--\n\nWhether the first element is smaller.\n\n>>> import gt\n>>> gt.lt(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[False, False,  True],\n        [ True, False,  True]])"),
    (63, "le(input, other)\n--\n\nWhether the first element is smaller or equal.\n\n>>> import gt\n>>> gt.le(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[False, False,  True],\n        [ True, False,  True]])"),
    (64, "gt(input, other)\n--\n\nWhether the first element is larger.\n\n>>> import gt\n>>> gt.gt(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ True,  True, False],\n        [False,  True, False]])"),
    (65, "ge(input, other)\n--\n\nWhether the first element is larger or equal.\n\n>>> import gt\n>>> gt.ge(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ True,  True, False],\n        [False,  True, False]])"),
    (80, "sum(input, dim=None, keepdim=False, dtype=None)\n--\n\nThe sum of the elements along axes, or of all.\n\n>>> import gt\n>>> gt.sum(gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]), dim=(0,), keepdim=True)\ntensor([[5.5000, 1.5000]])"),
    (81, "mean(input, dim=None, keepdim=False, dtype=None)\n--\n\nThe mean of the elements along axes, or of all.\n\n>>> import gt\n>>> gt.mean(gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]), dim=(0,), keepdim=True)\ntensor([[1.1000, 0.3000]])"),
    (82, "amax(input, dim=None, keepdim=False)\n--\n\nThe largest element along axes, or of all.\n\n>>> import gt\n>>> gt.amax(gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]), dim=(0,), keepdim=True)\ntensor([[2.5000, 3.0000]])"),
    (83, "amin(input, dim=None, keepdim=False)\n--\n\nThe smallest element along axes, or of all.\n\n>>> import gt\n>>> gt.amin(gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]), dim=(0,), keepdim=True)\ntensor([[-1., -2.]])"),
    (100, "matmul(input, other)\n--\n\nMatrix products of the last two axes; those before them broadcast.\n\n>>> import gt\n>>> gt.matmul(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0]]))\ntensor([[ -0.7500,   5.2500],\n        [  3.0000,   6.0000],\n        [  9.2500, -13.7500]])"),
    (120, "reshape(input, shape)\n--\n\nThe same elements in another shape; one size may be -1.\n\n>>> import gt\n>>> gt.reshape(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), (3, 2))\ntensor([[ 1.5000, -0.5000],\n        [ 2.0000,  0.0000],\n        [-1.0000,  3.0000]])"),
    (121, "permute(input, dims)\n--\n\nThe axes in another order.\n\n>>> import gt\n>>> gt.permute(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), (1, 0))\ntensor([[ 1.5000,  0.0000],\n        [-0.5000, -1.0000],\n        [ 2.0000,  3.0000]])"),
    (125, "cat(tensors, dim=0)\n--\n\nThe tensors one after another along an axis.\n\n>>> import gt\n>>> gt.cat([gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5]])])\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000],\n        [ 0.5000, -2.0000,  2.5000]])"),
    (127, "transpose(input, dim0=None, dim1=None)\n--\n\nTwo axes exchanged; those of a matrix need not be named.\n\n>>> import gt\n>>> gt.transpose(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), dim0=0, dim1=1)\ntensor([[ 1.5000,  0.0000],\n        [-0.5000, -1.0000],\n        [ 2.0000,  3.0000]])"),
    (128, "unsqueeze(input, dim)\n--\n\nWith another axis of size one.\n\n>>> import gt\n>>> gt.unsqueeze(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), 0)\ntensor([[[ 1.5000, -0.5000,  2.0000],\n         [ 0.0000, -1.0000,  3.0000]]])"),
    (129, "squeeze(input, dim=None)\n--\n\nWithout the axes of size one that are named, or without any.\n\n>>> import gt\n>>> gt.squeeze(gt.tensor([[[1.5], [-0.5], [2.0]]]))\ntensor([ 1.5000, -0.5000,  2.0000])"),
    (140, "gather(input, dim, index)\n--\n\nThe elements that an index names along an axis.\n\n>>> import gt\n>>> gt.gather(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), 0, gt.tensor([[1, 3, 1], [3, 1, 3]]))\ntensor([[ 0.0000, -1.5000,  3.0000],\n        [ 1.0000, -1.0000,  4.0000]])"),
    (141, "scatter_add(input, dim, index, src)\n--\n\nThe tensor with elements of another added at the places an index names.\n\n>>> import gt\n>>> gt.scatter_add(gt.tensor([[1.5, -0.5, 2.0, 0.0, -1.0], [3.0, 0.5, -2.0, 2.5, 1.0]]), -1, gt.tensor([[1, 3, 0], [2, 4, 1]]), gt.tensor([[-1.5, 4.0, 1.5], [-0.5, 2.0, 0.0]]))\ntensor([[ 3.0000, -2.0000,  2.0000,  4.0000, -1.0000],\n        [ 3.0000,  0.5000, -2.5000,  2.5000,  3.0000]])"),
    (142, "topk(input, k, dim=-1, largest=True, sorted=True)\n--\n\nThe k largest or smallest elements along an axis, and where they are.\n\n>>> import gt\n>>> gt.topk(gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0, 3.0]), 2)\ntopk(values=tensor([3., 2.]), indices=tensor([5, 2]))"),
    (160, "zeros(shape, dtype=None)\n--\n\nA tensor of zeros.\n\n>>> import gt\n>>> gt.zeros((2, 3), dtype=gt.float32)\ntensor([[0., 0., 0.],\n        [0., 0., 0.]])"),
    (161, "ones(shape, dtype=None)\n--\n\nA tensor of ones.\n\n>>> import gt\n>>> gt.ones((2, 3), dtype=gt.float32)\ntensor([[1., 1., 1.],\n        [1., 1., 1.]])"),
    (162, "full(shape, fill_value, dtype=None)\n--\n\nA tensor with the same number everywhere.\n\n>>> import gt\n>>> gt.full((2, 3), 1.5)\ntensor([[1.5000, 1.5000, 1.5000],\n        [1.5000, 1.5000, 1.5000]])"),
    (163, "arange(start, end, step=1, dtype=None)\n--\n\nThe numbers from start up to end, a step apart.\n\n>>> import gt\n>>> gt.arange(0, 5)\ntensor([0, 1, 2, 3, 4])"),
    (180, "rand(shape, dtype=None)\n--\n\nRandom numbers evenly from zero up to one.\n\n>>> import gt\n>>> gt.rand((4, 5), dtype=gt.float32).shape\n(4, 5)"),
    (181, "randn(shape, dtype=None)\n--\n\nRandom numbers with mean zero and variance one.\n\n>>> import gt\n>>> gt.randn((4, 5), dtype=gt.float32).shape\n(4, 5)"),
    (220, "softmax(input, dim, dtype=None)\n--\n\nExponentials along an axis, scaled so that they sum to one.\n\n>>> import gt\n>>> gt.softmax(gt.tensor([[1.5, -0.5, 2.0, 0.0, -1.0], [3.0, 0.5, -2.0, 2.5, 1.0]]), -1)\ntensor([[0.3237, 0.0438, 0.5337, 0.0722, 0.0266],\n        [0.5462, 0.0448, 0.0037, 0.3313, 0.0739]])"),
    (221, "conv2d(input, weight, stride=1, padding=0, dilation=1, groups=1)\n--\n\nConvolution of images (N, C, H, W) with filters (O, C / groups, kH, kW).\n\n>>> import gt\n>>> gt.conv2d(gt.ones(2, 3, 5, 6), gt.ones(4, 3, 3, 2), stride=(1, 1), padding=(0, 0), dilation=(1, 1)).shape\n(2, 4, 3, 5)"),
    (300, "sign(input)\n--\n\n-1, 0 or 1, as each element is negative, zero or positive.\n\n>>> import gt\n>>> gt.sign(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 1., -1.,  1.],\n        [ 1., -1.,  1.]])"),
    (301, "floor(input)\n--\n\nThe largest whole number that is not above each element.\n\n>>> import gt\n>>> gt.floor(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 1., -1.,  2.],\n        [ 4., -1.,  3.]])"),
    (302, "ceil(input)\n--\n\nThe smallest whole number that is not below each element.\n\n>>> import gt\n>>> gt.ceil(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 2., -0.,  2.],\n        [ 4., -1.,  3.]])"),
    (303, "round(input, decimals=None)\n--\n\nThe whole number nearest to each element; of two, the even one.\n\n>>> import gt\n>>> gt.round(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 2., -0.,  2.],\n        [ 4., -1.,  3.]])"),
    (304, "trunc(input)\n--\n\nEach element without its fraction.\n\n>>> import gt\n>>> gt.trunc(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 1., -0.,  2.],\n        [ 4., -1.,  3.]])"),
    (305, "reciprocal(input)\n--\n\nOne over each element.\n\n>>> import gt\n>>> gt.reciprocal(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 0.6667, -2.0000,  0.5000],\n        [ 0.2500, -1.0000,  0.3333]])"),
    (306, "rsqrt(input)\n--\n\nOne over the square root of each element.\n\n>>> import gt\n>>> gt.rsqrt(gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]))\ntensor([[0.8165, 1.4142, 0.7071],\n        [0.5000, 1.0000, 0.5774]])"),
    (307, "square(input)\n--\n\nEach element times itself.\n\n>>> import gt\n>>> gt.square(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[2.2500, 0.2500, 4.0000],\n        [0.0000, 1.0000, 9.0000]])"),
    (308, "expm1(input)\n--\n\nexp(x) - 1 of each element, exact near zero.\n\n>>> import gt\n>>> gt.expm1(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 3.4817, -0.3935,  6.3891],\n        [ 0.0000, -0.6321, 19.0855]])"),
    (309, "log1p(input)\n--\n\nlog(1 + x) of each element, exact near zero.\n\n>>> import gt\n>>> gt.log1p(gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]))\ntensor([[0.9163, 0.4055, 1.0986],\n        [1.6094, 0.6931, 1.3863]])"),
    (310, "log2(input)\n--\n\nThe logarithm of each element to the base of two.\n\n>>> import gt\n>>> gt.log2(gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]))\ntensor([[ 0.5850, -1.0000,  1.0000],\n        [ 2.0000,  0.0000,  1.5850]])"),
    (311, "sin(input)\n--\n\nThe sine of each element.\n\n>>> import gt\n>>> gt.sin(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 0.9975, -0.4794,  0.9093],\n        [ 0.0000, -0.8415,  0.1411]])"),
    (312, "cos(input)\n--\n\nThe cosine of each element.\n\n>>> import gt\n>>> gt.cos(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 0.0707,  0.8776, -0.4161],\n        [ 1.0000,  0.5403, -0.9900]])"),
    (313, "tan(input)\n--\n\nThe tangent of each element.\n\n>>> import gt\n>>> gt.tan(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[14.1014, -0.5463, -2.1850],\n        [ 0.0000, -1.5574, -0.1425]])"),
    (314, "erf(input)\n--\n\nThe error function of each element.\n\n>>> import gt\n>>> gt.erf(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 0.9661, -0.5205,  0.9953],\n        [ 0.0000, -0.8427,  1.0000]])"),
    (330, "gelu(input, approximate=None)\n--\n\nEach element times the share of the normal distribution below it.\n\n>>> import gt\n>>> gt.gelu(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 1.3998, -0.1543,  1.9545],\n        [ 0.0000, -0.1587,  2.9960]])"),
    (331, "silu(input)\n--\n\nEach element times its sigmoid.\n\n>>> import gt\n>>> gt.silu(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 1.2264, -0.1888,  1.7616],\n        [ 0.0000, -0.2689,  2.8577]])"),
    (332, "softplus(input, beta=1.0, threshold=20.0)\n--\n\nlog(1 + exp(beta x)) / beta of each element; x itself above the threshold.\n\n>>> import gt\n>>> gt.softplus(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[1.7014, 0.4741, 2.1269],\n        [0.6931, 0.3133, 3.0486]])"),
    (333, "leaky_relu(input, negative_slope=0.01)\n--\n\nEach element, or a small part of it where it is negative.\n\n>>> import gt\n>>> gt.leaky_relu(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 1.5000, -0.0050,  2.0000],\n        [ 4.0000, -0.0100,  3.0000]])"),
    (334, "elu(input, alpha=1.0)\n--\n\nEach element, or alpha (exp(x) - 1) where it is negative.\n\n>>> import gt\n>>> gt.elu(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 1.5000, -0.3935,  2.0000],\n        [ 4.0000, -0.6321,  3.0000]])"),
    (350, "isnan(input)\n--\n\nWhether each element is not a number.\n\n>>> import gt\n>>> gt.isnan(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[False, False, False],\n        [False, False, False]])"),
    (351, "isinf(input)\n--\n\nWhether each element is infinite.\n\n>>> import gt\n>>> gt.isinf(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[False, False, False],\n        [False, False, False]])"),
    (352, "isfinite(input)\n--\n\nWhether each element is a number and finite.\n\n>>> import gt\n>>> gt.isfinite(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[True, True, True],\n        [True, True, True]])"),
    (353, "logical_not(input)\n--\n\nWhether each element is zero.\n\n>>> import gt\n>>> gt.logical_not(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[False, False, False],\n        [ True, False, False]])"),
    (354, "logical_and(input, other)\n--\n\nWhether both elements are not zero.\n\n>>> import gt\n>>> gt.logical_and(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ True,  True,  True],\n        [False,  True,  True]])"),
    (355, "logical_or(input, other)\n--\n\nWhether one of two elements is not zero.\n\n>>> import gt\n>>> gt.logical_or(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[True, True, True],\n        [True, True, True]])"),
    (356, "logical_xor(input, other)\n--\n\nWhether exactly one of two elements is not zero.\n\n>>> import gt\n>>> gt.logical_xor(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[False, False, False],\n        [ True, False, False]])"),
    (357, "bitwise_and(input, other)\n--\n\nThe bits that both elements have.\n\n>>> import gt\n>>> gt.bitwise_and(gt.tensor([[1, 3, 5], [7, 0, 2]]), gt.tensor([1, 3, 0]))\ntensor([[1, 3, 0],\n        [1, 0, 0]])"),
    (358, "bitwise_or(input, other)\n--\n\nThe bits that one of two elements has.\n\n>>> import gt\n>>> gt.bitwise_or(gt.tensor([[1, 3, 5], [7, 0, 2]]), gt.tensor([1, 3, 0]))\ntensor([[1, 3, 5],\n        [7, 3, 2]])"),
    (359, "bitwise_xor(input, other)\n--\n\nThe bits that exactly one of two elements has.\n\n>>> import gt\n>>> gt.bitwise_xor(gt.tensor([[1, 3, 5], [7, 0, 2]]), gt.tensor([1, 3, 0]))\ntensor([[0, 0, 5],\n        [6, 3, 2]])"),
    (360, "bitwise_not(input)\n--\n\nThe other bits of each element; the other truth of booleans.\n\n>>> import gt\n>>> gt.bitwise_not(gt.tensor([[1, 3, 5], [7, 0, 2]]))\ntensor([[-2, -4, -6],\n        [-8, -1, -3]])"),
    (361, "bitwise_left_shift(input, other)\n--\n\nThe bits of each element moved up.\n\n>>> import gt\n>>> gt.bitwise_left_shift(gt.tensor([[1, 3, 5], [7, 0, 2]]), gt.tensor([1, 3, 0]))\ntensor([[ 2, 24,  5],\n        [14,  0,  2]])"),
    (362, "bitwise_right_shift(input, other)\n--\n\nThe bits of each element moved down.\n\n>>> import gt\n>>> gt.bitwise_right_shift(gt.tensor([[1, 3, 5], [7, 0, 2]]), gt.tensor([1, 3, 0]))\ntensor([[0, 0, 5],\n        [3, 0, 2]])"),
    (380, "floor_divide(input, other)\n--\n\nThe quotient of two elements, rounded down.\n\n>>> import gt\n>>> gt.floor_divide(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]), gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[6., 0., 0.],\n        [5., 0., 0.]])"),
    (381, "remainder(input, other)\n--\n\nWhat is left of a division rounded down; it has the sign of the divisor.\n\n>>> import gt\n>>> gt.remainder(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]), gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[ 0.0000, -0.5000,  2.0000],\n        [ 0.2500, -1.0000,  3.0000]])"),
    (382, "fmod(input, other)\n--\n\nWhat is left of a division cut towards zero; it has the sign of the dividend.\n\n>>> import gt\n>>> gt.fmod(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]), gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[ 0.0000, -0.5000,  2.0000],\n        [ 0.2500, -1.0000,  3.0000]])"),
    (384, "clamp(input, min=None, max=None)\n--\n\nEach element, or the nearer limit where it is beyond one.\n\n>>> import gt\n>>> gt.clamp(gt.tensor([[1.5, -0.5, 2.0, 4.0], [-1.0, 3.0, 0.25, -2.5], [3.5, 0.75, -5.0, 6.0]]), min=-0.5, max=0.75)\ntensor([[ 0.7500, -0.5000,  0.7500,  0.7500],\n        [-0.5000,  0.7500,  0.2500, -0.5000],\n        [ 0.7500,  0.7500, -0.5000,  0.7500]])"),
    (385, "lerp(input, end, weight)\n--\n\ninput + weight (end - input), element by element.\n\n>>> import gt\n>>> gt.lerp(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), gt.tensor([1.5, -0.5, 2.0]))\ntensor([[ 0.0000,  0.2500,  3.0000],\n        [ 1.5000, -0.7500,  5.0000]])"),
    (386, "addcmul(input, tensor1, tensor2, value=1)\n--\n\ninput + value tensor1 tensor2, element by element.\n\n>>> import gt\n>>> gt.addcmul(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), gt.tensor([1.5, -0.5, 2.0]), value=0.5)\ntensor([[ 1.8750,  0.0000,  4.5000],\n        [ 0.7500, -0.6250,  7.0000]])"),
    (387, "masked_fill(input, mask, value)\n--\n\nThe tensor with a number where the mask holds.\n\n>>> import gt\n>>> gt.masked_fill(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[True, False, True], [False, True, False]]), 0.5)\ntensor([[ 0.5000, -0.5000,  0.5000],\n        [ 0.0000,  0.5000,  3.0000]])"),
    (389, "clamp_min(input, min)\n--\n\nEach element, or the limit where it is below.\n\n>>> import gt\n>>> gt.clamp_min(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.5000, -0.5000,  2.5000],\n        [ 1.0000, -1.0000,  4.0000]])"),
    (390, "clamp_max(input, max)\n--\n\nEach element, or the limit where it is above.\n\n>>> import gt\n>>> gt.clamp_max(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 0.5000, -2.0000,  2.0000],\n        [ 0.0000, -1.5000,  3.0000]])"),
    (400, "prod(input, dim=None, keepdim=False, dtype=None)\n--\n\nThe product of the elements along axes, or of all.\n\n>>> import gt\n>>> gt.prod(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor(18.)"),
    (401, "any(input, dim=None, keepdim=False)\n--\n\nWhether an element along axes, or of all, is not zero.\n\n>>> import gt\n>>> gt.any(gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]), dim=(0,), keepdim=True)\ntensor([[True, True]])"),
    (402, "all(input, dim=None, keepdim=False)\n--\n\nWhether no element along axes, or of all, is zero.\n\n>>> import gt\n>>> gt.all(gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0], [2.5, 1.0]]), dim=(0,), keepdim=True)\ntensor([[ True, False]])"),
    (403, "argmax(input, dim=None, keepdim=False)\n--\n\nWhere the largest element is along an axis, or among all.\n\n>>> import gt\n>>> gt.argmax(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]))\ntensor(11)"),
    (404, "argmin(input, dim=None, keepdim=False)\n--\n\nWhere the smallest element is along an axis, or among all.\n\n>>> import gt\n>>> gt.argmin(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]))\ntensor(7)"),
    (405, "var(input, dim=None, correction=1, keepdim=False)\n--\n\nThe mean square distance of the elements from their mean.\n\n>>> import gt\n>>> gt.var(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]))\ntensor(3.5208)"),
    (406, "std(input, dim=None, correction=1, keepdim=False)\n--\n\nThe square root of the mean square distance of the elements from their mean.\n\n>>> import gt\n>>> gt.std(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]))\ntensor(1.8764)"),
    (407, "norm(input, p=2.0, dim=None, keepdim=False, dtype=None)\n--\n\nThe length of the elements along axes, or of all: the p-th root of their p-th powers.\n\n>>> import gt\n>>> gt.norm(gt.tensor([[1.5, -0.5, 2.0, 4.0], [-1.0, 3.0, 0.25, -2.5], [3.5, 0.75, -5.0, 6.0]]))\ntensor(10.6125)"),
    (408, "logsumexp(input, dim, keepdim=False)\n--\n\nThe logarithm of the sum of the exponentials along axes.\n\n>>> import gt\n>>> gt.logsumexp(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), (1,))\ntensor([2.6010, 3.1018, 4.2445])"),
    (409, "cumsum(input, dim, dtype=None)\n--\n\nThe sum of each element and those before it along an axis.\n\n>>> import gt\n>>> gt.cumsum(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), 0)\ntensor([[ 1.5000, -0.5000,  2.0000,  0.0000],\n        [ 0.5000,  2.5000,  2.5000, -2.0000],\n        [ 3.0000,  3.5000,  1.0000,  2.0000]])"),
    (410, "cumprod(input, dim, dtype=None)\n--\n\nThe product of each element and those before it along an axis.\n\n>>> import gt\n>>> gt.cumprod(gt.tensor([[1.5, -0.5, 2.0, 4.0], [-1.0, 3.0, 0.25, -2.5], [3.5, 0.75, -5.0, 6.0]]), 0)\ntensor([[  1.5000,  -0.5000,   2.0000,   4.0000],\n        [ -1.5000,  -1.5000,   0.5000, -10.0000],\n        [ -5.2500,  -1.1250,  -2.5000, -60.0000]])"),
    (421, "tile(input, dims)\n--\n\nThe tensor so many times along each of its last axes.\n\n>>> import gt\n>>> gt.tile(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), (2,))\ntensor([[ 1.5000, -0.5000,  2.0000,  1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000,  0.0000, -1.0000,  3.0000]])"),
    (422, "flip(input, dims)\n--\n\nThe tensor with the elements along axes in the opposite order.\n\n>>> import gt\n>>> gt.flip(gt.tensor([1.5, -0.5, 2.0, 0.0]), (0,))\ntensor([ 0.0000,  2.0000, -0.5000,  1.5000])"),
    (423, "fliplr(input)\n--\n\nThe tensor with the elements along the second axis in the opposite order.\n\n>>> import gt\n>>> gt.fliplr(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 2.0000, -0.5000,  1.5000],\n        [ 3.0000, -1.0000,  0.0000]])"),
    (424, "flipud(input)\n--\n\nThe tensor with the elements along the first axis in the opposite order.\n\n>>> import gt\n>>> gt.flipud(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 0.0000, -1.0000,  3.0000],\n        [ 1.5000, -0.5000,  2.0000]])"),
    (425, "roll(input, shifts, dims=None)\n--\n\nThe elements moved along axes, or among all; what leaves at the end comes in again.\n\n>>> import gt\n>>> gt.roll(gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0]), (2,), dims=(0,))\ntensor([ 0.0000, -1.0000,  1.5000, -0.5000,  2.0000])"),
    (426, "rot90(input, k=1, dims=None)\n--\n\nThe tensor turned k times by a right angle, from the first of two axes to the second.\n\n>>> import gt\n>>> gt.rot90(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 2.0000,  3.0000],\n        [-0.5000, -1.0000],\n        [ 1.5000,  0.0000]])"),
    (427, "stack(tensors, dim=0)\n--\n\nTensors of one shape one after another along another axis.\n\n>>> import gt\n>>> gt.stack([gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]])])\ntensor([[[ 1.5000, -0.5000,  2.0000],\n         [ 0.0000, -1.0000,  3.0000]],\n<BLANKLINE>\n        [[ 0.5000, -2.0000,  2.5000],\n         [ 1.0000, -1.5000,  4.0000]]])"),
    (428, "hstack(tensors)\n--\n\nTensors one after another along the second axis, vectors along their only one.\n\n>>> import gt\n>>> gt.hstack([gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5], [-2.0]])])\ntensor([[ 1.5000, -0.5000,  2.0000,  0.5000],\n        [ 0.0000, -1.0000,  3.0000, -2.0000]])"),
    (429, "vstack(tensors)\n--\n\nTensors one after another along the first axis, vectors as rows.\n\n>>> import gt\n>>> gt.vstack([gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5]])])\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000],\n        [ 0.5000, -2.0000,  2.5000]])"),
    (430, "pad(input, pad, mode=None, value=None)\n--\n\nThe tensor with a number or its own elements around it: so often before and after, from the last axis on.\n\n>>> import gt\n>>> gt.pad(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), (2, 1), mode=\"reflect\")\ntensor([[ 2.0000, -0.5000,  1.5000, -0.5000,  2.0000, -0.5000],\n        [ 3.0000, -1.0000,  0.0000, -1.0000,  3.0000, -1.0000]])"),
    (431, "tril(input, diagonal=0)\n--\n\nThe matrix with zeros above a diagonal.\n\n>>> import gt\n>>> gt.tril(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5]]))\ntensor([[ 1.5000,  0.0000,  0.0000],\n        [ 0.0000, -1.0000,  0.0000],\n        [ 0.5000, -2.0000,  2.5000]])"),
    (432, "triu(input, diagonal=0)\n--\n\nThe matrix with zeros below a diagonal.\n\n>>> import gt\n>>> gt.triu(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5]]))\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000],\n        [ 0.0000,  0.0000,  2.5000]])"),
    (433, "diag(input, diagonal=0)\n--\n\nThe diagonal of a matrix, or the matrix with a vector as its diagonal.\n\n>>> import gt\n>>> gt.diag(gt.tensor([1.5, -0.5, 2.0]))\ntensor([[ 1.5000,  0.0000,  0.0000],\n        [ 0.0000, -0.5000,  0.0000],\n        [ 0.0000,  0.0000,  2.0000]])"),
    (434, "trace(input)\n--\n\nThe sum of a matrix's diagonal.\n\n>>> import gt\n>>> gt.trace(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5]]))\ntensor(3.)"),
    (435, "flatten(input, start_dim=0, end_dim=-1)\n--\n\nThe tensor with some axes that follow each other as one.\n\n>>> import gt\n>>> gt.flatten(gt.tensor(1.5))\ntensor([1.5000])"),
    (436, "unflatten(input, dim, sizes)\n--\n\nThe tensor with one axis as several; one size may be -1.\n\n>>> import gt\n>>> gt.unflatten(gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0, 3.0]), 0, (2, 3))\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000]])"),
    (437, "narrow(input, dim, start, length)\n--\n\nSo many elements along an axis, from a position on.\n\n>>> import gt\n>>> gt.narrow(gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0]), 0, 1, 3)\ntensor([-0.5000,  2.0000,  0.0000])"),
    (438, "movedim(input, source, destination)\n--\n\nThe tensor with some axes at other places, the others in their order.\n\n>>> import gt\n>>> gt.movedim(gt.tensor([1.5, -0.5, 2.0]), (0,), (0,))\ntensor([ 1.5000, -0.5000,  2.0000])"),
    (439, "broadcast_to(input, shape)\n--\n\nThe tensor repeated along axes of size one until it has this shape.\n\n>>> import gt\n>>> gt.broadcast_to(gt.tensor([[1.5], [-0.5]]), (2, 3))\ntensor([[ 1.5000,  1.5000,  1.5000],\n        [-0.5000, -0.5000, -0.5000]])"),
    (440, "linspace(start, end, steps, dtype=None)\n--\n\nSo many numbers from start to end, evenly spaced.\n\n>>> import gt\n>>> gt.linspace(0.0, 1.0, 5)\ntensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])"),
    (441, "logspace(start, end, steps, base=10.0, dtype=None)\n--\n\nPowers of a base, whose exponents go evenly from start to end.\n\n>>> import gt\n>>> gt.logspace(0.0, 2.0, 3)\ntensor([  1.,  10., 100.])"),
    (442, "eye(n, m=None, dtype=None)\n--\n\nA matrix with ones on its diagonal and zeros elsewhere.\n\n>>> import gt\n>>> gt.eye(3)\ntensor([[1., 0., 0.],\n        [0., 1., 0.],\n        [0., 0., 1.]])"),
    (443, "zeros_like(input, dtype=None)\n--\n\nA tensor of zeros in the shape of another.\n\n>>> import gt\n>>> gt.zeros_like(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[0., 0., 0.],\n        [0., 0., 0.]])"),
    (444, "ones_like(input, dtype=None)\n--\n\nA tensor of ones in the shape of another.\n\n>>> import gt\n>>> gt.ones_like(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[1., 1., 1.],\n        [1., 1., 1.]])"),
    (445, "full_like(input, fill_value, dtype=None)\n--\n\nA tensor with the same number everywhere, in the shape of another.\n\n>>> import gt\n>>> gt.full_like(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), 1.5)\ntensor([[1.5000, 1.5000, 1.5000],\n        [1.5000, 1.5000, 1.5000]])"),
    (446, "rand_like(input, dtype=None)\n--\n\nRandom numbers evenly from zero up to one, in the shape of a tensor.\n\n>>> import gt\n>>> gt.rand_like(gt.tensor(1.5)).shape\n()"),
    (447, "randn_like(input, dtype=None)\n--\n\nRandom numbers with mean zero and variance one, in the shape of a tensor.\n\n>>> import gt\n>>> gt.randn_like(gt.tensor(1.5)).shape\n()"),
    (448, "randint(low, high, shape, dtype=None)\n--\n\nRandom whole numbers from low up to, but not including, high.\n\n>>> import gt\n>>> gt.randint(0, 10, (4, 5)).shape\n(4, 5)"),
    (449, "randint_like(input, low, high, dtype=None)\n--\n\nRandom whole numbers from low up to, but not including, high, in the shape of a tensor.\n\n>>> import gt\n>>> gt.randint_like(gt.tensor(1.5), 0, 2).shape\n()"),
    (450, "randperm(n, dtype=None)\n--\n\nThe whole numbers from zero up to n in a random order.\n\n>>> import gt\n>>> gt.randperm(10).shape\n(10,)"),
    (451, "bernoulli(input, p=None)\n--\n\nOne with the probability that each element says, or p, else zero.\n\n>>> import gt\n>>> gt.bernoulli(gt.tensor([0.5, 0.25, 0.75]), p=0.25).shape\n(3,)"),
    (454, "multinomial(input, num_samples, replacement=False)\n--\n\nRandom positions along the last axis, each as likely as its weight says.\n\n>>> import gt\n>>> gt.multinomial(gt.tensor([1.5, 0.5, 2.0, 4.0]), 3).shape\n(3,)"),
    (456, "mm(input, mat2)\n--\n\nThe product of two matrices.\n\n>>> import gt\n>>> gt.mm(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0], [0.5, -2.0]]))\ntensor([[ -0.7500,   5.2500],\n        [  3.0000,   6.0000],\n        [  9.2500, -13.7500]])"),
    (457, "bmm(input, mat2)\n--\n\nThe products of the matrices in two stacks of the same height.\n\n>>> import gt\n>>> gt.bmm(gt.tensor([[[1.5, -0.5], [2.0, 0.0]]]), gt.tensor([[[-1.0], [3.0]]]))\ntensor([[[-3.],\n         [-2.]]])"),
    (458, "mv(input, vec)\n--\n\nThe product of a matrix and a vector.\n\n>>> import gt\n>>> gt.mv(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), gt.tensor([1.5, -0.5, 2.0, 0.0]))\ntensor([ 6.5000, -2.0000,  0.2500])"),
    (459, "dot(input, tensor)\n--\n\nThe sum of the products of two vectors' elements.\n\n>>> import gt\n>>> gt.dot(gt.tensor([1.5, -0.5, 2.0, 0.0]), gt.tensor([-1.0, 3.0, 0.5, -2.0]))\ntensor(-2.)"),
    (460, "outer(input, vec2)\n--\n\nThe product of each element of a vector with each of another.\n\n>>> import gt\n>>> gt.outer(gt.tensor([1.5, -0.5, 2.0]), gt.tensor([0.0, -1.0, 3.0, 0.5]))\ntensor([[ 0.0000, -1.5000,  4.5000,  0.7500],\n        [-0.0000,  0.5000, -1.5000, -0.2500],\n        [ 0.0000, -2.0000,  6.0000,  1.0000]])"),
    (461, "inner(input, other)\n--\n\nThe sums of products along the last axis of each of two tensors.\n\n>>> import gt\n>>> gt.inner(gt.tensor([1.5, -0.5, 2.0, 0.0]), gt.tensor([-1.0, 3.0, 0.5, -2.0]))\ntensor(-2.)"),
    (462, "addmm(input, mat1, mat2, beta=1, alpha=1)\n--\n\nbeta input + alpha (mat1 @ mat2), for matrices.\n\n>>> import gt\n>>> gt.addmm(gt.tensor([[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5, 1.0], [-1.5, 4.0, 1.5, -0.5], [2.0, 0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0], [2.5, 1.0], [-1.5, 4.0], [1.5, -0.5]]))\ntensor([[-5.5000,  6.0000],\n        [ 8.2500, 13.2500],\n        [ 6.0000, -6.5000]])"),
    (463, "baddbmm(input, batch1, batch2, beta=1, alpha=1)\n--\n\nbeta input + alpha (batch1 @ batch2), for stacks of matrices.\n\n>>> import gt\n>>> gt.baddbmm(gt.tensor([[[1.5, -0.5], [2.0, 0.0], [-1.0, 3.0]], [[0.5, -2.0], [2.5, 1.0], [-1.5, 4.0]]]), gt.ones(2, 3, 4), gt.ones(2, 4, 2))\ntensor([[[5.5000, 3.5000],\n         [6.0000, 4.0000],\n         [3.0000, 7.0000]],\n<BLANKLINE>\n        [[4.5000, 2.0000],\n         [6.5000, 5.0000],\n         [2.5000, 8.0000]]])"),
    (464, "einsum(equation, operands)\n--\n\nThe sums of products that an equation such as \"ij,jk->ik\" describes.\n\n>>> import gt\n>>> gt.einsum(\"ij,jk->ik\", [gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5, 1.0], [-1.5, 4.0, 1.5, -0.5], [2.0, 0.0, -1.0, 3.0]])])\ntensor([[ 5.5000, -5.0000,  1.0000,  7.7500],\n        [ 7.5000, -4.0000, -4.5000,  9.5000]])"),
    (465, "log10(input)\n--\n\nThe logarithm of each element to the base of ten.\n\n>>> import gt\n>>> gt.log10(gt.tensor([[1.5, 0.5, 2.0], [4.0, 1.0, 3.0]]))\ntensor([[ 0.1761, -0.3010,  0.3010],\n        [ 0.6021,  0.0000,  0.4771]])"),
    (466, "exp2(input)\n--\n\nTwo to the power of each element.\n\n>>> import gt\n>>> gt.exp2(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[2.8284, 0.7071, 4.0000],\n        [1.0000, 0.5000, 8.0000]])"),
    (467, "erfc(input)\n--\n\nOne less the error function of each element.\n\n>>> import gt\n>>> gt.erfc(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[3.3895e-02, 1.5205e+00, 4.6777e-03],\n        [1.0000e+00, 1.8427e+00, 2.2113e-05]])"),
    (468, "frac(input)\n--\n\nThe fraction of each element, with its sign.\n\n>>> import gt\n>>> gt.frac(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 0.5000, -0.5000,  0.0000],\n        [ 0.0000,  0.0000,  0.0000]])"),
    (470, "sinh(input)\n--\n\nThe hyperbolic sine of each element.\n\n>>> import gt\n>>> gt.sinh(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 2.1293, -0.5211,  3.6269],\n        [ 0.0000, -1.1752, 10.0179]])"),
    (471, "cosh(input)\n--\n\nThe hyperbolic cosine of each element.\n\n>>> import gt\n>>> gt.cosh(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 2.3524,  1.1276,  3.7622],\n        [ 1.0000,  1.5431, 10.0677]])"),
    (472, "asinh(input)\n--\n\nThe number whose hyperbolic sine is each element.\n\n>>> import gt\n>>> gt.asinh(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 1.1948, -0.4812,  1.4436],\n        [ 0.0000, -0.8814,  1.8184]])"),
    (473, "acosh(input)\n--\n\nThe number whose hyperbolic cosine is each element.\n\n>>> import gt\n>>> gt.acosh(gt.tensor([[1.5, 2.0, 3.0], [1.25, 4.0, 2.5]]))\ntensor([[0.9624, 1.3170, 1.7627],\n        [0.6931, 2.0634, 1.5668]])"),
    (474, "atanh(input)\n--\n\nThe number whose hyperbolic tangent is each element.\n\n>>> import gt\n>>> gt.atanh(gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]))\ntensor([[0.5493, 0.2554, 0.9730],\n        [0.1257, 1.3540, 0.7332]])"),
    (475, "hardtanh(input, min_val=-1.0, max_val=1.0)\n--\n\nEach element, or the nearer limit where it is beyond one.\n\n>>> import gt\n>>> gt.hardtanh(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 1.0000, -0.5000,  1.0000],\n        [ 1.0000, -1.0000,  1.0000]])"),
    (476, "relu6(input)\n--\n\nEach element, or zero where it is negative, or six where it is above.\n\n>>> import gt\n>>> gt.relu6(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[1.5000, 0.0000, 2.0000],\n        [4.0000, 0.0000, 3.0000]])"),
    (477, "hardswish(input)\n--\n\nEach element times a straight line that goes from zero at -3 to one at 3.\n\n>>> import gt\n>>> gt.hardswish(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 1.1250, -0.2083,  1.6667],\n        [ 0.0000, -0.3333,  3.0000]])"),
    (478, "hardsigmoid(input)\n--\n\nA straight line that goes from zero at -3 to one at 3.\n\n>>> import gt\n>>> gt.hardsigmoid(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[0.7500, 0.4167, 0.8333],\n        [0.5000, 0.3333, 1.0000]])"),
    (479, "threshold(input, threshold, value)\n--\n\nEach element that is above a threshold, and a number for the others.\n\n>>> import gt\n>>> gt.threshold(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]), 0.0, 0.0)\ntensor([[1.5000, 0.0000, 2.0000],\n        [4.0000, 0.0000, 3.0000]])"),
    (480, "mish(input)\n--\n\nEach element times the hyperbolic tangent of its softplus.\n\n>>> import gt\n>>> gt.mish(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 1.4034, -0.2207,  1.9440],\n        [ 0.0000, -0.3034,  2.9865]])"),
    (481, "celu(input, alpha=1.0)\n--\n\nEach element, or alpha (exp(x / alpha) - 1) where it is negative.\n\n>>> import gt\n>>> gt.celu(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 1.5000, -0.3935,  2.0000],\n        [ 4.0000, -0.6321,  3.0000]])"),
    (482, "selu(input)\n--\n\nA scaled elu that keeps a normal distribution normal.\n\n>>> import gt\n>>> gt.selu(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[ 1.5761, -0.6918,  2.1014],\n        [ 4.2028, -1.1113,  3.1521]])"),
    (483, "logsigmoid(input)\n--\n\nThe logarithm of the sigmoid of each element.\n\n>>> import gt\n>>> gt.logsigmoid(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[-0.2014, -0.9741, -0.1269],\n        [-0.6931, -1.3133, -0.0486]])"),
    (484, "rsub(input, other)\n--\n\nThe second element less the first.\n\n>>> import gt\n>>> gt.rsub(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[-1.0000, -1.5000,  0.5000],\n        [ 1.0000, -0.5000,  1.0000]])"),
    (485, "addcdiv(input, tensor1, tensor2, value=1)\n--\n\ninput + value tensor1 / tensor2, element by element.\n\n>>> import gt\n>>> gt.addcdiv(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]), gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]), gt.tensor([1.5, -0.5, 2.0]), value=0.5)\ntensor([[1.5833, 2.0000, 2.8750],\n        [4.2500, 4.0000, 4.5000]])"),
    (486, "logaddexp(input, other)\n--\n\nlog(exp(a) + exp(b)) of two elements.\n\n>>> import gt\n>>> gt.logaddexp(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[ 1.8133, -0.2986,  2.9741],\n        [ 1.3133, -0.5259,  4.3133]])"),
    (487, "hypot(input, other)\n--\n\nThe longest side of a right triangle with two elements as its legs.\n\n>>> import gt\n>>> gt.hypot(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]), gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[1.5207, 2.5495, 4.0311],\n        [4.0697, 5.0990, 6.7082]])"),
    (488, "heaviside(input, values)\n--\n\nZero where an element is negative, one where it is positive, else a value.\n\n>>> import gt\n>>> gt.heaviside(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]))\ntensor([[1., 0., 1.],\n        [1., 0., 1.]])"),
    (489, "nan_to_num(input, nan=None, posinf=None, neginf=None)\n--\n\nEach element, or a number where it is infinite or not a number.\n\n>>> import gt\n>>> gt.nan_to_num(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 0.0000, -1.0000,  3.0000]])"),
    (490, "log_softmax(input, dim, dtype=None)\n--\n\nThe logarithm of the softmax along an axis.\n\n>>> import gt\n>>> gt.log_softmax(gt.tensor([[1.5, -0.5, 2.0, 0.0, -1.0], [3.0, 0.5, -2.0, 2.5, 1.0]]), -1)\ntensor([[-1.1279, -3.1279, -0.6279, -2.6279, -3.6279],\n        [-0.6047, -3.1047, -5.6047, -1.1047, -2.6047]])"),
    (491, "softmin(input, dim, dtype=None)\n--\n\nExponentials of the negative elements along an axis, scaled so that they sum to one.\n\n>>> import gt\n>>> gt.softmin(gt.tensor([[1.5, -0.5, 2.0, 0.0, -1.0], [3.0, 0.5, -2.0, 2.5, 1.0]]), -1)\ntensor([[0.0390, 0.2880, 0.0236, 0.1747, 0.4748],\n        [0.0059, 0.0714, 0.8698, 0.0097, 0.0433]])"),
    (492, "ravel(input)\n--\n\nThe elements along one axis.\n\n>>> import gt\n>>> gt.ravel(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([ 1.5000, -0.5000,  2.0000,  0.0000, -1.0000,  3.0000])"),
    (496, "sinc(input)\n--\n\nsin(πx) / πx of each element, and one at zero.\n\n>>> import gt\n>>> gt.sinc(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]))\ntensor([[-2.1221e-01,  6.3662e-01,  2.7828e-08],\n        [ 2.7828e-08, -2.7828e-08, -2.5305e-09]])"),
    (503, "index_select(input, dim, index)\n--\n\nThe parts of a tensor that a list of positions names along an axis.\n\n>>> import gt\n>>> gt.index_select(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), 0, gt.tensor([1, 3, 1, 3, 1])).shape\n(5, 3)"),
    (504, "index_add(input, dim, index, source, alpha=1)\n--\n\nThe tensor with parts of another added at the positions a list names along an axis.\n\n>>> import gt\n>>> gt.index_add(gt.tensor(1.5), 0, gt.tensor([0]), gt.tensor(-0.5), alpha=2)\ntensor(0.5000)"),
    (505, "index_copy(input, dim, index, source)\n--\n\nThe tensor with parts of another at the positions a list names along an axis.\n\n>>> import gt\n>>> gt.index_copy(gt.tensor(1.5), 0, gt.tensor([0]), gt.tensor(-0.5))\ntensor(-0.5000)"),
    (506, "index_fill(input, dim, index, value)\n--\n\nThe tensor with a number at the positions a list names along an axis.\n\n>>> import gt\n>>> gt.index_fill(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), 0, gt.tensor([1, 3, 1, 3, 1]), 1.5)\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 1.5000,  1.5000,  1.5000],\n        [ 0.5000, -2.0000,  2.5000],\n        [ 1.5000,  1.5000,  1.5000]])"),
    (507, "take(input, index)\n--\n\nThe elements with these numbers, counted row by row.\n\n>>> import gt\n>>> gt.take(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), gt.tensor([[1, 3, 5], [7, 9, 11]]))\ntensor([[-0.5000,  0.0000,  3.0000],\n        [-2.0000,  1.0000,  4.0000]])"),
    (508, "scatter(input, dim, index, src, reduce=None)\n--\n\nThe tensor with elements of another, or a number, at the places an index names.\n\n>>> import gt\n>>> gt.scatter(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), 0, gt.tensor([[1, 3], [1, 3]]), gt.tensor([[1.5, -0.5], [2.0, 0.0]]), reduce=\"add\")\ntensor([[ 1.5000, -0.5000,  2.0000],\n        [ 3.5000, -1.0000,  3.0000],\n        [ 0.5000, -2.0000,  2.5000],\n        [ 1.0000, -2.0000,  4.0000]])"),
    (509, "take_along_dim(input, indices, dim=None)\n--\n\nThe elements that an index names along an axis, broadcasting; without one, among all.\n\n>>> import gt\n>>> gt.take_along_dim(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), gt.tensor([[1], [3]]), dim=0)\ntensor([[ 0.0000, -1.0000,  3.0000],\n        [ 1.0000, -1.5000,  4.0000]])"),
    (510, "masked_scatter(input, mask, source)\n--\n\nThe tensor with the elements of another, one after another, where the mask holds.\n\n>>> import gt\n>>> gt.masked_scatter(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[True, False, True], [False, True, False]]), gt.tensor([0.5, -2.0, 2.5, 1.0, -1.5, 4.0, 1.5]))\ntensor([[ 0.5000, -0.5000, -2.0000],\n        [ 0.0000,  2.5000,  3.0000]])"),
    (511, "one_hot(input, num_classes)\n--\n\nFor each number a row of zeros with a one at its place.\n\n>>> import gt\n>>> gt.one_hot(gt.tensor([1, 0, 2, 1]), 3)\ntensor([[0, 1, 0],\n        [1, 0, 0],\n        [0, 0, 1],\n        [0, 1, 0]])"),
    (512, "sort(input, dim=-1, descending=False, stable=False)\n--\n\nThe elements in order along an axis, and where they were; equal ones keep their order.\n\n>>> import gt\n>>> gt.sort(gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0, 3.0]), stable=True)\nsort(values=tensor([-1.0000, -0.5000,  0.0000,  1.5000,  2.0000,  3.0000]), indices=tensor([4, 1, 3, 0, 2, 5]))"),
    (513, "argsort(input, dim=-1, descending=False, stable=False)\n--\n\nWhere the elements are that come first, second and so on along an axis.\n\n>>> import gt\n>>> gt.argsort(gt.tensor([1.5, -0.5, 2.0, 0.0, -1.0, 3.0]), stable=True)\ntensor([4, 1, 3, 0, 2, 5])"),
    (518, "cummax(input, dim)\n--\n\nThe largest of each element and those before it along an axis, and where it is.\n\n>>> import gt\n>>> gt.cummax(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), 0)\ncummax(values=tensor([[ 1.5000, -0.5000,  2.0000,  0.0000],\n        [ 1.5000,  3.0000,  2.0000,  0.0000],\n        [ 2.5000,  3.0000,  2.0000,  4.0000]]), indices=tensor([[0, 0, 0, 0],\n        [0, 1, 0, 0],\n        [2, 1, 0, 2]]))"),
    (519, "cummin(input, dim)\n--\n\nThe smallest of each element and those before it along an axis, and where it is.\n\n>>> import gt\n>>> gt.cummin(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), 0)\ncummin(values=tensor([[ 1.5000, -0.5000,  2.0000,  0.0000],\n        [-1.0000, -0.5000,  0.5000, -2.0000],\n        [-1.0000, -0.5000, -1.5000, -2.0000]]), indices=tensor([[0, 0, 0, 0],\n        [1, 0, 1, 1],\n        [1, 0, 2, 1]]))"),
    (520, "isclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False)\n--\n\nWhether two elements differ by no more than the tolerances allow.\n\n>>> import gt\n>>> gt.isclose(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([[0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), rtol=0.5, atol=0.1)\ntensor([[False, False,  True],\n        [False,  True,  True]])"),
    (560, "standardize(input, dim, eps=1e-5)\n--\n\nThe elements with mean zero and variance one along axes, their mean, and the reciprocal of their standard deviation.\n\n>>> import gt\n>>> gt.standardize(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), (-1,))\nstandardize(result=tensor([[ 0.7276, -1.2127,  1.2127, -0.7276],\n        [-0.5974,  1.5266,  0.1991, -1.1283],\n        [ 0.4924, -0.2462, -1.4771,  1.2309]]), mean=tensor([[0.7500],\n        [0.1250],\n        [1.5000]]), rstd=tensor([[0.9701],\n        [0.5310],\n        [0.4924]]))"),
    (561, "conv_transpose2d(input, weight, stride=1, padding=0, output_padding=0, groups=1, dilation=1)\n--\n\nThe adjoint of a convolution: images (N, O, H, W), filters (O, C / groups, kH, kW).\n\n>>> import gt\n>>> gt.conv_transpose2d(gt.ones(2, 3, 4, 3), gt.ones(3, 2, 3, 2), stride=(1, 1), padding=(0, 0), output_padding=(0, 0), dilation=(1, 1)).shape\n(2, 2, 6, 4)"),
    (562, "max_pool2d_with_places(input, kernel_size, stride, padding=0, dilation=1)\n--\n\nThe largest element under each position of a window, and its place in the window.\n\n>>> import gt\n>>> gt.max_pool2d_with_places(gt.tensor([[[[1.5, -0.5, 2.0, 0.0, -1.0, 3.0], [0.5, -2.0, 2.5, 1.0, -1.5, 4.0]]]]), (2, 3), (2, 3), padding=(0, 0), dilation=(1, 1))\nmax_pool2d_with_places(values=tensor([[[[2.5000, 4.0000]]]]), places=tensor([[[[5, 5]]]]))"),
    (563, "avg_pool2d_of_windows(input, kernel_size, stride, padding=0, count_include_pad=True)\n--\n\nThe mean of the elements under each position of a window.\n\n>>> import gt\n>>> gt.avg_pool2d_of_windows(gt.ones(2, 2, 4, 6), (2, 3), (2, 3), padding=(0, 0)).shape\n(2, 2, 2, 2)"),
    (569, "rms_standardize(input, dim, eps=1e-5)\n--\n\nThe elements divided by the root of their mean square along axes, and the reciprocal of that root.\n\n>>> import gt\n>>> gt.rms_standardize(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), (-1,))\nrms_standardize(result=tensor([[ 1.1767, -0.3922,  1.5689,  0.0000],\n        [-0.5298,  1.5894,  0.2649, -1.0596],\n        [ 0.9901,  0.3961, -0.5941,  1.5842]]), rstd=tensor([[0.7845],\n        [0.5298],\n        [0.3961]]))"),
    (645, "asin(input)\n--\n\nThe angle whose sine is each element.\n\n>>> import gt\n>>> gt.asin(gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]))\ntensor([[0.5236, 0.2527, 0.8481],\n        [0.1253, 1.0654, 0.6751]])"),
    (646, "acos(input)\n--\n\nThe angle whose cosine is each element.\n\n>>> import gt\n>>> gt.acos(gt.tensor([[0.5, 0.25, 0.75], [0.125, 0.875, 0.625]]))\ntensor([[1.0472, 1.3181, 0.7227],\n        [1.4455, 0.5054, 0.8957]])"),
    (647, "atan(input)\n--\n\nThe angle whose tangent is each element.\n\n>>> import gt\n>>> gt.atan(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor([[ 0.9828, -0.4636,  1.1071],\n        [ 0.0000, -0.7854,  1.2490]])"),
    (648, "atan2(input, other)\n--\n\nThe angle of the point whose height is the first element and whose width the second.\n\n>>> import gt\n>>> gt.atan2(gt.tensor([[1.5, -0.5, 2.0], [4.0, -1.0, 3.0]]), gt.tensor([[0.25, -2.5, 3.5], [0.75, -5.0, 6.0]]))\ntensor([[ 1.4056, -2.9442,  0.5191],\n        [ 1.3854, -2.9442,  0.4636]])"),
    (649, "diagonal(input, offset=0, dim1=0, dim2=1)\n--\n\nThe diagonal of two axes, along an axis of its own that comes last.\n\n>>> import gt\n>>> gt.diagonal(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]))\ntensor([ 1.5000,  3.0000, -1.5000])"),
    (650, "diagonal_scatter(input, src, offset=0, dim1=0, dim2=1)\n--\n\nThe tensor with other elements on a diagonal of two of its axes.\n\n>>> import gt\n>>> gt.diagonal_scatter(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), gt.tensor([1.5, -0.5, 2.0]))\ntensor([[ 1.5000, -0.5000,  2.0000,  0.0000],\n        [-1.0000, -0.5000,  0.5000, -2.0000],\n        [ 2.5000,  1.0000,  2.0000,  4.0000]])"),
    (651, "median(input, dim=None, keepdim=None)\n--\n\nThe element in the middle of all; of two, the smaller one.\n\n>>> import gt\n>>> gt.median(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]))\ntensor(0.)"),
    (653, "searchsorted(sorted_sequence, input, out_int32=False, right=False, side=None, sorter=None)\n--\n\nWhere elements would stand among sorted ones: before those that are equal, or after.\n\n>>> import gt\n>>> gt.searchsorted(gt.tensor([1.5, -0.5, 2.0, 0.0]), gt.tensor([[-1.0, 3.0, 0.5], [-2.0, 2.5, 1.0]]))\ntensor([[0, 4, 2],\n        [0, 4, 2]])"),
    (654, "bucketize(input, boundaries, out_int32=False, right=False)\n--\n\nBetween which boundaries each element lies: the number of the upper one.\n\n>>> import gt\n>>> gt.bucketize(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0]]), gt.tensor([0.5, -2.0, 2.5, 1.0]))\ntensor([[3, 1, 3],\n        [1, 1, 4]])"),
    (680, "lstm_steps(input, weight, hidden, cell)\n--\n\nUp to 64 steps of an LSTM, or a single one, from the products of their inputs with the input weights: the hidden states, the cell states, and the four gates of each step.\n\n>>> import gt\n>>> gt.lstm_steps(gt.tensor([[[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]]), gt.tensor([[1.5], [-0.5], [2.0], [0.0]]), gt.tensor([[-1.0], [3.0], [0.5]]), gt.tensor([[-2.0], [2.5], [1.0]]))\nlstm_steps(hidden=tensor([[[-0.3808],\n         [ 0.1186],\n         [ 0.2260]]]), cell=tensor([[[-1.0000],\n         [ 3.0146],\n         [ 0.2343]]]), gates=tensor([[[[ 0.5000],\n          [ 0.9707],\n          [ 0.9627]],\n<BLANKLINE>\n         [[ 0.5000],\n          [ 0.8176],\n          [ 0.6792]],\n<BLANKLINE>\n         [[ 0.0000],\n          [ 1.0000],\n          [-0.4621]],\n<BLANKLINE>\n         [[ 0.5000],\n          [ 0.1192],\n          [ 0.9820]]]]))"),
    (682, "linear(input, weight, bias)\n--\n\ninput @ weight.T + bias, for a matrix and a vector.\n\n>>> import gt\n>>> gt.linear(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0]]), gt.tensor([2.5, 1.0]))\ntensor([[ 9.0000, -1.0000],\n        [ 0.5000, 15.2500],\n        [ 2.7500, -7.2500]])"),
    (683, "linear_without_bias(input, weight)\n--\n\ninput @ weight.T, for a matrix.\n\n>>> import gt\n>>> gt.linear_without_bias(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0]]))\ntensor([[ 6.5000, -2.0000],\n        [-2.0000, 14.2500],\n        [ 0.2500, -8.2500]])"),
    (684, "attend(query, key, value, scale, is_causal=False)\n--\n\nValues weighted by the softmax of the products of queries and keys, times a scale, and the logarithm of what the weights were divided by. If it is causal, a query sees no key after its own place. The weights are zero if all products are minus infinity.\n\n>>> import gt\n>>> gt.attend(gt.tensor([[1.5], [-0.5]]), gt.tensor([[2.0], [0.0], [-1.0]]), gt.tensor([[3.0, 0.5], [-2.0, 2.5], [1.0, -1.5]]), 0.5, is_causal=True)\nattend(result=tensor([[ 3.0000,  0.5000],\n        [-0.1123,  1.7449]]), logsumexp=tensor([[1.5000],\n        [0.4741]]))"),
    (686, "layer_norm_affine(input, weight, bias, eps=1e-5)\n--\n\nThe elements with mean zero and variance one along the axes of the weight, times the weight and plus the bias; their mean, and the reciprocal of their standard deviation.\n\n>>> import gt\n>>> gt.layer_norm_affine(gt.tensor([[1.5, -0.5, 2.0, 0.0], [-1.0, 3.0, 0.5, -2.0], [2.5, 1.0, -1.5, 4.0]]), gt.tensor([1.5, -0.5, 2.0, 0.0]), gt.tensor([-1.0, 3.0, 0.5, -2.0]))\nlayer_norm_affine(result=tensor([[ 0.0914,  3.6063,  2.9253, -2.0000],\n        [-1.8960,  2.2367,  0.8982, -2.0000],\n        [-0.2615,  3.1231, -2.4542, -2.0000]]), mean=tensor([[0.7500],\n        [0.1250],\n        [1.5000]]), rstd=tensor([[0.9701],\n        [0.5310],\n        [0.4924]]))"),
    (688, "gru_steps(input, weight, bias, hidden)\n--\n\nUp to 64 steps of a GRU, or a single one, from the products of their inputs with the input weights: the hidden states, and of each step its three gates and the product that is reset.\n\n>>> import gt\n>>> gt.gru_steps(gt.tensor([[[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5]]]), gt.tensor([[1.0], [-1.5], [4.0]]), gt.tensor([1.5, -0.5, 2.0]), gt.tensor([[0.0], [-1.0], [3.0]]))\ngru_steps(hidden=tensor([[[ 0.7305],\n         [-0.0290],\n         [ 1.0018]]]), gates=tensor([[[[ 9.5257e-01],\n          [ 6.2246e-01],\n          [ 9.9331e-01]],\n<BLANKLINE>\n         [[ 2.6894e-01],\n          [ 5.0000e-01],\n          [ 9.1105e-04]],\n<BLANKLINE>\n         [[ 9.9919e-01],\n          [ 9.4195e-01],\n          [ 1.0000e+00]],\n<BLANKLINE>\n         [[ 2.0000e+00],\n          [-2.0000e+00],\n          [ 1.4000e+01]]]]))"),
    (690, "embedding(weight, index, dim=0)\n--\n\nThe rows of a table that positions name. A position that counts from the end is a mistake.\n\n>>> import gt\n>>> gt.embedding(gt.tensor([[1.5, -0.5, 2.0], [0.0, -1.0, 3.0], [0.5, -2.0, 2.5], [1.0, -1.5, 4.0]]), gt.tensor([[1, 3, 1], [3, 1, 3]])).shape\n(2, 3, 3)"),
    (691, "safe_softmax(input, dim)\n--\n\nExponentials along an axis, scaled so that they sum to one; zeros where all elements are minus infinity, as those of a query that sees no key are.\n\n>>> import gt\n>>> gt.safe_softmax(gt.tensor([[1.5, -0.5, 2.0, 0.0, -1.0], [3.0, 0.5, -2.0, 2.5, 1.0]]), -1)\ntensor([[0.3237, 0.0438, 0.5337, 0.0722, 0.0266],\n        [0.5462, 0.0448, 0.0037, 0.3313, 0.0739]])"),
];
