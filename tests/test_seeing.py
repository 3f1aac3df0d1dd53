"""Seeing it run: traces of programs and servers, timelines, and top in a terminal."""

import codecs
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster, plain_environment

pytestmark = pytest.mark.embedded("each test says where GT runs")

# It tells that it runs, and computes until it is ended.
BUSY = """
import sys, gt
gt.workers(2)
a, b = gt.randn(200, 200), gt.randn(200, 200)
(a @ b).sum().item()
print("runs", flush=True)
while True:
    x = a
    for _ in range(20): x = (x @ b).relu() * 0.01
    x.sum().item()
"""


class Program:
    """A program that runs until the test is over, in a runtime folder of its own."""

    def __init__(self, **variables: str):
        self.folder = tempfile.TemporaryDirectory(prefix="gt-")
        self.environment = plain_environment(GT_RUNTIME_DIR=f"{self.folder.name}/run", **variables)
        self.child = self.start()

    def start(self) -> subprocess.Popen[str]:
        """Start it, and wait until it computes."""
        command = [sys.executable, "-c", BUSY]
        child = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "runs\n"
        return child

    def gt(self, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command of GT's beside it."""
        return gt_command(*words, **(self.environment | environment))

    def close(self) -> None:
        """End it."""
        end(self.child)
        self.folder.cleanup()


def end(child: subprocess.Popen[str]) -> None:
    """End a program, and read what it has said."""
    child.kill()
    child.communicate()


def gt_command(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command of GT's to its end."""
    return subprocess.run(
        [sys.executable, "-m", "gt", *map(str, words)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.fixture
def program() -> Iterator[Program]:
    """Give a program that computes."""
    running = Program()
    yield running
    running.close()


def trace_of(folder: Path) -> str:
    """Give the only trace in a folder."""
    (path,) = folder.glob("trace_*.log")
    return path.read_text()


def test_a_trace_of_a_program_is_found_by_itself(program, tmp_path):
    done = program.gt("trace", "-s", 1, "--dir", tmp_path)
    assert done.returncode == 0, done.stderr
    captured = int(re.search(r"captured (\d+) events of 1 session and 2 workers", done.stdout)[1])
    lines = [line for line in trace_of(tmp_path).splitlines() if not line.startswith("# ")]
    assert captured == len(lines) > 100
    assert sum("op=matmul" in line and "took_ns=" in line for line in lines) > 20


def test_a_trace_ends_after_so_many_events(program, tmp_path):
    done = program.gt("trace", "-s", 30, "-n", 100, "--dir", tmp_path)
    assert "captured 100 events" in done.stdout, done.stderr
    assert len(trace_of(tmp_path).splitlines()) == 100


def test_a_program_that_nobody_watches_records_nothing(program, tmp_path):
    """Between two traces the program goes on, and events are not counted on.

    It takes the program a moment to notice that its observer is gone, longer on a busy machine, so
    the pause between the traces is doubled until that moment is the smaller part of it.
    """

    def trace(folder):
        program.gt("trace", "-s", 0.5, "--dir", folder)
        found = re.findall(r"s \| #(\d+) \|.* i=(\d+)", trace_of(folder))
        return [(int(number), int(instruction)) for number, instruction in found]

    def events_per_instruction(begin, end):
        return (end[0] - begin[0]) / (end[1] - begin[1])

    traces = [trace(tmp_path / "first")]
    between = []
    for pause in (2, 4, 8, 16, 32):
        for _ in range(pause):
            program.gt("status")
        traces.append(trace(tmp_path / str(pause)))
        before, after = traces[-2:]
        watched = events_per_instruction(before[0], before[-1])
        between.append(events_per_instruction(before[-1], after[0]) / watched)
        if between[-1] < 0.5:
            return
    raise AssertionError(f"events recorded between traces, as a share of those in them: {between}")


def test_whoever_names_nobody_is_told_who_is_there(program, tmp_path):
    other = program.start()
    try:
        done = program.gt("trace", "-s", 1, "--dir", tmp_path)
        assert done.returncode == 1
        assert f"--pid {program.child.pid}" in done.stderr
        assert f"--pid {other.pid}" in done.stderr
        chosen = program.gt("trace", "-s", 0.5, "--pid", other.pid, "--dir", tmp_path)
        assert f"process {other.pid}" in chosen.stdout
    finally:
        end(other)
    # What a killed process left behind is nobody.
    assert program.gt("trace", "-s", 0.3, "--dir", tmp_path).returncode == 0


def test_nobody_to_watch_is_an_error_with_advice(tmp_path):
    environment = plain_environment(GT_RUNTIME_DIR=str(tmp_path / "run"))
    for command in (["trace", "-s", 1], ["top", "--once"]):
        done = gt_command(*command, **environment)
        assert done.returncode == 1
        assert "no dispatcher of this user runs on this host" in done.stderr


def test_a_program_can_refuse_to_be_watched(tmp_path):
    hidden = Program(GT_MONITOR="0")
    try:
        assert hidden.gt("trace", "-s", 1, "--dir", tmp_path).returncode == 1
    finally:
        hidden.close()


def test_a_runtime_folder_that_others_can_enter_is_said_once(tmp_path):
    """Who has named it is told, by the program and by whoever looks there for programs."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o755)
    environment = plain_environment(GT_RUNTIME_DIR=str(folder))
    code = (
        "import gt\nfor _ in range(2):\n  with gt.connect(new=True): print(gt.ones(2).sum().item())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["2.0", "2.0"]
    assert done.stderr.startswith("gt: nobody can watch this program: ")
    assert done.stderr.count("\n") == done.stderr.count("its mode is 755") == 1
    looked = gt_command("top", "--once", **environment)
    assert looked.returncode == 1
    assert "its mode is 755" in looked.stderr
    silent = subprocess.run(
        [sys.executable, "-c", code], env=environment | {"GT_MONITOR": "0"}, capture_output=True
    )
    assert (silent.returncode, silent.stderr) == (0, b"")


@pytest.mark.parametrize("tcp", [False, True], ids=["ipc", "tcp"])
def test_a_server_is_traced_and_its_log_agrees(tcp, script, tmp_path):
    """What a trace counts is what the log of the server counts."""
    log = tmp_path / "server.log"
    with Cluster("--log", str(log), workers=2, tcp=tcp) as cluster:
        command = [sys.executable, "-m", "gt", "trace", "-s", "60", "--dir", str(tmp_path)]
        host = cluster.address.rpartition(":")[0]
        place = ["--host", host, "--port", cluster.port] if tcp else []
        environment = plain_environment(**cluster.environment)
        trace = subprocess.Popen(command + place, env=environment, stdout=subprocess.DEVNULL)
        wait_for(lambda: trace_text(tmp_path).count("WORKER_RECV") == 0 and trace_text(tmp_path))
        for _ in range(2):
            script(
                "import gt\nx = gt.ones(9)\nfor _ in range(300): x = x + 1\nx.numpy()",
                **cluster.variables,
            )
        wait_for(lambda: trace_text(tmp_path).count("DISCONNECT") == 2)
        trace.terminate()
        trace.wait()
    traced, logged = trace_text(tmp_path), log.read_text()
    for event in ("RECV         |", "WORKER_SEND", "WORKER_RECV", "SEND         | CLIENT"):
        assert traced.count(event) == logged.count(event) > 0, event


SECRETIVE = """
import sys, gt
x = gt.ones(123, 7)
print("runs", flush=True)
sys.stdin.readline()
with gt.signal.context("secret_recipe"):
    for _ in range(300): x = x * 0.6180339887
x.numpy()
"""


def test_of_the_sessions_of_others_a_trace_has_only_sums(tmp_path):
    """Whoever runs the server sees everything, a client what is its own."""
    with Cluster(workers=1, tcp=True) as cluster:

        def with_key(name: str, *words: str) -> dict[str, str]:
            made = gt_command(
                "keys", "new", *words, name, **plain_environment(**cluster.environment)
            )
            return plain_environment(**(cluster.environment | {"GT_KEY": made.stdout.strip()}))

        host = cluster.address.rpartition(":")[0]
        place = ["--host", host, "--port", cluster.port]
        who = {"ann": with_key("ann"), "bob": with_key("bob")}
        who["ops"] = with_key("ops", "--operator")
        # The server looks at its keys once a second.
        for environment in who.values():
            wait_for(lambda e=environment: gt_command("status", *place, **e).returncode == 0)
        who["own"] = plain_environment(**cluster.environment)
        places = dict.fromkeys(who, place) | {"own": ["--port", cluster.port]}
        command = [sys.executable, "-c", SECRETIVE]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        program = who["ann"] | {"GT_SERVER": cluster.address}
        child = subprocess.Popen(command, env=program, **pipes)
        assert child.stdout.readline() == "runs\n"
        sessions = {}
        for name, environment in who.items():
            done = gt_command("status", "--json", *places[name], **environment)
            sessions[name] = json.loads(done.stdout)["sessions"]
        traces = {}
        for name, environment in who.items():
            (tmp_path / name).mkdir()
            words = ["trace", "-s", "60", "--dir", str(tmp_path / name), *places[name]]
            watch = [sys.executable, "-m", "gt", *words]
            traces[name] = subprocess.Popen(watch, env=environment, stdout=subprocess.DEVNULL)
            wait_for(lambda n=name: "CONNECT" in trace_text(tmp_path / n))
        child.communicate("\n", timeout=60)
        for name, trace in traces.items():
            done = "op=mul" if name == "bob" else "DISCONNECT"
            wait_for(lambda n=name, d=done: d in trace_text(tmp_path / n))
            trace.terminate()
            trace.wait()
    texts = {name: trace_text(tmp_path / name) for name in who}
    for name in ("ann", "ops", "own"):
        assert texts[name].count("RECV         | CLIENT s1 ") > 600, name
        assert "0.618" in texts[name]
        assert sessions[name][0]["id"] == 1
    assert texts["bob"].count(" | ") < 100 * 6, "one line for each operation and message"
    for word in ("0.618", "secret_recipe", "s1", "t1 ", ":="):
        assert word not in texts["bob"], word
    assert [one["name"] for one in sessions["bob"]] == ["1 of others"]
    counts = re.findall(
        r"WORKER_RECV .* session=s0 op=mul .* took_ns=\d+ .*commands=(\d+)", texts["bob"]
    )
    assert sum(map(int, counts)) <= 300
    assert counts


def trace_text(folder: Path) -> str:
    """Give what a trace has written so far."""
    return "".join(path.read_text() for path in folder.glob("trace_*.log"))


def wait_for(condition, seconds=60):
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it does not come to hold"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def a_log(tmp_path_factory) -> Path:
    """Give the log of a small program."""
    path = tmp_path_factory.mktemp("log") / "ops.log"
    code = (
        "import gt\ngt.workers(2)\na = gt.randn(64, 64)\n"
        "for _ in range(10): (a @ a).relu().sum().item()"
    )
    environment = plain_environment(GT_INSTRUCTION_LOG=str(path))
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    return path


@pytest.mark.parametrize("form", ["png", "svg", "html", "json"])
def test_a_log_is_drawn(a_log, form, tmp_path):
    output = tmp_path / f"timeline.{form}"
    words = ["gt.scripts.visualize", str(a_log), "--output", str(output), "--dpi", "100"]
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, check=True
    )
    events = len(a_log.read_text().splitlines())
    assert f"{events} events" in done.stdout
    contents = output.read_bytes()
    match form:
        case "png":
            assert contents.startswith(b"\x89PNG")
        case "svg":
            assert b"Instruction timeline" in contents
        case "html":
            assert b"<canvas" in contents
        case "json":
            spans = [one for one in json.loads(contents)["traceEvents"] if one["ph"] == "X"]
            assert sum(one["name"] == "matmul" for one in spans) == 10


def test_what_cannot_be_drawn_is_refused(a_log, tmp_path):
    environment = dict(os.environ)
    cases = {
        ("nowhere.log",): "nowhere.log cannot be read",
        (a_log, "-o", tmp_path / "a.gif"): "must end in .png, .svg, .html or .json",
        (a_log, "--session", "s99", "-o", tmp_path / "a.svg"): "no events to draw",
    }
    for words, message in cases.items():
        done = gt_command("visualize", *words, **environment)
        assert done.returncode == 1
        assert message in done.stderr


def test_top_shows_work_once_and_as_json(program):
    done = program.gt("top", "--once")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^w0 +[MERCIVNTD]", done.stdout, re.MULTILINE), done.stdout
    shown = json.loads(program.gt("top", "--once", "--json").stdout)
    assert [worker["id"] for worker in shown["workers"]] == [0, 1]
    assert max(worker["kinds"]["matmul"] for worker in shown["workers"]) > 0.05
    (session,) = shown["sessions"]
    assert session["commands_per_second"] > 100
    assert session["share"] == pytest.approx(1)


class Terminal:
    """A command in a terminal of 80 columns and 24 rows."""

    def __init__(self, *words: object, **environment: str):
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            command = [sys.executable, "-m", *map(str, words)]
            os.execve(sys.executable, command, environment | {"TERM": "xterm-256color"})
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.screen = [[" "] * 80 for _ in range(24)]
        self.row = self.column = 0
        self.decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self.rest = ""

    def show(self, data: bytes) -> None:
        """Put what was written where it belongs on the screen."""
        written = self.rest + self.decoder.decode(data)
        # A read may end in the middle of a sequence.
        cut = re.search(r"\x1b([\[(][^a-zA-Z]*)?$", written)
        self.rest = cut[0] if cut else ""
        written = written[: len(written) - len(self.rest)]
        for place, other, letter in re.findall(
            r"\x1b\[(\d+;\d+)H|(\x1b[\[(][^a-zA-Z]*.)|(.)", written
        ):
            if place:
                self.row, self.column = (int(number) - 1 for number in place.split(";"))
            elif letter and not other and self.row < 24 and self.column < 80:
                self.screen[self.row][self.column] = letter
                self.column += 1

    @property
    def text(self) -> str:
        """Give what the screen shows."""
        return "\n".join("".join(row).rstrip() for row in self.screen)

    def expect(self, pattern: str, seconds: float = 30) -> None:
        """Read until the screen shows something."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.text, re.DOTALL):
            assert time.monotonic() < deadline, f"no {pattern!r} in\n{self.text}"
            if select.select([self.file], [], [], 0.2)[0]:
                self.show(os.read(self.file, 1 << 16))

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self.file, keys.encode())

    def end(self) -> int:
        """Wait for its end and give the exit code."""
        try:
            while os.read(self.file, 1 << 16):
                pass
        except OSError:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_top_ends_when_nobody_reads_what_it_prints(program):
    command = [sys.executable, "-m", "gt", "top", "--json"]
    top = subprocess.Popen(command, env=program.environment, stdout=subprocess.PIPE, text=True)
    try:
        assert json.loads(top.stdout.readline())["workers"]
        top.stdout.close()
        assert top.wait(timeout=60) == 0
    finally:
        top.kill()


def test_top_in_a_terminal_obeys_keys(program):
    terminal = Terminal("gt.scripts.top", **program.environment)
    terminal.expect(r"gt top.*WORKER.*SESSION.*q quit")
    terminal.expect("█")
    terminal.press("s")
    terminal.expect("sort: busy")
    terminal.press("p")
    terminal.expect("PAUSED")
    terminal.press("p/w1\r")
    # The screen is drawn piece by piece: all of this comes to hold.
    terminal.expect(r"\A(?=.*\[filter: w1\])(?=.*\nw1 )(?!.*\nw0 )")
    terminal.press("q")
    assert terminal.end() == 0


def test_top_without_colours_uses_letters(program):
    terminal = Terminal("gt", "top", **(program.environment | {"NO_COLOR": "1"}))
    terminal.expect(r"MM|EE")
    terminal.press("\x03")
    assert terminal.end() == 0


def test_a_trace_lasts_a_week_at_most(tmp_path):
    for seconds in ("1e18", "1e300", "inf"):
        done = gt_command("trace", "-s", seconds, "--dir", tmp_path, **plain_environment())
        assert done.returncode == 2
        assert "a trace lasts 604800 seconds at most" in done.stderr
    for seconds in ("nan", "-1", "0", "soon"):
        done = gt_command("trace", f"--seconds={seconds}", "--dir", tmp_path, **plain_environment())
        assert "a number of seconds above zero is needed" in done.stderr


# What is computed inside the profile is computed nowhere else, so that every view can count it.
COUNTED = """
    import json, sys, gt
    from gt import ShardConfig, SignalConfig
    gt.workers(2)
    gt.register_config("cut", SignalConfig(shard=ShardConfig(axis=0, workers=[0, 1])))
    x = gt.randn(64, 32)
    gt.synchronize()
    with gt.profiler.profile() as profile:
        with gt.signal.context("cut"):
            y = gt.from_numpy(x.numpy())
            for _ in range(5):
                y = (y @ gt.ones(32, 32)).tanh().log1p()
        for _ in range(3):
            x = x.cos().sin() + 1
        x.sum().item()
        y.sum().item()
    counts = {row.key: row.count for row in profile.key_averages()}
    times = {row.key: row.device_time_total for row in profile.key_averages()}
    print(json.dumps([counts, times]))
"""


def test_all_views_count_the_same(script, tmp_path):
    """The log of a server, that of a program, a trace, its picture and a profile agree."""
    server, own = tmp_path / "server.log", tmp_path / "own.log"
    with Cluster("--log", str(server), workers=2) as cluster:
        command = [sys.executable, "-m", "gt", "trace", "-s", "60", "--dir", str(tmp_path)]
        environment = plain_environment(**cluster.environment)
        trace = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        wait_for(lambda: "CONNECT" in trace_text(tmp_path))
        said = script(COUNTED, GT_INSTRUCTION_LOG=str(own), **cluster.variables)
        wait_for(lambda: "DISCONNECT" in trace_text(tmp_path))
        trace.terminate()
        trace.wait()
    counts, times = json.loads(said)
    texts = [server.read_text(), own.read_text(), trace_text(tmp_path)]
    assert "missing" not in "".join(texts)
    picture = tmp_path / "all.json"
    gt_command("visualize", own, "-o", picture, **plain_environment())
    spans = [one for one in json.loads(picture.read_text())["traceEvents"] if one["ph"] == "X"]
    for op, expected in (("matmul", 10), ("log1p", 10), ("cos", 3), ("sin", 3)):
        lines = [re.findall(rf"WORKER_RECV .* op={op} .* took_ns=(\d+)", text) for text in texts]
        ended = [len(re.findall(rf"WORKER_RECV .* op={op} ", text)) for text in texts]
        assert ended == [expected] * 3
        assert counts[op] == expected
        assert lines[0] == lines[1] == lines[2]
        drawn = [one["dur"] for one in spans if one["name"] == op]
        assert len(drawn) == len(lines[0])
        assert sum(drawn) == pytest.approx(sum(map(int, lines[0])) / 1e3)
        assert times[op] == pytest.approx(sum(drawn))
    every = [
        sorted(re.findall(r"^.*\| (\w*RECV|\w*SEND) +\|.* (?:i=\d+ .*ns=\d+)", text, re.M))
        for text in texts
    ]
    assert every[0] == every[1] == every[2]
    # Every instruction is numbered at all of its stations, and inside a signal it says so.
    for text in texts[:2]:
        cut = [line for line in text.splitlines() if "op=tanh" in line]
        assert len(cut) == 5 + 2 * 10
        assert all(' signal="cut"' in line and re.search(r" i=\d+ ", line) for line in cut)


WAITS = {
    "client": """
        import time, gt
        x = gt.ones(64, 64)
        for _ in range(15):
            (x @ x).sum().item()
            time.sleep(0.02)
    """,
    "reads": """
        import gt
        x = gt.ones(4)
        for _ in range(2000):
            x.sum().item()
    """,
    "worker": """
        import gt
        x = gt.randn(700, 700)
        for _ in range(20):
            x = (x @ x) * 0.001
        x.sum().item()
    """,
}


@pytest.mark.parametrize("cause", WAITS)
def test_what_a_program_waits_for_is_found_in_its_log(cause, script, tmp_path):
    log = tmp_path / "ops.log"
    script(WAITS[cause], GT_INSTRUCTION_LOG=str(log))
    done = gt_command("why", log, "--json", **plain_environment())
    assert done.returncode == 0, done.stderr
    (session,) = json.loads(done.stdout)["sessions"]
    shares = {one["cause"]: one["share"] for one in session["causes"]}
    if cause == "reads":
        # Beside others a program waits for a core as well, so a way may take longer than another.
        assert session["reads"] == 2000, done.stdout
        assert shares["reads"] > shares["worker"], done.stdout
    else:
        assert session["cause"] == cause, done.stdout
    words = gt_command("why", log, **plain_environment()).stdout
    assert words.splitlines()[0] == session["sentence"]


def test_a_session_that_has_the_worker_is_found_in_a_trace(tmp_path):
    """One program keeps the only worker busy, and another one wants a little of it.

    The reference engine runs one plan at a time, so every request of the guest waits for the end of
    a large product. The guest starts once products of the hog are in the trace: commands that were
    sent before it began have no times there.
    """
    with Cluster(workers=0) as cluster:
        cluster.add_worker("--backend", "reference", "--threads", "1")
        environment = plain_environment(**(cluster.environment | cluster.variables))
        hog = (
            "import gt\na = gt.randn(1000, 1000)\nprint('runs', flush=True)\n"
            "while True:\n    x = a\n    for _ in range(4): x = (x @ a) * 0.03\n"
            "    x.sum().item()"
        )
        guest = "import gt\na = gt.randn(64, 64)\nfor _ in range(20):\n    (a @ a).sum().item()"
        first = subprocess.Popen(
            [sys.executable, "-c", hog], env=environment, stdout=subprocess.PIPE, text=True
        )
        try:
            assert first.stdout.readline() == "runs\n"
            command = [sys.executable, "-m", "gt", "trace", "-s", "60", "--dir", str(tmp_path)]
            trace = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
            wait_for(lambda: "session=s1 op=matmul" in computed(tmp_path))
            subprocess.run([sys.executable, "-c", guest], env=environment, check=True)
            wait_for(lambda: "DISCONNECT" in trace_text(tmp_path))
            trace.terminate()
            trace.wait()
        finally:
            end(first)
    (path,) = tmp_path.glob("trace_*.log")
    done = gt_command("why", path, "--session", "s2", "--json", **plain_environment())
    (session,) = json.loads(done.stdout)["sessions"]
    assert (session["cause"], session["name"]) == ("fairness", "session s1"), done.stdout


def computed(folder) -> str:
    """The lines of a trace about commands that workers have finished, with their times."""
    lines = trace_text(folder).splitlines()
    return "\n".join(line for line in lines if "WORKER_RECV" in line and "took_ns" in line)


def test_a_slow_worker_of_several_is_found_in_a_log(script, tmp_path):
    """Three workers share each product, and one of them has no vector instructions."""
    log = tmp_path / "server.log"
    with Cluster("--log", str(log), workers=2) as cluster:
        cluster.add_worker("--threads", "1", GT_CPU="portable")
        script(
            """
            import gt
            shard = gt.ShardConfig(axis=0, workers=[0, 1, 2])
            gt.register_config("forward", gt.SignalConfig(shard=shard))
            w = gt.randn(600, 600)
            with gt.signal.context("forward"):
                x = gt.from_numpy(gt.randn(900, 600).numpy())
                for _ in range(12):
                    x = (x @ w) * 0.04
            x.sum().item()
            """,
            **cluster.variables,
        )
    done = gt_command("why", log, "--json", **plain_environment())
    (session,) = json.loads(done.stdout)["sessions"]
    # How long the program takes to send its commands depends on the machine.
    workers = [cause for cause in session["causes"] if cause["cause"] == "worker"]
    assert workers[0]["name"] == "worker w2", done.stdout
    assert workers[0]["seconds"] > 2 * sum(worker["seconds"] for worker in workers[1:]), done.stdout


def test_nothing_to_explain_is_an_error(tmp_path):
    (tmp_path / "empty.log").write_text("")
    for words in (["empty.log"], ["nowhere.log"]):
        done = gt_command("why", tmp_path / words[0], **plain_environment())
        assert done.returncode == 1
    assert "nowhere.log cannot be read" in done.stderr
