"""Which tests run where: what `conftest.py` chooses, as `pytest` itself lists it."""

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

pytestmark = pytest.mark.embedded("is about the choice of tests, not about GT")

HERE = Path(__file__).parent
# Marked `everywhere`, marked `embedded` in part, and not marked: hundreds of tests, none of which
# needs PyTorch.
FILES = ("test_failures.py", "test_modules.py", "test_tensor.py")


def collected(*options: str) -> dict[str, set[str]]:
    """The names of the tests that each arrangement would run."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "TEST_SEED"))}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *options, *(str(HERE / name) for name in FILES)],
        env=environment,
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    found = defaultdict(set)
    for line in done.stdout.splitlines():
        file, _, test = line.rpartition("::")
        for arrangement in ("embedded", "ipc", "tcp"):
            if file and arrangement in test.partition("[")[2]:
                found[arrangement].add(f"{file}::{test.replace(arrangement, '')}")
    return found


def of(names: set[str], file: str) -> set[str]:
    return {name for name in names if file in name}


def test_all_run_embedded_and_a_sample_that_its_seed_repeats_elsewhere() -> None:
    first, again, other = (collected("--seed", seed) for seed in ("1", "1", "2"))
    assert first == again
    assert first["embedded"] == other["embedded"]
    for arrangement in ("ipc", "tcp"):
        # What is marked `everywhere` leaves no arrangement out.
        assert of(first[arrangement], "failures") == of(first["embedded"], "failures")
        sample, everything = (of(first[part], "tensor") for part in (arrangement, "embedded"))
        assert 0 < len(sample) < len(everything) / 10
        assert sample < everything
        assert sample != of(other[arrangement], "tensor")
    assert of(first["ipc"], "tensor") != of(first["tcp"], "tensor")


def test_a_full_run_leaves_out_only_what_is_about_one_process() -> None:
    full = collected("--full")
    assert full["ipc"] == full["tcp"]
    left = full["embedded"] - full["ipc"]
    assert {name.partition("::")[2].partition("[")[0] for name in left} == {
        "test_data_that_was_replaced_is_freed"
    }
