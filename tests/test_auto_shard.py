"""Automatic sharding: what is cut without a file, when, and that nothing else changes."""

import concurrent.futures
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import gt
import pytest
from gt import nn

FOLDER = Path(__file__).parents[1] / "examples" / "parallel"
SPEC = importlib.util.spec_from_file_location("auto_train", FOLDER / "train.py")
train = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(train)

embedded = pytest.mark.embedded("asks for more workers than the processes of an arrangement are")

#: Workers on cores of their own, with links as quick as memory …
QUICK = "workers_at_once: {workers}\nlink_bytes: 1e11\nmessage_seconds: 1e-7\n"
#: … for which products are as long as those of a large model.
SLOW_WORK = "flops: 1e8\n"


@pytest.fixture
def automatic(monkeypatch, tmp_path):
    """Opens sessions that shard by themselves, by the costs of a file."""

    @contextmanager
    def opened(costs: str = "", workers: int = 2) -> Iterator[gt.Session]:
        file = tmp_path / "costs.yaml"
        file.write_text(costs.format(workers=workers))
        monkeypatch.setenv("GT_AUTO_SHARD", "1")
        monkeypatch.setenv("GT_COSTS", str(file))
        with gt.connect(workers=workers, new=True) as session:
            gt.manual_seed(0)
            yield session

    return opened


def learn(model: nn.Module, x: gt.Tensor, y: gt.Tensor, steps: int) -> list[float]:
    """Train without any signal; give the losses."""
    optimizer = gt.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def alone(name: str, steps: int) -> list[float]:
    """The losses of one worker."""
    with gt.connect(workers=1, new=True):
        gt.manual_seed(0)
        return learn(*train.MODELS[name](0.0), steps)


def places(model: nn.Module) -> list[str]:
    return [gt.debug.placement(p) for p in model.parameters()]


def chosen() -> str:
    found = gt.debug.auto_shard()
    assert found is not None
    return found["chosen"]


@embedded
@pytest.mark.parametrize("name", ["mlp", "cnn", "gpt"])
def test_small_things_are_left_alone(automatic, name):
    expected = alone(name, 4)
    with automatic("workers_at_once: {workers}\n"):
        model, x, y = train.MODELS[name](0.0)
        assert gt.debug.auto_shard() is None
        assert learn(model, x, y, 4) == pytest.approx(expected, rel=1e-6)
        assert chosen() == "whole"
        assert set(places(model)) == {"whole on 0"}


@embedded
@pytest.mark.parametrize("name", ["mlp", "cnn", "gpt"])
def test_workers_that_share_their_cores_gain_nothing(automatic, name):
    with automatic(SLOW_WORK):
        model, x, y = train.MODELS[name](0.0)
        learn(model, x, y, 3)
        assert chosen() == "whole"


@embedded
@pytest.mark.parametrize("workers", [2, 3])
@pytest.mark.parametrize("name", ["mlp", "cnn", "gpt"])
def test_what_pays_is_cut_and_no_loss_changes(automatic, name, workers):
    expected = alone(name, 8)
    with automatic(QUICK + SLOW_WORK, workers):
        model, x, y = train.MODELS[name](0.0)
        losses = learn(model, x, y, 8)
        on = " ".join(map(str, range(workers)))
        if (name, workers) == ("mlp", 3):
            # The hidden layer divides by three as the batch does.
            assert chosen() in ("data", "tensor")
        else:
            assert chosen() == "data"
            assert set(places(model)) == {f"replicate on {on}"}
    assert losses == pytest.approx(expected, rel=1e-4)


@embedded
def test_what_does_not_fit_one_worker_is_cut_whatever_it_costs(automatic):
    expected = alone("mlp", 5)
    # The parameters have 16,500 bytes, and 66,000 with gradients and state.
    with automatic("worker_memory_bytes: 6e4\nlink_bytes: 1e3\n"):
        model, x, y = train.MODELS["mlp"](0.0)
        losses = learn(model, x, y, 1)
        # Even the first step has them cut.
        assert places(model) == ["shard(0) on 0 1"] * 4
        assert chosen() == "fully sharded"
        losses += learn(model, x, y, 4)
    assert losses[0] == pytest.approx(expected[0], rel=1e-4)


