"""Fixtures every test may ask for: PyTorch as the oracle, and programs in their own processes."""

import importlib
import importlib.util
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
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


@pytest.fixture(scope="session")
def torch() -> ModuleType:
    """PyTorch, the oracle; a test that asks for it is skipped where it is not installed."""
    if TORCH_REQUIRED:
        return importlib.import_module("torch")
    return pytest.importorskip("torch", reason="torch is not installed; `make oracle` adds it")


class Script:
    """A Python program in a process of its own, where every session is fresh."""

    def __init__(self, folder: Path):
        self.folder = folder

    def command(self, code: str) -> list[str]:
        """Write the program to a file and give the command that runs it."""
        path = self.folder / "script.py"
        path.write_text(textwrap.dedent(code), encoding="utf-8")
        return [sys.executable, str(path)]

    @staticmethod
    def environment(env: dict[str, str]) -> dict[str, str]:
        """Take GT's own variables out of this environment and put `env` on top."""
        plain = {key: value for key, value in os.environ.items() if not key.startswith("GT_")}
        return plain | env

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
def script(tmp_path: Path) -> Callable[..., str]:
    """Run a program in a process of its own: `script("print(1)", GT_THREADS="1")` gives "1"."""
    return Script(tmp_path)
