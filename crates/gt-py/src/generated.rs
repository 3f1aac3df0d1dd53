//! The methods and operators of `Tensor`, made from the op table by `cargo xtask generate`; not edited by hand.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::call::{binary, in_place, method, method_in_place, reflected, unary};
use crate::tensor::Tensor;

#[pymethods]
impl Tensor {
    /// The sum of two tensors, element by element.
    #[pyo3(name = "add", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_add<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(1, slf, args, kwargs)
    }

    /// The sum of two tensors, element by element. Writes the result into the tensor.
    #[pyo3(name = "add_", text_signature = "($self, other)", signature = (*args, **kwargs))]
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

    /// The difference of two tensors, element by element.
    #[pyo3(name = "sub", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_sub<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(2, slf, args, kwargs)
    }

    /// The difference of two tensors, element by element. Writes the result into the tensor.
    #[pyo3(name = "sub_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_sub_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(2, slf, args, kwargs)
    }

    /// The difference of two tensors, element by element.
    #[pyo3(name = "subtract", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_subtract<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(2, slf, args, kwargs)
    }

    /// The difference of two tensors, element by element. Writes the result into the tensor.
    #[pyo3(name = "subtract_", text_signature = "($self, other)", signature = (*args, **kwargs))]
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

    /// The product of two tensors, element by element.
    #[pyo3(name = "mul", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_mul<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(3, slf, args, kwargs)
    }

    /// The product of two tensors, element by element. Writes the result into the tensor.
    #[pyo3(name = "mul_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_mul_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(3, slf, args, kwargs)
    }

    /// The product of two tensors, element by element.
    #[pyo3(name = "multiply", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_multiply<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(3, slf, args, kwargs)
    }

    /// The product of two tensors, element by element. Writes the result into the tensor.
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

    /// The quotient of two tensors, element by element.
    #[pyo3(name = "div", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_div<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(4, slf, args, kwargs)
    }

    /// The quotient of two tensors, element by element. Writes the result into the tensor.
    #[pyo3(name = "div_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_div_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(4, slf, args, kwargs)
    }

    /// The quotient of two tensors, element by element.
    #[pyo3(name = "divide", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_divide<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(4, slf, args, kwargs)
    }

    /// The quotient of two tensors, element by element. Writes the result into the tensor.
    #[pyo3(name = "divide_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_divide_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(4, slf, args, kwargs)
    }

    /// The quotient of two tensors, element by element.
    #[pyo3(name = "true_divide", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_true_divide<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(4, slf, args, kwargs)
    }

    /// The quotient of two tensors, element by element. Writes the result into the tensor.
    #[pyo3(name = "true_divide_", text_signature = "($self, other)", signature = (*args, **kwargs))]
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

    /// Each element of the first tensor to the power of the second.
    #[pyo3(name = "pow", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_pow<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(5, slf, args, kwargs)
    }

    /// Each element of the first tensor to the power of the second. Writes the result into the tensor.
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

    /// The larger of two elements; not a number if one of them is not.
    #[pyo3(name = "maximum", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_maximum<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(6, slf, args, kwargs)
    }

    /// The smaller of two elements; not a number if one of them is not.
    #[pyo3(name = "minimum", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_minimum<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(7, slf, args, kwargs)
    }

    /// Each element with the other sign.
    #[pyo3(name = "neg", text_signature = "($self)")]
    fn op_neg(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(20, slf)
    }

    /// Each element with the other sign. Writes the result into the tensor.
    #[pyo3(name = "neg_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_neg_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(20, slf, args, kwargs)
    }

    /// Each element with the other sign.
    #[pyo3(name = "negative", text_signature = "($self)")]
    fn op_negative(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(20, slf)
    }

    /// Each element with the other sign. Writes the result into the tensor.
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

    /// The size of each element without its sign.
    #[pyo3(name = "abs", text_signature = "($self)")]
    fn op_abs(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(21, slf)
    }

    /// The size of each element without its sign. Writes the result into the tensor.
    #[pyo3(name = "abs_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_abs_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(21, slf, args, kwargs)
    }

    /// The size of each element without its sign.
    #[pyo3(name = "absolute", text_signature = "($self)")]
    fn op_absolute(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(21, slf)
    }

    /// The size of each element without its sign. Writes the result into the tensor.
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

    /// e to the power of each element.
    #[pyo3(name = "exp", text_signature = "($self)")]
    fn op_exp(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(22, slf)
    }

    /// e to the power of each element. Writes the result into the tensor.
    #[pyo3(name = "exp_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_exp_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(22, slf, args, kwargs)
    }

    /// The natural logarithm of each element.
    #[pyo3(name = "log", text_signature = "($self)")]
    fn op_log(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(23, slf)
    }

    /// The natural logarithm of each element. Writes the result into the tensor.
    #[pyo3(name = "log_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_log_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(23, slf, args, kwargs)
    }

    /// The square root of each element.
    #[pyo3(name = "sqrt", text_signature = "($self)")]
    fn op_sqrt(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(24, slf)
    }

    /// The square root of each element. Writes the result into the tensor.
    #[pyo3(name = "sqrt_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sqrt_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(24, slf, args, kwargs)
    }

    /// The hyperbolic tangent of each element.
    #[pyo3(name = "tanh", text_signature = "($self)")]
    fn op_tanh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(25, slf)
    }

    /// The hyperbolic tangent of each element. Writes the result into the tensor.
    #[pyo3(name = "tanh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_tanh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(25, slf, args, kwargs)
    }

    /// 1 / (1 + exp(-x)) of each element.
    #[pyo3(name = "sigmoid", text_signature = "($self)")]
    fn op_sigmoid(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(26, slf)
    }

    /// 1 / (1 + exp(-x)) of each element. Writes the result into the tensor.
    #[pyo3(name = "sigmoid_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sigmoid_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(26, slf, args, kwargs)
    }

    /// Each element, or zero where it is negative.
    #[pyo3(name = "relu", text_signature = "($self)")]
    fn op_relu(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(27, slf)
    }

    /// Each element, or zero where it is negative. Writes the result into the tensor.
    #[pyo3(name = "relu_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_relu_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(27, slf, args, kwargs)
    }

    /// The quotient of two elements, rounded down.
    #[pyo3(name = "floor_divide", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_floor_divide<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(380, slf, args, kwargs)
    }

    /// The quotient of two elements, rounded down. Writes the result into the tensor.
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

    /// What is left of a division rounded down; it has the sign of the divisor.
    #[pyo3(name = "remainder", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_remainder<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(381, slf, args, kwargs)
    }

    /// What is left of a division rounded down; it has the sign of the divisor. Writes the result into the tensor.
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

    /// What is left of a division cut towards zero; it has the sign of the dividend.
    #[pyo3(name = "fmod", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_fmod<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(382, slf, args, kwargs)
    }

    /// What is left of a division cut towards zero; it has the sign of the dividend. Writes the result into the tensor.
    #[pyo3(name = "fmod_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_fmod_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(382, slf, args, kwargs)
    }

    /// Each element, or the nearer limit where it is beyond one.
    #[pyo3(name = "clamp", text_signature = "($self, min=None, max=None)", signature = (*args, **kwargs))]
    fn op_clamp<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(384, slf, args, kwargs)
    }

    /// Each element, or the nearer limit where it is beyond one. Writes the result into the tensor.
    #[pyo3(name = "clamp_", text_signature = "($self, min=None, max=None)", signature = (*args, **kwargs))]
    fn op_clamp_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(384, slf, args, kwargs)
    }

    /// Each element, or the nearer limit where it is beyond one.
    #[pyo3(name = "clip", text_signature = "($self, min=None, max=None)", signature = (*args, **kwargs))]
    fn op_clip<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(384, slf, args, kwargs)
    }

    /// Each element, or the nearer limit where it is beyond one. Writes the result into the tensor.
    #[pyo3(name = "clip_", text_signature = "($self, min=None, max=None)", signature = (*args, **kwargs))]
    fn op_clip_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(384, slf, args, kwargs)
    }

    /// input + weight (end - input), element by element.
    #[pyo3(name = "lerp", text_signature = "($self, end, weight)", signature = (*args, **kwargs))]
    fn op_lerp<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(385, slf, args, kwargs)
    }

    /// input + weight (end - input), element by element. Writes the result into the tensor.
    #[pyo3(name = "lerp_", text_signature = "($self, end, weight)", signature = (*args, **kwargs))]
    fn op_lerp_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(385, slf, args, kwargs)
    }

    /// input + value tensor1 tensor2, element by element.
    #[pyo3(name = "addcmul", text_signature = "($self, tensor1, tensor2, value=1)", signature = (*args, **kwargs))]
    fn op_addcmul<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(386, slf, args, kwargs)
    }

    /// input + value tensor1 tensor2, element by element. Writes the result into the tensor.
    #[pyo3(name = "addcmul_", text_signature = "($self, tensor1, tensor2, value=1)", signature = (*args, **kwargs))]
    fn op_addcmul_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(386, slf, args, kwargs)
    }

    /// The tensor with a number where the mask holds.
    #[pyo3(name = "masked_fill", text_signature = "($self, mask, value)", signature = (*args, **kwargs))]
    fn op_masked_fill<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(387, slf, args, kwargs)
    }

    /// The tensor with a number where the mask holds. Writes the result into the tensor.
    #[pyo3(name = "masked_fill_", text_signature = "($self, mask, value)", signature = (*args, **kwargs))]
    fn op_masked_fill_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(387, slf, args, kwargs)
    }

    /// -1, 0 or 1, as each element is negative, zero or positive.
    #[pyo3(name = "sign", text_signature = "($self)")]
    fn op_sign(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(300, slf)
    }

    /// -1, 0 or 1, as each element is negative, zero or positive. Writes the result into the tensor.
    #[pyo3(name = "sign_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sign_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(300, slf, args, kwargs)
    }

    /// -1, 0 or 1, as each element is negative, zero or positive.
    #[pyo3(name = "sgn", text_signature = "($self)")]
    fn op_sgn(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(300, slf)
    }

    /// -1, 0 or 1, as each element is negative, zero or positive. Writes the result into the tensor.
    #[pyo3(name = "sgn_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sgn_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(300, slf, args, kwargs)
    }

    /// The largest whole number that is not above each element.
    #[pyo3(name = "floor", text_signature = "($self)")]
    fn op_floor(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(301, slf)
    }

    /// The largest whole number that is not above each element. Writes the result into the tensor.
    #[pyo3(name = "floor_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_floor_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(301, slf, args, kwargs)
    }

    /// The smallest whole number that is not below each element.
    #[pyo3(name = "ceil", text_signature = "($self)")]
    fn op_ceil(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(302, slf)
    }

    /// The smallest whole number that is not below each element. Writes the result into the tensor.
    #[pyo3(name = "ceil_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_ceil_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(302, slf, args, kwargs)
    }

    /// The whole number nearest to each element; of two, the even one.
    #[pyo3(name = "round", text_signature = "($self)")]
    fn op_round(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(303, slf)
    }

    /// The whole number nearest to each element; of two, the even one. Writes the result into the tensor.
    #[pyo3(name = "round_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_round_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(303, slf, args, kwargs)
    }

    /// Each element without its fraction.
    #[pyo3(name = "trunc", text_signature = "($self)")]
    fn op_trunc(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(304, slf)
    }

    /// Each element without its fraction. Writes the result into the tensor.
    #[pyo3(name = "trunc_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_trunc_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(304, slf, args, kwargs)
    }

    /// Each element without its fraction.
    #[pyo3(name = "fix", text_signature = "($self)")]
    fn op_fix(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(304, slf)
    }

    /// Each element without its fraction. Writes the result into the tensor.
    #[pyo3(name = "fix_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_fix_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(304, slf, args, kwargs)
    }

    /// One over each element.
    #[pyo3(name = "reciprocal", text_signature = "($self)")]
    fn op_reciprocal(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(305, slf)
    }

    /// One over each element. Writes the result into the tensor.
    #[pyo3(name = "reciprocal_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_reciprocal_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(305, slf, args, kwargs)
    }

    /// One over the square root of each element.
    #[pyo3(name = "rsqrt", text_signature = "($self)")]
    fn op_rsqrt(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(306, slf)
    }

    /// One over the square root of each element. Writes the result into the tensor.
    #[pyo3(name = "rsqrt_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_rsqrt_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(306, slf, args, kwargs)
    }

    /// Each element times itself.
    #[pyo3(name = "square", text_signature = "($self)")]
    fn op_square(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(307, slf)
    }

    /// Each element times itself. Writes the result into the tensor.
    #[pyo3(name = "square_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_square_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(307, slf, args, kwargs)
    }

    /// exp(x) - 1 of each element, exact near zero.
    #[pyo3(name = "expm1", text_signature = "($self)")]
    fn op_expm1(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(308, slf)
    }

    /// exp(x) - 1 of each element, exact near zero. Writes the result into the tensor.
    #[pyo3(name = "expm1_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_expm1_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(308, slf, args, kwargs)
    }

    /// log(1 + x) of each element, exact near zero.
    #[pyo3(name = "log1p", text_signature = "($self)")]
    fn op_log1p(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(309, slf)
    }

    /// log(1 + x) of each element, exact near zero. Writes the result into the tensor.
    #[pyo3(name = "log1p_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_log1p_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(309, slf, args, kwargs)
    }

    /// The logarithm of each element to the base of two.
    #[pyo3(name = "log2", text_signature = "($self)")]
    fn op_log2(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(310, slf)
    }

    /// The logarithm of each element to the base of two. Writes the result into the tensor.
    #[pyo3(name = "log2_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_log2_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(310, slf, args, kwargs)
    }

    /// The sine of each element.
    #[pyo3(name = "sin", text_signature = "($self)")]
    fn op_sin(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(311, slf)
    }

    /// The sine of each element. Writes the result into the tensor.
    #[pyo3(name = "sin_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sin_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(311, slf, args, kwargs)
    }

    /// The cosine of each element.
    #[pyo3(name = "cos", text_signature = "($self)")]
    fn op_cos(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(312, slf)
    }

    /// The cosine of each element. Writes the result into the tensor.
    #[pyo3(name = "cos_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_cos_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(312, slf, args, kwargs)
    }

    /// The tangent of each element.
    #[pyo3(name = "tan", text_signature = "($self)")]
    fn op_tan(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(313, slf)
    }

    /// The tangent of each element. Writes the result into the tensor.
    #[pyo3(name = "tan_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_tan_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(313, slf, args, kwargs)
    }

    /// The error function of each element.
    #[pyo3(name = "erf", text_signature = "($self)")]
    fn op_erf(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(314, slf)
    }

    /// The error function of each element. Writes the result into the tensor.
    #[pyo3(name = "erf_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_erf_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(314, slf, args, kwargs)
    }

    /// The logarithm of each element to the base of ten.
    #[pyo3(name = "log10", text_signature = "($self)")]
    fn op_log10(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(465, slf)
    }

    /// The logarithm of each element to the base of ten. Writes the result into the tensor.
    #[pyo3(name = "log10_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_log10_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(465, slf, args, kwargs)
    }

    /// Two to the power of each element.
    #[pyo3(name = "exp2", text_signature = "($self)")]
    fn op_exp2(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(466, slf)
    }

    /// Two to the power of each element. Writes the result into the tensor.
    #[pyo3(name = "exp2_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_exp2_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(466, slf, args, kwargs)
    }

    /// One less the error function of each element.
    #[pyo3(name = "erfc", text_signature = "($self)")]
    fn op_erfc(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(467, slf)
    }

    /// One less the error function of each element. Writes the result into the tensor.
    #[pyo3(name = "erfc_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_erfc_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(467, slf, args, kwargs)
    }

    /// The fraction of each element, with its sign.
    #[pyo3(name = "frac", text_signature = "($self)")]
    fn op_frac(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(468, slf)
    }

    /// The fraction of each element, with its sign. Writes the result into the tensor.
    #[pyo3(name = "frac_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_frac_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(468, slf, args, kwargs)
    }

    /// sin(πx) / πx of each element, and one at zero.
    #[pyo3(name = "sinc", text_signature = "($self)")]
    fn op_sinc(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(496, slf)
    }

    /// sin(πx) / πx of each element, and one at zero. Writes the result into the tensor.
    #[pyo3(name = "sinc_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sinc_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(496, slf, args, kwargs)
    }

    /// The hyperbolic sine of each element.
    #[pyo3(name = "sinh", text_signature = "($self)")]
    fn op_sinh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(470, slf)
    }

    /// The hyperbolic sine of each element. Writes the result into the tensor.
    #[pyo3(name = "sinh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_sinh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(470, slf, args, kwargs)
    }

    /// The hyperbolic cosine of each element.
    #[pyo3(name = "cosh", text_signature = "($self)")]
    fn op_cosh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(471, slf)
    }

    /// The hyperbolic cosine of each element. Writes the result into the tensor.
    #[pyo3(name = "cosh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_cosh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(471, slf, args, kwargs)
    }

    /// The number whose hyperbolic sine is each element.
    #[pyo3(name = "asinh", text_signature = "($self)")]
    fn op_asinh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(472, slf)
    }

    /// The number whose hyperbolic sine is each element. Writes the result into the tensor.
    #[pyo3(name = "asinh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_asinh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(472, slf, args, kwargs)
    }

    /// The number whose hyperbolic sine is each element.
    #[pyo3(name = "arcsinh", text_signature = "($self)")]
    fn op_arcsinh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(472, slf)
    }

    /// The number whose hyperbolic sine is each element. Writes the result into the tensor.
    #[pyo3(name = "arcsinh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_arcsinh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(472, slf, args, kwargs)
    }

    /// The number whose hyperbolic cosine is each element.
    #[pyo3(name = "acosh", text_signature = "($self)")]
    fn op_acosh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(473, slf)
    }

    /// The number whose hyperbolic cosine is each element. Writes the result into the tensor.
    #[pyo3(name = "acosh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_acosh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(473, slf, args, kwargs)
    }

    /// The number whose hyperbolic cosine is each element.
    #[pyo3(name = "arccosh", text_signature = "($self)")]
    fn op_arccosh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(473, slf)
    }

    /// The number whose hyperbolic cosine is each element. Writes the result into the tensor.
    #[pyo3(name = "arccosh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_arccosh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(473, slf, args, kwargs)
    }

    /// The number whose hyperbolic tangent is each element.
    #[pyo3(name = "atanh", text_signature = "($self)")]
    fn op_atanh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(474, slf)
    }

    /// The number whose hyperbolic tangent is each element. Writes the result into the tensor.
    #[pyo3(name = "atanh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_atanh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(474, slf, args, kwargs)
    }

    /// The number whose hyperbolic tangent is each element.
    #[pyo3(name = "arctanh", text_signature = "($self)")]
    fn op_arctanh(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(474, slf)
    }

    /// The number whose hyperbolic tangent is each element. Writes the result into the tensor.
    #[pyo3(name = "arctanh_", text_signature = "($self)", signature = (*args, **kwargs))]
    fn op_arctanh_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(474, slf, args, kwargs)
    }

    /// input + value tensor1 / tensor2, element by element.
    #[pyo3(name = "addcdiv", text_signature = "($self, tensor1, tensor2, value=1)", signature = (*args, **kwargs))]
    fn op_addcdiv<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(485, slf, args, kwargs)
    }

    /// input + value tensor1 / tensor2, element by element. Writes the result into the tensor.
    #[pyo3(name = "addcdiv_", text_signature = "($self, tensor1, tensor2, value=1)", signature = (*args, **kwargs))]
    fn op_addcdiv_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(485, slf, args, kwargs)
    }

    /// log(exp(a) + exp(b)) of two elements.
    #[pyo3(name = "logaddexp", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_logaddexp<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(486, slf, args, kwargs)
    }

    /// The longest side of a right triangle with two elements as its legs.
    #[pyo3(name = "hypot", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_hypot<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(487, slf, args, kwargs)
    }

    /// The longest side of a right triangle with two elements as its legs. Writes the result into the tensor.
    #[pyo3(name = "hypot_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_hypot_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(487, slf, args, kwargs)
    }

    /// Zero where an element is negative, one where it is positive, else a value.
    #[pyo3(name = "heaviside", text_signature = "($self, values)", signature = (*args, **kwargs))]
    fn op_heaviside<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(488, slf, args, kwargs)
    }

    /// Zero where an element is negative, one where it is positive, else a value. Writes the result into the tensor.
    #[pyo3(name = "heaviside_", text_signature = "($self, values)", signature = (*args, **kwargs))]
    fn op_heaviside_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(488, slf, args, kwargs)
    }

    /// Each element, or a number where it is infinite or not a number.
    #[pyo3(name = "nan_to_num", text_signature = "($self, nan=None, posinf=None, neginf=None)", signature = (*args, **kwargs))]
    fn op_nan_to_num<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(489, slf, args, kwargs)
    }

    /// Each element, or a number where it is infinite or not a number. Writes the result into the tensor.
    #[pyo3(name = "nan_to_num_", text_signature = "($self, nan=None, posinf=None, neginf=None)", signature = (*args, **kwargs))]
    fn op_nan_to_num_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(489, slf, args, kwargs)
    }

    /// Each element times the share of the normal distribution below it.
    #[pyo3(name = "gelu", text_signature = "($self, approximate=None)", signature = (*args, **kwargs))]
    fn op_gelu<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(330, slf, args, kwargs)
    }

    /// Each element times its sigmoid.
    #[pyo3(name = "silu", text_signature = "($self)")]
    fn op_silu(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(331, slf)
    }

    /// log(1 + exp(beta x)) / beta of each element; x itself above the threshold.
    #[pyo3(name = "softplus", text_signature = "($self, beta=1.0, threshold=20.0)", signature = (*args, **kwargs))]
    fn op_softplus<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(332, slf, args, kwargs)
    }

    /// Each element, or a small part of it where it is negative.
    #[pyo3(name = "leaky_relu", text_signature = "($self, negative_slope=0.01)", signature = (*args, **kwargs))]
    fn op_leaky_relu<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(333, slf, args, kwargs)
    }

    /// Each element, or alpha (exp(x) - 1) where it is negative.
    #[pyo3(name = "elu", text_signature = "($self, alpha=1.0)", signature = (*args, **kwargs))]
    fn op_elu<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(334, slf, args, kwargs)
    }

    /// Each element, or the nearer limit where it is beyond one.
    #[pyo3(name = "hardtanh", text_signature = "($self, min_val=-1.0, max_val=1.0)", signature = (*args, **kwargs))]
    fn op_hardtanh<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(475, slf, args, kwargs)
    }

    /// Each element, or zero where it is negative, or six where it is above.
    #[pyo3(name = "relu6", text_signature = "($self)")]
    fn op_relu6(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(476, slf)
    }

    /// Each element times a straight line that goes from zero at -3 to one at 3.
    #[pyo3(name = "hardswish", text_signature = "($self)")]
    fn op_hardswish(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(477, slf)
    }

    /// A straight line that goes from zero at -3 to one at 3.
    #[pyo3(name = "hardsigmoid", text_signature = "($self)")]
    fn op_hardsigmoid(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(478, slf)
    }

    /// Each element that is above a threshold, and a number for the others.
    #[pyo3(name = "threshold", text_signature = "($self, threshold, value)", signature = (*args, **kwargs))]
    fn op_threshold<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(479, slf, args, kwargs)
    }

    /// Each element times the hyperbolic tangent of its softplus.
    #[pyo3(name = "mish", text_signature = "($self)")]
    fn op_mish(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(480, slf)
    }

    /// Each element, or alpha (exp(x / alpha) - 1) where it is negative.
    #[pyo3(name = "celu", text_signature = "($self, alpha=1.0)", signature = (*args, **kwargs))]
    fn op_celu<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(481, slf, args, kwargs)
    }

    /// A scaled elu that keeps a normal distribution normal.
    #[pyo3(name = "selu", text_signature = "($self)")]
    fn op_selu(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(482, slf)
    }

    /// The logarithm of the sigmoid of each element.
    #[pyo3(name = "logsigmoid", text_signature = "($self)")]
    fn op_logsigmoid(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(483, slf)
    }

    /// Whether each element is not a number.
    #[pyo3(name = "isnan", text_signature = "($self)")]
    fn op_isnan(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(350, slf)
    }

    /// Whether each element is infinite.
    #[pyo3(name = "isinf", text_signature = "($self)")]
    fn op_isinf(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(351, slf)
    }

    /// Whether each element is a number and finite.
    #[pyo3(name = "isfinite", text_signature = "($self)")]
    fn op_isfinite(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(352, slf)
    }

    /// Whether each element is zero.
    #[pyo3(name = "logical_not", text_signature = "($self)")]
    fn op_logical_not(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(353, slf)
    }

    /// Whether both elements are not zero.
    #[pyo3(name = "logical_and", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_logical_and<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(354, slf, args, kwargs)
    }

    /// Whether one of two elements is not zero.
    #[pyo3(name = "logical_or", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_logical_or<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(355, slf, args, kwargs)
    }

    /// Whether exactly one of two elements is not zero.
    #[pyo3(name = "logical_xor", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_logical_xor<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(356, slf, args, kwargs)
    }

    /// The bits that both elements have.
    #[pyo3(name = "bitwise_and", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_and<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(357, slf, args, kwargs)
    }

    /// The bits that both elements have. Writes the result into the tensor.
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

    /// The bits that one of two elements has.
    #[pyo3(name = "bitwise_or", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_or<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(358, slf, args, kwargs)
    }

    /// The bits that one of two elements has. Writes the result into the tensor.
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

    /// The bits that exactly one of two elements has.
    #[pyo3(name = "bitwise_xor", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_xor<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(359, slf, args, kwargs)
    }

    /// The bits that exactly one of two elements has. Writes the result into the tensor.
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

    /// The other bits of each element; the other truth of booleans.
    #[pyo3(name = "bitwise_not", text_signature = "($self)")]
    fn op_bitwise_not(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(360, slf)
    }

    /// The other bits of each element; the other truth of booleans. Writes the result into the tensor.
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

    /// The bits of each element moved up.
    #[pyo3(name = "bitwise_left_shift", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_left_shift<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(361, slf, args, kwargs)
    }

    /// The bits of each element moved up. Writes the result into the tensor.
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

    /// The bits of each element moved down.
    #[pyo3(name = "bitwise_right_shift", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_bitwise_right_shift<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(362, slf, args, kwargs)
    }

    /// The bits of each element moved down. Writes the result into the tensor.
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

    /// Whether two elements are equal.
    #[pyo3(name = "eq", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_eq<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(60, slf, args, kwargs)
    }

    /// Whether two elements are equal. Writes the result into the tensor.
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

    /// Whether two elements differ.
    #[pyo3(name = "ne", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_ne<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(61, slf, args, kwargs)
    }

    /// Whether two elements differ. Writes the result into the tensor.
    #[pyo3(name = "ne_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_ne_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(61, slf, args, kwargs)
    }

    /// Whether two elements differ.
    #[pyo3(name = "not_equal", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_not_equal<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(61, slf, args, kwargs)
    }

    /// Whether two elements differ. Writes the result into the tensor.
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

    /// Whether the first element is smaller.
    #[pyo3(name = "lt", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_lt<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(62, slf, args, kwargs)
    }

    /// Whether the first element is smaller. Writes the result into the tensor.
    #[pyo3(name = "lt_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_lt_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(62, slf, args, kwargs)
    }

    /// Whether the first element is smaller.
    #[pyo3(name = "less", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_less<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(62, slf, args, kwargs)
    }

    /// Whether the first element is smaller. Writes the result into the tensor.
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

    /// Whether the first element is smaller or equal.
    #[pyo3(name = "le", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_le<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(63, slf, args, kwargs)
    }

    /// Whether the first element is smaller or equal. Writes the result into the tensor.
    #[pyo3(name = "le_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_le_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(63, slf, args, kwargs)
    }

    /// Whether the first element is smaller or equal.
    #[pyo3(name = "less_equal", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_less_equal<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(63, slf, args, kwargs)
    }

    /// Whether the first element is smaller or equal. Writes the result into the tensor.
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

    /// Whether the first element is larger.
    #[pyo3(name = "gt", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_gt<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(64, slf, args, kwargs)
    }

    /// Whether the first element is larger. Writes the result into the tensor.
    #[pyo3(name = "gt_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_gt_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(64, slf, args, kwargs)
    }

    /// Whether the first element is larger.
    #[pyo3(name = "greater", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_greater<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(64, slf, args, kwargs)
    }

    /// Whether the first element is larger. Writes the result into the tensor.
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

    /// Whether the first element is larger or equal.
    #[pyo3(name = "ge", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_ge<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(65, slf, args, kwargs)
    }

    /// Whether the first element is larger or equal. Writes the result into the tensor.
    #[pyo3(name = "ge_", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_ge_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(65, slf, args, kwargs)
    }

    /// Whether the first element is larger or equal.
    #[pyo3(name = "greater_equal", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_greater_equal<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(65, slf, args, kwargs)
    }

    /// Whether the first element is larger or equal. Writes the result into the tensor.
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

    /// Whether two elements differ by no more than the tolerances allow.
    #[pyo3(name = "isclose", text_signature = "($self, other, rtol=1e-5, atol=1e-8, equal_nan=False)", signature = (*args, **kwargs))]
    fn op_isclose<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(520, slf, args, kwargs)
    }

    /// The sum of the elements along axes, or of all.
    #[pyo3(name = "sum", text_signature = "($self, dim=None, keepdim=False, dtype=None)", signature = (*args, **kwargs))]
    fn op_sum<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(80, slf, args, kwargs)
    }

    /// The mean of the elements along axes, or of all.
    #[pyo3(name = "mean", text_signature = "($self, dim=None, keepdim=False, dtype=None)", signature = (*args, **kwargs))]
    fn op_mean<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(81, slf, args, kwargs)
    }

    /// The largest element along axes, or of all.
    #[pyo3(name = "amax", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_amax<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(82, slf, args, kwargs)
    }

    /// The smallest element along axes, or of all.
    #[pyo3(name = "amin", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_amin<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(83, slf, args, kwargs)
    }

    /// The product of the elements along axes, or of all.
    #[pyo3(name = "prod", text_signature = "($self, dim=None, keepdim=False, dtype=None)", signature = (*args, **kwargs))]
    fn op_prod<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(400, slf, args, kwargs)
    }

    /// Whether an element along axes, or of all, is not zero.
    #[pyo3(name = "any", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_any<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(401, slf, args, kwargs)
    }

    /// Whether no element along axes, or of all, is zero.
    #[pyo3(name = "all", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_all<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(402, slf, args, kwargs)
    }

    /// Where the largest element is along an axis, or among all.
    #[pyo3(name = "argmax", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_argmax<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(403, slf, args, kwargs)
    }

    /// Where the smallest element is along an axis, or among all.
    #[pyo3(name = "argmin", text_signature = "($self, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_argmin<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(404, slf, args, kwargs)
    }

    /// The mean square distance of the elements from their mean.
    #[pyo3(name = "var", text_signature = "($self, dim=None, correction=1, keepdim=False)", signature = (*args, **kwargs))]
    fn op_var<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(405, slf, args, kwargs)
    }

    /// The square root of the mean square distance of the elements from their mean.
    #[pyo3(name = "std", text_signature = "($self, dim=None, correction=1, keepdim=False)", signature = (*args, **kwargs))]
    fn op_std<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(406, slf, args, kwargs)
    }

    /// The length of the elements along axes, or of all: the p-th root of their p-th powers.
    #[pyo3(name = "norm", text_signature = "($self, p=2.0, dim=None, keepdim=False)", signature = (*args, **kwargs))]
    fn op_norm<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(407, slf, args, kwargs)
    }

    /// The logarithm of the sum of the exponentials along axes.
    #[pyo3(name = "logsumexp", text_signature = "($self, dim, keepdim=False)", signature = (*args, **kwargs))]
    fn op_logsumexp<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(408, slf, args, kwargs)
    }

    /// The sum of each element and those before it along an axis.
    #[pyo3(name = "cumsum", text_signature = "($self, dim, dtype=None)", signature = (*args, **kwargs))]
    fn op_cumsum<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(409, slf, args, kwargs)
    }

    /// The product of each element and those before it along an axis.
    #[pyo3(name = "cumprod", text_signature = "($self, dim, dtype=None)", signature = (*args, **kwargs))]
    fn op_cumprod<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(410, slf, args, kwargs)
    }

    /// Matrix products of the last two axes; those before them broadcast.
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

    /// The product of two matrices.
    #[pyo3(name = "mm", text_signature = "($self, mat2)", signature = (*args, **kwargs))]
    fn op_mm<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(456, slf, args, kwargs)
    }

    /// The products of the matrices in two stacks of the same height.
    #[pyo3(name = "bmm", text_signature = "($self, mat2)", signature = (*args, **kwargs))]
    fn op_bmm<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(457, slf, args, kwargs)
    }

    /// The product of a matrix and a vector.
    #[pyo3(name = "mv", text_signature = "($self, vec)", signature = (*args, **kwargs))]
    fn op_mv<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(458, slf, args, kwargs)
    }

    /// The sum of the products of two vectors' elements.
    #[pyo3(name = "dot", text_signature = "($self, tensor)", signature = (*args, **kwargs))]
    fn op_dot<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(459, slf, args, kwargs)
    }

    /// The sum of the products of two vectors' elements.
    #[pyo3(name = "vdot", text_signature = "($self, tensor)", signature = (*args, **kwargs))]
    fn op_vdot<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(459, slf, args, kwargs)
    }

    /// The product of each element of a vector with each of another.
    #[pyo3(name = "outer", text_signature = "($self, vec2)", signature = (*args, **kwargs))]
    fn op_outer<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(460, slf, args, kwargs)
    }

    /// The product of each element of a vector with each of another.
    #[pyo3(name = "ger", text_signature = "($self, vec2)", signature = (*args, **kwargs))]
    fn op_ger<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(460, slf, args, kwargs)
    }

    /// The sums of products along the last axis of each of two tensors.
    #[pyo3(name = "inner", text_signature = "($self, other)", signature = (*args, **kwargs))]
    fn op_inner<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(461, slf, args, kwargs)
    }

    /// beta input + alpha (mat1 @ mat2), for matrices.
    #[pyo3(name = "addmm", text_signature = "($self, mat1, mat2, beta=1, alpha=1)", signature = (*args, **kwargs))]
    fn op_addmm<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(462, slf, args, kwargs)
    }

    /// beta input + alpha (mat1 @ mat2), for matrices. Writes the result into the tensor.
    #[pyo3(name = "addmm_", text_signature = "($self, mat1, mat2, beta=1, alpha=1)", signature = (*args, **kwargs))]
    fn op_addmm_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(462, slf, args, kwargs)
    }

    /// beta input + alpha (batch1 @ batch2), for stacks of matrices.
    #[pyo3(name = "baddbmm", text_signature = "($self, batch1, batch2, beta=1, alpha=1)", signature = (*args, **kwargs))]
    fn op_baddbmm<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(463, slf, args, kwargs)
    }

    /// beta input + alpha (batch1 @ batch2), for stacks of matrices. Writes the result into the tensor.
    #[pyo3(name = "baddbmm_", text_signature = "($self, batch1, batch2, beta=1, alpha=1)", signature = (*args, **kwargs))]
    fn op_baddbmm_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(463, slf, args, kwargs)
    }

    /// The same elements in another shape; one size may be -1.
    #[pyo3(name = "reshape", text_signature = "($self, shape)", signature = (*args, **kwargs))]
    fn op_reshape<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(120, slf, args, kwargs)
    }

    /// The axes in another order.
    #[pyo3(name = "permute", text_signature = "($self, dims)", signature = (*args, **kwargs))]
    fn op_permute<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(121, slf, args, kwargs)
    }

    /// The tensor repeated along axes of size one; -1 keeps a size.
    #[pyo3(name = "expand", text_signature = "($self, shape)", signature = (*args, **kwargs))]
    fn op_expand<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(122, slf, args, kwargs)
    }

    /// The same elements in another shape; one size may be -1.
    #[pyo3(name = "view", text_signature = "($self, shape)", signature = (*args, **kwargs))]
    fn op_view<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(126, slf, args, kwargs)
    }

    /// Two axes exchanged.
    #[pyo3(name = "transpose", text_signature = "($self, dim0, dim1)", signature = (*args, **kwargs))]
    fn op_transpose<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(127, slf, args, kwargs)
    }

    /// Two axes exchanged.
    #[pyo3(name = "swapaxes", text_signature = "($self, dim0, dim1)", signature = (*args, **kwargs))]
    fn op_swapaxes<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(127, slf, args, kwargs)
    }

    /// Two axes exchanged.
    #[pyo3(name = "swapdims", text_signature = "($self, dim0, dim1)", signature = (*args, **kwargs))]
    fn op_swapdims<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(127, slf, args, kwargs)
    }

    /// With another axis of size one.
    #[pyo3(name = "unsqueeze", text_signature = "($self, dim)", signature = (*args, **kwargs))]
    fn op_unsqueeze<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(128, slf, args, kwargs)
    }

    /// Without the axes of size one that are named, or without any.
    #[pyo3(name = "squeeze", text_signature = "($self, dim=None)", signature = (*args, **kwargs))]
    fn op_squeeze<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(129, slf, args, kwargs)
    }

    /// The tensor with some axes that follow each other as one.
    #[pyo3(name = "flatten", text_signature = "($self, start_dim=0, end_dim=-1)", signature = (*args, **kwargs))]
    fn op_flatten<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(435, slf, args, kwargs)
    }

    /// The elements along one axis.
    #[pyo3(name = "ravel", text_signature = "($self)")]
    fn op_ravel(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(492, slf)
    }

    /// The tensor with one axis as several; one size may be -1.
    #[pyo3(name = "unflatten", text_signature = "($self, dim, sizes)", signature = (*args, **kwargs))]
    fn op_unflatten<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(436, slf, args, kwargs)
    }

    /// So many elements along an axis, from a position on.
    #[pyo3(name = "narrow", text_signature = "($self, dim, start, length)", signature = (*args, **kwargs))]
    fn op_narrow<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(437, slf, args, kwargs)
    }

    /// The tensor with some axes at other places, the others in their order.
    #[pyo3(name = "movedim", text_signature = "($self, source, destination)", signature = (*args, **kwargs))]
    fn op_movedim<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(438, slf, args, kwargs)
    }

    /// The tensor with some axes at other places, the others in their order.
    #[pyo3(name = "moveaxis", text_signature = "($self, source, destination)", signature = (*args, **kwargs))]
    fn op_moveaxis<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(438, slf, args, kwargs)
    }

    /// The tensor repeated along axes of size one until it has this shape.
    #[pyo3(name = "broadcast_to", text_signature = "($self, shape)", signature = (*args, **kwargs))]
    fn op_broadcast_to<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(439, slf, args, kwargs)
    }

    /// The tensor so many times along each axis; there may be more axes than it has.
    #[pyo3(name = "repeat", text_signature = "($self, repeats)", signature = (*args, **kwargs))]
    fn op_repeat<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(420, slf, args, kwargs)
    }

    /// The tensor so many times along each of its last axes.
    #[pyo3(name = "tile", text_signature = "($self, dims)", signature = (*args, **kwargs))]
    fn op_tile<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(421, slf, args, kwargs)
    }

    /// The tensor with the elements along axes in the opposite order.
    #[pyo3(name = "flip", text_signature = "($self, dims)", signature = (*args, **kwargs))]
    fn op_flip<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(422, slf, args, kwargs)
    }

    /// The tensor with the elements along the second axis in the opposite order.
    #[pyo3(name = "fliplr", text_signature = "($self)")]
    fn op_fliplr(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(423, slf)
    }

    /// The tensor with the elements along the first axis in the opposite order.
    #[pyo3(name = "flipud", text_signature = "($self)")]
    fn op_flipud(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(424, slf)
    }

    /// The elements moved along axes, or among all; what leaves at the end comes in again.
    #[pyo3(name = "roll", text_signature = "($self, shifts, dims=None)", signature = (*args, **kwargs))]
    fn op_roll<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(425, slf, args, kwargs)
    }

    /// The tensor turned k times by a right angle, from the first of two axes to the second.
    #[pyo3(name = "rot90", text_signature = "($self, k=1, dims=None)", signature = (*args, **kwargs))]
    fn op_rot90<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(426, slf, args, kwargs)
    }

    /// The matrix with zeros above a diagonal.
    #[pyo3(name = "tril", text_signature = "($self, diagonal=0)", signature = (*args, **kwargs))]
    fn op_tril<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(431, slf, args, kwargs)
    }

    /// The matrix with zeros above a diagonal. Writes the result into the tensor.
    #[pyo3(name = "tril_", text_signature = "($self, diagonal=0)", signature = (*args, **kwargs))]
    fn op_tril_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(431, slf, args, kwargs)
    }

    /// The matrix with zeros below a diagonal.
    #[pyo3(name = "triu", text_signature = "($self, diagonal=0)", signature = (*args, **kwargs))]
    fn op_triu<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(432, slf, args, kwargs)
    }

    /// The matrix with zeros below a diagonal. Writes the result into the tensor.
    #[pyo3(name = "triu_", text_signature = "($self, diagonal=0)", signature = (*args, **kwargs))]
    fn op_triu_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(432, slf, args, kwargs)
    }

    /// The diagonal of a matrix, or the matrix with a vector as its diagonal.
    #[pyo3(name = "diag", text_signature = "($self, diagonal=0)", signature = (*args, **kwargs))]
    fn op_diag<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(433, slf, args, kwargs)
    }

    /// The sum of a matrix's diagonal.
    #[pyo3(name = "trace", text_signature = "($self)")]
    fn op_trace(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(434, slf)
    }

    /// The elements that an index names along an axis.
    #[pyo3(name = "gather", text_signature = "($self, dim, index)", signature = (*args, **kwargs))]
    fn op_gather<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(140, slf, args, kwargs)
    }

    /// The tensor with elements of another added at the places an index names.
    #[pyo3(name = "scatter_add", text_signature = "($self, dim, index, src)", signature = (*args, **kwargs))]
    fn op_scatter_add<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(141, slf, args, kwargs)
    }

    /// The tensor with elements of another added at the places an index names. Writes the result into the tensor.
    #[pyo3(name = "scatter_add_", text_signature = "($self, dim, index, src)", signature = (*args, **kwargs))]
    fn op_scatter_add_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(141, slf, args, kwargs)
    }

    /// The k largest or smallest elements along an axis, and where they are.
    #[pyo3(name = "topk", text_signature = "($self, k, dim=-1, largest=True, sorted=True)", signature = (*args, **kwargs))]
    fn op_topk<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(142, slf, args, kwargs)
    }

    /// The elements with these numbers, counted row by row.
    #[pyo3(name = "take", text_signature = "($self, index)", signature = (*args, **kwargs))]
    fn op_take<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(507, slf, args, kwargs)
    }

    /// The parts of a tensor that a list of positions names along an axis.
    #[pyo3(name = "index_select", text_signature = "($self, dim, index)", signature = (*args, **kwargs))]
    fn op_index_select<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(503, slf, args, kwargs)
    }

    /// The tensor with parts of another added at the positions a list names along an axis.
    #[pyo3(name = "index_add", text_signature = "($self, dim, index, source, alpha=1)", signature = (*args, **kwargs))]
    fn op_index_add<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(504, slf, args, kwargs)
    }

    /// The tensor with parts of another added at the positions a list names along an axis. Writes the result into the tensor.
    #[pyo3(name = "index_add_", text_signature = "($self, dim, index, source, alpha=1)", signature = (*args, **kwargs))]
    fn op_index_add_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(504, slf, args, kwargs)
    }

    /// The tensor with parts of another at the positions a list names along an axis.
    #[pyo3(name = "index_copy", text_signature = "($self, dim, index, source)", signature = (*args, **kwargs))]
    fn op_index_copy<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(505, slf, args, kwargs)
    }

    /// The tensor with parts of another at the positions a list names along an axis. Writes the result into the tensor.
    #[pyo3(name = "index_copy_", text_signature = "($self, dim, index, source)", signature = (*args, **kwargs))]
    fn op_index_copy_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(505, slf, args, kwargs)
    }

    /// The tensor with a number at the positions a list names along an axis.
    #[pyo3(name = "index_fill", text_signature = "($self, dim, index, value)", signature = (*args, **kwargs))]
    fn op_index_fill<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(506, slf, args, kwargs)
    }

    /// The tensor with a number at the positions a list names along an axis. Writes the result into the tensor.
    #[pyo3(name = "index_fill_", text_signature = "($self, dim, index, value)", signature = (*args, **kwargs))]
    fn op_index_fill_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(506, slf, args, kwargs)
    }

    /// The tensor with elements of another, or a number, at the places an index names.
    #[pyo3(name = "scatter", text_signature = "($self, dim, index, src, reduce=None)", signature = (*args, **kwargs))]
    fn op_scatter<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(508, slf, args, kwargs)
    }

    /// The tensor with elements of another, or a number, at the places an index names. Writes the result into the tensor.
    #[pyo3(name = "scatter_", text_signature = "($self, dim, index, src, reduce=None)", signature = (*args, **kwargs))]
    fn op_scatter_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(508, slf, args, kwargs)
    }

    /// The elements that an index names along an axis, broadcasting; without one, among all.
    #[pyo3(name = "take_along_dim", text_signature = "($self, indices, dim=None)", signature = (*args, **kwargs))]
    fn op_take_along_dim<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(509, slf, args, kwargs)
    }

    /// The tensor with the elements of another, one after another, where the mask holds.
    #[pyo3(name = "masked_scatter", text_signature = "($self, mask, source)", signature = (*args, **kwargs))]
    fn op_masked_scatter<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(510, slf, args, kwargs)
    }

    /// The tensor with the elements of another, one after another, where the mask holds. Writes the result into the tensor.
    #[pyo3(name = "masked_scatter_", text_signature = "($self, mask, source)", signature = (*args, **kwargs))]
    fn op_masked_scatter_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(510, slf, args, kwargs)
    }

    /// The elements in order along an axis, and where they were; equal ones keep their order.
    #[pyo3(name = "sort", text_signature = "($self, dim=-1, descending=False, stable=False)", signature = (*args, **kwargs))]
    fn op_sort<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(512, slf, args, kwargs)
    }

    /// Where the elements are that come first, second and so on along an axis.
    #[pyo3(name = "argsort", text_signature = "($self, dim=-1, descending=False, stable=False)", signature = (*args, **kwargs))]
    fn op_argsort<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(513, slf, args, kwargs)
    }

    /// The largest of each element and those before it along an axis, and where it is.
    #[pyo3(name = "cummax", text_signature = "($self, dim)", signature = (*args, **kwargs))]
    fn op_cummax<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(518, slf, args, kwargs)
    }

    /// The smallest of each element and those before it along an axis, and where it is.
    #[pyo3(name = "cummin", text_signature = "($self, dim)", signature = (*args, **kwargs))]
    fn op_cummin<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(519, slf, args, kwargs)
    }

    /// A tensor of zeros in the dtype of another.
    #[pyo3(name = "new_zeros", text_signature = "($self, shape, dtype=None)", signature = (*args, **kwargs))]
    fn op_new_zeros<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(497, slf, args, kwargs)
    }

    /// A tensor of zeros in the dtype of another.
    #[pyo3(name = "new_empty", text_signature = "($self, shape, dtype=None)", signature = (*args, **kwargs))]
    fn op_new_empty<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(497, slf, args, kwargs)
    }

    /// A tensor of ones in the dtype of another.
    #[pyo3(name = "new_ones", text_signature = "($self, shape, dtype=None)", signature = (*args, **kwargs))]
    fn op_new_ones<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(498, slf, args, kwargs)
    }

    /// A tensor with the same number everywhere, in the dtype of another.
    #[pyo3(name = "new_full", text_signature = "($self, shape, fill_value, dtype=None)", signature = (*args, **kwargs))]
    fn op_new_full<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(499, slf, args, kwargs)
    }

    /// One with the probability that each element says, or p, else zero.
    #[pyo3(name = "bernoulli", text_signature = "($self, p=None)", signature = (*args, **kwargs))]
    fn op_bernoulli<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(451, slf, args, kwargs)
    }

    /// Random numbers evenly between two numbers, in the shape of the tensor. Writes the result into the tensor.
    #[pyo3(name = "uniform_", text_signature = "($self, low=0.0, to=1.0)", signature = (*args, **kwargs))]
    fn op_uniform_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(452, slf, args, kwargs)
    }

    /// Random numbers with a mean and a standard deviation, in the shape of the tensor. Writes the result into the tensor.
    #[pyo3(name = "normal_", text_signature = "($self, mean=0.0, std=1.0)", signature = (*args, **kwargs))]
    fn op_normal_in_place<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method_in_place(453, slf, args, kwargs)
    }

    /// Random positions along the last axis, each as likely as its weight says.
    #[pyo3(name = "multinomial", text_signature = "($self, num_samples, replacement=False)", signature = (*args, **kwargs))]
    fn op_multinomial<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(454, slf, args, kwargs)
    }

    /// Exponentials along an axis, scaled so that they sum to one.
    #[pyo3(name = "softmax", text_signature = "($self, dim)", signature = (*args, **kwargs))]
    fn op_softmax<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(220, slf, args, kwargs)
    }

    /// The logarithm of the softmax along an axis.
    #[pyo3(name = "log_softmax", text_signature = "($self, dim)", signature = (*args, **kwargs))]
    fn op_log_softmax<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(490, slf, args, kwargs)
    }

    /// Exponentials of the negative elements along an axis, scaled so that they sum to one.
    #[pyo3(name = "softmin", text_signature = "($self, dim)", signature = (*args, **kwargs))]
    fn op_softmin<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(491, slf, args, kwargs)
    }

}
