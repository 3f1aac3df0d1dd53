"""From import to exit: what a process loads, says, keeps and leaves behind, and how it fails."""

import subprocess
import time

import pytest
from conftest import Script


def test_importing_does_not_import_numpy(script):
    text = script(
        """
        import sys
        import gt
        (gt.ones(3) + gt.randn(3)).tolist()
        print(repr(gt.arange(3)), "numpy" in sys.modules, "torch" in sys.modules)
        """
    )
    assert text == "tensor([0, 1, 2]) False False"


def test_the_first_line_of_the_readme_prints_a_tensor_and_nothing_else(script):
    lines = script("import gt; print(gt.randn(2,2))").splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("tensor([[")


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
    ],
)
def test_silent_to_the_end(script, program):
    assert script(program) == ""


def test_exits_at_once_with_work_in_flight(script):
    start = time.monotonic()
    assert (
        script(
            """
        import gt
        x = gt.randn(3000, 3000)
        for _ in range(200):
            x = x @ x
        print("emitted")
        """
        )
        == "emitted"
    )
    # The products would take a minute and more.
    assert time.monotonic() - start < 30


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


MIXED = """
    import gt
    import hashlib
    gt.workers(WORKERS)
    gt.manual_seed(5)
    digest = hashlib.sha256()
    for step in range(4):
        x = gt.randn(130, 257)
        y = ((x * 2 + 1).relu() * 0.5 - 3).sigmoid()
        z = (y @ x.T).softmax(1) + y.sum(dim=1, keepdim=True) / 7
        x[1:40:3] = z[0, :257 - 130].sum() + x.T[5, 2]
        z -= z.mean(dim=0)
        values, places = z.topk(9)
        parts = [x.to(gt.float16).sum(dim=0), z.to(gt.bfloat16).exp(), values, places, z.nonzero()]
        for part in [x, y, z, *parts]:
            digest.update(part.double().numpy().tobytes())
    print(digest.hexdigest(), z.sum().item())
"""


@pytest.fixture(scope="module")
def plain_bits(tmp_path_factory):
    return Script(tmp_path_factory.mktemp("plain"))(MIXED.replace("WORKERS", "1"))


@pytest.mark.parametrize("size", ["0", "1", "2", "7"])
def test_no_bit_depends_on_where_a_window_ends(script, plain_bits, size):
    assert script(MIXED.replace("WORKERS", "1"), GT_WORKER_BATCH_SIZE=size) == plain_bits


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_no_bit_depends_on_the_threads(script, plain_bits, threads):
    assert script(MIXED.replace("WORKERS", "1"), GT_THREADS=threads) == plain_bits


@pytest.mark.parametrize("workers", ["2", "3", "5"])
def test_several_workers_give_the_same_numbers(script, plain_bits, workers):
    assert script(MIXED.replace("WORKERS", workers)) == plain_bits


def test_workers_are_asked_for_before_the_first_operation(script):
    text = script(
        """
        import gt
        gt.workers(2)
        gt.ones(1)
        gt.workers(2)
        for count in (0, 3):
            try:
                gt.workers(count)
            except (RuntimeError, ValueError) as error:
                print(error)
        """
    )
    assert text.splitlines() == [
        "workers: at least one is needed",
        "workers: must be called before the first operation",
    ]


@pytest.mark.parametrize("variable", ["GT_THREADS", "GT_WORKER_BATCH_SIZE"])
def test_a_wrong_setting_is_an_error_of_the_first_operation(script, variable):
    done = script.run("import gt\nprint('imported')\ngt.ones(1)", **{variable: "many"})
    assert done.stdout == "imported\n"
    assert f"{variable} must be a whole number, not 'many'" in done.stderr


