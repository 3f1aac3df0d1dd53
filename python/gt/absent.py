"""Parts of PyTorch that GT does not have: they can be imported, and say so when they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


def refusals(module: str, advice: str) -> Callable[[str], Any]:
    """A `__getattr__` for a module: each name is a class that refuses to be called."""

    def get(name: str) -> Any:
        # Tools look for names of their own in every module.
        if name.startswith(("_", "pytest")):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")

        def refuse(*args: Any, **kwargs: Any) -> NoReturn:
            raise NotImplementedError(f"{module}.{name} is not supported; {advice}")

        # A class and not a function: programs also inherit from such names and ask `isinstance`.
        return type(name, (), {"__module__": module, "__new__": refuse})

    return get
