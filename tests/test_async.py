"""Only reading a value waits: how often a program waits, sends and stores, in fresh sessions."""

import json

import pytest

pytestmark = pytest.mark.everywhere

COUNT = """
    import json
    import gt

    def counted(work):
        before = gt.counters()
        result = work()
        after = gt.counters()
        print(json.dumps({key: after[key] - before[key] for key in after}))
        return result
"""

ADDS = (
    COUNT
    + """
    gt.workers(WORKERS)
    x = gt.zeros(16, 16)

    def adds():
        y = x
        for _ in range(10_000):
            y = y + 1
        return y

    y = counted(adds)
    counted(y.item if y.numel() == 1 else y.numpy)
    print(y[3, 4].item())
"""
)


def counters(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_ten_thousand_adds_wait_for_nothing_before_the_read(script):
    text = script(ADDS.replace("WORKERS", "1"))
    emitting, reading = counters(text)
    assert text.splitlines()[-1] == "10000.0"
    assert emitting["waits"] == 0
    assert reading["waits"] == 1


def test_ten_thousand_adds_are_a_few_messages(script):
    emitting, reading = counters(script(ADDS.replace("WORKERS", "1")))
    # An add and the free of its input are 20,000 commands in batches of 1,024; a batch may also
    # leave because its time is up, on a machine that is busy with other things.
    assert emitting["messages"] + reading["messages"] < 200


def test_values_freed_on_the_way_are_never_stored(script):
    emitting, reading = counters(script(ADDS.replace("WORKERS", "1")))
    # At most the value that lives where a window ends; a window covers at least one message.
    assert emitting["stored"] + reading["stored"] < 200


def test_several_workers_do_not_change_that(script):
    text = script(ADDS.replace("WORKERS", "2"))
    emitting, reading = counters(text)
    assert text.splitlines()[-1] == "10000.0"
    assert (emitting["waits"], reading["waits"]) == (0, 1)
    assert emitting["stored"] + reading["stored"] < 400


def test_a_small_value_is_read_once(script):
    again, written = counters(
        script(
            COUNT
            + """
    x = gt.ones(4)
    x.tolist()
    counted(lambda: (x.tolist(), x.numpy(), repr(x)))
    x += 1
    counted(lambda: (x.tolist(), x.numpy()))
    """
        )
    )
    assert (again["waits"], written["waits"]) == (0, 1)


def test_creation_uploads_views_and_writes_wait_for_nothing(script):
    (work,) = counters(
        script(
            COUNT
            + """
    def work():
        x = gt.tensor([[1.0, 2.0], [3.0, 4.0]])
        for _ in range(100):
            x[0] += 1
            x.T[1] = x.sum(dim=0)
            x = gt.cat([x, gt.randn(2, 2)]).softmax(1)[:2]
        return x

    counted(work)
    """
        )
    )
    assert work["waits"] == 0


def test_only_shapes_that_depend_on_data_wait(script):
    (work,) = counters(
        script(
            COUNT
            + """
    x = gt.tensor([0, 1, 2])
    counted(lambda: x.nonzero().shape)
    """
        )
    )
    assert work["waits"] == 1


def test_a_program_that_keeps_nothing_does_not_run_away_from_its_workers(script):
    """Batches that are completed by frees count as much as those that are completed by adds."""
    ahead = script("""
        import gt

        x = gt.zeros(16, 16)
        ahead = 0
        for _ in range(30):
            for _ in range(10_000):
                x + 1
            status = gt.status()
            ahead = max(ahead, status["commands_sent"] - status["commands_done"])
        print(ahead)
    """)
    assert int(ahead) < 80_000
