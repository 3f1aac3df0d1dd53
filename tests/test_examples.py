"""The examples run, at a small size, and learn something."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(autouse=True)
def digits():
    pytest.importorskip("sklearn", reason="scikit-learn holds the digits; `make build` adds it")


def run(name: str, *args: str) -> str:
    command = [sys.executable, str(EXAMPLES / name), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def accuracy(text: str) -> float:
    return float(re.findall(r"test accuracy (\d\.\d+)", text)[-1])


def loss(text: str) -> str:
    return re.findall(r"^loss (\d+\.\d+) after", text, re.MULTILINE)[-1]


def test_the_demo_learns_to_read_digits():
    assert accuracy(run("demo.py", "--small")) >= 0.95


def test_convolutions_learn_to_read_digits(tmp_path):
    text = run("digits_cnn.py", "--epochs", "3", "--width", "8", "--save", str(tmp_path / "net"))
    assert accuracy(text) >= 0.8


GPT = ["--steps", "12", "--size", "32", "--layers", "2", "--length", "16", "--letters", "20"]


def test_a_gpt_that_is_stopped_goes_on_as_if_it_had_not_been(tmp_path):
    kept = str(tmp_path / "gpt.safetensors")
    straight = run("char_gpt.py", *GPT)
    run("char_gpt.py", *GPT, "--checkpoint", kept, "--stop-after", "5")
    resumed = run("char_gpt.py", *GPT, "--checkpoint", kept)
    assert loss(resumed) == loss(straight)
    assert resumed.splitlines()[-1] == straight.splitlines()[-1]


def test_a_gpt_learns_in_mixed_precision():
    # After so many steps the rounding is seen in the digits that are printed.
    longer = ["--steps", "100", *GPT[2:]]
    plain, mixed = (loss(run("char_gpt.py", *longer, *more)) for more in ([], ["--bf16"]))
    assert mixed != plain
    assert abs(float(mixed) - float(plain)) < 0.05


four = pytest.mark.embedded("asks for four workers")


@four
def test_signals_change_no_number_whatever_they_are_configured_to_be():
    plain = run("signal_demo.py", "--config", "none", "--workers", "1").splitlines()
    assert plain[0] == "signals: none is configured"
    found = run("signal_demo.py").splitlines()
    assert found[0] == "signals: forward_pass, backward_pass, parameter_updates, head"
    assert found[1] == plain[1]
    first, last = map(float, re.findall(r"\d\.\d{4}", plain[1]))
    assert last < first


@four
def test_signals_are_configured_by_the_program():
    lines = run("config_from_python.py").splitlines()
    assert all(line.endswith("True") for line in lines[:2])
    assert lines[2:4] == [
        "training: 32 rows on workers [0, 1], sum 128",
        "training: 256 rows on workers [0, 1, 2, 3], sum 1024",
    ]


def test_what_workers_do_is_drawn(tmp_path):
    picture = tmp_path / "timeline.png"
    text = run("visualize_demo.py", "--steps", "2", "--size", "32", "--output", str(picture))
    assert "events of 4 workers" in text
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_what_workers_are_busy_with_is_shown():
    text = run("show_stats.py")
    assert re.search(r"worker \d: idle \d+%  .*matmul \d+%", text)
    assert "commands per second" in text


@pytest.mark.embedded("asks for two workers")
def test_a_program_is_looked_into():
    text = run("debug_demo.py")
    assert re.search(r"%\d+ = relu %\d+ ", text)
    assert re.search(r"^loss after 20 steps: \d+\.\d{4}$", text, re.MULTILINE)
    assert "# of Calls" in text
    assert re.search(r"^worker 1: total_instructions \d+, hot_instructions 0", text, re.MULTILINE)
    assert re.search(r"^debug_demo.py:\d+ has waited 1 times$", text, re.MULTILINE)
    assert text.rstrip().endswith("in the result of div on w0, although its inputs are finite")


def test_automatic_sharding_cuts_what_pays_and_what_does_not_fit():
    text = run("auto_shard.py")
    chosen = re.findall(r"^chosen: ([^;]+); the first weight is (.*)$", text, re.MULTILINE)
    assert chosen == [("data", "replicate on 0 1"), ("fully sharded", "shard(0) on 0 1")]
    losses = re.findall(r"^loss (.*)$", text, re.MULTILINE)
    assert float(losses[0]) == pytest.approx(float(losses[1]), abs=2e-4)
