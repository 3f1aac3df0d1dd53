"""The reference engine: each kind of kernel in the plainest form that NumPy has for it.

It is slow and meant to be read. What the other engines compute is compared with it. Floats are
computed in float64 and rounded once.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gt.engines import philox

Array = NDArray[Any]
Meta = tuple[str, list[int]]

# NumPy has no bfloat16, and its float16 is no quicker: both are kept in float32 while computing.
HALVES = ("float16", "bfloat16")


def run(kind: str, params: dict[str, Any], inputs: Sequence[Any], outputs: list[Meta]) -> list[Any]:
    """Run one kernel: `(dtype, shape, bytes)` or a number for each input, and the same back."""
    operands = [decode(*given) if isinstance(given, tuple) else given for given in inputs]
    with np.errstate(all="ignore"):
        made = KERNELS[kind](outputs, *operands, **params)
        results = made if isinstance(made, tuple) else (made,)
        return [encode(array, meta) for array, meta in zip(results, outputs, strict=True)]


def decode(dtype: str, shape: list[int], data: bytes) -> Array:
    """Give the elements as an array."""
    if dtype == "bfloat16":
        bits = np.frombuffer(data, np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).reshape(shape)
    array = np.frombuffer(data, dtype).reshape(shape)
    return array.astype(np.float32) if dtype in HALVES else array


def encode(array: Array, meta: Meta) -> tuple[list[int], bytes]:
    """Give the shape and the elements of an array, row by row."""
    dtype = meta[0]
    array = convert(np.asarray(array), dtype)
    if dtype == "bfloat16":
        bits = np.ascontiguousarray(array).view(np.uint32)
        nearest = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        stored = np.where(np.isnan(array), (bits >> 16) | 0x40, nearest).astype(np.uint16)
    else:
        stored = array.astype(dtype)
    return list(array.shape), stored.tobytes()


def numpy_dtype(dtype: str) -> Any:
    """Give the dtype that an array has while it is computed with."""
    return np.dtype(np.float32 if dtype in HALVES else dtype)


def convert(array: Array, dtype: str) -> Array:
    """Turn into another dtype: fractions are cut, and what is too large is the largest."""
    target = numpy_dtype(dtype)
    if target.kind not in "iu" or array.dtype.kind != "f":
        return array.astype(target)
    # Small whole numbers wrap, as they do in PyTorch.
    middle = np.iinfo(np.int64 if target == np.int64 else np.int32)
    whole = np.trunc(np.where(np.isnan(array), 0, array).astype(np.float64))
    low, high = whole <= middle.min, whole >= middle.max
    within = np.where(low | high, 0, whole).astype(np.int64)
    return np.where(low, middle.min, np.where(high, middle.max, within)).astype(target)


def exact(x: Array) -> Array:
    """Give floats in float64, and everything else as it is."""
    return x.astype(np.float64) if x.dtype.kind == "f" else x


def beside(*operands: Any, dtype: DTypeLike = None) -> list[Array]:
    """Give numbers the dtype of the tensors beside them."""
    arrays = [x for x in operands if isinstance(x, np.ndarray)]
    common = arrays[0].dtype if arrays else np.dtype(dtype)
    return [x if isinstance(x, np.ndarray) else number(x, common) for x in operands]


def number(x: Any, dtype: np.dtype[Any]) -> Array:
    """Give a number as an array without axes."""
    return convert(np.asarray(x), dtype.name)


# Creation. What is made like a tensor is given it.


def fill(outputs: list[Meta], *like: Array, value: Any) -> Array:
    dtype, shape = outputs[0]
    return np.full(shape, number(value, numpy_dtype(dtype)))


def iota(outputs: list[Meta], *like: Array, start: Any, step: Any) -> Array:
    dtype, shape = outputs[0]
    numbers = np.arange(math.prod(shape)).reshape(shape)
    if isinstance(start, float) or isinstance(step, float):
        wide = start + step * numbers.astype(np.float64)
        return wide.astype(np.int64) if numpy_dtype(dtype).kind in "iu" else wide
    return np.int64(start) + np.int64(step) * numbers


def random(
    outputs: list[Meta],
    *like: Array,
    distribution: Any,
    seed: int,
    rng_index: int,
    whole: list[int],
    start: list[int],
) -> Array:
    dtype, shape = outputs[0]
    part = np.ix_(*(np.arange(first, first + n) for first, n in zip(start, shape, strict=True)))
    numbers = np.arange(math.prod(whole), dtype=np.uint64).reshape(whole)[part if shape else ()]
    return philox.numbers(distribution, dtype, seed, rng_index, numbers.reshape(shape))


# Functions of each element.

UNARY: dict[str, Callable[[Array], Array]] = {
    "Neg": np.negative,
    "Abs": np.abs,
    "Relu": lambda x: np.where((x > 0) | np.isnan(x), x, np.zeros_like(x)),
    "Sign": lambda x: np.where(x > 0, 1, np.where(x < 0, -1, 0)).astype(x.dtype),
    "Floor": lambda x: np.floor(x) if x.dtype.kind == "f" else x,
    "Ceil": lambda x: np.ceil(x) if x.dtype.kind == "f" else x,
    "Round": lambda x: np.rint(x) if x.dtype.kind == "f" else x,
    "Trunc": lambda x: np.trunc(x) if x.dtype.kind == "f" else x,
    "Square": lambda x: x * x,
    "Exp": np.exp,
    "Log": np.log,
    "Sqrt": np.sqrt,
    "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Reciprocal": lambda x: 1 / x,
    "Rsqrt": lambda x: 1 / np.sqrt(x),
    "Expm1": np.expm1,
    "Log1p": np.log1p,
    "Log2": np.log2,
    "Sin": np.sin,
    "Cos": np.cos,
    "Tan": np.tan,
    "Atan": np.arctan,
    "Erf": np.vectorize(math.erf, otypes=[np.float64]),
    "Not": np.invert,
    "IsNan": np.isnan,
    "IsInf": np.isinf,
    "IsFinite": np.isfinite,
}


def power(a: Array, b: Array) -> Array:
    if a.dtype.kind == "f":
        return np.power(a, b)
    # One over a whole number, cut towards zero.
    below = np.where(a == 1, 1, np.where(a == -1, np.where(b % 2 == 0, 1, -1), 0))
    return np.where(b < 0, below.astype(a.dtype), np.power(a, np.maximum(b, 0)))


def cut_quotient(a: Array, b: Array) -> Array:
    if a.dtype.kind == "f":
        return np.trunc(a / b)
    below = (a % b != 0) & ((a < 0) != (b < 0))
    return a // b + below.astype(a.dtype)


def remainder(a: Array, b: Array) -> Array:
    if a.dtype.kind != "f":
        return np.remainder(a, b)
    # A zero has the sign of what is divided.
    rest = np.fmod(a, b)
    return np.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Pow": power,
    "Max": np.maximum,
    "Min": np.minimum,
    "Eq": np.equal,
    "Ne": np.not_equal,
    "Lt": np.less,
    "Le": np.less_equal,
    "Gt": np.greater,
    "Ge": np.greater_equal,
    "FloorDiv": np.floor_divide,
    "TruncDiv": cut_quotient,
    "Remainder": remainder,
    "Fmod": np.fmod,
    "And": np.bitwise_and,
    "Or": np.bitwise_or,
    "Xor": np.bitwise_xor,
    "Shl": np.left_shift,
    "Shr": np.right_shift,
}
DIVISIONS = ("FloorDiv", "TruncDiv", "Remainder", "Fmod")


def map_(outputs: list[Meta], x: Array, function: str) -> Array:
    return UNARY[function](exact(x))


def zip_(outputs: list[Meta], a: Any, b: Any, function: str) -> Array:
    dtype, shape = outputs[0]
    a, b = beside(a, b, dtype=numpy_dtype(dtype))
    if function in DIVISIONS and b.dtype.kind in "iu" and (b == 0).any() and math.prod(shape) > 0:
        raise RuntimeError("integer division by zero")
    return np.broadcast_to(BINARY[function](exact(a), exact(b)), shape)


def where(outputs: list[Meta], mask: Array, a: Any, b: Any) -> Array:
    a, b = beside(a, b, dtype=numpy_dtype(outputs[0][0]))
    return np.where(mask, a, b)


def cast(outputs: list[Meta], x: Any) -> Array:
    return convert(np.asarray(x), outputs[0][0])


# Many elements into one.


def reduce(outputs: list[Meta], x: Array, function: str, axes: list[int]) -> Array:
    dtype, shape = outputs[0]
    along, wide = tuple(axes), exact(x)
    kept = numpy_dtype(dtype) if wide.dtype.kind != "f" else wide.dtype
    made = {
        "Sum": lambda: np.sum(wide, along, dtype=kept),
        "Mean": lambda: np.sum(wide, along) / math.prod(x.shape[axis] for axis in along),
        "Max": lambda: np.max(wide, along),
        "Min": lambda: np.min(wide, along),
        "Prod": lambda: np.prod(wide, along, dtype=kept),
        "Any": lambda: np.any(wide, along),
        "All": lambda: np.all(wide, along),
    }[function]()
    return np.reshape(made, shape)


def scan(outputs: list[Meta], x: Array, function: str, axis: int) -> Array:
    functions = {"Sum": np.add, "Prod": np.multiply, "Max": np.maximum, "Min": np.minimum}
    wide = exact(x) if x.dtype != np.bool_ else x.astype(np.uint8)
    made = functions[function].accumulate(np.atleast_1d(wide), axis, dtype=wide.dtype)
    return made.reshape(x.shape)


def matmul(outputs: list[Meta], a: Array, b: Array) -> Array:
    return np.matmul(exact(a), exact(b))


def extreme(outputs: list[Meta], x: Array, axis: int, largest: bool) -> tuple[Array, Array]:
    row = np.atleast_1d(x)
    place = np.expand_dims((np.argmax if largest else np.argmin)(row, axis), axis)
    value = np.take_along_axis(row, place, axis)
    shape = outputs[0][1]
    return value.reshape(shape), place.reshape(shape)


def arg_extreme(outputs: list[Meta], x: Array, axis: int | None, largest: bool) -> Array:
    row = np.atleast_1d(x)
    return np.reshape((np.argmax if largest else np.argmin)(row, axis), outputs[0][1])


def order(x: Array, axis: int, descending: bool) -> Array:
    """Where the elements in order are; equal ones keep theirs, and NaN is the largest."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    turned = np.argsort(np.flip(x, axis), axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(turned, axis)


