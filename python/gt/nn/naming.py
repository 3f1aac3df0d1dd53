"""Constructors that several classes share, each under the name of its own class."""

from __future__ import annotations

import types


class OwnInit:
    """A private base: subclasses without a constructor have its own in their name.

    The error for a wrong argument names the function, which would be a private one.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        inherited = cls.__init__
        ours = cls.__module__.startswith("gt.") and not cls.__name__.startswith("_")
        if not ours or "__init__" in vars(cls) or not isinstance(inherited, types.FunctionType):
            return
        named = types.FunctionType(
            inherited.__code__,
            inherited.__globals__,
            inherited.__name__,
            inherited.__defaults__,
            inherited.__closure__,
        )
        named.__kwdefaults__ = inherited.__kwdefaults__
        named.__annotations__ = inherited.__annotations__
        named.__doc__ = inherited.__doc__
        named.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__ = named  # type: ignore[method-assign]
