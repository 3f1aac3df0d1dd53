"""Clients of one server: shares, the operator's commands, and the policy."""

import json
import os
import pwd
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cluster import PATIENCE, Cluster, plain_environment

pytestmark = pytest.mark.embedded("starts servers of its own")

# Says what each line that it hears evaluates to.
CLIENT = r"""
import sys
import gt
x = gt.ones(4)
print("ready", flush=True)
for line in sys.stdin:
    try:
        print(eval(line), flush=True)
    except Exception as error:
        print(type(error).__name__, error, flush=True)
"""


class Client:
    """A program that computes what it is asked to, in a session of its own."""

    def __init__(self, cluster: Cluster, program: str = CLIENT):
        self.child = subprocess.Popen(
            [sys.executable, "-c", program],
            env=plain_environment(**cluster.variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def hear(self) -> str:
        return self.child.stdout.readline().strip()

    def ask(self, line: str) -> None:
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()

    def compute(self, line: str) -> str:
        self.ask(line)
        return self.hear()

    def end(self) -> None:
        self.child.kill()
        self.child.communicate(timeout=PATIENCE)


def gt(cluster: Cluster, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the operator."""
    return subprocess.run(
        [sys.executable, "-m", "gt", *arguments, "-p", cluster.port],
        env=plain_environment(**cluster.environment),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def sessions(cluster: Cluster) -> list[dict]:
    return json.loads(gt(cluster, "sessions", "--json").stdout)


def test_the_operator_lists_pauses_resumes_and_ends_sessions():
    with Cluster(workers=1) as cluster:
        first = Client(cluster)
        assert first.hear() == "ready"
        second = Client(cluster)
        try:
            assert second.hear() == "ready"
            listed = sorted(sessions(cluster), key=lambda one: one["id"])
            assert [one["user"] for one in listed] == [pwd.getpwuid(os.getuid()).pw_name] * 2
            assert [one["host"] for one in listed] == ["localhost"] * 2
            assert all(one["age_seconds"] > 0 for one in listed)
            mine, other = (str(one["id"]) for one in listed)
            assert "paused" in gt(cluster, "pause", mine).stdout
            paused = {str(one["id"]): one["paused"] for one in sessions(cluster)}
            assert paused == {mine: True, other: False}
            # One of the two waits, and the other does not notice.
            first.ask("(x + 1).numpy().sum()")
            second.ask("(x + 2).numpy().sum()")
            assert second.hear() == "12.0"
            assert gt(cluster, "resume", mine).returncode == 0
            assert first.hear() == "8.0"
            assert gt(cluster, "kill", other).returncode == 0
            ended = second.compute("x.sum().item()")
            assert "the operator of the server has ended the session" in ended
            assert first.compute("(x + 3).numpy().sum()") == "16.0"
            done = gt(cluster, "kill", "99")
            assert done.returncode == 1
            assert "there is no session 99" in done.stderr
        finally:
            first.end()
            second.end()


def test_a_lost_worker_and_a_lost_session_are_told_apart():
    with Cluster(workers=1) as cluster:
        client = Client(cluster)
        try:
            assert client.hear() == "ready"
            assert client.compute("x.sum().item()") == "4.0"
            cluster.workers[0].end(signal.SIGKILL)
            told = client.compute("x.sum().item()")
            assert told.startswith("WorkerLost")
            assert "was lost" in told
            # The session goes on with the next worker.
            cluster.add_worker()
            assert client.compute("gt.ones(3).sum().item()") == "3.0"
            cluster.server.end(signal.SIGKILL)
            assert client.compute("gt.ones(3).sum().item()").startswith("SessionLost")
            assert client.compute("issubclass(gt.SessionLost, gt.LostError)") == "True"
        finally:
            client.end()


def test_a_drained_server_takes_no_sessions():
    with Cluster(workers=1) as cluster:
        client = Client(cluster)
        try:
            assert client.hear() == "ready"
            assert gt(cluster, "drain", "--all").returncode == 0
            late = Client(cluster)
            assert "drained" in late.child.communicate(timeout=PATIENCE)[0]
            assert client.compute("(x + 1).numpy().sum()") == "8.0"
            assert gt(cluster, "drain", "--all", "--undo").returncode == 0
            again = Client(cluster)
            assert again.hear() == "ready"
            again.end()
        finally:
            client.end()


def test_a_policy_limits_users_and_is_read_again(tmp_path: Path):
    policy = tmp_path / "policy.yaml"
    policy.write_text(f"users:\n  {os.getuid()}: {{weight: 3, sessions: 1}}\n")
    with Cluster("--policy", str(policy), workers=1) as cluster:
        client = Client(cluster)
        try:
            assert client.hear() == "ready"
            assert [one["weight"] for one in sessions(cluster)] == [3]
            late = Client(cluster)
            assert "allows 1 sessions" in late.child.communicate(timeout=PATIENCE)[0]
            policy.write_text("default: {weight: 0}\n")
            cluster.server.child.send_signal(signal.SIGHUP)
            cluster.server.expect(r"policy\.yaml:1:19: a weight is at least 1")
            policy.write_text("default: {weight: 2}\n")
            cluster.server.child.send_signal(signal.SIGHUP)
            cluster.server.expect("the policy was read again")
            while [one["weight"] for one in sessions(cluster)] != [2]:
                pass
            again = Client(cluster)
            assert again.hear() == "ready"
            again.end()
        finally:
            client.end()


def test_a_bad_policy_is_refused_with_its_place(tmp_path: Path):
    policy = tmp_path / "policy.yaml"
    policy.write_text("default:\n  wieght: 2\n")
    done = subprocess.run(
        [sys.executable, "-m", "gt", "server", "-p", "0", "--policy", str(policy)],
        env=plain_environment(GT_RUNTIME_DIR=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1
    assert "policy.yaml:2:3:" in done.stderr


@pytest.fixture
def clients():
    """Make clients of a cluster that are ready; they end with the test."""
    made: list[Client] = []

    def make(cluster: Cluster) -> Client:
        made.append(Client(cluster))
        assert made[-1].hear() == "ready"
        return made[-1]

    yield make
    for client in made:
        client.end()


# Makes so many tensors of 4 MiB that are kept.
KEEP = "len([kept := [gt.full((1 << 20,), float(i)) for i in range({})], gt.synchronize()])"


def test_whoever_exceeds_a_limit_of_memory_fails_alone(tmp_path: Path, clients):
    policy = tmp_path / "policy.yaml"
    policy.write_text("default: {session_bytes: 32MiB, bytes: 48MiB}\n")
    with Cluster("--policy", str(policy)) as cluster:
        cluster.add_worker("--memory", "256M")
        first, second = clients(cluster), clients(cluster)
        assert first.compute(KEEP.format(7)) == "2"
        too_much = "(big := gt.ones(2 << 20)).sum().item()"
        told = first.compute(too_much)
        assert told.startswith("OutOfMemoryError")
        assert "of the 33554432 bytes that it may hold on a worker" in told
        # The line that holds the most is named, and what failed has left nothing behind.
        assert "(28.0 MiB)" in told
        # Until the program is told, nothing is replaced.
        assert first.compute("[big := gt.ones(2 << 20), kept[1].add_(big[: 1 << 20]), 1][2]") == "1"
        assert first.compute("gt.synchronize()").startswith("OutOfMemoryError")
        assert first.compute("kept[1].sum().item() / (1 << 20)") == "1.0"
        # The two sessions share what their user may have.
        assert second.compute(KEEP.format(4)) == "2"
        told = second.compute(too_much)
        assert told.startswith("OutOfMemoryError")
        assert "of the 50331648 bytes that the server's policy allows them" in told
        # Its values, and their entries in tables.
        own = int(re.search(r"(\d+) of these by this session", told)[1])
        assert 4 << 22 < own < (4 << 22) + 8192
        assert first.compute("sum(one.sum().item() for one in kept) / (1 << 20)") == "21.0"
        assert first.compute("kept.clear()") == "None"
        assert first.compute("gt.synchronize()") == "None"
        assert second.compute(too_much) == str(float(2 << 20))


def test_a_client_may_ask_for_less_memory_and_never_for_more(tmp_path: Path, clients):
    policy = tmp_path / "policy.yaml"
    policy.write_text("default: {session_bytes: 32MiB}\n")
    with Cluster("--policy", str(policy), workers=1) as cluster:
        client = clients(cluster)
        connect = "len([{} := gt.connect(memory={!r}, new=True)])"
        assert client.compute(connect.format("less", "8MiB")) == "1"
        assert client.compute(connect.format("more", 1 << 30)) == "1"
        limits = [one["memory_limit"] for one in sorted(sessions(cluster), key=lambda s: s["id"])]
        assert [limit["bytes"] for limit in limits] == [32 << 20, 8 << 20, 32 << 20]
        assert "memory= is bytes or a text" in client.compute(connect.format("none", "much"))
        assert client.compute("more.close()") == "None"
        told = client.compute("(big := gt.ones(4 << 20)).sum().item()")
        assert "of the 8388608 bytes that it may hold" in told
        # What the program sends counts too, and so does what is small.
        told = client.compute("gt.from_numpy(__import__('numpy').ones(4 << 20, 'f')).sum().item()")
        assert told.startswith("OutOfMemoryError")
        assert "of the 8388608 bytes that it may hold" in told
        small = "[gt.tensor([float(i)] * 512) for i in range(5000)]"
        told = client.compute(f"len(few := {small}) and gt.synchronize()")
        assert "of the 8388608 bytes that it may hold" in told
    alone = [sys.executable, "-c", "import gt; gt.connect(memory=1 << 20)"]
    done = subprocess.run(
        alone, env=plain_environment(), capture_output=True, text=True, check=False
    )
    assert "set GT_MEMORY" in done.stderr


def used(cluster: Cluster) -> dict[str, int]:
    """Give the bytes that each worker holds."""
    workers = json.loads(cluster.status().stdout)["workers"]
    return {worker["name"]: worker["memory_bytes"] for worker in workers}


def test_a_drained_worker_holds_nothing_and_nobody_notices(clients):
    with Cluster() as cluster:
        left = cluster.add_worker("--id", "left")
        client, other = clients(cluster), clients(cluster)
        done = gt(cluster, "drain", "left")
        assert done.returncode == 1
        assert "left is the only worker that takes work" in done.stderr
        assert client.compute(KEEP.format(4)) == "2"
        cluster.add_worker("--id", "right")
        done = gt(cluster, "drain", "left")
        assert done.returncode == 0, done.stderr
        assert "worker left holds nothing any more and can be ended" in done.stdout
        # Workers tell how much they hold each second.
        while used(cluster)["right"] < 16 << 20:
            pass
        assert used(cluster)["left"] == 0
        assert client.compute(KEEP.format(4)) == "2"
        assert used(cluster)["left"] == 0
        assert gt(cluster, "drain", "left", "--undo").returncode == 0
        assert gt(cluster, "drain", "right").returncode == 0
        assert used(cluster)["right"] == 0
        assert gt(cluster, "drain", "right", "--undo").returncode == 0
        assert gt(cluster, "drain", "0").returncode == 0
        assert left.end() == 0
        assert client.compute("[one.sum().item() / (1 << 20) for one in kept]") == (
            "[0.0, 1.0, 2.0, 3.0]"
        )
        assert other.compute("x.sum().item()") == "4.0"
        assert "there is no worker left" in gt(cluster, "drain", "left").stderr


def test_a_drain_that_cannot_end_is_told_and_can_be_taken_back(clients):
    with Cluster() as cluster:
        cluster.add_worker("--id", "left")
        client = clients(cluster)
        assert client.compute(KEEP.format(1)) == "2"
        cluster.add_worker("--id", "right")
        (session,) = json.loads(gt(cluster, "sessions", "--json").stdout)
        # What is to move away waits with everything else of the session.
        assert gt(cluster, "pause", str(session["id"])).returncode == 0
        done = gt(cluster, "drain", "left", "--timeout", "1")
        assert done.returncode == 1
        assert "worker left still holds" in done.stderr
        assert "--undo" in done.stderr
        assert gt(cluster, "drain", "left", "--undo").returncode == 0
        assert gt(cluster, "resume", str(session["id"])).returncode == 0
        assert client.compute("[one.sum().item() / (1 << 20) for one in kept]") == "[0.0]"


# Trains with parameters that are cut over two workers, and says the loss whenever it is asked.
TRAINING = r"""
import sys
import gt
from gt import ShardConfig, SignalConfig
gt.connect(workers=2)
gt.register_config("layer", SignalConfig(shard=ShardConfig(axis=0, workers=[0, 1])))
gt.manual_seed(3)
model = gt.nn.Sequential(gt.nn.Linear(64, 96), gt.nn.Tanh(), gt.nn.Linear(96, 64))
optimizer = gt.optim.Adam(model.parameters(), lr=0.01)
x = gt.randn(32, 64)
print("ready", flush=True)
for line in sys.stdin:
    with gt.signal.context("layer"):
        loss = ((model(x) - x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(repr(loss.item()), flush=True)
"""


def test_parts_of_a_training_move_to_another_worker_bit_by_bit():
    def losses(drains: bool) -> list[str]:
        with Cluster(workers=3) as cluster:
            client = Client(cluster, TRAINING)
            try:
                assert client.hear() == "ready"
                told = [client.compute("") for _ in range(3)]
                (session,) = sessions(cluster)
                if drains:
                    done = gt(cluster, "drain", str(session["workers"][1]))
                    assert done.returncode == 0, done.stderr
                    (session,) = sessions(cluster)
                    # Another worker has its place.
                    assert session["workers"] == [0, 2]
                    assert cluster.workers[1].end() == 0
                return told + [client.compute("") for _ in range(3)]
            finally:
                client.end()

    assert losses(drains=True) == losses(drains=False)


# Makes values of other bits each, reads them twice, updates them in place, and reads them again.
SUMS = "[one.double().sum().item() for one in many]"
MANY = [
    "len(many := [gt.full((1 << 20,), i / 7) * (gt.arange(1 << 20) % 9) for i in range(30)])",
    SUMS,
    SUMS,
    "[one.mul_(one.abs() + 1) for one in many] and gt.synchronize()",
    SUMS,
]


def test_values_that_are_not_in_use_go_to_disk_and_come_back(tmp_path: Path, clients):
    folder = tmp_path / "spilled"
    with Cluster(workers=1) as cluster:
        client = clients(cluster)
        expected = [client.compute(line) for line in MANY]
    with Cluster() as cluster:
        limits = ("--memory", "64M", "--spill", str(folder), "--spill-limit", "96M")
        worker = cluster.add_worker("--id", "small", *limits)
        client, other = clients(cluster), clients(cluster)
        # They have 120 MiB, without what they are made of.
        assert [client.compute(line) for line in MANY] == expected
        assert used(cluster)["small"] <= 64 << 20
        assert folder.stat().st_mode & 0o777 == 0o700
        assert list(folder.iterdir()) == []
        # There is an end to the disk too, and only whoever reaches it is told.
        assert client.compute("len(more := [one + 1 for one in many])") == "30"
        assert client.compute("gt.synchronize()").startswith("OutOfMemoryError")
        assert other.compute("(x + 1).sum().item()") == "8.0"
        assert client.compute("more.clear()") == "None"
        assert client.compute(SUMS) == expected[-1]
        assert client.compute("many.clear()") == "None"
        assert client.compute("gt.synchronize()") == "None"
        assert [other.compute(line) for line in MANY] == expected
        worker.end(signal.SIGKILL)
        assert list(folder.iterdir()) == []


def test_a_session_at_its_limit_spills_its_own_values(tmp_path: Path, clients):
    policy = tmp_path / "policy.yaml"
    policy.write_text("default: {session_bytes: 24MiB}\n")
    with Cluster("--policy", str(policy)) as cluster:
        cluster.add_worker("--memory", "64M", "--spill", str(tmp_path / "spilled"))
        client, other = clients(cluster), clients(cluster)
        assert other.compute(KEEP.format(4)) == "2"
        assert client.compute(KEEP.format(16)) == "2"
        means = "[one.sum().item() / (1 << 20) for one in kept]"
        assert client.compute(f"{means} == [*range(16)]") == "True"
        # Of the other's values none had to go: both hold no more than they may.
        assert client.compute("gt.memory()['used_bytes'] <= 40 << 20") == "True"
        assert other.compute("sum(one.sum().item() for one in kept) / (1 << 20)") == "6.0"
