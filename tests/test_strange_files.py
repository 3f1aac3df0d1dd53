"""Files of strangers are read or refused; time and memory are bounded by the size of the file."""

import io
import json
import pickle
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import gt
import numpy as np
import pytest
from cluster import plain_environment

pytestmark = pytest.mark.embedded("files are read by the program's own process")

MIB = 1 << 20
# What a command of GT's needs before it has read anything, and with the slack of an allocator.
PLAIN_BYTES = 160 * MIB
# A parsed line, value or node may be so many times as large as its text.
TIMES_AS_LARGE = 40
# Seconds of the processor, for a start and for each megabyte; on a machine that others use too.
PLAIN_SECONDS, SECONDS_FOR_A_MIB = 6, 6


def line(number: int, event: str = "WORKER_RECV", **changes: object) -> str:
    """Give a line of a log."""
    parts = {
        "source": "WORKER w0",
        "command": "WorkerBinaryOp",
        "bytes": "32B",
        "op": "add",
        "signal": "forward",
        "session": "s1",
        "ns": 1000 * number,
        "start": 1000 * number - 900,
        "took": 800,
    } | changes
    return (
        "{seconds:.3f}s | #{number:04} | {event} | {source} | {command} | {bytes} | "
        'session={session} op={op} i={number} signal="{signal}" success=True ns={ns} '
        "start_ns={start} took_ns={took} t2 := add t0 t1"
    ).format(seconds=number / 1e6, number=number, event=event, **parts)


def lines(count: int, change: Callable[[int], dict[str, object]], event: str = "WORKER_RECV"):
    """Give a log of so many lines, each of which differs in something."""
    return "\n".join(line(number, event, **change(number)) for number in range(count)).encode()


