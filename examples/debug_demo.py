"""Look into a program with `gt.debug` and a profile: `python examples/debug_demo.py`."""

import os
from pathlib import Path

import gt
from gt import nn


def train(steps: int) -> gt.Tensor:
    """Take a few steps with a small network, and give the last loss."""
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = gt.optim.SGD(model.parameters(), lr=0.01)
    data, target = gt.randn(128, 32), gt.randn(128, 1)
    for _ in range(steps):
        loss = nn.functional.mse_loss(model(data), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


def main() -> None:
    """Show what each call of `gt.debug` and `gt.profiler` tells."""
    # The first operation reads the variables.
    os.environ["GT_CHECK_NAN"] = "1"
    gt.workers(2)
    x = gt.ones(2, 3, requires_grad=True)
    loss = (x * 2).relu().sum()
    print("what the gradient will be computed from:")
    gt.debug.print_tape(loss)
    print(f"the loss is {gt.debug.placement(loss)}")

    with gt.profiler.profile() as profile:
        print(f"loss after 20 steps: {train(20).item():.4f}")
    print(profile.key_averages().table(sort_by="self_cpu_time_total", row_limit=5))
    slowest = profile.by_line()[0]
    print(f"the slowest line is {Path(slowest.key).name}, {slowest.share:.0%} of the time")

    gt.debug.print_worker_stats()
    for line, count in gt.debug.reads().items():
        print(f"{Path(line).name} has waited {count} times")

    ratio = gt.ones(3) / gt.tensor([1.0, 0.0, 2.0])
    try:
        (ratio + 1).sum().item()
    except RuntimeError as error:
        print(str(error).split(" (at ")[0])


if __name__ == "__main__":
    main()
