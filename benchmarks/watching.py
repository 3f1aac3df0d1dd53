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

# Runs in a process of its own: for each word on its input it trains for a while, and prints how
# long a step takes.
PROGRAM = r"""
import contextlib, statistics, sys, time
import gt
from gt import nn

width, rounds = int(sys.argv[1]), int(sys.argv[2])
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

for _ in range(20):
    run()
print("ready", flush=True)
for word in sys.stdin:
    took = []
    with gt.profiler.profile() if word == "profile\n" else contextlib.nullcontext():
        for _ in range(rounds):
            start = time.perf_counter()
            run()
            took.append((time.perf_counter() - start) / 10)
    print(statistics.median(took), flush=True)
"""

WATCHES = ("log", "trace", "top", "profile")


class Program:
    """A program that trains when it is told to."""

    def __init__(self, width: int, rounds: int, folder: str, **variables: str):
        self.environment = plain_environment(GT_RUNTIME_DIR=f"{folder}/run", **variables)
        command = [sys.executable, "-c", PROGRAM, str(width), str(rounds)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.child = subprocess.Popen(command, env=self.environment, **pipes)
        assert self.child.stdout.readline() == "ready\n"

    def step_seconds(self, word: str = "plain") -> float:
        """Let it train, and give how long a step takes."""
        self.child.stdin.write(f"{word}\n")
        self.child.stdin.flush()
        return float(self.child.stdout.readline())

    def end(self) -> None:
        """Let it end."""
        self.child.stdin.close()
        self.child.wait()


def pairs_of(watch: str, width: int, rounds: int, turns: int) -> list[tuple[float, float]]:
    """Give how long a step takes without and with a watch, again and again in the same processes.

    Two processes differ by more than what is measured, and so does one after a minute.
    """
    pairs = []
    with tempfile.TemporaryDirectory(prefix="gt-") as folder:
        plain = Program(width, rounds, folder)
        if watch == "log":
            # A log is there from the beginning, so another process has it.
            watched = Program(width, rounds, folder, GT_INSTRUCTION_LOG=f"{folder}/ops.log")
        else:
            watched = plain
        for number in range(turns):
            took = {}
            # Which of the two comes first changes, so that a machine that slows down harms both.
            for is_watched in [False, True] if number % 2 == 0 else [True, False]:
                took[is_watched] = (
                    watched_seconds(watched, watch, folder) if is_watched else plain.step_seconds()
                )
            pairs.append((took[False], took[True]))
        for program in {plain, watched}:
            program.end()
    return pairs


def watched_seconds(program: Program, watch: str, folder: str) -> float:
    """Give how long a step takes while somebody watches."""
    if watch not in ("trace", "top"):
        return program.step_seconds(watch)
    words = {"trace": ["trace", "-s", "600", "--dir", folder], "top": ["top"]}[watch]
    watcher = start_watcher([*words, "--pid", str(program.child.pid)], program.environment)
    took = program.step_seconds()
    watcher.terminate()
    watcher.wait()
    for trace in Path(folder).glob("trace_*.log"):
        trace.unlink()
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
        while not list(Path(words[4]).glob("trace_*.log")):
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
    parser.add_argument("--processes", type=int, default=6, help="one after the other")
    parser.add_argument("--pairs", type=int, default=6, help="in each process")
    parser.add_argument("--rounds", type=int, default=30, help="of ten steps in each of a pair")
    parser.add_argument("--only", choices=WATCHES)
    parser.add_argument("--json", type=Path, help="keep every figure there")
    args = parser.parse_args()
    kept: dict[str, list[tuple[float, float]]] = {}
    print(f"a step of an MLP {args.width} wide, load {os.getloadavg()[0]:.1f}")
    for watch in [args.only] if args.only else WATCHES:
        pairs = []
        for _ in range(args.processes):
            pairs += pairs_of(watch, args.width, args.rounds, args.pairs)
        ratios = sorted(watched / plain for plain, watched in pairs)
        plain = statistics.median(plain for plain, _ in pairs)
        low, median, high = statistics.quantiles(ratios, n=4)
        shown = f"{median - 1:+6.1%} of {plain * 1e3:.2f} ms"
        spread = f"half of {len(ratios)} within {low:.3f} … {high:.3f}"
        print(f"{watch:8} {shown}   {spread}", flush=True)
        kept[watch] = pairs
    if args.json:
        args.json.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
