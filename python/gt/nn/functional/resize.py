"""Images in other sizes: interpolated, shuffled from channels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.nn.functional.checks import demand_float, named
from gt.nn.functional.image import adaptive_avg_pool2d

# The number of axes that an input of each mode has, with batch and channels.
LINEAR = {"linear": 3, "bilinear": 4, "trilinear": 5}


@named
def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Images (N, C, ...) in another size, from the nearest elements or those around.

    >>> import gt
    >>> gt.nn.functional.interpolate(gt.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    if mode not in ("nearest", "nearest-exact", "area", *LINEAR) or antialias:
        what = "antialias" if antialias else f"mode={mode!r}"
        raise NotImplementedError(f"interpolate: {what} is not supported")
    if align_corners is not None and mode not in LINEAR:
        raise ValueError("align_corners goes with the modes linear, bilinear and trilinear only")
    if input.ndim not in (3, 4, 5) or LINEAR.get(mode, input.ndim) != input.ndim:
        axes = LINEAR.get(mode, "3, 4 or 5")
        raise NotImplementedError(
            f"interpolate: mode={mode!r} needs an input of {axes} axes, not {input.ndim}"
        )
    before = tuple(input.shape[2:])
    sizes, scales = _sizes(before, size, scale_factor)
    if recompute_scale_factor:
        scales = [None] * len(sizes)
    if mode == "area":
        if input.ndim != 4:
            raise NotImplementedError("interpolate: mode='area' is for images (N, C, H, W)")
        return adaptive_avg_pool2d(input, sizes)
    if mode in LINEAR:
        demand_float("interpolate", input)
    for axis, (old, new, scale) in enumerate(zip(before, sizes, scales, strict=True), 2):
        if old == 0 or new <= 0:
            raise RuntimeError(f"interpolate: {before} cannot become {tuple(sizes)}")
        # As in PyTorch, this mode alone minds a scale that does not change the size.
        if old == new and (scale is None or mode != "nearest-exact"):
            continue
        if mode in LINEAR:
            input = _between(input, axis, old, new, scale, bool(align_corners))
        else:
            shift = 0.5 if mode == "nearest-exact" else 0.0
            input = input.index_select(axis, _nearest(old, new, scale, shift))
    return input


def _sizes(
    before: tuple[int, ...], size: Any, scale_factor: Any
) -> tuple[list[int], list[float | None]]:
    """The sizes after, and the scales that were given."""
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate needs either a size or a scale_factor")
    given = scale_factor if size is None else size
    each = list(given) if isinstance(given, Sequence) else [given] * len(before)
    if len(each) != len(before):
        raise ValueError(f"interpolate: {len(each)} sizes were given for {len(before)} axes")
    if size is not None:
        return each, [None] * len(before)
    sizes = [math.floor(old * scale) for old, scale in zip(before, each, strict=True)]
    return sizes, [float(scale) for scale in each]


def _nearest(old: int, new: int, scale: float | None, shift: float) -> Tensor:
    """Which element of an axis each new one is. The places are found in float32, as PyTorch's."""
    step = old / new if scale is None else 1 / scale
    place = (_gt.arange(0, new, 1, dtype=_gt.float32) + shift) * step
    return place.floor().long().clamp(max=old - 1)


def _between(
    input: Tensor, axis: int, old: int, new: int, scale: float | None, align_corners: bool
) -> Tensor:
    """An axis in another size: each new element is a mean of two, weighted by their distance."""
    # Half precision could not tell the places of a long axis apart.
    exact = _gt.float64 if input.dtype == _gt.float64 else _gt.float32
    place = _gt.arange(0, new, 1, dtype=exact)
    if align_corners:
        place = place * ((old - 1) / (new - 1) if new > 1 else 0.0)
    else:
        step = old / new if scale is None else 1 / scale
        place = ((place + 0.5) * step - 0.5).clamp(min=0.0)
    first = place.floor().clamp(max=old - 1)
    share = (place - first).reshape(-1, *[1] * (input.ndim - axis - 1))
    lower = first.long()
    upper = (lower + 1).clamp(max=old - 1)
    wide = input.to(exact)
    left, right = wide.index_select(axis, lower), wide.index_select(axis, upper)
    return (left * (1 - share) + right * share).to(input.dtype)


@named
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels (..., C * r * r, H, W) as larger images (..., C, H * r, W * r).

    >>> import gt
    >>> gt.nn.functional.pixel_shuffle(gt.arange(4).reshape(4, 1, 1), 2)
    tensor([[[0, 1],
             [2, 3]]])
    """
    times = upscale_factor
    if input.ndim < 3 or times < 1 or input.shape[-3] % (times * times):
        raise RuntimeError(
            f"pixel_shuffle: the channels of an input of shape {tuple(input.shape)} are not a "
            f"multiple of {times} * {times}"
        )
    parts = input.unflatten(-3, (-1, times, times))
    # (..., C, r, r, H, W) as (..., C, H, r, W, r)
    lead = tuple(range(input.ndim - 3))
    count = len(lead)
    order = (*lead, count, count + 3, count + 1, count + 4, count + 2)
    return parts.permute(*order).flatten(-2).flatten(-3, -2)


@named
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Images (..., C, H * r, W * r) as channels (..., C * r * r, H, W)."""
    times = downscale_factor
    if input.ndim < 3 or times < 1 or input.shape[-2] % times or input.shape[-1] % times:
        raise RuntimeError(
            f"pixel_unshuffle: images of shape {tuple(input.shape)} cannot be cut into squares of "
            f"{times} * {times}"
        )
    parts = input.unflatten(-1, (-1, times)).unflatten(-3, (-1, times))
    # (..., C, H, r, W, r) as (..., C, r, r, H, W)
    lead = tuple(range(input.ndim - 3))
    count = len(lead)
    order = (*lead, count, count + 2, count + 4, count + 1, count + 3)
    return parts.permute(*order).flatten(-5, -3)
