"""Fixtures every test may ask for: PyTorch as the oracle, and how hard hypothesis searches."""

import importlib
import importlib.util
import os
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
