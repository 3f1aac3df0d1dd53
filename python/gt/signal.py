"""Signals: names for parts of a program, which a config gives workers and cuts.

A name changes no number. Without a config, and with one that does not have it, it is ignored.

>>> import gt
>>> with gt.signal.context("forward"):
...     (gt.ones(2) + 1).tolist()
[2.0, 2.0]
"""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Self

from gt import _gt
from gt._gt import Tensor

__all__ = ["context", "enter", "exit", "tensor"]


class context(ContextDecorator):  # noqa: N801
    """A signal around a block, or as a decorator around every call of a function.

    What is created in the block is cut, and operations run on workers, as the config says for
    `name`. Gradients of the block are computed in the signal `backward`, if it is given.

    >>> import gt
    >>> @gt.signal.context("forward", backward="backward")
    ... def square(x):
    ...     return x * x
    >>> square(gt.tensor(3.0)).item()
    9.0
    """

    def __init__(self, name: str, backward: str | None = None) -> None:
        self.name = _checked(name)
        self.backward = backward if backward is None else _checked(backward)
        self._depths: list[int] = []

    def _recreate_cm(self) -> Self:
        # Calls of a decorated function may overlap, in threads for instance.
        return type(self)(self.name, self.backward)

    def __enter__(self) -> Self:
        self._depths.append(_gt._signal_enter(self.name, self.backward))
        return self

    def __exit__(self, raised: type[BaseException] | None, *_: object) -> None:
        open_inside = _gt._scope_restore(self._depths.pop())
        if open_inside is not None and raised is None:
            raise RuntimeError(
                f"{open_inside} was entered within signal.context('{self.name}') and not left"
            )


def enter(name: str, backward: str | None = None) -> None:
    """Begins a signal in this thread; `exit` with the same name ends it.

    >>> import gt
    >>> gt.signal.enter("forward")
    >>> gt.signal.exit("forward")
    """
    _gt._signal_enter(_checked(name), backward if backward is None else _checked(backward))


def exit(name: str) -> None:
    """Ends the innermost signal of this thread, which must have this name."""
    _gt._signal_exit(_checked(name))


def tensor(x: Tensor, name: str) -> Tensor:
    """A copy of a tensor where the config wants the values of a signal.

    >>> import gt
    >>> gt.signal.tensor(gt.ones(2), name="forward").tolist()
    [1.0, 1.0]
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"signal.tensor() takes a tensor, not {_gt._kind_of(x)}")
    return _gt._signal_tensor(x, _checked(name))


def _checked(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name of a signal is text, not {type(name).__name__}")
    if not name:
        raise ValueError("the name of a signal is empty")
    return name
