"""Workers, servers and clients that are killed or stopped while programs train."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cluster import PATIENCE, Cluster, Process, plain_environment

pytestmark = pytest.mark.embedded("starts servers of its own")

# A worker that is stopped is given up after this many seconds, and a client hears of it.
STOPPED = 6.0
# The same for one that is killed: at once, which on a busy machine is still sooner than any of the
# times after which somebody silent is given up.
KILLED = 3.5

# Trains a small model with momentum, a step for each line it hears, and says the loss or what
# went wrong. It can save its state, load it again, and connect again.
TRAINER = r"""
import os, sys
import gt
import numpy as np
from gt import nn

workers, path = int(sys.argv[1]), sys.argv[2]
address = os.environ["GT_SERVER"]
gt.connect(address, workers=workers or None)
gt.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = gt.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x = np.random.default_rng(0).random((32, 8), dtype=np.float32)
y = x.sum(1, keepdims=True)
other = gt.ones(5)


def steps(count):
    return " ".join(step() for _ in range(count))


def step():
    loss = ((model(gt.tensor(x)) - gt.tensor(y)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return f"{loss.item():.6f}"


def save():
    gt.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    return "saved"


def load():
    state = gt.load(path)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return "loaded"


def connect():
    gt.connect(address, workers=workers or None)
    return "connected"


print("ready", flush=True)
for line in sys.stdin:
    try:
        print(eval(line), flush=True)
    except gt.LostError as error:
        print(type(error).__name__, error, flush=True)
"""


class Trainer:
    """A program that trains in a session of its own, a step at a time."""

    def __init__(self, cluster: Cluster, path: Path, workers: int = 1):
        self.child = subprocess.Popen(
            [sys.executable, "-c", TRAINER, str(workers), str(path)],
            env=plain_environment(**cluster.variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        # Sessions are numbered in the order in which they are opened.
        assert self.hear() == "ready"

    def hear(self) -> str:
        return self.child.stdout.readline().strip()

    def tell(self, line: str) -> None:
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()

    def ask(self, line: str) -> str:
        self.tell(line)
        return self.hear()

    def steps(self, count: int) -> list[str]:
        return [self.ask("step()") for _ in range(count)]

    def __enter__(self) -> "Trainer":
        return self

    def __exit__(self, *_: object) -> None:
        self.child.kill()
        self.child.communicate(timeout=PATIENCE)


def report(cluster: Cluster) -> dict:
    done = cluster.status()
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def worker_of(cluster: Cluster, session: int) -> Process:
    """Give the process of the only worker that a session has."""
    [number] = next(one for one in report(cluster)["sessions"] if one["id"] == session)["workers"]
    return cluster.workers[number]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_a_lost_worker_costs_its_client_a_checkpoint_and_nobody_else_anything(how, tmp_path):
    with (
        Cluster(workers=2) as cluster,
        Trainer(cluster, tmp_path / "first") as first,
        Trainer(cluster, tmp_path / "second") as second,
    ):
        [mine, theirs] = sorted(one["id"] for one in report(cluster)["sessions"])
        lost = worker_of(cluster, mine)
        assert lost is not worker_of(cluster, theirs)
        both = first.steps(3)
        assert second.steps(3) == both
        assert first.ask("save()") == "saved"
        expected = second.steps(3)
        start = time.monotonic()
        lost.child.send_signal(how)
        said = first.ask("step()")
        took = time.monotonic() - start
        assert said.startswith("WorkerLost"), said
        assert took < (KILLED if how == signal.SIGKILL else STOPPED + 1)
        # The worker and the tensors are named; what has no name has a line.
        assert "0.weight (float32[16, 8])" in said
        assert "2.bias (float32[1])" in said
        assert "more" in said
        # The session has another worker, and goes on from the checkpoint.
        assert first.ask("gt.ones(3).sum().item()") == "3.0"
        assert first.ask("load()") == "loaded"
        assert first.steps(3) == expected
        assert second.steps(2) == first.steps(2)
        if how == signal.SIGSTOP:
            # Whoever comes back late is somebody else, with empty hands.
            lost.child.send_signal(signal.SIGCONT)
            lost.expect("works for")
            assert len(report(cluster)["workers"]) == 2
            assert first.steps(2) == second.steps(2)


# Makes a value that both workers have and one that is cut, and says what each line evaluates to.
MESH = r"""
import sys
import gt
gt.load_config(sys.argv[1])
with gt.signal.context("both"):
    copied = gt.arange(8.0) + 1
cut = gt.signal.tensor(gt.arange(8.0) + 1, "cut")


def square():
    with gt.signal.context("cut"):
        return gt.signal.tensor(copied, "cut") ** 2


for line in sys.stdin:
    try:
        print(eval(line), flush=True)
    except gt.LostError as error:
        print(type(error).__name__, error, flush=True)
"""

CONFIG = """
both: {shard: {replicated: true, workers: [0, 1]}}
cut: {shard: {axis: 0, workers: [0, 1]}}
"""


def test_what_has_copies_survives_and_a_mesh_waits_for_its_worker(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text(CONFIG)
    with Cluster(workers=2) as cluster:
        child = subprocess.Popen(
            [sys.executable, "-c", MESH, str(config)],
            env=plain_environment(**cluster.variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

        def ask(line: str) -> str:
            child.stdin.write(line + "\n")
            child.stdin.flush()
            return child.stdout.readline().strip()

        try:
            assert ask("gt.debug.placement(copied)") == "replicate on 0 1"
            assert ask("gt.debug.placement(cut)") == "shard(0) on 0 1"
            cluster.workers[1].end(signal.SIGKILL)
            said = ask("cut.sum().item()")
            assert said.startswith("WorkerLost")
            assert "float32[8] of" in said
            assert ask("copied.sum().item()") == "36.0"
            # What the signal wants is not there, and the program does not notice.
            assert ask("square().sum().item()") == "204.0"
            assert ask("gt.debug.placement(square())") == "whole on 0"
            cluster.add_worker()
            assert ask("gt.debug.placement(square())") == "shard(0) on 0 1"
            assert ask("square().sum().item()") == "204.0"
        finally:
            child.kill()
            child.communicate(timeout=PATIENCE)


def test_a_session_without_workers_stays(tmp_path):
    with Cluster(workers=1) as cluster, Trainer(cluster, tmp_path / "state", workers=0) as trainer:
        trainer.steps(2)
        assert trainer.ask("save()") == "saved"
        expected = trainer.steps(2)
        cluster.workers[0].end(signal.SIGKILL)
        assert trainer.ask("step()").startswith("WorkerLost")
        # Nobody can compute or take in anything; that is an error each time, and not the end.
        assert "there is no worker" in trainer.ask("gt.ones(3).sum().item()")
        assert "there is no worker" in trainer.ask("gt.tensor(np.ones(5000)).sum().item()")
        assert "there is no worker" in trainer.ask("gt.synchronize()")
        cluster.add_worker()
        assert trainer.ask("load()") == "loaded"
        assert trainer.steps(2) == expected


def test_a_killed_server_is_told_and_models_live_on(tmp_path):
    with Cluster(workers=1) as cluster, Trainer(cluster, tmp_path / "state", workers=0) as trainer:
        trainer.steps(2)
        assert trainer.ask("save()") == "saved"
        expected = trainer.steps(2)
        start = time.monotonic()
        cluster.server.end(signal.SIGKILL)
        assert trainer.ask("step()").startswith("SessionLost")
        assert time.monotonic() - start < 6
        cluster.workers[0].expect("waiting for a server")
        cluster.server = Process("gt.server", "-p", cluster.port, **cluster.environment)
        cluster.server.expect("listens")
        cluster.workers[0].expect("works for")
        assert trainer.ask("step()").startswith("SessionLost")
        assert trainer.ask("connect()") == "connected"
        # The objects are the same; only their elements were lost.
        assert trainer.ask("load()") == "loaded"
        assert trainer.steps(2) == expected


def test_ctrl_c_ends_a_worker_and_a_program_without_a_trace(tmp_path):
    with Cluster(workers=2) as cluster, Trainer(cluster, tmp_path / "state") as trainer:
        trainer.steps(1)
        session = report(cluster)["sessions"][0]["id"]
        worker = worker_of(cluster, session)
        assert worker.end(signal.SIGINT) in (0, 130)
        assert "Traceback" not in worker.said
        assert trainer.ask("step()").startswith("WorkerLost")
        trainer.child.send_signal(signal.SIGINT)
        trainer.child.communicate(timeout=PATIENCE)
        start = time.monotonic()
        while report(cluster)["sessions"]:
            assert time.monotonic() - start < PATIENCE
        # Whoever ends by itself says goodbye, and nobody waits for it.
        assert time.monotonic() - start < KILLED


# Uploads and reads much and counts a little, once for each line it hears.
CARRIER = """
import sys
import gt
import numpy as np
large = np.arange(25_000_000, dtype=np.float32)
x = gt.zeros(1000)
for line in sys.stdin:
    print("begins", flush=True)
    there = True
    for _ in range(3):
        x += 1
        there &= bool(((gt.from_numpy(large) + 1).numpy() == large + 1).all())
    print(x.min().item(), x.max().item(), there, flush=True)
"""


@pytest.mark.parametrize(
    "seconds", [7, pytest.param(60, marks=[pytest.mark.soak, pytest.mark.timeout(240)])]
)
def test_a_client_that_is_stopped_while_values_travel_loses_nothing(seconds):
    with Cluster(workers=1, tcp=True) as cluster:
        child = subprocess.Popen(
            [sys.executable, "-c", CARRIER],
            env=plain_environment(**cluster.variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

        def begin() -> None:
            child.stdin.write("\n")
            child.stdin.flush()
            assert child.stdout.readline() == "begins\n"

        try:
            begin()
            assert child.stdout.readline() == "3.0 3.0 True\n"
            begin()
            # Any moment of the upload or of the read will do.
            time.sleep(random.random() * 0.3)
            child.send_signal(signal.SIGSTOP)
            # The stop itself takes this long, whatever anybody does.
            time.sleep(seconds)
            assert report(cluster)["sessions"][0]["connected"]
            child.send_signal(signal.SIGCONT)
            assert child.stdout.readline() == "6.0 6.0 True\n"
        finally:
            child.kill()
            child.communicate(timeout=PATIENCE)


SOAK = [pytest.mark.soak, pytest.mark.timeout(300)]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=SOAK) for seed in range(1, 100))])
def test_workers_are_killed_and_stopped_at_any_moment(seed, tmp_path):
    """Whose worker it was is told and loads a checkpoint; the other one sees the same numbers."""
    dice = random.Random(seed)
    kinds = [signal.SIGKILL, signal.SIGSTOP] if seed else [signal.SIGKILL]
    with (
        Cluster(workers=3) as cluster,
        Trainer(cluster, tmp_path / "first") as first,
        Trainer(cluster, tmp_path / "second") as second,
    ):
        assert first.ask("save()") == second.ask("save()") == "saved"
        # What a program that nothing happens to would see.
        expected = second.ask("steps(40)")
        assert second.ask("load()") == "loaded"
        processes = dict(enumerate(cluster.workers))
        numbers = sorted(one["id"] for one in report(cluster)["sessions"])
        for _ in range(2):
            [hit, spared] = dice.sample([(first, numbers[0]), (second, numbers[1])], 2)
            sessions = {one["id"]: one["workers"] for one in report(cluster)["sessions"]}
            [number] = sessions[hit[1]]
            assert sessions[spared[1]] != [number]
            how, start = dice.choice(kinds), time.monotonic()
            for trainer, _ in (hit, spared):
                trainer.tell("steps(40)")
            # Any moment of the forty steps, or of the time after them.
            time.sleep(dice.random() * 0.2)
            processes[number].child.send_signal(how)
            assert spared[0].hear() == expected, seed
            said = hit[0].hear()
            if said == expected:
                said = hit[0].ask("step()")
            took = time.monotonic() - start
            assert said.startswith("WorkerLost"), (seed, said)
            assert "0.weight (float32[16, 8])" in said, (seed, said)
            assert took < (KILLED if how == signal.SIGKILL else STOPPED + 2), (seed, took)
            # Another worker takes the place; one that was only stopped is somebody else now.
            if how == signal.SIGKILL:
                processes[number].end(signal.SIGKILL)
                back = cluster.add_worker()
            else:
                back = processes[number]
                back.child.send_signal(signal.SIGCONT)
                back.expect("works for")
            known = {worker["id"] for worker in report(cluster)["workers"]}
            assert number not in known, seed
            processes[max(known)] = back
            for trainer in (first, second):
                assert trainer.ask("load()") == "loaded"
        assert first.ask("steps(40)") == second.ask("steps(40)") == expected
