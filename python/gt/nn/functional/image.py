"""Convolution and pooling of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

from gt import _gt
from gt._gt import Tensor
from gt.nn.functional.checks import demand_float, named, rounded_once, same_dtype
from gt.nn.functional.layer import alike

Sizes = int | Sequence[int]


def _two(value: Sizes) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    if len(value) == 1:
        return value[0], value[0]
    first, second = value
    return first, second


def _steps(stride: Sizes | None, kernel: tuple[int, int]) -> tuple[int, int]:
    """How far a window moves; by its own size, if that is not given."""
    return _two(stride) if isinstance(stride, int) or stride else kernel


@named
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution of images (N, C, H, W) or of one image (C, H, W)."""
    same_dtype("conv2d", input=input, weight=weight, bias=bias)
    if input.ndim == 3:
        return conv2d(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(
            0
        )
    if isinstance(padding, str):
        input, padding = _padded(input, weight, padding, _two(stride), _two(dilation))
    result = _gt.conv2d(input, weight, _two(stride), _two(padding), _two(dilation), groups)
    return result if bias is None else result + alike(bias, result).reshape(-1, 1, 1)


def _padded(
    input: Tensor, weight: Tensor, padding: str, stride: tuple[int, int], dilation: tuple[int, int]
) -> tuple[Tensor, Sizes]:
    """The images with the padding that 'same' or 'valid' means."""
    if padding == "valid":
        return input, 0
    if padding != "same":
        raise ValueError(f"padding must be 'same' or 'valid', not '{padding}'")
    if stride != (1, 1):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    sides: list[int] = []
    for size, step in zip(reversed(weight.shape[2:]), reversed(dilation), strict=True):
        total = step * (size - 1)
        sides += [total // 2, total - total // 2]
    return _gt.pad(input, sides), 0


@named
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Tensor:
    """The adjoint of a convolution: larger images from smaller ones."""
    same_dtype("conv_transpose2d", input=input, weight=weight, bias=bias)
    if input.ndim == 3:
        return conv_transpose2d(
            input.unsqueeze(0), weight, bias, stride, padding, output_padding, groups, dilation
        ).squeeze(0)
    steps, sides, more, apart = _two(stride), _two(padding), _two(output_padding), _two(dilation)
    if any(extra >= max(pair) for extra, *pair in zip(more, steps, apart, strict=True)):
        raise RuntimeError("output padding must be smaller than either stride or dilation")
    if all(extra < step for extra, step in zip(more, steps, strict=True)):
        result = _gt.conv_transpose2d(input, weight, steps, sides, more, groups, apart)
    else:
        # Beyond what a step reaches there is nothing but the bias.
        result = _gt.conv_transpose2d(input, weight, steps, (0, 0), (0, 0), groups, apart)
        ends = [(-side, extra - side) for side, extra in zip(sides, more, strict=True)]
        result = _gt.pad(result, (*ends[1], *ends[0]))
    return result if bias is None else result + alike(bias, result).reshape(-1, 1, 1)


def _demand_images(name: str, input: Tensor) -> None:
    if input.ndim != 4:
        raise RuntimeError(
            f"{name}: expected images (N, C, H, W) or one image (C, H, W), not an input of shape "
            f"{tuple(input.shape)}"
        )


def _extra(
    size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> int:
    """How much must be added at the end so that the last part of a window counts."""
    if not ceil_mode:
        return 0
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    positions = -(-span // stride) + 1
    # A window that begins in the padding at the end does not count.
    if (positions - 1) * stride >= size + padding:
        positions -= 1
    return max((positions - 1) * stride - span, 0)


def _extras(
    input: Tensor,
    kernel: tuple[int, int],
    steps: tuple[int, int],
    sides: tuple[int, int],
    apart: tuple[int, int],
    ceil_mode: bool,
) -> tuple[int, int]:
    """The same for the rows and the columns of images."""
    rows, columns = (
        _extra(input.shape[2 + a], kernel[a], steps[a], sides[a], apart[a], ceil_mode)
        for a in (0, 1)
    )
    return rows, columns


@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: bool = ...,
    return_indices: Literal[False] = ...,
) -> Tensor: ...
@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = ...,
    padding: Sizes = ...,
    dilation: Sizes = ...,
    ceil_mode: bool = ...,
    return_indices: bool = ...,
) -> Any: ...
@named
def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element under each position of a window, and where it is in its image if asked.

    >>> import gt
    >>> x = gt.tensor([[[1.0, 5.0], [7.0, 3.0]]])
    >>> gt.nn.functional.max_pool2d(x, 2, return_indices=True)
    (tensor([[[7.]]]), tensor([[[2]]]))
    """
    if input.ndim == 3:
        batch = input.unsqueeze(0)
        found, places = max_pool2d(batch, kernel_size, stride, padding, dilation, ceil_mode, True)
        return (found.squeeze(0), places.squeeze(0)) if return_indices else found.squeeze(0)
    if input.dtype == _gt.bool:
        demand_float("max_pool2d", input)
    _demand_images("max_pool2d", input)
    kernel, sides, apart = _two(kernel_size), _two(padding), _two(dilation)
    steps = _steps(stride, kernel)
    width = input.shape[3]
    rows, columns = _extras(input, kernel, steps, sides, apart, ceil_mode)
    if rows or columns:
        input = _gt.pad(input, [0, columns, 0, rows], value=float("-inf"))
    found, places = _gt.max_pool2d_with_places(input, kernel, steps, sides, apart)
    if not return_indices:
        return found
    within = (_gt.floor_divide(places, kernel[1]), places % kernel[1])
    firsts = (_gt.arange(0, places.shape[2]).unsqueeze(-1), _gt.arange(0, places.shape[3]))
    row, column = (firsts[a] * steps[a] - sides[a] + within[a] * apart[a] for a in (0, 1))
    return found, row * width + column


@named
def avg_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of the elements under each position of a window."""
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    if input.ndim == 3:
        batch = input.unsqueeze(0)
        return avg_pool2d(
            batch, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        ).squeeze(0)
    demand_float("avg_pool2d", input)
    _demand_images("avg_pool2d", input)
    kernel, sides = _two(kernel_size), _two(padding)
    steps = _steps(stride, kernel)
    more = _extras(input, kernel, steps, sides, (1, 1), ceil_mode)
    whole = count_include_pad or divisor_override is not None

    def means(images: Tensor) -> Tensor:
        if any(more):
            return _partial_means(
                images, kernel, steps, sides, more, count_include_pad, divisor_override
            )
        mean = _gt.avg_pool2d_of_windows(images, kernel, steps, sides, whole)
        if divisor_override is None:
            return mean
        return mean * (kernel[0] * kernel[1] / divisor_override)

    is_one_row = not any(more) and divisor_override is None
    return means(input) if is_one_row else rounded_once(means, input)


def _partial_means(
    input: Tensor,
    kernel: tuple[int, int],
    steps: tuple[int, int],
    sides: tuple[int, int],
    more: tuple[int, int],
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    """Means where the last windows reach beyond the padding: what is there does not count."""

    def pooled(images: Tensor, value: float) -> Tensor:
        framed = _gt.pad(images, [sides[1], sides[1], sides[0], sides[0]], value=value)
        framed = _gt.pad(framed, [0, more[1], 0, more[0]])
        return _gt.avg_pool2d_of_windows(framed, kernel, steps, (0, 0), True)

    means = pooled(input, 0.0)
    if divisor_override is not None:
        return means * (kernel[0] * kernel[1] / divisor_override)
    ones = _gt.ones((1, 1, *input.shape[2:]), dtype=input.dtype)
    return means / pooled(ones, 1.0 if count_include_pad else 0.0)


@named
def adaptive_avg_pool2d(input: Tensor, output_size: Sizes | tuple[int | None, ...]) -> Tensor:
    """The means of parts of about equal size, as many as `output_size` says."""
    demand_float("adaptive_avg_pool2d", input)
    if input.ndim not in (3, 4):
        _demand_images("adaptive_avg_pool2d", input)
    given = (output_size, output_size) if isinstance(output_size, int) else tuple(output_size)
    for axis, count in zip((-2, -1), given, strict=True):
        if count is not None and count != input.shape[axis]:
            input = _means(input, axis, count)
    return input


def _means(input: Tensor, axis: int, count: int) -> Tensor:
    """The means of `count` parts of an axis, as a product with the weights of its elements."""
    size = input.shape[axis]
    part = _gt.arange(0, count).unsqueeze(-1)
    first = _gt.floor_divide(part * size, count)
    last = _gt.floor_divide((part + 1) * size + count - 1, count)
    place = _gt.arange(0, size)
    inside = ((place >= first) & (place < last)).to(input.dtype)
    weights = inside / inside.sum(-1, keepdim=True)
    return weights @ input if axis == -2 else input @ weights.T
