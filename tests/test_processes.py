"""Servers, workers and clients in processes of their own: who comes, who goes, who gets in."""

import grp
import json
import os
import pwd
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import gt
import numpy as np
import pytest
import zmq
from cluster import PATIENCE, Cluster, plain_environment
from cutting import CuttingProxy
from wire import (
    ASIDE,
    ENDED,
    HEADER,
    INQUIRE,
    REPORT,
    VERSION,
    WELCOME,
    dealer,
    key_dealer,
    say_hello,
    varint,
)
from zmq.utils.monitor import recv_monitor_message

pytestmark = pytest.mark.embedded("has servers of its own")

# How long anybody may take to say that it does not work.
SOON = 3.0


def program(cluster, code, **more):
    """Start a program that finds the cluster by itself."""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=plain_environment(**(cluster.variables | more)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(cluster, code, **more):
    """Run a program to its end; give what it said and complain about everything else."""
    child = program(cluster, code, **more)
    said, complaint = child.communicate(timeout=PATIENCE)
    assert (child.returncode, complaint) == (0, ""), complaint
    return said.splitlines()


def report(cluster):
    done = cluster.status()
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def until(cluster, holds):
    """Ask for the status until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds(found := report(cluster)):
        assert time.monotonic() < end, found
    return found


@pytest.fixture(scope="module", params=["ipc", "tcp"])
def cluster(request):
    with Cluster(workers=2, tcp=request.param == "tcp") as cluster:
        yield cluster


def test_nothing_above_4_kib_passes_through_the_dispatcher(cluster):
    said = output(
        cluster,
        """
import gt, numpy as np
rng = np.random.default_rng(0)
for count in (1, 1024, 1025, 300_000, 3_000_000):
    x = rng.random(count, dtype=np.float32)
    y = gt.from_numpy(x)
    z = gt.from_numpy(2 * x)
    print(bool(((y + z).numpy() == x + 2 * x).all()))
""",
    )
    assert said == ["True"] * 5
    traffic = report(cluster)["traffic"]
    assert traffic["payloads"] > 0
    assert traffic["largest_payload_bytes"] <= 4096
    assert traffic["relayed_bytes"] == 0


def test_sessions_have_names_and_do_not_meet(cluster):
    code = """
import gt, sys
s = gt.connect("{address}", name="{name}", workers={workers})
x = gt.full((1000,), {value}); gt.manual_seed(5)
print(gt.status()["workers"], gt.rand(1).item(), flush=True)
sys.stdin.readline()
print((x + 1).sum().item())
"""
    both = [
        program(cluster, code.format(address=cluster.address, name=name, workers=n, value=n))
        for n, name in [(1, "ann"), (2, "bob")]
    ]
    first, second = (child.stdout.readline().split() for child in both)
    assert (first[0], second[0]) == ("1", "2")
    assert first[1] == second[1]
    names = {session["name"]: session for session in report(cluster)["sessions"]}
    assert names["ann"]["connected"]
    assert len(names["ann"]["workers"]) == 1
    assert len(names["bob"]["workers"]) == 2
    said = [child.communicate("\n", timeout=PATIENCE)[0].strip() for child in both]
    assert said == ["2000", "3000"]


def test_connecting_again_is_the_same_session_unless_another_is_wanted(cluster):
    said = output(
        cluster,
        f"""
import gt
first = gt.connect("{cluster.address}")
x = gt.ones(3)
again = gt.connect("{cluster.address}")
print((x + gt.ones(3)).tolist())
other = gt.connect("{cluster.address}", new=True)
try:
    x + gt.ones(3)
except RuntimeError as error:
    print(error)
gt.disconnect()
print(other.is_open, first.is_open, (x + gt.ones(3)).tolist(), "{cluster.port}" in repr(first))
""",
    )
    assert said == [
        "[2.0, 2.0, 2.0]",
        "add: the tensors belong to different sessions",
        "False True [2.0, 2.0, 2.0] True",
    ]


def test_a_killed_client_leaves_nothing(cluster):
    code = "import gt, sys\nx = gt.ones(5_000_000) + 1\nx.sum().item()\nprint(flush=True)\ninput()"
    child = program(cluster, code)
    child.stdout.readline()
    until(cluster, lambda found: any(worker["memory_bytes"] for worker in found["workers"]))
    start = time.monotonic()
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=PATIENCE)
    gone = lambda found: not found["sessions"]  # noqa: E731
    until(cluster, gone)
    # A client that lost its connection may come back for four seconds.
    assert time.monotonic() - start < 8
    until(cluster, lambda found: not any(worker["memory_bytes"] for worker in found["workers"]))


def test_a_stopped_client_goes_on(cluster):
    child = program(cluster, "import gt\nx = gt.ones(5)\ninput()\nprint(x.sum().item())")
    until(cluster, lambda found: found["sessions"])
    child.send_signal(signal.SIGSTOP)
    # Connections that nobody answers on are given up after five seconds elsewhere.
    found = until(cluster, lambda found: found["sessions"][0]["silent_seconds"] > 7)
    assert found["sessions"][0]["connected"]
    child.send_signal(signal.SIGCONT)
    assert child.communicate("\n", timeout=PATIENCE)[0] == "5.0\n"


def test_a_failure_names_the_line_of_the_program(cluster, tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "import gt\nx = gt.ones(3)\ny = x.gather(0, gt.tensor([5]))\nz = y + 1\nz.tolist()\n"
    )
    env = plain_environment(**cluster.variables)
    done = subprocess.run(
        [sys.executable, script], env=env, capture_output=True, text=True, check=False
    )
    assert "IndexError" in done.stderr
    assert "train.py:3" in done.stderr


def test_workers_join_and_leave_while_clients_run():
    with Cluster(workers=1) as cluster:
        child = program(
            cluster,
            """
import gt, sys
x = gt.ones(1000)
for line in sys.stdin:
    try:
        x = x + 1
        print(x.sum().item(), flush=True)
    except gt.LostError as error:
        x = gt.zeros(1000)
        print(error, flush=True)
""",
        )

        def ask():
            child.stdin.write("\n")
            child.stdin.flush()
            return child.stdout.readline().strip()

        assert ask() == "2000.0"
        idle = cluster.add_worker("--id", "idle")
        assert len(report(cluster)["sessions"][0]["workers"]) == 2
        assert ask() == "3000.0"
        assert idle.end() == 0
        assert ask() == "4000.0"
        # The one that has the values takes them with it; the session goes on.
        cluster.workers[0].end(signal.SIGKILL)
        until(cluster, lambda found: not found["workers"])
        cluster.add_worker("--id", "next")
        assert "this value was there; compute it again" in ask()
        assert ask() == "1000.0"
        child.communicate(timeout=PATIENCE)


def test_a_worker_waits_for_the_next_server():
    with Cluster(workers=1) as cluster:
        address, port = cluster.address, cluster.port
        cluster.server.end()
        cluster.workers[0].expect("waiting for a server")
        again = Cluster.__new__(Cluster)
        again.__dict__ = dict(cluster.__dict__)
        cluster.server = again.server = type(cluster.server)(
            "gt.server", "-p", port, **cluster.environment
        )
        cluster.server.expect("listens")
        cluster.workers[0].expect("works for")
        said = output(cluster, f"import gt\ngt.connect('{address}')\nprint(gt.ones(2).tolist())")
        assert said == ["[1.0, 1.0]"]


def test_a_lost_session_is_not_replaced_by_one_in_this_process():
    with Cluster(workers=1) as cluster:
        child = program(
            cluster,
            f"""
import gt
gt.connect("{cluster.address}")
x = gt.ones(3)
x.tolist()
print(flush=True)
input()
for make in (lambda: x + 1, lambda: gt.ones(3), lambda: gt.ones(3)):
    try:
        make().tolist()
    except gt.LostError as error:
        print("lost")
gt.disconnect()
del __import__("os").environ["GT_SERVER"]
print(gt.ones(3).tolist())
""",
        )
        child.stdout.readline()
        cluster.server.end(signal.SIGKILL)
        said, complaint = child.communicate("\n", timeout=PATIENCE)
        assert (said.splitlines(), complaint) == (["lost"] * 3 + ["[1.0, 1.0, 1.0]"], "")


def test_out_of_memory_is_an_error_of_the_program_and_of_nobody_else():
    with Cluster() as cluster:
        cluster.add_worker("--memory", "64M")
        said = output(
            cluster,
            """
import gt, numpy as np
x = gt.ones(1000)
for make in (lambda: gt.ones(100_000_000) + 1, lambda: gt.from_numpy(np.zeros(30_000_000))):
    try:
        make().sum().item()
    except gt.OutOfMemoryError as error:
        print("out of memory" in str(error) or "no room" in str(error))
print(x.sum().item())
""",
        )
        assert said == ["True", "True", "1000.0"]


def test_the_relay_carries_what_finds_no_other_way():
    with Cluster(tcp=True) as cluster:
        # Nobody listens at this port.
        cluster.add_worker("--advertise", "127.0.0.1:9")
        cluster.add_worker("--advertise", "127.0.0.1:9")
        said = output(
            cluster,
            """
import gt, numpy as np
x = np.arange(100_000, dtype=np.float32)
parts = [gt.from_numpy(x) for _ in range(4)]
total = parts[0]
for part in parts[1:]:
    total = total + part
print(bool((total.numpy() == 4 * x).all()))
""",
        )
        assert said == ["True"]
        assert until(cluster, lambda found: found["traffic"]["relayed_bytes"])
        assert report(cluster)["traffic"]["largest_payload_bytes"] <= 4096


# A program that waits at its end until nobody writes to it any more.
CUT = """
import sys
import gt, numpy as np
x = np.random.default_rng(0).random(5_000_000, dtype=np.float32)
y = gt.from_numpy(x)
print(bool(((y + 1).numpy() == x + 1).all()), bool((y.numpy() == x).all()), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("up", "down"),
    [([5_000_000], []), ([], [5_000_000]), ([3_000_000, 100], [200, 7_000_000])],
    ids=["upload", "read", "both"],
)
def test_a_value_whose_connection_is_cut_in_the_middle_arrives(up, down):
    port = free_port()
    with Cluster(tcp=True) as cluster, CuttingProxy(port, up, down) as proxy:
        advertise = f"127.0.0.1:{proxy.port}"
        cluster.add_worker("--data-port", str(port), "--advertise", advertise)
        with program(cluster, CUT) as client:
            assert client.stdout.readline() == "True True\n"
            assert proxy.cuts == {"up": [], "down": []}
            assert proxy.made > len(up + down)
            # Its channel is there for as long as the client is.
            found = until(cluster, lambda found: found["workers"][0]["channels"])
            client.stdin.close()
        (channel,) = found["workers"][0]["channels"]
        assert channel["by"] == "TCP"
        assert report(cluster)["traffic"]["relayed_bytes"] == 0


def test_another_implementation_of_zeromq_can_speak():
    with Cluster(workers=1) as cluster, dealer(cluster) as peer:
        peer.send_multipart([ASIDE, HEADER.pack(b"GTmx", *VERSION, INQUIRE, 0, 0)])
        number, head = peer.recv_multipart()
        magic, _, _, kind, _, payloads = HEADER.unpack(head[: HEADER.size])
        assert (number, magic, kind, payloads) == (ASIDE, b"GTmx", REPORT, 0)
        assert b"native" in head


def test_garbage_is_refused_and_others_go_on():
    with Cluster(workers=1) as cluster, dealer(cluster) as peer:
        child = program(cluster, "import gt\nx = gt.ones(5)\ninput()\nprint(x.sum().item())")
        until(cluster, lambda found: found["sessions"])
        rng = np.random.default_rng(0)
        for number in range(200):
            size = int(rng.integers(0, 300))
            frames = [rng.bytes(8), rng.bytes(size), rng.bytes(5)][: 1 + number % 3]
            if number % 2:
                kind = int(rng.integers(0, 25))
                frames = [ASIDE, HEADER.pack(b"GTmx", *VERSION, kind, 0, 0) + rng.bytes(size)]
            peer.send_multipart(frames)
        assert report(cluster)["traffic"]["refused"] > 100
        assert child.communicate("\n", timeout=PATIENCE)[0] == "5.0\n"


def test_a_stolen_token_is_of_no_use():
    with Cluster(workers=1, tcp=True) as cluster:
        with key_dealer(cluster, "bob") as bob, key_dealer(cluster, "eve") as eve:
            kind, words = say_hello(bob)
            assert (kind, words[0] < 128) == (WELCOME, True)
            token = words[1:17]
            resume = b"\x01" + words[:1] + token + varint(0)
            kind, words = say_hello(eve, resume)
            assert (kind, b"not this client's" in words) == (ENDED, True)
        with key_dealer(cluster, "ann") as ann:
            assert say_hello(ann, resume)[0] == ENDED


def test_a_server_holds_no_message_without_an_end():
    with Cluster(workers=1) as cluster:
        child = program(cluster, "import gt\nx = gt.ones(5)\ninput()\nprint(x.sum().item())")
        until(cluster, lambda found: found["sessions"])
        status = Path(f"/proc/{cluster.server.child.pid}/status")

        def peak():
            lines = status.read_text().splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

        before = peak()
        gone = zmq.EVENT_DISCONNECTED
        with dealer(cluster) as peer, peer.get_monitor_socket(gone) as monitor:
            monitor.setsockopt(zmq.RCVTIMEO, 10_000)
            # Sent whole by this side, taken in part by the other.
            peer.send_multipart([ASIDE, *[bytes(8 << 20)] * 64])
            recv_monitor_message(monitor)
            peer.disable_monitor()
        assert peak() - before < 200_000, "kB"
        assert child.communicate("\n", timeout=PATIENCE)[0] == "5.0\n"


def test_threads_that_read_side_by_side_hear_their_own_answers(cluster):
    said = output(
        cluster,
        """
import threading, gt, numpy as np
def read(number, good):
    small, large = gt.full((16,), number), gt.full((100_000,), number)
    for step in range(60):
        good.append((small + step).sum().item() == 16 * (number + step))
        if step % 10 == number:
            good.append(bool(((large + step).numpy() == number + step).all()))
for _ in range(3):
    good = []
    threads = [threading.Thread(target=read, args=(n, good)) for n in range(4)]
    [thread.start() for thread in threads]
    read(4, good)
    [thread.join() for thread in threads]
    print(len(good), all(good))
""",
    )
    assert said == ["330 True"] * 3


def test_memory_is_known_as_soon_as_everything_is_done(cluster):
    code = """
import gt
for size in (1000, 3000, 2000):
    x = gt.ones(size, size)
    gt.synchronize()
    print(gt.status()["memory_bytes"] >= 4 * size * size)
"""
    assert output(cluster, code) == ["True"] * 3


def test_what_cannot_be_sent_ends_the_session_with_a_reason(cluster):
    code = """
import gt
x = gt.ones(1)
try:
    gt.cat([x] * 4_500_000).sum().item()
except (ValueError, RuntimeError) as error:
    print("cannot be sent" in str(error), str(error)[:200])
"""
    assert output(cluster, code)[0].startswith("True")


def refusal(*arguments, **more):
    """What connecting says that does not work, and how long it took."""
    start = time.monotonic()
    with pytest.raises((RuntimeError, ValueError)) as caught:
        gt.connect(*arguments, **more)
    assert time.monotonic() - start < SOON
    return str(caught.value)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def here(monkeypatch):
    """Let this process find a cluster as a program of its user does."""

    def enter(cluster):
        for name, value in cluster.environment.items():
            monkeypatch.setenv(name, value)

    return enter


def test_what_cannot_be_reached_is_told_apart(here, monkeypatch, tmp_path):
    with Cluster(tcp=True) as cluster:
        here(cluster)
        said = refusal(f"tcp://127.0.0.1:{free_port()}")
        assert "no server answers" in said
        assert "gt server --bind 127.0.0.1" in said
        assert "has no workers; start one with `gt worker" in refusal(cluster.address)
        foreign = tmp_path / "keys"
        monkeypatch.setenv("GT_KEYS", str(foreign))
        made = subprocess.run(
            [sys.executable, "-m", "gt", "keys", "new", "stranger"], capture_output=True, text=True
        )
        assert made.returncode == 0, made.stderr
        key = foreign / "stranger.key"
        assert "refuses the key" in refusal(cluster.address, key=str(key))
        assert "refuses the key" in refusal(cluster.address, insecure=True)
        monkeypatch.delenv("GT_KEY")
        monkeypatch.setenv("GT_KEYS", str(tmp_path / "empty"))
        said = refusal(cluster.address)
        assert "needs a key" in said
        assert "insecure=True" in said


def test_another_version_is_told_from_no_server():
    with zmq.Context.instance().socket(zmq.ROUTER) as server:
        server.setsockopt(zmq.RCVTIMEO, 10_000)
        server.setsockopt(zmq.LINGER, 0)
        port = server.bind_to_random_port("tcp://127.0.0.1")
        code = (
            f"import gt\ntry: gt.connect('tcp://127.0.0.1:{port}', insecure=True)\n"
            "except ValueError as error: print(error)"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", code], env=plain_environment(), stdout=subprocess.PIPE, text=True
        )
        peer, *_ = server.recv_multipart()
        server.send_multipart([peer, ASIDE, HEADER.pack(b"GTmx", 9, 3, ENDED, 0, 0)])
        said = child.communicate(timeout=PATIENCE)[0]
    assert "version 9.3" in said
    assert "same version" in said


def as_somebody(path, group="nogroup"):
    """Say whether another user, perhaps of a group, can connect to a Unix socket."""
    child = os.fork()
    if child == 0:
        # This interpreter may lie where that user cannot start it.
        code = 1
        try:
            os.setgroups([])
            os.setgid(grp.getgrnam(group).gr_gid)
            os.setuid(pwd.getpwnam("nobody").pw_uid)
            socket.socket(socket.AF_UNIX).connect(str(path))
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_other_users_get_in_by_their_group_only():
    with Cluster(workers=1) as cluster:
        for file in (cluster.folder / "run" / "gt").iterdir():
            assert not as_somebody(file)
    with Cluster("--allow-group", "daemon") as cluster:
        cluster.folder.chmod(0o711)
        folder = cluster.folder / "run-daemon"
        assert oct(folder.stat().st_mode & 0o777) == "0o750"
        control = folder / f"{cluster.port}.ipc"
        assert as_somebody(control, "daemon")
        assert not as_somebody(control)
