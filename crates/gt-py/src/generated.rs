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

    /// Exponentials along an axis, scaled so that they sum to one.
    #[pyo3(name = "softmax", text_signature = "($self, dim)", signature = (*args, **kwargs))]
    fn op_softmax<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(220, slf, args, kwargs)
    }

}
