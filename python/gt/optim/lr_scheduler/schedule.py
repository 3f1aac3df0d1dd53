"""What all schedules have in common."""

from __future__ import annotations

from typing import Any

from gt._gt import Tensor
from gt.optim.optimizer import Optimizer


def rates(optimizer: Optimizer, name: str = "lr") -> list[Any]:
    """An option of each group; a tensor is copied, because steps write into it."""
    values = [group[name] for group in optimizer.param_groups]
    return [value.clone() if isinstance(value, Tensor) else value for value in values]


def assign(group: dict[str, Any], name: str, value: Any) -> None:
    """Gives a group an option; one that is a tensor stays the same tensor."""
    known = group[name]
    if not isinstance(known, Tensor):
        group[name] = value
    elif isinstance(value, Tensor):
        known.copy_(value)
    else:
        known.fill_(value)


def for_each(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """A value for each group: the one given, or one of those given."""
    count = len(optimizer.param_groups)
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"{name} has {len(value)} values for {count} parameter groups")
    return list(value)


class LRScheduler:
    """Sets the learning rates of an optimiser. Subclasses give them in `get_lr`.

    A rate follows from the one before, so that schedules can be used together and a rate that
    the program sets is the start of what comes next. Where a step is given by number, subclasses
    may have a formula in `_get_closed_form_lr`.

    >>> import gt
    >>> optimizer = gt.optim.SGD([gt.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = gt.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(schedule.get_last_lr()[0])
    ...     optimizer.step()
    ...     schedule.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5]
    """

    # True during the step that a schedule begins with.
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for group, rate in zip(optimizer.param_groups, rates(optimizer), strict=True):
            if last_epoch == -1:
                group.setdefault("initial_lr", rate)
            elif "initial_lr" not in group:
                raise KeyError("'initial_lr' is missing in a parameter group that is resumed")
        self.base_lrs = rates(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        self._last_lr: list[Any] = []
        self._initial_step()

    def _initial_step(self) -> None:
        self._is_initial = True
        try:
            self.step()
        finally:
            del self._is_initial

    def get_lr(self) -> list[Any]:
        """The learning rate of each group at `last_epoch`."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Any]:
        """The learning rates that were set last."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Sets the learning rates of the next step, or of the one given."""
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        formula = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
        self._set(self.get_lr() if formula is None else formula())

    def _set(self, values: list[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, values, strict=True):
            assign(group, "lr", rate)
        self._last_lr = rates(self.optimizer)

    def _times(self, factor: float) -> list[Any]:
        """The rates as they are, times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """All it remembers, without the optimiser and without functions."""
        return {
            name: value
            for name, value in self.__dict__.items()
            if name != "optimizer" and not callable(value)
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        self.__dict__.update(state_dict)
