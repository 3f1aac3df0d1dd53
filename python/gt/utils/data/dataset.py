"""Datasets: items by their number, or one after another."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from gt import _gt
from gt._gt import Tensor
from gt.random import Generator

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Items by their number: a subclass has `__getitem__`, and mostly `__len__`."""

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("a Dataset needs __getitem__")

    def __add__(self, other: Dataset[T_co]) -> ConcatDataset[T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """Items one after another: a subclass has `__iter__`."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError("an IterableDataset needs __iter__")


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """The rows of tensors that have equally many.

    >>> import gt
    >>> gt.utils.data.TensorDataset(gt.arange(3), gt.ones(3))[1]
    (tensor(1), tensor(1.))
    """

    def __init__(self, *tensors: Tensor) -> None:
        if not tensors or any(len(tensor) != len(tensors[0]) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class ConcatDataset(Dataset[T_co]):
    """Datasets one after another."""

    def __init__(self, datasets: Iterable[Dataset[T_co]]) -> None:
        self.datasets: list[Any] = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        self.cumulative_sizes = list(itertools.accumulate(len(d) for d in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> T_co:
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"index {index} is out of range for {len(self)} items")
        which = bisect.bisect_right(self.cumulative_sizes, place)
        before = self.cumulative_sizes[which - 1] if which else 0
        found: T_co = self.datasets[which][place - before]
        return found


class Subset(Dataset[T_co]):
    """Some items of a dataset."""

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> T_co:
        if isinstance(index, list):
            return self.dataset[[self.indices[place] for place in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[T_co],
    lengths: Sequence[int | float],
    generator: Generator | None = None,
) -> list[Subset[T_co]]:
    """Parts of a dataset, of these lengths or fractions, each item in one by chance.

    >>> import gt
    >>> parts = gt.utils.data.random_split(range(10), [0.7, 0.3])
    >>> [len(part) for part in parts]
    [7, 3]
    """
    count = len(dataset)  # type: ignore[arg-type]
    sizes = _sizes(count, lengths)
    order = _gt.randperm(count, generator=generator).tolist()  # type: ignore[call-arg]
    ends = list(itertools.accumulate(sizes))
    return [Subset(dataset, order[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


def _sizes(count: int, lengths: Sequence[int | float]) -> list[int]:
    total = sum(lengths)
    if math.isclose(total, 1) and total <= 1:
        if any(not 0 <= part <= 1 for part in lengths):
            raise ValueError("random_split: fractions must be between zero and one")
        sizes = [math.floor(count * part) for part in lengths]
        # What rounding leaves goes to the first parts, one item each.
        for index in range(count - sum(sizes)):
            sizes[index % len(sizes)] += 1
        return sizes
    if total != count:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    return [int(length) for length in lengths]
