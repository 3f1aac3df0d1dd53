"""PyTorch's name for the device of a session, if that is not a CPU."""

from __future__ import annotations

from typing import Any

from gt import _gt
from gt.cuda import (
    current_device,
    device_count,
    empty_cache,
    is_available,
    max_memory_allocated,
    memory_allocated,
    memory_reserved,
    reset_peak_memory_stats,
    set_device,
    synchronize,
)

__all__ = [
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "device_count",
    "empty_cache",
    "is_available",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "set_device_idx",
    "set_device_index",
    "synchronize",
]

current_device_index = current_device_idx = current_device
set_device_index = set_device_idx = set_device


def current_accelerator(check_available: bool = False) -> Any:
    """The session's device, or nothing if it is a CPU.

    >>> import gt
    >>> gt.accelerator.current_accelerator() is None or gt.accelerator.is_available()
    True
    """
    return _gt.device("cuda") if is_available() else None
