"""The command line: servers that start and end, keys, status, and clear refusals."""

import json
import os
import re
import resource
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


class Home:
    """Folders of its own for sockets and keys, and the commands that use them."""

    def __init__(self, folder: Path):
        self.runtime = folder / "run"
        self.sockets = self.runtime / "gt"
        self.keys = folder / "keys"
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("GT_")} | {
            "GT_RUNTIME_DIR": str(self.runtime),
            "GT_KEYS": str(self.keys),
        }
        self.started: list[subprocess.Popen[str]] = []

    def run(self, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [sys.executable, "-m", "gt", *map(str, words)],
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def program(self, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a Python program to its end."""
        return subprocess.run(
            [sys.executable, "-c", code],
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def at(self, server: "Running") -> dict[str, str]:
        """Give the variable that leads to a server."""
        return {"GT_SERVER": f"localhost:{server.port}"}

    def start(
        self,
        *words: object,
        module: str = "gt",
        before: Callable[[], None] | None = None,
        **environment: str,
    ) -> "Running":
        """Start a command that goes on."""
        process = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, words)],
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=before,
        )
        self.started.append(process)
        return Running(process)

    def server(self, *words: object, port: int = 0, **environment: str) -> "Running":
        """Start a server and wait until it listens."""
        running = self.start("server", "-p", port, *words, **environment)
        running.hear("gt.connect(")
        if "--bind" in words:
            running.hear("gt.connect(")
        return running


class Running:
    """A command that goes on."""

    def __init__(self, process: subprocess.Popen[str]):
        self.process = process
        self.lines: list[str] = []

    def hear(self, words: str) -> str:
        """Wait for the line with these words."""
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if words in line:
                return self.lines[-1]
        raise AssertionError((self.lines, self.process.stderr.read()))

    @property
    def port(self) -> int:
        """The port that the server has chosen."""
        return int(re.search(r"listens at port (\d+)", self.lines[0])[1])

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str, float]:
        """Send a signal; gives the exit code, what it complained of, and how long it took."""
        begin = time.monotonic()
        self.process.send_signal(number)
        _, complaints = self.process.communicate(timeout=30)
        return self.process.returncode, complaints, time.monotonic() - begin


@pytest.fixture
def home() -> Iterator[Home]:
    """Folders with short names, because the paths of sockets are short; whatever runs is ended."""
    with tempfile.TemporaryDirectory(prefix="gt-test-", dir="/tmp") as folder:
        home = Home(Path(folder))
        yield home
        for process in home.started:
            process.kill()
            process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_says_where_it_is_and_ends_without_a_trace(home: Home, number: signal.Signals):
    server = home.server()
    assert f"  gt worker -p {server.port}" in server.lines
    assert f"  gt.connect('localhost:{server.port}')" in server.lines
    assert stat.S_IMODE(home.runtime.stat().st_mode) == 0o700
    assert [path.name for path in home.runtime.iterdir()] == ["gt"]
    names = {path.name for path in home.sockets.iterdir()}
    assert names == {f"{server.port}.{end}" for end in ("ipc", "watch", "relay", "json")}
    record = json.loads((home.sockets / f"{server.port}.json").read_text())
    assert record["pid"] == server.process.pid
    assert record["address"] is None
    code, complaints, seconds = server.end(number)
    assert (code, complaints) == (0, "")
    assert seconds < 5  # A second on an idle machine, where interpreters end faster too.
    assert list(home.sockets.iterdir()) == []
    assert not home.keys.exists()


def test_modules_are_commands_too(home: Home):
    server = home.start("-p", 0, module="gt.server")
    server.hear("gt.connect(")
    assert server.end()[0] == 0
    assert "gt worker" in subprocess.check_output(
        [sys.executable, "-m", "gt.worker", "--help"], text=True, env=home.environment
    )


def test_status_knows_the_server(home: Home):
    server = home.server()
    done = home.run("status", "-p", server.port)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(rf"GT \S+ at localhost:{server.port}, up for \d+ s\n", done.stdout)
    assert "no workers" in done.stdout
    assert "no sessions" in done.stdout
    report = json.loads(home.run("status", "-p", server.port, "--json").stdout)
    assert report["workers"] == report["sessions"] == []
    assert report["traffic"]["messages"] >= 1


def test_a_port_has_one_server(home: Home):
    first = home.server()
    second = home.run("server", "-p", first.port)
    assert second.returncode == 1
    expected = f"a server ({first.process.pid}) listens at port {first.port} already"
    assert expected in second.stderr
    assert home.run("status", "-p", first.port).returncode == 0


def test_a_killed_servers_port_is_free(home: Home):
    killed = home.server()
    port = killed.port
    assert killed.end(signal.SIGKILL)[0] == -signal.SIGKILL
    assert (home.sockets / f"{port}.json").exists()
    assert "no server of yours listens" in home.run("status", "-p", port).stderr
    server = home.server(port=port)
    assert home.run("status", "-p", port).returncode == 0
    assert server.end()[0] == 0


def test_a_server_leaves_other_files_in_its_runtime_folder(home: Home):
    """A folder that the user named may be one in which the user keeps other things."""
    killed = home.server()
    assert killed.end(signal.SIGKILL)[0] == -signal.SIGKILL
    names = ["config.json", "tokenizer.json", "ckpt.3999999.data", "1.3999999.data", "77.json"]
    files = [folder / name for folder in (home.runtime, home.sockets) for name in names]
    for file in files:
        file.write_text('{"pid": 3999999}')
    server = home.server()
    assert [file.read_text() for file in files] == ['{"pid": 3999999}'] * len(files)
    assert not (home.sockets / f"{killed.port}.json").exists()
    assert server.end()[0] == 0
    assert all(file.exists() for file in files)


@pytest.mark.parametrize("mode", [0o755, 0o710])
def test_a_folder_that_others_can_enter_is_refused(home: Home, mode: int):
    home.runtime.mkdir()
    home.runtime.chmod(mode)
    done = home.run("server", "-p", 0)
    assert done.returncode == 1
    assert f"others can enter it (its mode is {mode:o})" in done.stderr


def test_a_symbolic_link_is_refused(home: Home):
    target = home.runtime.with_name("target")
    target.mkdir(mode=0o700)
    home.runtime.symlink_to(target)
    assert "symbolic link" in home.run("server", "-p", 0).stderr


def test_a_long_folder_is_refused_with_advice(home: Home):
    folder = home.runtime.with_name("a" * 100)
    done = home.run("server", "-p", 0, GT_RUNTIME_DIR=str(folder))
    assert "the path of a socket has at most 107" in done.stderr
    assert "GT_RUNTIME_DIR" in done.stderr


def test_status_against_nothing_ends_soon(home: Home):
    begin = time.monotonic()
    done = home.run("status", "-p", "1", "--insecure")
    assert done.returncode == 1
    assert "there is no server at localhost:1" in done.stderr
    done = home.run("status", "-p", "1")
    assert "no server of yours listens at port 1 of this host" in done.stderr
    assert "GT_KEY" in done.stderr
    assert time.monotonic() - begin < 20


def test_keys_are_made_for_tcp_and_work(home: Home):
    server = home.server("--bind", "127.0.0.1")
    key, client = home.keys / "cluster.key", home.keys / "client.key"
    assert any("which have just been made" in line for line in server.lines)
    assert f"  gt worker --host 127.0.0.1 -p {server.port} --key {key}" in server.lines
    assert f"  gt.connect('127.0.0.1:{server.port}', key='{client}')" in server.lines
    assert stat.S_IMODE(home.keys.stat().st_mode) == 0o700
    names = {path.name for path in home.keys.iterdir()}
    assert names == {"allowed", "client.key", "cluster.key", "server.secret"}
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in home.keys.iterdir())
    tcp = ("status", "--host", "tcp://127.0.0.1", "-p", server.port)
    done = home.run(*tcp)
    assert (done.returncode, done.stderr) == (0, "")
    assert home.run(*tcp, "--key", key, GT_KEYS="/nowhere").returncode == 0
    assert home.run(*tcp, "--key", client, GT_KEYS="/nowhere").returncode == 0
    assert home.run(*tcp, GT_KEY=str(key), GT_KEYS="/nowhere").returncode == 0
    without = home.run(*tcp, GT_KEYS="/nowhere")
    assert "there is no /nowhere/cluster.key" in without.stderr
    server.end()
    again = home.server("--bind", "127.0.0.1")
    assert not any("just been made" in line for line in again.lines)


def test_a_wrong_key_is_told_from_silence(home: Home):
    server = home.server("--bind", "127.0.0.1")
    tcp = ("status", "--host", "tcp://127.0.0.1", "-p", server.port)
    other = home.keys.with_name("other")
    home.run("keys", "new", "somebody", GT_KEYS=str(other))
    begin = time.monotonic()
    stranger = home.run(*tcp, "--key", other / "cluster.key")
    assert stranger.returncode == 1
    assert "refuses this key" in stranger.stderr
    home.run("keys", "new", "ann")
    ann = (home.keys / "ann.key").read_text()
    assert home.run("keys", "remove", "ann").returncode == 0
    removed = home.keys / "copy.key"
    removed.touch(mode=0o600)
    removed.write_text(ann)
    # The server looks at its list once a second.
    while "refuses this key" not in home.run(*tcp, "--key", removed).stderr:
        assert time.monotonic() - begin < 30


def test_a_running_server_notices_keys(home: Home):
    server = home.server("--bind", "127.0.0.1")
    tcp = ("status", "--host", "tcp://127.0.0.1", "-p", server.port)
    made = home.run("keys", "new", "ann")
    path = home.keys / "ann.key"
    assert made.stdout.strip() == str(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    eventually(lambda: home.run(*tcp, "--key", path).returncode == 0)
    listed = home.run("keys", "list").stdout
    assert re.search(r"^ann\s+client\s+\S{40}\s+never\s+\S+ann\.key$", listed, re.MULTILINE)
    copy = home.keys.with_name("ann.copy")
    copy.touch(mode=0o600)
    copy.write_text(path.read_text())
    home.run("keys", "remove", "ann")
    assert not path.exists()
    eventually(lambda: "refuses this key" in home.run(*tcp, "--key", copy).stderr)


def test_a_key_has_one_role(home: Home):
    server = home.server("--bind", "127.0.0.1")
    port = str(server.port)
    home.run("keys", "new", "bob")
    home.run("keys", "new", "--worker", "node8")
    listed = home.run("keys", "list").stdout
    roles = re.findall(r"^(\w+)\s+(client|worker|both)\s", listed, re.MULTILINE)
    made = [("cluster", "both"), ("client", "client")]
    assert roles == [*made, ("bob", "client"), ("node8", "worker")]
    tcp = ("--host", "tcp://127.0.0.1", "-p", port)
    bob, node8 = (home.keys / f"{name}.key" for name in ("bob", "node8"))
    refused = home.run("worker", *tcp, "--key", bob)
    assert refused.returncode == 1
    assert "this key may not be a worker; `gt keys new --worker NAME`" in refused.stderr
    worker = home.start("worker", *tcp, "--threads", 1, "--memory", "100M", "--key", node8)
    worker.hear("works for")
    code = f"import gt; gt.connect('tcp://127.0.0.1:{port}'); print(gt.ones(3).sum().item())"
    refused = home.program(code, GT_KEY=str(node8))
    assert "this key may not open sessions; `gt keys new NAME`" in refused.stderr
    for key in (bob, home.keys / "cluster.key"):
        assert home.program(code, GT_KEY=str(key)).stdout == "3.0\n"


def test_the_role_in_the_list_holds_for_the_key_of_the_cluster_too(home: Home):
    server = home.server("--bind", "127.0.0.1")
    tcp = ("--host", "tcp://127.0.0.1", "-p", server.port, "--key", home.keys / "cluster.key")
    allowed = home.keys / "allowed"
    allowed.write_text(allowed.read_text().replace("role=both", "role=client"))
    # Only a key that is not in the list makes the server read it at once.
    home.run("keys", "new", "ann")
    assert home.run("status", *tcp[:-1], home.keys / "ann.key").returncode == 0
    refused = home.run("worker", *tcp)
    assert refused.returncode == 1
    assert "this key may not be a worker" in refused.stderr
    again = home.server("--bind", "127.0.0.1")
    refused = home.run("worker", *tcp[:3], again.port, *tcp[4:])
    assert "this key may not be a worker" in refused.stderr


def test_a_key_that_was_just_made_is_known_at_once(home: Home):
    """A server reads its list again before it refuses a key."""
    server = home.server("--bind", "127.0.0.1")
    tcp = ("--host", "tcp://127.0.0.1", "-p", server.port)
    for number in range(5):
        home.run("keys", "new", "--worker", f"node{number}")
        done = home.run("status", *tcp, "--key", home.keys / f"node{number}.key")
        assert (done.returncode, done.stderr) == (0, "")


def test_removing_a_key_ends_its_sessions_and_workers(home: Home):
    server = home.server("--bind", "127.0.0.1")
    tcp = ("--host", "tcp://127.0.0.1", "-p", server.port)
    for words in (["ann"], ["--expires", "2999-12-31", "bob"], ["--worker", "node8"]):
        home.run("keys", "new", *words)
    listed = home.run("keys", "list").stdout
    assert re.search(r"^bob\s+client\s+\S{40}\s+2999-12-31T00:00:00Z\s", listed, re.MULTILINE)
    node8 = home.keys / "node8.key"
    worker = home.start("worker", *tcp, "--threads", 1, "--memory", "100M", "--key", node8)
    worker.hear("works for")
    home.start("worker", "-p", server.port, "--threads", 1, "--memory", "100M").hear("works for")
    code = f"""
import gt
gt.connect('tcp://127.0.0.1:{server.port}')
print(gt.ones(3).sum().item(), flush=True)
input()
try:
    print(gt.ones(3).sum().item())
except gt.SessionLost as error:
    print(error)
"""
    clients = []
    for name in ("ann", "bob"):
        clients.append(
            subprocess.Popen(
                [sys.executable, "-c", code],
                env=home.environment | {"GT_KEY": str(home.keys / f"{name}.key")},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        assert clients[-1].stdout.readline() == "3.0\n"

    def report() -> dict[str, list[dict[str, object]]]:
        return json.loads(home.run("status", "-p", server.port, "--json").stdout)

    assert [len(report()[what]) for what in ("workers", "sessions")] == [2, 2]
    home.run("keys", "remove", "ann")
    assert "its connections are ended" in home.run("keys", "remove", "node8").stdout
    eventually(lambda: len(report()["sessions"]) == 1)
    eventually(lambda: len(report()["workers"]) == 1)
    assert worker.process.wait(timeout=60) == 1
    ann, bob = (client.communicate("\n", timeout=60)[0] for client in clients)
    assert "the key of this connection was removed" in ann
    assert bob == "3.0\n"


def test_an_expired_key_is_refused(home: Home):
    server = home.server("--bind", "127.0.0.1")
    tcp = ("status", "--host", "tcp://127.0.0.1", "-p", server.port, "--key")
    home.run("keys", "new", "--expires", "1d", "guest")
    guest = home.keys / "guest.key"
    assert home.run(*tcp, guest).returncode == 0
    allowed = home.keys / "allowed"
    allowed.write_text(re.sub(r"expires=\S+", "expires=2026-01-01", allowed.read_text()))
    eventually(lambda: "refuses this key" in home.run(*tcp, guest).stderr)
    assert "(expired)" in home.run("keys", "list").stdout
    wrong = home.run("keys", "new", "--expires", "soon", "ann")
    assert wrong.returncode == 2
    assert "'soon' is no time; write 90m, 12h, 30d" in wrong.stderr


def test_two_signals_within_a_second_are_one(home: Home):
    """As from `timeout`, which signals the process and then its group."""
    server = home.server()
    server.process.send_signal(signal.SIGTERM)
    assert server.end(signal.SIGINT)[:2] == (0, "")
    assert list(home.sockets.iterdir()) == []


def test_commands_find_the_server_themselves(home: Home):
    server = home.server()
    for command in ("status", "sessions"):
        done = home.run(command)
        assert (done.returncode, done.stderr) == (0, ""), command
    assert home.run("drain", "--all").returncode == 0
    assert home.run("drain", "--all", "--undo").returncode == 0
    assert "there is no session 7" in home.run("kill", 7).stderr
    assert "there is no session 7" in home.run("pause", 7).stderr
    assert "there is no session 7" in home.run("resume", 7).stderr
    wrong = home.run("status", "-p", "1")
    assert f"no server of yours listens at port 1 of this host, but one at port {server.port} " in (
        wrong.stderr
    )
    other = home.server()
    several = home.run("status")
    assert several.returncode == 1
    for port in (server.port, other.port):
        assert f"  --port {port}   process" in several.stderr
    done = home.run("status", **home.at(other))
    assert f"at localhost:{other.port}, up" in done.stdout
    done = home.run("status", "-p", server.port, **home.at(other))
    assert f"at localhost:{server.port}, up" in done.stdout


def test_a_host_that_is_not_known_is_named(home: Home):
    for command in ("status", "worker"):
        done = home.run(command, "--host", "no-such-host.invalid")
        assert done.returncode == 1
        assert "the name of the host cannot be resolved" in done.stderr
        assert "key" not in done.stderr


def test_a_client_is_told_that_the_server_was_restarted(home: Home):
    server = home.server()
    home.start("worker", "-p", server.port, "--threads", 1, "--memory", "100M").hear("works for")
    code = "import gt\nx = gt.ones(3)\nprint(x.sum().item(), flush=True)\ninput()\nx.tolist()"
    client = subprocess.Popen(
        [sys.executable, "-c", code],
        env=home.environment | home.at(server),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert client.stdout.readline() == "3.0\n"
    # It notices nothing before the next server is there.
    client.send_signal(signal.SIGSTOP)
    server.end(signal.SIGKILL)
    home.server(port=server.port)
    client.send_signal(signal.SIGCONT)
    complaint = client.communicate("\n", timeout=60)[1]
    assert "SessionLost" in complaint
    assert "the server was restarted, and its sessions ended with it" in complaint


def test_logs_and_traces_are_for_their_owner(home: Home):
    log = home.keys.with_name("events.log")
    server = home.server("--log", log)
    home.start("worker", "-p", server.port, "--threads", 1, "--memory", "100M").hear("works for")
    folder = home.keys.with_name("traces")
    assert home.run("trace", "-s", 0.1, "--dir", folder, "-p", server.port).returncode == 0
    (trace,) = folder.iterdir()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (log, trace)] == [0o600, 0o600]


def test_a_server_without_descriptors_says_so_and_goes_on(home: Home):
    few = (resource.RLIMIT_NOFILE, (64, 64))
    server = home.start("server", "-p", 0, before=lambda: resource.setrlimit(*few))
    server.hear("gt.connect(")
    worker = home.start("worker", "-p", server.port, "--threads", 1, "--memory", "100M")
    worker.hear("works for")
    path = str(home.sockets / f"{server.port}.ipc")
    crowd = [socket.socket(socket.AF_UNIX) for _ in range(80)]
    for silent in crowd:
        silent.connect(path)
    assert server.process.poll() is None
    for silent in crowd:
        silent.close()
    code = f"""
import gt
gt.connect('localhost:{server.port}')
sessions = []
try:
    while len(sessions) < 80:
        sessions.append(gt.connect('localhost:{server.port}', new=True))
except RuntimeError as error:
    print(str(error), len(sessions))
print(gt.ones(3).sum().item())
"""
    eventually(lambda: home.run("status", "-p", server.port).returncode == 0)
    done = home.program(code)
    refused, value = done.stdout.splitlines()
    assert "descriptors in use and takes no more connections" in refused, done.stderr
    assert 5 < int(refused.split()[-1]) < 64
    assert value == "3.0"
    again = "import gt; print(gt.ones(1).sum().item())"
    eventually(lambda: home.program(again, **home.at(server)).stdout == "1.0\n")


def test_descriptors_are_raised_to_what_is_allowed(home: Home):
    server = home.start(
        "server", "-p", 0, before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 500))
    )
    server.hear("gt.connect(")
    limits = Path(f"/proc/{server.process.pid}/limits").read_text()
    assert re.search(r"Max open files\s+500\s+500\s", limits), limits


def test_a_log_goes_on_and_complains_once(home: Home):
    log = home.keys.with_name("events.log")
    log.write_text("what was there\n")
    home.program("import gt; gt.ones(2).sum().item()", GT_INSTRUCTION_LOG=str(log))
    first, *rest = log.read_text().splitlines()
    assert first == "what was there"
    assert any("sum" in line for line in rest)
    code = "import gt\nfor _ in range(3): gt.ones(2).sum().item()\nprint('through')"
    done = home.program(code, GT_INSTRUCTION_LOG="/dev/full")
    assert (done.returncode, done.stdout) == (0, "through\n")
    assert done.stderr.count("GT_INSTRUCTION_LOG: /dev/full cannot be written") == 1


def test_loose_keys_are_refused(home: Home):
    home.run("keys", "new", "ann")
    (home.keys / "ann.key").chmod(0o644)
    tcp = ("status", "--host", "tcp://127.0.0.1", "-p", 1)
    done = home.run(*tcp, "--key", home.keys / "ann.key")
    assert "can be read by others (its mode is 644)" in done.stderr
    (home.keys / "server.secret").chmod(0o640)
    done = home.run("server", "-p", 0, "--bind", "127.0.0.1")
    assert done.returncode == 1
    assert "server.secret can be read by others" in done.stderr
    assert list(home.sockets.iterdir()) == []


def test_insecure_means_no_keys(home: Home):
    server = home.server("--bind", "127.0.0.1", "--insecure")
    tcp = ("status", "--host", "tcp://127.0.0.1", "-p", server.port)
    assert home.run(*tcp, "--insecure").returncode == 0
    assert not home.keys.exists()
    assert f"  gt.connect('127.0.0.1:{server.port}', insecure=True)" in server.lines


def test_connect_says_what_is_missing(home: Home):
    done = home.program("import gt; gt.connect('localhost:1')")
    assert "RuntimeError: connect: localhost:1 cannot be reached" in done.stderr
    assert "gt server -p 1" in done.stderr
    done = home.program("import gt; gt.ones(1)", GT_SERVER="node7:x")
    assert "ValueError: 'node7:x' is no address of a server" in done.stderr
    done = home.program("import gt; gt.connect('a:1', key='x', insecure=True)")
    assert "exclude each other" in done.stderr


def test_wrong_words_are_named(home: Home):
    assert home.run("--version").stdout.startswith("gt ")
    wrong = home.run("server", "--prot", "1")
    assert wrong.returncode == 2
    assert "--prot" in wrong.stderr
    assert "no group 'no such group'" in home.run("server", "--allow-group", "no such group").stderr
    assert "512M" in home.run("worker", "--memory", "much").stderr
    home.run("keys", "new", "ann")
    assert "no key 'bob'" in home.run("keys", "remove", "bob").stderr
    assert "cannot be the name of a key" in home.run("keys", "new", "../bob").stderr


def eventually(holds: Callable[[], bool]) -> None:
    """Try until it holds; what changes meanwhile is another process."""
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
