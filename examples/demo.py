"""The job of `make demo`: main directions of data that comes in batches, on two workers.

Batches of noisy points are made, centred and multiplied by themselves (their Gram matrix), and a
softmax over each point gives its entropy. The Gram matrices add up to one, whose largest
eigenvalues are found by repeated multiplication. Everything is checked against NumPy at the end.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import gt
import numpy as np

WORKERS = 2
DIRECTIONS = 4
# A result is read this many batches after it was asked for, so that the workers never run dry.
AHEAD = 4


class Bar:
    """A line that fills as work is done; where there is no terminal, a few plain lines."""

    def __init__(self, title: str, total: int):
        self.title, self.total = title, total
        self.terminal = sys.stdout.isatty()
        self.start = time.perf_counter()
        self.shown = 0

    def show(self, done: int, note: str) -> None:
        seconds = time.perf_counter() - self.start
        share = done / self.total
        text = f"{self.title:<18} {self.drawing(share)} {share:4.0%}  {seconds:6.2f} s  {note}"
        if self.terminal:
            columns = shutil.get_terminal_size().columns
            end = "\n" if done == self.total else ""
            print(f"\r{text[: columns - 1]:<{columns - 1}}", end=end, flush=True)
        elif share * 4 >= self.shown + 1:
            self.shown = int(share * 4)
            print(text, flush=True)

    def drawing(self, share: float, width: int = 28) -> str:
        """Draw the bar in eighths of a character, as far as the terminal knows them."""
        encoding = (sys.stdout.encoding or "ascii").lower()
        if not encoding.startswith("utf"):
            return f"[{'#' * round(share * width):<{width}}]"
        whole, part = divmod(round(share * width * 8), 8)
        return f"▕{'█' * whole + ' ▏▎▍▌▋▊▉'[part] * (part > 0):<{width}}▏"


def points(loadings: gt.Tensor, count: int) -> gt.Tensor:
    """Points near a plane of a few directions, some of which spread further than others."""
    return gt.randn(count, DIRECTIONS) @ loadings + 0.5 * gt.randn(count, loadings.size(1))


def entropy(x: gt.Tensor) -> gt.Tensor:
    """The mean entropy of a softmax over each point."""
    p = x.softmax(1)
    return -(p * p.log()).sum(dim=1).mean()


def run_batches(args: argparse.Namespace, loadings: gt.Tensor) -> tuple[gt.Tensor, float, float]:
    """Add up the Gram matrices of all batches; also gives the mean entropy and the seconds."""
    bar = Bar("Gram matrices", args.batches)
    # A product of n × d and d × n matrices is 2 n d² steps; making the points is a small one more.
    work = 2 * args.points * args.features * (args.features + DIRECTIONS)
    gram = gt.zeros(args.features, args.features)
    waiting, total = [], 0.0
    for batch in range(args.batches):
        x = points(loadings, args.points)
        x -= x.mean(dim=0)
        gram += x.T @ x
        waiting.append(entropy(x))
        if len(waiting) > AHEAD:
            total += waiting.pop(0).item()
            done = batch + 1 - AHEAD
            rate = done * work / (time.perf_counter() - bar.start) / 1e9
            bar.show(done, f"{rate:6.1f} GFLOP/s")
    total += sum(value.item() for value in waiting)
    gram[0, 0].item()  # The last product is done when an element of the sum is there.
    seconds = time.perf_counter() - bar.start
    bar.show(args.batches, f"{args.batches * work / seconds / 1e9:6.1f} GFLOP/s")
    return gram, total / args.batches, seconds


def eigenvalues(gram: gt.Tensor, rounds: int) -> list[float]:
    """Find the largest eigenvalues, one after another, by multiplying a vector again and again."""
    bar = Bar("Eigenvalues", DIRECTIONS)
    found = []
    for number in range(DIRECTIONS):
        v = gt.randn(gram.size(0), 1)
        for _ in range(rounds):
            v = gram @ v
            v /= (v * v).sum().sqrt()
        value = (v.T @ gram @ v).squeeze()
        gram = gram - value * (v @ v.T)
        found.append(value.item())
        bar.show(number + 1, f"{found[-1]:12.0f}")
    return found


def numpy_results(args: argparse.Namespace) -> tuple[float, float, np.ndarray]:
    """Compute the same with NumPy, from the same random numbers."""
    gt.manual_seed(args.seed)
    bar = Bar("The same in NumPy", args.batches)
    loadings = make_loadings(args)
    gram, entropies = np.zeros((args.features, args.features)), []
    for batch in range(args.batches):
        x = points(loadings, args.points).numpy()
        x -= x.mean(axis=0)
        gram += x.T @ x
        p = np.exp(x - x.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        entropies.append(-(p * np.log(p)).sum(axis=1).mean())
        bar.show(batch + 1, "")
    return float(np.mean(entropies)), float(np.trace(gram)), np.linalg.eigvalsh(gram)[::-1]


def compare(name: str, ours: float, numpy: float) -> bool:
    """Print a result beside NumPy's; says whether they agree."""
    error = abs(ours - numpy) / abs(numpy)
    agrees = error < 1e-3
    print(f"  {name:<22}{ours:>14.4f}{numpy:>16.4f}{error:>12.1e}  {'ok' if agrees else 'WRONG'}")
    return agrees


