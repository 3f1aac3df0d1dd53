"""Parts with names: the parameters, buffers and submodules of a module, and how to walk them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from gt import _gt
from gt._gt import Tensor
from gt.nn.parameter import Buffer, Parameter

T = TypeVar("T")


class Listed(list[T], Generic[T]):
    """A list that is an iterator too: `next(m.parameters())`, `a.parameters() + b.parameters()`."""

    _place = 0

    def __next__(self) -> T:
        if self._place >= len(self):
            raise StopIteration
        self._place += 1
        return self[self._place - 1]


_structure = object()


def structure() -> object:
    """Another object after each change of what belongs to a module, whichever it is."""
    return _structure


def _changed() -> None:
    global _structure
    _structure = object()


class Places(dict[str, Any]):
    """What belongs to a module, by name. Its changes are known, so that names can be kept."""

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self or self[name] is not value:
            _changed()
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        _changed()
        super().__delitem__(name)

    def pop(self, *args: Any) -> Any:
        """Removes a name and gives what it stood for."""
        _changed()
        return super().pop(*args)

    def clear(self) -> None:
        """Removes all names."""
        _changed()
        super().clear()

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Adds what another dictionary has."""
        _changed()
        super().update(*args, **kwargs)


def _show(kind: type, name: str) -> None:
    """Has instances find a name in their places at once, unless the class means another thing."""
    if not any(name in base.__dict__ for base in kind.__mro__):
        setattr(kind, name, _gt._Member(name))


