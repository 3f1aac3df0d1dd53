"""Shapes and memory formats, as PyTorch names them."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex, overload


class Size(tuple[int, ...]):
    """The size along each axis: a tuple that can count the elements.

    >>> import gt
    >>> gt.zeros(2, 3).shape.numel()
    6
    """

    __slots__ = ()

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        return math.prod(self)

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> Size: ...

    def __getitem__(self, index: Any) -> Any:
        """A size, or those of a slice."""
        found = super().__getitem__(index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: tuple[int, ...]) -> Size:  # type: ignore[override]
        """These sizes and others."""
        return Size(super().__add__(tuple(other)))

    def __radd__(self, other: tuple[int, ...]) -> Size:
        """Others and these sizes."""
        return Size(tuple(other) + tuple(self))

    def __mul__(self, count: Any) -> Size:
        """These sizes so many times."""
        return Size(super().__mul__(count))

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        """What a pickled size is made of."""
        return Size, (tuple(self),)


class MemoryFormat:
    """An order of elements in memory. It has no effect: that is the worker's business."""

    def __init__(self, name: str):
        self._name = name

    def __repr__(self) -> str:
        return f"gt.{self._name}"


contiguous_format = MemoryFormat("contiguous_format")
preserve_format = MemoryFormat("preserve_format")
channels_last = MemoryFormat("channels_last")
channels_last_3d = MemoryFormat("channels_last_3d")
memory_format = MemoryFormat
