"""GT: a multiplexing tensor framework.

>>> import gt
>>> gt.tensor([1.0, 2.0]) + 1
tensor([2., 3.])
"""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any

from gt import _gt
from gt._gt import *  # noqa: F403

if TYPE_CHECKING:
    from gt._gt import DTypeLike, Number, Tensor

__all__ = [name for name in dir(_gt) if not name.startswith("_")]


# PyTorch's `arange` may be given its end alone, which a row's signature cannot say.
def arange(  # type: ignore[no-redef]
    start: Number,
    end: Number | None = None,
    step: Number = 1,
    *,
    dtype: DTypeLike | None = None,
    **ignored: Any,
) -> Tensor:
    """The numbers from `start` up to `end`, or from zero up to `start`.

    >>> import gt
    >>> gt.arange(3)
    tensor([0, 1, 2])
    """
    if end is None:
        start, end = 0, start
    return _gt.arange(start, end, step, dtype=dtype, **ignored)


atexit.register(_gt._close_all)
