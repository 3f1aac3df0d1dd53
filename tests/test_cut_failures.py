"""A value of which one part failed has failed as a whole: wherever it goes and whoever reads it."""

import subprocess
import sys

import gt
import numpy as np
import pytest
from cluster import PATIENCE, Cluster, plain_environment
from gt import ShardConfig, SignalConfig

ROWS = 6


@pytest.fixture(params=[2, 3, 4], ids=lambda workers: f"{workers}_workers")
def session(request):
    """A session with workers of its own, and signals that cut what is created in them."""
    with gt.connect(workers=request.param, new=True) as opened:
        for name, axis in (("rows", 0), ("columns", 1)):
            gt.register_config(name, SignalConfig(shard=ShardConfig(axis=axis)))
        gt.register_config("copies", SignalConfig(shard=ShardConfig(replicated=True)))
        gt.register_config("first", SignalConfig(shard=ShardConfig(axis=0, workers=[0])))
        gt.register_config("last", SignalConfig(shard=ShardConfig(axis=0, workers=[1])))
        yield opened


def broken(row: int) -> gt.Tensor:
    """A value that is cut along its rows, and of which the part with one row fails."""
    divisor = np.ones((ROWS, 4), dtype=np.int64)
    divisor[row, 1] = 0
    with gt.signal.context("rows"):
        dividend = gt.from_numpy(np.arange(ROWS * 4).reshape(ROWS, 4))
        return dividend // gt.from_numpy(divisor)


def told(row: int) -> gt.Tensor:
    """The same, after the program was told of it."""
    value = broken(row)
    with pytest.raises(RuntimeError, match="division by zero"):
        gt.synchronize()
    return value


def placed(value: gt.Tensor, name: str) -> gt.Tensor:
    with gt.signal.context(name):
        return gt.signal.tensor(value, name=name)


# Each gives something that only rows of good parts are needed for, if the first or last is bad.
READS = {
    "all of it": lambda bad, good: bad,
    "a good row": lambda bad, good: bad[good],
    "a good element": lambda bad, good: bad[good, 2],
    "good rows": lambda bad, good: bad[good : good + 1] + 1,
    "no rows": lambda bad, good: bad[:0],
    "sums of good rows": lambda bad, good: bad.sum(1)[good],
    "the sum of all": lambda bad, good: bad.sum(),
    "rows beside others": lambda bad, good: gt.cat([bad[good : good + 1], gt.ones(1, 4).long()]),
    "columns": lambda bad, good: placed(bad[good : good + 1], "columns"),
    "copies": lambda bad, good: placed(bad[good : good + 1], "copies"),
    "on the first worker": lambda bad, good: placed(bad[good : good + 1], "first"),
    "on the second worker": lambda bad, good: placed(bad[good : good + 1], "last"),
    "by way of copies": lambda bad, good: placed(placed(bad, "copies")[good], "first"),
    "a gather": lambda bad, good: bad.index_select(0, gt.tensor([good])),
    "a shape that depends on it": lambda bad, good: bad[good : good + 1].nonzero(),
}


@pytest.mark.embedded("has sessions of its own")
@pytest.mark.parametrize("what", READS)
@pytest.mark.parametrize(("bad", "good"), [(0, ROWS - 1), (ROWS - 1, 0)], ids=["first", "last"])
def test_what_a_failed_part_belongs_to_has_failed(session, what, bad, good):
    value = told(bad)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"division by zero.*test_cut_failures\.py"):
            READS[what](value, good).numpy()
    # Others are not harmed.
    with gt.signal.context("rows"):
        assert (gt.ones(ROWS, 4) + 1).sum().item() == ROWS * 8


UPDATES = {
    "add_": lambda target, bad, good: target.add_(bad),
    "copy_": lambda target, bad, good: target.copy_(bad),
    "a write of a good row": lambda target, bad, good: target.__setitem__(good, bad[good]),
    "a write of good rows": lambda target, bad, good: target[good : good + 1].add_(
        bad[good : good + 1]
    ),
    "a number": lambda target, bad, good: target.mul_(bad[good, 1]),
}


