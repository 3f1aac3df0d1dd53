"""GT beside PyTorch: both are measured in turns, and medians of the rounds are compared."""

import argparse
import json
import math
import os
import signal
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

# Figures of GT's own: PyTorch's side is another thing.
NOT_COMPARED = {"growth, ops kept nothing"}

FRESH = {"import + first result": "s", "memory after import": "MB"}
UNITS = FRESH | {case.name: case.unit for case in CASES}


# A small product that PyTorch computes with matrix tiles where the processor says it has them.
TILES = "import torch; a = torch.ones(512, 512, dtype=torch.bfloat16); a @ a"
WITHOUT_TILES = {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16"}


def run(arguments: list[str]) -> str:
    """Run Python in a session of its own: the scheduler shares the machine by sessions."""
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, start_new_session=True
    )
    return done.stdout


def leave_out_tiles_that_fail() -> None:
    """Have PyTorch do without matrix tiles where a virtual machine names them and has none."""
    done = subprocess.run([sys.executable, "-c", TILES], stderr=subprocess.DEVNULL, check=False)
    if done.returncode == -signal.SIGILL:
        print("This machine has no AMX, though it says so: PyTorch runs without.", file=sys.stderr)
        os.environ.update(WITHOUT_TILES)


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


def compiled(quick: bool, only: str) -> dict[str, float]:
    """Measure once what PyTorch does with `torch.compile`, where it has something to compile."""
    options = ["--json", "--compiled", "--only", only, *(["--quick"] if quick else [])]
    return json.loads(run([str(HERE / SIDES["torch"]), *options]))


def medians(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}


def spread(rounds: list[dict[str, float]], name: str) -> float:
    """How far the rounds are apart, as a share of their median."""
    values = [one[name] for one in rounds]
    return (max(values) - min(values)) / abs(statistics.median(values) or 1)


def ratios(results: dict[str, list[dict[str, float]]]) -> dict[str, float]:
    """For each case the median of the ratios within a round: machines drift between rounds."""
    made = {}
    for name, unit in UNITS.items():
        pairs = [
            (ours[name], theirs[name])
            for ours, theirs in zip(results["gt"], results["torch"], strict=True)
            if name in ours and min(ours[name], theirs[name]) > 0
        ]
        if pairs and name not in NOT_COMPARED:
            lower = unit in LOWER_IS_BETTER
            made[name] = statistics.median(b / a if lower else a / b for a, b in pairs)
    return made


def summary(ratios: dict[str, float]) -> list[str]:
    """What the ratios of speed come to, with and without the product in bfloat16."""
    ratios = {name: ratio for name, ratio in ratios.items() if name not in FRESH}
    without = {name: ratio for name, ratio in ratios.items() if not name.startswith("bfloat16")}
    mean = statistics.geometric_mean
    return [
        f"Geometric mean of {len(ratios)} ratios {mean(ratios.values()):.2f}, "
        f"without the bfloat16 product {mean(without.values()):.2f}; "
        f"below 0.95: {sum(ratio < 0.95 for ratio in without.values())}, "
        f"below 0.85: {sum(ratio < 0.85 for ratio in without.values())}.",
    ]


def table(results: dict[str, list[dict[str, float]]], compiled: dict[str, float]) -> list[str]:
    """One line for each case."""
    ours, theirs = medians(results["gt"]), medians(results["torch"])
    multiples = ratios(results)
    column = f"{'compiled':>11}" if compiled else ""
    head = f"{'case':<28}{'GT':>11}{'PyTorch':>11}{column} {'unit':<9}{'ratio':>7}  {'target':<12}"
    lines = [head, "-" * len(head)]
    for name in ours:
        a, b, unit = ours[name], theirs[name], UNITS[name]
        ratio = multiples.get(name, math.nan)
        multiple = "–" if math.isnan(ratio) else f"{ratio:.2f}×"
        target = TARGETS.get(name, Target())
        met = target.verdict(unit, a, ratio)
        noise = "" if spread(results["gt"], name) < 0.5 or unit == "MB" else "  (rounds differ)"
        if compiled:
            column = f"{compiled[name]:>11.3f}" if name in compiled else f"{'–':>11}"
        line = (
            f"{name:<28}{a:>11.3f}{b:>11.3f}{column} {unit:<9}{multiple:>7}"
            f"  {target.text(unit):<12}{met}{noise}"
        )
        lines.append(line.rstrip())
    return lines


def picture(ratios: dict[str, float]) -> str:
    """Draw the ratios as an SVG: a bar for each case, by how far it is from one."""
    width, row, left = 760, 18, 230
    scale = (width - left - 60) / 6
    # Twice as quick is as far from the middle as half as quick.
    middle, place = left + 3 * scale, lambda ratio: max(-3, min(3, math.log2(ratio))) * scale
    height = row * (len(ratios) + 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for power in range(-3, 4):
        x = middle + power * scale
        parts.append(f'<path d="M{x} {row}V{height - row / 2}" stroke="#ddd"/>')
        label = f"{2**power:g}×"
        parts.append(f'<text x="{x}" y="{row - 5}" text-anchor="middle">{label}</text>')
    for number, (name, ratio) in enumerate(ratios.items(), 1):
        y, length = row * number + 3, place(ratio)
        colour = "#2a78b5" if ratio >= 1 else "#d2691e"
        start = middle + min(length, 0)
        parts.append(f'<text x="{left - 8}" y="{y + 11}" text-anchor="end">{name}</text>')
        parts.append(
            f'<rect x="{start:.1f}" y="{y}" width="{abs(length):.1f}" height="{row - 6}" '
            f'fill="{colour}"/>'
        )
        end = middle + length + (4 if length >= 0 else -4)
        anchor = "start" if length >= 0 else "end"
        parts.append(f'<text x="{end:.1f}" y="{y + 11}" text-anchor="{anchor}">{ratio:.2f}</text>')
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round, to see it work")
    parser.add_argument("--rounds", type=int, help="how often each side is measured")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--json", type=Path, help="a file for every figure of every round")
    parser.add_argument("--plot", type=Path, help="an SVG file for a picture of the ratios")
    parser.add_argument(
        "--compiled", action="store_true", help="measure PyTorch with torch.compile too, once"
    )
    args = parser.parse_args()
    rounds = args.rounds or (1 if args.quick else 9)
    load = os.getloadavg()[0]
    leave_out_tiles_that_fail()
    results: dict[str, list[dict[str, float]]] = {module: [] for module in SIDES}
    for number in range(rounds):
        # Whoever goes first goes second the next time, so that neither always has the warm machine.
        order = list(SIDES) if number % 2 == 0 else list(reversed(SIDES))
        for module in order:
            print(f"round {number + 1} of {rounds}: {module}", file=sys.stderr, flush=True)
            results[module].append(measure(module, args.quick, args.only))
    with_compiler = compiled(args.quick, args.only) if args.compiled else {}
    print("\n".join(table(results, with_compiler)))
    multiples = ratios(results)
    print(f"\nMedians of rounds in turns ({rounds}); a ratio above 1 is in favour of GT.")
    if multiples:
        print("\n".join(summary(multiples)))
    if args.json:
        report = {"rounds": results, "ratios": multiples, "compiled": with_compiler}
        args.json.write_text(json.dumps(report, indent=1))
    if args.plot:
        args.plot.write_text(picture(multiples), encoding="utf-8")
    if load > 0.5:
        print(f"Other programs were running (load {load:.1f}): take the figures as provisional.")


if __name__ == "__main__":
    main()
