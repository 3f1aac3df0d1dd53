"""What becomes of values when workers end, in the middle of programs that update them."""

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable

import gt
import numpy as np
import pytest
from cluster import Cluster
from gt import nn

SECONDS = int(os.environ.get("SOAK_SECONDS", "600"))

pytestmark = pytest.mark.embedded("starts servers of its own and kills their workers")

SECOND = "second: {shard: {replicated: true, workers: [1]}}\n"
SHARDED = 'params: {"*": {axis: 0, use: replicate, keep: false}}\nlayers: {shard: {axis: 0}}\n'


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch, tmp_path):
    """Connect this process to a cluster of its own, with a config."""
    with contextlib.ExitStack() as stack:

        def open_session(config: str, workers: int = 2) -> Cluster:
            cluster = stack.enter_context(Cluster(workers=workers))
            path = tmp_path / "config.yaml"
            path.write_text(config, encoding="utf-8")
            for name, value in (cluster.variables | {"GT_CONFIG": str(path)}).items():
                monkeypatch.setenv(name, value)
            stack.callback(gt.connect(cluster.address, new=True).close)
            return cluster

        yield open_session


def kill(cluster: Cluster, seat: int) -> None:
    """End the worker with this number, and come back when it is no more."""
    cluster.workers[seat].end(signal.SIGKILL)


def train(parameter: gt.Tensor, gradient: gt.Tensor) -> None:
    """Step an optimiser with a gradient that lies elsewhere."""
    parameter.requires_grad_(True)
    parameter.grad = gradient
    gt.optim.SGD([parameter], lr=1.0).step()
    parameter.requires_grad_(False)


def write(parameter: gt.Tensor, gradient: gt.Tensor) -> None:
    """Write a part of a parameter."""
    parameter[2:4] = gradient[2:4]


def load(parameter: gt.Tensor, gradient: gt.Tensor) -> None:
    """Load the state of a model."""
    model = nn.Module()
    model.register_buffer("own", parameter)
    model.load_state_dict({"own": gradient})


UPDATES: list[Callable[[gt.Tensor, gt.Tensor], object]] = [
    lambda parameter, gradient: parameter.add_(gradient),
    lambda parameter, gradient: parameter.copy_(gradient),
    write,
    train,
    load,
]
NAMES = ["add_", "copy_", "a part", "an optimiser's step", "load_state_dict"]


@pytest.mark.parametrize("noticed", [True, False], ids=["noticed", "at once"])
def test_an_update_whose_input_was_lost_is_told_and_changes_nothing(connect, noticed):
    """The client is told of each missing update, once, at its next request."""
    for update, name in zip(UPDATES, NAMES, strict=True):
        cluster = connect(SECOND)
        parameter = gt.full((8,), 1.0) + 0.0
        with gt.signal.context("second"):
            gradient = gt.full((8,), 10.0) + 0.0
        assert gt.debug.placement(gradient).endswith("on 1")
        gt.synchronize()
        kill(cluster, 1)
        if noticed:
            with pytest.raises(gt.WorkerLost):
                gradient.tolist()
        update(parameter, gradient)
        with pytest.raises(gt.WorkerLost, match="the old value stays"):
            gt.synchronize()
        assert parameter.tolist() == [1.0] * 8, name
        # It was told once, and from there on updates work again.
        parameter.add_(1.0)
        gt.synchronize()
        assert parameter.tolist() == [2.0] * 8, name


def steps(model: nn.Module, x: np.ndarray, y: np.ndarray, count: int) -> list[float]:
    """Train with a fresh optimiser; the losses."""
    optimizer = gt.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(count):
        with gt.signal.context("layers"):
            loss = ((model(gt.tensor(x)) - gt.tensor(y)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_a_sharded_model_is_loaded_into_its_shards_after_every_loss(connect):
    """The session lives, parameters lie as they did, and losses have the bits they had."""
    cluster = connect(SHARDED)
    rng = np.random.default_rng(0)
    x, y = rng.random((32, 8), dtype=np.float32), rng.random((32, 4), dtype=np.float32)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4))
    steps(model, x, y, 1)
    state = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    expected = steps(model, x, y, 3)
    for seat in [0, 1, 0, 1]:
        kill(cluster, seat)
        cluster.workers[seat] = cluster.add_worker()
        with pytest.raises(gt.WorkerLost):
            steps(model, x, y, 3)
        model.load_state_dict({name: gt.tensor(value) for name, value in state.items()})
        assert {gt.debug.placement(value) for value in model.parameters()} == {"shard(0) on 0 1"}
        assert steps(model, x, y, 3) == expected


def learn_until_lost(
    parameters: list[gt.Tensor], mirror: list[np.ndarray], cluster: Cluster, chance: random.Random
) -> None:
    """Update parameters and their mirror; a worker is killed while updates are under way."""
    death = chance.randrange(1, 40)
    for step in range(60):
        expected = [value.copy() for value in mirror]
        name = chance.choice(["second", "layers", None])
        with gt.signal.context(name) if name else contextlib.nullcontext():
            # Whole numbers, which are exact in whatever order they are added.
            rows = np.float32(chance.choices(range(8), k=64)).reshape(8, 8)
            gradient = (gt.tensor(rows) * 2).sum(0)
        for parameter, value in zip(parameters, expected, strict=True):
            parameter.add_(gradient)
            value += rows.sum(0) * 2
        if step == death:
            cluster.workers[chance.randrange(2)].end(signal.SIGKILL)
        if chance.random() < 0.3:
            # Data can make this fail, so updates on other workers wait for it.
            parameters[0].gather(0, gt.tensor([chance.randrange(8)]))
        gt.synchronize()
        mirror[:] = expected


def die_and_go_on(connect, deaths: Callable[[int], bool], seed: int) -> None:
    """Every death of a worker raises or changes nothing, and the session survives it."""
    chance, config = random.Random(seed), SECOND + SHARDED
    cluster = connect(config)
    mirror = [np.full(8, float(index), np.float32) for index in range(3)]
    count = 0
    while deaths(count):
        parameters = [gt.tensor(value) for value in mirror]
        if count % 2:
            with gt.signal.context("layers"):
                parameters = [gt.tensor(value) for value in mirror]
        with contextlib.suppress(gt.WorkerLost):
            learn_until_lost(parameters, mirror, cluster, chance)
            for parameter, value in zip(parameters, mirror, strict=True):
                assert parameter.tolist() == value.tolist(), f"seed {seed}, death {count}"
        for seat, worker in enumerate(cluster.workers):
            if worker.child.poll() is not None:
                cluster.workers[seat] = cluster.add_worker()
                cluster.workers.pop()
        count += 1


def test_training_goes_on_after_every_death(connect):
    die_and_go_on(connect, lambda count: count < 6, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_training_goes_on_after_deaths_for_minutes(connect):
    seed, end = random.randrange(1 << 32), time.monotonic() + SECONDS
    print(f"seed {seed}")
    die_and_go_on(connect, lambda _: time.monotonic() < end, seed)
