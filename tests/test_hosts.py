"""Hosts with addresses of their own: network namespaces joined by a virtual cable."""

import json
import os
import shutil
import subprocess
import sys
import time
from typing import NoReturn

import pytest
from cluster import PATIENCE, Cluster, Process, plain_environment

pytestmark = pytest.mark.embedded("has servers of its own")

PROGRAM = """
import gt, numpy as np
x = np.arange(500_000, dtype=np.float32)
parts = [gt.from_numpy(x) for _ in range(4)]
total = parts[0]
for part in parts[1:]:
    total = total + part
print(gt.status()["workers"], bool((total.numpy() == 4 * x).all()), total.sum().item() > 0)
"""


def leave_out(why: str) -> NoReturn:
    """Skip a test on a machine that cannot run it; CI has one that can."""
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0 and "Operation not permitted" in done.stderr:
        leave_out(f"network namespaces are not allowed here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def hosts():
    """Two namespaces, each with an address that the other can reach."""
    if os.getuid() != 0:
        leave_out("only root can make network namespaces")
    if shutil.which("ip") is None:
        leave_out("`ip` is missing; install iproute2")
    number = os.getpid() % 250
    names = [f"gt-{os.getpid()}-{side}" for side in "ab"]
    addresses = [f"10.213.{number}.{last}" for last in (1, 2)]
    links = [f"gt{os.getpid()}{side}" for side in "ab"]
    try:
        for name in names:
            ip("netns", "add", name)
        ip("link", "add", links[0], "type", "veth", "peer", "name", links[1])
        for name, link, address in zip(names, links, addresses, strict=True):
            ip("link", "set", link, "netns", name)
            ip("-n", name, "address", "add", f"{address}/24", "dev", link)
            ip("-n", name, "link", "set", link, "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield list(zip(names, addresses, strict=True))
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


@pytest.mark.parametrize(
    ("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)]
)
def test_ci_cannot_leave_out_what_needs_two_hosts(monkeypatch, request, ci, outcome):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(outcome, match=r"network namespaces|iproute2"):
        request.getfixturevalue("hosts")


def add_worker(cluster: Cluster, host: str, address: str, **environment: str) -> Process:
    """Start a worker on a host and wait until it is taken on."""
    place = ("--host", address, "-p", cluster.port)
    worker = Process("gt.worker", *place, inside=host, **environment)
    cluster.workers.append(worker)
    worker.expect("works for")
    return worker


def test_a_server_on_one_host_and_everybody_else_on_another(hosts):
    (far, address), (near, _) = hosts
    with Cluster("--bind", address, inside=far) as cluster:
        # The other host has nothing of the first but a copy of the key.
        key = str(cluster.folder / "keys" / "cluster.key")
        there = {
            "GT_RUNTIME_DIR": str(cluster.folder / "other"),
            "GT_KEYS": str(cluster.folder / "none"),
            "GT_KEY": key,
        }
        for _ in range(2):
            add_worker(cluster, near, address, **there)
        env = plain_environment(**there, GT_SERVER=f"{address}:{cluster.port}")
        done = subprocess.run(
            ["ip", "netns", "exec", near, sys.executable, "-c", PROGRAM],
            env=env,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("2 True True\n", "")
        place = ("--host", address, "-p", cluster.port)
        status = subprocess.run(
            ["ip", "netns", "exec", near, sys.executable, "-m", "gt", "status", *place],
            env=env,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert status.returncode == 0, status.stderr
        assert "native" in status.stdout


# A data-parallel step: each worker has half of the batch, and gradients go between them.
TRAINING = """
import gt
from gt import nn
model = nn.Linear(600, 600)
optimizer = gt.optim.SGD(model.parameters(), lr=0.01)
gt.register_config("train", gt.SignalConfig(shard=gt.ShardConfig(axis=0, workers=[0, 1])))
data = gt.randn(16, 600)
for _ in range(3):
    with gt.signal.context("train"):
        loss = model(data).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    loss.item()
"""


def test_a_slow_link_between_workers_is_to_blame(hosts, tmp_path):
    """A gradient of 1.4 MB takes half a second at 20 Mbit/s, and everything else milliseconds."""
    (far, address), (near, _) = hosts
    if shutil.which("tc") is None:
        leave_out("`tc` is missing; install iproute2")
    for name in (far, near):
        links = subprocess.run(
            ["ip", "-n", name, "-json", "link"], capture_output=True, text=True, check=True
        )
        (link,) = [one["ifname"] for one in json.loads(links.stdout) if "gt" in one["ifname"]]
        slow = f"qdisc add dev {link} root tbf rate 20mbit burst 32kbit latency 4s"
        done = subprocess.run(["tc", "-n", name, *slow.split()], capture_output=True, check=False)
        if done.returncode != 0:
            leave_out(f"a link cannot be made slow here: {done.stderr.decode().strip()}")
    log = tmp_path / "server.log"
    with Cluster("--bind", address, "--log", str(log), inside=far) as cluster:
        key = str(cluster.folder / "keys" / "cluster.key")
        there = {"GT_RUNTIME_DIR": str(cluster.folder / "other"), "GT_KEY": key}
        for namespace, variables in ((far, cluster.environment), (near, there)):
            add_worker(cluster, namespace, address, **(variables | {"GT_KEY": key}))
        variables = cluster.environment | {"GT_SERVER": f"{address}:{cluster.port}", "GT_KEY": key}
        subprocess.run(
            ["ip", "netns", "exec", far, sys.executable, "-c", TRAINING],
            env=plain_environment(**variables),
            timeout=PATIENCE,
            check=True,
        )
    command = [sys.executable, "-m", "gt", "why", str(log), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (session,) = json.loads(done.stdout)["sessions"]
    assert (session["cause"], session["name"]) == ("link", "link w0-w1"), done.stdout
    assert session["causes"][0]["share"] > 0.5, done.stdout
    assert session["moved_bytes"] > 3 * 1_400_000


# Counts, a step for each line it hears; begins again when what it has counted is lost.
COUNTER = """
import sys
import gt
x = None
for line in sys.stdin:
    try:
        x = gt.zeros(1000) if x is None else x
        for _ in range(100):
            x += 1
        print(x.min().item(), x.max().item(), flush=True)
    except gt.LostError as error:
        x = None
        print(type(error).__name__, flush=True)
"""


def start_client(host: str, program: str, server: str, **environment: str) -> subprocess.Popen[str]:
    """Run a program on a host that goes on when it is told to."""
    return subprocess.Popen(
        ["ip", "netns", "exec", host, sys.executable, "-c", program],
        env=plain_environment(**environment, GT_SERVER=server),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def prod(client: subprocess.Popen[str]) -> None:
    """Tell a program to go on."""
    client.stdin.write("\n")
    client.stdin.flush()


@pytest.mark.soak
def test_a_cut_network_repeats_nothing(hosts):
    (far, address), (near, _) = hosts
    link = f"gt{os.getpid()}a"
    with Cluster("--bind", address, inside=far) as cluster:
        there = {
            "GT_RUNTIME_DIR": str(cluster.folder / "other"),
            "GT_KEYS": str(cluster.folder / "none"),
            "GT_KEY": str(cluster.folder / "keys" / "cluster.key"),
        }
        worker = add_worker(cluster, near, address, **there)
        client = start_client(far, COUNTER, f"{address}:{cluster.port}", **there)

        def ask() -> str:
            prod(client)
            return client.stdout.readline().strip()

        def cut(seconds: float) -> str:
            ip("-n", far, "link", "set", link, "down")
            start = time.monotonic()
            prod(client)
            # The cut itself takes this long, whatever anybody does.
            time.sleep(seconds)
            ip("-n", far, "link", "set", link, "up")
            said = client.stdout.readline().strip()
            assert time.monotonic() - start < seconds + 6
            return said

        try:
            assert ask() == "100.0 100.0"
            # A short cut is not noticed, and what was under way is done once.
            assert cut(2) == "200.0 200.0"
            assert ask() == "300.0 300.0"
            # The worker is given up during a long one; later it is another one.
            assert cut(10) == "WorkerLost"
            worker.expect("works for")
            assert ask() == "100.0 100.0"
        finally:
            client.kill()
            client.communicate(timeout=PATIENCE)


# Uploads and reads much and counts a little, once for each line it hears.
CARRIER = """
import sys
import gt
import numpy as np
large = np.arange(25_000_000, dtype=np.float32)
x = gt.zeros(1000)
for line in sys.stdin:
    print("begins", flush=True)
    for _ in range(100):
        x += 1
    there = bool(((gt.from_numpy(large) + 1).numpy() == large + 1).all())
    print(x.min().item(), x.max().item(), there, flush=True)
"""


@pytest.mark.parametrize(
    "seconds", [12, pytest.param(60, marks=[pytest.mark.soak, pytest.mark.timeout(240)])]
)
def test_a_client_whose_network_is_cut_goes_on(hosts, seconds):
    """It tries for a few seconds only where somebody says that there is no server."""
    (far, address), (near, _) = hosts
    link = f"gt{os.getpid()}a"
    with Cluster("--bind", address, inside=far) as cluster:
        key = str(cluster.folder / "keys" / "cluster.key")
        add_worker(cluster, far, address, **(cluster.environment | {"GT_KEY": key}))
        there = {"GT_RUNTIME_DIR": str(cluster.folder / "other"), "GT_KEY": key}
        client = start_client(near, CARRIER, f"{address}:{cluster.port}", **there)

        def begin() -> None:
            prod(client)
            assert client.stdout.readline() == "begins\n"

        try:
            begin()
            assert client.stdout.readline() == "100.0 100.0 True\n"
            begin()
            ip("-n", far, "link", "set", link, "down")
            # The cut itself takes this long, whatever anybody does.
            time.sleep(seconds)
            ip("-n", far, "link", "set", link, "up")
            assert client.stdout.readline() == "200.0 200.0 True\n"
            begin()
            assert client.stdout.readline() == "300.0 300.0 True\n"
        finally:
            client.kill()
            client.communicate(timeout=PATIENCE)
