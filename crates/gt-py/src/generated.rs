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

    /// The positions of the elements that are not zero, a row each.
    #[pyo3(name = "nonzero", text_signature = "($self)")]
    fn op_nonzero(slf: &Bound<'_, Self>) -> PyResult<Tensor> {
        unary(143, slf)
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
