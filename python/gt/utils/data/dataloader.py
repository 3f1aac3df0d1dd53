"""PyTorch's name for the part that has the loader."""

from gt.utils.data.collate import default_collate, default_convert
from gt.utils.data.loader import DataLoader
from gt.utils.data.workers import get_worker_info

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]
