"""Processes that prepare batches. They are forks that use nothing of the parent's session."""

from __future__ import annotations

import multiprocessing
import os
import queue
import random
import signal
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from gt.utils.data.fetch import Fetch

# How long a worker may take to end by itself.
PATIENCE_S = 5.0


@dataclass(frozen=True)
class WorkerInfo:
    """What a worker process knows of itself."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Which worker process this is; None in the program's own."""
    return _info


@dataclass
class Setup:
    """What all workers of a loader are given."""

    fetch: Fetch
    count: int
    init: Callable[[int], Any] | None


class Failure:
    """An exception on its way from a worker process."""

    def __init__(self, error: BaseException, worker: int) -> None:
        self.kind: type[BaseException] = type(error)
        trace = "".join(traceback.format_exception(error))
        name = type(error).__name__
        self.message = f"Caught {name} in DataLoader worker process {worker}.\nOriginal {trace}"

    def throw(self) -> None:
        """Raises the exception where the batch was wanted."""
        try:
            error = self.kind(self.message)
        except Exception:
            raise RuntimeError(self.message) from None
        raise error


def _run(number: int, setup: Setup, pipe: Connection, others: list[Connection]) -> None:
    """The life of a worker: tasks come in, batches go out, until the parent closes the pipe."""
    for other in others:
        other.close()
    # Ctrl-C is the parent's matter; it ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # A thread takes tasks in, so that the parent never waits to give one while it is to take a
    # batch.
    threading.Thread(target=_listen, args=(pipe, tasks), daemon=True).start()
    while True:
        epoch, place, content = tasks.get()
        try:
            if place is None:
                _begin(number, setup, content)
                continue
            result = setup.fetch.prepare(content)
        except Exception as error:
            result = Failure(error, number)
        _send(pipe, (epoch, place, result), number)


def _listen(pipe: Connection, tasks: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        # The parent is gone or wants nothing more. What it has registered for its own end is not to
        # be done here, and the dataset may be busy.
        os._exit(0)


def _begin(number: int, setup: Setup, seed: int) -> None:
    """Prepares for an epoch."""
    global _info
    own = seed + number
    random.seed(own)
    np.random.seed(own % 2**32)
    first = _info is None
    _info = WorkerInfo(number, setup.count, own, setup.fetch.dataset)
    if first and setup.init is not None:
        setup.init(number)
    setup.fetch.begin()


def _send(pipe: Connection, message: tuple[Any, ...], number: int) -> None:
    try:
        pipe.send(message)
    except (BrokenPipeError, ConnectionResetError):
        os._exit(0)
    except Exception as error:
        failure = Failure(error, number)
        failure.kind = RuntimeError
        pipe.send((*message[:2], failure))


class Workers:
    """The processes of a loader, as the parent sees them."""

    def __init__(self, setup: Setup, context: Any = None) -> None:
        method = context if isinstance(context, str) else "fork"
        chosen: Any = (
            multiprocessing.get_context(method)
            if context is None or isinstance(context, str)
            else context
        )
        self.pipes: list[Connection] = []
        self.processes: list[Any] = []
        self._end = weakref.finalize(self, _stop, self.pipes, self.processes)
        for number in range(setup.count):
            ours, theirs = chosen.Pipe()
            self.pipes.append(ours)
            # A child is given the ends that it inherits, to close them.
            inherited = list(self.pipes) if chosen.get_start_method() == "fork" else []
            args = (number, setup, theirs, inherited)
            process = chosen.Process(target=_run, args=args, daemon=True)
            with warnings.catch_warnings():
                # Python warns of forks in a process with threads; a worker uses none of them.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
            self.processes.append(process)
            theirs.close()

    def give(self, worker: int, task: tuple[Any, ...]) -> None:
        """Gives a worker something to do."""
        try:
            self.pipes[worker].send(task)
        except (BrokenPipeError, ConnectionResetError):
            self._raise_lost(worker)

    def take(self, timeout: float) -> tuple[Any, ...]:
        """The next result of any worker."""
        ready: list[Any] = wait(self.pipes, timeout or None)
        if not ready:
            raise RuntimeError(f"DataLoader timed out after {timeout} seconds")
        try:
            message: tuple[Any, ...] = ready[0].recv()
        except (EOFError, ConnectionResetError):
            self._raise_lost(self.pipes.index(ready[0]))
        return message

    def _raise_lost(self, worker: int) -> None:
        process = self.processes[worker]
        process.join(PATIENCE_S)
        raise RuntimeError(
            f"DataLoader worker (pid {process.pid}) exited unexpectedly with code "
            f"{process.exitcode}"
        )

    def stop(self) -> None:
        """Ends all workers."""
        self._end()


def _stop(pipes: list[Connection], processes: list[Any]) -> None:
    for pipe in pipes:
        pipe.close()
    for process in processes:
        # Nothing of a worker is needed any more, whatever it is doing.
        process.terminate()
    for process in processes:
        process.join(PATIENCE_S)
        if process.is_alive():
            process.kill()
            process.join()
