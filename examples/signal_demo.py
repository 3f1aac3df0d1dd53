"""Trains a small network under signals; a YAML file says which workers do what.

python examples/signal_demo.py
python examples/signal_demo.py --config none        # the same numbers without the file
"""

import argparse
from pathlib import Path

import gt
from gt import nn

SHARDING = Path(__file__).parent / "config_sharding.yaml"


class Model(nn.Module):
    """Two layers. Their names are those that a config may have."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(16, 32)
        self.head = nn.Linear(32, 4)

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        return self.head(self.body(x).relu())


def train(steps: int) -> list[float]:
    """Give the loss of each step."""
    gt.manual_seed(0)
    x, y = gt.randn(64, 16), gt.randn(64, 4)
    model = Model()
    optimizer = gt.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(steps):
        with gt.signal.context("forward_pass"):
            loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        with gt.signal.context("parameter_updates"):
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss)
    return [loss.item() for loss in losses]


def main() -> None:
    """Train, and say what was configured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", default=str(SHARDING), help="a YAML file, or none")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--steps", type=int, default=20)
    args = parser.parse_args()

    gt.workers(args.workers)
    if args.config != "none":
        gt.load_config(args.config)
    print("signals:", ", ".join(gt.get_config().signals) or "none is configured")
    losses = train(args.steps)
    print(f"loss {losses[0]:.4f} at first, {losses[-1]:.4f} after {args.steps} steps")


if __name__ == "__main__":
    main()
