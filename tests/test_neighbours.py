"""Clients of one server: shares, the operator's commands, and the policy."""

import json
import os
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

    def __init__(self, cluster: Cluster):
        self.child = subprocess.Popen(
            [sys.executable, "-c", CLIENT],
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
            assert [one["user"] for one in listed] == [f"user {os.getuid()}"] * 2
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
