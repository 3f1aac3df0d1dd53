"""What layers and losses refuse, in their own names: dtypes and shapes that do not fit."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec, TypeVar

from gt import _gt
from gt._gt import Tensor

P = ParamSpec("P")
R = TypeVar("R")

LOWER = (_gt.float16, _gt.bfloat16)
# Errors with a message and nothing else; others keep what they are.
PLAIN = (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError)


def named(function: Callable[P, R]) -> Callable[P, R]:
    """The function; errors of the operations inside it carry its name."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except PLAIN as error:
            _refuse_foreign(function.__name__, (*args, *kwargs.values()))
            _tell(function.__name__, error)
        except AttributeError:
            _refuse_foreign(function.__name__, (*args, *kwargs.values()))
            if args and not isinstance(args[0], Tensor):
                kind = _gt._kind_of(args[0])
                raise TypeError(f"{function.__name__}: expected a Tensor, not {kind}") from None
            raise

    return wrapped


def _refuse_foreign(name: str, args: tuple[Any, ...]) -> None:
    """Names the first tensor of PyTorch, which looks like one of GT's until it is computed with."""
    for value in args:
        kind = _gt._kind_of(value)
        if kind.startswith("torch.Tensor") or kind.startswith("torch.Parameter"):
            raise TypeError(f"{name}: expected a Tensor, not {kind}") from None


def _tell(name: str, error: Exception) -> NoReturn:
    inner, colon, rest = str(error).partition(": ")
    if not colon or not inner.isidentifier() or inner == name or type(error) not in PLAIN:
        raise error
    raise type(error)(f"{name}: {rest}") from None


def same_dtype(name: str, **tensors: Tensor | None) -> None:
    """Refuses tensors of several dtypes; under `autocast`, those that it makes equal are."""
    dtypes = {key: tensor.dtype for key, tensor in tensors.items() if tensor is not None}
    if len(set(dtypes.values())) == 1:
        return
    if _gt._autocast()[0] is not None and all(map(_is_cast, dtypes.values())):
        return
    found = ", ".join(f"{key} is {dtype.name}" for key, dtype in dtypes.items())
    raise RuntimeError(f"{name}: expected tensors of one dtype, but {found}")


def _is_cast(dtype: Any) -> bool:
    return bool(dtype.is_floating_point and dtype != _gt.float64)


def demand_float(name: str, *tensors: Tensor) -> None:
    """Refuses tensors of whole numbers."""
    for tensor in tensors:
        if not tensor.dtype.is_floating_point:
            raise NotImplementedError(
                f"{name}: not implemented for {tensor.dtype.name}; make it float first"
            )


def floating(function: Callable[P, R]) -> Callable[P, R]:
    """The function, for tensors that are not whole numbers."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        for tensor in args[:1]:
            if isinstance(tensor, Tensor):
                demand_float(function.__name__, tensor)
        return function(*args, **kwargs)

    return wrapped


def rounded_once(formula: Callable[..., Tensor], *tensors: Tensor) -> Tensor:
    """What a formula comes to; that of halves is computed in float32 and rounded at its end."""
    if not any(tensor.dtype in LOWER for tensor in tensors):
        return formula(*tensors)
    dtype = functools.reduce(_gt.promote_types, (tensor.dtype for tensor in tensors))
    wide = (tensor.float() if tensor.dtype in LOWER else tensor for tensor in tensors)
    return formula(*wide).to(dtype)


def norm_dtypes(name: str, input: Tensor, *others: Tensor | None) -> None:
    """Refuses what a normalisation cannot mix: only low precision goes with float32 parameters."""
    demand_float(name, input)
    for other in others:
        if other is None or other.dtype == input.dtype:
            continue
        lowered = input.dtype in LOWER and other.dtype == _gt.float32
        if not lowered and _gt._autocast()[0] is None:
            raise RuntimeError(
                f"{name}: expected tensors of one dtype, but the input is {input.dtype.name} and "
                f"its parameters are {other.dtype.name}"
            )
