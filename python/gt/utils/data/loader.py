"""The loader: batches of a dataset, in the order of its sampler."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from gt import _gt
from gt.random import Generator
from gt.utils.data.collate import arrived
from gt.utils.data.dataset import IterableDataset
from gt.utils.data.fetch import END, Fetch, holds_tensors
from gt.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler
from gt.utils.data.workers import Failure, Setup, Workers

T_co = TypeVar("T_co", covariant=True)


class DataLoader(Generic[T_co]):
    """Batches of a dataset, prepared here or by `num_workers` processes; the order is the same.

    A worker process makes NumPy arrays, which are uploaded here. A dataset of tensors is indexed
    here in any case, since its elements are on GT's workers already.

    >>> from gt.utils.data import DataLoader
    >>> [batch.tolist() for batch in DataLoader(range(5), batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        iterable = isinstance(dataset, IterableDataset)
        chosen = sampler is not None or batch_sampler is not None
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and (prefetch_factor is not None or persistent_workers):
            raise ValueError("prefetch_factor and persistent_workers need num_workers > 0")
        if iterable and (shuffle or chosen):
            raise ValueError("DataLoader with IterableDataset: expected unspecified shuffle")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None and (
            batch_size != 1 or shuffle or sampler is not None or drop_last
        ):
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
                "and drop_last"
            )
        if batch_size is None and drop_last:
            raise ValueError("batch_size=None disables batching and is exclusive with drop_last")
        self.dataset: Any = dataset
        self.num_workers, self.generator = num_workers, generator
        self.batch_size = None if batch_sampler is not None else batch_size
        self.drop_last, self.timeout, self.pin_memory = drop_last, timeout, pin_memory
        self.collate_fn, self.worker_init_fn = collate_fn, worker_init_fn
        self.prefetch_factor = 2 if prefetch_factor is None else prefetch_factor
        self.persistent_workers = persistent_workers
        self.multiprocessing_context = multiprocessing_context
        if sampler is None and not iterable:
            sampler = RandomSampler(self.dataset, generator=generator) if shuffle else None
            sampler = SequentialSampler(self.dataset) if sampler is None else sampler
        self.sampler = sampler
        if batch_sampler is None and batch_size is not None and sampler is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_sampler = batch_sampler
        self._kept: Workers | None = None
        self._epoch = 0

    def _batched(self) -> bool:
        return self.batch_sampler is not None or self.batch_size is not None

    def _tasks(self) -> Iterator[Any]:
        """What is to be fetched, one after another."""
        if isinstance(self.dataset, IterableDataset):
            return itertools.repeat(None)
        return iter(self.batch_sampler if self.batch_sampler is not None else self.sampler or ())

    def _fetch(self) -> Fetch:
        return Fetch(
            self.dataset, self._batched(), self.batch_size, self.drop_last, self.collate_fn
        )

    def __iter__(self) -> Iterator[Any]:
        # Drawn in any case, so that the numbers after it do not depend on `num_workers`.
        options: dict[str, Any] = {"generator": self.generator}
        seed = int(_gt.randint(0, 2**62, (), **options).item())
        if self.num_workers == 0 or holds_tensors(self.dataset):
            return self._here()
        self._epoch += 1
        workers = self._kept
        if workers is None:
            setup = Setup(self._fetch(), self.num_workers, self.worker_init_fn)
            workers = Workers(setup, self.multiprocessing_context)
            if self.persistent_workers:
                self._kept = workers
        return _Epoch(self, workers, self._epoch, seed)

    def _here(self) -> Iterator[Any]:
        fetch = self._fetch()
        fetch.begin()
        for task in self._tasks():
            batch = fetch.make(task)
            if batch is END:
                return
            yield batch

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            tasks = self.batch_sampler if self.batch_sampler is not None else self.sampler
            return len(tasks)  # type: ignore[arg-type]
        count = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


class _Epoch:
    """One pass over the data, with workers."""

    def __init__(self, loader: DataLoader[Any], workers: Workers, epoch: int, seed: int) -> None:
        self._workers, self._epoch, self._timeout = workers, epoch, loader.timeout
        self._keeps = loader.persistent_workers
        self._loader = loader
        self._tasks, self._numbers = loader._tasks(), itertools.count()
        self._turns = deque(range(loader.num_workers))
        # Which worker has which task, in the order of the batches.
        self._given: deque[tuple[int, int]] = deque()
        self._results: dict[int, Any] = {}
        for worker in range(loader.num_workers):
            workers.give(worker, (epoch, None, seed))
        for _ in range(loader.prefetch_factor * loader.num_workers):
            self._give()

    def _give(self) -> None:
        """Gives the next task to the worker whose turn it is."""
        if not self._turns:
            return
        try:
            task = next(self._tasks)
        except StopIteration:
            return
        worker, number = self._turns[0], next(self._numbers)
        self._turns.rotate(-1)
        self._given.append((number, worker))
        self._workers.give(worker, (self._epoch, number, task))

    def __iter__(self) -> _Epoch:
        return self

    def __next__(self) -> Any:
        try:
            return self._next()
        except StopIteration:
            self._end()
            raise
        except BaseException:
            self._workers.stop()
            self._loader._kept = None
            raise

    def _next(self) -> Any:
        while self._given:
            number, worker = self._given.popleft()
            result = self._wait(number)
            if isinstance(result, str) and result == END:
                if worker in self._turns:
                    self._turns.remove(worker)
                continue
            self._give()
            if isinstance(result, Failure):
                result.throw()
            return arrived(result)
        raise StopIteration

    def _wait(self, number: int) -> Any:
        while number not in self._results:
            epoch, place, result = self._workers.take(self._timeout)
            if isinstance(result, Failure) and place is None:
                result.throw()
            # What an epoch that was left early has asked for still arrives.
            if epoch == self._epoch:
                self._results[place] = result
        return self._results.pop(number)

    def _end(self) -> None:
        if not self._keeps:
            self._workers.stop()
