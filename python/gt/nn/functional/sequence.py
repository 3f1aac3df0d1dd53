"""Convolution and pooling of sequences, as those of images with one row."""

from __future__ import annotations

from typing import Any

from gt._gt import Tensor
from gt.nn.functional.checks import named
from gt.nn.functional.image import (
    Sizes,
    adaptive_avg_pool2d,
    avg_pool2d,
    conv2d,
    conv_transpose2d,
    max_pool2d,
)


def _one(value: Sizes) -> int:
    if isinstance(value, int):
        return value
    (only,) = value
    return only


@named
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution of sequences (N, C, L) or of one sequence (C, L)."""
    sides: Sizes | str = padding if isinstance(padding, str) else (0, _one(padding))
    steps, apart = (1, _one(stride)), (1, _one(dilation))
    rows, weight = _rows(input, "conv1d"), weight.unsqueeze(-2)
    return conv2d(rows, weight, bias, steps, sides, apart, groups).squeeze(-2)


@named
def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element under each position of a window, and where it is if asked.

    >>> import gt
    >>> gt.nn.functional.max_pool1d(gt.tensor([[1.0, 5.0, 7.0, 3.0]]), 2)
    tensor([[5., 7.]])
    """
    size = _one(kernel_size)
    found, places = max_pool2d(
        _rows(input, "max_pool1d"),
        (1, size),
        (1, _one(stride or size)),
        (0, _one(padding)),
        (1, _one(dilation)),
        ceil_mode,
        True,
    )
    return (found.squeeze(-2), places.squeeze(-2)) if return_indices else found.squeeze(-2)


@named
def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of the elements under each position of a window."""
    size = _one(kernel_size)
    window = ((1, size), (1, _one(stride or size)), (0, _one(padding)))
    rows = _rows(input, "avg_pool1d")
    return avg_pool2d(rows, *window, ceil_mode, count_include_pad).squeeze(-2)


@named
def adaptive_avg_pool1d(input: Tensor, output_size: Sizes) -> Tensor:
    """The means of parts of about equal size, as many as `output_size` says."""
    rows = _rows(input, "adaptive_avg_pool1d")
    return adaptive_avg_pool2d(rows, (None, _one(output_size))).squeeze(-2)


@named
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """The adjoint of a convolution: longer sequences from shorter ones."""
    return conv_transpose2d(
        _rows(input, "conv_transpose1d"),
        weight.unsqueeze(-2),
        bias,
        (1, _one(stride)),
        (0, _one(padding)),
        (0, _one(output_padding)),
        groups,
        (1, _one(dilation)),
    ).squeeze(-2)


def _rows(input: Tensor, name: str) -> Tensor:
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"{name}: expected sequences (N, C, L) or one (C, L), not an input of shape "
            f"{tuple(input.shape)}"
        )
    return input.unsqueeze(-2)
