"""Constructors that several classes share, each under the name of its own class."""

from __future__ import annotations

import sys
import types
from typing import Any


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


def path_in_call(module: Any) -> str:
    """The name of a module within the outermost of those that are being called around it.

    Messages of errors have it. It is looked up in the frames of the calls, so that calls that go
    well pay nothing.
    """
    names: list[str] = []
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        caller = frame.f_locals.get("self")
        inside = vars(caller).get("_modules", {}) if hasattr(caller, "__dict__") else {}
        found = [name for name, child in inside.items() if child is module]
        if found:
            module, names = caller, [found[0], *names]
        frame = frame.f_back
    return ".".join(names)
