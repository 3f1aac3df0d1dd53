"""Optimisers that scale each element's step by what they saw of its gradient."""

from __future__ import annotations

from typing import Any

from gt._gt import Tensor
from gt.optim.optimizer import (
    Optimizer,
    Parameters,
    accept,
    advance,
    check,
    decay,
    gradients,
    start,
    zeros_like,
)


class RMSprop(Optimizer):
    """Divides by a running mean of the gradient's size."""

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        *,
        maximize: bool = False,
        **ignored: Any,
    ) -> None:
        accept(self, ignored)
        check(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum)
        defaults = {
            "lr": lr,
            "alpha": alpha,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "centered": centered,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        names = ["square_avg"]
        names += ["momentum_buffer"] if group["momentum"] else []
        names += ["grad_avg"] if group["centered"] else []
        start(self, params, lambda p: {name: zeros_like(p) for name in names})
        advance(self, group, params)
        alpha = group["alpha"]
        for parameter, grad in zip(params, gradients(params, group), strict=True):
            state = self.state[parameter]
            square = state["square_avg"]
            square.decay_add_square_(grad, alpha)
            spread = square
            if group["centered"]:
                mean = state["grad_avg"].lerp_(grad, 1 - alpha)
                spread = square.addcmul(mean, mean, value=-1)
            if not group["momentum"]:
                parameter.step_along_(grad, spread, group["lr"], 1.0, group["eps"])
                continue
            move = grad / (spread.sqrt() + group["eps"])
            buffer = state["momentum_buffer"].decay_add_(move, group["momentum"], 1.0)
            parameter.sub_(buffer, alpha=group["lr"])


class Adagrad(Optimizer):
    """Divides by the size of all gradients so far."""

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
        **ignored: Any,
    ) -> None:
        accept(self, ignored)
        check(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, eps=eps)
        check(initial_accumulator_value=initial_accumulator_value)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "eps": eps,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        first = group["initial_accumulator_value"]
        start(self, params, lambda p: {"sum": zeros_like(p) + first})
        slower = group["lr_decay"]
        for together, states in advance(self, group, params):
            size = group["lr"] / (1 + (states[0]["step"] - 1) * slower)
            grads = gradients(together, group)
            for parameter, state, grad in zip(together, states, grads, strict=True):
                total = state["sum"].addcmul_(grad, grad)
                parameter.step_along_(grad, total, size, 1.0, group["eps"])


class Adadelta(Optimizer):
    """Scales steps by the ratio of past steps to past gradients."""

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
        **ignored: Any,
    ) -> None:
        accept(self, ignored)
        check(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        start(self, params, lambda p: {"square_avg": zeros_like(p), "acc_delta": zeros_like(p)})
        advance(self, group, params)
        rho, eps = group["rho"], group["eps"]
        for parameter, grad in zip(params, gradients(params, group), strict=True):
            state = self.state[parameter]
            square, moved = state["square_avg"], state["acc_delta"]
            square.decay_add_square_(grad, rho)
            move = (moved + eps).sqrt() / (square + eps).sqrt() * grad
            moved.decay_add_square_(move, rho)
            parameter.sub_(move, alpha=group["lr"])


class Lion(Optimizer):
    """Follows the sign of a running mean, so that every element moves by the learning rate."""

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0,
        *,
        maximize: bool = False,
        **ignored: Any,
    ) -> None:
        accept(self, ignored)
        check(lr=lr, weight_decay=weight_decay)
        defaults = {"lr": lr, "betas": betas, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        start(self, params, lambda p: {"exp_avg": zeros_like(p)})
        first, second = group["betas"]
        plain, kept = {**group, "weight_decay": 0}, decay(group, decoupled=True)
        for parameter, grad in zip(params, gradients(params, plain), strict=True):
            mean = self.state[parameter]["exp_avg"]
            if kept is not None:
                parameter.mul_(kept)
            parameter.sub_(mean.lerp(grad, 1 - first).sign(), alpha=group["lr"])
            mean.lerp_(grad, 1 - second)
