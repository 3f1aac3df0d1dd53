"""Schedules: learning rates that change with the number of steps."""

from gt.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from gt.optim.lr_scheduler.cycle import OneCycleLR
from gt.optim.lr_scheduler.factor import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from gt.optim.lr_scheduler.plateau import ReduceLROnPlateau
from gt.optim.lr_scheduler.schedule import LRScheduler
from gt.optim.lr_scheduler.sequence import ChainedScheduler, SequentialLR

# The name that programs for older versions of PyTorch know.
_LRScheduler = LRScheduler

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


def __dir__() -> list[str]:
    # Python suggests names from this list when a name was mistyped.
    return sorted(name for name in globals() if name[:1] != "_" or name[:2] == "__")