def sort(outputs: list[Meta], x: Array, axis: int, descending: bool) -> tuple[Array, Array]:
    row = np.atleast_1d(x)
    places = order(row, axis, descending)
    return np.take_along_axis(row, places, axis).reshape(x.shape), places.reshape(x.shape)


def top_k(outputs: list[Meta], x: Array, k: int, axis: int, largest: bool) -> tuple[Array, Array]:
    row, shape = np.atleast_1d(x), outputs[0][1]
    places = np.take(order(row, axis, largest), np.arange(k), axis)
    return np.take_along_axis(row, places, axis).reshape(shape), places.reshape(shape)


# The same elements elsewhere.


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
    made = np.zeros([*lead, math.prod(spec["size"]), *out], x.dtype)
    for place, offset in enumerate(positions(spec)):
        made[(..., place, *([slice(None)] * rank))] = padded[seen(spec, offset, out)]
    return made.reshape(shape)


def fold(outputs: list[Meta], x: Array, **spec: list[int]) -> Array:
    rank = len(spec["size"])
    shape = outputs[0][1]
    lead, out = shape[:-rank], x.shape[-rank:]
    sizes = [n + 2 * p for n, p in zip(shape[-rank:], spec["padding"], strict=True)]
    padded = np.zeros([*lead, *sizes], exact(x).dtype)
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


KERNELS: dict[str, Callable[..., Any]] = {
    "fill": fill,
    "iota": iota,
    "random": random,
    "map": map_,
    "zip": zip_,
    "where": where,
    "cast": cast,
    "reduce": reduce,
    "scan": scan,
    "matmul": matmul,
    "extreme": extreme,
    "arg_extreme": arg_extreme,
    "sort": sort,
    "top_k": top_k,
    "permute": lambda outputs, x, axes: np.transpose(x, axes),
    "reshape": lambda outputs, x: x.reshape(outputs[0][1]),
    "expand": lambda outputs, x: np.broadcast_to(x, outputs[0][1]),
    "slice": slice_,
    "slice_write": slice_write,
    "diagonal": diagonal,
    "concat": concat,
    "gather": gather,
    "scatter": scatter,
    "take": take,
    "put": put,
    "ravel": ravel,
    "window": window,
    "fold": fold,
    "nonzero": nonzero,
    "require": require,
}
