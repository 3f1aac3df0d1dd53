"""The instruction log: one line for each event, in the form that tools and people search."""

import re

import pytest
from cluster import Cluster

pytestmark = pytest.mark.embedded("each test says where GT runs")

LINE = re.compile(
    r"(?P<seconds>\d+\.\d{3})s \| #(?P<number>\d{4,}) \| (?P<event>[A-Z_]+) +"
    r"\| (?P<source>(CLIENT|WORKER) \S+) +\| (?P<command>\w*) +\| +(?P<size>[\d.]+[KMGT]?B) \|"
    r"(?P<details>.*)"
)

EVENTS = {"RECV", "SEND", "WORKER_SEND", "WORKER_RECV", "CONNECT", "DISCONNECT"}

PROGRAM = """
    import gt
    gt.workers(2)
    a = gt.tensor([[1.0, 2.0], [3.0, 4.0]])
    b = gt.randn(2, 2)
    c = a @ b
    d = (c + 1).sum(dim=1)
    d[0] = 5
    e = gt.cat([d, d])
    e.numpy()
    del c
    e.nonzero()
    # Without a config all of it is at home, on the first worker.
    second = gt.SignalConfig(shard=gt.ShardConfig(replicated=True, workers=[1]))
    gt.register_config("second", second)
    with gt.signal.context("second"):
        f = gt.ones(3)
        (f + 1).numpy()
    del f
    try:
        a.gather(0, gt.tensor([[7]])).numpy()
    except (IndexError, RuntimeError):
        pass
"""


@pytest.fixture
def log(script, tmp_path):
    path = tmp_path / "ops.log"
    assert script(PROGRAM, GT_INSTRUCTION_LOG=str(path)) == ""
    return [LINE.fullmatch(line) or line for line in path.read_text().splitlines()]


def test_every_line_has_the_form(log):
    assert len(log) > 40
    assert [line for line in log if isinstance(line, str)] == []
    assert {line["event"] for line in log} <= EVENTS
    assert {line["source"] for line in log} == {"CLIENT s1", "WORKER w0", "WORKER w1"}


def test_lines_are_in_order(log):
    seconds = [float(line["seconds"]) for line in log]
    numbers = [int(line["number"]) for line in log]
    assert seconds == sorted(seconds)
    assert numbers == sorted(numbers)


def test_commands_have_the_names_people_search_for(log):
    received = {line["command"] for line in log if line["event"] == "RECV"}
    # Signals are the dispatcher's own.
    received -= {"DefineSignal", "EnterSignal"}
    assert received == {
        "CreateTensor",
        "BinaryOp",
        "UnaryOp",
        "SliceOp",
        "ReshapeOp",
        "ConcatOp",
        "GetData",
        "GetShape",
        "FreeTensor",
    }
    sent = {line["command"] for line in log if line["event"] == "WORKER_SEND"}
    assert {f"Worker{name}" for name in received} <= sent


def test_an_instruction_is_followed_to_a_worker_and_back(log):
    matmul = [line for line in log if "op=matmul" in line["details"]]
    assert [line["event"] for line in matmul] == ["RECV", "WORKER_SEND", "WORKER_RECV"]
    received, sent, ended = (line["details"] for line in matmul)
    number = re.search(r" i=(\d+) ", received)[1]
    assert re.fullmatch(
        rf" op=matmul result=2 left=0 right=1 i={number} ns=\d+ at=.* t2 := matmul t0 t1", received
    )
    assert "session=s1" in sent
    assert f" i={number} " in sent
    assert f" i={number} success=True " in ended
    assert re.search(r" start_ns=\d+ took_ns=\d+ ", ended)


def freed(lines):
    """Give the tensors that lines say are freed, one by one."""
    found = (re.search(r" tensor_id=([\d,]+) ", line["details"]) for line in lines)
    return [number for match in found for number in match[1].split(",")]


def test_what_workers_are_sent_they_are_done_with(log):
    """Of each command a worker got there is one line that it was sent and one that it is done."""
    for worker in ("WORKER w0", "WORKER w1"):
        own = [line for line in log if line["source"] == worker and line["command"]]
        frees = [line for line in own if line["command"] == "WorkerFreeTensor"]
        sent, done = (
            [line["command"] for line in own if line["event"] == event and line not in frees]
            for event in ("WORKER_SEND", "WORKER_RECV")
        )
        assert sent == done
        # Those that are sent together are one line.
        sent, done = (
            freed(line for line in frees if line["event"] == event)
            for event in ("WORKER_SEND", "WORKER_RECV")
        )
        # What is freed while the program ends is not waited for.
        assert sent[: len(done)] == done
        assert done


def test_frees_that_are_sent_together_are_one_line(script, tmp_path):
    path = tmp_path / "ops.log"
    script(
        """
        import gt
        x = gt.ones(3)
        for _ in range(1_000): x = x + 1
        x.numpy()
        """,
        GT_INSTRUCTION_LOG=str(path),
    )
    lines = [LINE.fullmatch(line) for line in path.read_text().splitlines()]
    sent = [
        line
        for line in lines
        if line["event"] == "WORKER_SEND" and line["command"] == "WorkerFreeTensor"
    ]
    assert len(sent) < 50
    counts = [int(found[1]) for line in sent if (found := re.search(r" commands=(\d+) ", line[0]))]
    assert sum(counts) > 900
    assert len(freed(sent)) >= 1_000
    joined = max(sent, key=lambda line: len(line["details"]))["details"]
    numbers = re.search(r" tensor_id=([\d,]+) ", joined)[1].split(",")
    assert joined.endswith(" free " + " ".join(f"t{number}" for number in numbers))


