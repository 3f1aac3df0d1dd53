"""Where tensors are, what moved, and what their gradients will be computed from."""

from __future__ import annotations

from typing import NamedTuple

from gt import _gt
from gt._gt import Tensor

__all__ = ["TapeEntry", "get_tape", "moved_bytes", "placement", "print_tape"]


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


class TapeEntry(NamedTuple):
    """An operation whose gradient can be computed."""

    number: int
    op: str
    #: `%3` is what entry 3 gave; what needs no gradient is named by its shape or value.
    inputs: list[str]
    outputs: list[str]
    #: Where the first result is, if the graph or the program still holds it.
    placement: str | None
    file: str | None
    line: int | None
    function: str | None

    def __str__(self) -> str:
        made = f"%{self.number} = {' '.join([self.op, *self.inputs])}"
        return f"{made} -> {', '.join(self.outputs)}"

    @property
    def location(self) -> str:
        """Where in the program it was called."""
        return "" if self.file is None else f"{self.file}:{self.line} in {self.function}"


def get_tape(tensor: Tensor | None = None) -> list[TapeEntry]:
    """What gradients would be computed from, the oldest first.

    With a tensor, what it was made from; without one, all that this thread has made and that
    something still needs.

    >>> import gt
    >>> x = gt.ones(2, requires_grad=True)
    >>> [entry.op for entry in gt.debug.get_tape((x * x).sum())]
    ['leaf', 'mul', 'sum']
    """
    entries = []
    for number, op, inputs, outputs, where, place in _gt._tape(tensor):
        file, line, function = place or (None, None, None)
        entries.append(TapeEntry(number, op, inputs, outputs, where, file, line, function))
    return entries


def print_tape(tensor: Tensor | None = None) -> None:
    """Prints what `get_tape` gives, one operation on a line."""
    tape = get_tape(tensor)
    rows = [(str(entry), entry.placement or "", entry.location) for entry in tape]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(2)]
    for row in rows:
        cells = (text.ljust(width) for text, width in zip(row[:2], widths, strict=True))
        print("  ".join((*cells, row[2])).rstrip())
    if not rows:
        print("the tape is empty: nothing that requires a gradient was computed")
