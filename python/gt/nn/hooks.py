"""Functions that are called around a module's `forward` and when its gradients are computed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gt import _gt
from gt._gt import Tensor
from gt.autograd.function import Function, FunctionCtx

if TYPE_CHECKING:
    from gt.nn.module import Module

_NUMBERS = itertools.count()


class RemovableHandle:
    """By which a hook can be removed, also at the end of a `with` block."""

    def __init__(self, hooks: Hooks, number: int) -> None:
        self._hooks = hooks
        self.id = number

    def remove(self) -> None:
        """Removes the hook."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class Hooks(dict[int, tuple[Callable[..., Any], bool]]):
    """The hooks of one kind, in the order in which they are called."""

    def add(
        self, hook: Callable[..., Any], prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Adds a hook at the end, or in front of the others."""
        number = next(_NUMBERS)
        others = dict(self) if prepend else {}
        if prepend:
            self.clear()
        self[number] = (hook, with_kwargs)
        self.update(others)
        return RemovableHandle(self, number)

    def before(
        self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments after all hooks have seen them."""
        for hook, with_kwargs in list(self.values()):
            if with_kwargs:
                changed = hook(module, args, kwargs)
                args, kwargs = (args, kwargs) if changed is None else changed
            else:
                changed = hook(module, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        return args, kwargs

    def after(
        self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> Any:
        """The result after all hooks have seen it."""
        for hook, with_kwargs in list(self.values()):
            changed = (
                hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
            )
            result = result if changed is None else changed
        return result

    def around(
        self, module: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: Any
    ) -> Any:
        """The result of `forward`, whose gradients the hooks will see."""
        if not self or not _gt.is_grad_enabled():
            return forward(*args, **kwargs)
        watch = _Watch(self, module, args)
        result = forward(*_through(watch.inputs, args), **kwargs)
        if isinstance(result, Tensor):
            return _through(watch.results, (result,))[0]
        if isinstance(result, tuple):
            return _through(watch.results, result)
        return result


class _Watch:
    """The gradients of one call, gathered until all hooks can be called."""

    def __init__(self, hooks: Hooks, module: Module, args: tuple[Any, ...]) -> None:
        self._hooks = hooks
        self._module = module
        self._grad_output: tuple[Any, ...] = ()
        # Without a gradient for an input, that of a result is the last to come.
        self._nothing = None if _traced(args) else (None,) * len(args)

    def results(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """Remembers the gradients of the results."""
        self._grad_output = grads
        if self._nothing is not None and any(g is not None for g in self.inputs(self._nothing)):
            raise RuntimeError(
                f"{type(self._module).__name__}: a backward hook returned a gradient for an input "
                f"that requires none; it should return None"
            )
        return grads

    def inputs(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the inputs, as the hooks leave them."""
        for hook, _ in list(self._hooks.values()):
            changed = hook(self._module, grads, self._grad_output)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        return grads


class _Identity(Function):
    """Its inputs, with a function that sees their gradients."""

    @staticmethod
    def forward(ctx: FunctionCtx, see: Callable[..., Any], *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.see = see  # type: ignore[attr-defined]
        ctx.set_materialize_grads(False)
        return tensors

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Any) -> tuple[Any, ...]:
        return (None, *ctx.see(grads))  # type: ignore[attr-defined]


def _traced(values: tuple[Any, ...]) -> list[int]:
    """Where the tensors are that have a gradient."""
    return [i for i, v in enumerate(values) if isinstance(v, Tensor) and v.requires_grad]


def _through(see: Callable[..., Any], values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values, where `see` is given a gradient for each: None for what has none."""
    places = _traced(values)
    if not places:
        return values

    def see_all(grads: tuple[Any, ...]) -> tuple[Any, ...]:
        found = dict(zip(places, grads, strict=True))
        changed = see(tuple(found.get(place) for place in range(len(values))))
        return tuple(changed[place] for place in places)

    traced = _Identity.apply(see_all, *(values[place] for place in places))
    changed = list(values)
    for place, tensor in zip(places, traced, strict=True):
        changed[place] = tensor
    return tuple(changed)
