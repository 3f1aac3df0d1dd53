"""PyTorch's name for a part of `gt.nn`: layers that pool."""

from gt.nn.image import AdaptiveAvgPool2d, AvgPool2d, MaxPool2d

__all__ = ["AdaptiveAvgPool2d", "AvgPool2d", "MaxPool2d"]
