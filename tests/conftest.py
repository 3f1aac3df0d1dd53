"""Fixtures of all tests: where GT runs, PyTorch as the oracle, programs in their own processes."""

import atexit
import datetime
import functools
import importlib
import importlib.util
import os
import random
import subprocess
import sys
import textwrap
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import gt
import numpy as np
import pytest
from cluster import Cluster, plain_environment
from hypothesis import settings

TORCH_REQUIRED = os.environ.get("GT_REQUIRE_TORCH") == "1"
TORCH_FOUND = importlib.util.find_spec("torch") is not None

# Some virtual machines name matrix tiles among the instructions of the processor and have none:
# PyTorch would end by them.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

# The first call of a kernel warms pools and caches, so one slow example means nothing.
# A newcomer's first run must not depend on luck; `make soak` looks for what is new.
settings.register_profile("default", deadline=None, print_blob=True, derandomize=True)
settings.register_profile("soak", deadline=None, print_blob=True, max_examples=5_000)
settings.load_profile("default")


def pytest_configure(config: pytest.Config) -> None:
    """Stop at once where the oracle was promised and is missing.

    Without this, a module that skips itself when torch is absent would pass CI unseen.
    """
    if TORCH_REQUIRED and not TORCH_FOUND:
        raise pytest.UsageError("GT_REQUIRE_TORCH=1, but torch is not installed in this Python")


# Where GT runs while a test does: in the test's process, in others of this host, in others behind
# TCP and keys.
ARRANGEMENTS = ("embedded", "ipc", "tcp")
# How many workers the others have; programs ask for at most three.
WORKERS = 3
# Kernels need not meet every transport: of the tests that are not marked `everywhere`, this share
# runs between processes too, another one each day. `make soak` runs them all.
SAMPLED = 0.03


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run choose its arrangements, its sample of tests and their order."""
    parser.addoption(
        "--arrangements",
        default=",".join(ARRANGEMENTS),
        help=f"where GT runs, some of {','.join(ARRANGEMENTS)}",
    )
    parser.addoption(
        "--full",
        action="store_true",
        help="leave nothing out: every test in every arrangement, every form, many repetitions",
    )
    parser.addoption("--seed", type=int, help="which sample and, with --shuffle, which order")
    parser.addoption(
        "--oracles",
        action="store_true",
        help="only the tests that need PyTorch or Chromium",
    )
    parser.addoption("--shuffle", action="store_true", help="run the tests in a random order")


def seed_of(config: pytest.Config) -> int:
    """Give the number that the sample and the order depend on, the same in all processes."""
    given = config.getoption("seed")
    if given is None:
        given = int(os.environ.setdefault("TEST_SEED", str(datetime.date.today().toordinal())))
    return given


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what to give to repeat this run, and what it leaves out."""
    lines = [f"sample and order: --seed {seed_of(config)}"]
    if not TORCH_FOUND:
        lines.append("tests that compare with PyTorch are left out; `make oracle` installs it")
    return lines


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Offer every test in each arrangement."""
    if "arrangement" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("arrangements").split(",")
        metafunc.parametrize("arrangement", chosen, indirect=True)


def arrangement_of(item: pytest.Item) -> str:
    """Where an item runs."""
    return item.callspec.params.get("arrangement", "embedded") if hasattr(item, "callspec") else ""


def is_chosen(item: pytest.Item, seed: int) -> bool:
    """Whether an item belongs to this run: what is about one process runs in one."""
    if arrangement_of(item) not in ARRANGEMENTS[1:]:
        return True
    if item.get_closest_marker("embedded"):
        return False
    if item.get_closest_marker("everywhere") or item.config.getoption("full"):
        return True
    return random.Random(f"{seed} {item.nodeid}").random() < SAMPLED


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not in the sample, and keep the items of an arrangement together."""
    seed = seed_of(config)
    chosen = [item for item in items if is_chosen(item, seed)]
    if config.getoption("oracles"):
        needed = {"torch", "browser"}
        chosen = [item for item in chosen if needed & set(getattr(item, "fixturenames", ()))]
    if not TORCH_FOUND:
        chosen = [item for item in chosen if "torch" not in getattr(item, "fixturenames", ())]
    if config.getoption("shuffle"):
        random.Random(seed).shuffle(chosen)
    # Each change of arrangement ends a session and begins another.
    chosen.sort(key=lambda item: ARRANGEMENTS.index(arrangement_of(item) or "embedded"))
    kept = set(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = chosen


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


@pytest.fixture(autouse=True)
def seeds(request: pytest.FixtureRequest, arrangement: str) -> None:
    """Give every test random numbers of its own, whatever ran before it and wherever it runs."""
    name = request.node.nodeid.replace(f"{arrangement}", "")
    seed = zlib.crc32(name.encode())
    random.seed(seed)
    np.random.seed(seed)
    gt.manual_seed(seed)
    if module := sys.modules.get("torch"):
        module.manual_seed(seed)


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether this run leaves nothing out: `make soak`."""
    return request.config.getoption("full")


@pytest.fixture(scope="session")
def torch() -> ModuleType:
    """PyTorch, the oracle; a test that asks for it is left out where it is not installed."""
    module = importlib.import_module("torch")
    # The processes of the tests share the cores; PyTorch's threads would wait for each other.
    module.set_num_threads(1)
    return module


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
