"""Calls of modules as signals: the qualified name of a module is a name that a config may have.

Names are given when the outermost call begins, and parameters and buffers go where the config
wants them. Both hold until a module or the config changes.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

from gt import _gt
from gt.nn.tree import join, structure

if TYPE_CHECKING:
    from gt._gt import Tensor
    from gt.nn.module import Module
    from gt.optim.optimizer import Optimizer


class _Calls(threading.local):
    inside = False


_calls = _Calls()

#: Modules that were called by themselves, whose names a config knows.
roots: weakref.WeakSet[Module] = weakref.WeakSet()


#: Optimisers, whose state goes where parameters go.
followers: weakref.WeakSet[Optimizer] = weakref.WeakSet()


def call(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a module, computed under its name."""
    if _calls.inside:
        return _call_signal(module, args, kwargs)
    if _gt._auto_is_recording():
        _record(module)
    name(module)
    _calls.inside = True
    try:
        return _call_signal(module, args, kwargs)
    finally:
        _calls.inside = False


def _call_signal(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if module._signal is None:
        return module._call(args, kwargs)
    depth = _gt._module_enter(*module._signal)
    try:
        return module._call(args, kwargs)
    finally:
        _gt._scope_restore(depth)


def _record(module: Module) -> None:
    """Tells automatic sharding that a module is about to be called, and what is in it."""
    root, path = module._place or (type(module).__name__, "")
    if path:
        return
    named = [*module.named_parameters(), *module.named_buffers()]
    learns = _gt.is_grad_enabled() and any(p.requires_grad for p in module.parameters())
    _gt._auto_before(root, named, learns)


def name(module: Module) -> None:
    """Names what is in a module, if it has no names or if they are out of date.

    A submodule that was named with the module around it keeps that name.
    """
    stamp = (structure(), _gt._config_epoch())
    if module._stamp == stamp:
        return
    root, path = module._place or (type(module).__name__, "")
    placed: set[int] = set()
    moved: list[Tensor] = []
    for below, part in module.named_modules():
        here = join(path, below)
        full = join(root, here) if here else root
        signal = (here, full) if _gt._module_is_configured(here, full) else None
        part.__dict__.update(_place=(root, here), _signal=signal)
        for key, tensor in [*part._parameters.items(), *part._buffers.items()]:
            # What is tied has its first name.
            if tensor is not None and id(tensor) not in placed:
                placed.add(id(tensor))
                if _gt._parameter_place(tensor, root, here, key):
                    moved.append(tensor)
    for follower in list(followers):
        follower._follow(moved)
    module.__dict__["_stamp"] = stamp
    if not path:
        roots.add(module)
