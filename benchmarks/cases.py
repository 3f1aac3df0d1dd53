"""What is measured, written once for GT and PyTorch: both take the same calls."""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import kernels
import models
import numpy as np

SMALL = 16
ADDS = 10_000
LINES = 500
MEGABYTES = 100


@dataclass(frozen=True)
class Case:
    """One measurement. `measure` takes the module and the budget, and gives a number in `unit`."""

    name: str
    unit: str
    measure: Callable[[ModuleType, "Budget"], float]
    # Whether `torch.compile` has something to compile in it.
    compiles: bool = False


def as_it_is(work: Callable[[], Any]) -> Callable[[], Any]:
    return work


@dataclass(frozen=True)
class Budget:
    """How long a case may take, and what is done with a function before it is timed."""

    seconds: float
    ops_kept_nothing: int
    prepare: Callable[[Callable[[], Any]], Callable[[], Any]] = as_it_is

    def median(self, work: Callable[[], Any], scale: int = 1) -> float:
        """Seconds that one of `scale` parts of `work` takes; the first run warms up."""
        work()
        times: list[float] = []
        end = time.perf_counter() + self.seconds
        while len(times) < 3 or time.perf_counter() < end:
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
        return statistics.median(times) / scale


FULL = Budget(seconds=0.4, ops_kept_nothing=1_000_000)
QUICK = Budget(seconds=0.05, ops_kept_nothing=100_000)


def latency(m: ModuleType, budget: Budget) -> float:
    """Time from `a + b` to its elements."""
    a, b = m.ones(SMALL, SMALL), m.ones(SMALL, SMALL)
    return budget.median(lambda: (a + b).numpy()) * 1e6


def throughput(m: ModuleType, budget: Budget) -> float:
    """Dependent adds in a second, with one read at the end."""
    x, one = m.zeros(SMALL, SMALL), m.ones(SMALL, SMALL)

    def adds() -> None:
        y = x
        for _ in range(ADDS):
            y = y + one
        y.numpy()

    return 1e-3 / budget.median(adds, ADDS)


def emit(m: ModuleType, budget: Budget) -> float:
    """Time of one add for the program that calls it, its execution not included in GT."""
    x, one = m.zeros(SMALL, SMALL), m.ones(SMALL, SMALL)

    def adds() -> float:
        y = x
        start = time.perf_counter()
        for _ in range(1000):
            y = y + one
        spent = time.perf_counter() - start
        y.numpy()  # Nothing is left over for the next round.
        return spent

    return _median_of(adds, budget) / 1000 * 1e6


def emit_in_a_long_function(m: ModuleType, budget: Budget) -> float:
    """The same in a function of 500 lines, where looking up a line number would cost much."""
    body = "\n".join("    y = y + one" for _ in range(LINES))
    scope: dict[str, Any] = {}
    exec(f"def adds(x, one):\n    y = x\n{body}\n    return y\n", scope)
    x, one = m.zeros(SMALL, SMALL), m.ones(SMALL, SMALL)

    def adds() -> float:
        start = time.perf_counter()
        y = scope["adds"](x, one)
        spent = time.perf_counter() - start
        y.numpy()
        return spent

    return _median_of(adds, budget) / LINES * 1e6


def _median_of(timed: Callable[[], float], budget: Budget) -> float:
    """The median of what `timed` says it took; the first run warms up."""
    timed()
    times: list[float] = []
    end = time.perf_counter() + budget.seconds
    while len(times) < 5 or time.perf_counter() < end:
        times.append(timed())
    return statistics.median(times)


def matmul(size: int) -> Callable[[ModuleType, Budget], float]:
    """The speed of a product of square matrices, with the read of one element."""

    def measure(m: ModuleType, budget: Budget) -> float:
        a, b = m.randn(size, size), m.randn(size, size)
        return 2 * size**3 / budget.median(lambda: (a @ b)[0, 0].item()) / 1e9

    return measure


def chain(m: ModuleType, budget: Budget) -> float:
    """A chain of elementwise operations on four million floats, and their sum."""
    x = m.randn(4_000_000)

    work = budget.prepare(lambda: ((x * 2 + 1).relu() * 0.5 - 3).sigmoid().sum())
    return budget.median(lambda: work().item()) * 1e3


