"""Values that are cut go part by part between a program and workers in other processes."""

import signal
import subprocess
import sys

import pytest
from cluster import PATIENCE, Cluster, plain_environment

pytestmark = pytest.mark.embedded("has servers of its own")

BEGIN = """
import gt, numpy as np
from gt import ShardConfig, SignalConfig
for name, axis in (("rows", 0), ("columns", 1)):
    gt.register_config(name, SignalConfig(shard=ShardConfig(axis=axis)))
gt.register_config("copies", SignalConfig(shard=ShardConfig(replicated=True)))
def moved():
    return sum(gt.debug.moved_bytes().values())
"""


def start(cluster: Cluster, code: str) -> subprocess.Popen[str]:
    """Start a program that finds the cluster by itself."""
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN + code],
        env=plain_environment(**cluster.variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(cluster: Cluster, code: str) -> list[str]:
    """Run a program to its end; give what it said and complain about everything else."""
    child = start(cluster, code)
    said, complaint = child.communicate(timeout=PATIENCE)
    assert (child.returncode, complaint) == (0, ""), complaint
    return said.splitlines()


@pytest.fixture(scope="module", params=["ipc", "tcp"])
def cluster(request):
    """Three workers that nothing happens to."""
    with Cluster(workers=3, tcp=request.param == "tcp") as cluster:
        yield cluster


@pytest.mark.parametrize("name", ["rows", "columns", "copies"])
@pytest.mark.parametrize("shape", [(1000, 700), (700, 6000), (2, 3000), (40, 7, 301), (5000,)])
def test_what_is_cut_is_the_same_value(cluster, name, shape):
    said = output(
        cluster,
        f"""
x = np.random.default_rng(0).random({shape}, dtype=np.float32)
with gt.signal.context({name!r}):
    y = gt.from_numpy(x)
    z = y + y
print(bool((y.numpy() == x).all()), bool((z.numpy() == x + x).all()), bool((y.numpy() == x).all()))
""",
    )
    assert said == ["True True True"]


@pytest.mark.parametrize("name", ["rows", "columns"])
def test_nothing_goes_from_worker_to_worker(cluster, name):
    said = output(
        cluster,
        f"""
x = np.random.default_rng(0).random((600, 900), dtype=np.float32)
with gt.signal.context({name!r}):
    y = gt.from_numpy(x)
    (y * 2).numpy()
print(gt.debug.placement(y), moved())
""",
    )
    axis = 0 if name == "rows" else 1
    assert said == [f"shard({axis}) on 0 1 2 0"]


def test_copies_are_sent_once_and_passed_on(cluster):
    said = output(
        cluster,
        """
x = np.random.default_rng(0).random(100_000, dtype=np.float32)
with gt.signal.context("copies"):
    y = gt.from_numpy(x)
    z = y + 1
print(bool((z.numpy() == x + 1).all()), moved() == 2 * x.nbytes)
""",
    )
    assert said == ["True True"]


def test_no_worker_needs_memory_for_the_whole():
    with Cluster() as cluster:
        cluster.add_worker("--memory", "96M")
        cluster.add_worker("--memory", "96M")
        said = output(
            cluster,
            """
x = np.random.default_rng(0).random((30_000, 1_000), dtype=np.float32)
with gt.signal.context("rows"):
    y = gt.from_numpy(x)
print(bool((y.numpy() == x).all()))
""",
        )
        assert said == ["True"]


def test_what_is_read_is_the_program_s_own(cluster):
    said = output(
        cluster,
        """
x = np.arange(1_000_000, dtype=np.float32)
y = gt.from_numpy(x)
a, b = y.numpy(), y.numpy()
a += 1
print(bool((a == x + 1).all()), bool((b == x).all()), bool((y.numpy() == x).all()))
del y
gt.close()
print(bool((a == x + 1).all()), a.flags.writeable, a.flags.c_contiguous)
""",
    )
    assert said == ["True True True", "True True True"]


def test_what_was_read_can_be_dropped_in_a_forked_child(cluster):
    said = output(
        cluster,
        """
import os
y = gt.ones(1_000_000)
for _ in range(20):
    kept = [y.numpy() for _ in range(3)]
    child = os.fork()
    if child == 0:
        total = sum(float(one[-1]) for one in kept)
        del kept
        os._exit(0 if total == 3 else 1)
    y.numpy()
    assert os.waitpid(child, 0)[1] == 0
print("done")
""",
    )
    assert said == ["done"]


def test_a_read_fails_if_one_part_does():
    with Cluster(workers=2) as cluster:
        code = """
x = np.ones((2_000, 1_000), dtype=np.float32)
with gt.signal.context("rows"):
    y = gt.from_numpy(x)
print(float(y.numpy().sum()), flush=True)
input()
for _ in range(2):
    try:
        y.numpy()
    except RuntimeError as error:
        print("worker" in str(error))
print(float(gt.from_numpy(x).numpy().sum()))
"""
        with start(cluster, code) as client:
            assert client.stdout.readline() == "2000000.0\n"
            cluster.workers[1].end(signal.SIGKILL)
            said, complaint = client.communicate("\n", timeout=PATIENCE)
        assert said.splitlines() == ["True", "True", "2000000.0"], complaint