def test_answers_carry_their_command(log):
    answers = [line for line in log if line["event"] == "SEND"]
    assert {line["command"] for line in answers} == {"GetData", "GetShape"}
    assert [("success=True" in line["details"]) for line in answers][:-1] == [True] * (
        len(answers) - 1
    )
    assert "success=False" in answers[-1]["details"]
    assert "ERROR=" in answers[-1]["details"]


def test_uploads_and_answers_tell_their_size(log):
    uploads = [line for line in log if ":= upload" in line["details"] and line["event"] == "RECV"]
    assert uploads[0]["size"] in ("51B", "52B", "53B", "54B")
    assert "upload float32[2, 2] (16 bytes)" in uploads[0]["details"]
    answers = [line for line in log if line["event"] == "SEND"]
    assert answers[0]["size"] == "16B"


def test_failures_contain_the_word(log):
    failed = [line["details"] for line in log if "ERROR" in line["details"]]
    assert failed
    assert "gather: index 7 is out of bounds" in failed[0]


def test_the_log_of_a_program_that_never_reads_is_complete(script, tmp_path):
    path = tmp_path / "ops.log"
    script(
        "import gt\nx = gt.ones(3)\nfor _ in range(5_000): x = x + 1\ngt.close()",
        GT_INSTRUCTION_LOG=str(path),
    )
    text = path.read_text()
    assert text.count("RECV         | CLIENT s1                    | BinaryOp") == 5_000


def test_a_log_that_cannot_be_written_is_an_error_of_the_first_operation(script):
    done = script.run("import gt\ngt.ones(1)", GT_INSTRUCTION_LOG="/nowhere/ops.log")
    assert done.returncode == 1
    assert "GT_INSTRUCTION_LOG: cannot write /nowhere/ops.log" in done.stderr


def test_work_that_is_shared_is_one_line_for_each_worker(script, tmp_path):
    path, config = tmp_path / "ops.log", tmp_path / "config.yaml"
    config.write_text("forward:\n  shard: {axis: 0, workers: [0, 1]}\n")
    script(
        """
        import gt
        gt.workers(2)
        with gt.signal.context("forward"):
            a = gt.randn(8, 4)
            (a @ gt.randn(4, 2)).numpy()
        """,
        GT_INSTRUCTION_LOG=str(path),
        GT_CONFIG=str(config),
    )
    text = path.read_text()
    sent = re.findall(r"WORKER_SEND.*op=matmul.* (shard=\d/\d) signal=\"forward\"", text)
    assert sent == ["shard=1/2", "shard=2/2"]
    made = [line for line in text.splitlines() if "WorkerCreateTensor" in line]
    assert len([line for line in made if "WORKER_SEND" in line and "op=randn" in line]) == 4


def test_a_log_that_is_large_enough_is_begun_anew(script, tmp_path):
    path = tmp_path / "ops.log"
    script(
        """
        import gt
        for _ in range(40):
            x = gt.ones(3)
            for _ in range(100): x = x + 1
            x.numpy()
        """,
        GT_INSTRUCTION_LOG=str(path),
        GT_INSTRUCTION_LOG_SIZE="200K",
    )
    older = tmp_path / "ops.log.1"
    assert older.exists()
    assert older.stat().st_size >= 200 * 1024
    numbers = [
        int(match[1])
        for file in (older, path)
        for match in re.finditer(r"s \| #(\d+) \|", file.read_text())
    ]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_a_program_of_a_server_has_a_log_of_its_own_session(script, tmp_path):
    other = "import gt\nx = gt.ones(2)\nfor _ in range(20): x = x - 1\nx.numpy()"
    path = tmp_path / "ops.log"
    with Cluster(workers=2) as cluster:
        script(other, **cluster.variables)
        script(PROGRAM, GT_INSTRUCTION_LOG=str(path), **cluster.variables)
        script(other, **cluster.variables)
    log = [LINE.fullmatch(line) or line for line in path.read_text().splitlines()]
    assert [line for line in log if isinstance(line, str)] == []
    assert {line["source"] for line in log} <= {"CLIENT s2", "WORKER w0", "WORKER w1"}
    assert "op=sub" not in path.read_text()
    received = [line for line in log if line["event"] == "RECV"]
    assert [int(re.search(r" i=(\d+) ", line["details"])[1]) for line in received] == list(
        range(1, len(received) + 1)
    )
    matmul = [line["event"] for line in log if "op=matmul" in line["details"]]
    assert matmul == ["RECV", "WORKER_SEND", "WORKER_RECV"]
    assert any("at=" in line["details"] for line in received)
    assert [line["event"] for line in log][-1] == "DISCONNECT"


def test_a_server_logs_all_sessions(script, tmp_path):
    path = tmp_path / "server.log"
    with Cluster("--log", str(path), workers=1) as cluster:
        for _ in range(2):
            script("import gt\n(gt.ones(3) + 1).numpy()", **cluster.variables)
    text = path.read_text()
    assert text.count("RECV         | CLIENT s1 ") == text.count("RECV         | CLIENT s2 ") > 0
    # A program that ends does not wait until what it drops is freed.
    lines = [line for line in text.splitlines() if " free " not in line]
    done, sent = (
        [e for e in lines if f"| {kind} " in e] for kind in ("WORKER_RECV", "WORKER_SEND")
    )
    assert len(done) == len(sent) > 0
