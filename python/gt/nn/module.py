"""Parts of models: what they compute, their state, and changes of the whole."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Self

from gt import _gt, settings
from gt._gt import Tensor, _configured
from gt.autograd.mode import no_grad
from gt.files.stored import StoredTensor
from gt.nn import scopes
from gt.nn.hooks import Hooks, RemovableHandle
from gt.nn.parameter import Parameter
from gt.nn.state import taken
from gt.nn.tree import Tree


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` did not find, and what it did not expect."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys}"


class Module(Tree):
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
    _forward_pre_hooks: Hooks
    _forward_hooks: Hooks
    _backward_hooks: Hooks
    # The names that `scopes` has given: those of the root and of the way from there, both if a
    # config has an entry about them, and when this was found.
    _place: tuple[str, str] | None = None
    _signal: tuple[str, str] | None = None
    _stamp: tuple[object, int] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            raise TypeError(f"{type(self).__name__}() takes no arguments; {_words(args, kwargs)}")
        super().__init__()
        hooks = ("_forward_pre_hooks", "_forward_hooks", "_backward_hooks")
        self.__dict__.update({name: Hooks() for name in hooks}, training=True)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the results; every module has its own."""
        raise NotImplementedError(f'{type(self).__name__} is missing the method "forward"')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _configured:
            return scopes.call(self, args, kwargs)
        if not (self._forward_pre_hooks or self._forward_hooks or self._backward_hooks):
            return self.forward(*args, **kwargs)
        return self._call(args, kwargs)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not (self._forward_pre_hooks or self._forward_hooks or self._backward_hooks):
            return self.forward(*args, **kwargs)
        args, kwargs = self._forward_pre_hooks.before(self, args, kwargs)
        result = self._backward_hooks.around(self, self.forward, args, kwargs)
        return self._forward_hooks.after(self, args, kwargs, result)

    # State

    def state_dict(
        self,
        *,
        destination: dict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
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
                module.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
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
            raise RuntimeError(
                f"cannot load the state of {type(self).__name__}: {'; '.join(wrong)}"
            )
        with no_grad():
            self._revive(own)
            if _configured:
                scopes.name(self)
            for name, value in state_dict.items():
                if name in own:
                    self._load(name, own[name], value, assign)
        return IncompatibleKeys(missing, unexpected)

    def _revive(self, own: Mapping[str, Tensor]) -> None:
        """Gives tensors whose session is over a place in the one that is used from now on."""
        gone = [tensor for tensor in own.values() if _gt._is_over(tensor)]
        for tensor in gone:
            tensor.data = _gt.zeros(tensor.shape, dtype=tensor.dtype)
            tensor.grad = None
        if gone:
            for module in self.modules():
                module.__dict__["_stamp"] = None

    def _load(self, name: str, own: Tensor, value: Any, assign: bool) -> None:
        if isinstance(value, StoredTensor) and not assign:
            value.copy_into(own)
            return
        value = taken(value)
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

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: workers plan what they are sent without being asked."""
        settings.compile(self, *args, **kwargs)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Calls `fn` with every module below this one, and then with this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _replace(self, change: Callable[[Tensor], Tensor]) -> Self:
        """Gives every parameter `change(data)`, and puts that of every buffer in its place."""
        for parameter in self.parameters():
            data = parameter.data
            if (changed := change(data)) is data:
                continue
            parameter.data = changed
            if parameter.grad is not None:
                parameter.grad = change(parameter.grad)
        for module in self.modules():
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = change(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """The module with its floating point numbers in another dtype; a device has no effect."""
        # Two dtypes become one if another was given, in whatever way a tensor understands.
        single, double = (
            _gt.zeros(0, dtype=dtype).to(*args, **kwargs).dtype
            for dtype in (_gt.float32, _gt.float64)
        )
        if single != double:
            return self
        if not single.is_floating_point:
            raise TypeError(f"a module's numbers cannot become {single}: it is no floating point")
        return self._as_float(single)

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
        _gt._check_device("cuda" if device is None else device)
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
                parameter.grad = parameter.grad.detach().zero_()

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

    def _named_reprs(self) -> list[tuple[str, str]]:
        """The text of each submodule."""
        return [(name, repr(module)) for name, module in self._modules.items()]

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        lines = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [
            f"({name}): " + text.replace("\n", "\n  ") for name, text in self._named_reprs()
        ]
        if not children and len(lines) <= 1:
            return f"{self._get_name()}({''.join(lines)})"
        return f"{self._get_name()}(\n  " + "\n  ".join([*lines, *children]) + "\n)"


def _words(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """What was given, in a message."""
    if kwargs:
        return f"got an unexpected keyword argument '{next(iter(kwargs))}'"
    return f"{len(args)} were given"
