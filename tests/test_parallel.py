"""One program under every strategy: values lie as the config wants, and no loss changes."""

import contextlib
import functools
import importlib.util
import itertools
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gt
import pytest
from cluster import Cluster
from gt import nn

FOLDER = Path(__file__).parents[1] / "examples" / "parallel"
SPEC = importlib.util.spec_from_file_location("parallel_train", FOLDER / "train.py")
train = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(train)


FIRST_STEPS = 2


@dataclass(frozen=True)
class Way:
    """How a model is trained, besides where its values are."""

    double: bool = False
    dropout: float = 0.0
    clip: float | None = None
    amp: bool = False
    micro_batches: int = 1
    steps: int = 30
    learning_rate: float = 3e-3

    @property
    def tolerance(self) -> float:
        """How much of a loss may be rounding."""
        return 1e-8 if self.double else 2e-2 if self.amp else 1e-4


@dataclass
class Outcome:
    """The losses of a training, and what it left."""

    losses: list[float]
    places: dict[str, str]
    #: What went over each link after the first steps: where values begin is picked by load.
    links: dict[tuple[int, int], int]
    state: dict[str, Any]
    optimizer: dict[str, Any]


def step(model: nn.Module, optimizer: Any, x: gt.Tensor, y: gt.Tensor, way: Way) -> gt.Tensor:
    """One step of a training; gives its loss."""
    parts = way.micro_batches
    total = 0.0
    for own, wanted in zip(x.chunk(parts), y.chunk(parts), strict=True):
        precision = gt.autocast("cpu", dtype=gt.bfloat16)
        with gt.signal.context("forward"), precision if way.amp else contextlib.nullcontext():
            loss = nn.functional.cross_entropy(model(own), wanted) / parts
        loss.backward()
        total = total + loss.detach()
    if way.clip is not None:
        nn.utils.clip_grad_norm_(model.parameters(), way.clip)
    optimizer.step()
    optimizer.zero_grad()
    return total


