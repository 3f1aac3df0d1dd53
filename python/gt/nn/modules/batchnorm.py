"""PyTorch's name for a part of `gt.nn`: layers that normalise over a batch."""

from gt.nn.norm import BatchNorm1d, BatchNorm2d, BatchNorm3d, _BatchNorm

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "_BatchNorm"]
