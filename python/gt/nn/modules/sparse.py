"""PyTorch's name for a part of `gt.nn`: tables that are looked up."""

from gt.nn.linear import Embedding

__all__ = ["Embedding"]
