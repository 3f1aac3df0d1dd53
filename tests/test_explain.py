"""What was decided, as `gt.explain` tells it: the same as what happened."""

import importlib.util
import json
import re
import xml.etree.ElementTree
from pathlib import Path

import gt
import pytest
from gt import explanation, nn

FOLDER = Path(__file__).parents[1] / "examples" / "parallel"
SPEC = importlib.util.spec_from_file_location("explained_train", FOLDER / "train.py")
train = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(train)

CONFIGS = {
    "data": 3,
    "columns": 2,
    "copies": 3,
    "fsdp": 3,
    "mesh": 4,
    "hybrid": 4,
    "layers": 2,
    "backward": 2,
    "pipeline": 2,
    "stages": 8,
    "sequence": 3,
    "experts": 3,
}
# What these configs are about is in one model only; all others are tried with two.
ONLY = {"sequence": "gpt", "experts": "moe"}
RUNS = [
    (name, config)
    for config in CONFIGS
    for name in ([ONLY[config]] if config in ONLY else ["mlp", "gpt"])
]

embedded = pytest.mark.embedded("asks for more workers than the processes of an arrangement are")


class Run:
    """A short training that was explained."""

    def __init__(self, name: str, configs: list[str], workers: int, steps: int = 3) -> None:
        with gt.connect(workers=workers, new=True):
            for config in configs:
                gt.load_config(config)
            gt.manual_seed(0)
            with gt.explaining() as self.explained:
                model, x, y = train.MODELS[name](0.0)
                optimizer = gt.optim.AdamW(model.parameters(), lr=3e-3)
                losses = []
                for _ in range(steps):
                    with gt.signal.context("forward"):
                        loss = nn.functional.cross_entropy(model(x), y)
                    loss.backward()
                    optimizer.step()
                    optimizer.zero_grad()
                    losses.append(loss.item())
            self.losses = losses
            self.moved = sum(gt.debug.moved_bytes().values())
            self.places = {key: gt.debug.placement(p) for key, p in model.named_parameters()}
            tensors = self.explained.tensors
            self.rehearsed = {key: tensors[key]["place"] for key in self.places}


def path(config: str) -> str:
    return str(FOLDER / f"{config}.yaml")


@embedded
@pytest.mark.filterwarnings("ignore:the config does not define the signal")
@pytest.mark.parametrize(("name", "config"), RUNS)
def test_what_is_explained_is_what_happened(name, config):
    run = Run(name, [path(config)], CONFIGS[config])
    assert run.rehearsed == run.places
    assert run.explained.bytes == pytest.approx(run.moved, abs=64)
    assert run.explained.workers == CONFIGS[config]
    assert run.explained.seconds > 0
    assert all(held > 0 for held in run.explained.held_bytes)


@embedded
@pytest.mark.filterwarnings("ignore:the config does not define the signal")
@pytest.mark.parametrize(("name", "config"), RUNS)
def test_the_config_that_it_writes_gives_the_same_run(name, config, tmp_path):
    first = Run(name, [path(config)], CONFIGS[config])
    written = tmp_path / "written.yaml"
    written.write_text(first.explained.yaml())
    second = Run(name, [str(written)], CONFIGS[config])
    assert second.places == first.places
    assert second.losses == first.losses
    assert second.moved == pytest.approx(first.moved, abs=64)


def test_every_example_is_explained():
    assert {file.stem for file in FOLDER.glob("*.yaml")} == set(CONFIGS)


