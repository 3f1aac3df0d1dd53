"""Schedules along a cosine."""

from __future__ import annotations

import math
from typing import Any

from gt.optim.lr_scheduler.schedule import LRScheduler, rates
from gt.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """Falls to `eta_min` along half a cosine, and rises again."""

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: int) -> float:
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self) -> list[Any]:
        if self._is_initial:
            return rates(self.optimizer)
        low, now = self.eta_min, rates(self.optimizer)
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            # From the lowest point no factor leads up again.
            up = (2 - self._height(1)) / 2
            pairs = zip(now, self.base_lrs, strict=True)
            return [rate + (base - low) * up for rate, base in pairs]
        part = self._height(self.last_epoch) / self._height(self.last_epoch - 1)
        return [low + (rate - low) * part for rate in now]

    def _get_closed_form_lr(self) -> list[Any]:
        low, part = self.eta_min, self._height(self.last_epoch) / 2
        return [low + (base - low) * part for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Falls to `eta_min` along half a cosine again and again, each `T_mult` times as slowly."""

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} is a positive integer, not {value}")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        self.T_i, self.T_cur = T_0, float(last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        low, part = self.eta_min, (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [low + (base - low) * part for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Sets the learning rates of the next step, or of the one given, which may be a part."""
        if epoch is None:
            epoch, self.T_cur = self.last_epoch + 1, self.T_cur + 1
        elif epoch < 0:
            raise ValueError(f"epoch is not negative, but {epoch} is")
        else:
            self.T_cur, self.T_i = epoch, self.T_0
        while self.T_cur >= self.T_i:
            self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        self.last_epoch = math.floor(epoch)
        self._set(self.get_lr())
