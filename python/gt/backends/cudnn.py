"""Switches of cuDNN, which change nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Whether kernels come from cuDNN: never."""
    return False


def version() -> int | None:
    """No version: kernels do not come from cuDNN."""
    return None


@contextlib.contextmanager
def flags(**switches: Any) -> Iterator[None]:
    """A `with` block in which nothing changes."""
    yield
