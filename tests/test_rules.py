"""The rules of sharding that need a client, by their numbers. The dispatcher's own are tapes."""

import inspect
import threading

import gt
import numpy as np
import pytest
from gt import ShardConfig, SignalConfig, nn


@pytest.fixture
def pair():
    """A session with two workers of its own."""
    with gt.connect(workers=2, new=True) as opened:
        yield opened


def cut(axis: int, workers: list[int] | None = None, **more) -> SignalConfig:
    return SignalConfig(shard=ShardConfig(axis=axis, workers=workers), **more)


def configure(tmp_path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    gt.load_config(path)


FSDP = """
forward: {shard: {axis: 0, workers: [0, 1]}}
params:
  "*": {axis: 0, workers: [0, 1], use: replicate, keep: false}
"""


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(64, 64), nn.LayerNorm(64), nn.Linear(64, 64)

    def forward(self, x):
        return self.b(self.norm(self.a(x)).relu())


def moved() -> int:
    return sum(gt.debug.moved_bytes().values())


def test_rule_1_a_scope_is_the_stack_of_names_of_its_thread(pair):
    gt.register_config("rows", cut(0))
    gt.register_config("columns", cut(1))
    found = {}

    def other():
        with pair.using(), gt.signal.context("columns"):
            found["other"] = gt.debug.placement(gt.ones(4, 4))

    with gt.signal.context("rows"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        found["own"] = gt.debug.placement(gt.ones(4, 4))
    assert found == {"own": "shard(0) on 0 1", "other": "shard(1) on 0 1"}


def test_rule_2_the_innermost_name_that_has_a_key_decides(pair):
    gt.register_config("outer", cut(0))
    gt.register_config("inner", cut(1))
    gt.register_config("says nothing of it", SignalConfig(keep=False))
    with gt.signal.context("outer"), gt.signal.context("says nothing of it"):
        assert gt.debug.placement(gt.ones(4, 4)) == "shard(0) on 0 1"
        with gt.signal.context("inner"):
            assert gt.debug.placement(gt.ones(4, 4)) == "shard(1) on 0 1"
        assert gt.debug.placement(gt.ones(4, 4)) == "shard(0) on 0 1"


def test_rule_3_a_wish_is_about_what_the_user_creates(pair):
    gt.register_config("forward", cut(0))
    with gt.signal.context("forward"):
        layer = nn.Linear(4, 4)
        assert gt.debug.placement(gt.ones(4, 4)) == "shard(0) on 0 1"
        layer(gt.ones(4, 4))
    # A parameter is not cut because of a signal.
    assert gt.debug.placement(layer.weight) == "replicate on 0 1"


def test_rule_4_a_cut_parameter_is_never_whole_anywhere(pair, tmp_path):
    configure(tmp_path, FSDP)
    model = Net()
    weights = sum(parameter.numel() for parameter in model.parameters()) * 4
    nowhere = {gt.debug.placement(parameter) for parameter in model.parameters()}
    assert nowhere == {"nowhere before its first use"}
    before = moved()
    with gt.signal.context("forward"):
        x = gt.randn(2, 64)
        model(x)
    gt.synchronize()
    places = {name: gt.debug.placement(p) for name, p in model.named_parameters()}
    assert set(places.values()) == {"shard(0) on 0 1"}, places
    # Each worker gets the other half for the use, and nothing moved before.
    assert moved() - before == weights


def test_rule_4_what_is_cut_from_the_start_has_the_numbers_of_what_is_whole(pair, tmp_path):
    def build():
        gt.manual_seed(0)
        return [
            nn.Linear(5, 7).weight,
            nn.Parameter(gt.randn(7, 3) * 0.02),
            nn.init.normal_(nn.Parameter(gt.empty(7, 2)), 1.0, 3.0),
            nn.init.constant_(nn.Parameter(gt.empty(7)), 4.0),
            nn.Embedding(7, 3).weight,
        ]

    expected = [value.detach().tolist() for value in build()]
    configure(tmp_path, FSDP)
    model = nn.ParameterList(build())
    before = moved()
    for name, parameter in model.named_parameters():
        assert gt.debug.placement(parameter) == "nowhere before its first use", name
    with gt.signal.context("forward"):
        placed = [gt.signal.tensor(parameter, name="forward") for parameter in model]
    assert {gt.debug.placement(value) for value in placed} == {"shard(0) on 0 1"}
    assert moved() == before
    assert [value.detach().tolist() for value in placed] == expected


def test_rule_4_want_of_memory_is_told_with_the_line_of_the_creation(pair):
    gt.register_config("forward", cut(0))
    line = inspect.currentframe().f_lineno + 1
    huge = gt.zeros(1 << 20, 1 << 20)
    with (
        pytest.raises(gt.OutOfMemoryError, match=rf"test_rules\.py:{line}\b"),
        gt.signal.context("forward"),
    ):
        (huge + 1).sum().item()
    assert gt.ones(2).sum().item() == 2


def test_rule_4_data_of_random_numbers_is_made_cut_where_a_signal_shares_it(pair):
    gt.register_config("forward", cut(0))
    model, x = Net(), gt.randn(8, 64)
    scaled = gt.zeros(8, 64) + 3
    with gt.signal.context("forward"):
        y, z = model(x), model(scaled)
    for made in (x, y, z):
        assert gt.debug.placement(made).startswith("shard(0"), gt.debug.placement(made)
    assert gt.debug.placement(model.a.weight).startswith("replicate")
    assert moved() == 0
    state = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    data, found = x.numpy(), y.detach().numpy()
    with gt.connect(workers=1, new=True):
        whole = Net()
        whole.load_state_dict(state)
        assert np.allclose(whole(gt.tensor(data)).detach().numpy(), found, atol=1e-5)


class Tied(nn.Module):
    """Two names for one parameter, and a buffer."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
        self.b.weight = self.a.weight
        self.register_buffer("scale", gt.ones(4, 4))

    def forward(self, x):
        return self.b(self.a(x)) * self.scale[0]


def test_rule_7_tied_parameters_have_their_first_name_and_buffers_have_one_too(pair, tmp_path):
    configure(
        tmp_path,
        """
        forward: {shard: {axis: 0}}
        params:
          "a.weight": {axis: 1}
          "b.weight": {axis: 0}
          "scale": {axis: 1}
        """,
    )
    model = Tied()
    with gt.signal.context("forward"):
        model(gt.ones(4, 4))
    assert gt.debug.placement(model.b.weight) == "shard(1) on 0 1"
    assert gt.debug.placement(model.scale) == "shard(1) on 0 1"


def test_rule_7_a_part_that_is_called_alone_keeps_the_name_it_had(pair, tmp_path):
    configure(
        tmp_path,
        """
        forward: {shard: {axis: 0}}
        params:
          "a.weight": {axis: 1}
          "weight": {axis: 0}
        """,
    )
    model, alone = Net(), nn.Linear(64, 64)
    with gt.signal.context("forward"):
        model(gt.ones(4, 64))
        model.a(gt.ones(4, 64))
        alone(gt.ones(4, 64))
    assert gt.debug.placement(model.a.weight) == "shard(1) on 0 1"
    # A module that is called alone and never was a part of another is a root.
    assert gt.debug.placement(alone.weight) == "shard(0) on 0 1"


def test_rule_7_names_are_found_again_when_a_module_has_changed(pair, tmp_path):
    configure(
        tmp_path,
        """
        forward: {shard: {axis: 0}}
        params:
          "Net.a.weight": {axis: 1}
          "norm.more.weight": {axis: 1}
        """,
    )
    model = Net()
    with gt.signal.context("forward"):
        model(gt.ones(4, 64))
        # The name of the root's class may stand before a name.
        assert gt.debug.placement(model.a.weight) == "shard(1) on 0 1"
        model.norm = nn.Sequential()
        model.norm.add_module("more", nn.Linear(64, 64))
        model(gt.ones(4, 64))
    assert gt.debug.placement(model.norm.more.weight) == "shard(1) on 0 1"


def test_rule_7_what_is_loaded_before_the_first_call_has_its_name(pair, tmp_path):
    state = {name: value.detach().numpy() for name, value in Net().state_dict().items()}
    configure(
        tmp_path,
        """
        forward: {shard: {axis: 0}}
        params:
          "b.weight": {axis: 1}
        """,
    )
    model = Net()
    model.load_state_dict({name: gt.from_numpy(value) for name, value in state.items()})
    assert gt.debug.placement(model.b.weight) == "shard(1) on 0 1"
    assert (model.b.weight.detach().numpy() == state["b.weight"]).all()


def test_rule_8_a_pattern_beats_the_signal_and_the_mesh_of_the_first_use(pair, tmp_path):
    configure(
        tmp_path,
        """
        forward: {shard: {axis: 0}}
        params:
          "*.weight": {axis: 1}
          "a.weight": {axis: 0}
        """,
    )
    model = Net()
    with gt.signal.context("forward"):
        model(gt.randn(4, 64))
    places = {name: gt.debug.placement(p) for name, p in model.named_parameters()}
    assert places["a.weight"] == "shard(0) on 0 1"
    assert places["b.weight"] == "shard(1) on 0 1"
    assert places["a.bias"] == "replicate on 0 1"


def test_rule_14_a_write_through_a_view_keeps_the_cut_of_its_base(pair):
    gt.register_config("forward", cut(0))
    with gt.signal.context("forward"):
        x = gt.zeros(8, 4)
    x[2:6] = gt.ones(4, 4)
    x[:, 1] += 1
    assert gt.debug.placement(x) == "shard(0) on 0 1"
    assert x.sum().item() == 16 + 8


def test_rule_15_gradients_are_computed_in_the_signal_that_is_configured_for_them(pair):
    gt.register_config("forward", cut(0, [0], backward_signal="back"))
    gt.register_config("back", cut(0, [1]))
    with gt.signal.context("forward"):
        x = gt.ones(4, requires_grad=True)
        hidden = x.exp()
    with gt.signal.context("forward"):
        loss = (hidden * hidden).sum()
    (gradient,) = gt.autograd.grad(loss, [hidden])
    assert gt.debug.placement(hidden).endswith("on 0")
    assert gt.debug.placement(gradient).endswith("on 1")


def step(model, optimizer, batches: int) -> int:
    """The bytes that move in a step of so many micro-batches."""
    before = moved()
    optimizer.zero_grad()
    for _ in range(batches):
        with gt.signal.context("forward"):
            (model(gt.randn(8, 64)) ** 2).mean().backward()
    optimizer.step()
    gt.synchronize()
    return moved() - before


def test_rule_16_many_micro_batches_move_the_bytes_of_one(pair):
    gt.register_config("forward", cut(0))
    model = nn.Linear(64, 64)
    optimizer = gt.optim.SGD(model.parameters(), lr=0.1)
    step(model, optimizer, 1)
    weights = 4 * (64 * 64 + 64)
    # Half of each gradient goes there to be added up, and half of the sums comes back.
    assert step(model, optimizer, 1) == 2 * weights
    assert step(model, optimizer, 5) == 2 * weights


def test_rule_16_gradients_of_cut_parameters_are_cut(pair, tmp_path):
    configure(tmp_path, FSDP)
    model = nn.Linear(64, 64)
    with gt.signal.context("forward"):
        (model(gt.randn(8, 64)) ** 2).mean().backward()
    assert gt.debug.placement(model.weight.grad) == "shard(0) on 0 1"
    with gt.signal.context("forward"):
        (model(gt.randn(8, 64)) ** 2).mean().backward()
    assert gt.debug.placement(model.weight.grad) == "shard(0) on 0 1"


def test_rule_17_what_an_optimiser_keeps_is_like_its_parameter(pair, tmp_path):
    configure(tmp_path, FSDP)
    model = nn.Linear(64, 64)
    optimizer = gt.optim.AdamW(model.parameters())
    with gt.signal.context("forward"):
        (model(gt.randn(8, 64)) ** 2).mean().backward()
    optimizer.step()
    state = optimizer.state[model.weight]
    for name in ("exp_avg", "exp_avg_sq"):
        assert gt.debug.placement(state[name]) == "shard(0) on 0 1", name


COPIES = """
import sys, gt
from gt import ShardConfig, SignalConfig, nn

gt.workers(3)
gt.register_config("forward", SignalConfig(shard=ShardConfig(axis=0)))
gt.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = gt.optim.AdamW(model.parameters())
x = gt.randn(7, 8)
for _ in range(3):
    with gt.signal.context("forward"):
        loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(gt.debug.placement(model[0].weight), [p.sum().item() for p in model.parameters()])
"""


@pytest.mark.embedded("asks for workers of its own")
def test_rule_18_copies_have_equal_bits_and_are_compared_if_that_is_wanted(script, tmp_path):
    log = tmp_path / "log"
    plain = script(COPIES)
    compared = script(COPIES, GT_CHECK_REPLICAS="1", GT_INSTRUCTION_LOG=str(log))
    assert plain == compared
    assert plain.startswith("replicate on 0 1 2")
    # Four parameters with two averages each, in three steps.
    assert log.read_text(encoding="utf-8").count("compare #") >= 3 * 4 * 3


def test_rule_23_another_config_counts_from_there_on(pair):
    gt.register_config("forward", cut(0))
    with gt.signal.context("forward"):
        before = gt.ones(4, 4)
        gt.register_config("forward", cut(1))
        after = gt.ones(4, 4)
    assert gt.debug.placement(before) == "shard(0) on 0 1"
    assert gt.debug.placement(after) == "shard(1) on 0 1"


def test_two_clients_with_the_same_names_and_other_configs_do_not_disturb_each_other():
    wishes = {"rows": ShardConfig(axis=0), "copies": ShardConfig(replicated=True)}
    expected = {"rows": "shard(0) on 0 1", "copies": "replicate on 0 1"}
    found, ready = {}, threading.Barrier(len(wishes))

    def program(name: str) -> None:
        with gt.connect(workers=2, new=True):
            gt.register_config("forward", SignalConfig(shard=wishes[name]))
            ready.wait(60)
            places = set()
            for _ in range(20):
                with gt.signal.context("forward"):
                    x = gt.ones(4, 4) * 3
                    places.add(gt.debug.placement(x))
                    assert x.sum().item() == 48
            found[name] = places

    threads = [threading.Thread(target=program, args=(name,)) for name in wishes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {name: {place} for name, place in expected.items()}
