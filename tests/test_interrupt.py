"""Ctrl-C: it ends a wait, and nothing else."""

import signal
import subprocess
import time

import pytest

pytestmark = pytest.mark.everywhere

WAITING = """
    import gt
    import signal
    import threading
    import time
    signal.signal(signal.SIGINT, signal.default_int_handler)
    x = gt.randn(2000, 2000)
    for _ in range(15):
        x = x @ x

    def tell():
        while gt.counters()["waits"] == 0:
            pass
        print("waits", flush=True)

    threading.Thread(target=tell).start()
    try:
        x.sum().item()
        print("not interrupted")
    except KeyboardInterrupt:
        print(time.time())
    start = time.time()
    print((gt.ones(2) + 1).tolist(), time.time() - start)
"""


def test_a_signal_from_outside_ends_a_wait_within_200_ms(script):
    """And the read that follows does not wait for the products that are queued in front of it."""
    process = subprocess.Popen(
        script.command(WAITING),
        env=script.environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "waits\n"
    sent = time.time()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=100)
    assert errors == ""
    interrupted, after = output.splitlines()
    assert float(interrupted) - sent < 0.2
    values, seconds = after.rsplit(" ", 1)
    assert values == "[2.0, 2.0]"
    # A product takes about half a second; the fifteen of them, many seconds.
    assert float(seconds) < 3


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
            print(time.monotonic() - start < 0.3)
        print((gt.ones(2) + 1).tolist())
        """
    )
    assert text.splitlines() == ["True", "[2.0, 2.0]"]


def test_a_failure_behind_an_abandoned_read_is_not_lost(script):
    text = script(
        """
        import gt
        import signal
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        x = gt.randn(1500, 1500)
        for _ in range(6):
            x = x @ x
        bad = gt.ones(3).gather(0, gt.tensor([5]))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            (x[0, 0] * bad).item()
        except KeyboardInterrupt:
            print("interrupted")
        try:
            gt.synchronize()
        except IndexError:
            print("raised")
        gt.synchronize()
        """
    )
    assert text.splitlines() == ["interrupted", "raised"]


@pytest.mark.embedded("with several workers a read waits for each to vouch")
def test_an_interrupt_while_the_client_is_too_far_ahead(script):
    text = script(
        """
        import gt
        import signal
        import time
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        x = gt.randn(700, 700)
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        start = time.monotonic()
        try:
            while True:
                x = x @ x
        except KeyboardInterrupt:
            print(time.monotonic() - start < 1.3)
        start = time.monotonic()
        print((gt.ones(2) + 1).tolist(), time.monotonic() - start)
        """
    )
    interrupted, after = text.splitlines()
    values, seconds = after.rsplit(" ", 1)
    assert (interrupted, values) == ("True", "[2.0, 2.0]")
    # Thirty thousand products are queued.
    assert float(seconds) < 3


@pytest.mark.parametrize("how", ["Ctrl-C", "gt.cancel()"])
def test_what_is_cancelled_runs_only_if_something_needs_it(script, how):
    """A read waits for nothing that it does not need, and no update is lost."""
    text = script(
        f"""
        import functools
        import gt
        import signal

        def product(count):
            return functools.reduce(lambda y, _: y @ x, range(count), x)

        signal.signal(signal.SIGALRM, signal.default_int_handler)
        x = gt.randn(1200, 1200) / 35
        kept = gt.zeros(3)
        gt.synchronize()
        y, unused = product(300), product(300)
        kept += 1
        if {how == "Ctrl-C"}:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.2)
                y.sum().item()
            except KeyboardInterrupt:
                print("interrupted")
        else:
            gt.cancel()
        print((gt.ones(2) + 1).tolist())
        del unused
        print(kept.tolist())
        print(bool((y == product(300)).all()))
        """
    )
    expected = ["[2.0, 2.0]", "[1.0, 1.0, 1.0]", "True"]
    assert text.splitlines() == ["interrupted"] * (how == "Ctrl-C") + expected
