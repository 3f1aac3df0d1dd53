"""GT beside PyTorch: both are measured in turns, and medians of the rounds are compared."""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from cases import CASES

HERE = Path(__file__).parent
SIDES = {"gt": "gt_benchmark.py", "torch": "pytorch_baseline.py"}
LOWER_IS_BETTER = {"s", "ms", "µs", "MB"}

RESIDENT = "import {}; print(open('/proc/self/statm').read().split()[1])"
FIRST_RESULT = "import {0}; print({0}.randn(2, 2))"


@dataclass(frozen=True)
class Target:
    """What GT has to reach: a figure of its own, a multiple of PyTorch's, or nothing in particular.

    The last kind is measured to be seen.
    """

    limit: float | None = None
    ratio: float | None = None

    def text(self, unit: str) -> str:
        if self.ratio is not None:
            return f"≥ {self.ratio:g}×"
        if self.limit is None:
            return "–"
        return f"{'≤' if unit in LOWER_IS_BETTER else '≥'} {self.limit:g} {unit}"

    def verdict(self, unit: str, value: float, ratio: float) -> str:
        if self.ratio is not None:
            met = ratio >= self.ratio
        elif self.limit is not None:
            met = value <= self.limit if unit in LOWER_IS_BETTER else value >= self.limit
        else:
            return ""
        return "met" if met else "missed"


TARGETS = {
    "import + first result": Target(limit=0.15),
    "memory after import": Target(limit=100),
    "small-op latency": Target(limit=10),
    "small-op throughput": Target(ratio=1.5),
    "per op at the client": Target(limit=0.3),
    "per op, 500-line function": Target(limit=0.3),
    "matmul 1000³": Target(ratio=1.0),
    "matmul 2048³": Target(ratio=1.0),
    "MLP small, SGD step": Target(ratio=1.0),
    "MLP large, SGD step": Target(ratio=1.0),
    "elementwise chain, 4M": Target(ratio=2.5),
    "upload 100 MB": Target(ratio=1.0),
    "download 100 MB": Target(ratio=1.0),
    "growth, ops kept nothing": Target(limit=8),
}

FRESH = {"import + first result": "s", "memory after import": "MB"}
UNITS = FRESH | {case.name: case.unit for case in CASES}


def run(arguments: list[str]) -> str:
    """Run Python in a session of its own: the scheduler shares the machine by sessions."""
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, start_new_session=True
    )
    return done.stdout


def fresh(module: str) -> dict[str, float]:
    """Measure what only a fresh process can tell."""
    start = time.perf_counter()
    run(["-c", FIRST_RESULT.format(module)])
    seconds = time.perf_counter() - start
    pages = int(run(["-c", RESIDENT.format(module)]))
    return {"import + first result": seconds, "memory after import": pages * 4096 / 1e6}


def measure(module: str, quick: bool, only: str) -> dict[str, float]:
    """Measure one side once."""
    options = ["--json", "--only", only, *(["--quick"] if quick else [])]
    alone = fresh(module) if any(only in name for name in FRESH) else {}
    return alone | json.loads(run([str(HERE / SIDES[module]), *options]))


def medians(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}


def spread(rounds: list[dict[str, float]], name: str) -> float:
    """How far the rounds are apart, as a share of their median."""
    values = [one[name] for one in rounds]
    return (max(values) - min(values)) / abs(statistics.median(values) or 1)


def table(results: dict[str, list[dict[str, float]]]) -> list[str]:
    """One line for each case."""
    ours, theirs = medians(results["gt"]), medians(results["torch"])
    head = f"{'case':<28}{'GT':>11}{'PyTorch':>11} {'unit':<9}{'ratio':>7}  {'target':<12}"
    lines = [head, "-" * len(head)]
    for name in ours:
        a, b, unit = ours[name], theirs[name], UNITS[name]
        lower = unit in LOWER_IS_BETTER
        ratio = (b / a if lower else a / b) if a > 0 and b > 0 else math.nan
        multiple = "–" if math.isnan(ratio) else f"{ratio:.2f}×"
        target = TARGETS.get(name, Target())
        met = target.verdict(unit, a, ratio)
        noise = "" if spread(results["gt"], name) < 0.5 or unit == "MB" else "  (rounds differ)"
        line = (
            f"{name:<28}{a:>11.3f}{b:>11.3f} {unit:<9}{multiple:>7}"
            f"  {target.text(unit):<12}{met}{noise}"
        )
        lines.append(line.rstrip())
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round, to see it work")
    parser.add_argument("--rounds", type=int, help="how often each side is measured")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    args = parser.parse_args()
    rounds = args.rounds or (1 if args.quick else 5)
    load = os.getloadavg()[0]
    results: dict[str, list[dict[str, float]]] = {module: [] for module in SIDES}
    for number in range(rounds):
        # Whoever goes first goes second the next time, so that neither always has the warm machine.
        order = list(SIDES) if number % 2 == 0 else list(reversed(SIDES))
        for module in order:
            print(f"round {number + 1} of {rounds}: {module}", file=sys.stderr, flush=True)
            results[module].append(measure(module, args.quick, args.only))
    print("\n".join(table(results)))
    print(f"\nMedians of rounds in turns ({rounds}); a ratio above 1 is in favour of GT.")
    if load > 0.5:
        print(f"Other programs were running (load {load:.1f}): take the figures as provisional.")


if __name__ == "__main__":
    main()
