"""A bar that shows how far a loop is, as tqdm's does, and never lets it wait for a tensor."""

from __future__ import annotations

import importlib
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from typing import Any, Generic, TextIO, TypeVar

from gt._gt import Tensor

Item = TypeVar("Item")

# Steps of the bar's last cell.
BLOCKS = " ▏▎▍▌▋▊▉█"
# What is left of the line before and after the bar at most.
NARROWEST_BAR = 10


class progress(Generic[Item]):  # noqa: N801
    """Iterates, and shows how far it is.

    A tensor in `set_postfix` is read by another thread while the loop goes on: the bar shows the
    latest value that is known.

    >>> import gt
    >>> bar = gt.utils.progress(range(3), desc="epoch 1", disable=True)
    >>> for step in bar:
    ...     bar.set_postfix(loss=gt.tensor(0.5))
    >>> bar.n
    3
    """

    def __init__(
        self,
        iterable: Iterable[Item] | None = None,
        desc: str | None = None,
        total: float | None = None,
        leave: bool = True,
        file: TextIO | None = None,
        mininterval: float = 0.1,
        disable: bool | None = False,
        unit: str = "it",
        initial: int = 0,
        **ignored: Any,
    ) -> None:
        for name in ignored:
            if name not in OF_TQDM:
                raise TypeError(f"progress() got an unexpected keyword argument '{name}'")
        if total is None and isinstance(iterable, Sized):
            total = len(iterable)
        self.iterable, self.desc, self.total, self.unit = iterable, desc or "", total, unit
        self.n: float = initial
        self._initial, self._leave, self._interval = initial, leave, mininterval
        self._file = sys.stderr if file is None else file
        # As in tqdm, None means: only in a terminal.
        self.disable = not _is_terminal(self._file) if disable is None else bool(disable)
        self._started = self._drawn = time.monotonic()
        self._postfix = _Postfix()
        self._screen = _screen(self._file)
        self._closed = False

    def __iter__(self) -> Iterator[Item]:
        if self.iterable is None:
            raise TypeError("a bar without an iterable is moved on by update()")
        try:
            for item in self.iterable:
                yield item
                self.update()
        finally:
            self.close()
        self._postfix.check()

    def __len__(self) -> int:
        if self.total is None:
            raise TypeError("the length of the loop is not known")
        return int(self.total)

    def __enter__(self) -> progress[Item]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is None:
            self._postfix.check()

    def update(self, n: float = 1) -> None:
        """Moves the bar on."""
        self._postfix.check()
        self.n += n
        if not self.disable and time.monotonic() - self._drawn >= self._interval:
            self.refresh()

    def set_description(self, desc: str | None = None, refresh: bool = True) -> None:
        """Changes what stands before the bar."""
        self.desc = desc or ""
        if refresh and not self.disable:
            self.refresh()

    def set_postfix(
        self, ordered_dict: dict[str, Any] | None = None, refresh: bool = True, **values: Any
    ) -> None:
        """Shows values after the bar; those that are tensors once they are known."""
        self._postfix.check()
        if not self.disable:
            self._postfix.show({**(ordered_dict or {}), **values})
            if refresh and time.monotonic() - self._drawn >= self._interval:
                self.refresh()

    def set_postfix_str(self, s: str = "", refresh: bool = True) -> None:
        """Shows a text after the bar."""
        self.set_postfix({"": s}, refresh)

    def write(self, text: str, file: TextIO | None = None, end: str = "\n") -> None:
        """Prints above the bar."""
        self._screen.clear()
        print(text, file=file or sys.stdout, end=end)
        if not self.disable and not self._closed:
            self.refresh()

    def refresh(self) -> None:
        """Draws the bar as it is now."""
        self._drawn = time.monotonic()
        self._screen.draw(self._line(self._screen.width()))

    def close(self) -> None:
        """Draws the bar for the last time; it stays unless `leave` is false."""
        if self._closed:
            return
        self._closed = True
        self._postfix.close()
        if self.disable:
            return
        if self._leave:
            self._screen.finish(self._line(self._screen.width()))
        else:
            self._screen.clear()

    def _line(self, width: int) -> str:
        elapsed = time.monotonic() - self._started
        speed = (self.n - self._initial) / elapsed if elapsed > 0 else 0.0
        before = f"{self.desc}: " if self.desc else ""
        shown = self._postfix.text()
        after = f", {shown}" if shown else ""
        rate = (
            f"{speed:.2f}{self.unit}/s"
            if speed >= 1 or not speed
            else (f"{1 / speed:.2f}s/{self.unit}")
        )
        if not self.total:
            return f"{before}{self.n:g}{self.unit} [{_clock(elapsed)}, {rate}{after}]"[:width]
        share = min(self.n / self.total, 1.0)
        left = _clock((self.total - self.n) / speed) if speed > 0 else "?"
        before += f"{share:4.0%}|"
        times = f"{_clock(elapsed)}<{left}, {rate}"
        after = f"| {self.n:g}/{self.total:g} [{times}{after}]"
        cells = max(width - len(before) - len(after), NARROWEST_BAR)
        return f"{before}{_bar(share, cells)}{after}"[:width]


