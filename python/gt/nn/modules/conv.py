"""PyTorch's name for a part of `gt.nn`: convolutions."""

from gt.nn.image import Conv1d, Conv2d, ConvTranspose2d
from gt.nn.image import _Convolution as _ConvNd

__all__ = ["Conv1d", "Conv2d", "ConvTranspose2d", "_ConvNd"]
