"""Without a config a session stays with one worker, unless its values do not fit there."""

import contextlib
import json

import gt
import pytest
from cluster import Cluster
from gt import nn

MEMORY = 56 << 20


def train(width: int, layers: int, steps: int) -> list[float]:
    """Train a model without any config, and give its losses."""
    gt.manual_seed(0)
    model = nn.Sequential(*(nn.Linear(width, width, bias=False) for _ in range(layers)))
    optimizer = gt.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x = gt.randn(8, width)
    losses = []
    for _ in range(steps):
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


@pytest.mark.embedded("starts processes of its own")
def test_an_ordinary_program_moves_nothing_between_workers(monkeypatch):
    with Cluster(workers=3) as cluster:
        for name, value in cluster.variables.items():
            monkeypatch.setenv(name, value)
        with gt.connect(new=True):
            train(width=512, layers=3, steps=4)
            assert sum(gt.debug.moved_bytes().values()) == 0


@pytest.mark.embedded("starts processes of its own")
def test_sessions_have_different_homes(monkeypatch):
    with Cluster(workers=2) as cluster:
        for name, value in cluster.variables.items():
            monkeypatch.setenv(name, value)
        with contextlib.ExitStack() as sessions:
            kept = []
            for _ in range(2):
                session = sessions.enter_context(gt.connect(new=True))
                with session.using():
                    kept.append(gt.ones(1 << 20))
                    gt.synchronize()
            # A worker tells its memory with its heartbeats.
            for _ in range(40):
                workers = json.loads(cluster.status().stdout)["workers"]
                used = [worker["memory_bytes"] for worker in workers]
                if all(used):
                    break
            # Each has one of the values, and the entries of its tables.
            assert all(4 << 20 <= one < 5 << 20 for one in used), used


@pytest.mark.embedded("starts processes of its own")
def test_a_model_larger_than_one_worker_trains(monkeypatch):
    expected = train(width=1024, layers=8, steps=3)
    # Parameters, gradients and momentum are 96 MiB.
    with Cluster(workers=0) as cluster:
        for _ in range(4):
            cluster.add_worker("--memory", str(MEMORY))
        for name, value in cluster.variables.items():
            monkeypatch.setenv(name, value)
        with gt.connect(new=True):
            assert train(width=1024, layers=8, steps=3) == expected
