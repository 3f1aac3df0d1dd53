"""What further worker processes cost a program without a config: training steps on 1 to 4 workers.

Workers share the cores of this machine, so that nothing can be gained; nothing may be lost either.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from cluster import Cluster, plain_environment  # noqa: E402

WORKERS = (1, 2, 3, 4)
MODELS = ("mlp 128", "mlp 256", "mlp 512", "mlp 1024", "mlp 2048", "gpt 4x64", "cnn")

# Runs in a process of its own and prints the median time of ten steps and a read, in milliseconds.
MEASURE = r"""
import statistics, sys, time
import gt
import models

name, _, size = sys.argv[1].partition(" ")
step = {
    "mlp": lambda: models.mlp(gt, [int(size)] * 3, 64, "Adam"),
    "gpt": lambda: models.gpt(gt, 8, 32, 64, 4),
    "cnn": lambda: models.cnn(gt, 16),
}[name]()

def steps():
    for _ in range(9):
        step()
    step().item()

steps(), steps()
took = []
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    steps()
    took.append(time.perf_counter() - start)
print(statistics.median(took) * 1e3)
"""


def step_ms(model: str, cluster: Cluster, times: int) -> float:
    """Train in a process of its own on all workers of a cluster."""
    command = [sys.executable, "-c", MEASURE, model, str(times)]
    env = plain_environment(PYTHONPATH=str(HERE), **cluster.variables)
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return float(run.stdout)


def main() -> None:
    """Take turns between the numbers of workers, and print the medians of the ratios to one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--times", type=int, default=9, help="measurements in each round")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found: dict[str, list[float]] = {}
    clusters = [Cluster(workers=count) for count in WORKERS]
    try:
        for model in MODELS:
            ratios: list[list[float]] = [[] for _ in WORKERS]
            for _ in range(arguments.rounds):
                took = [step_ms(model, cluster, arguments.times) for cluster in clusters]
                for place, one in enumerate(took):
                    ratios[place].append(took[0] / one)
            found[model] = [statistics.median(ratio) for ratio in ratios]
    finally:
        for cluster in clusters:
            cluster.close()
    if arguments.json:
        print(json.dumps(found))
        return
    print("Speed with several worker processes, relative to one:\n")
    print("| model |", " | ".join(map(str, WORKERS)), "|")
    print("|---" * (len(WORKERS) + 1) + "|")
    for model, ratio in found.items():
        print("|", model, "|", " | ".join(f"{one:.2f}" for one in ratio), "|")


if __name__ == "__main__":
    main()
