"""The op table against NumPy, for every row that NumPy has a function for; PyTorch is not needed.

`test_ops.py` compares far more with PyTorch. This file is what a machine without it still checks.
"""

import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gt
import numpy as np
import pytest

REFERENCE = Path(__file__).parents[1] / "docs" / "reference" / "ops.md"
FLOATS, INTEGERS = ("float32", "float64"), ("uint8", "int32", "int64")
ALL = ("bool", *INTEGERS, *FLOATS)
SHAPES = [(), (5,), (0, 3), (3, 4), (2, 3, 4), (67, 131)]


def same(name: str) -> tuple[Callable, Callable]:
    return getattr(gt, name), getattr(np, name)


def named(ours: str, theirs: str) -> tuple[Callable, Callable]:
    return getattr(gt, ours), getattr(np, theirs)


EVERYWHERE = "abs ceil floor trunc sign square isnan isfinite isinf logical_not"
REAL = "exp exp2 expm1 sin cos tan sinh cosh tanh atan asinh"
POSITIVE = "log log2 log10 log1p sqrt"
WITHIN_ONE = "asin acos atanh"

# For each name: what it is in both, and from where the elements of floats come.
UNARY: dict[str, tuple[tuple[Callable, Callable], tuple[float, float]]] = {
    **{name: (same(name), (-3, 3)) for name in (EVERYWHERE + " " + REAL).split()},
    **{name: (same(name), (0.1, 9)) for name in POSITIVE.split()},
    **{name: (same(name), (-0.9, 0.9)) for name in WITHIN_ONE.split()},
    "round": (same("round"), (-3, 3)),
    "neg": (named("neg", "negative"), (-3, 3)),
    "reciprocal": ((gt.reciprocal, lambda x: 1 / x), (0.5, 3)),
    "rsqrt": ((gt.rsqrt, lambda x: 1 / np.sqrt(x)), (0.5, 3)),
    "relu": ((gt.relu, lambda x: np.maximum(x, 0)), (-3, 3)),
    "sigmoid": ((gt.sigmoid, lambda x: 1 / (1 + np.exp(-x))), (-3, 3)),
    "sinc": (same("sinc"), (-3, 3)),
}

COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
LOGIC = "logical_and logical_or logical_xor"
BINARY: dict[str, tuple[Callable, Callable]] = {
    **{name: same(name) for name in f"maximum minimum {LOGIC}".split()},
    **{ours: named(ours, theirs) for ours, theirs in COMPARISONS.items()},
    "add": (gt.add, np.add),
    "mul": (gt.mul, np.multiply),
}
FLOAT_BINARY: dict[str, tuple[Callable, Callable]] = {
    "sub": (gt.sub, np.subtract),
    "div": (gt.div, np.true_divide),
    "pow": (gt.pow, np.power),
    "atan2": (gt.atan2, np.arctan2),
    "fmod": (gt.fmod, np.fmod),
    "remainder": (gt.remainder, np.remainder),
}

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin", "all", "any", "argmax", "argmin")


def array(name: str, dtype: str, shape: tuple[int, ...], low: float = -3, high: float = 3) -> Any:
    """Elements that depend on the name alone."""
    random = np.random.default_rng(zlib.crc32(f"{name} {dtype} {shape}".encode()))
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        least = 0 if dtype == "uint8" else -4
        return np.asarray(random.integers(max(least, int(np.floor(low))), 5, shape), dtype)
    return np.asarray(random.uniform(low, high, shape), dtype)


