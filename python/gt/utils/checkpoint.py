"""Activation checkpoints: values that `backward` needs are computed again instead of kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gt import _gt
from gt._gt import Tensor


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """`function(*args)`, of which nothing is kept for `backward` but the arguments.

    It is called again in `backward`, with the same random numbers. Tensors that it uses without
    being given them, such as parameters, have their gradients too. Both values of `use_reentrant`
    mean the same.

    >>> import gt
    >>> x = gt.tensor([3.0], requires_grad=True)
    >>> gt.utils.checkpoint.checkpoint(lambda t: (t * t).exp().log(), x).backward()
    >>> x.grad
    tensor([6.])
    """
    if not _gt.is_grad_enabled():
        return function(*args, **kwargs)
    mark, random, precision = _gt._mark(), _gt._random_state(), _gt._autocast()
    # Writes into an argument, by the function or later, do not reach what it is called with again.
    many = [_frozen(arg) for arg in args]
    named = {name: _frozen(value) for name, value in kwargs.items()}
    outputs = function(*args, **kwargs)
    places = [index for index, tensor in enumerate(_tensors(outputs)) if tensor.grad_fn is not None]
    results = _tensors(outputs)

    def again() -> list[Tensor]:
        now = _gt._random_state()
        if preserve_rng_state:
            _gt._set_random_state(*random)
        before = _gt._autocast_enter(*precision)
        try:
            tensors = _tensors(function(*many, **named))
        finally:
            _gt._autocast_exit(*before)
            if preserve_rng_state:
                _gt._set_random_state(*now)
        return [tensors[index] for index in places]

    if places:
        _gt._checkpoint(mark, again, [results[index] for index in places])
    return outputs


def checkpoint_sequential(
    functions: Iterable[Callable[..., Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
) -> Any:
    """Calls functions one after another, in segments that are checkpoints; the last one is not.

    >>> import gt
    >>> x = gt.tensor([2.0], requires_grad=True)
    >>> double = lambda t: t * 2
    >>> gt.utils.checkpoint.checkpoint_sequential([double] * 4, 2, x).backward()
    >>> x.grad
    tensor([16.])
    """
    steps = list(functions)
    if segments < 1:
        raise ValueError("checkpoint_sequential: at least one segment is needed")
    size = max(len(steps) // segments, 1)
    last = size * (segments - 1)
    for begin in range(0, last, size):
        part = steps[begin : begin + size]
        if part:
            input = checkpoint(
                _chain(part),
                input,
                use_reentrant=use_reentrant,
                preserve_rng_state=preserve_rng_state,
            )
    return _chain(steps[last:])(input)


def _chain(steps: Sequence[Callable[..., Any]]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        for step in steps:
            value = step(value)
        return value

    return run


def _frozen(value: Any) -> Any:
    return _gt._snapshot(value) if isinstance(value, Tensor) else value


def _tensors(value: Any) -> list[Tensor]:
    """The tensors in a result, whatever holds them."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        return [tensor for item in value.values() for tensor in _tensors(item)]
    if isinstance(value, list | tuple):
        return [tensor for item in value for tensor in _tensors(item)]
    return []
