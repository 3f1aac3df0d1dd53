"""Random training programs, whose numbers must not depend on signals, meshes and workers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cluster import plain_environment
from conftest import WORKERS, seed_of

pytestmark = pytest.mark.everywhere

HERE = Path(__file__).parent
# How many programs run in an arrangement.
PROGRAMS = 120


def check(variables: dict[str, str], first: int, count: int, seconds: int = 3600) -> None:
    """Run programs in a process of its own, so that each has sessions of its own."""
    numbers = map(str, (first, count, seconds))
    command = [sys.executable, str(HERE / "sharded_programs.py"), *numbers]
    done = subprocess.run(
        command,
        env=plain_environment(**variables),
        capture_output=True,
        text=True,
        timeout=seconds + 120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " programs agree" in done.stdout, done.stdout


def variables_of(arrangement: str) -> dict[str, str]:
    """Where the programs run."""
    if arrangement == "embedded":
        return {}
    names = ("GT_SERVER", "GT_KEY", "GT_KEYS", "GT_RUNTIME_DIR")
    there = {name: os.environ[name] for name in names if name in os.environ}
    return there | {"GT_TEST_WORKERS": str(WORKERS)}


def test_a_config_changes_no_numbers(arrangement):
    """The same programs in every run."""
    check(variables_of(arrangement), 0, PROGRAMS)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_a_config_changes_no_numbers_for_an_hour(arrangement, request):
    """Other programs in every run; the seed is in the header and in a failure."""
    seconds = 6 * int(os.environ.get("SOAK_SECONDS", "600"))
    check(variables_of(arrangement), seed_of(request.config) * 1_000_000, 1_000_000, seconds)
