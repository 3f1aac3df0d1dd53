"""Tensors as NumPy's arrays: how they come and go, and what numbers beside them become."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

# Of any dtype: which one is known only when it is there.
Array = Any
Meta = tuple[str, list[int]]

# NumPy has no bfloat16, and its float16 is no quicker: both are kept in float32 while computing.
HALVES = ("float16", "bfloat16")


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


def beside(*operands: Any, dtype: DTypeLike | None = None) -> list[Array]:
    """Give numbers the dtype of the tensors beside them."""
    arrays = [x for x in operands if isinstance(x, np.ndarray)]
    common = arrays[0].dtype if arrays else np.dtype(dtype)
    return [x if isinstance(x, np.ndarray) else number(x, common) for x in operands]


def number(x: Any, dtype: np.dtype[Any]) -> Array:
    """Give a number as an array without axes."""
    return convert(np.asarray(x), dtype.name)
