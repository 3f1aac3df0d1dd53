"""PyTorch's name for a part of `gt.nn`: layers that normalise each image."""

from gt.nn.norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, _InstanceNorm

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "_InstanceNorm"]
