"""PyTorch's compiler of Python, which GT does not need: functions and models stay what they are."""

from __future__ import annotations

from typing import Any

from gt.absent import refusals

__getattr__ = refusals("gt.jit", "gt.save(model.state_dict(), path) keeps a model's values")


def script(obj: Any, *args: Any, **kwargs: Any) -> Any:
    """The function, class or model itself.

    >>> import gt
    >>> @gt.jit.script
    ... def double(x):
    ...     return x * 2
    >>> double(gt.ones(1))
    tensor([2.])
    """
    return obj


def trace(func: Any, example_inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The function or model itself."""
    return func


def freeze(mod: Any, *args: Any, **kwargs: Any) -> Any:
    """The model itself."""
    return mod


def export(fn: Any) -> Any:
    """The function itself."""
    return fn


def unused(fn: Any) -> Any:
    """The function itself."""
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """The function itself, with or without parentheses."""
    return drop if callable(drop) else lambda fn: fn


def is_scripting() -> bool:
    """Whether this runs in PyTorch's own interpreter: never."""
    return False


def is_tracing() -> bool:
    """Whether this is being recorded: never."""
    return False
