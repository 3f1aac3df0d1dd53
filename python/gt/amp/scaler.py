"""Scales a loss so that its gradients fit into float16, and takes back steps where they did not.

Nothing is read: whether a gradient is infinite is known on the workers only, and there each step
keeps either the old values or the new ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import no_grad

if TYPE_CHECKING:
    from gt.optim.optimizer import Optimizer


class _Stage:
    """What was done for an optimiser since the last `update`."""

    def __init__(self) -> None:
        self.found: Tensor | None = None
        self.stepped = False


class GradScaler:
    """Multiplies losses by a scale that grows while gradients are finite, and shrinks when not.

    >>> import gt
    >>> x = gt.tensor([2.0], requires_grad=True)
    >>> optimizer, scaler = gt.optim.SGD([x], lr=0.5), gt.amp.GradScaler(init_scale=1024.0)
    >>> scaler.scale(x.sum()).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> x
    tensor([1.5000], requires_grad=True)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._enabled = enabled
        self._init_scale, self._init_growth = float(init_scale), 0
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._scale: Tensor | None = None
        self._growth: Tensor | None = None
        self._stages: dict[int, _Stage] = {}

    def _tensors(self) -> tuple[Tensor, Tensor]:
        """The scale, and how many steps it has been good for."""
        if self._scale is None or self._growth is None:
            self._scale = _gt.tensor(self._init_scale, dtype=_gt.float32)
            self._growth = _gt.tensor(self._init_growth, dtype=_gt.int32)
        return self._scale, self._growth

    def scale(self, outputs: Any) -> Any:
        """A tensor, or each of several, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            # A copy: the scale of this step stays what it is when the next has another.
            return outputs * _gt._snapshot(self._tensors()[0])
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, list | tuple) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divides the gradients of an optimiser's parameters by the scale."""
        if not self._enabled:
            return
        stage = self._stage(optimizer)
        if stage.stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if stage.found is not None:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        with no_grad():
            inverse = self._tensors()[0].double().reciprocal().float()
            flags = []
            for gradient in _gradients(optimizer):
                if gradient.dtype == _gt.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                flags.append(gradient.isfinite().all())
                gradient.mul_(inverse)
            found = _gt.stack(flags).all().logical_not() if flags else None
        stage.found = _gt.zeros((), dtype=_gt.bool) if found is None else found

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        """A step of the optimiser; where a gradient is not finite, everything stays as it is."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs or args:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        stage = self._stage(optimizer)
        if stage.stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if stage.found is None:
            self.unscale_(optimizer)
        assert stage.found is not None
        before = {id(t): (t, _gt._snapshot(t.detach())) for t in _changing(optimizer)}
        optimizer._fresh = []
        try:
            result = optimizer.step(**kwargs)
            # A state that begins with this step is, without it, as it began.
            before.update((id(tensor), (tensor, first)) for tensor, first in optimizer._fresh)
        finally:
            optimizer._fresh = None
        with no_grad():
            for tensor, old in before.values():
                if tensor.id != old.id:
                    tensor.copy_(_gt.where(stage.found, old, tensor))
        stage.stepped = True
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """The scale for the next step."""
        if not self._enabled:
            return
        scale, growth = self._tensors()
        with no_grad():
            if new_scale is not None:
                given = new_scale if isinstance(new_scale, Tensor) else _gt.tensor(new_scale)
                scale.copy_(given)
            else:
                self._adapt(scale, growth)
        self._stages.clear()

    def _adapt(self, scale: Tensor, growth: Tensor) -> None:
        flags = [stage.found for stage in self._stages.values() if stage.found is not None]
        if not flags:
            raise AssertionError("No inf checks were recorded prior to update.")
        found = _gt.stack(flags).any()
        grown, count = scale * self._growth_factor, growth + 1
        due = count == self._growth_interval
        larger = _gt.where(due.logical_and(grown.isfinite()), grown, scale)
        scale.copy_(_gt.where(found, scale * self._backoff_factor, larger))
        growth.copy_(_gt.where(found.logical_or(due), 0, count))

    def _stage(self, optimizer: Optimizer) -> _Stage:
        return self._stages.setdefault(id(optimizer), _Stage())

    def get_scale(self) -> float:
        """The scale; this waits for it."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale)

    def get_growth_factor(self) -> float:
        """By what the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets by what the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """By what the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets by what the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many good steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets after how many good steps the scale grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` takes; this waits for the scale."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._init_growth if self._growth is None else int(self._growth),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a state that `state_dict` gave."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled "
                "instance of GradScaler."
            )
        self._init_scale = float(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth = int(state_dict["_growth_tracker"])
        self._scale = self._growth = None


def _gradients(optimizer: Optimizer) -> list[Tensor]:
    params = [p for group in optimizer.param_groups for p in group["params"]]
    return [p.grad for p in params if p.grad is not None]


def _changing(optimizer: Optimizer) -> list[Tensor]:
    """What a step may write into: parameters and their states."""
    found = [p for group in optimizer.param_groups for p in group["params"]]
    pending: list[Any] = list(optimizer.state.values())
    while pending:
        value = pending.pop()
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, dict):
            pending.extend(value.values())
        elif isinstance(value, list | tuple):
            pending.extend(value)
    return found
