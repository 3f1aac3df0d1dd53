"""One batch from a dataset: its items, fetched and collated."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from gt import _gt
from gt.utils.data import collate
from gt.utils.data.dataset import ConcatDataset, IterableDataset, Subset, TensorDataset

END = "the dataset has no more items"


class Fetch:
    """How batches are made, here or in a worker process."""

    def __init__(
        self,
        dataset: Any,
        batched: bool,
        batch_size: int | None,
        drop_last: bool,
        collate_fn: Callable[[Any], Any] | None,
    ) -> None:
        self.dataset, self.batched, self.collate_fn = dataset, batched, collate_fn
        self._batch_size, self._drop_last = batch_size, drop_last
        self._items: Iterator[Any] | None = None

    def begin(self) -> None:
        """Prepares for an epoch."""
        if isinstance(self.dataset, IterableDataset):
            self._items = iter(self.dataset)

    def make(self, task: Any) -> Any:
        """The batch for a task: numbers of items, or the next ones."""
        if self.collate_fn is None and self.batched and self._items is None:
            rows = _gathered(self.dataset, task)
            if rows is not None:
                return rows
        found = self._found(task)
        if found is END:
            return END
        if self.collate_fn is not None:
            return self.collate_fn(found)
        if self.batched:
            return collate.default_collate(found)
        return collate.default_convert(found)

    def prepare(self, task: Any) -> Any:
        """The same in a worker process: without tensors."""
        found = self._found(task)
        if found is END:
            return END
        if self.collate_fn is not None:
            return collate.sent(self.collate_fn(found))
        form = collate.collated if self.batched else collate.converted
        return form(found, collate.departing)

    def _found(self, task: Any) -> Any:
        """The items of a batch, or the only one."""
        if self._items is None:
            if not self.batched:
                return self.dataset[task]
            many = getattr(self.dataset, "__getitems__", None)
            return many(task) if many else [self.dataset[index] for index in task]
        if not self.batched:
            return next(self._items, END)
        found = list(itertools.islice(self._items, self._batch_size))
        short = len(found) < (self._batch_size or 0)
        return END if not found or (short and self._drop_last) else found


def holds_tensors(dataset: Any) -> bool:
    """Whether a dataset is made of tensors, which are on GT's workers already."""
    if isinstance(dataset, Subset):
        return holds_tensors(dataset.dataset)
    if isinstance(dataset, ConcatDataset):
        return any(map(holds_tensors, dataset.datasets))
    return isinstance(dataset, TensorDataset)


def _gathered(dataset: Any, indices: list[int]) -> list[Any] | None:
    """Rows of tensors, taken at once; None if the dataset is of another kind."""
    while type(dataset) is Subset:
        dataset, indices = dataset.dataset, [dataset.indices[index] for index in indices]
    if type(dataset) is not TensorDataset:
        return None
    count = len(dataset)
    for index in indices:
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of range for {count} items")
    places = _gt.tensor([index % count for index in indices], dtype=_gt.int64)
    return [tensor.index_select(0, places) for tensor in dataset.tensors]
