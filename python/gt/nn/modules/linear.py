"""PyTorch's name for a part of `gt.nn`: layers that multiply by a matrix."""

from gt.nn.linear import Bilinear, Identity, Linear

__all__ = ["Bilinear", "Identity", "Linear"]
