"""`gt.profiler`: what workers spend their time on, in the words of PyTorch."""

import json
import re

import gt
import pytest


def work(times: int) -> gt.Tensor:
    x = gt.ones(64, 64)
    for _ in range(times):
        x = x @ x
        x = x * 0.01
    return x.sum()


@pytest.mark.everywhere
def test_operations_are_counted_and_timed():
    work(1).item()
    with gt.profiler.profile(activities=[gt.profiler.ProfilerActivity.CPU]) as profile:
        work(7)
    rows = {row.key: row for row in profile.key_averages()}
    assert rows["matmul"].count == 7
    assert rows["mul"].count == 7
    assert rows["sum"].count == 1
    assert rows["matmul"].device_time_total > 0
    assert rows["matmul"].device_time == pytest.approx(rows["matmul"].device_time_total / 7)
    assert rows["matmul"].bytes == 7 * 64 * 64 * 4
    total = profile.key_averages().total_average()
    assert total.share == pytest.approx(1)
    assert total.count == sum(row.count for row in rows.values())
    assert profile.missing_count == 0
    # What comes after it is not in it.
    work(2).item()
    assert {row.key: row.count for row in profile.key_averages()}["matmul"] == 7


@pytest.mark.embedded("says where GT runs")
def test_results_that_are_checked_have_bytes(monkeypatch):
    monkeypatch.setenv("GT_CHECK_NAN", "1")
    with gt.connect(new=True), gt.profiler.profile() as profile:
        work(7)
    rows = {row.key: row.bytes for row in profile.key_averages()}
    assert rows["matmul"] == rows["mul"] == 7 * 64 * 64 * 4
    assert rows["sum"] > 0


def test_values_that_are_replaced_have_bytes():
    x = gt.zeros(64, 64)
    with gt.profiler.profile() as profile:
        x += 1
    assert {row.key: row.bytes for row in profile.key_averages()}["add"] == 64 * 64 * 4


@pytest.mark.everywhere
def test_lines_are_told_apart():
    a = gt.ones(8, 8)
    with gt.profiler.profile() as profile:
        for _ in range(3):
            a.exp()
        a.exp()
    stacks = [row for row in profile.key_averages(group_by_stack_n=1) if row.key == "exp"]
    assert sorted(row.count for row in stacks) == [1, 3]
    assert all(re.fullmatch(r".*test_profiler\.py:\d+", row.stack[0]) for row in stacks)
    lines = {row.key: row.count for row in profile.by_line()}
    assert sorted(lines[row.stack[0]] for row in stacks) == [1, 3]


def test_a_table_is_sorted_as_asked():
    with gt.profiler.profile() as profile:
        work(5)
    rows = profile.key_averages()
    for word in ("self_cpu_time_total", "cuda_time_total", "cpu_time", "count", "bytes"):
        lines = rows.table(sort_by=word, row_limit=2).splitlines()
        assert lines[1].split()[0] == "Name"
        assert len(lines) == 7
    by_count = rows.table(sort_by="count").splitlines()
    counts = [int(line.split()[-3]) for line in by_count[3:-2]]
    assert counts == sorted(counts, reverse=True)
    assert rows.table().endswith("s")
    with pytest.raises(ValueError, match="sort_by must be one of"):
        rows.table(sort_by="beauty")
    assert "Source Location" in profile.key_averages(group_by_stack_n=1).table()


@pytest.mark.everywhere
def test_a_trace_for_chrome_has_every_operation(tmp_path):
    with gt.profiler.profile() as profile:
        work(4)
    profile.export_chrome_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    spans = [event["name"] for event in events if event["ph"] == "X"]
    assert spans.count("matmul") == 4


def test_one_profile_may_be_inside_another_and_a_failure_passes():
    index = gt.tensor([9])
    ready = []
    with gt.profiler.profile(on_trace_ready=ready.append) as outer:
        work(1)
        with gt.profiler.profile() as inner:
            work(2)
        gt.ones(3).gather(0, index)
    with pytest.raises((IndexError, RuntimeError), match="index 9 is out of bounds"):
        gt.synchronize()
    found = [{row.key: row.count for row in one.key_averages()}["matmul"] for one in (outer, inner)]
    assert found == [3, 2]
    assert ready == [outer]
    (gather,) = (row for row in outer.key_averages() if row.key == "gather")
    assert (gather.count, gather.failed) == (1, 1)


def test_what_is_not_recorded_cannot_be_asked_for():
    with pytest.raises(RuntimeError, match="nothing is recorded"):
        gt.profiler.profile().key_averages()
    with pytest.raises(NotImplementedError, match="schedule"):
        gt.profiler.profile(schedule=lambda step: step)
