"""Optimisers that scale each element's step by what they saw of its gradient."""

from __future__ import annotations

from typing import Any

from gt._gt import Tensor
from gt.optim.optimizer import Optimizer, Parameters, advance, check, gradient, start, zeros_like


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
        advance(self, params)
        alpha = group["alpha"]
        for parameter in params:
            state, grad = self.state[parameter], gradient(parameter, group)
            square = state["square_avg"]
            square.mul_(alpha).add_(grad * grad * (1 - alpha))
            spread = square
            if group["centered"]:
                mean = state["grad_avg"].lerp_(grad, 1 - alpha)
                spread = square - mean * mean
            move = grad / (spread.sqrt() + group["eps"])
            if group["momentum"]:
                move = state["momentum_buffer"].mul_(group["momentum"]).add_(move)
            parameter.sub_(move * group["lr"])


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
        decay = group["lr_decay"]
        sizes = {
            key: group["lr"] / (1 + (step - 1) * decay)
            for key, step in advance(self, params).items()
        }
        for parameter in params:
            state, grad = self.state[parameter], gradient(parameter, group)
            total = state["sum"].add_(grad * grad)
            parameter.sub_(grad / (total.sqrt() + group["eps"]) * sizes[id(state["step"])])


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
        advance(self, params)
        rho, eps = group["rho"], group["eps"]
        for parameter in params:
            state, grad = self.state[parameter], gradient(parameter, group)
            square, moved = state["square_avg"], state["acc_delta"]
            square.mul_(rho).add_(grad * grad * (1 - rho))
            move = (moved + eps).sqrt() / (square + eps).sqrt() * grad
            moved.mul_(rho).add_(move * move * (1 - rho))
            parameter.sub_(move * group["lr"])


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
        check(lr=lr, weight_decay=weight_decay)
        defaults = {"lr": lr, "betas": betas, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        start(self, params, lambda p: {"exp_avg": zeros_like(p)})
        first, second = group["betas"]
        for parameter in params:
            grad = gradient(parameter, {**group, "weight_decay": 0})
            mean = self.state[parameter]["exp_avg"]
            if group["weight_decay"]:
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
            parameter.sub_(mean.lerp(grad, 1 - first).sign() * group["lr"])
            mean.lerp_(grad, 1 - second)
