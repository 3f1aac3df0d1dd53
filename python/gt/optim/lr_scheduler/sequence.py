"""Several schedules of one optimiser: one after another, or all at once."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any

from gt.optim.lr_scheduler.plateau import ReduceLROnPlateau
from gt.optim.lr_scheduler.schedule import LRScheduler, assign, rates
from gt.optim.optimizer import Optimizer


class _OfSchedules(LRScheduler):
    """A schedule that is made of others."""

    _schedulers: list[Any]

    def _check(self, optimizer: Optimizer) -> None:
        kind = type(self).__name__
        if not self._schedulers:
            raise ValueError(f"{kind} needs at least one schedule")
        for schedule in self._schedulers:
            if isinstance(schedule, ReduceLROnPlateau):
                raise ValueError(f"{kind} cannot step a ReduceLROnPlateau, which needs a number")
            if schedule.optimizer is not optimizer:
                raise ValueError(f"the schedules of a {kind} belong to one optimizer")

    def state_dict(self) -> dict[str, Any]:
        """All it remembers, with the states of the schedules."""
        state = super().state_dict()
        state["_schedulers"] = [schedule.state_dict() for schedule in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        state = dict(state_dict)
        for schedule, saved in zip(self._schedulers, state.pop("_schedulers"), strict=True):
            schedule.load_state_dict(saved)
        super().load_state_dict(state)


class SequentialLR(_OfSchedules):
    """One schedule after another, changing at the milestones."""

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        self._schedulers, self._milestones = list(schedulers), list(milestones)
        self._check(optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("SequentialLR needs one milestone less than schedules")
        self.optimizer, self.last_epoch = optimizer, last_epoch + 1
        # The schedules have each set the rate when they were made; the first one begins again.
        for group in optimizer.param_groups:
            assign(group, "lr", group["initial_lr"])
        _take_back(self)
        first = self._schedulers[bisect.bisect_right(self._milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Sets the learning rates of the next step."""
        self.last_epoch += 1
        place = bisect.bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[place]
        if place > 0 and self._milestones[place - 1] == self.last_epoch:
            schedule._update_lr(0)
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()


def _take_back(schedule: LRScheduler) -> None:
    """Takes back the step that schedules begin with."""
    if isinstance(schedule, _OfSchedules):
        for part in schedule._schedulers:
            _take_back(part)
    else:
        schedule.last_epoch -= 1


class ChainedScheduler(_OfSchedules):
    """Schedules that step together, each from the rates that the one before has set."""

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        self._schedulers = list(schedulers)
        first: Any = schedulers[0].optimizer if schedulers else None
        self._check(optimizer or first)
        self.optimizer = self._schedulers[0].optimizer
        self._last_lr = rates(self.optimizer)

    def step(self, epoch: int | None = None) -> None:
        """Sets the learning rates of the next step."""
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = rates(self.optimizer)
