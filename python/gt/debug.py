"""Where tensors are, what moved and waited, and what gradients will be computed from."""

from __future__ import annotations

from typing import Any, NamedTuple

from gt import _gt
from gt._gt import Tensor

__all__ = [
    "TapeEntry",
    "auto_shard",
    "get_modifier_stats",
    "get_tape",
    "get_worker_stats",
    "moved_bytes",
    "placement",
    "print_tape",
    "print_worker_stats",
    "reads",
]


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


def auto_shard() -> dict[str, Any] | None:
    """What `GT_AUTO_SHARD` has chosen, and what each strategy would have cost; None before that.

    >>> import gt
    >>> gt.debug.auto_shard() is None
    True
    """
    return _gt._auto_shard()


def reads() -> dict[str, int]:
    """How often each line of the program has waited for a value since the session began.

    The most frequent comes first. What was read by no line that is known counts as `unknown`.

    >>> import gt
    >>> _ = gt.ones(2).sum().item()
    >>> sum(gt.debug.reads().values()) > 0
    True
    """
    lines = ((f"{file}:{line}" if file else "unknown", count) for file, line, count in _gt._reads())
    found: dict[str, int] = {}
    for line, count in lines:
        found[line] = found.get(line, 0) + count
    return found


def get_worker_stats() -> dict[int, dict[str, int]]:
    """What each worker was given by this session.

    `total_instructions` counts its commands, frees and moves included. Repeated sequences are not
    looked for, so that the counts of these are 0.

    >>> import gt
    >>> _ = gt.ones(2).sum().item()
    >>> stats = gt.debug.get_worker_stats()
    >>> list(stats[0])
    ['total_instructions', 'hot_instructions', 'unique_sequences', 'hot_sequences']
    """
    stats = {}
    for words in _stats():
        if words[0] == "worker":
            total = {"total_instructions": int(words[3])}
            none = dict.fromkeys(("hot_instructions", "unique_sequences", "hot_sequences"), 0)
            stats[int(words[1])] = total | none
    return stats


def get_modifier_stats() -> dict[str, dict[str, int]]:
    """What each modifier of the stream has done: `signal`, `shard` and `reshard`.

    `placed` are instructions whose results a signal wanted somewhere; `cut` those that workers
    shared, `copied` those that each of them computed, `whole` those that one did; `moves` and
    `bytes` are what went from worker to worker for them.

    >>> import gt
    >>> _ = gt.ones(2).sum().item()
    >>> gt.debug.get_modifier_stats()["shard"]["whole"] > 0
    True
    """
    stats: dict[str, dict[str, int]] = {}
    for modifier, what, *number in _stats():
        if modifier != "worker":
            stats.setdefault(modifier, {})[what] = int(number[0])
    return stats


def print_worker_stats() -> None:
    """Prints what `get_worker_stats` and `get_modifier_stats` give."""
    for worker, stats in get_worker_stats().items():
        print(f"worker {worker}: {_listed(stats)}")
    for modifier, stats in get_modifier_stats().items():
        print(f"{modifier}: {_listed(stats)}")


def _stats() -> list[list[str]]:
    return [line.split() for line in _gt._stats().splitlines()]


def _listed(stats: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in stats.items())


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