@embedded
@pytest.mark.filterwarnings("ignore:the config does not define the signal")
def test_a_mesh_without_a_name_is_written_beside_those_with_one(tmp_path):
    files = {
        "first.yaml": "mesh: {axes: {dp: 2}, workers: [2, 3]}\nout: {shard: {0: dp}}\n",
        "second.yaml": "mesh: {front: {dp: 1, tp: 2}}\n"
        'hidden: {shard: {0: front.dp}}\nparams: {"hidden.*": {0: front.tp}}\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    first = Run("mlp", [str(tmp_path / name) for name in files], 4)
    assert first.places["out.weight"] == "replicate on 2 3"
    assert first.places["hidden.weight"] == "front.dp: replicate, front.tp: shard(0) on 0 1"
    written = tmp_path / "written.yaml"
    written.write_text(first.explained.yaml())
    second = Run("mlp", [str(written)], 4)
    assert second.places == first.places
    assert second.losses == pytest.approx(first.losses, rel=1e-6)


@embedded
@pytest.mark.parametrize("config", ["data", "columns", "fsdp"])
def test_a_cluster_that_is_not_there_would_do_what_it_does_when_it_is(config):
    real = Run("gpt", [path(config)], 4)
    with gt.connect(workers=2, new=True):
        gt.load_config(path(config))
        gt.manual_seed(0)
        assert not gt.explain().decisions
        model, x, y = train.MODELS["gpt"](0.0)
        optimizer = gt.optim.AdamW(model.parameters(), lr=3e-3)
        for _ in range(3):
            with gt.signal.context("forward"):
                loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            loss.item()
        imagined = gt.explain(workers=4)
        assert {name: held["place"] for name, held in imagined.tensors.items()} == real.rehearsed
        assert imagined.bytes == pytest.approx(real.moved, abs=64)
        assert imagined.messages == real.explained.messages
        assert imagined.notes == []
        assert gt.explain(workers=64).workers == 64


@embedded
def test_what_does_not_grow_with_the_cluster_is_said():
    with gt.connect(workers=4, new=True):
        gt.load_config(path("mesh"))
        gt.explain()
        with gt.signal.context("forward"):
            gt.ones(8, 8).sum().item()
        assert gt.explain(workers=64).notes == [
            "'forward' is on the mesh {dp: 2, tp: 2}: it uses 4 of 64 workers"
        ]
        assert gt.explain(workers=2).notes == [
            "'forward' is on the mesh {dp: 2, tp: 2}: it does not fit 2 workers and is ignored"
        ]


@pytest.mark.everywhere
def test_each_call_tells_what_came_after_the_last_one(capsys):
    with gt.connect(new=True):
        gt.explain()
        x = gt.ones(3) + 1
        ops = [decision["op"] for decision in gt.explain().decisions]
        assert ops == ["ones", "add"]
        (x * 2).sum().item()
        found = gt.explain()
        assert [decision["op"] for decision in found.decisions] == ["mul", "sum", "read"]
        assert re.search(r"test_explain.py:\d+", found.decisions[0]["line"])
        assert json.loads(gt.explain(json=True))["decisions"] == []
    assert "1 × mul: float32[3] whole" in capsys.readouterr().out


@pytest.mark.everywhere
def test_shapes_that_depend_on_data_are_known_as_they_are():
    with gt.connect(new=True), gt.explaining() as explained:
        x = gt.tensor([1.0, 0.0, 2.0])
        (x.nonzero() * 2).sum().item()
    results = [one["results"] for one in explained.decisions if one["op"] == "mul"]
    assert results[0].startswith("int64[2, 1]")


def test_what_was_not_kept_cannot_be_explained():
    with gt.connect(new=True):
        gt.ones(3).sum().item()
        with pytest.raises(RuntimeError, match="GT_EXPLAIN=1"):
            gt.explain()


def test_the_environment_keeps_account_from_the_beginning(monkeypatch):
    monkeypatch.setenv("GT_EXPLAIN", "1")
    with gt.connect(new=True):
        gt.ones(3).sum().item()
        assert gt.explain().decisions


@embedded
def test_the_runner_up_and_the_moves_are_told(capsys):
    with gt.connect(workers=2, new=True):
        gt.load_config(path("data"))
        gt.explain()
        with gt.signal.context("forward"):
            x = gt.randn(64, 128)
            w = gt.randn(128, 16)
            (x @ w).sum().item()
        found = gt.explain()
    (product,) = [one for one in found.decisions if one["op"] == "matmul"]
    assert product["entry"] == "forward"
    assert product["way"].endswith("-> shard(0)")
    assert product["runner_up"]
    assert product["runner_up_cost"] >= product["cost"]
    assert sum(count for _, count, _ in product["moves"]) == product["bytes"] > 0
    printed = capsys.readouterr().out
    assert "runner-up" in printed
    assert "moves float32[128, 16]: shard(0) to" in printed


@embedded
def test_many_workers_are_printed_as_ranges():
    with gt.connect(workers=2, new=True):
        gt.register_config("forward", gt.SignalConfig(shard=gt.ShardConfig(axis=0)))
        with gt.explaining():
            with gt.signal.context("forward"):
                gt.ones(64, 4).sum().item()
            found = gt.explain(workers=64)
    printed = str(found)
    assert "shard(0) on 0–63; computes" in printed
    assert " 17 " not in printed
    assert "on 0 1 2 3" in found.json()
    assert explanation._with_ranges("a on w0 w2 w3 w4 w6 w7, b on 3 4") == (
        "a on w0 w2–w4 w6 w7, b on 3 4"
    )


@embedded
def test_the_picture_shows_each_part(tmp_path):
    run = Run("mlp", [path("mesh")], 4)
    file = tmp_path / "who.svg"
    root = xml.etree.ElementTree.fromstring(run.explained.svg(file))
    assert file.read_text() == run.explained.svg()
    filled = [node for node in root if node.get("opacity")]
    assert len(filled) == 4 * len(run.places)
    assert {"worker 3", "hidden.weight"} <= {node.text for node in root}
