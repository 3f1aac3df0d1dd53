"""What becomes of values when workers end, in the middle of programs that update them."""

import contextlib
import signal
from collections.abc import Callable

import gt
import numpy as np
import pytest
from cluster import Cluster
from gt import nn

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
