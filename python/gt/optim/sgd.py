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
    gradient,
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
        for parameter in params:
            grad = gradient(parameter, group)
            if group["momentum"]:
                grad = self._with_momentum(parameter, grad, group)
            parameter.sub_(grad, alpha=group["lr"])

    def _with_momentum(self, parameter: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
        state, momentum = self.state[parameter], group["momentum"]
        if "momentum_buffer" not in state and self._fresh is not None and group["dampening"]:
            self._begin(state, parameter)
        buffer, weight = state.get("momentum_buffer"), 1 - group["dampening"]
        if buffer is None:
            buffer = state["momentum_buffer"] = grad.detach().clone()
            # From zeros, the next step makes of a buffer what the first would.
            note(self, (buffer, zeros_like(buffer)))
        elif "momentum_weight" in state:
            buffer.decay_add_(grad, momentum, state["momentum_weight"])
            state["momentum_weight"].fill_(weight)
        else:
            buffer.decay_add_(grad, momentum, weight)
        return grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer

    def _begin(self, state: dict[str, Any], parameter: Tensor) -> None:
        """A buffer for a first step that may be taken back.

        The first gradient is not dampened, whichever step it is that counts as the first: only the
        workers know that, so the weight of the next gradient is there too.
        """
        weight = _gt.ones((), dtype=parameter.dtype)
        state["momentum_buffer"], state["momentum_weight"] = zeros_like(parameter), weight
        note(self, *((tensor, _gt._snapshot(tensor)) for tensor in state.values()))
