"""Python's `multiprocessing` under PyTorch's name. Tensors travel as their elements."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from typing import Any

__all__ = [*multiprocessing.__all__, "get_all_sharing_strategies", "get_sharing_strategy"]
__all__ += ["set_sharing_strategy", "spawn", "start_processes"]


def get_all_sharing_strategies() -> set[str]:
    """The ways in which PyTorch shares memory between processes."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """A name for what does not matter here: tensors are copied between processes."""
    return "file_descriptor"


def set_sharing_strategy(new_strategy: str) -> None:
    """Nothing: tensors are copied between processes."""
    if new_strategy not in get_all_sharing_strategies():
        raise ValueError(f"a strategy is one of {sorted(get_all_sharing_strategies())}")


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> list[Any] | None:
    """Calls `fn(number, *args)` in processes of their own, each with a session of its own."""
    context: Any = multiprocessing.get_context(start_method)
    started = [
        context.Process(target=fn, args=(number, *args), daemon=daemon) for number in range(nprocs)
    ]
    for child in started:
        child.start()
    if not join:
        return started
    for child in started:
        child.join()
    for number, child in enumerate(started):
        if child.exitcode:
            raise RuntimeError(f"spawn: process {number} ended with exit code {child.exitcode}")
    return None


# PyTorch has two names for it.
spawn = start_processes
