"""Modules and parameters in a row, in a list, or by name."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, overload

from gt._gt import Tensor
from gt.nn.module import Module
from gt.nn.parameter import Parameter


def _place(index: int, count: int) -> str:
    """The name of the element at `index`, which may count from the end."""
    if not -count <= index < count:
        raise IndexError(f"index {index} is out of range for {count} elements")
    return str(index % count)


class _Row(Module):
    """Modules named 0, 1, 2 and so on."""

    _modules: dict[str, Any]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def _part(self, index: slice) -> _Row:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Any: ...
    def __getitem__(self, index: int | slice) -> Any:
        """The module at a place, or a part of the row."""
        if isinstance(index, slice):
            return self._part(index)
        return list(self._modules.values())[int(_place(index, len(self)))]

    def __setitem__(self, index: int, module: Module) -> None:
        name = list(self._modules)[int(_place(index, len(self)))]
        self._modules[name] = module

    def __delitem__(self, index: int | slice) -> None:
        modules = list(self._modules.values())
        del modules[index]
        self._rename(modules)

    def _rename(self, modules: Iterable[Module]) -> None:
        self._modules.clear()
        for place, module in enumerate(modules):
            self._modules[str(place)] = module

    def append(self, module: Module) -> Any:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Adds modules at the end."""
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Adds a module before a place."""
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._rename(modules)
        return self

    def pop(self, index: int = -1) -> Any:
        """Takes a module out."""
        module = self[index]
        del self[index]
        return module


class Sequential(_Row):
    """Modules one after another, each given the result of the one before.

    >>> import gt
    >>> gt.nn.Sequential(gt.nn.Linear(3, 2), gt.nn.ReLU())
    Sequential(
      (0): Linear(in_features=3, out_features=2, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
            return
        for place, module in enumerate(args):
            self.add_module(str(place), module)

    def _part(self, index: slice) -> Sequential:
        return type(self)(OrderedDict(list(self._modules.items())[index]))

    def forward(self, x: Any) -> Any:
        """The result of the last module."""
        for module in self:
            x = module(x)
        return x


class ModuleList(_Row):
    """A list of modules, all of which belong to the module that holds it."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or [])

    def _part(self, index: slice) -> ModuleList:
        return type(self)(list(self)[index])

    def _named_reprs(self) -> list[tuple[str, str]]:
        """The text of each submodule; equal ones in a row are shown once."""
        shown: list[tuple[str, str]] = []
        for text, run in itertools.groupby(super()._named_reprs(), lambda named: named[1]):
            names = [name for name, _ in run]
            if len(names) == 1:
                shown.append((names[0], text))
            else:
                shown.append((f"{names[0]}-{names[-1]}", f"{len(names)} x {text}"))
        return shown

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        self.extend(modules)
        return self

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])


class ModuleDict(Module):
    """Modules by name, all of which belong to the module that holds it."""

    _modules: dict[str, Any]

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def values(self) -> Iterable[Module]:
        """The modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Module]]:
        """The names and the modules."""
        return self._modules.items()

    def pop(self, key: str) -> Module:
        """Takes a module out."""
        module: Module = self._modules.pop(key)
        return module

    def clear(self) -> None:
        """Takes all modules out."""
        self._modules.clear()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Adds modules, or replaces those with the same names."""
        for key, module in dict(modules).items():
            self[key] = module


class ParameterList(Module):
    """A list of parameters, all of which belong to the module that holds it."""

    _parameters: dict[str, Any]

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self.extend(values or [])

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self._parameters.values())

    def __getitem__(self, index: int) -> Any:
        return self._parameters[_place(index, len(self))]

    def __setitem__(self, index: int, value: Tensor) -> None:
        self._parameters[_place(index, len(self))] = _parameter(value)

    def append(self, value: Tensor) -> ParameterList:
        """Adds a parameter at the end."""
        self.register_parameter(str(len(self)), _parameter(value))
        return self

    def extend(self, values: Iterable[Tensor]) -> ParameterList:
        """Adds parameters at the end."""
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """A line for each parameter."""
        return "\n".join(
            f"({name}): Parameter containing: [{value.dtype.name} of size {tuple(value.shape)}]"
            for name, value in self._parameters.items()
        )


class ParameterDict(Module):
    """Parameters by name, all of which belong to the module that holds it."""

    _parameters: dict[str, Any]

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        for key, value in (parameters or {}).items():
            self[key] = value

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, value: Tensor) -> None:
        self.register_parameter(key, _parameter(value))

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __contains__(self, key: object) -> bool:
        return key in self._parameters

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._parameters.keys()

    def values(self) -> Iterable[Parameter]:
        """The parameters."""
        return self._parameters.values()

    def items(self) -> Iterable[tuple[str, Parameter]]:
        """The names and the parameters."""
        return self._parameters.items()


def _parameter(value: Tensor) -> Parameter:
    return value if isinstance(value, Parameter) else Parameter(value)
