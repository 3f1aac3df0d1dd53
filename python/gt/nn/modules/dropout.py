"""PyTorch's name for a part of `gt.nn`: layers that drop elements or channels."""

from gt.nn.activation import Dropout, Dropout1d, Dropout2d, Dropout3d

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d"]
