"""What every part of a model has in common: parameters, buffers, submodules and their names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, Self, TypeVar

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import no_grad
from gt.nn.hooks import Hooks, RemovableHandle
from gt.nn.parameter import Buffer, Parameter

T = TypeVar("T")


class Listed(list[T], Generic[T]):
    """A list that is an iterator too: `next(m.parameters())` and `a.parameters() + b.parameters()`."""

    _place = 0

    def __next__(self) -> T:
        if self._place >= len(self):
            raise StopIteration
        self._place += 1
        return self[self._place - 1]


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` did not find, and what it did not expect."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()


class Module:
    """A part of a model. Parameters, buffers and modules assigned to it are found by their names.

    >>> import gt
    >>> class Twice(gt.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = gt.nn.Parameter(gt.tensor(2.0))
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> Twice()(gt.ones(2)).tolist()
    [2.0, 2.0]
    """

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def __init__(self) -> None:
        values = {
            "training": True,
            "_parameters": {},
            "_buffers": {},
            "_modules": {},
            "_forgotten": set(),
            "_forward_pre_hooks": Hooks(),
            "_forward_hooks": Hooks(),
            "_backward_hooks": Hooks(),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the results; every module has its own."""
        raise NotImplementedError(f'{type(self).__name__} is missing the method "forward"')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (self._forward_pre_hooks or self._forward_hooks or self._backward_hooks):
            return self.forward(*args, **kwargs)
        args, kwargs = self._forward_pre_hooks.before(self, args, kwargs)
        result = self._backward_hooks.around(self, self.forward, args, kwargs)
        return self._forward_hooks.after(self, args, kwargs, result)

    # Names

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_parameters", "_buffers", "_modules") and not isinstance(value, dict):
            # A plain list of parameters adds nothing to what the submodules say of themselves.
            return
        if "_parameters" not in self.__dict__:
            if isinstance(value, Parameter | Module | Buffer):
                kind = type(value).__name__
                raise AttributeError(
                    f"cannot assign a {kind} before super().__init__() of {type(self).__name__}"
                )
            object.__setattr__(self, name, value)
            return
        for kind, places in (
            (Parameter, self._parameters),
            (Module, self._modules),
            (Buffer, self._buffers),
        ):
            if isinstance(value, kind):
                self._forget(name)
                places[name] = value  # type: ignore[index]
                if isinstance(value, Buffer) and not value.persistent:
                    self._forgotten.add(name)
                return
        if not self._assign_known(name, value):
            object.__setattr__(self, name, value)

    def _assign_known(self, name: str, value: Any) -> bool:
        """Replaces a parameter, buffer or module by what may stand in its place."""
        if name in self._parameters:
            if value is not None:
                kind = type(value).__name__
                raise TypeError(f"cannot assign a {kind} as parameter '{name}' (Parameter or None)")
            self._parameters[name] = None
        elif name in self._modules:
            if value is not None:
                kind = type(value).__name__
                raise TypeError(f"cannot assign a {kind} as child module '{name}' (Module or None)")
            self._modules[name] = None
        elif name in self._buffers and (value is None or isinstance(value, Tensor)):
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
        return [*super().__dir__(), *self._parameters, *self._buffers, *self._modules]

    def _forget(self, name: str) -> bool:
        self._forgotten.discard(name)
        found = [places for places in self._places() if name in places]
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
        self._check_name(name)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that belongs to the state without being learned."""
        self._check_name(name)
        self._buffers[name] = tensor
        if not persistent:
            self._forgotten.add(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """Adds a submodule, or a place for one."""
        self._check_name(name)
        self._modules[name] = module

    add_module = register_module

    def _check_name(self, name: str) -> None:
        if "." in name or not name:
            raise KeyError(f"the name '{name}' must not be empty or contain a dot")
        if hasattr(self, name) and not any(name in places for places in self._places()):
            raise KeyError(f"attribute '{name}' already exists")

    # Walking

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The direct submodules with their names, each once."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[Module]:
        """The direct submodules."""
        return (module for _, module in self.named_children())

    def named_modules(
        self, memo: set[int] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it, with their qualified names."""
        memo = set() if memo is None else memo
        if id(self) in memo:
            return
        if remove_duplicate:
            memo.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _join(prefix, name), remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and all below it."""
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
                yield _join(path, name), tensor

    def get_submodule(self, target: str) -> Module:
        """The module with this qualified name."""
        found: Any = self
        for part in filter(None, target.split(".")):
            found = getattr(found, part)
            if not isinstance(found, Module):
                raise AttributeError(f"`{part}` of '{target}' is not a Module")
        return found  # type: ignore[no-any-return]

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with this qualified name."""
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path)._parameters.get(name)
        if found is None:
            raise AttributeError(f"there is no parameter '{target}'")
        return found

    # State

    def state_dict(
        self, *, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """The parameters and buffers by name; they share their elements with the module."""
        state: dict[str, Any] = OrderedDict() if destination is None else destination
        for name, parameter in self._parameters.items():
            if parameter is not None:
                state[prefix + name] = parameter if keep_vars else parameter.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._forgotten:
                state[prefix + name] = buffer if keep_vars else buffer.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        return state

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copies values into the parameters and buffers with the same names."""
        own = self.state_dict(keep_vars=True)
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        wrong = [
            f"size mismatch for {name}: {tuple(value.shape)} in the state, "
            f"{tuple(own[name].shape)} in the module"
            for name, value in state_dict.items()
            if name in own and tuple(value.shape) != tuple(own[name].shape)
        ]
        if strict and missing:
            wrong.append(f"missing keys: {', '.join(missing)}")
        if strict and unexpected:
            wrong.append(f"unexpected keys: {', '.join(unexpected)}")
        if wrong:
            raise RuntimeError(f"cannot load the state of {type(self).__name__}: {'; '.join(wrong)}")
        with no_grad():
            for name, value in state_dict.items():
                if name in own:
                    self._load(name, own[name], value, assign)
        return IncompatibleKeys(missing, unexpected)

    def _load(self, name: str, own: Tensor, value: Any, assign: bool) -> None:
        value = value if isinstance(value, Tensor) else _gt.tensor(value)
        if not assign:
            own.copy_(value)
            return
        path, _, last = name.rpartition(".")
        module = self.get_submodule(path)
        if isinstance(own, Parameter):
            module._parameters[last] = Parameter(value, own.requires_grad)
        else:
            module._buffers[last] = value

    # Changes of the whole

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Calls `fn` with every module below this one, and then with this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _replace(self, change: Callable[[Tensor], Tensor]) -> Self:
        """Puts `change(tensor)` in the place of every parameter and buffer."""
        done: dict[int, Any] = {}
        for module in self.modules():
            for name, parameter in module._parameters.items():
                if parameter is None:
                    continue
                if id(parameter) not in done:
                    done[id(parameter)] = _changed_parameter(parameter, change)
                module._parameters[name] = done[id(parameter)]
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = change(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """The module with its floating point numbers in another dtype; a device has no effect."""
        target = _gt.zeros(0, dtype=_gt.float32).to(*args, **kwargs).dtype
        plain = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, Tensor | _gt.dtype)]
        if not plain:
            return self
        return self._as_float(target)

    def _as_float(self, dtype: Any) -> Self:
        return self._replace(lambda t: t.to(dtype) if t.dtype.is_floating_point else t)

    def float(self) -> Self:
        """The module in float32."""
        return self._as_float(_gt.float32)

    def double(self) -> Self:
        """The module in float64."""
        return self._as_float(_gt.float64)

    def half(self) -> Self:
        """The module in float16."""
        return self._as_float(_gt.float16)

    def bfloat16(self) -> Self:
        """The module in bfloat16."""
        return self._as_float(_gt.bfloat16)

    def cpu(self) -> Self:
        """The module itself: a session has one device."""
        return self

    def cuda(self, device: Any = None) -> Self:
        """The module itself: a session has one device."""
        return self

    def train(self, mode: bool = True) -> Self:
        """Sets whether modules such as dropout behave as in training."""
        for module in self.modules():
            object.__setattr__(module, "training", mode)
        return self

    def eval(self) -> Self:
        """Lets modules such as dropout behave as in use."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Asks for gradients of all parameters, or no longer."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters."""
        for parameter in self.parameters():
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad = _gt.zeros(parameter.shape, dtype=parameter.dtype)

    # Hooks

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args)` before `forward`; what it returns replaces the arguments."""
        return self._forward_pre_hooks.add(hook, prepend, with_kwargs)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args, result)` after `forward`; what it returns replaces it."""
        return self._forward_hooks.add(hook, prepend, with_kwargs)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, grad_input, grad_output)` when the gradients are emitted."""
        return self._backward_hooks.add(hook, prepend, False)

    # Text

    def extra_repr(self) -> str:
        """What stands between the parentheses of a module without submodules."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        lines = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [
            f"({name}): " + repr(module).replace("\n", "\n  ")
            for name, module in self._modules.items()
        ]
        if not children and len(lines) <= 1:
            return f"{self._get_name()}({''.join(lines)})"
        return f"{self._get_name()}(\n  " + "\n  ".join([*lines, *children]) + "\n)"


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _changed_parameter(parameter: Parameter, change: Callable[[Tensor], Tensor]) -> Parameter:
    value = change(parameter.detach())
    if value.dtype == parameter.dtype:
        return parameter
    changed = Parameter(value, parameter.requires_grad)
    if parameter.grad is not None:
        changed.grad = change(parameter.grad)
    return changed
