"""A server and workers in processes of their own, started for tests and ended with them."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

# A process that has said nothing for so long has failed.
PATIENCE = 60


def plain_environment(**more: str) -> dict[str, str]:
    """Give this process's environment without GT's own variables, and with these."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("GT_")}
    return plain | more


class Process:
    """A program of GT's that runs until it is ended, and what it has said so far."""

    def __init__(self, *arguments: str, inside: str | None = None, **environment: str):
        namespace = ["ip", "netns", "exec", inside] if inside else []
        command = [*namespace, sys.executable, "-m", *arguments]
        self.child = subprocess.Popen(
            command,
            env=plain_environment(PYTHONUNBUFFERED="1", **environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said = ""

    def expect(self, pattern: str) -> re.Match[str]:
        """Read until a line matches; the process must not end before."""
        for line in self.child.stdout:
            self.said += line
            if found := re.search(pattern, line):
                return found
        raise AssertionError(f"{self.child.args} ended without {pattern!r}: {self.said}")

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End it and give its exit code."""
        if self.child.poll() is None:
            self.child.send_signal(how)
        self.said += self.child.communicate(timeout=PATIENCE)[0]
        return self.child.returncode


class Cluster:
    """A server with workers, in a runtime folder with keys of its own."""

    def __init__(
        self,
        *server_arguments: str,
        workers: int = 0,
        tcp: bool = False,
        inside: str | None = None,
    ):
        # Paths of Unix sockets are short, and those of pytest are not.
        self.folder = Path(tempfile.mkdtemp(prefix="gt-"))
        self.tcp, self.workers = tcp, []
        self.environment = {
            "GT_RUNTIME_DIR": str(self.folder / "run"),
            "GT_KEYS": str(self.folder / "keys"),
        }
        bind = ["--bind", "127.0.0.1"] if tcp else []
        arguments = ("-p", "0", *bind, *server_arguments)
        self.server = Process("gt.server", *arguments, inside=inside, **self.environment)
        line = r"gt\.connect\('(127\.0\.0\.1:\d+)'" if tcp else r"gt\.connect\('(localhost:\d+)'\)"
        self.address = self.server.expect(line)[1]
        self.port = self.address.rpartition(":")[2]
        if tcp:
            self.address = f"tcp://{self.address}"
            self.environment["GT_KEY"] = str(self.folder / "keys" / "cluster.key")
        for _ in range(workers):
            self.add_worker()

    def add_worker(self, *arguments: str, **environment: str) -> Process:
        """Start a worker and wait until it is taken on."""
        host = self.address.rpartition(":")[0]
        place = ("--host", host, "-p", self.port)
        worker = Process("gt.worker", *place, *arguments, **(self.environment | environment))
        self.workers.append(worker)
        worker.expect("works for")
        return worker

    @property
    def variables(self) -> dict[str, str]:
        """Give the variables by which a program finds the cluster without a word of its own."""
        return self.environment | {"GT_SERVER": self.address}

    def status(self) -> subprocess.CompletedProcess[str]:
        """Ask the server what is there."""
        host = self.address.rpartition(":")[0]
        command = [sys.executable, "-m", "gt", "status", "--json", "--host", host, "-p", self.port]
        env = plain_environment(**self.environment)
        return subprocess.run(
            command, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    def close(self) -> None:
        """End every process and remove every file."""
        for process in [*self.workers, self.server]:
            process.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
