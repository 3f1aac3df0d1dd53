"""Normalisation: elements with mean zero and variance one, in groups of many kinds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import no_grad
from gt.nn.functional.checks import demand_float, named, norm_dtypes


def _affine(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def _as_given(result: Tensor, input: Tensor) -> Tensor:
    """The result in the dtype of the input, unless `autocast` says which it has."""
    same = result.dtype == input.dtype or _gt._autocast()[0] is not None
    return result if same else result.to(input.dtype)


def _are_plain(input: Tensor, sizes: tuple[int, ...], *parameters: Tensor) -> bool:
    """Whether parameters have these sizes and the dtype of the input."""
    return all(p.shape == sizes and p.dtype == input.dtype for p in parameters)


def _per_channel(tensor: Tensor | None, rank: int) -> Tensor | None:
    """A number for each channel, in a shape that goes with (N, C, …)."""
    return None if tensor is None else tensor.reshape(-1, *[1] * (rank - 2))


@named
def layer_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Each element of the last axes less their mean, divided by their standard deviation."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    norm_dtypes("layer_norm", input, weight, bias)
    if not sizes or tuple(input.shape[-len(sizes) :]) != sizes:
        raise RuntimeError(
            f"layer_norm: normalized_shape={list(sizes)} does not fit an input of shape "
            f"{tuple(input.shape)}"
        )
    if weight is not None and bias is not None and _are_plain(input, sizes, weight, bias):
        result: Tensor = _gt.layer_norm_affine(input, weight, bias, eps)[0]
        return result
    axes = tuple(range(-len(sizes), 0))
    return _as_given(_affine(_gt.standardize(input, axes, eps)[0], weight, bias), input)


@named
def rms_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Each element of the last axes divided by the root of their mean square."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    demand_float("rms_norm", input)
    if not sizes or tuple(input.shape[-len(sizes) :]) != sizes:
        raise RuntimeError(
            f"rms_norm: normalized_shape={list(sizes)} does not fit an input of shape "
            f"{tuple(input.shape)}"
        )
    eps = _gt.finfo(input.dtype).eps if eps is None else eps
    result = _gt.rms_standardize(input, tuple(range(-len(sizes), 0)), eps)[0]
    return _as_given(_affine(result, weight, None), input)


@named
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalises the channels of each image in groups."""
    norm_dtypes("group_norm", input, weight, bias)
    rank, shape = input.ndim, tuple(input.shape)
    if rank < 2:
        raise RuntimeError(f"group_norm: expected an input (N, C, ...), not one of shape {shape}")
    if shape[1] % num_groups:
        raise RuntimeError(f"group_norm: {shape[1]} channels are not {num_groups} equal groups")
    if 0 in shape[1:]:
        raise RuntimeError(f"group_norm: there is nothing in an input of shape {shape}")
    if shape[0] * math.prod(shape[1:]) == num_groups:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {shape}"
        )
    grouped = input.unflatten(1, (num_groups, shape[1] // num_groups)).flatten(2)
    result = _gt.standardize(grouped, -1, eps)[0].reshape(shape)
    result = _affine(result, _per_channel(weight, rank), _per_channel(bias, rank))
    return _as_given(result, input)


@named
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
    norm_dtypes("batch_norm", input, running_mean, running_var, weight, bias)
    rank = input.ndim
    if rank < 2 and not (training and input.numel() == 1):
        raise IndexError(f"batch_norm: expected (N, C, ...), not shape {tuple(input.shape)}")
    if not training and running_mean is not None and running_var is not None:
        result = _by_memory(input, running_mean, running_var, eps)
    else:
        axes = (0, *range(2, rank))
        count = math.prod(input.shape[axis] for axis in axes)
        if count == 1 and training:
            raise ValueError(
                "Expected more than 1 value per channel when training, got input size "
                f"{tuple(input.shape)}"
            )
        result, mean, rstd = _gt.standardize(input, axes, eps)
        # Where nothing was seen, there is nothing to remember.
        if running_mean is not None and running_var is not None and count > 1:
            with no_grad():
                variance = (1 / (rstd * rstd) - eps) * (count / (count - 1))
                _move(running_mean, mean.reshape(-1), momentum)
                _move(running_var, variance.reshape(-1), momentum)
    result = _affine(result, _per_channel(weight, rank), _per_channel(bias, rank))
    # Statistics are found in full precision under `autocast`, and the result has the input's.
    return result if result.dtype == input.dtype else result.to(input.dtype)


def _by_memory(input: Tensor, mean: Tensor, variance: Tensor, eps: float) -> Tensor:
    """The input less a mean that was seen before, divided by a deviation that was seen before."""
    centre, spread = (_per_channel(t, input.ndim) for t in (mean, variance + eps))
    assert centre is not None
    assert spread is not None
    return (input - centre) * spread.rsqrt()


def _move(running: Tensor, seen: Tensor, momentum: float | Tensor) -> None:
    running.copy_(running * (1 - momentum) + seen.detach() * momentum)


@named
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float | Tensor = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalises each channel of each image, or by what was seen of all images before."""
    norm_dtypes("instance_norm", input, running_mean, running_var, weight, bias)
    if input.ndim < 2 and not use_input_stats:
        raise IndexError(f"instance_norm: expected (N, C, ...), not shape {tuple(input.shape)}")
    rank, axes = input.ndim, tuple(range(2, input.ndim))
    if use_input_stats:
        count = math.prod(input.shape[axis] for axis in axes)
        if count == 1:
            raise ValueError(
                "Expected more than 1 spatial element when training, got input size "
                f"{tuple(input.shape)}"
            )
        result, mean, rstd = _gt.standardize(input, axes, eps)
        if running_mean is not None and running_var is not None and count > 1:
            with no_grad():
                variance = (1 / (rstd * rstd) - eps) * (count / (count - 1))
                _move(running_mean, mean.flatten(1).mean(0), momentum)
                _move(running_var, variance.flatten(1).mean(0), momentum)
    elif running_mean is None or running_var is None:
        raise RuntimeError(
            "instance_norm: without use_input_stats, running_mean and running_var must be given"
        )
    else:
        result = _by_memory(input, running_mean, running_var, eps)
    result = _affine(result, _per_channel(weight, rank), _per_channel(bias, rank))
    return _as_given(result, input)
