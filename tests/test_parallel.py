"""One program under every strategy: values lie as the config wants, and no loss changes."""

import contextlib
import functools
import importlib.util
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gt
import pytest
from gt import nn

FOLDER = Path(__file__).parents[1] / "examples" / "parallel"
SPEC = importlib.util.spec_from_file_location("parallel_train", FOLDER / "train.py")
train = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(train)


@dataclass(frozen=True)
class Way:
    """How a model is trained, besides where its values are."""

    double: bool = False
    dropout: float = 0.0
    clip: float | None = None
    amp: bool = False
    micro_batches: int = 1
    steps: int = 30
    learning_rate: float = 3e-3

    @property
    def tolerance(self) -> float:
        """How much of a loss may be rounding."""
        return 1e-8 if self.double else 2e-2 if self.amp else 1e-4


@dataclass
class Outcome:
    """The losses of a training, and what it left."""

    losses: list[float]
    places: dict[str, str]
    state: dict[str, Any]
    optimizer: dict[str, Any]


def step(model: nn.Module, optimizer: Any, x: gt.Tensor, y: gt.Tensor, way: Way) -> gt.Tensor:
    """One step of a training; gives its loss."""
    parts = way.micro_batches
    total = 0.0
    for own, wanted in zip(x.chunk(parts), y.chunk(parts), strict=True):
        precision = gt.autocast("cpu", dtype=gt.bfloat16)
        with gt.signal.context("forward"), precision if way.amp else contextlib.nullcontext():
            loss = nn.functional.cross_entropy(model(own), wanted) / parts
        loss.backward()
        total = total + loss.detach()
    if way.clip is not None:
        nn.utils.clip_grad_norm_(model.parameters(), way.clip)
    optimizer.step()
    optimizer.zero_grad()
    return total


def run(
    name: str, config: str | None, workers: int, way: Way = Way(), before: Outcome | None = None
) -> Outcome:
    """Train a model in a session of its own, from the beginning or from where another ended."""
    with gt.connect(workers=workers, new=True):
        if config:
            gt.load_config(str(FOLDER / f"{config}.yaml"))
        gt.manual_seed(0)
        model, x, y = train.MODELS[name](way.dropout)
        if way.double:
            model, x = model.double(), x.double() if x.is_floating_point() else x
        optimizer = gt.optim.AdamW(model.parameters(), lr=way.learning_rate)
        if before is not None:
            model.load_state_dict(tensors(before.state))
            optimizer.load_state_dict(tensors(before.optimizer))
        losses = [step(model, optimizer, x, y, way) for _ in range(way.steps)]
        found = [loss.item() for loss in losses]
        places = {name: gt.debug.placement(p) for name, p in model.named_parameters()}
        return Outcome(found, places, arrays(model.state_dict()), arrays(optimizer.state_dict()))


def arrays(state: Any) -> Any:
    """A state that outlives its session."""
    if isinstance(state, dict):
        return {key: arrays(value) for key, value in state.items()}
    if isinstance(state, list):
        return [arrays(value) for value in state]
    return state.detach().numpy() if isinstance(state, gt.Tensor) else state


def tensors(state: Any) -> Any:
    """The same in another session."""
    if isinstance(state, dict):
        return {key: tensors(value) for key, value in state.items()}
    if isinstance(state, list):
        return [tensors(value) for value in state]
    return gt.tensor(state) if type(state).__module__ == "numpy" else state


@functools.cache
def alone(name: str, way: Way) -> Outcome:
    """What one worker gives without a config."""
    return run(name, None, 1, way)


def check(name: str, config: str, workers: int, way: Way) -> Outcome:
    """Train under a strategy, with the losses of one worker."""
    expected, found = alone(name, way).losses, run(name, config, workers, way)
    bound = way.tolerance
    assert found.losses == pytest.approx(expected, rel=bound, abs=bound), (name, config, workers)
    return found


STRATEGIES = ["data", "columns", "fsdp", "copies", "layers", "backward"]
MODELS = ["mlp", "cnn", "gpt"]
WORKERS = [1, 2, 3, 4, 8]

WAYS = {
    "plain": Way(),
    "double": Way(double=True),
    "dropout": Way(dropout=0.3),
    "clipping": Way(clip=0.1),
    "amp": Way(amp=True),
    "accumulation": Way(micro_batches=2),
    "all": Way(double=True, dropout=0.2, clip=0.5, micro_batches=2, learning_rate=1e-2),
}
EVERYTHING = [*itertools.product(MODELS, STRATEGIES, WAYS)]

embedded = pytest.mark.embedded("asks for more workers than the processes of an arrangement are")


@embedded
@pytest.mark.parametrize("config", STRATEGIES)
@pytest.mark.parametrize("name", MODELS)
def test_a_strategy_changes_no_loss(name, config, full):
    # Every strategy is trained with two and three workers; a model is trained in every way.
    place = STRATEGIES.index(config) + MODELS.index(name)
    ways = [*WAYS] if full else [[*WAYS][place % len(WAYS)]]
    for way in ways:
        for workers in WORKERS if full else (2 + place % 2,):
            check(name, config, workers, WAYS[way])
    if not full:
        check(name, config, 3 - place % 2, WAYS["plain"])


@embedded
@pytest.mark.parametrize("config", ["data", "columns", "fsdp", "layers"])
def test_in_double_precision_nothing_is_left_of_the_difference(config, full):
    for workers in (2, 3, 4, 8) if full else (4,):
        for name in MODELS if full else ("gpt",):
            check(name, config, workers, Way(double=True, learning_rate=1e-2))


@pytest.mark.everywhere
@pytest.mark.parametrize("config", ["data", "columns", "fsdp"])
def test_a_strategy_changes_no_loss_wherever_its_workers_are(config):
    check("mlp", config, 3, Way(steps=10))


@embedded
@pytest.mark.parametrize(("first", "second"), [("data", "fsdp"), ("fsdp", "columns")])
def test_a_training_goes_on_under_another_strategy(first, second):
    way = Way(double=True, steps=10)
    expected = run("mlp", None, 1, Way(double=True, steps=20)).losses
    before = run("mlp", first, 3, way)
    after = run("mlp", second, 2, way, before)
    assert before.losses + after.losses == pytest.approx(expected, rel=1e-8)
    assert after.places != before.places
