"""Derivatives of functions: products with vectors, Jacobians and Hessians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import enable_grad

Arguments = Tensor | tuple[Tensor, ...]


def _fresh(values: Arguments, create_graph: bool) -> tuple[Tensor, ...]:
    """The arguments as the beginning of a graph, or as a part of the one they are in."""
    many = (values,) if isinstance(values, Tensor) else tuple(values)
    if create_graph:
        return tuple(v if v.requires_grad else v.detach().requires_grad_() for v in many)
    return tuple(v.detach().requires_grad_() for v in many)


def _pulled(
    outputs: tuple[Tensor, ...],
    inputs: tuple[Tensor, ...],
    gradients: tuple[Tensor, ...],
    create_graph: bool,
) -> tuple[Tensor, ...]:
    """Gradients, with zeros where an output does not depend on an input."""
    found: list[Tensor | None] = [None] * len(inputs)
    used = [(o, g) for o, g in zip(outputs, gradients, strict=True) if o.requires_grad]
    if used:
        outs, given = [o for o, _ in used], [g for _, g in used]
        found = _gt._gradients(outs, given, list(inputs), True, create_graph)
    return tuple(
        _gt.zeros(i.shape, dtype=i.dtype) if g is None else g
        for g, i in zip(found, inputs, strict=True)
    )


def _many(values: Arguments) -> tuple[Tensor, ...]:
    return (values,) if isinstance(values, Tensor) else tuple(values)


def _one_or_many(values: tuple[Tensor, ...], single: bool) -> Any:
    return values[0] if single else values


def _vectors(v: Arguments | None, beside: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """What a Jacobian is multiplied with: ones, if it is not given."""
    if v is None:
        return tuple(_gt.ones(x.shape, dtype=x.dtype) for x in beside)
    return _many(v)


def _results(outputs: Any, create_graph: bool) -> Any:
    outs = _many(outputs)
    if not create_graph:
        outs = tuple(o.detach() for o in outs)
    return _one_or_many(outs, isinstance(outputs, Tensor))


def vjp(
    func: Callable[..., Any],
    inputs: Arguments,
    v: Arguments | None = None,
    create_graph: bool = False,
) -> tuple[Any, Any]:
    """The results of `func`, and the product of `v` with its Jacobian."""
    with enable_grad():
        ins = _fresh(inputs, create_graph)
        outputs = func(*ins)
        outs = _many(outputs)
        found = _pulled(outs, ins, _vectors(v, outs), create_graph)
    return _results(outputs, create_graph), _one_or_many(found, isinstance(inputs, Tensor))


def jvp(
    func: Callable[..., Any],
    inputs: Arguments,
    v: Arguments | None = None,
    create_graph: bool = False,
) -> tuple[Any, Any]:
    """The results of `func`, and the product of its Jacobian with `v`."""
    with enable_grad():
        ins = _fresh(inputs, create_graph)
        outputs = func(*ins)
        outs = _many(outputs)
        # The product with a Jacobian from the left is linear in its vector: its own gradient is the
        # product from the right.
        vectors = tuple(_gt.zeros(o.shape, dtype=o.dtype).requires_grad_() for o in outs)
        pulled = _pulled(outs, ins, vectors, True)
        found = _pulled(pulled, vectors, _vectors(v, ins), create_graph)
    return _results(outputs, create_graph), _one_or_many(found, isinstance(outputs, Tensor))


def jacobian(
    func: Callable[[Tensor], Tensor], inputs: Tensor, create_graph: bool = False
) -> Tensor:
    """The derivative of every element of `func(inputs)` by every element of `inputs`."""
    with enable_grad():
        (x,) = _fresh(inputs, create_graph)
        y = func(x)
        count = y.numel()
        rows = []
        for index in range(count):
            unit = _gt.zeros(count, dtype=y.dtype)
            unit[index] = 1
            rows.append(_pulled((y,), (x,), (unit.reshape(y.shape),), create_graph)[0].reshape(-1))
        if not rows:
            return _gt.zeros((*y.shape, *x.shape), dtype=y.dtype)
        return _gt.cat(rows).reshape((*y.shape, *x.shape))


def hessian(func: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    """The second derivatives of a function with one result."""

    def slope(x: Tensor) -> Tensor:
        return _pulled((func(x),), (x,), (_gt.ones((), dtype=x.dtype),), True)[0]

    return jacobian(slope, inputs)
