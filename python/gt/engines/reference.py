"""The reference engine: each kind of kernel in the plainest form that NumPy has for it.

It is slow and meant to be read. What the other engines compute is compared with it. Floats are
computed in float64 and rounded once.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gt.engines import moves, philox
from gt.engines.arrays import (
    Array,
    Meta,
    beside,
    convert,
    decode,
    encode,
    exact,
    number,
    numpy_dtype,
)


def run(kind: str, params: dict[str, Any], inputs: Sequence[Any], outputs: list[Meta]) -> list[Any]:
    """Run one kernel: `(dtype, shape, bytes)` or a number for each input, and the same back."""
    operands = [decode(*given) if isinstance(given, tuple) else given for given in inputs]
    with np.errstate(all="ignore"):
        made = KERNELS[kind](outputs, *operands, **params)
        results = made if isinstance(made, tuple) else (made,)
        return [encode(array, meta) for array, meta in zip(results, outputs, strict=True)]


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

ERF = np.vectorize(math.erf, otypes=[np.float64])

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
    "Erf": ERF,
    "Gelu": lambda x: x * ((ERF(x * math.sqrt(0.5)) + 1) * 0.5),
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
    "slice": moves.slice_,
    "slice_write": moves.slice_write,
    "diagonal": moves.diagonal,
    "concat": moves.concat,
    "gather": moves.gather,
    "scatter": moves.scatter,
    "take": moves.take,
    "put": moves.put,
    "ravel": moves.ravel,
    "window": moves.window,
    "fold": moves.fold,
    "nonzero": moves.nonzero,
    "require": moves.require,
}
