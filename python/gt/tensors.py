"""Functions of tensors that are methods elsewhere, and PyTorch's older constructors."""

from __future__ import annotations

from typing import Any

from gt import _gt
from gt._gt import Tensor


def numel(input: Tensor) -> int:
    """How many elements a tensor has.

    >>> import gt
    >>> gt.numel(gt.zeros(2, 3))
    6
    """
    return Tensor.numel(input)


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy with elements of its own.

    >>> import gt
    >>> gt.clone(gt.ones(2))
    tensor([1., 1.])
    """
    return Tensor.clone(input)


def detach(input: Tensor) -> Tensor:
    """The same elements without their history."""
    return Tensor.detach(input)


class _ByKind(type):
    """Tensors of one dtype: `isinstance` asks for it."""

    dtype: Any

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype == cls.dtype


def _constructor(name: str, kind: str) -> Any:
    dtype = getattr(_gt, kind)

    def made(cls: type, *args: Any) -> Tensor:
        if args and not all(isinstance(size, int) for size in args):
            (data,) = args
            if isinstance(data, Tensor) and data.dtype != dtype:
                raise TypeError(f"{name} is for tensors of {kind}, not of {data.dtype.name}")
            return data if isinstance(data, Tensor) else _gt.tensor(data, dtype=dtype)
        return _gt.zeros(args or (0,), dtype=dtype)

    words = f"A tensor of {kind}: of a list, or of so many zeros along each axis."
    inside = {"__new__": made, "__doc__": words, "__module__": "gt", "dtype": dtype}
    return _ByKind(name, (), inside)


FloatTensor = _constructor("FloatTensor", "float32")
DoubleTensor = _constructor("DoubleTensor", "float64")
HalfTensor = _constructor("HalfTensor", "float16")
BFloat16Tensor = _constructor("BFloat16Tensor", "bfloat16")
LongTensor = _constructor("LongTensor", "int64")
IntTensor = _constructor("IntTensor", "int32")
ShortTensor = _constructor("ShortTensor", "int16")
CharTensor = _constructor("CharTensor", "int8")
ByteTensor = _constructor("ByteTensor", "uint8")
BoolTensor = _constructor("BoolTensor", "bool")