def agree(ours: gt.Tensor, theirs: Any, what: str) -> None:
    """Compare values; NumPy's dtypes follow other rules, and `test_ops` has PyTorch's."""
    found = ours.numpy()
    assert found.shape == np.shape(theirs), what
    exact = found.dtype.kind in "biu" and np.asarray(theirs).dtype.kind in "biu"
    step = 0 if exact else 2e-5 if found.dtype == np.float32 else 1e-12
    # Sums of large numbers may be small: what is lost is a share of what was added up.
    largest = max(1.0, float(np.max(np.abs(theirs), initial=0, where=np.isfinite(theirs))))
    np.testing.assert_allclose(found, theirs, rtol=step, atol=step * largest, err_msg=what)


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_tensor(name):
    (ours, theirs), (low, high) = UNARY[name]
    dtypes = ALL if name in EVERYWHERE.split() else FLOATS
    for dtype in (d for d in dtypes if d != "bool" or name == "logical_not"):
        for shape in SHAPES:
            x = array(name, dtype, shape, low, high)
            agree(ours(gt.from_numpy(x)), theirs(x), f"{name} {dtype}{shape}")
            if len(shape) == 2:
                turned = gt.from_numpy(x).transpose(0, 1)[::2]
                agree(ours(turned), theirs(x.T[::2]), f"{name} of a view, {dtype}{shape}")


PAIRS = [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((), (5,)), ((0, 3), (3,))]
PAIRS += [((67, 131), (131,))]


@pytest.mark.parametrize("name", [*BINARY, *FLOAT_BINARY])
def test_functions_of_two_tensors(name):
    ours, theirs = (BINARY | FLOAT_BINARY)[name]
    low = 0.5 if name in FLOAT_BINARY else -3
    for dtype in ALL if name in BINARY else FLOATS:
        for left, right in PAIRS:
            a, b = array(f"{name} a", dtype, left, low), array(f"{name} b", dtype, right, low)
            agree(
                ours(gt.from_numpy(a), gt.from_numpy(b)),
                theirs(a, b),
                f"{name} {dtype} {left} {right}",
            )


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    ours, theirs = getattr(gt, name), getattr(np, name)
    whole = name in ("amax", "amin", "argmax", "argmin")
    for dtype in FLOATS if name == "mean" else ALL:
        if dtype == "bool" and whole:
            continue
        for shape in [(5,), (3, 4), (2, 3, 4), (67, 131)]:
            low, high = (0.9, 1.1) if name == "prod" else (-3, 3)
            x = array(name, dtype, shape, low, high)
            if name == "prod" and x.size > 100:
                continue
            mine, what = gt.from_numpy(x), f"{name} {dtype}{shape}"
            # PyTorch and GT add up small integers in int64.
            wide = x.astype(np.int64) if dtype in ("bool", *INTEGERS) and not whole else x
            wide = x if name in ("all", "any") else wide
            agree(ours(mine), theirs(wide), what)
            for axis in range(-len(shape), len(shape)):
                agree(ours(mine, dim=axis), theirs(wide, axis=axis), f"{what} {axis}")
                kept = theirs(wide, axis=axis, keepdims=True)
                agree(ours(mine, dim=axis, keepdim=True), kept, f"{what} {axis} kept")


