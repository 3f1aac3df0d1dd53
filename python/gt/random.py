"""Random numbers: their state, and generators apart from the session's own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from gt import _gt
from gt._gt import Tensor, manual_seed

__all__ = [
    "Generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]

STATE_BYTES = 16


def _packed(state: tuple[int, int]) -> Tensor:
    data = b"".join(number.to_bytes(8, "little") for number in state)
    return _gt._tensor("uint8", (STATE_BYTES,), data, False)


def _unpacked(state: Tensor) -> tuple[int, int]:
    if not isinstance(state, Tensor):
        kind = type(state).__name__
        raise TypeError(f"a state of random numbers is a tensor of uint8, not {kind}")
    if state.dtype != _gt.uint8 or tuple(state.shape) != (STATE_BYTES,):
        raise RuntimeError(
            f"a state of random numbers is {STATE_BYTES} elements of uint8, not "
            f"{tuple(state.shape)} of {state.dtype}"
        )
    data = _gt._bytes(state)
    return int.from_bytes(data[:8], "little"), int.from_bytes(data[8:], "little")


def _any_seed() -> int:
    return int.from_bytes(os.urandom(8), "little")


def get_rng_state() -> Tensor:
    """The state of the session's random numbers.

    >>> import gt
    >>> state = gt.get_rng_state()
    >>> first = gt.rand(3)
    >>> gt.set_rng_state(state)
    >>> gt.equal(gt.rand(3), first)
    True
    """
    return _packed(_gt._random_state())


def set_rng_state(new_state: Tensor) -> None:
    """Goes on with the session's random numbers from a state."""
    _gt._set_random_state(*_unpacked(new_state))


def initial_seed() -> int:
    """The seed that the session's random numbers began with."""
    return _gt._random_state()[0]


def seed() -> int:
    """Starts the session's random numbers from a random seed, and returns it."""
    chosen = _any_seed()
    _gt._set_random_state(chosen, 0)
    return chosen


@contextlib.contextmanager
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: Any = None,
) -> Iterator[None]:
    """A `with` block whose random numbers leave no trace.

    >>> import gt
    >>> state = gt.get_rng_state()
    >>> with gt.random.fork_rng():
    ...     noise = gt.rand(3)
    >>> gt.equal(gt.get_rng_state(), state)
    True
    """
    before = _gt._random_state() if enabled else None
    try:
        yield
    finally:
        if before is not None:
            _gt._set_random_state(*before)


class Generator(_gt._Generator):
    """Random numbers apart from the session's, for calls that are given it as `generator`.

    >>> import gt
    >>> first = gt.rand(3, generator=gt.Generator().manual_seed(7))
    >>> gt.equal(gt.rand(3, generator=gt.Generator().manual_seed(7)), first)
    True
    """

    def __new__(cls, device: Any = None) -> Generator:
        return super().__new__(cls)

    def __init__(self, device: Any = None) -> None:
        # PyTorch's generators begin with this seed too, so that programs repeat.
        self._set_state(67280421310721, 0)

    def manual_seed(self, seed: int) -> Generator:
        """Starts its numbers anew."""
        self._set_state(seed % 2**64, 0)
        return self

    def seed(self) -> int:
        """Starts its numbers from a random seed, and returns it."""
        chosen = _any_seed()
        self._set_state(chosen, 0)
        return chosen

    def initial_seed(self) -> int:
        """The seed that its numbers began with."""
        return self._state()[0]

    def get_state(self) -> Tensor:
        """Where its numbers are."""
        return _packed(self._state())

    def set_state(self, new_state: Tensor) -> None:
        """Goes on from a state."""
        self._set_state(*_unpacked(new_state))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), *self._state())


def _restored(kind: type[Generator], seed: int, count: int) -> Generator:
    made = kind()
    made._set_state(seed, count)
    return made
