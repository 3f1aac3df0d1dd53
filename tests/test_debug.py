"""What `gt.debug` tells of a program."""

import base64
import json
import re
import struct
import zlib

import gt
import pytest
from cluster import Cluster


def test_the_tape_of_a_tensor_is_what_it_was_made_from():
    x = gt.ones(2, 3, requires_grad=True)
    unused = (x + 1).relu()
    values, _ = (x * 2.0).max(1)
    loss = values.sum()
    tape = gt.debug.get_tape(loss)
    assert [entry.op for entry in tape] == ["leaf", "mul", "max_along", "sum"]
    leaf, mul, top, total = tape
    assert leaf.inputs == []
    assert leaf.outputs == ["float32[2, 3]"]
    assert mul.inputs == [f"%{leaf.number}", "2.0"]
    assert top.inputs == [f"%{mul.number}"]
    assert len(top.outputs) == 2
    assert total.inputs == [f"%{top.number}.0"]
    assert total.outputs == ["float32[]"]
    assert [entry.number for entry in tape] == sorted(entry.number for entry in tape)
    assert unused.shape == (2, 3)


def test_an_entry_says_where_it_was_made_and_where_the_tensor_is():
    x = gt.ones(2, requires_grad=True)
    y = x.exp()
    leaf, made = gt.debug.get_tape(y)
    assert made.file == __file__
    assert made.function.startswith("test_an_entry")
    assert made.line == leaf.line + 1
    assert made.location.startswith(f"{__file__}:{made.line} in ")
    # The gradient of exp is its result, which the graph therefore holds.
    assert leaf.placement == gt.debug.placement(x)
    assert made.placement == gt.debug.placement(y)


def test_the_tape_of_a_thread_has_what_is_needed_still():
    before = {entry.number for entry in gt.debug.get_tape()}
    x = gt.ones(2, requires_grad=True)
    kept = x * 3
    dropped = x.exp()
    new = [entry for entry in gt.debug.get_tape() if entry.number not in before]
    assert [entry.op for entry in new] == ["leaf", "mul", "exp"]
    del dropped
    new = [entry for entry in gt.debug.get_tape() if entry.number not in before]
    assert [entry.op for entry in new] == ["leaf", "mul"]
    kept.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_what_a_thread_has_made_is_forgotten_when_it_is_gone():
    x = gt.ones(2, requires_grad=True)
    for _ in range(5000):
        x.exp()
    assert len(gt.debug.get_tape()) < 100


def test_a_printed_tape_has_a_line_for_each_operation(capsys):
    x = gt.ones(2, requires_grad=True)
    loss = (x * x).sum()
    gt.debug.print_tape(loss)
    lines = capsys.readouterr().out.splitlines()
    first, second, third = (entry.number for entry in gt.debug.get_tape(loss))
    assert lines[0].startswith(f"%{first} = leaf -> float32[2]")
    assert lines[1].startswith(f"%{second} = mul %{first} %{first} -> float32[2]")
    assert lines[2].startswith(f"%{third} = sum %{second} -> float32[]")
    assert all(f"{__file__}:" in line for line in lines)
    gt.debug.print_tape(gt.ones(2))
    assert "the tape is empty" in capsys.readouterr().out