END = 2**64 - 1
COUNT = 4_000
LOGS: dict[str, Callable[[], bytes]] = {
    "noise": lambda: np.random.default_rng(0).bytes(MIB),
    "one line without an end": lambda: line(1).encode() + b"x" * MIB,
    "bars": lambda: b" | " * (MIB // 3),
    "empty lines": lambda: b"\n" * MIB,
    "many workers": lambda: lines(COUNT, lambda n: {"source": f"WORKER w{n}"}),
    "many sessions": lambda: lines(COUNT, lambda n: {"session": f"s{n}"}),
    "many clients": lambda: lines(
        COUNT, lambda n: {"source": f"CLIENT s{n}", "session": f"s{n}"}, "RECV"
    ),
    "many operations": lambda: lines(COUNT, lambda n: {"op": f"op{n}", "signal": f"g{n}"}),
    "long names": lambda: lines(100, lambda n: dict.fromkeys(("op", "signal"), "x" * 5000)),
    "long work": lambda: lines(COUNT, lambda n: {"start": 0, "took": END}),
    "the end of time": lambda: lines(9, lambda n: {"ns": END - 9 + n, "start": END, "took": END}),
    "a moment at the end": lambda: lines(2, lambda n: {"ns": END - n, "start": END - 1, "took": 0}),
    "large numbers": lambda: lines(COUNT, lambda n: {"bytes": "9999999999999EB", "i": END}),
    "missing without end": lambda: f"# {END} events are missing\n".encode() * 99 + line(1).encode(),
}


# The peak of a process counts what its parent had when it began, so that the parent is a small one.
MEASURE = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
child.returncode = os.waitstatus_to_exitcode(status)
print(child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
"""


class Spent:
    """What a process has used by its end."""

    def __init__(self, *command: object, **environment: str):
        words = [sys.executable, "-m", "gt", *map(str, command)]
        done = subprocess.run(
            [sys.executable, "-S", "-c", MEASURE, *words],
            env=plain_environment(**environment),
            capture_output=True,
            text=True,
            check=True,
        )
        self.words = done.stderr
        code, seconds, peak = done.stdout.split()
        self.code, self.seconds, self.bytes = int(code), float(seconds), int(peak)


@pytest.mark.parametrize("name", LOGS)
def test_a_strange_log_is_drawn_or_refused(name, tmp_path):
    path = tmp_path / "ops.log"
    path.write_bytes(LOGS[name]())
    size = path.stat().st_size
    # A page is written from what a picture is drawn from.
    forms = ["png", "html"] if size < MIB // 2 else ["png"]
    commands = [("visualize", path, "-o", tmp_path / f"a.{form}") for form in forms]
    for command in [*commands, ("why", path)]:
        spent = Spent(*command)
        assert spent.code in (0, 1), (command, spent.words)
        assert "panicked" not in spent.words, spent.words
        assert spent.seconds < PLAIN_SECONDS + SECONDS_FOR_A_MIB * size / MIB, command
        # A picture has points, however few lines it is drawn from.
        points = 400 * MIB if command[0] == "visualize" else 0
        assert spent.bytes < PLAIN_BYTES + points + TIMES_AS_LARGE * size, command


def test_of_very_many_sessions_some_are_explained_and_any_if_it_is_asked_for(tmp_path):
    path = tmp_path / "ops.log"
    text = [line(n, "RECV", source="CLIENT c", session=f"s{n % 200}") for n in range(1, 1000)]
    path.write_text("\n".join(text))
    why = [sys.executable, "-m", "gt", "why", str(path)]
    done = subprocess.run([*why, "--json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert (len(found["sessions"]), found["known_sessions"]) == (64, 200)
    said = subprocess.run(why, capture_output=True, text=True, check=True).stdout
    assert said.strip().endswith("136 more sessions lasted shorter; --session speaks of one.")
    for name in ("s0", "s150", "s199"):
        one = subprocess.run(
            [*why, "--session", name], capture_output=True, text=True, check=True
        ).stdout
        assert name in one
        assert "more sessions" not in one


def resident(key: str) -> int:
    """Give the bytes that this process has in memory, now or at most."""
    found = re.search(rf"^{key}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.M)
    return int(found[1]) << 10


def bounded(size: int, work: Callable[[], object]) -> str:
    """Run something that reads so many bytes; give what was wrong, if something was."""
    # The kernel counts the peak from here on.
    Path("/proc/self/clear_refs").write_text("5")
    before, start = resident("VmRSS"), time.process_time()
    try:
        work()
        said = ""
    except (ValueError, RuntimeError) as error:
        said = str(error)
    assert time.process_time() - start < 1 + SECONDS_FOR_A_MIB * size / MIB
    assert resident("VmHWM") - before < 32 * MIB + TIMES_AS_LARGE * size
    return said


def bomb(width: int, depth: int) -> str:
    """Give a list whose items are lists of lists, by aliases."""
    rows = ["a0: &a0 [x" + ", x" * (width - 1) + "]"]
    for level in range(1, depth):
        rows.append(f"a{level}: &a{level} [" + ", ".join([f"*a{level - 1}"] * width) + "]")
    return "\n".join(rows)


def shared_text(copies: int) -> str:
    """Give a text that is long, and many aliases of it; anchors enough that they are no ratio."""
    anchors = "".join(f"n{n}: &n{n} 1\n" for n in range(copies // 9))
    return f"{anchors}long: &long {'x' * 300_000}\nall: [{', '.join(['*long'] * copies)}]\n"


YAML = {
    "laughs": lambda: bomb(9, 12),
    "wide laughs": lambda: bomb(1000, 3),
    "a text many times": lambda: shared_text(20_000),
    "depth": lambda: "[" * 200_000,
    "depth of maps": lambda: "{a: " * 100_000,
    "depth by lines": lambda: "\n".join(" " * n + "a:" for n in range(1000)),
    "a huge text": lambda: "a: " + "x" * 900_000,
    "a huge quoted text": lambda: 'a: "' + "\\u0041" * 140_000 + '"',
    "a huge key": lambda: "x" * 900_000 + ": 1",
    "many keys": lambda: "".join(f"k{n}: {{}}\n" for n in range(60_000)),
    "too large": lambda: "#" * (2 * MIB),
    "merges": lambda: "a: &a {x: 1}\nb: {" + ", ".join(["<<: *a"] * 20_000) + "}",
    "a number without end": lambda: "a: {shard: {axis: " + "9" * 500_000 + "}}",
    "anchors": lambda: "".join(f"k{n}: &k{n} {{}}\n" for n in range(50_000)),
    "documents": lambda: "---\na: {}\n" * 50_000,
    "a tag": lambda: "a: !!binary " + "AAAA" * 200_000,
}


@pytest.mark.parametrize("name", YAML)
def test_a_strange_config_is_read_or_refused(name, tmp_path):
    path = tmp_path / "signals.yaml"
    path.write_text(YAML[name]())
    with gt.connect(new=True):
        said = bounded(path.stat().st_size, lambda: gt.load_config(str(path)))
    assert len(said) < 2000, "an error shows its place and not the file"
    assert said or name in ("many keys", "anchors"), "nothing was wrong"


def test_a_config_without_an_end_is_refused():
    with gt.connect(new=True):
        said = bounded(MIB, lambda: gt.load_config("/dev/zero"))
    assert "/dev/zero" in said
    assert "more than 1048576 bytes" in said


@pytest.mark.parametrize(
    "name", ["laughs", "a text many times", "depth", "too large", "a huge key"]
)
def test_a_strange_policy_is_refused(name, tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text("users:\n" + YAML[name]())
    size = path.stat().st_size
    environment = {"GT_RUNTIME_DIR": str(tmp_path / "run"), "GT_KEYS": str(tmp_path / "keys")}
    spent = Spent("server", "-p", "0", "--policy", path, **environment)
    assert spent.code == 1
    assert str(path) in spent.words
    assert len(spent.words) < 2000
    assert spent.seconds < PLAIN_SECONDS + SECONDS_FOR_A_MIB * size / MIB
    assert spent.bytes < PLAIN_BYTES + TIMES_AS_LARGE * size


def safetensors(header: object, elements: bytes = b"") -> bytes:
    """Give a safetensors file with this header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + elements


def entry(**changes: object) -> dict[str, object]:
    return {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} | changes


TREE = '{"tuple":[' * 5000 + "1" + "]}" * 5000
SAFETENSORS = {
    "many names": lambda: safetensors({str(n): entry() for n in range(10_000)}),
    "many tensors of nothing": lambda: safetensors(
        {str(n): entry(shape=[0], data_offsets=[0, 0]) for n in range(10_000)}
    ),
    "shapes of many axes": lambda: safetensors({"x": entry(shape=[1] * 300_000)}, bytes(8)),
    "sizes whose product is large": lambda: safetensors(
        {"x": entry(shape=[10**300] * 3000)}, bytes(8)
    ),
    "a number of many digits": lambda: safetensors(
        b'{"x":{"dtype":"F32","shape":[' + b"9" * 500_000 + b'],"data_offsets":[0,8]}}', bytes(8)
    ),
    "deep lists": lambda: safetensors(b'{"x":' + b"[" * 900_000),
    "deep tables": lambda: safetensors(b'{"x":' * 200_000),
    "a deep tree": lambda: safetensors({"__metadata__": {"format": "gt", "tree": TREE}}),
    "a long name": lambda: safetensors({"x" * 900_000: entry(shape=[3])}, bytes(8)),
    "a header as long as it may be": lambda: (100_000_000).to_bytes(8, "little") + b" " * 1000,
}


def archive(pickled: bytes, files: dict[str, bytes] | None = None) -> bytes:
    """Give a file of PyTorch with this pickle."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        out.writestr("a/data.pkl", pickled)
        for name, content in (files or {}).items():
            out.writestr(f"a/{name}", content)
    return file.getvalue()


def entries_that_overlap() -> bytes:
    """Give an archive in which many names lead to the same bytes."""
    data = bytearray(archive(b"\x80\x02K\x01.", {"data/0": bytes(MIB // 2)}))
    directory = data.rindex(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    record = data[directory:end]
    return bytes(data[:end] + record * 2000 + data[end:])


# A tuple of two of the tuple before, many times: small, and without end for whoever looks into it.
DOUBLED = b")" + b"".join(b"q%ch%c\x86" % (n, n) for n in range(200))
LATER = b"\x80\x02"
PICKLES = {
    "doubled tuples": lambda: archive(LATER + DOUBLED + b"."),
    "doubled lists of keys": lambda: archive(LATER + b"}" + DOUBLED + b"K\x01s."),
    "a doubled name of a storage": lambda: archive(
        LATER + b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\n" + DOUBLED + b"NK\x04tQ."
    ),
    "a doubled name of a function": lambda: archive(b"\x80\x04" + DOUBLED + DOUBLED + b"\x93."),
    "a doubled device": lambda: archive(LATER + b"ctorch\ndevice\n" + DOUBLED + b"\x85R."),
    "a doubled item of a set": lambda: archive(b"\x80\x04\x8f(" + DOUBLED + b"\x90."),
    "a doubled key of an ordered dict": lambda: archive(
        LATER + b"ccollections\nOrderedDict\n](" + DOUBLED + b"K\x01\x86e\x85R."
    ),
    "deep tuples": lambda: archive(LATER + b")" + b"\x85" * 900_000 + b"."),
    "deep marks": lambda: archive(LATER + b"(" * 900_000 + b"."),
    "many memos": lambda: archive(LATER + b"N" + b"r\xff\xff\xff\x7f" * 150_000 + b"."),
    "a long number": lambda: archive(LATER + b"\x8b\x00\x00\x08\x00" + b"\x7f" * (MIB // 2) + b"."),
    "a number in digits": lambda: archive(b"I" + b"9" * 900_000 + b"\n."),
    "entries that overlap": entries_that_overlap,
    "an ordinary pickle": lambda: archive(pickle.dumps(list(range(200_000)), protocol=2)),
}


@pytest.mark.parametrize("name", [*SAFETENSORS, *PICKLES])
def test_a_strange_file_of_tensors_is_read_or_refused(name):
    data = (SAFETENSORS | PICKLES)[name]()
    gt.synchronize()
    said = bounded(len(data), lambda: gt.load(io.BytesIO(data)))
    assert said.startswith("gt.load: ") or name in (
        *("many tensors of nothing", "doubled tuples", "deep tuples", "an ordinary pickle"),
        *("many memos", "a long number"),
    ), said
    assert len(said) < 2000
