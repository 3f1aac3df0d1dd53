"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from gt._gt import Tensor
from gt.optim.optimizer import Optimizer, Parameters, check, gradient, note, zeros_like


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
            parameter.sub_(grad * group["lr"])

    def _with_momentum(self, parameter: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
        state, momentum = self.state[parameter], group["momentum"]
        buffer = state.get("momentum_buffer")
        if buffer is None:
            buffer = state["momentum_buffer"] = grad.detach().clone()
            self._note_buffer(buffer, group)
        else:
            buffer.mul_(momentum).add_(grad * (1 - group["dampening"]))
        return grad + buffer * momentum if group["nesterov"] else buffer

    def _note_buffer(self, buffer: Tensor, group: dict[str, Any]) -> None:
        if self._fresh is None:
            return
        # From zeros, the next step makes of a buffer what the first would, but for dampening.
        if group["dampening"]:
            raise NotImplementedError("SGD: dampening is not supported with a GradScaler")
        note(self, (buffer, zeros_like(buffer)))
