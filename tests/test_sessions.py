"""Sessions side by side, their workers, and what they tell of themselves."""

import gt
import pytest

pytestmark = pytest.mark.everywhere


@pytest.mark.embedded("counts workers of this process")
def test_sessions_live_side_by_side(script):
    text = script(
        """
        import gt
        implicit = gt.ones(2)
        with gt.connect(workers=2) as first:
            a = gt.ones(2) + 1
            second = gt.connect()
            with second.using():
                b = gt.ones(2) + 2
            print(first.status()["workers"], second.status()["workers"], first, sep="; ")
            with second.using():
                c = gt.ones(2) + 3
            for x, y in [(a, b), (b, c), (a, implicit)]:
                try:
                    print((x + y).tolist())
                except RuntimeError as error:
                    print(error)
        print(first.is_open, second.is_open)
        gt.disconnect()
        print(second.is_open, (implicit + gt.ones(2)).tolist())
        """
    ).splitlines()
    assert text == [
        "2; 1; <gt.Session, 2 workers in this process, open>",
        "add: the tensors belong to different sessions",
        "[7.0, 7.0]",
        "add: the tensors belong to different sessions",
        "False True",
        "False [2.0, 2.0]",
    ]


def test_a_session_in_a_with_statement_is_this_threads_alone(script):
    text = script(
        """
        import gt
        import threading
        def elsewhere():
            global other
            other = gt.ones(1)
        first, default = gt.connect(), gt.connect()
        with first:
            mine = gt.ones(1)
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
            try:
                mine + other
            except RuntimeError as error:
                print(error)
        print(first.is_open, (other + gt.ones(1)).tolist())
        """
    )
    assert text.splitlines() == [
        "add: the tensors belong to different sessions",
        "False [2.0]",
    ]


def test_a_session_has_a_worker():
    with pytest.raises(ValueError, match="at least one"):
        gt.connect(workers=0)


@pytest.mark.embedded("counts threads of this process")
def test_worker_threads_share_one_pool(script):
    text = script(
        """
        import gt
        import os
        def names():
            tasks = os.listdir("/proc/self/task")
            return [open(f"/proc/self/task/{task}/comm").read() for task in tasks]
        def kernels():
            # A thread gives itself its name: until it has run, it has that of the program.
            program = open("/proc/self/comm").read()
            while names().count(program) > 1:
                os.sched_yield()
            return sum(name.startswith("gt-kernel") for name in names())
        gt.workers(4)
        sessions = [gt.connect(workers=3) for _ in range(3)]
        x = gt.ones(600, 600)
        (x @ x).sum().item()
        print(kernels())
        """,
        GT_THREADS="3",
    )
    # Whoever runs a kernel is the third.
    assert text == "2"


def test_many_sessions_leave_no_thread_behind(script):
    text = script(
        """
        import gt
        import os
        for number in range(100):
            with gt.connect() as session:
                assert (gt.ones(3) + number).sum().item() == 3 + 3 * number
        ours = lambda: [t for t in os.listdir("/proc/self/task")]
        while len(ours()) > 3:  # threads end after what they are at
            pass
        print("over")
        """,
        GT_THREADS="1",
    )
    assert text == "over"


def test_sessions_that_nobody_closes_leave_no_thread_behind(script):
    text = script(
        """
        import gt
        import os
        import time
        for _ in range(500):
            # The session before this one ends here, while the rest of its answers is delivered.
            gt.connect(workers=2)
            x = gt.ones(300, 300)
            (x @ x).sum().item()
        del x
        gt.close()
        patience = time.monotonic() + 20
        while len(os.listdir("/proc/self/task")) > 1 and time.monotonic() < patience:
            os.sched_yield()  # threads end after what they are at
        print(len(os.listdir("/proc/self/task")))
        """,
        GT_THREADS="1",
    )
    assert text == "1"


def test_gpu_workers_without_a_gpu_are_cpu_workers_and_one_warning(script):
    done = script.run(
        "import gt\ngt.gpu_workers(3)\ngt.ones(1)\ngt.gpu_workers(3)\nprint(gt.status()['workers'])"
    )
    assert done.stdout == "3\n"
    assert done.stderr.count("the workers use the CPU") >= 1
    assert done.returncode == 0


def test_status_starts_nothing(script):
    text = script(
        """
        import gt
        print(gt.status())
        gt.synchronize()
        x = gt.ones(3) + 1
        x.tolist()
        status = gt.status()
        print(sorted(status), status["open"], status["commands_done"] <= status["commands_sent"])
        """
    ).splitlines()
    assert text[0] == "{'open': False}"
    keys = ["commands_done", "commands_sent", "memory_bytes", "memory_limit_bytes", "open"]
    assert text[1] == f"{[*keys, 'threads', 'workers']} True True"


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
