"""Draw what four workers do in a few steps of training: `python examples/visualize_demo.py`."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import gt
from gt import nn

CONFIG = """
forward:
  shard: {axis: 0, workers: [0, 1, 2, 3]}
  backward: backward
backward:
  shard: {axis: 0, workers: [0, 1, 2, 3]}
"""


def train(steps: int, size: int) -> None:
    """Take a few steps with a small network, the batch cut over all workers."""
    gt.workers(4)
    model = nn.Sequential(nn.Linear(size, 4 * size), nn.ReLU(), nn.Linear(4 * size, size))
    optimizer = gt.optim.SGD(model.parameters(), lr=0.01)
    data = gt.randn(256, size)
    for _ in range(steps):
        with gt.signal.context("forward", backward="backward"):
            loss = ((model(data) - data) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"loss {loss.item():.4f}")


def main() -> None:
    """Train with a log, and draw the log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", default="timeline.png", help=".png, .svg, .html or .json")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--size", type=int, default=128)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log, config = Path(folder, "ops.log"), Path(folder, "config.yaml")
        config.write_text(CONFIG, encoding="utf-8")
        # The first operation reads the variables.
        os.environ |= {"GT_INSTRUCTION_LOG": str(log), "GT_CONFIG": str(config)}
        train(args.steps, args.size)
        gt.disconnect()
        command = [sys.executable, "-m", "gt.scripts.visualize", str(log), "--output", args.output]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