def identity(size: int) -> gt.Tensor:
    """Ones where row and column are the same."""
    return gt.arange(size).unsqueeze(1) == gt.arange(size)


def make_loadings(args: argparse.Namespace) -> gt.Tensor:
    """Make the directions in which the points spread, the first ones furthest."""
    spread = gt.arange(DIRECTIONS, 0, -1, dtype=gt.float32).unsqueeze(1)
    return gt.randn(DIRECTIONS, args.features) * spread * 0.2


def instructions_by_worker(log: Path) -> Counter[str]:
    """Count what the dispatcher sent to each worker, from the instruction log."""
    line = re.compile(r"WORKER_SEND +\| WORKER (\w+) .* op=")
    with log.open(encoding="utf-8") as lines:
        return Counter(match[1] for match in map(line.search, lines) if match)


def run(args: argparse.Namespace, log: Path) -> bool:
    """Run the job and compare; says whether all is well."""
    os.environ["GT_INSTRUCTION_LOG"] = str(log)  # Read by the first operation.
    gt.workers(WORKERS)
    gt.manual_seed(args.seed)
    gram, mean, seconds = run_batches(args, make_loadings(args))
    trace = (gram * identity(args.features)).sum().item()
    found = eigenvalues(gram, rounds=60)
    counted = gt.counters()
    gt.close()
    sent = instructions_by_worker(log)
    expected_mean, expected_trace, expected = numpy_results(args)
    print(f"\n  {'':<22}{'GT':>14}{'NumPy':>16}{'difference':>12}")
    same = compare("mean entropy", mean, expected_mean)
    same &= compare("trace", trace, expected_trace)
    for number, value in enumerate(found):
        same &= compare(f"eigenvalue {number + 1}", value, expected[number])
    shares = ", ".join(f"{worker} ran {sent[worker]}" for worker in sorted(sent))
    print(f"\n  {sum(sent.values())} instructions: {shares}")
    print(f"  {counted['messages']} messages, {counted['waits']} waits, {seconds:.2f} s of batches")
    return same and len(sent) == WORKERS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a job of a second, for CI")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.batches, args.points, args.features = (12, 500, 128) if args.small else (60, 3000, 512)
    size = f"{args.batches} batches of {args.points} points with {args.features} features"
    print(f"GT: {size}, on {WORKERS} workers\n")
    with tempfile.TemporaryDirectory() as folder:
        return 0 if run(args, Path(folder) / "instructions.log") else 1


if __name__ == "__main__":
    sys.exit(main())
