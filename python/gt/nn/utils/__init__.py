"""Functions of parameters and their gradients: norms, clipping, flattening."""

from __future__ import annotations

import math
from collections.abc import Iterable

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import no_grad

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    many = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in many if p.grad is not None]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales all gradients so that together they are no longer than `max_norm`.

    Gives their length before that, as a tensor: nothing is read unless an error is asked for.
    """
    grads = _gradients(parameters)
    if not grads:
        return _gt.tensor(0.0)
    with no_grad():
        norms = _gt.stack([_gt.norm(grad, norm_type) for grad in grads])
        total = norms.amax() if norm_type == math.inf else _gt.norm(norms, norm_type)
        if error_if_nonfinite and not math.isfinite(float(total)):
            raise RuntimeError(
                f"the total norm of order {norm_type} of the gradients is not finite"
            )
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for grad in grads:
            grad.mul_(factor.to(grad.dtype))
    return total


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Limits each element of all gradients."""
    with no_grad():
        for grad in _gradients(parameters):
            grad.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters one after another."""
    return _gt.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Writes parts of a vector into parameters."""
    start = 0
    with no_grad():
        for parameter in parameters:
            part = vec[start : start + parameter.numel()]
            parameter.copy_(part.reshape(parameter.shape))
            start += parameter.numel()
