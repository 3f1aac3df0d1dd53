"""Gradients by name: `grad`, `backward`, functions with a gradient of their own, grad modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.autograd import functional
from gt.autograd.function import Function, FunctionCtx
from gt.autograd.mode import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)

__all__ = [
    "Function",
    "FunctionCtx",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]

Tensors = Tensor | Sequence[Tensor]
Gradients = Tensor | Sequence[Tensor | None] | None


class _OfTensors(type):
    """Every tensor is one: `isinstance` says so."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_OfTensors):
    """PyTorch's older name for a tensor that may require gradients.

    >>> import gt
    >>> gt.autograd.Variable(gt.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: object = None) -> Any:
        return data.detach().requires_grad_(requires_grad)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` by each of `inputs`, which keep their `.grad` as it is.

    >>> import gt
    >>> x = gt.tensor(3.0, requires_grad=True)
    >>> (slope,) = gt.autograd.grad(x**3, x, create_graph=True)
    >>> gt.autograd.grad(slope, x)
    (tensor(18.),)
    """
    if is_grads_batched:
        raise NotImplementedError("grad: is_grads_batched is not supported")
    outs, ins = _many(outputs), _many(inputs)
    retain = create_graph if retain_graph is None else retain_graph
    found = _gt._gradients(outs, _given(grad_outputs, len(outs)), ins, retain, create_graph)
    if materialize_grads:
        return tuple(
            _gt.zeros(i.shape, dtype=i.dtype) if g is None else g
            for g, i in zip(found, ins, strict=True)
        )
    if not allow_unused and any(g is None for g in found):
        raise RuntimeError(
            "One of the differentiated Tensors appears to not have been used in the graph. "
            "Set allow_unused=True if this is the desired behavior."
        )
    return tuple(found)


def backward(
    tensors: Tensors,
    grad_tensors: Gradients = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Accumulates the gradients of all leaves that `tensors` were made from.

    >>> import gt
    >>> x = gt.ones(2, requires_grad=True)
    >>> gt.autograd.backward([x.sum(), (x * 2).sum()])
    >>> x.grad
    tensor([3., 3.])
    """
    outs = _many(tensors)
    retain = create_graph if retain_graph is None else retain_graph
    given = _given(grad_tensors, len(outs))
    if inputs is None:
        _gt._gradients(outs, given, None, retain, create_graph)
        return
    ins = _many(inputs)
    for tensor, gradient in zip(
        ins, _gt._gradients(outs, given, ins, retain, create_graph), strict=True
    ):
        if gradient is not None:
            tensor.grad = gradient if tensor.grad is None else tensor.grad + gradient


def _many(tensors: Tensors) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _given(gradients: Gradients, count: int) -> list[Tensor | None]:
    if gradients is None:
        return [None] * count
    given: list[Tensor | None] = []
    given.extend([gradients] if isinstance(gradients, Tensor) else gradients)
    if len(given) != count:
        raise RuntimeError(f"grad: {len(given)} gradients are given for {count} outputs")
    return given
