"""What watching costs: steps with a log, a trace, top or a profile, beside the same without."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from cluster import plain_environment  # noqa: E402

# Runs in a process of its own: warms up, waits for a word, and prints how long a step takes.
PROGRAM = r"""
import contextlib, statistics, sys, time
import gt
from gt import nn

width, rounds, watch = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
gt.manual_seed(0)
model = nn.Sequential(
    nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10))
data, target = gt.randn(64, width), gt.randint(0, 10, (64,))
optimizer = gt.optim.SGD(model.parameters(), lr=0.01)

def run():
    for _ in range(10):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(data), target)
        loss.backward()
        optimizer.step()
    loss.item()

for _ in range(5):
    run()
print("ready", flush=True)
input()
took = []
with gt.profiler.profile() if watch == "profile" else contextlib.nullcontext():
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        took.append((time.perf_counter() - start) / 10)
print(statistics.median(took))
"""

WATCHES = ("log", "trace", "top", "profile")


def step_seconds(watch: str, width: int, rounds: int) -> float:
    """Give how long a step takes while somebody watches it, or nobody does."""
    with tempfile.TemporaryDirectory(prefix="gt-") as folder:
        variables = {"GT_INSTRUCTION_LOG": f"{folder}/ops.log"} if watch == "log" else {}
        environment = plain_environment(GT_RUNTIME_DIR=f"{folder}/run", **variables)
        command = [sys.executable, "-c", PROGRAM, str(width), str(rounds), watch]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        child = subprocess.Popen(command, env=environment, **pipes)
        assert child.stdout.readline() == "ready\n"
        watcher = None
        words = {"trace": ["trace", "-s", "600", "--dir", folder], "top": ["top"]}.get(watch)
        if words:
            watcher = start_watcher(words, environment)
        took = float(child.communicate("\n")[0])
        if watcher:
            watcher.terminate()
            watcher.wait()
        return took


def start_watcher(words: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a command of GT's, and wait until it has something to show."""
    # Top draws on whatever it is given; `script` is a terminal for it.
    command = [sys.executable, "-m", "gt", *words]
    if words[0] == "top":
        command = ["script", "-qec", " ".join(command), "/dev/null"]
    environment = environment | {"TERM": "xterm-256color"}
    output = subprocess.DEVNULL if words[0] == "trace" else subprocess.PIPE
    nothing = subprocess.DEVNULL
    pipes = {"stdin": nothing, "stdout": output, "stderr": nothing}
    watcher = subprocess.Popen(command, env=environment, **pipes)
    if words[0] == "trace":
        while not list(Path(words[-1]).glob("trace_*.log")):
            os.sched_yield()
    else:
        watcher.stdout.read(1)
        # Whatever it draws has to go somewhere.
        watcher.drain = subprocess.Popen(["cat"], stdin=watcher.stdout, stdout=subprocess.DEVNULL)
    return watcher


def main() -> None:
    """Measure in turns, and print the median of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=int, default=512, help="of the MLP's layers")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=40, help="of ten steps in each process")
    parser.add_argument("--only", choices=WATCHES)
    parser.add_argument("--json", type=Path, help="keep every figure there")
    args = parser.parse_args()
    kept: dict[str, list[tuple[float, float]]] = {}
    print(f"a step of an MLP {args.width} wide, load {os.getloadavg()[0]:.1f}")
    for watch in [args.only] if args.only else WATCHES:
        pairs = []
        for number in range(args.pairs):
            # Which of the two comes first changes, so that a machine that slows down harms both.
            order = ["", watch] if number % 2 == 0 else [watch, ""]
            took = {one: step_seconds(one, args.width, args.rounds) for one in order}
            pairs.append((took[""], took[watch]))
        ratios = sorted(watched / plain for plain, watched in pairs)
        plain = statistics.median(plain for plain, _ in pairs)
        shown = " ".join(f"{ratio:.2f}" for ratio in ratios)
        median = statistics.median(ratios)
        print(f"{watch:8} {median - 1:+7.1%} of {plain * 1e3:.2f} ms   ratios {shown}", flush=True)
        kept[watch] = pairs
    if args.json:
        args.json.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
