"""Forks, processes, threads and event loops around an asynchronous runtime: a hundred of each."""

import pytest

pytestmark = pytest.mark.everywhere

FORK = """
    import gt
    import os
    import threading

    mine = gt.arange(4) + 1
    large = gt.randn(300, 300)
    stop = threading.Event()
    def busy():
        x = large
        while not stop.is_set():
            x = (x @ large).relu() + gt.ones(300)
            gt.tensor([1.0]).tolist()
    threads = [threading.Thread(target=busy) for _ in range(2)]
    [thread.start() for thread in threads]

    def child():
        total = (gt.arange(1000) * 2).sum().item()
        assert total == 999000, total
        for use in (lambda: mine.tolist(), lambda: mine + 1, lambda: mine.T, lambda: mine.id):
            try:
                use()
            except gt.LostError as error:
                assert "spawn" in str(error), error
        x = gt.ones(200, 200)
        assert (x @ x).sum().item() == 200**3
        return 0

    wrong = 0
    for _ in range(100):
        pid = os.fork()
        if pid == 0:
            try:
                code = child()
            except BaseException as error:
                print(type(error), error, flush=True)
                code = 1
            os._exit(code)
        wrong += os.waitpid(pid, 0)[1] != 0
    stop.set()
    [thread.join() for thread in threads]
    print(wrong, mine.tolist())
"""


def test_a_hundred_forks_with_work_in_flight(script):
    assert script(FORK) == "0 [1, 2, 3, 4]"


def test_a_forked_child_ends_like_any_other_process(script):
    text = script(
        """
        import gt
        import os
        import sys
        x = gt.ones(3) + 1
        pid = os.fork()
        if pid == 0:
            y = gt.ones(3) * 3
            print(y.tolist(), flush=True)
            del x
            sys.exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), x.tolist())
        """
    )
    assert text.splitlines() == ["[3.0, 3.0, 3.0]", "7 [2.0, 2.0, 2.0]"]


PROCESSES = """
    import gt
    import multiprocessing
    import sys

    def work(task):
        number, tensor = task
        # A fork server has a session of its own, which its children must not use.
        assert ("warm" in sys.modules) == ("METHOD" == "forkserver")
        return (gt.arange(100) * number).sum().item(), tensor * number

    if __name__ == "__main__":
        before = gt.ones(3) + 1
        before.tolist()
        context = multiprocessing.get_context("METHOD")
        context.set_forkserver_preload(["warm"])
        with context.Pool(2, maxtasksperchild=1) as pool:
            tasks = [(number, gt.full((2,), number)) for number in range(COUNT)]
            results = pool.map(work, tasks, chunksize=1)
        for number, (total, tensor) in enumerate(results):
            assert (total, tensor.tolist()) == (4950 * number, [number**2] * 2), number
        print(len(results), before.tolist())
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(script, method, full):
    # A spawned process imports everything again, which takes most of a second.
    count = 100 if full or method == "fork" else 12
    (script.folder / "warm.py").write_text("import gt\ngt.ones(1).tolist()\n", encoding="utf-8")
    text = script(PROCESSES.replace("METHOD", method).replace("COUNT", str(count)))
    assert text == f"{count} [2.0, 2.0, 2.0]"


def test_an_executor_of_processes(script):
    text = script(
        """
        import gt
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        def work(array):
            return (gt.from_numpy(array) * 2).numpy()

        if __name__ == "__main__":
            arrays = [gt.full((3,), number).numpy() for number in range(10)]
            with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
                print(sum(float(array.sum()) for array in pool.map(work, arrays)))
        """
    )
    assert text == "270.0"


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


def test_a_hundred_rounds_of_threads(script):
    text = script(
        """
        import gt
        import threading

        weights = gt.zeros(8)
        def work(number):
            x = gt.ones(8) * number
            for _ in range(5):
                x = x + weights * 0
            results.append(x.sum().item())

        wrong = 0
        for _ in range(100):
            results = []
            threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
            wrong += sorted(results) != [0.0, 8.0, 16.0, 24.0]
        print(wrong)
        """
    )
    assert text == "0"


def test_a_hundred_event_loops(script):
    text = script(
        """
        import asyncio
        import gt

        async def one(number):
            x = gt.ones(4) * number
            await asyncio.sleep(0)
            return await asyncio.to_thread(lambda: (x + 1).sum().item())

        async def main():
            return await asyncio.gather(*(one(number) for number in range(5)))

        print({tuple(asyncio.run(main())) for _ in range(100)})
        """
    )
    assert text == "{(4.0, 8.0, 12.0, 16.0, 20.0)}"


def test_an_event_loop_goes_on_while_a_thread_waits(script):
    text = script(
        """
        import asyncio
        import time
        import gt

        x = gt.randn(1500, 1500)
        for _ in range(20):
            x = x @ x

        async def main():
            start = turn = time.monotonic()
            longest = 0
            waiting = asyncio.create_task(asyncio.to_thread(lambda: x.sum().item()))
            while not waiting.done():
                await asyncio.sleep(0)
                longest = max(longest, time.monotonic() - turn)
                turn = time.monotonic()
            await waiting
            print(gt.counters()["waits"], longest < (turn - start) / 2)

        asyncio.run(main())
        """
    )
    assert text == "1 True"