@pytest.mark.embedded("has sessions of its own")
@pytest.mark.parametrize("what", UPDATES)
@pytest.mark.parametrize("name", ["rows", "columns", "copies", "first"])
@pytest.mark.parametrize("raised", [True, False], ids=["told", "untold"])
def test_rule_21_an_update_counts_on_all_workers_or_on_none(session, what, name, raised):
    value = told(ROWS - 1) if raised else broken(ROWS - 1)
    with gt.signal.context(name):
        target = gt.full((ROWS, 4), 7)
        other = gt.full((ROWS, 4), 1)
    UPDATES[what](target, value, 0)
    if not raised:
        with pytest.raises(RuntimeError, match="division by zero"):
            gt.synchronize()
    assert (target.numpy() == 7).all()
    # The session goes on: what comes next is updated, on every worker.
    target.add_(1)
    other.add_(target)
    assert (target.numpy() == 8).all()
    assert (other.numpy() == 9).all()


@pytest.mark.embedded("has sessions of its own")
def test_rule_21_an_optimiser_keeps_all_parameters_if_the_batch_fails_on_one_worker(session):
    gt.manual_seed(0)
    model = gt.nn.Sequential(gt.nn.Embedding(5, 8), gt.nn.Linear(8, 3))
    optimizer = gt.optim.Adam(model.parameters())

    def step(indices):
        with gt.signal.context("rows"):
            loss = model(gt.from_numpy(np.array(indices))).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    step([0, 1, 2, 3]).item()
    before = [parameter.detach().numpy() for parameter in model.parameters()]
    loss = step([0, 1, 2, 9])
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        loss.item()
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        loss.item()
    # The gradients have failed, which the program knows; a step with them does nothing.
    optimizer.step()
    for parameter, expected in zip(model.parameters(), before, strict=True):
        assert (parameter.detach().numpy() == expected).all()
    step([3, 2, 1, 0]).item()
    for parameter, expected in zip(model.parameters(), before, strict=True):
        assert (parameter.detach().numpy() != expected).any()


PROGRAM = """
import gt, numpy as np
from gt import ShardConfig, SignalConfig
gt.register_config("rows", SignalConfig(shard=ShardConfig(axis=0)))
gt.register_config("columns", SignalConfig(shard=ShardConfig(axis=1)))

def attempt(read):
    try:
        return float(read().sum())
    except RuntimeError as error:
        return type(error).__name__

with gt.signal.context("rows"):
    target = gt.zeros(3_000, 1_000)
    big = gt.ones(3_000, 1_000)
    # The third worker has no memory for its part.
    wide = gt.ones(3_000, 12_000)
    failed = wide + big.sum(1, keepdim=True)
try:
    gt.synchronize()
    print("well")
except gt.OutOfMemoryError:
    print("told")
for _ in range(2):
    print(attempt(lambda: failed.numpy()), attempt(lambda: failed[:1_000].numpy()))
    print(attempt(lambda: failed[:700, :4].numpy()), attempt(lambda: failed[0, 0].numpy()))
    with gt.signal.context("columns"):
        print(attempt(lambda: gt.signal.tensor(failed[:10], name="columns").numpy()))
target.add_(failed[:, :1_000])
print(attempt(lambda: target.numpy()))
target.add_(1)
print(attempt(lambda: target.numpy()))
"""


@pytest.mark.embedded("has processes of its own")
def test_a_part_that_finds_no_memory_in_its_process_fails_the_whole():
    with Cluster() as cluster:
        for memory in ("1G", "1G", "64M"):
            cluster.add_worker("--memory", memory)
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=plain_environment(**cluster.variables),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    error = "OutOfMemoryError"
    reads = [f"{error} {error}", f"{error} {error}", error]
    assert ended.stdout.splitlines() == ["told", *reads, *reads, "0.0", "3000000.0"]
