"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.optim.optimizer import (
    Optimizer,
    Parameters,
    accept,
    check,
    gradients,
    note,
    zeros_like,
)


class SGD(Optimizer):
    """Follows the gradient, with momentum if asked.

    >>> import gt
    >>> x = gt.tensor([1.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> gt.optim.SGD([x], lr=0.25).step()
    >>> x
    tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        **ignored: Any,
    ) -> None:
        accept(self, ignored)
        check(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        grads = gradients(params, group)
        if not group["momentum"]:
            _gt._update_each("sub_scaled", params, grads, group["lr"])
            return
        moving: list[tuple[Tensor, Tensor, Tensor]] = []
        for parameter, grad in zip(params, grads, strict=True):
            state = self.state[parameter]
            if "momentum_buffer" in state and "momentum_weight" not in state:
                moving.append((parameter, state["momentum_buffer"], grad))
            else:
                self._start(state, parameter, grad, group)
        if moving:
            operation = "nesterov" if group["nesterov"] else "momentum"
            columns = map(list, zip(*moving, strict=True))
            weights = group["lr"], group["momentum"], 1 - group["dampening"]
            _gt._update_each(operation, *columns, *weights)

    def _start(
        self, state: dict[str, Any], parameter: Tensor, grad: Tensor, group: dict[str, Any]
    ) -> None:
        """A step of a parameter that has no buffer, or one that may have to begin again."""
        momentum = group["momentum"]
        if not state and self._fresh is not None and group["dampening"]:
            self._begin(state, parameter)
        if not state:
            buffer = state["momentum_buffer"] = grad.detach().clone()
            # From zeros, the next step makes of a buffer what the first would.
            note(self, (buffer, zeros_like(buffer)))
        else:
            buffer = state["momentum_buffer"]
            buffer.decay_add_(grad, momentum, state["momentum_weight"])
            state["momentum_weight"].fill_(1 - group["dampening"])
        direction = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        parameter.sub_(direction, alpha=group["lr"])

    def _begin(self, state: dict[str, Any], parameter: Tensor) -> None:
        """A buffer for a first step that may be taken back.

        The first gradient is not dampened, whichever step it is that counts as the first: only the
        workers know that, so the weight of the next gradient is there too.
        """
        weight = _gt.ones((), dtype=parameter.dtype)
        state["momentum_buffer"], state["momentum_weight"] = zeros_like(parameter), weight
        note(self, *((tensor, _gt._snapshot(tensor)) for tensor in state.values()))
