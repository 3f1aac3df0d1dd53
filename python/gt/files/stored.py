"""Tensors that lie in a file, and are read piece by piece where they are needed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gt import _gt
from gt._gt import Tensor

#: A tensor is read and written in pieces of this size …
PIECE_BYTES = 16 << 20
#: … or of this part of it: every piece that is written into a cut tensor costs a copy of the parts.
MOST_PIECES = 8


def pieces(shape: tuple[int, ...], item_bytes: int) -> Iterator[tuple[tuple[Any, ...], int]]:
    """The indices of the pieces of a tensor, row by row, and how many bytes each has."""
    size = math.prod(shape) * item_bytes
    yield from _pieces(tuple(shape), item_bytes, max(PIECE_BYTES, math.ceil(size / MOST_PIECES)))


def _pieces(
    shape: tuple[int, ...], item_bytes: int, most: int
) -> Iterator[tuple[tuple[Any, ...], int]]:
    size = math.prod(shape) * item_bytes
    if size <= most or not shape:
        yield (), size
        return
    row = size // shape[0]
    if row > most:
        for index in range(shape[0]):
            for below, count in _pieces(shape[1:], item_bytes, most):
                yield (index, *below), count
        return
    step = max(1, most // row)
    for begin in range(0, shape[0], step):
        end = min(begin + step, shape[0])
        yield (slice(begin, end),), row * (end - begin)


class StoredTensor:
    """A tensor in a file. `load_state_dict` takes it piece by piece, `tensor()` gives all of it."""

    def __init__(self, path: Path, begin: int, dtype: Any, shape: list[int]) -> None:
        self.dtype, self.shape = dtype, tuple(shape)
        self.requires_grad = False
        self._path, self._begin = path, begin

    @property
    def nbytes(self) -> int:
        """How many bytes its elements take."""
        return math.prod(self.shape) * int(self.dtype.itemsize)

    def requires_grad_(self) -> StoredTensor:
        """The same, as a parameter."""
        self.requires_grad = True
        return self

    def tensor(self) -> Tensor:
        """All of it."""
        return self._read(0, self.nbytes, list(self.shape)).requires_grad_(self.requires_grad)

    def __float__(self) -> float:
        return float(self.tensor())

    def __repr__(self) -> str:
        return f"<{self.dtype} {list(self.shape)} in {self._path.name}>"

    def copy_into(self, own: Tensor) -> None:
        """Writes it into a tensor of the same shape, wherever that is.

        No more than a piece of it is anywhere else: the next is read when the last is written.
        """
        begin = 0
        if self.nbytes > PIECE_BYTES:
            # A lost tensor has nothing that a piece could be written into.
            own.zero_()
        for index, count in pieces(self.shape, self.dtype.itemsize):
            target = own[index] if index else own
            target.copy_(self._read(begin, count, list(target.shape)))
            begin += count
            if count < self.nbytes:
                _gt.synchronize()

    def _read(self, begin: int, count: int, shape: list[int]) -> Tensor:
        with self._path.open("rb") as file:
            file.seek(self._begin + begin)
            return _gt._tensor(self.dtype.name, shape, file.read(count), False)
