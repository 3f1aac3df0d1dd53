"""PyTorch's name for a part of `gt.nn`: layers that change sizes."""

from gt.nn.resize import Upsample, UpsamplingBilinear2d, UpsamplingNearest2d

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]
