"""The import paths of the first prototype: `from gt.client import nn`."""

from gt import nn
from gt._gt import Tensor

__all__ = ["Tensor", "nn"]
