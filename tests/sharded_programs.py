"""Random training programs with random signals: what they compute must not depend on the config.

Run as a program, it compares seeds with and without their configs, in sessions of one to five
workers: `python sharded_programs.py FIRST COUNT SECONDS`. The one that differs is printed.
"""

import contextlib
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import gt
import numpy as np
from gt import nn

SIGNALS = ["first", "second", "third"]
# Sizes that divide evenly among workers, that do not, and that are smaller than their number.
SIZES = [8, 6, 7, 3, 1, 16]
# One and two units in the last place of a float32. One such change may happen to matter little.
LAST_BITS = (1e-7, -1e-7, 2e-7, -2e-7)
# One program in so many may be ill-conditioned.
FEW = 500


def config_of(dice: random.Random, workers: int) -> str:
    """A config whose wishes fit this number of workers, as YAML."""
    lines, meshes = [], {}
    if workers >= 4 and dice.random() < 0.6:
        meshes = {"dp": 2, "tp": 2}
        members = dice.sample(range(workers), 4)
        lines.append(f"mesh: {{axes: {{dp: 2, tp: 2}}, workers: {members}}}")
    for signal in SIGNALS:
        lines += [f"{signal}:", f"  shard: {shard_of(dice, workers, meshes)}"]
        if dice.random() < 0.25:
            lines.append("  keep: false")
        if dice.random() < 0.25:
            lines.append(f"  backward: {dice.choice(SIGNALS)}")
    if dice.random() < 0.5:
        use = dice.choice(["", ", use: replicate", ", use: replicate, keep: false"])
        axis = "dp" if meshes else None
        place = f"0: {axis}" if axis else f"axis: {dice.choice([0, 1, -1])}"
        lines += ["params:", f'  "{dice.choice(["*", "*.weight", "0.*"])}": {{{place}{use}}}']
    return "\n".join(lines) + "\n"


def shard_of(dice: random.Random, workers: int, meshes: dict[str, int]) -> str:
    """What one signal wishes."""
    if meshes and dice.random() < 0.7:
        first, second = dice.sample([0, 1, -1], 2)
        both = (
            {first: "dp", second: "tp"} if dice.random() < 0.7 else {first: dice.choice("dt") + "p"}
        )
        return "{" + ", ".join(f"{axis}: {name}" for axis, name in both.items()) + "}"
    members = sorted(dice.sample(range(workers), dice.randint(1, workers)))
    if dice.random() < 0.25:
        return f"{{replicated: true, workers: {members}}}"
    return f"{{axis: {dice.choice([0, 1, -1])}, workers: {members}}}"


