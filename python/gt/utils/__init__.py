"""PyTorch's `utils`: checkpoints in a graph, data for training, and a bar for loops."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gt.utils import checkpoint
from gt.utils.progress import progress

if TYPE_CHECKING:
    from gt.utils import data

__all__ = ["checkpoint", "data", "progress"]


def __getattr__(name: str) -> Any:
    # `data` needs NumPy, and `import gt` does not.
    if name == "data":
        return importlib.import_module("gt.utils.data")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
