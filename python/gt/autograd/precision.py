"""Functions of several operations that `autocast` treats as one: they compute in float32."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from gt import _gt
from gt._gt import Tensor

P = ParamSpec("P")
R = TypeVar("R")

LOWER = (_gt.float16, _gt.bfloat16)


def full_precision(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with tensors of lower precision made float32 inside `autocast`."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        if _gt._autocast()[0] is None:
            return function(*args, **kwargs)
        many: Any = tuple(map(_full, args))
        named: Any = {name: _full(value) for name, value in kwargs.items()}
        return function(*many, **named)

    return wrapped


def _full(value: Any) -> Any:
    return value.float() if isinstance(value, Tensor) and value.dtype in LOWER else value