def upload(m: ModuleType, budget: Budget) -> float:
    """A hundred megabytes from NumPy, until an element of them was read back."""
    array = np.ones(MEGABYTES * 10**6 // 4, dtype=np.float32)

    def work() -> None:
        x = m.from_numpy(array)
        # PyTorch only borrows the array; a tensor of its own needs a copy.
        x = x if m.__name__ == "gt" else x.clone()
        x[0].item()

    return MEGABYTES / 1e3 / budget.median(work)


def download(m: ModuleType, budget: Budget) -> float:
    """A hundred megabytes into an array of NumPy's own."""
    x = m.ones(MEGABYTES * 10**6 // 4)
    copies = m.__name__ == "gt"
    return MEGABYTES / 1e3 / budget.median(lambda: x.numpy() if copies else x.numpy().copy())


def growth(m: ModuleType, budget: Budget) -> float:
    """Megabytes that the process grows by while results are thrown away."""
    x = m.ones(SMALL, SMALL)

    def adds(count: int) -> int:
        for _ in range(count):
            x + 1
        (x + 1).numpy()
        return resident()

    before = adds(50_000)
    return (adds(budget.ops_kept_nothing) - before) / 1e6


def training(make: Callable[[ModuleType], models.Step], steps: int) -> Callable[..., float]:
    """The time of a training step; the loss is read after every so many of them."""

    def measure(m: ModuleType, budget: Budget) -> float:
        with m.enable_grad():
            step = budget.prepare(make(m))

            def work() -> None:
                for _ in range(steps - 1):
                    step()
                step().item()

            return budget.median(work, steps) * 1e3

    return measure


def operation(case: kernels.Operation) -> Callable[[ModuleType, Budget], float]:
    """The time of one operation, until its result is there."""

    def measure(m: ModuleType, budget: Budget) -> float:
        with m.enable_grad() if case.grad else m.no_grad():
            work = budget.prepare(case.make(m))
            # PyTorch computes while it is called.
            wait = m.synchronize if m.__name__ == "gt" else lambda: None

            def timed() -> None:
                kept = work()
                wait()
                del kept

            return budget.median(timed) * 1e6

    return measure


def resident() -> int:
    """Bytes of memory that this process occupies."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


# A training step, and how many of them there are to one read.
STEPS: list[tuple[str, Callable[[ModuleType], models.Step], int]] = [
    ("MLP small, SGD step", lambda m: models.mlp(m, [784, 256, 10], 64), 10),
    ("MLP small, Adam step", lambda m: models.mlp(m, [784, 256, 10], 64, "Adam"), 10),
    ("MLP large, SGD step", lambda m: models.mlp(m, [1024, 4096, 4096, 10], 512), 1),
    ("MLP middle, Adam step", lambda m: models.mlp(m, [1024, 2048, 2048, 10], 256, "Adam"), 1),
    ("CNN, SGD step", lambda m: models.cnn(m, 64), 3),
    ("LSTM, Adam step", lambda m: models.lstm(m, 32, 32, 64, 128), 3),
    ("GPT, AdamW step", lambda m: models.gpt(m, 16, 64, 128, 4), 3),
    ("GPT 6×384, AdamW step", lambda m: models.gpt(m, 8, 64, 384, 6), 1),
]

CASES = [
    # First, so that the large arrays of other cases are not given back meanwhile.
    Case("growth, ops kept nothing", "MB", growth),
    Case("small-op latency", "µs", latency),
    Case("small-op throughput", "kop/s", throughput),
    Case("per op at the client", "µs", emit),
    Case("per op, 500-line function", "µs", emit_in_a_long_function),
    Case("matmul 1000³", "GFLOP/s", matmul(1000)),
    Case("matmul 2048³", "GFLOP/s", matmul(2048)),
    Case("elementwise chain, 4M", "ms", chain, True),
    *(Case(name, "ms", training(make, steps), True) for name, make, steps in STEPS),
    Case("upload 100 MB", "GB/s", upload),
    Case("download 100 MB", "GB/s", download),
    *(Case(case.name, "µs", operation(case), True) for case in kernels.OPERATIONS),
]


def main(m: ModuleType) -> None:
    """Measure every case on one side, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=f"Measures {m.__name__} alone.")
    parser.add_argument("--quick", action="store_true", help="less time for each case")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--compiled", action="store_true", help="with PyTorch's torch.compile")
    args = parser.parse_args()
    budget = QUICK if args.quick else FULL
    if args.compiled:
        budget = replace(budget, prepare=m.compile)
    results = {}
    for case in CASES:
        if args.only not in case.name or (args.compiled and not case.compiles):
            continue
        results[case.name] = case.measure(m, budget)
        if not args.json:
            print(f"{case.name:<28}{results[case.name]:>12.3f} {case.unit}", flush=True)
    if args.json:
        json.dump(results, sys.stdout)
