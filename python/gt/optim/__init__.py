"""Optimisers and schedules for their learning rates."""

from gt.optim import lr_scheduler
from gt.optim.adam import Adam, AdamW, NAdam
from gt.optim.adaptive import Adadelta, Adagrad, Lion, RMSprop
from gt.optim.optimizer import Optimizer
from gt.optim.sgd import SGD

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Lion",
    "NAdam",
    "Optimizer",
    "RMSprop",
    "lr_scheduler",
]


def __dir__() -> list[str]:
    # Python suggests names from this list when a name was mistyped.
    return sorted(name for name in globals() if name[:1] != "_" or name[:2] == "__")
