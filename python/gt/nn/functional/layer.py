"""What layers compute: products with weights, looked up rows, dropped elements."""

from __future__ import annotations

from gt import _gt
from gt._gt import Tensor
from gt.autograd.precision import full_precision
from gt.nn.functional.activation import written
from gt.nn.functional.checks import demand_float, named, rounded_once, same_dtype

pad = _gt.pad


@named
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`.

    >>> import gt
    >>> gt.nn.functional.linear(gt.ones(1, 2), gt.tensor([[1.0, 2.0]]), gt.tensor([3.0]))
    tensor([[6.]])
    """
    if weight.ndim == 2 and input.ndim > 0:
        if bias is None:
            return _gt.linear_without_bias(input, weight)
        if bias.ndim == 1:
            return _gt.linear(input, weight, bias)
    if input.dtype != weight.dtype or (bias is not None and bias.dtype != weight.dtype):
        same_dtype("linear", input=input, weight=weight, bias=bias)
    number = bias is not None and bias.ndim == 0 and input.ndim != 2
    if weight.ndim not in (1, 2) or (weight.ndim == 1 and bias is not None and not number):
        raise RuntimeError(f"linear: a weight of shape {tuple(weight.shape)} is not a matrix")
    product = input @ (weight.T if weight.ndim == 2 else weight)
    if bias is None:
        return product
    result = product + alike(bias, product)
    if result.shape != product.shape:
        raise RuntimeError(f"linear: a bias of shape {tuple(bias.shape)} does not fit the result")
    return result


def alike(bias: Tensor, product: Tensor) -> Tensor:
    """The bias in the precision of what it is added to: `autocast` lowers that of products."""
    return bias if bias.dtype == product.dtype else bias.to(product.dtype)


@named
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """The product of two inputs with a weight for each pair of their elements."""
    same_dtype("bilinear", input1=input1, input2=input2, weight=weight, bias=bias)
    result = _gt.einsum("...i,oij,...j->...o", [input1, weight, input2])
    return result if bias is None else result + bias


@named
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` that `input` names; the row `padding_idx` is not learned."""
    if max_norm is not None or scale_grad_by_freq:
        raise NotImplementedError("embedding: max_norm and scale_grad_by_freq are not supported")
    if padding_idx is not None:
        place = padding_idx % weight.shape[0]
        constant = (_gt.arange(0, weight.shape[0]) == place).unsqueeze(-1)
        weight = _gt.where(constant, weight.detach(), weight)
    return _gt.embedding(weight, input)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """The elements, each set to zero with probability `p`, the others scaled up for it."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, not {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return written(input, input * 0, inplace)
    demand_float("dropout", input)
    kept = _gt.rand(input.shape) >= p
    return written(input, input * kept.to(input.dtype) * (1 / (1 - p)), inplace)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """The channels (N, C, ...), each set to zero with probability `p`, the others scaled up."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, not {p}")
    if input.ndim < 2:
        raise RuntimeError(f"dropout2d: expected (N, C, ...), not shape {tuple(input.shape)}")
    if not training or p == 0:
        return input
    demand_float("dropout2d", input)
    shape = (*input.shape[:2], *[1] * (input.ndim - 2))
    factor = dropout(_gt.ones(shape, dtype=input.dtype), p)
    return written(input, input * factor, inplace)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """The channels (N, C, L) or (C, L), each set to zero with probability `p`."""
    if input.ndim not in (2, 3):
        raise RuntimeError(f"dropout1d: expected (N, C, L) or (C, L), not {tuple(input.shape)}")
    if input.ndim == 3 or inplace:
        return dropout2d(input if input.ndim == 3 else input.unsqueeze(0), p, training, inplace)
    return dropout2d(input.unsqueeze(0), p, training).squeeze(0)


@named
@full_precision
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along an axis."""
    dtype = _gt.promote_types(x1.dtype, x2.dtype)
    if not dtype.is_floating_point:
        raise RuntimeError(f"cosine_similarity: {dtype.name} has no cosines; make it float first")

    def cosine(a: Tensor, b: Tensor) -> Tensor:
        product = a * b
        a, b = a.expand(product.shape), b.expand(product.shape)
        lengths = _gt.norm(a, 2.0, dim).clamp(min=eps) * _gt.norm(b, 2.0, dim).clamp(min=eps)
        return product.sum(dim) / lengths

    x1, x2 = x1.to(dtype), x2.to(dtype)
    if _gt._autocast()[0] is not None:
        # There it is one of those that have the precision of float32.
        return cosine(x1, x2)
    return rounded_once(cosine, x1, x2)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """For each class a row of zeros with a one at its place; without their number, it is read.

    >>> import gt
    >>> gt.nn.functional.one_hot(gt.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if num_classes == -1:
        if not tensor.numel():
            raise RuntimeError("one_hot: of no classes, their number must be given")
        num_classes = int(tensor.max().item()) + 1
        if int(tensor.min().item()) < 0:
            raise RuntimeError("one_hot: class values must be non-negative")
    return _gt.one_hot(tensor, num_classes)
