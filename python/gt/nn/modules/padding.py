"""PyTorch's name for a part of `gt.nn`: layers that put elements around."""

from gt.nn.resize import (
    CircularPad1d,
    CircularPad2d,
    ConstantPad2d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReplicationPad1d,
    ReplicationPad2d,
    ZeroPad2d,
)

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "ConstantPad2d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ZeroPad2d",
]