@embedded
def test_activations_that_do_not_fit_are_cut_after_the_first_step(automatic):
    with automatic("worker_memory_bytes: 6e5\nmessage_seconds: 1e-2\n"):
        model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
        x, y = gt.randn(1024, 8), gt.randint(0, 2, (1024,))
        learn(model, x, y, 3)
        found = gt.debug.auto_shard()
        trials = {trial["name"]: trial for trial in found["trials"]}
        assert not trials["whole"]["fits"]
        assert trials["data"]["fits"]
        assert trials["data"]["seconds"] > trials["whole"]["seconds"]
        assert found["chosen"] == "data"


@embedded
def test_nothing_changes_after_the_decision(automatic):
    with automatic(QUICK + SLOW_WORK):
        model, x, y = train.MODELS["mlp"](0.0)
        optimizer = gt.optim.Adam(model.parameters())
        first = None
        for step in range(6):
            with gt.no_grad():
                logits = model(x)
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
            if step == 1:
                first, config = places(model), gt.explain(as_yaml=True)
        assert places(model) == first
        assert gt.explain(as_yaml=True) == config
        # The same numbers, computed again and again, have the same bits.
        with gt.no_grad():
            again = [model(x).numpy() for _ in range(3)]
        assert all((one == again[0]).all() for one in again)
        assert logits.shape == (48, 10)


@embedded
@pytest.mark.parametrize("kind", [gt.optim.Adam, gt.optim.RMSprop, gt.optim.Adagrad])
def test_state_of_the_optimiser_goes_with_its_parameter(automatic, kind):
    with automatic(QUICK + SLOW_WORK):
        model, x, y = train.MODELS["mlp"](0.0)
        optimizer = kind(model.parameters())
        for _ in range(3):
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
        assert set(places(model)) == {"replicate on 0 1"}
        for parameter in model.parameters():
            for value in optimizer.state[parameter].values():
                if value.shape == parameter.shape:
                    assert gt.debug.placement(value) == "replicate on 0 1"


@embedded
@pytest.mark.filterwarnings("ignore:the config does not define the signal")
@pytest.mark.parametrize(
    "config",
    ["forward:\n  shard: {replicated: true, workers: [1]}", "MLP:\n  shard: {axis: 0}"],
)
def test_a_file_always_wins(automatic, tmp_path, config):
    path = tmp_path / "config.yaml"
    path.write_text(config)

    def placed() -> list[str]:
        gt.load_config(str(path))
        model, x, y = train.MODELS["mlp"](0.0)
        train.train(model, x, y, 3)
        return places(model)

    with gt.connect(workers=2, new=True):
        expected = placed()
    with automatic("worker_memory_bytes: 1e6\n" + QUICK + SLOW_WORK):
        assert placed() == expected


