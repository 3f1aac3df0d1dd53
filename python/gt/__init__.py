"""GT: a multiplexing tensor framework.

>>> import gt
>>> gt.tensor([1.0, 2.0]) + 1
tensor([2., 3.])
"""

import atexit

from gt import _gt
from gt._gt import *  # noqa: F403
from gt._gt import Tensor, _dtype, dtype  # noqa: F401

__all__ = [name for name in dir(_gt) if not name.startswith("_")]


def arange(start, end=None, step=1, *, dtype=None, **ignored):
    """The numbers from `start` up to `end`, or from zero up to `start`.

    >>> gt.arange(3)
    tensor([0, 1, 2])
    """
    if end is None:
        start, end = 0, start
    return _gt.arange(start, end, step, dtype=dtype, **ignored)


atexit.register(_gt.close)
