"""Parameters that are cut over n workers take an n-th of the memory on each of them."""

import json
from pathlib import Path

import gt
import pytest
from cluster import Cluster
from gt import nn

CONFIG = Path(__file__).parents[1] / "examples" / "parallel" / "fsdp.yaml"

WIDTH = 1024
LAYERS = 3
# A parameter and what Adam keeps beside it.
RESTING_BYTES = 3 * LAYERS * 4 * (WIDTH * WIDTH + WIDTH)


# Beside its share a worker has inputs and results, which are small here.
SMALL_BYTES = 1 << 20
# A worker tells its memory with its heartbeats, so that what is asked may be a second old.
QUESTIONS = 40


def resting_bytes(workers: int) -> list[int]:
    """Train a model whose parameters are cut, and give the memory of each worker afterwards."""
    with Cluster(workers=workers) as cluster, pytest.MonkeyPatch.context() as patch:
        for name, value in cluster.variables.items():
            patch.setenv(name, value)
        with gt.connect(new=True):
            gt.load_config(str(CONFIG))
            model = nn.Sequential(*(nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS)))
            optimizer = gt.optim.Adam(model.parameters())
            x = gt.randn(8, WIDTH)
            for _ in range(2):
                with gt.signal.context("forward"):
                    loss = (model(x) ** 2).mean()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
            loss.item()
            gt.synchronize()
            for _ in range(QUESTIONS):
                told = json.loads(cluster.status().stdout)["workers"]
                used = [worker["memory_bytes"] for worker in told]
                if sum(used) < RESTING_BYTES + workers * SMALL_BYTES:
                    break
            return used


@pytest.mark.embedded("starts processes of its own")
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_parameters_and_their_averages_at_rest_are_shared(workers):
    for used in resting_bytes(workers):
        assert RESTING_BYTES / workers <= used <= RESTING_BYTES / workers + SMALL_BYTES


# What a worker may use while a model is made: its share of all parameters, and one layer that is
# whole while it is used, beside the parts it is put together from.
LAYER_BYTES = 4 * WIDTH * WIDTH
DEEP = 12


class Deep(nn.Module):
    """Layers whose uses do not overlap, so that one of them is whole at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(DEEP))

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        for layer in self.layers:
            x = layer(x)
            gt.synchronize()
        return x


@pytest.mark.embedded("starts processes of its own")
@pytest.mark.parametrize("workers", [2, 4, 6])
def test_a_model_is_made_in_a_share_of_the_memory_and_one_layer(workers, monkeypatch):
    limit = DEEP * LAYER_BYTES // workers + 2 * LAYER_BYTES + SMALL_BYTES
    # The limit means something: all parameters do not fit.
    assert limit < DEEP * LAYER_BYTES
    with Cluster() as cluster:
        for _ in range(workers):
            cluster.add_worker("--memory", str(limit))
        for name, value in cluster.variables.items():
            monkeypatch.setenv(name, value)
        with gt.connect(new=True):
            gt.load_config(str(CONFIG))
            model = Deep()
            with gt.no_grad(), gt.signal.context("forward"):
                assert model(gt.ones(8, WIDTH)).square().mean().item() > 0
            places = {gt.debug.placement(parameter) for parameter in model.parameters()}
        assert places == {f"shard(0) on {' '.join(map(str, range(workers)))}"}


# What a worker may use while a fully sharded model is trained: its share of parameters, gradients
# and the two averages of Adam, and four layers: one that is whole while it is used, beside the
# parts it is put together from, and the gradient of one, beside the parts it is sent in.
NARROW = 512
WHOLE_LAYERS = 4


@pytest.mark.embedded("starts processes of its own")
@pytest.mark.parametrize("workers", [2, 4])
def test_a_model_is_trained_in_a_share_of_the_memory_and_a_few_layers(workers, monkeypatch):
    layer = 4 * NARROW * NARROW
    limit = 4 * DEEP * layer // workers + WHOLE_LAYERS * layer + SMALL_BYTES // 2
    # The limit means something: even gradients that are not cut do not fit.
    assert limit < 3 * DEEP * layer // workers + DEEP * layer
    with Cluster() as cluster:
        for _ in range(workers):
            cluster.add_worker("--memory", str(limit))
        for name, value in cluster.variables.items():
            monkeypatch.setenv(name, value)
        with gt.connect(new=True):
            gt.load_config(str(CONFIG))
            layers = (nn.Linear(NARROW, NARROW, bias=False) for _ in range(DEEP))
            model = nn.Sequential(*layers)
            optimizer = gt.optim.Adam(model.parameters())
            x = gt.randn(8, NARROW)
            losses = []
            # Nothing is read meanwhile, so that workers may run ahead.
            for _ in range(4):
                with gt.signal.context("forward"):
                    losses.append((model(x) ** 2).mean())
                losses[-1].backward()
                optimizer.step()
                optimizer.zero_grad()
            found = [loss.item() for loss in losses]
            assert found[-1] < found[0]
