"""Bytes that a training step moves between workers, next to what textbooks say.

P is the bytes of all parameters, A those of the activations of one block (batch × time × width),
n the workers along an axis of the mesh. Bytes are counted, not timed, so any machine will do.

Textbooks: data parallel 2(n-1)P; fully sharded 3(n-1)P; tensor parallel 8(n-1)A for each
transformer block and 4(n-1)A for each pair of layers of a network; a mesh of data × tensor the sum
of the two, over the workers that each part has; a mesh of data × fully sharded gathers parameters
twice and scatters gradients once along one axis, for each group along the other, and reduces the
scattered gradients along that: 3(f-1)P·d + 2(d-1)P.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import gt
from gt import nn
from gt.nn import functional as F

BATCH, WIDTH, TIME, LAYERS, HEADS, LETTERS = 64, 256, 64, 2, 4, 64

DATA = "forward: {shard: {axis: 0}}\n"
FULL = DATA + 'params: {"*": {axis: 0, use: replicate, keep: false}}\n'
COLUMNS = '"*.up.*": {0: %s}\n  "*.qkv.*": {0: %s}\n'
ROWS = '  "*.down.weight": {1: %s}\n  "*.out.weight": {1: %s}\n'
TENSOR = "forward: {shard: {replicated: true}}\nparams:\n  " + (COLUMNS + ROWS) % (("0",) * 4)
TENSOR = TENSOR.replace("{0: 0}", "{axis: 0}").replace("{1: 0}", "{axis: 1}")
HYBRID = "mesh: {dp: 2, tp: 2}\nforward: {shard: {0: dp}}\nparams:\n  "
HYBRID += (COLUMNS + ROWS) % (("tp",) * 4)
BOTH = "mesh: {dp: 2, fsdp: 2}\nforward: {shard: {0: dp}}\n"
BOTH += 'params: {"*": {0: fsdp, use: replicate, keep: false}}\n'


class Pair(nn.Module):
    """Two layers of a network, the first wider."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        return self.down(F.relu(self.up(x)))


class Attention(nn.Module):
    """Causal attention of several heads."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        batch, time, width = x.shape
        # Heads come first, so that a part of the columns is a part of the heads.
        parts = self.qkv(x).view(batch, time, HEADS, 3, width // HEADS)
        q, k, v = (parts[:, :, :, index].transpose(1, 2) for index in range(3))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, time, width))


class Block(nn.Module):
    """A block of a transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention, self.mlp = Attention(), Pair()

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


def network() -> tuple[nn.Module, gt.Tensor, gt.Tensor]:
    """Make a network of pairs of layers, and its batch."""
    model = nn.Sequential(*(Pair() for _ in range(LAYERS)))
    return model, gt.randn(BATCH, WIDTH), gt.randn(BATCH, WIDTH)


def transformer() -> tuple[nn.Module, gt.Tensor, gt.Tensor]:
    """Make a stack of transformer blocks, and its batch."""
    model = nn.Sequential(*(Block() for _ in range(LAYERS)))
    shape = (8, TIME, WIDTH)
    return model, gt.randn(*shape), gt.randn(*shape)


def convolutions() -> tuple[nn.Module, gt.Tensor, gt.Tensor]:
    """Make a network of convolutions, and its batch."""
    layers = [nn.Conv2d(8, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 8, 3, padding=1)]
    return nn.Sequential(*layers), gt.randn(16, 8, 16, 16), gt.randn(16, 8, 16, 16)


MODELS: dict[str, Callable] = {"MLP": network, "GPT": transformer, "CNN": convolutions}


def step_bytes(model: str, config: str) -> tuple[int, int, int]:
    """Train for some steps; give the bytes of parameters, of activations and of the last step."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(config)
        file.flush()
        gt.load_config(file.name)
    gt.manual_seed(0)
    module, x, y = MODELS[model]()
    optimizer = gt.optim.SGD(module.parameters(), lr=0.01)
    totals = []
    for _ in range(4):
        with gt.signal.context("forward"):
            inputs, targets = (gt.signal.tensor(value, "forward") for value in (x, y))
            loss = ((module(inputs) - targets) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        gt.synchronize()
        totals.append(sum(gt.debug.moved_bytes().values()))
    size = 4 * sum(parameter.numel() for parameter in module.parameters())
    return size, 4 * x.numel(), totals[-1] - totals[-2]


Textbook = Callable[[int, int], int]


def strategies(model: str) -> list[tuple[str, int, str, Textbook]]:
    """Give what is counted of a model: strategy, workers, config and the textbook's bytes."""
    each = {"MLP": 4 * LAYERS, "GPT": 8 * LAYERS, "CNN": 0}[model]
    found: list[tuple[str, int, str, Textbook]] = []
    for n in (2, 4):
        found.append(("data", n, DATA, lambda p, a, others=n - 1: 2 * others * p))
        found.append(("full", n, FULL, lambda p, a, others=n - 1: 3 * others * p))
        if each:
            found.append(("tensor", n, TENSOR, lambda p, a, others=n - 1: each * others * a))
    if each:
        found.append(("data×tensor", 4, HYBRID, lambda p, a: each * a + 2 * p))
    found.append(("data×full", 4, BOTH, lambda p, a: 3 * p * 2 + 2 * p))
    return found


def rows() -> list[tuple[str, tuple[str, int, str, Textbook]]]:
    """Give everything that is counted."""
    return [(model, strategy) for model in MODELS for strategy in strategies(model)]


def main() -> None:
    """Count each row in a process of its own, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--row", type=int, help="count one row, and print it as JSON")
    arguments = parser.parse_args()
    if arguments.row is not None:
        model, (_, n, config, _) = rows()[arguments.row]
        gt.workers(n)
        print(json.dumps(step_bytes(model, config)))
        return
    print("| model | strategy | workers | bytes a step | textbook | ratio |")
    print("|---|---|---|---|---|---|")
    for index, (model, (strategy, n, _, textbook)) in enumerate(rows()):
        command = [sys.executable, str(Path(__file__)), "--row", str(index)]
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
        size, activations, moved = json.loads(run.stdout)
        wanted = textbook(size, activations)
        cells = (model, strategy, n, f"{moved:,}", f"{wanted:,.0f}", f"{moved / wanted:.2f}")
        print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
