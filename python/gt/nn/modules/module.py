"""PyTorch's name for a part of `gt.nn`: what all layers have in common."""

from gt.nn.module import Module

__all__ = ["Module"]
