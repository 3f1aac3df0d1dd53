"""PyTorch's sampler for groups of processes, which GT does not have."""

from gt.absent import refusals

__getattr__ = refusals(
    "gt.utils.data.distributed",
    "one program reads all its data: use RandomSampler, or shuffle=True",
)
