"""One program under every strategy: values lie as the config wants, and no loss changes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cluster import plain_environment

FOLDER = Path(__file__).parents[1] / "examples" / "parallel"

RUN = """
import json, sys
sys.path.insert(0, {folder!r})
import gt, train
gt.workers({workers})
config = {config!r}
if config:
    gt.load_config(config)
gt.manual_seed(0)
model, x, y = train.MODELS[{model!r}]()
if {double}:
    model, x = model.double(), x.double() if x.is_floating_point() else x
losses, moved = [], []
for steps in {steps}:
    losses += train.train(model, x, y, steps)
    moved.append({{f"{{a}}>{{b}}": n for (a, b), n in gt.debug.moved_bytes().items()}})
places = {{name: gt.debug.placement(p) for name, p in model.named_parameters()}}
print(json.dumps([losses, places, moved]))
"""


def run(model: str, config: str | None, workers: int, *steps: int, double: bool = False):
    """The losses, where the parameters are, and what had gone from worker to worker after each
    training of so many steps."""
    steps = steps or (30,)
    path = str(FOLDER / f"{config}.yaml") if config else ""
    code = RUN.format(
        folder=str(FOLDER), workers=workers, config=path, model=model, steps=steps, double=double
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=plain_environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def alone():
    """What one worker gives, by model."""
    return {model: run(model, None, 1)[0] for model in ("mlp", "cnn", "gpt")}


STRATEGIES = ["data", "columns", "fsdp", "copies", "layers", "backward"]


@pytest.mark.parametrize("config", STRATEGIES)
@pytest.mark.parametrize("model", ["mlp", "cnn", "gpt"])
def test_a_strategy_changes_no_loss(alone, model, config):
    for workers in (2, 3):
        losses = run(model, config, workers)[0]
        assert losses == pytest.approx(alone[model], rel=1e-4, abs=1e-4), workers
        assert losses[-1] < losses[0]


@pytest.mark.parametrize("config", ["data", "columns", "fsdp"])
def test_in_double_precision_nothing_is_left_of_the_difference(config):
    expected = run("mlp", None, 1, double=True)[0]
    for workers in (2, 4):
        losses = run("mlp", config, workers, double=True)[0]
        assert losses == pytest.approx(expected, rel=1e-8), workers


WEIGHTS = ["hidden.weight", "hidden.bias", "out.weight", "out.bias"]

PLACES = {
    "data": ["replicate on 0 1"] * 4,
    "copies": ["replicate on 0 1"] * 4,
    "fsdp": ["shard(0) on 0 1"] * 4,
    "columns": ["shard(0) on 0 1", "shard(0) on 0 1", "shard(1) on 0 1", "replicate on 0 1"],
}


@pytest.mark.parametrize("config", PLACES)
def test_parameters_are_where_the_config_wants_them(config):
    _, places, _ = run("mlp", config, 2, 3)
    assert [places[name] for name in WEIGHTS] == PLACES[config]


def test_data_parallel_training_exchanges_gradients_and_little_else():
    bytes_of_weights = 4 * (32 * 96 + 96 + 96 * 10 + 10)
    # Where values begin is picked by load, so that only what comes after the first steps is told.
    first, second, third = run("mlp", "data", 2, 2, 5, 15)[2]
    for link in ("0>1", "1>0"):
        # Half of each gradient goes there to be added up, and half of the sums comes back.
        each_step = (third[link] - 2 * second[link] + first[link]) / 10
        assert bytes_of_weights <= each_step <= 1.25 * bytes_of_weights
