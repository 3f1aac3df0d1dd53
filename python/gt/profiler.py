"""What workers spend their time on: by operation, and by line of the program.

>>> import gt
>>> a = gt.randn(64, 64)
>>> with gt.profiler.profile() as profile:
...     y = (a @ a).relu()
>>> {row.key: row.count for row in profile.key_averages()}["matmul"]
1
"""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from gt import _gt

__all__ = ["AverageEvent", "EventList", "ProfilerActivity", "profile"]

#: Commands that compute nothing and wait for nobody: they are not listed.
CONTROL = "control"

#: PyTorch's names for what can be sorted by, and what they are here.
SORT_KEYS = {
    "count": "count",
    "bytes": "bytes",
    "device_time": "device_time",
    "cpu_time": "device_time",
    "cuda_time": "device_time",
}


class ProfilerActivity(enum.Enum):
    """What PyTorch can record; a session has one device, and all of it is recorded."""

    CPU = 0
    CUDA = 1


@dataclass
class AverageEvent:
    """All uses of an operation, or all that one line asked for. Times are in microseconds."""

    key: str
    #: What it is for: `matmul`, `elementwise`, `reduction`, …
    kind: str
    #: The line of the program, where lines are told apart.
    stack: list[str]
    count: int
    device_time_total: float
    #: Bytes that were made.
    bytes: int
    failed: int
    #: The part of the time of all rows.
    share: float = 0.0

    @property
    def device_time(self) -> float:
        """How long one of them took, in microseconds."""
        return self.device_time_total / self.count if self.count else 0.0

    # Nothing is called by anything else, so that what PyTorch tells apart is one here.
    @property
    def self_device_time_total(self) -> float:
        """How long all of them took, in microseconds."""
        return self.device_time_total

    cpu_time_total = self_cpu_time_total = self_device_time_total
    cuda_time_total = self_cuda_time_total = self_device_time_total
    cpu_time = cuda_time = device_time


class EventList(list[AverageEvent]):
    """Rows of a profile."""

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
    ) -> str:
        """The rows as text. `sort_by` takes PyTorch's words, such as `"self_cpu_time_total"`."""
        rows = sorted(self, key=_sort_key(sort_by), reverse=True) if sort_by else list(self)
        with_lines = any(row.stack for row in rows)
        titles = ["Name", "Kind", "Device total", "Device avg", "Device %", "# of Calls", "Bytes"]
        cells = [titles + ["Source Location"] * with_lines]
        for row in rows[: row_limit if row_limit >= 0 else None]:
            name, place = row.key[:max_name_column_width], "".join(row.stack[:1])
            times = [_time(row.device_time_total), _time(row.device_time)]
            numbers = [f"{row.share:.1%}", str(row.count), _size(row.bytes)]
            line = [name, row.kind, *times, *numbers]
            cells.append(line + [place[-max_src_column_width:]] * with_lines)
        total = sum(row.device_time_total for row in self)
        return f"{_aligned(cells)}\nDevice time total: {_time(total)}"

    def total_average(self) -> AverageEvent:
        """All rows as one."""
        return _joined("Total", "", [], self)


def _sort_key(sort_by: str) -> Callable[[AverageEvent], float]:
    name = sort_by.removeprefix("self_").removesuffix("_total")
    attribute = SORT_KEYS.get(name)
    if attribute is None:
        words = [f"{word}_total" if "time" in word else word for word in SORT_KEYS]
        raise ValueError(f"sort_by must be one of {', '.join(words)}, not {sort_by!r}")
    total = sort_by.endswith("_total")
    return lambda row: getattr(row, attribute + "_total" * total)


def _joined(key: str, kind: str, stack: list[str], rows: Iterable[AverageEvent]) -> AverageEvent:
    made = AverageEvent(key, kind, stack, 0, 0.0, 0, 0)
    for row in rows:
        made.count += row.count
        made.device_time_total += row.device_time_total
        made.bytes += row.bytes
        made.failed += row.failed
        made.share += row.share
    return made


def _aligned(cells: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    rule = "  ".join("-" * width for width in widths)
    lines = []
    for row in cells:
        left = (0, 1, 7)
        padded = (
            text.ljust(width) if column in left else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(padded).rstrip())
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def _time(us: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{us / size:.3f}{unit}"
    return f"{us:.3f}us"


def _size(size: float) -> str:
    for unit in ("b", "Kb", "Mb", "Gb"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "b" else f"{size:.2f} {unit}"
        size /= 1024
    return f"{size:.2f} Tb"


class profile:  # noqa: N801
    """Records what workers do for the session inside a `with` block, or from `start` to `stop`.

    The end waits until everything that was asked for is done. What PyTorch would have to be asked
    for is always recorded, so that its arguments have no effect; a schedule is refused.
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], Any] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
    ) -> None:
        if schedule is not None:
            raise NotImplementedError("profile: a schedule is not supported; use start and stop")
        self._on_trace_ready = on_trace_ready
        self._profile: _gt._Profile | None = None

    def start(self) -> None:
        """Begins to record."""
        self._profile = _gt._profile()

    def stop(self) -> None:
        """Ends, after everything that was asked for is done."""
        self._recorded().finish()
        if self._on_trace_ready is not None:
            self._on_trace_ready(self)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def step(self) -> None:
        """Nothing: all steps are recorded."""

    def _recorded(self) -> _gt._Profile:
        if self._profile is None:
            raise RuntimeError("profile: nothing is recorded before start()")
        return self._profile

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0
    ) -> EventList:
        """A row for each operation; with `group_by_stack_n=1`, for each in each line."""
        groups: dict[tuple[str, str], list[AverageEvent]] = {}
        for row in self._rows():
            place = "".join(row.stack) if group_by_stack_n > 0 else ""
            groups.setdefault((row.key, place), []).append(row)
        return _listed(
            _joined(name, rows[0].kind, [place] * bool(place), rows)
            for (name, place), rows in groups.items()
        )

    def by_line(self) -> EventList:
        """A row for each line of the program, whatever it asked for."""
        groups: dict[str, list[AverageEvent]] = {}
        for row in self._rows():
            groups.setdefault("".join(row.stack) or "unknown", []).append(row)
        return _listed(_joined(place, "", [], rows) for place, rows in groups.items())

    def _rows(self) -> list[AverageEvent]:
        rows = self._recorded().rows()
        total = sum(row[4] for row in rows if row[1] != CONTROL) or 1
        return [
            AverageEvent(
                name, kind, [place] if place else [], count, ns / 1e3, size, failed, ns / total
            )
            for name, kind, place, count, ns, size, failed in rows
            if kind != CONTROL
        ]

    @property
    def event_count(self) -> int:
        """How many events were recorded."""
        return self._recorded().events()[0]

    @property
    def missing_count(self) -> int:
        """How many there was no room for."""
        return self._recorded().events()[1]

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes a trace that Chrome and `ui.perfetto.dev` show."""
        self._recorded().write_chrome(path)


def _listed(rows: Iterable[AverageEvent]) -> EventList:
    return EventList(sorted(rows, key=lambda row: row.device_time_total, reverse=True))
