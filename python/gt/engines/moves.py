"""Kernels of the reference engine that only bring elements elsewhere."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gt.engines.arrays import Array, Meta, beside, exact


def ranges(parts: list[tuple[int, int, int]]) -> tuple[Array, ...]:
    return np.ix_(*(start + step * np.arange(count) for start, count, step in parts))


def slice_(outputs: list[Meta], x: Array, parts: list[tuple[int, int, int]]) -> Array:
    return x[ranges(parts)] if parts else x


def slice_write(
    outputs: list[Meta], x: Array, part: Any, parts: list[tuple[int, int, int]]
) -> Array:
    x, part = beside(x, part)
    written = x.copy()
    written[ranges(parts) if parts else ...] = part
    return written


def diagonal(outputs: list[Meta], x: Array, axes: list[int], start: list[int]) -> Array:
    count = outputs[0][1][-1]
    moved = np.moveaxis(x, axes, (-2, -1))
    steps = np.arange(count)
    return moved[..., start[0] + steps, start[1] + steps]


def concat(outputs: list[Meta], *parts: Array, axis: int) -> Array:
    return np.concatenate(parts, axis)


def check(index: Array, allowed: range, axis: int) -> None:
    outside = index[(index < allowed.start) | (index >= allowed.stop)]
    if outside.size:
        raise IndexError(
            f"index {outside[0]} is out of bounds for dimension {axis} with size {allowed.stop}"
        )


def along(index: Array, axis: int) -> tuple[Array, ...]:
    """Give the places `[..., index[...], ...]` that a gather along an axis reads."""
    places = list(np.indices(index.shape, sparse=True))
    places[axis] = index
    return tuple(places)


def gather(outputs: list[Meta], x: Array, index: Array, axis: int) -> Array:
    check(index, range(x.shape[axis]), axis)
    return x[along(index, axis)]


def scatter(
    outputs: list[Meta], x: Array, index: Array, source: Any, axis: int, add: bool
) -> Array:
    check(index, range(x.shape[axis]), axis)
    x, source = beside(x, source)
    if source.ndim:
        source = source[tuple(slice(n) for n in index.shape)]
    return put_at(x, along(index, axis), source, add)


def put_at(x: Array, places: tuple[Any, ...], source: Array, add: bool) -> Array:
    written = exact(x).copy()
    if add:
        np.add.at(written, places, exact(source))
    else:
        written[places] = source
    return written


def take(outputs: list[Meta], x: Array, index: Array, axis: int) -> Array:
    size = x.shape[axis]
    check(index, range(-size, size), axis)
    return x[(slice(None),) * axis + (index,)]


def put(outputs: list[Meta], x: Array, index: Array, source: Any, axis: int, add: bool) -> Array:
    size = x.shape[axis]
    check(index, range(-size, size), axis)
    x, source = beside(x, source)
    return put_at(x, (slice(None),) * axis + (index % max(size, 1),), source, add)


def ravel(outputs: list[Meta], *indices: Array, sizes: list[int]) -> Array:
    for axis, (index, size) in enumerate(zip(indices, sizes, strict=True)):
        check(index, range(-size, size), axis)
    shape = outputs[0][1]
    flat = np.zeros(shape, np.int64)
    for index, size in zip(indices, sizes, strict=True):
        flat = flat * size + np.where(index < 0, index + size, index)
    return flat


Spec = dict[str, list[int]]


def positions(spec: Spec) -> list[tuple[int, ...]]:
    """Give where each element of a window is read at its first position."""
    offsets = np.ndindex(*spec["size"])
    return [tuple(at * d for at, d in zip(o, spec["dilation"], strict=True)) for o in offsets]


def window(outputs: list[Meta], x: Array, **spec: list[int]) -> Array:
    rank = len(spec["size"])
    shape = outputs[0][1]
    lead, out = shape[: -2 * rank], shape[-rank:]
    padded = np.pad(x, [(0, 0)] * len(lead) + [(p, p) for p in spec["padding"]])
    made: Array = np.zeros([*lead, math.prod(spec["size"]), *out], x.dtype)
    for place, offset in enumerate(positions(spec)):
        made[(..., place, *([slice(None)] * rank))] = padded[seen(spec, offset, out)]
    return made.reshape(shape)


def fold(outputs: list[Meta], x: Array, **spec: list[int]) -> Array:
    rank = len(spec["size"])
    shape = outputs[0][1]
    lead, out = shape[:-rank], x.shape[-rank:]
    sizes = [n + 2 * p for n, p in zip(shape[-rank:], spec["padding"], strict=True)]
    padded: Array = np.zeros([*lead, *sizes], exact(x).dtype)
    flat = x.reshape([*lead, math.prod(spec["size"]), *out])
    for place, offset in enumerate(positions(spec)):
        padded[seen(spec, offset, out)] += flat[(..., place, *([slice(None)] * rank))]
    inner = [slice(p, p + n) for p, n in zip(spec["padding"], shape[-rank:], strict=True)]
    return padded[(..., *inner)]


def seen(spec: Spec, offset: tuple[int, ...], out: Sequence[int]) -> tuple[Any, ...]:
    """Give the elements that one element of the window meets at all positions."""
    spans = zip(offset, spec["stride"], out, strict=True)
    return (..., *(slice(at, at + step * n, step) for at, step, n in spans))


def require(outputs: list[Meta], x: Array, truth: Array, message: str) -> Array:
    if not truth.all():
        raise RuntimeError(message)
    return x


def nonzero(outputs: list[Meta], x: Array) -> Array:
    return np.argwhere(x).astype(np.int64)
