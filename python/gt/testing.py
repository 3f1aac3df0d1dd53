"""Comparisons for tests: values that are close, in structures that are equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gt import _gt
from gt._gt import Tensor

__all__ = ["assert_close"]

# How far values of a dtype may be apart: in parts of the expected one, and at all.
TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}

Message = str | Callable[[str], str] | None


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Raises an AssertionError unless both are close, which reads them.

    >>> import gt
    >>> gt.testing.assert_close(gt.ones(2) / 3, gt.tensor([0.33333333, 0.33333333]))
    """
    if (rtol is None) != (atol is None):
        raise ValueError("assert_close: rtol and atol are given together or not at all")
    for part, place in _differences(actual, expected, "", rtol, atol, equal_nan, check_dtype):
        words = f"{part}{f' (at {place})' if place else ''}"
        raise AssertionError(msg(words) if callable(msg) else msg or words)


def _differences(
    actual: Any,
    expected: Any,
    place: str,
    rtol: float | None,
    atol: float | None,
    equal_nan: bool,
    check_dtype: bool,
) -> Any:
    """What differs, and where in the structure."""
    options: Any = (rtol, atol, equal_nan, check_dtype)
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if actual.keys() != expected.keys():
            yield f"the keys are {sorted(actual)}, not {sorted(expected)}", place
            return
        for key in expected:
            yield from _differences(actual[key], expected[key], f"{place}[{key!r}]", *options)
    elif _is_row(actual) and _is_row(expected):
        if len(actual) != len(expected):
            yield f"the lengths are {len(actual)} and {len(expected)}", place
            return
        for index, pair in enumerate(zip(actual, expected, strict=True)):
            yield from _differences(*pair, f"{place}[{index}]", *options)
    elif actual is None or expected is None:
        if actual is not expected:
            yield f"one is None: {actual!r} and {expected!r}", place
    else:
        yield from _apart(actual, expected, place, *options)


def _is_row(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _apart(
    actual: Any,
    expected: Any,
    place: str,
    rtol: float | None,
    atol: float | None,
    equal_nan: bool,
    check_dtype: bool,
) -> Any:
    kinds = [isinstance(value, Tensor) for value in (actual, expected)]
    if kinds[0] != kinds[1] and not (_is_array(actual) or _is_array(expected)):
        kinds_of = f"a {type(actual).__name__} and a {type(expected).__name__}"
        raise TypeError(f"assert_close: {kinds_of} cannot be compared")
    plain = not any(kinds) and not (_is_array(actual) or _is_array(expected))
    ours, theirs = _as_tensor(actual), _as_tensor(expected)
    if tuple(ours.shape) != tuple(theirs.shape):
        yield f"the shapes are {tuple(ours.shape)} and {tuple(theirs.shape)}", place
        return
    if check_dtype and not plain and ours.dtype != theirs.dtype:
        yield f"the dtypes are {ours.dtype.name} and {theirs.dtype.name}", place
        return
    if rtol is None or atol is None:
        found = [TOLERANCES.get(t.dtype.name, (0.0, 0.0)) for t in (ours, theirs)]
        rtol, atol = (max(pair) for pair in zip(*found, strict=True))
    yield from _elements(ours, theirs, place, rtol, atol, equal_nan)


def _elements(
    ours: Tensor, theirs: Tensor, place: str, rtol: float, atol: float, equal_nan: bool
) -> Any:
    pairs = list(zip(_flat(ours), _flat(theirs), strict=True))
    wrong = [
        (index, pair)
        for index, pair in enumerate(pairs)
        if not _close(*pair, rtol, atol, equal_nan)
    ]
    if wrong:
        index, (mine, other) = wrong[0]
        yield (
            (
                f"{len(wrong)} of {len(pairs)} elements are not close (rtol={rtol}, atol={atol}), "
                f"first {mine!r} and {other!r} at element {index}"
            ),
            place,
        )


def _close(mine: Any, other: Any, rtol: float, atol: float, equal_nan: bool) -> bool:
    if mine == other:
        return True
    if math.isnan(mine) or math.isnan(other):
        return equal_nan and math.isnan(mine) and math.isnan(other)
    if math.isinf(mine) or math.isinf(other):
        return False
    return bool(abs(mine - other) <= atol + rtol * abs(other))


def _flat(tensor: Tensor) -> Any:
    return tensor.detach().reshape(-1).tolist()


def _is_array(value: Any) -> bool:
    return hasattr(value, "__array_interface__")


def _as_tensor(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    if isinstance(value, float):
        return _gt.tensor(value, dtype=_gt.float64)
    if isinstance(value, str) or not (_is_array(value) or isinstance(value, int)):
        raise TypeError(f"assert_close: no comparison is known for a {type(value).__name__}")
    return _gt.tensor(value)
