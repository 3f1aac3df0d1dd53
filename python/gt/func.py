"""Functions that make derivatives of functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gt._gt import Tensor
from gt.autograd import functional
from gt.autograd import grad as _grad
from gt.autograd.mode import enable_grad

__all__ = ["grad", "grad_and_value", "hessian", "jacrev", "jvp", "vjp"]


def grad_and_value(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the gradient of `func` by its arguments, and its value.

    >>> import gt
    >>> gt.func.grad_and_value(lambda x: x**2)(gt.tensor(3.0))
    (tensor(6.), tensor(9.))
    """
    places = (argnums,) if isinstance(argnums, int) else argnums

    @functools.wraps(func)
    def derived(*args: Any, **kwargs: Any) -> Any:
        with enable_grad():
            traced = list(args)
            for place in places:
                # A view of the argument, so that an outer derivative sees through this one.
                x = args[place]
                traced[place] = x.view(x.shape) if x.requires_grad else x.detach().requires_grad_()
            result = func(*traced, **kwargs)
            value, rest = result if has_aux else (result, None)
            wanted = [traced[place] for place in places]
            outer = any(args[place].requires_grad for place in places)
            found = _grad(value, wanted, create_graph=outer, materialize_grads=True)
        gradients: Any = found[0] if isinstance(argnums, int) else found
        value = value if outer else value.detach()
        return (gradients, (value, rest)) if has_aux else (gradients, value)

    return derived


def grad(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the gradient of `func` by its arguments.

    >>> import gt
    >>> gt.func.grad(gt.func.grad(lambda x: x**3))(gt.tensor(2.0))
    tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def derived(*args: Any, **kwargs: Any) -> Any:
        gradients, value = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return derived


def vjp(func: Callable[..., Any], *primals: Tensor) -> tuple[Any, Callable[..., Any]]:
    """The results of `func`, and a function that multiplies a vector by its Jacobian."""
    with enable_grad():
        traced = tuple(p.detach().requires_grad_() for p in primals)
        results = func(*traced)
    outputs = (results,) if isinstance(results, Tensor) else tuple(results)

    def pull(*cotangents: Tensor) -> tuple[Tensor, ...]:
        return functional._pulled(outputs, traced, cotangents, False)

    values = tuple(o.detach() for o in outputs)
    return (values[0] if isinstance(results, Tensor) else values), pull


def jvp(
    func: Callable[..., Any], primals: tuple[Tensor, ...], tangents: tuple[Tensor, ...]
) -> tuple[Any, Any]:
    """The results of `func`, and the product of its Jacobian with `tangents`.

    >>> import gt
    >>> gt.func.jvp(gt.sin, (gt.zeros(2),), (gt.ones(2),))
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    return functional.jvp(func, primals, tangents)


def jacrev(func: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """A function that gives the Jacobian of `func`."""
    return lambda x: functional.jacobian(func, x)


def hessian(func: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """A function that gives the second derivatives of `func`."""
    return lambda x: functional.hessian(func, x)
