"""PyTorch's `utils`: checkpoints in a graph, and data for training."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gt.utils import checkpoint

if TYPE_CHECKING:
    from gt.utils import data

__all__ = ["checkpoint", "data"]


def __getattr__(name: str) -> Any:
    # `data` needs NumPy, and `import gt` does not.
    if name == "data":
        return importlib.import_module("gt.utils.data")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
