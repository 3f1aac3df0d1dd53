"""PyTorch's names for GPUs, as far as programs ask for them; a session has one device."""

from gt.cuda import amp

__all__ = ["amp"]
