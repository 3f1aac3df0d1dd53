"""PyTorch's name for the part that keeps tensors in files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from gt.files import load, save

__all__ = [
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "load",
    "safe_globals",
    "save",
]


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Nothing: files hold data only, so that no class has to be trusted."""


def get_safe_globals() -> list[Any]:
    """No classes: files hold data only."""
    return []


def clear_safe_globals() -> None:
    """Nothing: no class is trusted."""


@contextlib.contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """A `with` block in which nothing changes."""
    yield
