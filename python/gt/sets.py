"""Different elements, each once. How many there are depends on data, so that a call waits."""

from __future__ import annotations

import math
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import no_grad


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The different elements in order; if asked, also where each element went, and how many did.

    >>> import gt
    >>> gt.unique(gt.tensor([3, 1, 3]), return_inverse=True, return_counts=True)
    (tensor([1, 3]), tensor([1, 0, 1]), tensor([1, 2]))
    """
    _check("unique", input)
    if dim is not None:
        return _unique_along(input, dim, return_inverse, return_counts)
    with no_grad():
        values, order = input.detach().flatten().sort(stable=True)
        found, ranks, counts = _runs(values)
        inverse = _gt.zeros_like(order).scatter(0, order, ranks).reshape(input.shape)
    return _asked(found, inverse if return_inverse else None, counts if return_counts else None)


def _unique_along(input: Tensor, dim: int, inverse: bool, counted: bool) -> Any:
    """The different parts along an axis, in the order of their elements."""
    with no_grad():
        parts, rows = _parts("unique", input, dim)
        order = _gt.arange(0, len(rows))
        # A stable sort by each element, the first one last, is a sort by all of them.
        for column in reversed(range(rows.shape[1])):
            order = order[rows[:, column][order].sort(stable=True)[1]]
        first, ranks, counts = _begun(rows[order])
        found = parts[order[first]].movedim(0, dim)
        places = _gt.zeros_like(order).scatter(0, order, ranks) if inverse else None
    return _asked(found, places, counts if counted else None)


def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The elements without those that are like the one before.

    >>> import gt
    >>> gt.unique_consecutive(gt.tensor([3, 3, 1, 3]))
    tensor([3, 1, 3])
    """
    _check("unique_consecutive", input)
    with no_grad():
        if dim is None:
            found, ranks, counts = _runs(input.detach().flatten())
            inverse = ranks.reshape(input.shape)
        else:
            parts, rows = _parts("unique_consecutive", input, dim)
            first, inverse, counts = _begun(rows)
            found = parts[first].movedim(0, dim)
    return _asked(found, inverse if return_inverse else None, counts if return_counts else None)


def _parts(name: str, input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The parts along an axis, as they are and each as one row."""
    parts = input.detach().movedim(dim, 0)
    if 0 in parts.shape[1:]:
        raise RuntimeError(f"{name}: parts without elements cannot be told apart")
    return parts, parts.reshape(len(parts), math.prod(parts.shape[1:]))


def _runs(values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The first element of each run of equal ones, the run of each element, and their lengths."""
    first, ranks, lengths = _begun(values.unsqueeze(1))
    return values[first], ranks, lengths


def _begun(rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Where each run of equal rows begins, the run of each row, and their lengths."""
    count = len(rows)
    new = (rows[1:] != rows[:-1]).any(1)
    begins = _gt.cat([_gt.ones(min(count, 1), dtype=_gt.bool), new])
    first = begins.nonzero().flatten()
    lengths = _gt.cat([first[1:], _gt.tensor([count])[: len(first)]]) - first
    return first, begins.cumsum(0) - 1, lengths


def _asked(*results: Tensor | None) -> Any:
    given = tuple(result for result in results if result is not None)
    return given[0] if len(given) == 1 else given


def _check(name: str, input: object) -> None:
    if not isinstance(input, Tensor):
        kind = _gt._kind_of(input)
        raise TypeError(f"{name}(): argument 'input' must be Tensor, not {kind}")
