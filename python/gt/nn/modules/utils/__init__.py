"""PyTorch's name for sizes that may be given as one number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any


def _times(count: int) -> Callable[[Any], tuple[Any, ...]]:
    def each(value: Any) -> tuple[Any, ...]:
        return tuple(value) if isinstance(value, Iterable) else tuple(repeat(value, count))

    return each


_single, _pair, _triple, _quadruple = map(_times, (1, 2, 3, 4))
