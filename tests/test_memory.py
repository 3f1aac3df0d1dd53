"""Memory: its limit, who holds it, and that nothing stays behind."""

import json
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from cluster import PATIENCE, Cluster, plain_environment

pytestmark = pytest.mark.everywhere

RESIDENT = """
    import gt

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
"""

FLAT = (
    RESIDENT
    + """
    def work(count):
        x = gt.zeros(16, 16)
        for _ in range(count // 4):
            x + 1
            x = x * 0.5
            y = x[0]
            y += 1
        x.sum().item()

    work(20_000)
    before = resident()
    work(COUNT)
    print((resident() - before) / 2**20)
"""
)


def test_ops_that_keep_nothing_leave_memory_flat(script):
    assert float(script(FLAT.replace("COUNT", "200_000"))) < 8


@pytest.mark.soak
def test_a_million_ops_that_keep_nothing_leave_memory_flat(script):
    assert float(script(FLAT.replace("COUNT", "1_000_000"))) < 8


@pytest.mark.embedded("counts the threads of the process that has the workers")
def test_a_process_is_small(script):
    text = script(
        RESIDENT
        + """
    import threading
    import os
    threads = lambda: len(os.listdir("/proc/self/task"))
    imported = resident(), threads()
    x = gt.zeros(8)
    for _ in range(100_000):
        x = x + 1
    x.tolist()
    print(*(number / 2**20 for number in (imported[0], resident())), imported[1], threads())
    """,
        GT_THREADS="2",
    )
    imported, worked, threads_before, threads = map(float, text.split())
    # An interpreter alone takes about ten.
    assert imported < 60
    assert worked < 120
    # The program's own, the pump, a worker, one that helps whoever runs a kernel, and one that
    # waits for whoever wants to watch.
    assert (threads_before, threads) == (1, 5)


def test_large_values_are_freed(script):
    text = script(
        """
        import gt
        import re
        x = gt.ones(1000, 1000)
        for _ in range(500):
            x = x * 1.0
        x.sum().item()
        # The peak since this program began; getrusage would count its parent's too.
        peak = re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())
        print(int(peak[1]) // 1024)
        """
    )
    # Two gigabytes passed through.
    assert int(text) < 400


@pytest.mark.embedded("the limit is a worker's own setting")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_out_of_memory_names_who_holds_it_and_the_program_goes_on(script, workers):
    text = script(
        """
        import gt
        gt.workers(WORKERS)
        weights = gt.ones(1000)

        def keep():
            return gt.ones(3_000_000) * 2  # line 7: twelve megabytes

        # One after the other: what two workers need on the way must not meet the limit.
        kept = []
        for _ in range(3):
            kept.append(keep())
            gt.synchronize()
        small = gt.ones(100_000) * 3
        try:
            large = gt.zeros(10_000_000) + kept[0][0]
            weights -= large[:1000] + 1
            weights.sum().item()
        except gt.OutOfMemoryError as error:
            print(isinstance(error, RuntimeError), error)
        print(weights.sum().item())
        kept.clear()
        del large
        weights += 1
        print(weights.sum().item(), (gt.ones(5_000_000) * 2).sum().item())
        """.replace("WORKERS", workers),
        GT_MEMORY="60M",
    ).splitlines()
    kind, message = text[0].split(" ", 1)
    assert kind == "True"
    assert "out of memory: 40000000 bytes were asked for" in message
    assert "script.py:16 in <module>)" in message
    if workers == "1":
        assert "the most is held by" in message
        assert "script.py:7 in keep (34.3 MiB)" in message.split("held by")[1].split(",")[0]
    assert text[1:] == ["1000.0", "2000.0 10000000.0"]


@pytest.mark.embedded("the limit is a worker's own setting")
def test_the_limit_of_the_shell_counts(script):
    text = script(
        """
        import gt
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        gt.ones(1)
        print(gt.status()["memory_limit_bytes"] == (2 << 30) // 10 * 8)
        try:
            (gt.ones(800_000_000) + 1).sum().item()
        except gt.OutOfMemoryError:
            print("typed")
        print(gt.ones(2).tolist())
        """,
        GT_THREADS="1",
    )
    assert text.splitlines() == ["True", "typed", "[1.0, 1.0]"]


