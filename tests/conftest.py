"""Fixtures of all tests: where GT runs, PyTorch as the oracle, programs in their own processes."""

import atexit
import functools
import importlib
import importlib.util
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import gt
import pytest
from cluster import Cluster, plain_environment
from hypothesis import settings

TORCH_REQUIRED = os.environ.get("GT_REQUIRE_TORCH") == "1"

# The first call of a kernel warms pools and caches, so one slow example means nothing.
settings.register_profile("default", deadline=None, print_blob=True)
settings.register_profile("soak", deadline=None, print_blob=True, max_examples=5_000)
settings.load_profile("default")


def pytest_configure(config: pytest.Config) -> None:
    """Stop at once where the oracle was promised and is missing.

    Without this, a module that skips itself when torch is absent would pass CI unseen.
    """
    if TORCH_REQUIRED and importlib.util.find_spec("torch") is None:
        raise pytest.UsageError("GT_REQUIRE_TORCH=1, but torch is not installed in this Python")


# Where GT runs while a test does: in the test's process, in others of this host, in others behind
# TCP and keys.
ARRANGEMENTS = ("embedded", "ipc", "tcp")
# How many workers the others have; programs ask for at most three.
WORKERS = 3


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run choose some arrangements: `pytest --arrangements embedded`."""
    words = f"where GT runs, some of {','.join(ARRANGEMENTS)}"
    parser.addoption("--arrangements", default=",".join(ARRANGEMENTS), help=words)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test once in each arrangement."""
    if "arrangement" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("arrangements").split(",")
        metafunc.parametrize("arrangement", chosen, indirect=True)


@functools.cache
def cluster_of(arrangement: str) -> Cluster:
    """Start the processes of an arrangement, once for all tests of this process."""
    cluster = Cluster(workers=WORKERS, tcp=arrangement == "tcp")
    atexit.register(cluster.close)
    return cluster


current = "embedded"


@pytest.fixture(autouse=True)
def arrangement(request: pytest.FixtureRequest) -> str:
    """Say where GT runs in this test. `@pytest.mark.embedded(reason)` allows one place only."""
    global current
    wanted = getattr(request, "param", "embedded")
    if wanted != "embedded" and (mark := request.node.get_closest_marker("embedded")):
        pytest.skip(f"embedded only: {mark.args[0]}")
    if wanted != current:
        gt.disconnect()
        while gt.status()["open"]:
            gt.disconnect()
        for name in list(os.environ):
            if name in ("GT_SERVER", "GT_KEY", "GT_KEYS", "GT_RUNTIME_DIR"):
                del os.environ[name]
        if wanted != "embedded":
            os.environ.update(cluster_of(wanted).variables)
        current = wanted
    return wanted


@pytest.fixture(scope="session")
def torch() -> ModuleType:
    """PyTorch, the oracle; a test that asks for it is skipped where it is not installed."""
    if TORCH_REQUIRED:
        return importlib.import_module("torch")
    return pytest.importorskip("torch", reason="torch is not installed; `make oracle` adds it")


class Script:
    """A Python program in a process of its own, where every session is fresh."""

    def __init__(self, folder: Path, variables: dict[str, str]):
        self.folder, self.variables = folder, variables

    def command(self, code: str) -> list[str]:
        """Write the program to a file and give the command that runs it."""
        path = self.folder / "script.py"
        path.write_text(textwrap.dedent(code), encoding="utf-8")
        return [sys.executable, str(path)]

    def environment(self, env: dict[str, str]) -> dict[str, str]:
        """Leave only the variables that say where GT runs, and put `env` on top."""
        return plain_environment(**(self.variables | env))

    def run(self, code: str, timeout: float = 110, **env: str) -> subprocess.CompletedProcess[str]:
        """Run the program to its end, whatever that is."""
        return subprocess.run(
            self.command(code),
            env=self.environment(env),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def __call__(self, code: str, **env: str) -> str:
        """Run the program; it must end well and say nothing but its result, which is returned."""
        done = self.run(code, **env)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout.rstrip("\n")


@pytest.fixture
def script(tmp_path: Path, arrangement: str) -> Callable[..., str]:
    """Run a program in a process of its own: `script("print(1)", GT_THREADS="1")` gives "1"."""
    variables = {} if arrangement == "embedded" else cluster_of(arrangement).variables
    return Script(tmp_path, variables)
