"""Adam and its relatives: steps scaled by running means of gradients and of their squares."""

from __future__ import annotations

from typing import Any

from gt import _gt
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


class Adam(Optimizer):
    """Steps of about the size of the learning rate, whatever the size of the gradient.

    >>> import gt
    >>> x = gt.tensor([1.0], requires_grad=True)
    >>> (1000 * x).sum().backward()
    >>> gt.optim.Adam([x], lr=0.25).step()
    >>> x
    tensor([0.7500], requires_grad=True)
    """

    _decoupled = False

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        **ignored: Any,
    ) -> None:
        accept(self, ignored)
        check(lr=lr, eps=eps, weight_decay=weight_decay)
        for beta in betas:
            if not 0 <= beta < 1:
                raise ValueError(f"invalid betas: {betas}")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        averages = ["exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else [])]
        start(self, params, lambda p: {name: zeros_like(p) for name in averages})
        first, second = group["betas"]
        kept = decay(group, decoupled=self._decoupled)
        plain = {**group, "weight_decay": 0} if self._decoupled else group
        constant = (1.0 if kept is None else kept, 1 - first, second, group["eps"])
        operation = "amsgrad" if group["amsgrad"] else "adam"
        for together, states in advance(self, group, params):
            # What the averages are short of while they warm up.
            step = states[0]["step"]
            short = (group["lr"] / (1 - first**step), _warmth(second, step))
            columns = ([state[name] for state in states] for name in averages)
            grads = gradients(together, plain)
            _gt._update_each(operation, together, *columns, grads, *short, *constant)


def _warmth(beta: float, step: Tensor) -> Tensor:
    """The root of the share that a running mean of squares has after so many steps."""
    return (1 - beta**step).sqrt()


class AdamW(Adam):
    """Adam whose weight decay does not pass through the averages."""

    _decoupled = True

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        **ignored: Any,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, **ignored
        )


class NAdam(Optimizer):
    """Adam that looks one step of momentum ahead."""

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        **ignored: Any,
    ) -> None:
        accept(self, ignored)
        check(lr=lr, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        averages = ("exp_avg", "exp_avg_sq")
        start(self, params, lambda p: {n: zeros_like(p) for n in averages}, mu_product=1.0)
        first, second = group["betas"]
        decoupled = group["decoupled_weight_decay"]
        kept, eps = decay(group, decoupled), group["eps"]
        plain = {**group, "weight_decay": 0} if decoupled else group
        for together, states in advance(self, group, params):
            part, rest = self._shares(group, states[0])
            scale, grads = _warmth(second, states[0]["step"]), gradients(together, plain)
            for parameter, state, grad in zip(together, states, grads, strict=True):
                if kept is not None:
                    parameter.mul_(kept)
                mean, square = state["exp_avg"], state["exp_avg_sq"]
                mean.lerp_(grad, 1 - first)
                square.decay_add_square_(grad, second)
                parameter.step_along_(grad, square, part, scale, eps)
                parameter.step_along_(mean, square, rest, scale, eps)

    def _shares(self, group: dict[str, Any], state: dict[str, Any]) -> tuple[Tensor, Tensor]:
        """How far to go along the gradient, and how far along its mean."""
        step, product = state["step"], state["mu_product"]
        first, lr, fade = group["betas"][0], group["lr"], group["momentum_decay"]
        now = first * (1 - 0.5 * 0.96 ** (step * fade))
        ahead = first * (1 - 0.5 * 0.96 ** ((step + 1) * fade))
        product.mul_(now)
        return lr * (1 - now) / (1 - product), lr * ahead / (1 - product * ahead)
