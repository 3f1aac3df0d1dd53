"""The job of `make demo`: a small network learns to read handwritten digits.

The data are the 1,797 digits that come with scikit-learn, 8 by 8 points each; a fifth of them is
kept back for the test. Nothing is read while the network learns but the loss that the bar shows.
"""

import argparse
import sys
import time

import gt
import numpy as np
from gt import nn
from progress import Bar
from sklearn.datasets import load_digits

ENOUGH = 0.95


class Reader(nn.Module):
    """Two hidden layers and a number for each digit."""

    def __init__(self, hidden: int):
        super().__init__()
        self.first = nn.Linear(64, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.last = nn.Linear(hidden, 10)

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        x = self.first(x).relu()
        x = self.second(x).relu()
        return self.last(x)


def digits(seed: int) -> tuple[gt.Tensor, ...]:
    """Pictures and digits to learn from, and others to be tested with."""
    data = load_digits()
    order = np.random.default_rng(seed).permutation(len(data.target))
    pictures = gt.tensor((data.data[order] / 16).astype(np.float32))
    numbers = gt.tensor(data.target[order].astype(np.int64))
    kept = len(order) // 5
    return pictures[kept:], numbers[kept:], pictures[:kept], numbers[:kept]


def train(model: Reader, x: gt.Tensor, y: gt.Tensor, epochs: int, batch: int) -> None:
    """Learn from all pictures, in a new order each time."""
    optimizer = gt.optim.AdamW(model.parameters(), lr=2e-3)
    schedule = gt.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    bar = Bar("Training", epochs)
    for epoch in range(epochs):
        for rows in gt.randperm(len(x)).split(batch):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            loss.backward()
            optimizer.step()
        schedule.step()
        bar.show(epoch + 1, f"loss {loss.item():.4f}")


def accuracy(model: Reader, x: gt.Tensor, y: gt.Tensor) -> float:
    """The share of pictures that are read rightly."""
    with gt.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="fewer epochs, for CI")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    gt.manual_seed(args.seed)
    x, y, test_x, test_y = digits(args.seed)
    model = Reader(hidden=128)
    print(f"{len(x)} digits to learn, {len(test_x)} to be tested with\n\n{model}\n")
    start = time.perf_counter()
    train(model, x, y, epochs=12 if args.small else 40, batch=64)
    seconds = time.perf_counter() - start
    share = accuracy(model, test_x, test_y)
    print(f"\ntest accuracy {share:.3f} after {seconds:.1f} s")
    return 0 if share >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
