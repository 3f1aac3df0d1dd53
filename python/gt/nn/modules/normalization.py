"""PyTorch's name for a part of `gt.nn`: layers that normalise parts of each element of a batch."""

from gt.nn.norm import GroupNorm, LayerNorm, RMSNorm

__all__ = ["GroupNorm", "LayerNorm", "RMSNorm"]