MOVES: dict[str, tuple[Callable, Callable]] = {
    "reshape": (lambda x: x.reshape(4, -1), lambda x: x.reshape(4, -1)),
    "permute": (lambda x: x.permute(2, 0, 1), lambda x: x.transpose(2, 0, 1)),
    "transpose": (lambda x: x.transpose(0, 2), lambda x: x.swapaxes(0, 2)),
    "flip": (lambda x: x.flip(0, 2), lambda x: np.flip(x, (0, 2))),
    "roll": (lambda x: x.roll(2, 1), lambda x: np.roll(x, 2, 1)),
    "tril": (lambda x: x.tril(1), lambda x: np.tril(x, 1)),
    "triu": (lambda x: x.triu(-1), lambda x: np.triu(x, -1)),
    "cumsum": (lambda x: x.cumsum(1), lambda x: np.cumsum(x, 1)),
    "cumprod": (lambda x: x.cumprod(2), lambda x: np.cumprod(x, 2)),
    "sort": (lambda x: x.sort(1).values, lambda x: np.sort(x, 1)),
    "argsort": (
        lambda x: x.argsort(dim=1, stable=True),
        lambda x: np.argsort(x, 1, kind="stable"),
    ),
    "cat": (lambda x: gt.cat([x, x[:1]]), lambda x: np.concatenate([x, x[:1]])),
    "stack": (lambda x: gt.stack([x, x], 1), lambda x: np.stack([x, x], 1)),
    "pad": (
        lambda x: gt.nn.functional.pad(x, (1, 2, 0, 1)),
        lambda x: np.pad(x, ((0, 0), (0, 1), (1, 2))),
    ),
    "slice": (lambda x: x[1:, ::2, -1], lambda x: x[1:, ::2, -1]),
    "mask": (lambda x: x[x > 0], lambda x: x[x > 0]),
    "index": (lambda x: x[[1, 0, 1], :, [0, 2, 1]], lambda x: x[[1, 0, 1], :, [0, 2, 1]]),
    "where": (lambda x: gt.where(x > 1, x, x + x), lambda x: np.where(x > 1, x, x + x)),
    "clamp": (lambda x: x.clamp(0, 2), lambda x: np.clip(x, 0, 2)),
    "matmul": (lambda x: x @ x.transpose(1, 2), lambda x: x @ x.swapaxes(1, 2)),
    "einsum": (
        lambda x: gt.einsum("bij,bkj->ik", x, x),
        lambda x: np.einsum("bij,bkj->ik", x, x),
    ),
    "outer": (lambda x: gt.outer(x[0, 0], x[0, 1]), lambda x: np.outer(x[0, 0], x[0, 1])),
    "diagonal": (lambda x: gt.diagonal(x, 1), lambda x: np.diagonal(x, 1)),
    "var": (lambda x: x.double().var(1), lambda x: x.astype("float64").var(1, ddof=1)),
    "median": (lambda x: x[:, :, :3].sort(2).values[..., 1], lambda x: np.median(x[:, :, :3], 2)),
}


@pytest.mark.parametrize("name", MOVES)
def test_movement_and_products(name):
    ours, theirs = MOVES[name]
    for dtype in ("int64", *FLOATS):
        for shape in [(2, 3, 4), (4, 5, 3), (8, 70, 65)]:
            x = array(name, dtype, shape)
            if name in ("cumprod",) and shape[-1] > 10:
                continue
            agree(ours(gt.from_numpy(x)), theirs(x), f"{name} {dtype}{shape}")


def named_by_numpy() -> dict[str, str]:
    """NumPy's functions that the table knows by another name than the row's, each with its row."""
    found = {}
    for block in REFERENCE.read_text(encoding="utf-8").split("\n## ")[1:]:
        facts = dict(re.findall(r"^- (also as|NumPy): (.*)$", block, re.MULTILINE))
        names = re.findall(r"`(\w+)`", " ".join(facts.values()))
        found |= {name: block.split("\n")[0] for name in names if hasattr(np, name)}
    return {name: row for name, row in found.items() if isinstance(getattr(np, name), np.ufunc)}


def test_functions_that_numpy_names_otherwise_are_those_of_the_table(monkeypatch):
    names = named_by_numpy()
    assert {"power", "equal", "less", "arctan2", "rint", "left_shift"} <= set(names)

    # What is not in the table is computed by NumPy, which begins with the elements as an array.
    def refuse(*_: Any) -> Any:
        raise AssertionError("the elements were read")

    monkeypatch.setattr(gt.Tensor, "__array__", refuse)
    for name, row in names.items():
        function = getattr(np, name)
        whole = "bitwise" in row
        dtype, value = ("int64", [1, 2, 3]) if whole else ("float32", [0.5, 0.25, 0.75])
        array = np.array(value, dtype=dtype)
        given = [array, array[:1]][: function.nin]
        with np.errstate(all="ignore"):
            agree(function(gt.from_numpy(given[0]), *given[1:]), function(*given), name)
