"""Environment variables: read at the first operation, checked, documented; silence by default."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.everywhere

REFERENCE = Path(__file__).parent.parent / "docs" / "reference" / "environment.md"


@pytest.mark.parametrize("variable", ["GT_THREADS", "GT_WORKER_BATCH_SIZE"])
def test_a_wrong_setting_is_an_error_of_the_first_operation(script, variable):
    done = script.run("import gt\nprint('imported')\ngt.ones(1)", **{variable: "many"})
    assert done.stdout == "imported\n"
    assert f"{variable} must be a whole number, not 'many'" in done.stderr


@pytest.mark.parametrize("variable", ["GT_SYNC", "GT_VERBOSE", "GT_DEBUG_WORKER"])
def test_a_switch_is_zero_or_one(script, variable):
    done = script.run("import gt\ngt.ones(1)", **{variable: "yes"})
    assert f"{variable} must be 0 or 1, not 'yes'" in done.stderr
    assert script("import gt\nprint(gt.ones(1).item())", **{variable: "0"}) == "1.0"


@pytest.mark.embedded("the instructions are a worker's own setting")
def test_instructions_are_chosen_by_name(script):
    program = "import gt\nprint((gt.ones(3, 5) @ gt.ones(5, 2)).sum().item())"
    assert script(program, GT_CPU="portable") == "30.0"
    refused = script.run(program, GT_CPU="sse9").stderr
    assert "GT_CPU: 'sse9' is none of avx512, avx2 and portable" in refused


@pytest.mark.embedded("the limit is a worker's own setting")
def test_a_size_has_a_unit(script):
    program = "import gt\ngt.ones(1)\nprint(gt.status()['memory_limit_bytes'])"
    assert script(program, GT_MEMORY="64MiB") == str(64 << 20)
    assert "GT_MEMORY must be a size" in script.run(program, GT_MEMORY="much").stderr


@pytest.mark.embedded("dispatcher and workers speak in processes of their own")
@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("GT_VERBOSE", "embedded system workers=1"),
        ("GT_DEBUG_CLIENT", "gt::client: waited"),
        ("GT_DEBUG_DISPATCHER", "gt::dispatcher: s1 sends"),
        ("GT_DEBUG_DISPATCHER", "gt::dispatcher: t0 := ones: whole, on the "),
        ("GT_DEBUG_WORKER", "gt::worker: plan worker=w0"),
    ],
)
def test_each_voice_is_heard_on_stderr_alone(script, variable, words):
    done = script.run("import gt\nprint((gt.ones(2) + 1).tolist())", **{variable: "1"})
    assert (done.returncode, done.stdout) == (0, "[2.0, 2.0]\n")
    assert words in done.stderr
    others = [voice for voice in ("client", "dispatcher", "worker") if voice not in words]
    assert not any(f"gt::{other}" in done.stderr for other in others)


@pytest.mark.embedded("the text of a line is in the process of its program")
def test_a_decision_names_the_line_of_the_program(script):
    done = script.run(
        "import gt\n\nx = gt.ones(2)\nx + 1\ngt.synchronize()", GT_DEBUG_DISPATCHER="1"
    )
    told = [line for line in done.stderr.splitlines() if ":=" in line]
    assert [line.rpartition("script.py:")[2] for line in told] == ["3 in <module>", "4 in <module>"]


def test_the_reference_has_every_variable_of_these_tests():
    text = REFERENCE.read_text(encoding="utf-8")
    for variable in ("GT_SYNC", "GT_MEMORY", "GT_VERBOSE", "GT_DEBUG_CLIENT", "GT_THREADS"):
        assert f"| `{variable}` |" in text