def test_a_function_of_the_users_stands_on_the_tape():
    class Double(gt.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = gt.ones(2, requires_grad=True)
    assert [entry.op for entry in gt.debug.get_tape(Double.apply(x))] == ["leaf", "Double"]


def test_a_failed_tensor_is_shown_as_failed_with_its_line():
    x = gt.ones(3)
    bad = x.take(gt.tensor([7]))
    shown = repr(bad)
    assert shown.startswith("tensor(failed: ")
    assert "take" in shown
    assert f"{__file__}:" in shown
    # Printing is reading: the program would go on without the value.
    with pytest.raises(IndexError):
        str(x.take(gt.tensor([8])))
    assert x.sum().item() == 3


def test_of_a_large_tensor_only_what_is_shown_is_fetched():
    x = gt.arange(4_000_000).reshape(2000, 2000)
    before = gt.counters()
    text = repr(x)
    after = gt.counters()
    assert text.startswith("tensor([[      0,       1,       2,  ...,    1997,    1998,    1999],")
    assert after["read_bytes"] - before["read_bytes"] == 36 * 8


def test_large_tensors_print_as_pytorch_prints_them(torch):
    for shape in [(1001,), (40, 40), (2, 600), (12, 9, 11), (1200, 1), (7, 1, 300)]:
        count = int(gt.tensor(shape).prod().item())
        expected = str(torch.arange(count).reshape(shape))
        assert str(gt.arange(count).reshape(shape)) == expected
        assert str(gt.arange(count).reshape(shape)[..., ::2] * 0.5) == str(
            torch.arange(count).reshape(shape)[..., ::2] * 0.5
        )


def pixels(shown):
    """The rows of pixels of the picture in a page."""
    data = base64.b64decode(re.search(r"base64,([^\"]*)", shown)[1])
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (data[:8], depth, kind) == (b"\x89PNG\r\n\x1a\n", 8, 2)
    size = struct.unpack(">I", data[33:37])[0]
    assert struct.unpack(">I", data[41 + size : 45 + size])[0] == zlib.crc32(data[37 : 41 + size])
    lines = zlib.decompress(data[41 : 41 + size])
    rows = [lines[1 + y * (1 + 3 * width) :][: 3 * width] for y in range(height)]
    return [[tuple(row[3 * x : 3 * x + 3]) for x in range(width)] for row in rows]


def test_a_notebook_shows_the_text_and_draws_matrices():
    shown = gt.eye(9)._repr_html_()
    assert "<code>float32[9, 9]</code>" in shown
    assert "<pre>tensor([[1., 0., " in shown
    drawn = pixels(shown)
    assert [len(row) for row in drawn] == [9] * 9
    assert all(
        drawn[y][x] == ((255,) * 3 if x == y else (0,) * 3) for x in range(9) for y in range(9)
    )
    assert "<img" not in gt.ones(3)._repr_html_()
    assert "<img" not in gt.ones(3, 3)._repr_html_()


def test_a_notebook_draws_images_in_their_colours():
    image = gt.zeros(3, 8, 10)
    image[0, 2, 3] = 1.0
    image[1, 0, 0] = float("nan")
    for shown in (image._repr_html_(), image.permute(1, 2, 0)._repr_html_()):
        drawn = pixels(shown)
        assert (len(drawn), len(drawn[0])) == (8, 10)
        assert drawn[2][3] == (255, 0, 0)
        assert drawn[0][0] == (255, 0, 255)
        assert drawn[7][9] == (0, 0, 0)


def test_of_a_large_matrix_a_small_picture_is_drawn():
    x = gt.ones(1000, 3000, requires_grad=True)
    before = gt.counters()["read_bytes"]
    drawn = pixels(x._repr_html_())
    assert (len(drawn), len(drawn[0])) == (125, 125)
    assert gt.counters()["read_bytes"] - before == 125 * 125 * 8 + 36 * 4


def test_a_notebook_shows_a_failed_tensor_as_failed():
    bad = gt.ones(300).take(gt.tensor([700] * 100)).reshape(10, 10)
    shown = bad._repr_html_()
    assert "tensor(failed: " in shown
    assert "<img" not in shown


@pytest.mark.everywhere
def test_lines_that_wait_are_counted():
    x = gt.ones(2)
    before = gt.debug.reads()
    for number in range(3):
        (x + number).sum().item()
    gt.synchronize()
    x.nonzero()
    more = {
        place: times - before.get(place, 0)
        for place, times in gt.debug.reads().items()
        if times != before.get(place, 0)
    }
    assert sorted(more.values()) == [1, 1, 3]
    assert all(place.rpartition(":")[0] == __file__ for place in more)


@pytest.mark.embedded("sets a variable of its own process")
def test_lines_that_wait_are_told_once(script):
    code = """
        import warnings, gt
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            x = gt.ones(3)
            for number in range(4):
                float((x * number).sum())
            gt.synchronize()
        print([(one.lineno, str(one.message)[:35]) for one in told])
    """
    said = script(code, GT_WARN_SYNC="1")
    text = "the program waits here for a value "
    assert said == str([(7, text), (8, text)])
    assert script(code) == "[]"


@pytest.mark.everywhere
def test_workers_say_what_they_were_given():
    gt.ones(3).sum().item()
    before = gt.debug.get_worker_stats()
    assert {name for stats in before.values() for name in stats} == {
        "total_instructions",
        "hot_instructions",
        "unique_sequences",
        "hot_sequences",
    }
    x = gt.ones(3)
    for _ in range(50):
        x = x + 1
    after = gt.debug.get_worker_stats()

    def total(stats):
        return sum(one["total_instructions"] for one in stats.values())

    # Each addition, and the free of what it replaces; names may be freed together.
    assert 51 <= total(after) - total(before) <= 104
    assert all(stats["hot_instructions"] == 0 for stats in after.values())


CUT_STATS = """
    import json, gt
    from gt import ShardConfig, SignalConfig
    gt.workers(2)
    gt.register_config("cut", SignalConfig(shard=ShardConfig(axis=0, workers=[0, 1])))
    with gt.signal.context("cut"):
        x = gt.tensor([[1.0, 2.0]] * 4)
        y = x.exp()
        w = y + x
    w.sum(0).tolist()
    print(json.dumps([gt.debug.get_modifier_stats(), sum(gt.debug.moved_bytes().values())]))
    gt.debug.print_worker_stats()
"""


@pytest.mark.embedded("each test says where GT runs")
def test_modifiers_count_what_they_do(script):
    stats, *printed = script(CUT_STATS).splitlines()
    found, moved = json.loads(stats)
    assert found["signal"]["placed"] == 2
    assert found["shard"]["cut"] == 3
    assert found["reshard"]["moves"] > 0
    assert found["reshard"]["bytes"] == moved > 0
    assert [line.split(":")[0] for line in printed] == [
        "worker 0",
        "worker 1",
        "signal",
        "shard",
        "reshard",
    ]


@pytest.mark.embedded("each test says where GT runs")
def test_a_server_says_what_modifiers_do_for_each_session(script):
    with Cluster(workers=2) as cluster:
        status = f"""
    import subprocess, sys
    gt.synchronize()
    command = [sys.executable, "-m", "gt", "status", "--json", "-p", "{cluster.port}"]
    print("status", subprocess.run(command, capture_output=True, text=True).stdout)
"""
        said = script(CUT_STATS + status, **cluster.variables)
    found, _ = json.loads(said.splitlines()[0])
    (session,) = json.loads(said.partition("status ")[2])["sessions"]
    assert session["modifiers"] == found
    assert found["shard"]["cut"] == 3