def load(config: str) -> None:
    """Load a strategy; `mesh 2 3` is that one with axes of these sizes."""
    name, *sizes = config.split()
    text = (FOLDER / f"{name}.yaml").read_text()
    if sizes:
        first, second = sizes
        text = re.sub(r"(mesh: {\w+: )\d(, \w+: )\d", rf"\g<1>{first}\g<2>{second}", text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        path.write_text(text)
        gt.load_config(str(path))


def run(
    name: str, config: str | None, workers: int, way: Way = Way(), before: Outcome | None = None
) -> Outcome:
    """Train a model in a session of its own, from the beginning or from where another ended."""
    with gt.connect(workers=workers, new=True):
        if config:
            load(config)
        gt.manual_seed(0)
        model, x, y = train.MODELS[name](way.dropout)
        if way.double:
            model, x = model.double(), x.double() if x.is_floating_point() else x
        optimizer = gt.optim.AdamW(model.parameters(), lr=way.learning_rate)
        if before is not None:
            model.load_state_dict(tensors(before.state))
            optimizer.load_state_dict(tensors(before.optimizer))
        losses = [step(model, optimizer, x, y, way) for _ in range(FIRST_STEPS)]
        losses[-1].item()
        first = gt.debug.moved_bytes()
        losses += [step(model, optimizer, x, y, way) for _ in range(way.steps - FIRST_STEPS)]
        losses[-1].item()
        links = {link: sent - first.get(link, 0) for link, sent in gt.debug.moved_bytes().items()}
        found = [loss.item() for loss in losses]
        places = {name: gt.debug.placement(p) for name, p in model.named_parameters()}
        model_state, optimizer_state = arrays(model.state_dict()), arrays(optimizer.state_dict())
        return Outcome(found, places, links, model_state, optimizer_state)


def arrays(state: Any) -> Any:
    """A state that outlives its session."""
    if isinstance(state, dict):
        return {key: arrays(value) for key, value in state.items()}
    if isinstance(state, list):
        return [arrays(value) for value in state]
    return state.detach().numpy() if isinstance(state, gt.Tensor) else state


def tensors(state: Any) -> Any:
    """The same in another session."""
    if isinstance(state, dict):
        return {key: tensors(value) for key, value in state.items()}
    if isinstance(state, list):
        return [tensors(value) for value in state]
    return gt.tensor(state) if type(state).__module__ == "numpy" else state


@functools.cache
def alone(name: str, way: Way) -> Outcome:
    """What one worker gives without a config."""
    return run(name, None, 1, way)


def check(name: str, config: str, workers: int, way: Way) -> Outcome:
    """Train under a strategy, with the losses of one worker."""
    expected, found = alone(name, way).losses, run(name, config, workers, way)
    bound = way.tolerance
    assert found.losses == pytest.approx(expected, rel=bound, abs=bound), (name, config, workers)
    return found


STRATEGIES = ["data", "columns", "fsdp", "copies", "layers", "backward"]
MODELS = ["mlp", "cnn", "gpt"]
WORKERS = [1, 2, 3, 4, 8]

WAYS = {
    "plain": Way(),
    "double": Way(double=True),
    "dropout": Way(dropout=0.3),
    "clipping": Way(clip=0.1),
    "amp": Way(amp=True),
    "accumulation": Way(micro_batches=2),
    "all": Way(double=True, dropout=0.2, clip=0.5, micro_batches=2, learning_rate=1e-2),
}
EVERYTHING = [*itertools.product(MODELS, STRATEGIES, WAYS)]

embedded = pytest.mark.embedded("asks for more workers than the processes of an arrangement are")


# A config that speaks of layers only does not know the signal around them; one that names workers
# leaves out those that are not there.
@embedded
@pytest.mark.filterwarnings("ignore:the config does not define the signal")
@pytest.mark.filterwarnings("ignore:the session has 1 workers")
@pytest.mark.parametrize("config", STRATEGIES)
@pytest.mark.parametrize("name", MODELS)
def test_a_strategy_changes_no_loss(name, config, full):
    # Every strategy is trained with two and three workers; a model is trained in every way.
    place = STRATEGIES.index(config) + MODELS.index(name)
    ways = [*WAYS] if full else [[*WAYS][place % len(WAYS)]]
    for way in ways:
        for workers in WORKERS if full else (2 + place % 2,):
            check(name, config, workers, WAYS[way])
    if not full:
        check(name, config, 3 - place % 2, WAYS["plain"])


@embedded
@pytest.mark.filterwarnings("ignore:the config does not define the signal")
@pytest.mark.parametrize("config", ["data", "columns", "fsdp", "layers"])
def test_in_double_precision_nothing_is_left_of_the_difference(config, full):
    for workers in (2, 3, 4, 8) if full else (4,):
        for name in MODELS if full else ("gpt",):
            check(name, config, workers, Way(double=True, learning_rate=1e-2))


@embedded
@pytest.mark.parametrize("config", ["mesh", "hybrid"])
@pytest.mark.parametrize("name", MODELS)
def test_a_mesh_of_two_axes_changes_no_loss(name, config, full):
    place = MODELS.index(name)
    ways = [*WAYS] if full else ["plain", [*WAYS][1 + place]]
    for way in ways:
        check(name, config, 4, WAYS[way])
    uneven = f"{config} 2 3" if place % 2 == 0 else f"{config} 3 2"
    check(name, uneven, 6, Way(double=True, learning_rate=1e-2))


@embedded
@pytest.mark.filterwarnings("ignore:the config does not define the signal")
@pytest.mark.parametrize("name", MODELS)
def test_layers_on_workers_one_after_another_change_no_loss(name):
    for way in (Way(micro_batches=4), Way(double=True, micro_batches=4, clip=0.5, dropout=0.2)):
        found = check(name, "pipeline", 2, way)
        on = {place.removeprefix("whole on ") for place in found.places.values()}
        assert on == {"0", "1"}, found.places


@embedded
@pytest.mark.filterwarnings("ignore:the config does not define the signal")
@pytest.mark.parametrize("name", MODELS)
def test_two_meshes_one_after_the_other_change_no_loss(name, full):
    short = [Way(steps=10), Way(double=True, dropout=0.2, clip=0.5, micro_batches=2, steps=10)]
    for way in WAYS.values() if full else short:
        found = check(name, "stages", 8, way)
        on = {place.rpartition(" on ")[2] for place in found.places.values()}
        assert on == {"0 1 2 3", "4 5 6 7"}, found.places
    if name == "mlp":
        assert found.places["hidden.weight"] == "front.dp: replicate, front.tp: shard(0) on 0 1 2 3"
        assert found.places["out.weight"] == "back.dp: replicate, back.tp: shard(1) on 4 5 6 7"


@embedded
@pytest.mark.parametrize("workers", [2, 3, 4])
def test_parts_of_sequences_change_no_loss(workers):
    for way in (Way(dropout=0.3, steps=15), Way(double=True, micro_batches=2, steps=15)):
        found = check("gpt", "sequence", workers, way)
        on = " ".join(map(str, range(workers)))
        assert set(found.places.values()) == {f"replicate on {on}"}


@embedded
@pytest.mark.parametrize("workers", [2, 3, 4])
def test_experts_on_different_workers_change_no_loss(workers):
    for way in (Way(dropout=0.3, steps=15), Way(double=True, clip=0.5, steps=15)):
        found = check("moe", "experts", workers, way)
        cut = {name for name, place in found.places.items() if place.startswith("shard(0)")}
        assert cut == {"experts.up", "experts.down"}


@embedded
def test_attention_over_parts_of_sequences_exchanges_heads_and_experts_stay():
    ways = {}
    for model, config in (("gpt", "sequence"), ("moe", "experts")):
        with gt.connect(workers=4, new=True), gt.explaining() as found:
            load(config)
            net, x, _ = train.MODELS[model](0.0)
            with gt.signal.context("forward"):
                net(x).sum().item()
        ways[model] = found.decisions
    products = [one for one in ways["gpt"] if one["within"] == "MultiheadAttention"]
    products = [one for one in products if one["op"] == "matmul"]
    # Each worker has a quarter of every sequence before, and one of four heads of all of it here.
    assert {one["way"] for one in products} == {"shard(1) × shard(1) -> shard(1)"}
    assert any("shard(2) to shard(1)" in what for one in products for what, _, _ in one["moves"])
    products = [one for one in ways["moe"] if one["op"] == "bmm"]
    assert {one["way"] for one in products} == {"shard(0) × shard(0) -> shard(0)"}
    # Tokens are sent to the workers of their experts when they are sorted, and experts stay.
    assert [what for one in products for what, _, _ in one["moves"]] == []


@embedded
def test_a_mesh_that_does_not_fit_is_ignored_with_a_warning(monkeypatch):
    with gt.connect(workers=3, new=True), pytest.warns(UserWarning, match="needs worker 3"):
        load("mesh")
    monkeypatch.setenv("GT_CONFIG_STRICT", "1")
    with gt.connect(workers=3, new=True), pytest.raises(ValueError, match="needs worker 3"):
        load("mesh")


# Layers of these are on workers of their own, and the loss is where load puts it.
BY_LOAD = {"layers", "backward", "pipeline", "stages"}
# What else fits so many workers, beside the strategies for any number.
FITTING = {2: ["pipeline"], 4: ["mesh", "hybrid"], 8: ["mesh 2 4", "hybrid 4 2", "stages"]}
# What runs in processes where time is short.
SAMPLE = {
    1: [("mlp", "fsdp", "plain")],
    2: [("mlp", "data", "plain"), ("gpt", "pipeline", "double")],
    3: [("gpt", "columns", "double")],
    4: [("mlp", "hybrid", "double")],
    8: [("mlp", "stages", "plain"), ("mlp", "fsdp", "double")],
}


def on_meshes(outcome: Outcome) -> dict[str, str]:
    """Where parameters are; load picks the worker of one that is whole."""
    return {
        name: at.split(" on ")[0] if "whole" in at else at for name, at in outcome.places.items()
    }


@pytest.mark.embedded("starts processes of its own")
@pytest.mark.filterwarnings("ignore:the config does not define the signal")
@pytest.mark.filterwarnings("ignore:the session has 1 workers")
@pytest.mark.parametrize("workers", WORKERS)
def test_in_processes_losses_places_and_links_are_those_of_one_process(workers, full):
    cases = SAMPLE[workers]
    if full:
        configs = [*STRATEGIES, *FITTING.get(workers, [])]
        cases = [*itertools.product(MODELS, configs, ["plain", "double"])]
    together = {case: run(*case[:2], workers, WAYS[case[2]]) for case in cases}
    for name, _, way in cases:
        alone(name, WAYS[way])
    with Cluster(workers=workers) as cluster, pytest.MonkeyPatch.context() as patch:
        for variable, value in cluster.variables.items():
            patch.setenv(variable, value)
        for name, config, way in cases:
            expected = together[name, config, way]
            found = check(name, config, workers, WAYS[way])
            assert on_meshes(found) == on_meshes(expected), (name, config)
            if config not in BY_LOAD:
                # Steps are counted by single numbers, which are wherever load puts them.
                few = 16 * WAYS[way].steps
                for link in {*found.links, *expected.links}:
                    sent = (found.links.get(link, 0), expected.links.get(link, 0))
                    assert abs(sent[0] - sent[1]) <= few, (name, config, link, sent)
        for config in PLACES if full else ["fsdp"] if workers == 4 else []:
            check_moves(config, workers)


@pytest.mark.everywhere
@pytest.mark.parametrize("config", ["data", "columns", "fsdp"])
def test_a_strategy_changes_no_loss_wherever_its_workers_are(config):
    check("mlp", config, 3, Way(steps=10))


@pytest.mark.everywhere
@pytest.mark.parametrize(("name", "config"), [("cnn", "data"), ("gpt", "fsdp")])
def test_larger_models_lose_nothing_wherever_their_workers_are(name, config, full):
    check(name, config, 3, Way(steps=10 if full else 3))


@embedded
@pytest.mark.parametrize(("first", "second"), [("data", "fsdp"), ("fsdp", "columns")])
def test_a_training_goes_on_under_another_strategy(first, second):
    way = Way(double=True, steps=10)
    expected = run("mlp", None, 1, Way(double=True, steps=20)).losses
    before = run("mlp", first, 3, way)
    after = run("mlp", second, 2, way, before)
    assert before.losses + after.losses == pytest.approx(expected, rel=1e-8)
    assert after.places != before.places


# Where values are, and what moves.


class Wide(nn.Module):
    """Two layers of 2 MiB each: beside these, biases and messages weigh little."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(512, 1024)
        self.out = nn.Linear(1024, 512)

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        return self.out(self.hidden(x).relu())


BATCH = 24
WEIGHTS = 4 * (2 * 512 * 1024 + 1024 + 512)
AGAIN = 4 * 512 * 1024
RESULTS = 4 * BATCH * 512

PLACES = {
    "data": ["replicate"] * 4,
    "copies": ["replicate"] * 4,
    "fsdp": ["shard(0)"] * 4,
    "fsdp, copies kept": ["shard(0)"] * 4,
    "columns": ["shard(0)", "shard(0)", "shard(1)", "replicate"],
}


Links = dict[tuple[int, int], float]


def wide() -> tuple[nn.Module, Any, gt.Tensor, gt.Tensor]:
    """The model, its optimiser, and what it learns from."""
    gt.manual_seed(0)
    model = Wide()
    x, y = gt.randn(BATCH, 512), gt.randint(0, 512, (BATCH,))
    return model, gt.optim.Adam(model.parameters()), x, y


def moved_in_a_step(config: str, workers: int) -> tuple[dict[str, list[str]], Links]:
    """Where parameters and the state of the optimiser are, and the bytes over each link.

    The losses are those of one worker.
    """
    name, _, change = config.partition(", ")
    text = (FOLDER / f"{name}.yaml").read_text()
    with gt.connect(workers=1, new=True):
        training = wide()
        expected = [step(*training, Way()).item() for _ in range(8)]
    with gt.connect(workers=workers, new=True), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        path.write_text(text.replace("keep: false", "keep: true") if change else text)
        gt.load_config(str(path))
        model, optimizer, x, y = wide()
        moved, losses = [], []
        # Where values begin is picked by load, so that only what comes after the first counts.
        for steps in (2, 2, 4):
            losses += [step(model, optimizer, x, y, Way()) for _ in range(steps)]
            losses[-1].item()
            moved.append(gt.debug.moved_bytes())
        found = [loss.item() for loss in losses]
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)
        first, second, third = moved
        links = {
            link: (count - 2 * second.get(link, 0) + first.get(link, 0)) / 2
            for link, count in third.items()
        }
        places = {"parameters": [gt.debug.placement(p) for p in model.parameters()]}
        for name in ("exp_avg", "exp_avg_sq"):
            states = [optimizer.state[p][name] for p in model.parameters()]
            places[name] = [gt.debug.placement(state) for state in states]
        return places, links


# What each of n workers sends in a step, by the textbook. Data parallel: an all-reduce of all
# gradients is a reduce-scatter and an all-gather. Fully sharded: each weight is gathered for its
# use and its gradient reduced; unless copies are kept, the second layer's is gathered again for the
# gradient of its input, which the first layer does not need. Column and row parallel: the sum of
# the results is an all-reduce.
TEXTBOOK = {
    "data": lambda n: 2 * WEIGHTS * (n - 1) / n,
    "fsdp": lambda n: (2 * WEIGHTS + AGAIN) * (n - 1) / n,
    "fsdp, copies kept": lambda n: 2 * WEIGHTS * (n - 1) / n,
    "columns": lambda n: 2 * RESULTS * (n - 1) / n,
    "copies": lambda n: 0,
}
# Sums as small as a bias are not added up in parts: each worker gets all of them. The loss and what
# it is divided by are single numbers.
SMALL_BYTES = 4 * (1024 + 512) + 64
# Where rows do not divide evenly, some workers have one more than others, in each of three moves.
ROW_BYTES = 3 * 4 * 1024


def check_moves(config: str, workers: int) -> None:
    """Train, and see where values are, what each worker sends, and what goes over each link."""
    places, links = moved_in_a_step(config, workers)
    on = " ".join(map(str, range(workers)))
    # One worker has no parts.
    layouts = PLACES[config] if workers > 1 else ["replicate"] * 4
    for found in places.values():
        assert found == [f"{layout} on {on}" for layout in layouts]
    expected = TEXTBOOK[config](workers)
    # Each gets all of a small bias from each: with more workers that is more than its share.
    small = SMALL_BYTES * max(1, workers // 4)
    for worker in range(workers):
        sent = {link: count for link, count in links.items() if link[0] == worker}
        assert expected - ROW_BYTES <= sum(sent.values()) <= expected + small, links
        # Everybody sends as much to each of the others.
        for count in sent.values():
            share = expected / (workers - 1)
            assert share - ROW_BYTES <= count <= share + SMALL_BYTES, links


@embedded
@pytest.mark.parametrize("config", PLACES)
def test_values_are_where_the_config_wants_them_and_what_moves_is_the_textbooks(config, full):
    for workers in WORKERS if full else (2, 3, 4):
        check_moves(config, workers)


@pytest.mark.everywhere
@pytest.mark.parametrize("config", PLACES)
def test_what_moves_is_the_textbooks_wherever_workers_are(config):
    check_moves(config, 3)


@embedded
@pytest.mark.parametrize(
    ("config", "expected"),
    [
        # Beside copies sums wait, so that several batches cost one exchange.
        ("data", ["partial(sum)"] * 4),
        ("fsdp", ["shard(0)"] * 4),
        # The results of the second layer are put together, so that each worker has all of its bias.
        ("columns", ["shard(0)", "shard(0)", "shard(1)", "replicate"]),
    ],
)
def test_the_gradient_of_what_is_cut_is_cut_alike(config, expected):
    with gt.connect(workers=2, new=True):
        gt.load_config(str(FOLDER / f"{config}.yaml"))
        model = Wide()
        with gt.signal.context("forward"):
            model(gt.randn(BATCH, 512)).square().sum().backward()
        found = [gt.debug.placement(p.grad) for p in model.parameters()]
    assert found == [f"{layout} on 0 1" for layout in expected]


# What each of four workers sends in a step on a 2 x 2 mesh, beside what is small. Tensor parallel
# along tp: the results of half the batch are all-reduced in a pair, and in the other direction the
# gradients of half the weights. Fully sharded along fsdp: half of each weight goes to the other of
# a pair for its use, and the second layer's again for the gradient of its input. Both of a pair
# have the same rows, so that each keeps its half of the gradients, which is all-reduced along dp.
ON_MESH = {
    "mesh": (["tp: shard(0)"] * 2 + ["tp: shard(1)", "tp: replicate"], WEIGHTS / 2 + RESULTS / 2),
    "hybrid": (["fsdp: shard(0)"] * 4, WEIGHTS + AGAIN / 2),
}


@embedded
@pytest.mark.parametrize("config", ON_MESH)
def test_on_a_mesh_values_move_within_its_axes(config):
    layouts, expected = ON_MESH[config]
    places, links = moved_in_a_step(config, 4)
    for found in places.values():
        assert found == [f"dp: replicate, {layout} on 0 1 2 3" for layout in layouts]
    # From the worker at another place along both axes nobody gets more than a few numbers.
    assert all(count <= 64 for link, count in links.items() if sum(link) == 3), links
    for worker in range(4):
        sent = sum(count for link, count in links.items() if link[0] == worker)
        assert expected - ROW_BYTES <= sent <= expected + 2 * SMALL_BYTES, links