def test_memory_by_dtype_and_by_line(script):
    text = script(
        """
        import gt
        import json
        a = gt.ones(1000, dtype=gt.float64) + 1
        def make(): return gt.ones(500) * 2  # line 5
        b, c = make(), make()
        view = b[:10]
        freed = gt.ones(100_000) + 1
        del freed
        memory = gt.memory()
        print(json.dumps(memory))
        """
    )
    memory = json.loads(text)
    assert memory["by_dtype"] == {"float32": 4000, "float64": 8000}
    lines = [(line.split("/")[-1], count) for line, count in memory["by_line"]]
    assert lines == [("script.py:4 in <module>", 8000), ("script.py:5 in make", 4000)]
    assert memory["used_bytes"] >= 12000
    assert memory["peak_bytes"] >= memory["used_bytes"]


def test_cycles_threads_and_collections_give_everything_back(script):
    text = script(
        """
        import gc
        import threading
        import gt

        class Node:
            def __init__(self):
                self.tensor, self.me = gt.ones(1000) + 1, self

        def work():
            for _ in range(200):
                Node()
                y = gt.ones(1000) * 2
                threading.Thread(target=lambda z: z, args=(y,)).start()

        gc.set_threshold(3)  # collections run inside calls
        threads = [threading.Thread(target=work) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        while threading.active_count() > 1:
            next(t for t in threading.enumerate() if t is not threading.current_thread()).join()
        gc.collect()
        print(gt.memory()["by_dtype"])
        """
    )
    assert text == "{}"


@pytest.mark.embedded("looks at the memory of the process that has the workers")
def test_a_closed_session_gives_its_memory_back_though_its_tensors_live(script):
    text = script(
        RESIDENT
        + """
    gt.ones(1).tolist()
    before = resident()
    with gt.connect() as session:
        kept = [gt.ones(4_000_000) + number for number in range(8)]
        gt.synchronize()
        held = resident() - before
        work = [x * 2 for x in kept]
    for name in ("tolist", "sum"):
        try:
            getattr(kept[0], name)()
        except gt.LostError as error:
            print(error)
    gt.ones(1).tolist()
    # The plan that ran when the session was closed ends in its own time.
    while gt.status()["memory_bytes"] > 1 << 20:
        pass
    print(held > 120 << 20)
    """
    )
    assert text.splitlines() == ["the session is closed"] * 2 + ["True"]


MANY_SMALL_VALUES = """
    import gt

    gt.connect(CONNECT)
    x = gt.ones(2)
    kept = []
    try:
        while len(kept) < 1_000_000:
            kept.append(x + 1.0)
    except gt.OutOfMemoryError as error:
        print(len(kept), error)
    print(gt.memory()["used_bytes"])
    print(kept[0].tolist())
    del kept[1_000:]
    print((x + sum(kept)).tolist(), flush=True)
    input()
"""


def resident_mib(process: subprocess.Popen) -> int:
    """Give the memory that a process has, in MiB."""
    text = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+) kB", text, re.M)[1]) >> 10


@pytest.mark.embedded("starts processes of its own")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("asked", "limit"),
    [("", " of 67108864 are in use"), (", memory='32MiB'", "of the 33554432 bytes")],
)
def test_small_values_count_against_limits_and_are_given_back(asked, limit):
    with Cluster() as cluster:
        worker = cluster.add_worker("--memory", "64MiB", "--threads", "1").child
        processes = [cluster.server.child, worker]
        before = [resident_mib(process) for process in processes]
        code = MANY_SMALL_VALUES.replace("CONNECT", repr(cluster.address) + asked)
        command = [sys.executable, "-c", textwrap.dedent(code)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        env = plain_environment(**cluster.variables)
        with subprocess.Popen(command, env=env, **pipes) as program:
            made, message = program.stdout.readline().split(" ", 1)
            # Values take more than 400 bytes each, and the program learns of it after 65,536 more.
            assert int(made) < 300_000
            assert re.match(r"add: (the table entry of its result: )?out of memory: ", message)
            assert limit in message
            assert int(program.stdout.readline()) > 30 << 20
            assert program.stdout.readline() == "[2.0, 2.0]\n"
            assert program.stdout.readline() == "[2001.0, 2001.0]\n"
            server, worker = (
                resident_mib(process) - was for process, was in zip(processes, before, strict=True)
            )
            assert server < 100
            assert worker < 200
            program.communicate("\n", timeout=PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while json.loads(cluster.status().stdout)["workers"][0]["memory_bytes"]:
            assert time.monotonic() < deadline, "the worker still holds values"
        for process, was in zip(processes, before, strict=True):
            while resident_mib(process) > was + 40:
                assert time.monotonic() < deadline, "memory is not given back to the system"
                time.sleep(0.1)