#: Options of tqdm that change nothing here.
OF_TQDM = {
    "ascii",
    "bar_format",
    "colour",
    "delay",
    "dynamic_ncols",
    "gui",
    "lock_args",
    "maxinterval",
    "miniters",
    "ncols",
    "nrows",
    "position",
    "postfix",
    "smoothing",
    "unit_divisor",
    "unit_scale",
    "write_bytes",
}


def _bar(share: float, cells: int) -> str:
    steps = int(share * cells * (len(BLOCKS) - 1))
    full, part = divmod(steps, len(BLOCKS) - 1)
    bar = BLOCKS[-1] * full + (BLOCKS[part] if part else "")
    return bar.ljust(cells)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def _is_terminal(file: TextIO) -> bool:
    try:
        return file.isatty()
    except (AttributeError, ValueError):
        return False


class _Postfix:
    """What is shown after a bar. Tensors are read by a thread of its own, the latest only."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._wanted: dict[str, Any] | None = None
        self._known: dict[str, str] = {}
        self._error: Exception | None = None
        self._reader: threading.Thread | None = None
        self._closed = False

    def show(self, values: dict[str, Any]) -> None:
        waiting = {name: value for name, value in values.items() if isinstance(value, Tensor)}
        with self._changed:
            # A name keeps its last value until the next is known.
            self._known = {
                name: self._known.get(name, "…") if name in waiting else _text(value)
                for name, value in values.items()
            }
            if not waiting:
                return
            self._wanted = {name: value.detach() for name, value in waiting.items()}
            if self._reader is None:
                self._reader = threading.Thread(target=self._read, daemon=True, name="gt-progress")
                self._reader.start()
            self._changed.notify()

    def text(self) -> str:
        with self._changed:
            shown = self._known.items()
            return ", ".join(f"{name}={value}" if name else value for name, value in shown)

    def check(self) -> None:
        """Raises what went wrong with a tensor: it is told once, and the loop must hear it."""
        with self._changed:
            error, self._error = self._error, None
        if error is not None:
            raise error

    def close(self) -> None:
        """Lets the thread end when it has read what it is at."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _read(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted is not None or self._closed)
                wanted, self._wanted = self._wanted, None
                if wanted is None or self._closed:
                    return
            read = {}
            for name, tensor in wanted.items():
                try:
                    read[name] = _value(tensor)
                except Exception as error:
                    read[name] = type(error).__name__
                    with self._changed:
                        self._error = self._error or error
            del wanted, tensor
            with self._changed:
                self._known.update((n, text) for n, text in read.items() if n in self._known)


def _value(tensor: Tensor) -> str:
    return _text(tensor.item() if tensor.numel() == 1 else tensor.tolist())


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


class _Terminal:
    """Draws over its own line."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._drawn = file, 0

    def width(self) -> int:
        # The last column stays free: some terminals would begin another line.
        return shutil.get_terminal_size().columns - 1

    def draw(self, line: str) -> None:
        self._write("\r" + line.ljust(self._drawn))
        self._drawn = len(line)

    def finish(self, line: str) -> None:
        self.draw(line)
        self._write("\n")
        self._drawn = 0

    def clear(self) -> None:
        if self._drawn:
            self._write("\r" + " " * self._drawn + "\r")
            self._drawn = 0

    def _write(self, text: str) -> None:
        self._file.write(text)
        self._file.flush()


class _File(_Terminal):
    """Writes the last state alone: in a file, each drawing would be a line."""

    def width(self) -> int:
        return 120

    def draw(self, line: str) -> None:
        pass

    def finish(self, line: str) -> None:
        self._write(line + "\n")


class _Notebook(_Terminal):
    """Shows a line in the output of a cell, and changes it there."""

    def __init__(self, file: TextIO) -> None:
        super().__init__(file)
        self._handle: Any = None

    def width(self) -> int:
        return 100

    def draw(self, line: str) -> None:
        shown = {"text/plain": line}
        if self._handle is None:
            display: Any = importlib.import_module("IPython.display").display
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)

    def finish(self, line: str) -> None:
        self.draw(line)

    def clear(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)


def _screen(file: TextIO) -> _Terminal:
    if _is_terminal(file):
        return _Terminal(file)
    shell = sys.modules.get("IPython")
    kernel = None if shell is None else getattr(shell.get_ipython(), "kernel", None)
    return _File(file) if kernel is None or file is not sys.stderr else _Notebook(file)
