"""PyTorch's names for GPUs, answered for the session: it has one device, whatever its index."""

from __future__ import annotations

from types import TracebackType
from typing import Any, NoReturn

from gt import _gt
from gt._gt import OutOfMemoryError
from gt._gt import manual_seed as _manual_seed
from gt.cuda import amp

__all__ = [
    "OutOfMemoryError",
    "amp",
    "current_device",
    "device",
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "init",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "set_device",
    "synchronize",
]


def is_available() -> bool:
    """Whether the session's workers have GPUs. A session that has not begun is not begun for it.

    >>> import gt
    >>> device = gt.device("cuda" if gt.cuda.is_available() else "cpu")
    >>> gt.zeros(2, device=device).device == device
    True
    """
    return bool(_gt.status()["open"]) and bool(_gt.zeros(0).is_cuda)


def device_count() -> int:
    """How many GPUs the session's workers have."""
    return int(_gt.status()["workers"]) if is_available() else 0


def is_initialized() -> bool:
    """Whether the session has begun, and has GPUs."""
    return is_available()


def init() -> None:
    """Nothing: the first operation begins a session."""


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether GPUs compute in bfloat16."""
    return is_available()


def current_device() -> int:
    """Zero: a session has one device."""
    return 0


def set_device(device: Any) -> None:
    """Nothing: a session has one device."""


class device:  # noqa: N801
    """A `with` block in which nothing changes: a session has one device."""

    def __init__(self, device: Any) -> None:
        self.idx = device

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


def synchronize(device: Any = None) -> None:
    """Waits for everything that was asked for, and raises what failed."""
    _gt.synchronize()


def manual_seed(seed: int) -> None:
    """Starts the random numbers of the GPUs anew; those of a CPU go on."""
    if is_available():
        _manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """The same: the workers of a session share their random numbers."""
    manual_seed(seed)


def _bytes(name: str) -> int:
    return int(_gt.memory()[name]) if _gt.status()["open"] else 0


def memory_allocated(device: Any = None) -> int:
    """How many bytes the session's values take."""
    return _bytes("used_bytes")


def max_memory_allocated(device: Any = None) -> int:
    """How many bytes they took at most."""
    return _bytes("peak_bytes")


def memory_reserved(device: Any = None) -> int:
    """How many bytes they take, with what is kept for the next ones."""
    return _bytes("used_bytes") + _bytes("cached_bytes")


def max_memory_reserved(device: Any = None) -> int:
    """How many bytes they took at most."""
    return _bytes("peak_bytes")


def reset_peak_memory_stats(device: Any = None) -> None:
    """Nothing: the most that was taken is counted for the whole session."""


def empty_cache() -> None:
    """Nothing: workers give back what they do not need."""


def ipc_collect() -> None:
    """Nothing: no memory is shared with other programs."""


def _no_answer(name: str) -> NoReturn:
    kind = "has GPUs, but what they are is not known here" if is_available() else "has no GPU"
    raise RuntimeError(f"cuda.{name}: the session {kind}; gt.status() says what it has")


def get_device_name(device: Any = None) -> str:
    """Refused: see `gt.status()`."""
    _no_answer("get_device_name")


def get_device_properties(device: Any = None) -> Any:
    """Refused: see `gt.status()`."""
    _no_answer("get_device_properties")


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Refused: see `gt.status()`."""
    _no_answer("get_device_capability")
