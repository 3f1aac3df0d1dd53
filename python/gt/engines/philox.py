"""Counted random numbers in NumPy: element `i` depends on the seed, the operation and `i` alone."""

from typing import Any

import numpy as np

# Of any dtype: which one is known only when it is there.
Array = Any

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
LOW = np.uint64(0xFFFFFFFF)


def words(seed: int, rng_index: int, blocks: Array) -> list[Array]:
    """Give the four words of each block of Philox 4x32-10."""
    counter = [blocks & LOW, blocks >> np.uint64(32)]
    counter += [np.full_like(blocks, rng_index & 0xFFFFFFFF), np.full_like(blocks, rng_index >> 32)]
    keys = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first, second = (
            np.uint64(m) * counter[i] for m, i in zip(MULTIPLIERS, (0, 2), strict=True)
        )
        counter = [
            (second >> np.uint64(32)) ^ counter[1] ^ np.uint64(keys[0]),
            second & LOW,
            (first >> np.uint64(32)) ^ counter[3] ^ np.uint64(keys[1]),
            first & LOW,
        ]
        keys = [(key + weyl) & 0xFFFFFFFF for key, weyl in zip(keys, WEYL, strict=True)]
    return counter


def word(seed: int, rng_index: int, numbers: Array) -> Array:
    """Give a word of 32 bits for each number."""
    four = words(seed, rng_index, numbers // np.uint64(4))
    return np.choose((numbers % np.uint64(4)).astype(np.int64), four)


def wide_word(seed: int, rng_index: int, numbers: Array) -> Array:
    """Give a word of 64 bits for each number."""
    a, b, c, d = words(seed, rng_index, numbers // np.uint64(2))
    two = [b << np.uint64(32) | a, d << np.uint64(32) | c]
    return np.choose((numbers % np.uint64(2)).astype(np.int64), two)


def numbers(distribution: Any, dtype: str, seed: int, rng_index: int, which: Array) -> Array:
    """Give the random numbers of a tensor at these places, counted row by row."""
    if isinstance(distribution, tuple):
        low, high = distribution
        return integers(low, high, seed, rng_index, which)
    double = dtype == "float64"
    if distribution == "uniform":
        if double:
            return (wide_word(seed, rng_index, which) >> np.uint64(11)) * 2.0**-53
        digits = {"float16": 11, "bfloat16": 8}.get(dtype, 24)
        return (word(seed, rng_index, which) >> np.uint64(32 - digits)) * 2.0**-digits
    # Elements 2k and 2k + 1 come from the same two uniform numbers.
    pair = which - which % np.uint64(2)
    radius, angle = (
        (wide_word if double else word)(seed, rng_index, pair + np.uint64(n)) for n in range(2)
    )
    if double:
        unit, turn = (radius >> np.uint64(11)) * 2.0**-53 + 2.0**-54, angle * 2.0**-64
    else:
        unit, turn = (radius * 2.0**-32) + 2.0**-33, angle * 2.0**-32
    length = np.sqrt(-2 * np.log(unit))
    sides = [np.cos(2 * np.pi * turn), np.sin(2 * np.pi * turn)]
    return length * np.choose((which % np.uint64(2)).astype(np.int64), sides)


def integers(low: int, high: int, seed: int, rng_index: int, which: Array) -> Array:
    """Give whole numbers from `low` up to, but not including, `high`."""
    size = high - low
    if size <= 1 << 32:
        scaled = (word(seed, rng_index, which) * np.uint64(size)) >> np.uint64(32)
        return scaled.astype(np.int64) + low
    products = [int(one) * size >> 64 for one in wide_word(seed, rng_index, which).ravel()]
    return np.array([low + one for one in products], np.int64).reshape(which.shape)
