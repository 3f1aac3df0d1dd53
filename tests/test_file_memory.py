"""What files cost while they are written and read: memory, and what the disk has when."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import gt
import pytest
from cluster import PATIENCE, plain_environment

pytestmark = pytest.mark.embedded("measures the process that has the tensors")

MIB = 1 << 20
SIZE = 80 * MIB

# The kernel counts the peak of resident memory from where `clear_refs` is written.
MEASURE = f"""
import re, sys
from pathlib import Path
import gt

def resident(key):
    found = re.search(rf"^{{key}}:\\s+(\\d+) kB", Path("/proc/self/status").read_text(), re.M)
    return int(found[1]) << 10

def peak(work):
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    made = work()
    gt.synchronize()
    print(resident("VmHWM") - before)
    return made

count, path = int(sys.argv[1]), sys.argv[2]
state = {{f"t{{n}}": gt.full(({SIZE} // 4 // count,), float(n)) for n in range(count)}}
gt.synchronize()
gt.save({{"a": gt.ones(3)}}, path)
gt.load(path)
peak(lambda: gt.save(state, path))
state = None
gt.synchronize()
state = peak(lambda: gt.load(path))
assert all(tensor[-1].item() == n for n, tensor in enumerate(state.values()))
"""


@pytest.mark.parametrize("count", [1, 7])
def test_a_file_is_held_once_at_most(count: int, tmp_path: Path):
    """Saving holds a piece besides the tensors, and loading only the tensors."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(count), str(tmp_path / "state")],
        env=plain_environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    saving, loading = map(int, done.stdout.split())
    assert saving < 0.75 * SIZE
    assert loading < 1.5 * SIZE


@pytest.mark.parametrize("sharded", [False, True])
def test_a_saved_file_is_on_the_disk(sharded: bool, tmp_path: Path, monkeypatch):
    """The file before its name has a meaning, and then the folder that has the name."""
    synchronised: list[tuple[str, list[str]]] = []
    fsync = os.fsync

    def watched(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        names = sorted(found.name for found in tmp_path.rglob("*") if found.is_file())
        kind = "folder" if is_folder else re.sub("[0-9a-f]{8}", "", path.suffix)
        synchronised.append((kind, names))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    target = tmp_path / "state"
    gt.save({"a": gt.ones(3)}, target, sharded=sharded)
    kinds = [kind for kind, _ in synchronised]
    if sharded:
        assert kinds == [".safetensors", "folder", "." + kinds[2][1:], "folder"]
        assert "model.safetensors.index.json" not in synchronised[2][1]
        assert "model.safetensors.index.json" in synchronised[3][1]
    else:
        assert kinds[1:] == ["folder"]
        assert "state" not in synchronised[0][1]
        assert synchronised[1][1] == ["state"]
    assert gt.load(target)["a"].shape == (3,)


def test_a_save_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch):
    target = tmp_path / "state"
    gt.save({"a": gt.ones(3)}, target)
    before = target.read_bytes()

    def broken(_: int) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="the disk is gone"):
        gt.save({"a": gt.zeros(3)}, target)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
    assert target.read_bytes() == before
