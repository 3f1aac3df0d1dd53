"""Normalisation: elements with mean zero and variance one, in groups of many kinds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import no_grad


def _affine(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def _per_channel(tensor: Tensor | None, rank: int) -> Tensor | None:
    """A number for each channel, in a shape that goes with (N, C, …)."""
    return None if tensor is None else tensor.reshape(-1, *[1] * (rank - 2))


def layer_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Each element of the last axes less their mean, divided by their standard deviation."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if tuple(input.shape[-len(sizes) :]) != sizes:
        raise RuntimeError(
            f"layer_norm: normalized_shape={list(sizes)} does not fit an input of shape "
            f"{tuple(input.shape)}"
        )
    axes = tuple(range(-len(sizes), 0))
    return _affine(_gt.standardize(input, axes, eps)[0], weight, bias)


def rms_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Each element of the last axes divided by the root of their mean square."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    eps = _gt.finfo(input.dtype).eps if eps is None else eps
    square = (input * input).mean(tuple(range(-len(sizes), 0)), keepdim=True)
    return _affine(input * (square + eps).rsqrt(), weight, None)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalises the channels of each image in groups."""
    count, channels = input.shape[:2]
    if channels % num_groups:
        raise ValueError(f"group_norm: {channels} channels are not {num_groups} equal groups")
    size = channels // num_groups * math.prod(input.shape[2:])
    grouped = input.reshape(count, num_groups, size)
    result = _gt.standardize(grouped, -1, eps)[0].reshape(input.shape)
    rank = input.ndim
    return _affine(result, _per_channel(weight, rank), _per_channel(bias, rank))


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float | Tensor = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalises each channel over the batch, or by what was seen of it before."""
    rank = input.ndim
    if not training and running_mean is not None and running_var is not None:
        mean, spread = _per_channel(running_mean, rank), _per_channel(running_var + eps, rank)
        assert mean is not None
        assert spread is not None
        result = (input - mean) * spread.rsqrt()
    else:
        axes = (0, *range(2, rank))
        count = input.numel() // input.shape[1] if input.shape[1] else 0
        if count == 1 and training:
            raise ValueError(
                "Expected more than 1 value per channel when training, got input size "
                f"{tuple(input.shape)}"
            )
        result, mean, rstd = _gt.standardize(input, axes, eps)
        if running_mean is not None and running_var is not None and count > 1:
            with no_grad():
                variance = (1 / (rstd * rstd) - eps) * (count / (count - 1))
                _move(running_mean, mean.reshape(-1), momentum)
                _move(running_var, variance.reshape(-1), momentum)
    result = _affine(result, _per_channel(weight, rank), _per_channel(bias, rank))
    # Statistics are found in full precision under `autocast`, and the result has the input's.
    return result if result.dtype == input.dtype else result.to(input.dtype)


def _move(running: Tensor, seen: Tensor, momentum: float | Tensor) -> None:
    running.copy_(running * (1 - momentum) + seen.detach() * momentum)


def instance_norm(
    input: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalises each channel of each image."""
    rank = input.ndim
    result = _gt.standardize(input, tuple(range(2, rank)), eps)[0]
    return _affine(result, _per_channel(weight, rank), _per_channel(bias, rank))