class Program:
    """A program that a seed decides: layers, where signals begin and end, when it reads."""

    def __init__(self, seed: int, noise: float = 0.0):
        self.noise = noise
        self.dice = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.batch, self.width = self.dice.choice(SIZES), self.dice.choice(SIZES)
        # There is something to train.
        self.steps = [self.dice.randrange(3)]
        self.steps += [self.dice.randrange(14) for _ in range(self.dice.randint(1, 6))]
        self.signals = [self.dice.choice([*SIGNALS, None]) for _ in self.steps]
        self.outer = self.dice.choice([*SIGNALS, None])
        self.inside = self.dice.random() < 0.5
        self.batches = self.dice.randint(1, 3)
        self.updates = self.dice.randint(1, 2)
        self.optimizer = self.dice.choice(["SGD", "momentum", "Adam", "by hand"])
        self.reads = self.dice.random() < 0.5
        self.made = self.dice.choice([*SIGNALS, None])
        self.sizes = [self.dice.choice(SIZES) for _ in self.steps]

    def __str__(self) -> str:
        return "\n".join(f"  {name} = {value}" for name, value in vars(self).items())

    def array(self, *shape: int) -> np.ndarray:
        """Random numbers, each changed by about `noise` times itself."""
        found = self.numbers.standard_normal(shape).astype(np.float32)
        return (found * self.change(*shape)).astype(np.float32)

    def change(self, *shape: int) -> np.ndarray:
        """Factors that differ from one by about `noise`."""
        dice = np.random.default_rng(int(np.prod(shape)))
        return 1 + self.noise * dice.standard_normal(shape)

    def changed(self, x: gt.Tensor) -> gt.Tensor:
        """What a step gives, changed in the same way: that may be rounding errors only."""
        return x * gt.tensor(self.change(*x.shape).astype(np.float32)) if self.noise else x

    def run(self) -> list[np.ndarray]:
        """Train; everything that can be read afterwards."""
        gt.manual_seed(5)
        found: list[Any] = []
        layers, parameters = self.layers()
        optimizer = self.optimiser(parameters)
        for _ in range(self.updates):
            for _ in range(self.batches):
                x = self.array(self.batch, self.width)
                with signal(self.outer):
                    x = gt.tensor(x)
                    for step, name, layer in zip(self.steps, self.signals, layers, strict=True):
                        with signal(name):
                            x = self.apply(step, x, layer)
                        x = self.changed(x)
                    loss = (x * x).mean() + x.sum() * 0.125
                    if self.inside:
                        loss.backward()
                if not self.inside:
                    loss.backward()
                found.append(loss.detach())
                if self.reads:
                    loss.item()
            optimizer(parameters)
        found += [parameter.detach() for parameter in parameters]
        return [value.numpy() for value in found]

    def layers(self) -> tuple[list[Any], list[gt.Tensor]]:
        """The parameters of each step, made in a signal or outside of all."""
        layers, width = [], self.width
        with signal(self.made):
            for step, size in zip(self.steps, self.sizes, strict=True):
                layer = None
                if step in (0, 1):
                    layer = gt.tensor(self.array(width, size) / width**0.5, requires_grad=True)
                    width = size
                elif step == 2:
                    layer = nn.Linear(width, size)
                    width = size
                elif step == 3:
                    layer = gt.tensor(self.array(width), requires_grad=True)
                elif step == 4:
                    layer = nn.LayerNorm(width)
                layers.append(layer)
        parameters = []
        for layer in layers:
            parameters += layer.parameters() if isinstance(layer, nn.Module) else []
            parameters += [layer] if isinstance(layer, gt.Tensor) else []
        return layers, parameters

    def apply(self, step: int, x: gt.Tensor, layer: Any) -> gt.Tensor:
        """One step of the forward pass; it keeps the shape but for the width."""
        functions = {
            0: lambda: x @ layer,
            1: lambda: (x @ layer).tanh(),
            2: lambda: layer(x).relu(),
            3: lambda: x + layer,
            4: lambda: layer(x),
            5: lambda: x.softmax(-1),
            6: lambda: x - x.mean(0, keepdim=True),
            7: lambda: x * x.sum(-1, keepdim=True).tanh(),
            8: lambda: x.T.reshape(x.shape[1], x.shape[0]).T * 0.5,
            9: lambda: gt.cat([x, x.sin()], dim=0)[x.shape[0] // 2 :][: x.shape[0]],
            10: lambda: x.reshape(-1).reshape(x.shape).sigmoid(),
            11: lambda: x.log_softmax(0),
            12: lambda: x[list(range(x.shape[0] - 1, -1, -1))],
            13: lambda: x + (x.T @ x).tanh().sum(0),
        }
        return functions[step]()

    def optimiser(self, parameters: list[gt.Tensor]) -> Any:
        """What updates the parameters."""
        if self.optimizer == "by hand" or not parameters:
            return by_hand
        if self.optimizer == "Adam":
            # With a small epsilon, the last bit of a gradient that should be zero decides.
            optimizer = gt.optim.Adam(parameters, lr=0.01, eps=0.1)
        else:
            momentum = 0.9 if self.optimizer == "momentum" else 0.0
            optimizer = gt.optim.SGD(parameters, lr=0.01, momentum=momentum)

        def update(_: list[gt.Tensor]) -> None:
            optimizer.step()
            optimizer.zero_grad()

        return update


def by_hand(parameters: list[gt.Tensor]) -> None:
    """Plain gradient descent, in place."""
    with gt.no_grad():
        for parameter in parameters:
            if parameter.grad is not None:
                parameter -= parameter.grad * 0.01
                parameter.grad = None


def signal(name: str | None) -> Any:
    """The context of a signal, or none."""
    return gt.signal.context(name) if name else contextlib.nullcontext()


def run(seed: int, workers: int, config: str | None, noise: float = 0.0) -> list[np.ndarray]:
    """The numbers of a seed's program in a session of its own."""
    os.environ.pop("GT_CONFIG", None)
    with tempfile.TemporaryDirectory() as folder:
        if config is not None:
            path = Path(folder) / "config.yaml"
            path.write_text(config, encoding="utf-8")
            os.environ["GT_CONFIG"] = str(path)
        if address := os.environ.get("GT_SERVER"):
            gt.connect(address, workers=workers, new=True)
        else:
            gt.workers(workers)
        try:
            return Program(seed, noise).run()
        finally:
            gt.disconnect()


def check(seed: int) -> bool:
    """Compare a seed's program with and without its config; an error if they differ.

    False if the program is ill-conditioned: layer normalisation of values that cancel, for example,
    makes large numbers of rounding errors. Then the whole program, without a config, changes by as
    much when the last bits of its inputs and of what its steps give do.
    """
    dice = random.Random(f"config {seed}")
    most = int(os.environ.get("GT_TEST_WORKERS", "5"))
    workers = dice.randint(1, most)
    config = config_of(dice, workers)
    expected = run(seed, 1, None)
    found = run(seed, workers, config)
    for index, (one, other) in enumerate(zip(expected, found, strict=True)):
        scale = max(1.0, float(np.abs(one).max(initial=0.0)))
        if not np.allclose(one, other, rtol=2e-4, atol=2e-4 * scale, equal_nan=True):
            worst = np.abs(one - other).max()
            changed = [run(seed, 1, None, noise)[index] for noise in LAST_BITS]
            if max(np.abs(one - other).max() for other in changed) > worst / 10:
                return False
            raise AssertionError(f"value {index} of {len(found)} differs by {worst}")
    return True


def main() -> None:
    """Check seeds until there are no more, or it is time."""
    first, count, seconds = (int(text) for text in sys.argv[1:4])
    end = time.monotonic() + seconds
    done = ill_conditioned = 0
    for seed in range(first, first + count):
        if time.monotonic() > end:
            break
        try:
            ill_conditioned += not check(seed)
        except Exception:
            dice = random.Random(f"config {seed}")
            workers = dice.randint(1, int(os.environ.get("GT_TEST_WORKERS", "5")))
            print(f"seed {seed}, {workers} workers\n{config_of(dice, workers)}{Program(seed)}")
            raise
        done += 1
    assert ill_conditioned <= 1 + done // FEW, f"{ill_conditioned} of {done} are ill-conditioned"
    print(f"{done} programs agree, {ill_conditioned} of them ill-conditioned")


if __name__ == "__main__":
    main()
