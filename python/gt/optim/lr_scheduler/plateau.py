"""A schedule that waits for a number to become better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gt.optim.lr_scheduler.schedule import LRScheduler, assign, for_each, rates
from gt.optim.optimizer import Optimizer


class ReduceLROnPlateau(LRScheduler):
    """Multiplies by `factor` when a number has not become better for `patience` steps."""

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("the factor must be below one")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if mode not in ("min", "max"):
            raise ValueError(f"mode is 'min' or 'max', not {mode!r}")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold_mode is 'rel' or 'abs', not {threshold_mode!r}")
        self.optimizer, self.mode, self.factor = optimizer, mode, factor
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.min_lrs = for_each("min_lr", optimizer, min_lr)
        self.default_min_lr = None if isinstance(min_lr, list | tuple) else min_lr
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0
        self._last_lr = rates(optimizer)

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Looks at the number; this reads it, if it is a tensor."""
        value = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._lower()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = rates(self.optimizer)

    def _lower(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"min_lr was given for {len(self.min_lrs)} parameter groups, and the "
                    f"optimizer has {len(groups)}; give min_lrs as many"
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            rate = float(group["lr"])
            lower = max(rate * self.factor, least)
            if rate - lower > self.eps:
                assign(group, "lr", lower)

    def _is_better(self, value: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "rel":
            # As in PyTorch, also where the best is negative and the bound is on its other side.
            bound = self.best * (1 - sign * self.threshold)
        else:
            bound = self.best - sign * self.threshold
        return value < bound if self.mode == "min" else value > bound
