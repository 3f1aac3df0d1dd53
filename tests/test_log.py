"""The instruction log: one line for each event, in the form that tools and people search."""

import re

import pytest

pytestmark = pytest.mark.embedded("the log of a server is written where the server runs")

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


def test_an_instruction_is_followed_to_a_worker(log):
    matmul = [line for line in log if "op=matmul" in line["details"]]
    assert [line["event"] for line in matmul] == ["RECV", "WORKER_SEND"]
    assert matmul[0]["details"] == " op=matmul result=2 left=0 right=1 t2 := matmul t0 t1"
    assert "session=s1" in matmul[1]["details"]


def test_uploads_and_answers_tell_their_size(log):
    uploads = [line for line in log if ":= upload" in line["details"] and line["event"] == "RECV"]
    assert uploads[0]["size"] == "16B"
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