class Tree:
    """What is assigned to it is found by its name, and so is what belongs to its submodules."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _forgotten: set[str]

    def __init__(self) -> None:
        self.__dict__.update(
            _parameters=Places(), _buffers=Places(), _modules=Places(), _forgotten=set()
        )

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_parameters", "_buffers", "_modules") and not isinstance(value, dict):
            # A plain list of parameters adds nothing to what the submodules say of themselves.
            return
        if "_parameters" not in self.__dict__:
            if isinstance(value, Parameter | Tree | Buffer):
                kind = _gt._kind_of(value)
                raise AttributeError(
                    f"cannot assign a {kind} before super().__init__() of {type(self).__name__}"
                )
            object.__setattr__(self, name, value)
            return
        places = self._place_of(value)
        # A parameter makes way for a parameter only, whatever else has a place of its own.
        if places is not None and (places is self._parameters or name not in self._parameters):
            # What stands there already keeps its place in the order.
            self._forget(name, but=places)
            _show(type(self), name)
            places[name] = value
            if isinstance(value, Buffer) and not value.persistent:
                self._forgotten.add(name)
            return
        if not self._assign_known(name, value):
            object.__setattr__(self, name, value)

    def _place_of(self, value: Any) -> dict[str, Any] | None:
        """Where a value of this kind is kept, if it is not a plain attribute."""
        if isinstance(value, Parameter):
            return self._parameters
        if isinstance(value, Tree):
            return self._modules
        return self._buffers if isinstance(value, Buffer) else None

    def _assign_known(self, name: str, value: Any) -> bool:
        """Replaces a parameter, buffer or module by what may stand in its place."""
        if name in self._parameters:
            if value is not None:
                kind = _gt._kind_of(value)
                raise TypeError(f"cannot assign a {kind} as parameter '{name}' (Parameter or None)")
            self._parameters[name] = None
        elif name in self._modules:
            if value is not None:
                kind = _gt._kind_of(value)
                raise TypeError(f"cannot assign a {kind} as child module '{name}' (Module or None)")
            self._modules[name] = None
        elif name in self._buffers:
            if value is not None and not isinstance(value, Tensor):
                kind = _gt._kind_of(value)
                raise TypeError(f"cannot assign a {kind} as buffer '{name}' (Tensor or None)")
            self._buffers[name] = value
        else:
            return False
        return True

    def __getattr__(self, name: str) -> Any:
        for places in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(places, {})
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        if not self._forget(name):
            object.__delattr__(self, name)

    def __dir__(self) -> Iterable[str]:
        # Python suggests names from this list when a name was mistyped.
        shown = {
            name
            for base in type(self).__mro__
            for name, value in base.__dict__.items()
            if isinstance(value, _gt._Member)
        }
        inside = (name for name in super().__dir__() if name[:1] != "_" or name[:2] == "__")
        own = (name for name in inside if name not in shown or name in self.__dict__)
        return [*own, *self._parameters, *self._buffers, *self._modules]

    def _forget(self, name: str, but: dict[str, Any] | None = None) -> bool:
        self._forgotten.discard(name)
        found = [places for places in self._places() if name in places and places is not but]
        for places in found:
            del places[name]
        known = name in self.__dict__ and name not in ("_parameters", "_buffers", "_modules")
        if not found and known:
            object.__delattr__(self, name)
        return bool(found)

    def _places(self) -> tuple[dict[str, Any], ...]:
        return self._parameters, self._buffers, self._modules

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter, or a place for one."""
        self._check_name(name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"'{name}' is a {_gt._kind_of(param)}, not a Parameter or None")
        _show(type(self), name)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that belongs to the state without being learned."""
        self._check_name(name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"'{name}' is a {_gt._kind_of(tensor)}, not a Tensor or None")
        _show(type(self), name)
        self._buffers[name] = tensor
        self._forgotten.discard(name)
        if not persistent:
            self._forgotten.add(name)

    def register_module(self, name: str, module: Any) -> None:
        """Adds a submodule, or a place for one."""
        self._check_name(name, self._modules)
        if module is not None and not isinstance(module, Tree):
            raise TypeError(f"'{name}' is a {_gt._kind_of(module)}, not a Module or None")
        _show(type(self), name)
        self._modules[name] = module

    add_module = register_module

    def _check_name(self, name: str, places: dict[str, Any]) -> None:
        if "." in name or not name:
            raise KeyError(f"the name '{name}' must not be empty or contain a dot")
        if hasattr(self, name) and name not in places:
            raise KeyError(f"attribute '{name}' already exists")

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """The direct submodules with their names, each once."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[Any]:
        """The direct submodules."""
        return (module for _, module in self.named_children())

    def named_modules(
        self, memo: set[int] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """The module and all below it, with their qualified names."""
        memo = set() if memo is None else memo
        if id(self) in memo:
            return
        if remove_duplicate:
            memo.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, join(prefix, name), remove_duplicate)

    def modules(self) -> Iterator[Any]:
        """The module and all below it."""
        return (module for _, module in self.named_modules())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their qualified names, each once."""
        yield from self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Listed[Parameter]:
        """The parameters, as a list that is an iterator too."""
        return Listed(parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their qualified names, each once."""
        yield from self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named(
        self, places: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules if recurse else [(prefix, self)]:
            for name, tensor in getattr(module, places).items():
                if tensor is None or id(tensor) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(tensor))
                _gt._set_name(tensor, full := join(path, name))
                yield full, tensor

    def get_submodule(self, target: str) -> Any:
        """The module with this qualified name."""
        found: Any = self
        for part in filter(None, target.split(".")):
            found = getattr(found, part)
            if not isinstance(found, Tree):
                raise AttributeError(f"`{part}` of '{target}' is not a Module")
        return found

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with this qualified name."""
        found: Parameter = self._found("parameter", target)
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer with this qualified name."""
        found: Tensor = self._found("buffer", target)
        return found

    def _found(self, kind: str, target: str) -> Any:
        path, _, name = target.rpartition(".")
        found = getattr(self.get_submodule(path), f"_{kind}s").get(name)
        if found is None:
            raise AttributeError(f"there is no {kind} '{target}'")
        return found


def join(prefix: str, name: str) -> str:
    """A qualified name."""
    return f"{prefix}.{name}" if prefix else name