@embedded
def test_patterns_and_signals_win_over_what_is_decided(automatic, tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text('params:\n  "hidden.bias": {axis: 0}\n')
    with automatic(QUICK + SLOW_WORK):
        gt.load_config(str(path))
        model, x, y = train.MODELS["mlp"](0.0)
        learn(model, x, y, 3)
        assert gt.debug.auto_shard() is not None
        assert gt.debug.placement(model.hidden.bias) == "shard(0) on 0 1"


@embedded
def test_a_signal_around_a_module_wins_over_what_is_decided_of_it(automatic):
    with automatic(QUICK + SLOW_WORK):
        shard = gt.ShardConfig(replicated=True, workers=[1])
        gt.register_config("mine", gt.SignalConfig(shard=shard))
        model, x, y = train.MODELS["mlp"](0.0)
        learn(model, x, y, 3)
        assert chosen() == "data"
        with gt.no_grad():
            assert gt.debug.placement(model(x)) == "shard(0) on 0 1"
            with gt.signal.context("mine"):
                assert gt.debug.placement(model(x)) == "whole on 1"


@embedded
def test_a_config_that_comes_later_wins(automatic, tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text('params:\n  "hidden.*": {axis: 0}\n')
    with automatic(QUICK + SLOW_WORK):
        model, x, y = train.MODELS["mlp"](0.0)
        learn(model, x, y, 2)
        assert gt.debug.placement(model.hidden.weight) == "replicate on 0 1"
        gt.load_config(str(path))
        learn(model, x, y, 1)
        assert gt.debug.placement(model.hidden.weight) == "shard(0) on 0 1"
        assert gt.debug.placement(model.out.weight) == "replicate on 0 1"


@embedded
def test_the_decision_waits_for_the_first_update(automatic):
    with automatic(QUICK + SLOW_WORK):
        model, x, y = train.MODELS["mlp"](0.0)
        optimizer = gt.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            nn.functional.cross_entropy(model(x), y).backward()
            assert gt.debug.auto_shard() is None
        optimizer.step()
        model(x)
        assert chosen() == "data"


@embedded
def test_a_model_that_only_answers_is_decided_over_at_its_second_call(automatic):
    with automatic(QUICK + SLOW_WORK), gt.no_grad():
        model, x, _ = train.MODELS["mlp"](0.0)
        first = model(x).numpy()
        assert gt.debug.auto_shard() is None
        second = model(x).numpy()
        assert chosen() != "whole"
        assert second == pytest.approx(first, rel=1e-4, abs=1e-5)


@embedded
@pytest.mark.parametrize("name", ["mlp", "cnn", "gpt"])
@pytest.mark.parametrize(
    ("workers", "costs"), [(2, ""), (4, ""), (2, "worker_memory_bytes: 6e4\n")]
)
def test_no_strategy_by_hand_is_better(automatic, name, workers, costs):
    """Time by the same model within 10 %, bytes counted within 20 %, of the best config by hand."""
    costs = costs + QUICK + SLOW_WORK
    with automatic(costs, workers):
        gt.explain()
        model, x, y = train.MODELS[name](0.0)
        seconds, moved = measured(model, x, y)
    best = min(by_hand(automatic, name, workers, costs), default=None)
    assert best is not None
    assert seconds <= 1.1 * best[0]
    assert moved <= 1.2 * best[1] + 256


def by_hand(automatic, name, workers, costs):
    """What the configs beside the example cost that fit."""
    room = re.search("worker_memory_bytes: (.*)", costs)
    configs = ["data", "fsdp", *(["columns"] if name == "mlp" else [])]
    for config in [*configs, *(["mesh", "hybrid"] if workers == 4 else [])]:
        with automatic(costs, workers):
            gt.load_config(str(FOLDER / f"{config}.yaml"))
            gt.explain()
            model, x, y = train.MODELS[name](0.0)
            seconds, moved = measured(model, x, y, signal="forward")
            if room is None or config == "fsdp":
                yield seconds, moved


def measured(model, x, y, signal="none") -> tuple[float, float]:
    """Seconds of a step by the model of costs, and bytes by counting, once all is settled."""
    optimizer = gt.optim.AdamW(model.parameters(), lr=3e-3)
    seconds, moved = [], []
    for _ in range(4):
        with gt.signal.context(signal):
            loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()
        moved.append(sum(gt.debug.moved_bytes().values()))
        seconds.append(gt.explain().seconds)
    return seconds[-1], moved[-1] - moved[-2]


@embedded
def test_large_values_without_a_module_are_cut_and_small_ones_are_not(automatic):
    # From 4 KB on a pass over a half saves ten messages.
    with automatic("workers_at_once: 2\nmessage_seconds: 1e-7\nmemory_bytes: 2e9\n"):
        large, small = gt.randn(64, 64), gt.randn(8, 8)
        assert gt.debug.placement(large) == "shard(0) on 0 1"
        assert gt.debug.placement(small @ small).startswith("whole")
        assert gt.debug.placement(large @ small.flatten().expand(64, 64)) == "shard(0) on 0 1"
        uploaded = gt.tensor([[1.0] * 64] * 64)
        assert gt.debug.placement(uploaded) == "shard(0) on 0 1"
        assert (uploaded * 2).sum().item() == 2 * 64 * 64
        # There is nothing for everybody along the first axis.
        assert gt.debug.placement(gt.ones(1, 4096)) == "shard(1) on 0 1"
    with automatic("worker_memory_bytes: 1e4\n"):
        assert gt.debug.placement(gt.ones(64, 64)) == "shard(0) on 0 1"
    with automatic():
        assert gt.debug.placement(gt.ones(64, 64)).startswith("whole")


@embedded
def test_it_is_told_what_was_decided(automatic, tmp_path, capfd, monkeypatch):
    with automatic(QUICK + SLOW_WORK):
        model, x, y = train.MODELS["mlp"](0.0)
        learn(model, x, y, 2)
        text = gt.explain(as_yaml=True)
        expected = places(model)
        found = gt.explain()
        assert "auto-shard chose 'data'" in found.notes
        assert any("tried 'whole'" in note for note in found.notes)
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with gt.connect(workers=2, new=True):
        monkeypatch.delenv("GT_AUTO_SHARD")
        gt.load_config(str(path))
        model, x, y = train.MODELS["mlp"](0.0)
        learn(model, x, y, 2)
        assert places(model) == expected


@embedded
def test_who_listens_hears_of_it():
    code = (
        "import gt; gt.workers(2); m = gt.nn.Linear(4, 4); x = gt.ones(2, 4)\n"
        "with gt.no_grad(): m(x), m(x).sum().item()"
    )
    variables = {**os.environ, "GT_AUTO_SHARD": "1", "GT_VERBOSE": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    (line,) = [line for line in done.stderr.splitlines() if "auto-shard" in line]
    assert 'chosen="whole"' in line
    assert "'data':" in line


@embedded
def test_threads_that_call_at_once_decide_once(automatic):
    with automatic(QUICK + SLOW_WORK) as session:
        model, x, _ = train.MODELS["mlp"](0.0)

        def answer() -> list[float]:
            with session.using(), gt.no_grad():
                return [model(x).sum().item() for _ in range(5)]

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = [pool.submit(answer) for _ in range(4)]
            sums = [value for one in found for value in one.result()]
        assert sums == pytest.approx([sums[0]] * 20, rel=1e-4, abs=1e-3)
        # What the record holds by then, and so the choice, depends on how the calls interleave.
        decided = gt.debug.auto_shard()
        assert decided is not None
        assert answer() == pytest.approx([sums[0]] * 5, rel=1e-4, abs=1e-3)
        assert gt.debug.auto_shard() == decided


@pytest.mark.everywhere
def test_what_was_measured_is_what_is_reckoned_with(tmp_path, monkeypatch):
    file = tmp_path / "costs.yaml"
    command = [sys.executable, "-m", "gt", "measure", str(file), "--workers", "2"]
    subprocess.run(command, check=True, timeout=100)
    words = dict(re.findall(r"^(\w+): (.*)$", file.read_text(), re.MULTILINE))
    names = ["flops", "memory_bytes", "link_bytes", "message_seconds", "workers_at_once"]
    assert sorted(words) == sorted(names)
    assert 1e9 < float(words["flops"]) < 1e13
    assert 1 <= float(words["workers_at_once"]) <= 2
    monkeypatch.setenv("GT_COSTS", str(file))
    with gt.connect(workers=2, new=True), gt.explaining() as found:
        (gt.ones(512, 512) @ gt.ones(512, 512)).sum().item()
    least = 2 * 512**3 / float(words["flops"])
    slack = 0.01 + 20 * float(words["message_seconds"])
    assert least <= found.seconds <= 2 * least + slack


@embedded
def test_costs_that_cannot_be_read_are_an_error(automatic):
    with pytest.raises(ValueError, match=r"GT_COSTS.*flops"), automatic("flops: -1"):
        gt.ones(1)


@pytest.mark.everywhere
@pytest.mark.parametrize(("costs", "expected"), [(QUICK + SLOW_WORK, "data"), (None, "whole")])
def test_it_decides_the_same_wherever_its_workers_are(automatic, costs, expected):
    losses = alone("gpt", 4)
    with automatic(costs or "workers_at_once: {workers}\n", workers=3):
        model, x, y = train.MODELS["gpt"](0.0)
        assert learn(model, x, y, 4) == pytest.approx(losses, rel=1e-4)
        assert chosen() == expected


@embedded
def test_one_worker_decides_nothing(automatic):
    with automatic(QUICK + SLOW_WORK, workers=1):
        model, x, y = train.MODELS["mlp"](0.0)
        learn(model, x, y, 3)
        assert gt.debug.auto_shard() is None
