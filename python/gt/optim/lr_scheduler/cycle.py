"""One cycle: learning rates that rise and fall once, and momenta that fall and rise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gt.optim.lr_scheduler.schedule import LRScheduler, assign, for_each
from gt.optim.optimizer import Optimizer

# Where a part of the cycle ends, and the options that its rates and momenta go between.
Phase = dict[str, Any]


class OneCycleLR(LRScheduler):
    """Rises to `max_lr` and falls far below where it began, in one cycle."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("OneCycleLR needs total_steps, or epochs and steps_per_epoch")
            total_steps = epochs * steps_per_epoch
        if not isinstance(total_steps, int) or total_steps <= 0:
            raise ValueError(f"total_steps is a positive integer, not {total_steps}")
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"pct_start is a float between 0 and 1, not {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy is 'cos' or 'linear', not {anneal_strategy!r}")
        self.total_steps, self._anneal_func_type = total_steps, anneal_strategy
        self._schedule_phases = _phases(total_steps, pct_start, three_phase)
        self.cycle_momentum = cycle_momentum
        options = {"max_lr": for_each("max_lr", optimizer, max_lr)}
        if cycle_momentum:
            self.use_beta1 = "betas" in optimizer.defaults
            if not self.use_beta1 and "momentum" not in optimizer.defaults:
                raise ValueError("cycle_momentum needs an optimizer with a momentum or with betas")
            for name, value in (("base_momentum", base_momentum), ("max_momentum", max_momentum)):
                options[name] = for_each(name, optimizer, value)
        if last_epoch == -1:
            for place, group in enumerate(optimizer.param_groups):
                group.update({name: values[place] for name, values in options.items()})
                group["initial_lr"] = group["max_lr"] / div_factor
                group["min_lr"] = group["initial_lr"] / final_div_factor
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"step {self.last_epoch} is beyond the {self.total_steps} of the schedule"
            )
        start, phase = 0.0, self._schedule_phases[0]
        for later in self._schedule_phases[1:]:
            if self.last_epoch > phase["end_step"]:
                start, phase = phase["end_step"], later
        done = (self.last_epoch - start) / (phase["end_step"] - start)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                self._set_momentum(group, self._between(group, phase, "momentum", done))
        return [self._between(group, phase, "lr", done) for group in self.optimizer.param_groups]

    def _between(self, group: dict[str, Any], phase: Phase, name: str, done: float) -> Any:
        start, end = group[phase[f"start_{name}"]], group[phase[f"end_{name}"]]
        if self._anneal_func_type == "linear":
            return start + (end - start) * done
        return end + (start - end) / 2 * (1 + math.cos(math.pi * done))

    def _set_momentum(self, group: dict[str, Any], value: Any) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            assign(group, "momentum", value)


def _phases(total: int, share: float, three_phase: bool) -> list[Phase]:
    """The parts of a cycle, with the names of the options of a group."""
    first = float(share * total) - 1
    ways = [(first, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
    if three_phase:
        second = float(2 * share * total) - 2
        ways.append((second, "max_lr", "initial_lr", "base_momentum", "max_momentum"))
        ways.append((total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"))
    else:
        ways.append((total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"))
    names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
    return [dict(zip(names, way, strict=True)) for way in ways]
