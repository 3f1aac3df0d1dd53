"""Where tensors are, and what moved."""

from __future__ import annotations

from gt import _gt
from gt._gt import Tensor

__all__ = ["moved_bytes", "placement"]


def placement(tensor: Tensor) -> str:
    """Where a tensor is: how it lies, and the numbers of the workers that have it.

    Under a config, what needs no data is made at its first use, and is nowhere before.

    >>> import gt
    >>> gt.debug.placement(gt.ones(4)).split()[0]
    'whole'
    """
    return _gt._placement(tensor)


def moved_bytes() -> dict[tuple[int, int], int]:
    """How many bytes of tensors went from which worker to which since the session began.

    >>> import gt
    >>> sum(gt.debug.moved_bytes().values()) >= 0
    True
    """
    return _gt._moved_bytes()
