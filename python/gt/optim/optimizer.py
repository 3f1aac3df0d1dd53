"""What all optimisers have in common: groups of parameters, a state for each, and steps.

A step never reads a value: learning rates are inputs of instructions, and what counts the steps is
on the workers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import enable_grad, no_grad
from gt.files.stored import StoredTensor
from gt.nn import scopes
from gt.nn.hooks import Hooks, RemovableHandle
from gt.nn.state import taken_over

# What parameters of a group have in common as long as they take the same steps.
COUNTS = {"step", "mu_product"}

Parameters = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]


class Optimizer:
    """Changes parameters by their gradients. Subclasses say how in `_update`."""

    def __init__(self, params: Parameters, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError("params must be an iterable of tensors or of groups, not a Tensor")
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._step_pre_hooks, self._step_post_hooks = Hooks(), Hooks()
        # While a step may have to be taken back: states that it begins, with their first values.
        self._fresh: list[tuple[Tensor, Tensor]] | None = None
        given: list[Any] = list(params)
        if not given:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(given[0], dict):
            given = [{"params": given}]
        for group in given:
            self.add_param_group(group)
        scopes.followers.add(self)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with options of their own."""
        params = param_group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        params = [p[1] if isinstance(p, tuple) else p for p in params]
        for parameter in params:
            if not isinstance(parameter, Tensor):
                kind = _gt._kind_of(parameter)
                raise TypeError(f"optimizer can only optimize Tensors, not {kind}")
            if not parameter.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if known & {id(p) for p in params}:
            raise ValueError("some parameters appear in more than one parameter group")
        # The caller's dict becomes the live one, as in PyTorch.
        param_group["params"] = params
        for name, value in self.defaults.items():
            param_group.setdefault(name, value)
        self.param_groups.append(param_group)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        """Changes those parameters of a group that have a gradient."""
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes all parameters; a closure computes the loss again and is called first."""
        for hook, _ in list(self._step_pre_hooks.values()):
            hook(self, (closure,), {})
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                params = [p for p in group["params"] if p.grad is not None]
                if params:
                    self._update(group, params)
        for hook, _ in list(self._step_post_hooks.values()):
            hook(self, (closure,), {})
        return loss

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if set_to_none:
                    parameter.grad = None
                elif parameter.grad is not None:
                    # Other references to the gradient see the zeros too.
                    parameter.grad = parameter.grad.detach().zero_()

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` before each step."""
        return self._step_pre_hooks.add(hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` after each step."""
        return self._step_post_hooks.add(hook)

    def state_dict(self) -> dict[str, Any]:
        """The state by the number of the parameter, and the options of the groups."""
        numbers: dict[int, int] = {}
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
        groups = [
            {
                **{name: value for name, value in group.items() if name != "params"},
                "params": [numbers[id(parameter)] for parameter in group["params"]],
            }
            for group in self.param_groups
        ]
        state = {numbers[id(p)]: dict(values) for p, values in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Takes over a state that `state_dict` gave."""
        groups = state_dict["param_groups"]
        sizes = [len(group["params"]) for group in groups]
        own = [len(group["params"]) for group in self.param_groups]
        if sizes != own:
            raise ValueError(
                f"the state has parameter groups of sizes {sizes}, the optimizer has {own}"
            )
        saved_states = state_dict["state"].items()
        by_number = {int(number): taken_over(values) for number, values in saved_states}
        self.state.clear()
        for group, saved in zip(self.param_groups, groups, strict=True):
            group.update((name, value) for name, value in saved.items() if name != "params")
            counted: dict[tuple[float, ...], dict[str, Any]] = {}
            for number, parameter in zip(saved["params"], group["params"], strict=True):
                if number in by_number:
                    self.state[parameter] = _taken_over(by_number[number], parameter, counted)

    def _follow(self, moved: list[Tensor]) -> None:
        """Brings the state of parameters that a config has moved to where they are."""
        for parameter in moved:
            values = [*self.state.get(parameter, {}).values(), parameter.grad]
            for value in values:
                if isinstance(value, Tensor) and value.shape == parameter.shape:
                    _gt._tensor_follow(value, parameter)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {k}: {v}" for k, v in sorted(group.items()) if k != "params"]
        return "\n".join([*lines, ")"])


def _taken_over(
    values: Mapping[str, Any],
    parameter: Tensor,
    counted: dict[tuple[float, ...], dict[str, Any]],
) -> dict[str, Any]:
    """A state with copies of the values. Parameters that have counted alike count together.

    Counts are read here, once, so that steps are few instructions.
    """
    counts = {name: float(values[name]) for name in sorted(COUNTS & values.keys())}
    made = {name: _gt.tensor(count, dtype=_gt.float64) for name, count in counts.items()}
    shared = counted.setdefault(tuple(counts.values()), made)
    return {name: shared.get(name, _copy(value, parameter)) for name, value in values.items()}


def _copy(value: Any, parameter: Tensor) -> Any:
    """A value of a state, in the dtype of its parameter."""
    if isinstance(value, StoredTensor):
        return _read(value, parameter)
    if not isinstance(value, Tensor):
        return value
    if value.dtype.is_floating_point and parameter.dtype.is_floating_point:
        return value.detach().to(parameter.dtype).clone()
    return value.detach().clone()


def _read(value: StoredTensor, parameter: Tensor) -> Tensor:
    """A value that is in a file. What is like a parameter is made where that is."""
    floats = value.dtype.is_floating_point and parameter.dtype.is_floating_point
    dtype = parameter.dtype if floats else value.dtype
    if value.shape != tuple(parameter.shape):
        return value.tensor().to(dtype)
    made = _gt.zeros_like(parameter, dtype=dtype).detach()
    value.copy_into(made)
    return made


def gradients(params: list[Tensor], group: dict[str, Any]) -> list[Tensor]:
    """The gradients to follow: turned round to maximise, with weight decay added."""
    grads: list[Any] = [parameter.grad for parameter in params]
    if group.get("maximize"):
        grads = [-grad for grad in grads]
    if group.get("weight_decay"):
        decay = group["weight_decay"]
        grads = [grad.add(p, alpha=decay) for p, grad in zip(params, grads, strict=True)]
    return grads


def decay(group: dict[str, Any], decoupled: bool) -> float | Tensor | None:
    """What is left of a parameter before each step, if its decay is apart from its gradient."""
    if not decoupled or not group["weight_decay"]:
        return None
    lr: float | Tensor = group["lr"]
    return 1 - lr * group["weight_decay"]  # type: ignore[no-any-return]


def accept(optimizer: Optimizer, ignored: Mapping[str, Any]) -> None:
    """Refuses options that PyTorch does not have either; those about its loops have no effect."""
    kind = type(optimizer).__name__
    for name in ignored:
        if name not in ("foreach", "capturable", "differentiable", "fused"):
            raise TypeError(f"{kind}.__init__() got an unexpected keyword argument '{name}'")


def start(
    optimizer: Optimizer,
    params: list[Tensor],
    make: Callable[[Tensor], dict[str, Tensor]],
    **counts: float,
) -> None:
    """Gives parameters that have no state one; those that start together count together."""
    fresh = [parameter for parameter in params if not optimizer.state[parameter]]
    if not fresh:
        return
    first = {"step": 0.0, **counts}
    shared = {name: _gt.tensor(count, dtype=_gt.float64) for name, count in first.items()}
    for parameter in fresh:
        state = optimizer.state[parameter] = {**shared, **make(parameter)}
        note(optimizer, *((tensor, _gt._snapshot(tensor)) for tensor in state.values()))


def note(optimizer: Optimizer, *begun: tuple[Tensor, Tensor]) -> None:
    """Remembers the first value of tensors that a state begins with."""
    if optimizer._fresh is not None:
        optimizer._fresh.extend(begun)


def advance(
    optimizer: Optimizer, group: dict[str, Any], params: list[Tensor]
) -> list[tuple[list[Tensor], list[dict[str, Any]]]]:
    """Counts one step further; the parameters that count together, with their states."""
    if len(params) < len(group["params"]):
        _part(optimizer, group, params)
    states = [optimizer.state[parameter] for parameter in params]
    counted: dict[int, tuple[list[Tensor], list[dict[str, Any]]]] = {}
    if len({id(state["step"]) for state in states}) == 1:
        counted[0] = params, states
    else:
        for parameter, state in zip(params, states, strict=True):
            together = counted.setdefault(id(state["step"]), ([], []))
            together[0].append(parameter)
            together[1].append(state)
    for _, states in counted.values():
        states[0]["step"].add_(1)
    return list(counted.values())


def _part(optimizer: Optimizer, group: dict[str, Any], params: list[Tensor]) -> None:
    """Gives parameters counts of their own if others that count with them sit this step out."""
    going = {id(parameter) for parameter in params}
    waiting = {
        id(optimizer.state[parameter].get("step"))
        for parameter in group["params"]
        if id(parameter) not in going and parameter in optimizer.state
    }
    fresh: dict[int, Tensor] = {}
    for state in (optimizer.state[parameter] for parameter in params):
        if id(state["step"]) not in waiting:
            continue
        for name in COUNTS & state.keys():
            key = id(state[name])
            if key not in fresh:
                fresh[key] = state[name].clone()
                note(optimizer, (fresh[key], _gt._snapshot(fresh[key])))
            state[name] = fresh[key]


def zeros_like(parameter: Tensor) -> Tensor:
    """Zeros in the shape and dtype of a parameter, where it is."""
    return _gt.zeros_like(parameter.detach())


def check(**options: Any) -> None:
    """Refuses options that are negative."""
    for name, value in options.items():
        if not isinstance(value, Tensor) and not value >= 0:
            raise ValueError(f"invalid {name}: {value}")
