"""The end of a process: at once and without a word, whatever is under way."""

import json
import subprocess
import sys
import time

import nbclient
import nbformat
import pytest

pytestmark = pytest.mark.everywhere

BUSY = """
    import gt
    x = gt.randn(3000, 3000)
    for _ in range(200):
        x = x @ x
"""


@pytest.mark.parametrize(
    "program",
    [
        "import gt",
        "import gt\ngt.workers(2)",
        "import gt\ngt.counters()",
        "import gt\nx = gt.ones(3) + 1",
        "import gt\nx = gt.ones(3).gather(0, gt.tensor([5]))",
        "import gt\nx = gt.ones(3)\ngt.close()\ngt.close()",
        "import gt, sys\nx = gt.ones(3)\nsys.exit(0)",
        "import gt, threading\nt = threading.Thread(target=lambda: gt.ones(3).sum().item())\n"
        "t.start()",
        "import gt\na = gt.connect()\nb = gt.connect(workers=2)\nx = gt.ones(3)",
        "import gt\nclass A: pass\na = A()\na.a, a.x = a, gt.ones(3)",
    ],
)
def test_silent_to_the_end(script, program):
    assert script(program) == ""


@pytest.mark.parametrize("options", [[], ["-X", "dev"], ["-W", "error", "-X", "dev"]])
def test_exits_at_once_with_work_in_flight(script, options):
    command = script.command(BUSY + "    print('emitted')")
    command[1:1] = options
    start = time.monotonic()
    done = subprocess.run(
        command, env=script.environment({}), capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "emitted\n", "")
    # The products would take a minute and more.
    assert time.monotonic() - start < 10


def test_exits_at_once_while_another_thread_waits(script):
    start = time.monotonic()
    text = script(
        BUSY
        + """
    import threading
    started = threading.Barrier(17)
    def wait():
        started.wait()
        x.sum().item()
    for _ in range(16):
        threading.Thread(target=wait, daemon=True).start()
    started.wait()
    while gt.counters()["waits"] < 16:
        pass
    print("over")
    """
    )
    assert text == "over"
    assert time.monotonic() - start < 10


@pytest.mark.embedded("with several workers a read waits for each to vouch")
def test_an_interactive_session_says_only_what_it_is_asked(script):
    done = subprocess.run(
        [sys.executable, "-i", "-q", *script.command(BUSY)[1:]],
        env=script.environment({}) | {"PYTHONSTARTUP": ""},
        input="(gt.ones(2) + 1).tolist()\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "[2.0, 2.0]\n")
    assert done.stderr.replace(">>> ", "").strip() == ""


INTERRUPTED = """
import os
import signal
import threading

def interrupt():
    while gt.counters()["waits"] == before:
        pass
    os.kill(os.getpid(), signal.SIGINT)

before = gt.counters()["waits"]
z = gt.randn(3000, 3000)
for _ in range(200):
    z = z @ z
threading.Thread(target=interrupt).start()
try:
    z.sum().item()
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.embedded("with several workers a read waits for each to vouch")
def test_a_notebook_runs_interrupts_and_ends(tmp_path):
    cells = [
        # What was registered before GT is called after it, if the kernel need not be killed.
        "import atexit, pathlib\n_ = atexit.register(lambda: pathlib.Path('ended').touch())",
        "import gt\nx = gt.ones(3)",
        "x = x + 1\nx",
        "gt.connect()\ny = gt.ones(2)\ny + 1",
        "x + 1",
        INTERRUPTED,
        "y + 2",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    client = nbclient.NotebookClient(
        notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    outputs = [list(cell["outputs"]) for cell in notebook.cells]
    assert [len(output) for output in outputs] == [0, 0, 1, 1, 1, 1, 1], json.dumps(outputs)
    assert outputs[5][0]["text"] == "interrupted\n"
    texts = [outputs[cell][0]["data"]["text/plain"] for cell in (2, 3, 4)]
    assert texts == ["tensor([2., 2., 2.])", "tensor([2., 2.])", "tensor([3., 3., 3.])"]
    # The products would take a minute and more; nobody waits for them, here or at the end.
    assert outputs[6][0]["data"]["text/plain"] == "tensor([3., 3.])"
    assert (tmp_path / "ended").exists()


def test_pytest_itself_ends_well(script):
    (script.folder / "test_inner.py").write_text(
        "import gt\ndef test_it():\n    x = gt.randn(1500, 1500)\n"
        "    for _ in range(50): x = x @ x\n    assert gt.ones(2).sum().item() == 2\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_inner.py"]
    done = subprocess.run(
        command,
        cwd=script.folder,
        env=script.environment({}),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert done.stderr == ""


def test_an_error_in_the_program_is_all_it_says(script):
    done = script.run("import gt\nx = gt.randn(2000, 2000)\ny = x @ x\nraise SystemExit('over')")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "over\n")


def test_two_scripts_at_once(script):
    program = """
        import gt
        total = gt.zeros((), dtype=gt.float64)
        for number in range(500):
            total += (gt.ones(50, 50, dtype=gt.float64) * number).sum()
        print(total.item())
    """
    command, env = script.command(program), script.environment({})
    both = [
        subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    expected = f"{float(2500 * sum(range(500)))}\n"
    assert [process.communicate(timeout=100) for process in both] == [(expected, "")] * 2
