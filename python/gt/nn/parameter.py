"""Tensors that a module learns, and tensors that it only remembers."""

from __future__ import annotations

from typing import Any, Self

from gt import _gt
from gt._gt import Tensor


class Parameter(Tensor):
    """A tensor that a module learns; assigned to a module, it is among its parameters.

    >>> import gt
    >>> gt.nn.Parameter(gt.zeros(2))
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        made = super().__new__(cls, _gt.zeros(0) if data is None else data)
        made.requires_grad_(requires_grad)
        return made

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        pass

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __str__(self) -> str:
        return "Parameter containing:\n" + super().__str__()

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        copied: Parameter = memo[id(self)]
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (Tensor(self), self.requires_grad)


class Buffer(Tensor):
    """A tensor that a module remembers without learning it."""

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        made = super().__new__(cls, _gt.zeros(0) if data is None else data)
        made.persistent = persistent
        return made

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True) -> None:
        pass
