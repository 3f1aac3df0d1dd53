"""Functions of each element, and along an axis."""

from __future__ import annotations

import warnings
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.nn.functional.checks import demand_float, floating, named, rounded_once, same_dtype


def written(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """The result, or the input with the result written into it."""
    return input.copy_(result) if inplace else result


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The element, or zero if it is negative."""
    return input.relu_() if inplace else input.relu()


@floating
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """The element, or a part of it if it is negative."""
    return written(input, _gt.leaky_relu(input, negative_slope), inplace)


@floating
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The element, or an exponential if it is negative."""
    return written(input, _gt.elu(input, alpha), inplace)


@floating
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """The element times the probability that a normal number is smaller."""
    return _gt.gelu(input, approximate)


@floating
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """The element times its sigmoid."""
    return written(input, _gt.silu(input), inplace)


@floating
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """A smooth relu."""
    return _gt.softplus(input, beta, threshold)


def sigmoid(input: Tensor) -> Tensor:
    """A number between zero and one."""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """A number between minus one and one."""
    return input.tanh()


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """Exponentials along an axis, scaled so that they sum to one."""
    input = input if dtype is None else input.to(dtype)
    demand_float("softmax", input)
    return input.softmax(_axis(input, dim))


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """The logarithm of the softmax along an axis."""
    input = input if dtype is None else input.to(dtype)
    demand_float("log_softmax", input)
    return input.log_softmax(_axis(input, dim))


def _axis(input: Tensor, dim: int | None) -> int:
    """The axis of a softmax; without one, the axis that PyTorch takes, which is seldom meant."""
    if dim is not None:
        return dim
    warnings.warn("softmax without 'dim' depends on the number of axes; give one", stacklevel=3)
    return 0 if input.ndim in (0, 1, 3) else 1


@floating
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """One half of the elements times the sigmoid of the other."""
    if input.ndim == 0 or input.shape[dim] % 2:
        raise RuntimeError(f"glu: axis {dim} of shape {tuple(input.shape)} has no two equal halves")
    first, second = input.chunk(2, dim)
    return rounded_once(lambda a, b: a * b.sigmoid(), first, second)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """The elements divided by their norm along an axis."""

    def normalized(x: Tensor) -> Tensor:
        return x / _gt.norm(x, p, dim, keepdim=True).clamp(min=eps)

    return rounded_once(normalized, input)


def softsign(input: Tensor) -> Tensor:
    """The element divided by one more than its size."""
    return rounded_once(lambda x: x / (x.abs() + 1), input)


def tanhshrink(input: Tensor) -> Tensor:
    """The element less its tanh."""
    return rounded_once(lambda x: x - x.tanh(), input)


@named
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """The element, or the part of it that its channel's weight says, if it is negative."""
    same_dtype("prelu", input=input, weight=weight)
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.numel() not in (1, channels):
        found = weight.numel()
        expected = "1 weight" if channels == 1 else f"1 weight or {channels}, one per channel"
        raise RuntimeError(f"prelu: expected {expected}, got {found}")
    # One weight adds no axis, not even to a number.
    weight = weight.reshape(-1, *[1] * (input.ndim - 2)) if weight.numel() > 1 else weight.squeeze()
    return _gt.where(input > 0, input, weight * input)


relu6, hardtanh, hardswish, hardsigmoid = _gt.relu6, _gt.hardtanh, _gt.hardswish, _gt.hardsigmoid
mish, celu, selu = floating(_gt.mish), floating(_gt.celu), floating(_gt.selu)
logsigmoid = floating(_gt.logsigmoid)
softmin = floating(_gt.softmin)
threshold = _gt.threshold