def test_errors_in_data_are_raised_at_the_read_with_their_line(script):
    text = script(
        """
        import gt

        def attempt(read):
            try:
                print(read().tolist())
            except (IndexError, RuntimeError) as error:
                print(error)

        x = gt.tensor([1.0, 2.0, 3.0])
        def wrong():
            return x.gather(0, gt.tensor([5]))  # line 12
        bad = wrong()
        worse = (bad * 2 + 1).sum()
        attempt(lambda: worse)
        attempt(lambda: bad)
        attempt(lambda: worse + 1)
        attempt(lambda: x + 1)
        """
    ).splitlines()
    assert all("gather: index 5 is out of bounds" in line for line in text[:3])
    assert all("script.py:12 in wrong" in line for line in text[:3])
    assert text[3] == "[2.0, 3.0, 4.0]"


@pytest.mark.parametrize("workers", ["1", "3"])
def test_updates_with_a_failed_operand_keep_the_old_value(script, workers):
    text = script(
        """
        import gt
        gt.workers(WORKERS)
        weights, other = gt.ones(2, 3), gt.zeros(2, 3)
        bad = gt.ones(3).gather(0, gt.tensor([5, 1, 1]))
        weights += bad
        weights[1] -= bad
        weights.T.mul_(bad.sum())
        weights.copy_(bad.expand(2, 3))
        other[0] = bad
        other += 1
        try:
            (bad + 1).tolist()
        except (IndexError, RuntimeError):
            print("raised")
        print(weights.tolist(), other.tolist())
        weights += 1
        print(weights.tolist())
        """.replace("WORKERS", workers)
    )
    assert text.splitlines() == [
        "raised",
        "[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]] [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]",
        "[[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]",
    ]


def test_a_failure_nobody_reads_is_raised_by_the_next_read(script):
    text = script(
        """
        import gt
        x = gt.ones(3)
        x.gather(0, gt.tensor([5]))
        try:
            (x + 1).tolist()
        except (IndexError, RuntimeError) as error:
            print("script.py:4 in <module>" in str(error))
        print((x + 1).tolist())
        """
    )
    assert text.splitlines() == ["True", "[2.0, 2.0, 2.0]"]


def test_a_closed_session_says_so_and_the_next_operation_starts_another(script):
    text = script(
        """
        import gt
        x = gt.ones(2)
        gt.close()
        try:
            (x + 1).tolist()
        except gt.LostError as error:
            print(error)
        y = gt.ones(2) + 1
        print(y.tolist())
        try:
            x + y
        except RuntimeError as error:
            print(error)
        """
    ).splitlines()
    assert "closed" in text[0]
    assert text[1] == "[2.0, 2.0]"
    assert len(text) == 3


def test_an_interrupt_ends_the_wait_and_not_the_session(script):
    text = script(
        """
        import gt
        import signal
        import time

        # What Ctrl-C does, from a clock: the products take much longer.
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        x = gt.randn(2000, 2000)
        for _ in range(15):
            x = x @ x
        start = time.monotonic()
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            x.sum().item()
            print("not interrupted")
        except KeyboardInterrupt:
            print(time.monotonic() - start < 0.6)
        print((gt.ones(2) + 1).tolist())
        """
    )
    assert text.splitlines() == ["True", "[2.0, 2.0]"]


def test_threads_share_the_session(script):
    text = script(
        """
        import gt
        from concurrent.futures import ThreadPoolExecutor

        def work(number):
            x = gt.zeros(10)
            for _ in range(300):
                x = x + number
                x[0] = number
            return x.tolist()

        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(work, range(8)))
        print(results == [[n] + [300.0 * n] * 9 for n in range(8)])
        """
    )
    assert text == "True"


MEMORY = """
    import gt

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

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


def test_ops_that_keep_nothing_leave_memory_flat(script):
    assert float(script(MEMORY.replace("COUNT", "200_000"))) < 8


@pytest.mark.soak
def test_a_million_ops_that_keep_nothing_leave_memory_flat(script):
    assert float(script(MEMORY.replace("COUNT", "1_000_000"))) < 8


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
