"""Signals and their config: what programs may say, what it changes, and that no number does."""

import itertools
import json
import re
import textwrap
import threading
import warnings
from pathlib import Path

import gt
import jsonschema
import pytest
import yaml
from gt import ShardConfig, SignalConfig, nn

NUMBERS = itertools.count()
DOCS = Path(__file__).parents[1] / "docs"
GUIDE = (DOCS / "guide" / "signals.md").read_text(encoding="utf-8")

# Programs as they stand in the document that signals were first described in, with their configs.
# What a program leaves open stands in front of it; `found` is what it computes.

PIPELINE = """
stage_1:
  shard:
    axis: 0
    workers: [0, 1]
  backward: stage_1_backward

stage_1_backward:
  shard:
    axis: 0
    workers: [2, 3]

stage_2:
  shard:
    axis: 0
    workers: [2, 3]
  backward: stage_2_backward

stage_2_backward:
  shard:
    axis: 0
    workers: [0, 1]
"""

HYBRID = """
layer1_data_parallel:
  shard:
    axis: 0                    # Data parallel
    workers: [0, 1, 2, 3]

layer2_model_parallel:
  shard:
    axis: 1                    # Model parallel
    workers: [0, 1]
"""

TRAINING = """
# training_config.yaml
forward_pass:
  shard:
    axis: 0
    workers: [0, 1, 2, 3]
  backward: backward_pass
  compile: true

backward_pass:
  shard:
    axis: 0
    workers: [0, 1, 2, 3]
  compile: true

parameter_updates:
  shard:
    axis: 0
    workers: [0, 1, 2, 3]
"""

QUICK = """
# config.yaml
forward_layer1:
  shard:
    axis: 0                  # Shard batch dimension
    workers: [0, 1, 2, 3]    # Use workers 0-3
  backward: backward_layer1  # Different config for gradients

backward_layer1:
  shard:
    axis: 0
    workers: [0, 1, 2, 3]
"""

ONE = """
NAME:
  shard:
    axis: AXIS
    workers: [0, 1, 2, 3]
"""

PROGRAMS = {
    "quick": (
        QUICK,
        "w = gt.randn(64, 32)",
        """
        # Shards tensors AND compute across workers [0,1,2,3]
        with gt.signal.context('forward_layer1'):
            x = gt.randn(100, 64)  # Sharded on axis 0
            y = x @ w              # Compute in sharded mode
        """,
        "found = [x, y]",
    ),
    "context": (
        ONE.replace("NAME", "signal_name").replace("AXIS", "0"),
        "weight = gt.randn(64, 8)",
        """
        with gt.signal.context('signal_name'):
            # All tensor creations are sharded
            x = gt.randn(100, 64)

            # All operations use sharded tensors
            y = x @ weight
            z = y.relu()
        """,
        "found = [x, y, z]",
    ),
    "backward": (
        ONE.replace("NAME", "forward").replace("AXIS", "0")
        + ONE.replace("NAME", "backward").replace("AXIS", "1"),
        """
        layer = gt.nn.Linear(16, 4)
        model = lambda x: layer(x).relu().sum()
        input = gt.randn(12, 16)
        """,
        """
        with gt.signal.context('forward', backward='backward'):
            loss = model(input)
            # Forward uses 'forward' config

            loss.backward()
            # Backward uses 'backward' config
        """,
        "found = [loss, layer.weight.grad, layer.bias.grad]",
    ),
    "tensor": (
        ONE.replace("NAME", "signal_name").replace("AXIS", "0"),
        "",
        """
        # Create tensor normally
        x = gt.randn(100, 64)

        # Shard it according to signal config
        x_sharded = gt.signal.tensor(x, name='signal_name')
        """,
        "found = [x, x_sharded]",
    ),
    "enter": (
        ONE.replace("NAME", "signal_name").replace("AXIS", "0"),
        "",
        """
        # Enter signal scope
        gt.signal.enter('signal_name')

        # Operations in this scope use signal config
        x = gt.randn(100, 64)

        # Exit signal scope
        gt.signal.exit('signal_name')
        """,
        "found = [x]",
    ),
    "data_parallel": (
        ONE.replace("NAME", "data_parallel").replace("AXIS", "0"),
        """
        model = gt.nn.Linear(784, 10)
        loss_fn, targets = gt.nn.MSELoss(), gt.randn(128, 10)
        """,
        """
        with gt.signal.context('data_parallel'):
            # Batch size 128, sharded as 32 per worker
            batch = gt.randn(128, 784)
            output = model(batch)
            loss = loss_fn(output, targets)
            loss.backward()
        """,
        "found = [loss, model.weight.grad]",
    ),
    "model_parallel": (
        ONE.replace("NAME", "model_parallel").replace("AXIS", "1"),
        "",
        """
        with gt.signal.context('model_parallel'):
            # Hidden size 1024, sharded as 512 per worker
            weight = gt.randn(1024, 512)
        """,
        "found = [weight.sum(0)]",
    ),
    "pipeline": (
        PIPELINE,
        "layer1, layer2, input = gt.nn.Linear(8, 16), gt.nn.Linear(16, 4), gt.randn(10, 8)",
        """
        # Forward on workers [0,1], backward on [2,3]
        with gt.signal.context('stage_1'):
            hidden1 = layer1(input)

        # Forward on workers [2,3], backward on [0,1]
        with gt.signal.context('stage_2'):
            output = layer2(hidden1)
        """,
        "output.sum().backward(); found = [output, layer1.weight.grad, layer2.bias.grad]",
    ),
    "hybrid": (
        HYBRID,
        "layer1, layer2, input = gt.nn.Linear(8, 16), gt.nn.Linear(16, 4), gt.randn(10, 8)",
        """
        # Data parallel for layer 1
        with gt.signal.context('layer1_data_parallel'):
            hidden = layer1(input)

        # Model parallel for layer 2
        with gt.signal.context('layer2_model_parallel'):
            output = layer2(hidden)
        """,
        "output.sum().backward(); found = [output, layer1.weight.grad, layer2.bias.grad]",
    ),
    "matmul": (
        ONE.replace("NAME", "data_parallel").replace("AXIS", "0"),
        "",
        """
        with gt.signal.context('data_parallel'):
            A = gt.randn(128, 64)     # Sharded: 32 per worker
            B = gt.randn(64, 32)      # Not sharded (replicated)
            C = A @ B                 # Result sharded: 32 rows per worker
        """,
        "found = [C]",
    ),
    "reductions": (
        ONE.replace("NAME", "data_parallel").replace("AXIS", "0"),
        "",
        """
        with gt.signal.context('data_parallel'):
            x = gt.randn(128, 64)     # Sharded across workers
            total = x.sum()           # All-reduce: sum partial results
            avg = x.mean()            # Weighted average across shards
        """,
        "found = [total, avg]",
    ),
    "training": (
        TRAINING,
        "X_train, y_train = gt.randn(50, 784), gt.randn(50, 10)",
        """
        from gt.nn import Module, Linear, SGD

        class Model(Module):
            def __init__(self):
                super().__init__()
                self.layer = Linear(784, 10)

            def forward(self, x):
                return self.layer(x)

        model = Model()
        optimizer = SGD(model.parameters(), lr=0.01)

        # Training loop with sharding
        for epoch in range(100):
            # Forward pass - data parallel
            with gt.signal.context('forward_pass'):
                pred = model(X_train)
                loss = ((pred - y_train) ** 2).mean()

            # Backward pass - same sharding
            loss.backward()

            # Parameter updates - data parallel
            with gt.signal.context('parameter_updates'):
                optimizer.step()
                optimizer.zero_grad()
        """,
        "found = [loss, model.layer.weight]",
    ),
}

FRAME = """
import itertools
import json
import gt
gt.gpu_workers(WORKERS)
gt.manual_seed(1)
SETUP
BODY
RESULT
print(json.dumps([t.detach().flatten().tolist() for t in found]))
"""


def program(name: str, workers: int) -> str:
    _, setup, body, result = PROGRAMS[name]
    texts = {"WORKERS": str(workers), "SETUP": setup, "BODY": body, "RESULT": result}
    code = FRAME
    for word, text in texts.items():
        code = code.replace(word, textwrap.dedent(text))
    return code


def close(found: list[list[float]], expected: list[list[float]]) -> bool:
    return len(found) == len(expected) and all(
        a == pytest.approx(b, rel=1e-4, abs=1e-5) for a, b in zip(found, expected, strict=True)
    )


@pytest.mark.everywhere
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_give_the_same_numbers_with_and_without_a_config(script, tmp_path, name):
    (tmp_path / "config.yaml").write_text(PROGRAMS[name][0])
    quiet = {"PYTHONWARNINGS": "ignore"}
    expected = json.loads(script(program(name, 1), **quiet))
    assert any(values for values in expected)
    for workers in (1, 2, 3):
        found = json.loads(script(program(name, workers), GT_CONFIG="config.yaml", **quiet))
        assert close(found, expected), workers


@pytest.mark.embedded("asks for three workers")
@pytest.mark.parametrize("axis", [0, 1])
def test_a_config_gives_the_same_bits_each_time(script, tmp_path, axis):
    (tmp_path / "config.yaml").write_text(f"dp: {{shard: {{axis: {axis}, workers: [0, 1]}}}}\n")
    code = """
        import gt
        import hashlib
        gt.workers(3)
        gt.manual_seed(1)
        for busy in (0, 50, 3, 0, 20):
            # Work elsewhere: where it runs and how long it takes must not matter.
            other = [gt.randn(200, 200) @ gt.randn(200, 200) for _ in range(busy)]
            x, w = gt.arange(3000).reshape(3000, 1) * 1e-3, gt.arange(2000).reshape(1, 2000) * 1e-3
            with gt.signal.context("dp"):
                total = (((x * w) + 1).exp() * 1e-3).sum(0)
            print(hashlib.sha256(total.numpy().tobytes()).hexdigest())
    """
    found = {line for _ in range(2) for line in script(code, GT_CONFIG="config.yaml").splitlines()}
    assert len(found) == 1


@pytest.mark.embedded("asks for four workers")
def test_the_environment_may_be_set_by_the_program_itself(script, tmp_path):
    (tmp_path / "config.yaml").write_text(QUICK)
    text = script(
        """
        import os
        os.environ['GT_CONFIG'] = 'config.yaml'
        import gt
        gt.workers(4)
        print(*gt.get_config().signals)
        with gt.signal.context('forward_layer1'):
            print(gt.ones(100, 64).sum().item())
        print(gt.get_signal_config('forward_layer1'))
        """
    ).splitlines()
    assert text == [
        "forward_layer1 backward_layer1",
        "6400.0",
        "SignalConfig(shard=ShardConfig(axis=0, workers=[0, 1, 2, 3], replicated=False, "
        "mesh=None), backward_signal='backward_layer1', compile=None, keep=None)",
    ]


# The stream: which entry of the config each instruction belongs to.


LINE = re.compile(
    r"\| RECV +\|.*?\| *\w+ *\|[^|]*\|.*?(?P<text>(scope\d+ := .*|in scope\d+|t\d.*))$"
)


def stream(script, tmp_path: Path, code: str, **env: str) -> list[tuple[str, str]]:
    """What a program asks for: each operation after the name of the entry it belongs to."""
    log = tmp_path / "stream.log"
    # What nobody waits for may not be in the log when the program ends.
    script(textwrap.dedent(code) + "\ngt.synchronize()", GT_INSTRUCTION_LOG=str(log), **env)
    names, current, found = {"scope0": ""}, "", []
    for line in log.read_text().splitlines():
        if not (match := LINE.search(line)):
            continue
        text = match["text"]
        if define := re.match(r'(scope\d+) := "(.*?)" in scope0 (.*)', text):
            names[define[1]] = f"{define[2]}: {define[3].strip()}"
        elif text.startswith("in "):
            current = names[text.removeprefix("in ")]
        elif operation := re.match(r"t[\d, t]+ := (\w+)", text):
            found.append((current, operation[1]))
    return found


embedded = pytest.mark.embedded("the log of a server is written where the server runs")


@embedded
def test_each_operation_belongs_to_the_innermost_signal_that_is_configured(script, tmp_path):
    found = stream(
        script,
        tmp_path,
        """
        import gt
        from gt import ShardConfig, SignalConfig
        gt.workers(3)
        gt.register_config('outer', SignalConfig(shard=ShardConfig(axis=0, workers=[0, 1])))
        gt.register_config('inner', SignalConfig(shard=ShardConfig(replicated=True)))
        gt.register_config('careful', SignalConfig(keep=False))
        x = gt.ones(4)
        with gt.signal.context('outer'):
            x = x.exp()
            try:
                with gt.signal.context('inner'):
                    x = x.log()
                    gt.signal.enter('outer')
                    raise KeyError
            except KeyError:
                x = x.sin()
            with gt.signal.context('careful'):
                x = x.cos()
            y = gt.tensor([1.0])
            z = gt.eye(4)
            layer = gt.nn.Linear(2, 2)
        x = x.tan()
        x.tolist()
        """,
    )
    belongs = {operation: entry for entry, operation in found}
    outer = "outer: shard(0) 0 1"
    assert belongs["ones"] == belongs["tan"] == ""
    assert belongs["exp"] == belongs["sin"] == outer
    assert belongs["upload"] == belongs["eye"] == outer
    assert belongs["log"] == "inner: replicated"
    assert belongs["cos"] == f"{outer} dropped after use"
    # What a layer makes for itself is placed where it is used.
    assert [entry for entry, name in found if name == "zeros"] == ["", ""]


@embedded
def test_gradients_are_computed_in_the_signal_that_is_configured_for_them(script, tmp_path):
    code = """
        import gt
        gt.workers(3)
        x = gt.tensor([1.0, 2.0], requires_grad=True)
        with gt.signal.context('forward'BACKWARD):
            y = x.exp()
        with gt.signal.context('plain'):
            loss = (y.log() + y.log()).sum()
        with gt.signal.context('elsewhere'):
            loss.backward()
        print(x.grad.tolist())
    """
    (tmp_path / "config.yaml").write_text(
        """
        forward: {shard: {axis: 0, workers: [0]}, backward: back}
        plain: {shard: {axis: 0, workers: [1]}}
        elsewhere: {shard: {axis: 0, workers: [2]}}
        back: {shard: {axis: 0, workers: [0, 2]}}
        other: {shard: {replicated: true}}
        """
    )
    for backward, entry in [
        ("", "back: shard(0) 0 2"),
        (", backward='other'", "other: replicated"),
    ]:
        found = stream(
            script, tmp_path, code.replace("BACKWARD", backward), GT_CONFIG="config.yaml"
        )
        (tmp_path / "stream.log").unlink()
        # The gradient of exp is a product with its result; those of log are quotients.
        assert {at for at, name in found if name == "mul"} == {entry}
        assert {at for at, name in found if name == "div"} == {"plain: shard(0) 1"}


@embedded
def test_modules_are_signals_with_their_qualified_names(script, tmp_path):
    (tmp_path / "config.yaml").write_text(
        """
        "h.*.mlp": {shard: {axis: 1}}
        Net.head: {shard: {replicated: true}, backward: back}
        back: {shard: {axis: 0, workers: [1]}}
        Net: {shard: {axis: 0, workers: [0]}}
        """
    )
    found = stream(
        script,
        tmp_path,
        """
        import gt
        from gt import nn
        gt.workers(2)
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.mlp = nn.Tanh()
            def forward(self, x):
                return self.mlp(x.exp())
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.h = nn.ModuleList([Block(), Block()])
                self.head = nn.Sigmoid()
            def forward(self, x):
                for block in self.h:
                    x = block(x)
                return self.head(x)
        net = Net()
        x = gt.ones(4, requires_grad=True)
        net(x).sum().backward()
        net.h[1](gt.ones(4))      # called alone, it keeps its name
        nn.Tanh()(gt.ones(4))     # nothing is said of this one
        """,
        GT_CONFIG="config.yaml",
    )
    assert [at for at, name in found if name == "tanh"] == ["h.*.mlp: shard(1)"] * 3 + [""]
    # Called alone, a block is not within the module whose name it keeps.
    assert [at for at, name in found if name == "exp"] == ["Net: shard(0) 0"] * 2 + [""]
    assert [at for at, name in found if name == "sigmoid"] == ["Net.head: replicated"]
    assert "back: shard(0) 1" in {at for at, _ in found}


@embedded
def test_parameters_are_placed_once_by_patterns(script, tmp_path):
    (tmp_path / "config.yaml").write_text(
        """
        Net: {shard: {axis: 0, workers: [0, 1]}}
        params:
          "*.bias": {replicated: true, workers: [2]}
          Net.b.weight: {axis: 1}                       # it is tied, and has its first name
          running: {replicated: true}
          "*": {axis: 0, use: replicate}                # the workers are those of the module
        """
    )
    code = """
        import gt
        from gt import nn
        gt.workers(3)
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a = nn.Linear(4, 4)
                self.b = nn.Linear(4, 4, bias=False)
                self.b.weight = self.a.weight
                self.register_buffer("running", gt.zeros(4))
            def forward(self, x):
                return self.b(self.a(x)) + self.running
        net = Net()
        before = [id(p) for p in net.parameters()]
        FIRST
        for _ in range(3):
            net.zero_grad()
            net(gt.ones(2, 4)).sum().backward()
        assert before == [id(p) for p in net.parameters()]
        assert all(p.is_leaf and p.grad is not None for p in net.parameters())
        AGAIN
    """
    weight = "*: shard(0) 0 1 whole while used"
    bias, running = "*.bias: replicated 2", "running: replicated 0 1"
    for first, again, count in [
        ("", "", 1),
        ("net.load_state_dict(net.state_dict())", "", 1),
        ("", "net.b.weight = nn.Parameter(gt.ones(4, 4)); net(gt.ones(1, 4))", 2),
        ("", "gt.register_config('x', gt.SignalConfig()); net(gt.ones(1, 4))", 2),
    ]:
        program = code.replace("FIRST", first).replace("AGAIN", again)
        found = stream(script, tmp_path, program, GT_CONFIG="config.yaml")
        (tmp_path / "stream.log").unlink()
        entries = [at for at, _ in found if at in (weight, bias, running)]
        assert entries.count(weight) == count
        assert ("Net.b.weight: shard(1) 0 1" in dict(found)) == ("Parameter" in again)
        assert (entries.count(bias), entries.count(running)) == (count, count)


@embedded
def test_a_state_is_loaded_into_parameters_that_are_placed(script, tmp_path):
    (tmp_path / "config.yaml").write_text("params: {Linear.weight: {axis: 0}}")
    code = """
        import gt
        layer = gt.nn.Linear(2, 2)
        state = {"weight": gt.eye(2), "bias": gt.zeros(2)}
        layer.load_state_dict(state)
    """
    found = stream(script, tmp_path, code, GT_CONFIG="config.yaml")
    names = [name for _, name in found]
    assert ("Linear.weight: shard(0)", "place") in found
    assert names.count("place") == 1
    assert names.index("place") < names.index("cast")


def test_naming_leaves_parameters_and_gradients_as_they_were(session):
    model = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2))
    optimizer = gt.optim.SGD(model.parameters(), lr=0.01)
    x = gt.randn(8, 3)
    state = {name: value.clone() for name, value in model.state_dict().items()}

    def train() -> list[list[float]]:
        model.load_state_dict(state)
        for _ in range(3):
            optimizer.zero_grad()
            model(x).square().sum().backward()
            optimizer.step()
        return [p.detach().flatten().tolist() for p in model.parameters()]

    expected = train()
    optimizer = gt.optim.SGD(model.parameters(), lr=0.01)
    gt.register_config("0", SignalConfig(shard=ShardConfig(axis=1)))
    assert close(train(), expected)


# Nesting, threads, mistakes.


@pytest.fixture
def session():
    with gt.connect(workers=2, new=True) as opened:
        yield opened


@pytest.mark.everywhere
def test_signals_end_in_the_order_of_their_beginning(session):
    with pytest.raises(RuntimeError, match=r"exit\('a'\): no signal is open in this thread"):
        gt.signal.exit("a")
    gt.signal.enter("a")
    gt.signal.enter("b")
    with pytest.raises(RuntimeError, match="the signal 'b' is open, and must be left first"):
        gt.signal.exit("a")
    gt.signal.exit("b")
    gt.signal.exit("a")
    with (
        pytest.raises(RuntimeError, match=r"the signal 'b' was entered within .*'a'\) and not"),
        gt.signal.context("a"),
    ):
        gt.signal.enter("b")
    with pytest.raises(RuntimeError, match="no signal is open"):
        gt.signal.exit("b")


def test_an_exception_ends_what_was_entered_inside(session):
    @gt.signal.context("a")
    def fail() -> None:
        gt.signal.enter("b")
        raise KeyError

    with pytest.raises(KeyError):
        fail()
    with pytest.raises(RuntimeError, match="no signal is open"):
        gt.signal.exit("a")


def test_a_signal_cannot_be_left_from_within_a_module(session):
    for name in ("a", "Inside"):
        gt.register_config(name, SignalConfig(keep=True))

    class Inside(nn.Module):
        def forward(self, x):
            gt.signal.exit("a")

    gt.signal.enter("a")
    with pytest.raises(RuntimeError, match="the module 'Inside' is open"):
        Inside()(gt.ones(1))
    gt.signal.exit("a")


def test_threads_have_signals_of_their_own(session):
    errors = []

    def elsewhere() -> None:
        try:
            gt.signal.exit("a")
        except RuntimeError as error:
            errors.append(str(error))
        gt.signal.enter("never left")

    with gt.signal.context("a"):
        for _ in range(2):
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
    assert errors == ["signal.exit('a'): no signal is open in this thread"] * 2


def test_a_decorated_function_may_call_itself(session):
    gt.register_config("factorial", SignalConfig(shard=ShardConfig(axis=0)))

    @gt.signal.context("factorial")
    def factorial(n: int) -> gt.Tensor:
        """Multiplies."""
        return gt.ones(2) if n == 0 else factorial(n - 1) * n

    assert factorial(4).tolist() == [24, 24]
    assert (factorial.__name__, factorial.__doc__) == ("factorial", "Multiplies.")
    with pytest.raises(RuntimeError, match="no signal is open"):
        gt.signal.exit("factorial")


def test_calls_of_a_decorated_function_may_overlap_in_threads(session):
    inside, left = threading.Event(), threading.Event()

    @gt.signal.context("shared")
    def overlap(other: bool) -> None:
        if other:
            inside.set()
            assert left.wait(30)
        else:
            thread.start()
            assert inside.wait(30)

    thread = threading.Thread(target=overlap, args=(True,))
    gt.signal.enter("around")
    overlap(False)
    left.set()
    thread.join()
    gt.signal.exit("around")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: gt.signal.context(3), TypeError, "the name of a signal is text, not int"),
        (lambda: gt.signal.enter(""), ValueError, "the name of a signal is empty"),
        (lambda: gt.signal.context("a", backward=1), TypeError, "is text, not int"),
        (lambda: gt.signal.tensor([1], "a"), TypeError, "takes a tensor, not list"),
        (lambda: gt.ShardConfig(), ValueError, "one of axis, replicated=True and mesh"),
        (lambda: gt.ShardConfig(workers=[0]), ValueError, "one of axis, replicated=True"),
        (lambda: gt.ShardConfig(axis=0, replicated=True), ValueError, "one of axis"),
        (lambda: gt.ShardConfig(axis=0, workers=[]), ValueError, "workers is empty"),
        (lambda: gt.ShardConfig(axis=0, workers=[-1]), TypeError, "numbers from 0 on"),
        (lambda: gt.ShardConfig(axis=0, workers=3), TypeError, "numbers from 0 on"),
        (lambda: gt.ShardConfig(axis="0"), TypeError, "axis is a whole number, not str"),
        (lambda: gt.ShardConfig(mesh={0: "dp"}, workers=[0]), ValueError, "of the mesh"),
        (lambda: gt.register_config("a", {}), TypeError, "a name and a SignalConfig"),
        (lambda: gt.register_config("mesh", SignalConfig()), ValueError, "other than"),
        (lambda: gt.load_config("no/such.yaml"), FileNotFoundError, "no/such.yaml"),
    ],
)
def test_mistakes_are_named(session, call, error, text):
    with pytest.raises(error, match=re.escape(text)):
        call()


def test_register_config_checks_what_only_the_config_knows(session):
    for shard, text in [
        (ShardConfig(axis=0, workers=[1, 1]), "register_config('a'): worker 1 is given twice"),
        (ShardConfig(mesh={0: "dp"}), "'dp' is no axis: the config has no mesh"),
    ]:
        with pytest.raises(ValueError, match=re.escape(text)):
            gt.register_config("a", SignalConfig(shard=shard))
    assert gt.get_config().signals == {}


# Files.


def test_a_mistake_in_a_file_is_shown_with_its_line(session, tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text("forward:\n  shard:\n    axis: 0\n    worker: [0, 1]\n")
    with pytest.raises(ValueError, match="4:5") as error:
        gt.load_config(path)
    assert str(error.value) == (
        f"{path}:4:5: shard has no 'worker'; allowed are axis, workers and replicated "
        "(did you mean 'workers'?)\n"
        "  4 |     worker: [0, 1]\n"
        "    |     ^^^^^^"
    )
    assert gt.get_config().signals == {}


@pytest.mark.everywhere
def test_the_first_operation_reads_the_file_of_the_environment(script, tmp_path):
    (tmp_path / "wrong.yaml").write_text("a: [\n")
    code = """
        import gt
        for _ in range(2):
            try:
                gt.ones(1)
            except ValueError as error:
                print(str(error).splitlines()[0])
        print(gt.status()["open"])
    """
    lines = script(code, GT_CONFIG="missing.yaml").splitlines()
    assert lines[0].startswith("GT_CONFIG: cannot read the config 'missing.yaml': No such file")
    assert lines[2] == "False"
    lines = script(code, GT_CONFIG="wrong.yaml").splitlines()
    assert lines[0].startswith("GT_CONFIG: wrong.yaml:")
    assert "this cannot be read" in lines[0]


GOOD = [
    "",
    "# nothing",
    "a:",
    "a: {}",
    QUICK,
    PIPELINE,
    HYBRID,
    TRAINING,
    "a: {shard: {axis: -1}}",
    "a: {shard: {axis: 0, replicated: false}}",
    "a: {shard: {replicated: true, workers: [0]}, keep: false, compile: true, backward: b}",
    "0: {shard: {axis: 0}}",
    "params:",
    "params: {'*': {axis: 0, use: replicate, keep: false}, w: {replicated: true}}",
    "mesh: {dp: 2, tp: 2}\n'h.*.mlp': {shard: {1: tp, 0: dp}}\nparams: {w: {1: tp, keep: true}}",
    "mesh: {axes: {dp: 2}, workers: [4, 5]}",
    "mesh: {axes: 2, workers: 3}",
    "mesh: {one: {dp: 2}, two: {axes: {dp: 2}, workers: [4, 5]}}\na: {shard: {0: two.dp}}",
    (DOCS.parent / "examples" / "parallel" / "stages.yaml").read_text(encoding="utf-8"),
    *re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL),
    (DOCS.parent / "examples" / "config_sharding.yaml").read_text(encoding="utf-8"),
]

BAD = [
    "[a]",
    "a: 3",
    "a: {shards: {axis: 0}}",
    "a: {shard: {}}",
    "a: {shard: {workers: [0]}}",
    "a: {shard: {axis: 0, workers: 1}}",
    "a: {shard: {axis: 0, workers: []}}",
    "a: {shard: {axis: 0, workers: [1, 1]}}",
    "a: {shard: {axis: 0, workers: [-1]}}",
    "a: {shard: {axis: 0, workers: ['0']}}",
    "a: {shard: {axis: 0.5}}",
    "a: {shard: {axis: first}}",
    "a: {shard: {axis: 0, replicated: true}}",
    "a: {shard: {replicated: false}}",
    "a: {shard: {replicated: yes please}}",
    "a: {shard: {axis: 0, use: replicate}}",
    "a: {shard: {0: 1}}\nmesh: {dp: 2}",
    "a: {shard: {0: dp, axis: 1}}\nmesh: {dp: 2}",
    "a: {backward: 3}",
    "a: {compile: 1}",
    "a: {keep: maybe}",
    "mesh: {}",
    "mesh: 4",
    "mesh: {dp: 0}",
    "mesh: {dp: two}",
    "mesh: {axes: {dp: 2}, worker: [0, 1]}",
    "mesh: {one: {dp: 2}, two: 2}",
    "mesh: {one.two: {dp: 2}}",
    "mesh: {axes: {axes: {dp: 2}}}",
    "params: [w]",
    "params: {w: {}}",
    "params: {w: {use: replicate}}",
    "params: {w: {axis: 0, use: whole}}",
    "params: {w: {shard: {axis: 0}}}",
]

# What one place of a file says of another, no schema can check.
BAD_TOGETHER = [
    "a: {shard: {0: dp}}",
    "a: {shard: {0: dq}}\nmesh: {dp: 2}",
    "a: {shard: {0: dp, 1: dp}}\nmesh: {dp: 2}",
    "mesh: {axes: {dp: 2}, workers: [0]}",
    "a: {shard: {0: dp}}\nmesh: {one: {dp: 2}, two: {dp: 2}}",
    "a: {shard: {0: dp, 1: tp}}\nmesh: {one: {dp: 2}, two: {tp: 2}}",
]


def keys_as_text(value):
    if isinstance(value, dict):
        return {str(key): keys_as_text(below) for key, below in value.items()}
    return [keys_as_text(below) for below in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def schema():
    found = json.loads((DOCS / "reference" / "config.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


@pytest.mark.parametrize("text", GOOD)
def test_what_the_grammar_has_is_read_and_fits_the_schema(session, tmp_path, schema, text):
    path = tmp_path / "good.yaml"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of workers that this session does not have
        gt.load_config(path)
    schema.validate(keys_as_text(yaml.safe_load(text)))


@pytest.mark.parametrize("text", BAD + BAD_TOGETHER)
def test_what_the_grammar_does_not_have_is_refused_with_its_place(session, tmp_path, schema, text):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(
        ValueError, match=rf"^{re.escape(str(path))}:\d+:\d+: .*\n +\d+ \| .*\n.*\^"
    ):
        gt.load_config(path)
    fits = schema.is_valid(keys_as_text(yaml.safe_load(text)))
    assert fits == (text in BAD_TOGETHER)


# What a config knows, and what it leaves out.


def test_what_a_program_says_joins_what_files_say(session, tmp_path):
    base, more = tmp_path / "base_config.yaml", tmp_path / "more.yaml"
    base.write_text("a: {compile: true}\n'h.*': {shard: {axis: 1}}\nmesh: {dp: 2}\n")
    more.write_text("a: {keep: false}\nparams: {'*': {axis: 0, use: replicate}}\n")
    gt.load_config(str(base))
    dynamic_config = SignalConfig(shard=ShardConfig(axis=0, workers=[0, 1]))
    gt.register_config("dynamic_layer", dynamic_config)
    gt.register_config("meshed", SignalConfig(shard=ShardConfig(mesh={0: "dp"})))
    gt.load_config(more)
    config = gt.get_config()
    assert list(config.signals) == ["a", "h.*", "dynamic_layer", "meshed"]
    assert config.signals["a"] == SignalConfig(keep=False)
    assert config.mesh == gt.config.MeshConfig({"dp": 2}, [0, 1])
    assert config.params == {"*": gt.config.ParamConfig(ShardConfig(axis=0), "replicate")}
    assert gt.get_signal_config("dynamic_layer") == dynamic_config
    assert gt.get_signal_config("meshed").shard.mesh == {0: "dp"}
    assert gt.get_signal_config("h.0").shard.axis == 1
    assert gt.get_signal_config("unknown") is None


@pytest.mark.everywhere
def test_a_config_belongs_to_a_session(script, tmp_path):
    (tmp_path / "config.yaml").write_text("from_file: {compile: true}")
    text = script(
        """
        import gt
        from gt import SignalConfig
        gt.register_config("before", SignalConfig())
        print(*gt.get_config().signals)
        first = gt.connect(workers=1)
        gt.register_config("first", SignalConfig(keep=False))
        second = gt.connect(workers=1, new=True)
        gt.register_config("second", SignalConfig())
        gt.register_config("from_file", SignalConfig(compile=False))
        print(*gt.get_config().signals, gt.get_signal_config("from_file").compile)
        with first.using():
            print(*gt.get_config().signals, gt.get_signal_config("from_file").compile)
        """,
        GT_CONFIG="config.yaml",
    )
    assert text.splitlines() == [
        "from_file before",
        "from_file before second False",
        "from_file before first True",
    ]


@embedded
def test_what_is_registered_late_counts_from_there_on(script, tmp_path):
    found = stream(
        script,
        tmp_path,
        """
        import gt
        from gt import SignalConfig, ShardConfig
        gt.workers(2)
        def configure_for_batch_size(batch_size):
            workers = [0, 1] if batch_size >= 256 else [0]
            config = SignalConfig(shard=ShardConfig(axis=0, workers=workers))
            gt.register_config('training', config)
        gt.ones(1)
        with gt.signal.context('training'):
            x = gt.ones(4).exp()
            for batch_size in (256, 16, 256, 16):
                configure_for_batch_size(batch_size)
                x = x.sin()
        """,
    )
    assert [at for at, name in found if name == "exp"] == [""]
    both, one = "training: shard(0) 0 1", "training: shard(0) 0"
    assert [at for at, name in found if name == "sin"] == [both, one, both, one]


def test_an_unknown_name_is_one_warning(session):
    # A process warns of a name once, and this may be the second arrangement that it meets.
    n = next(NUMBERS)
    for known in (f"forward_pass{n}", f"backward_pass{n}"):
        gt.register_config(known, SignalConfig(keep=True))
    gt.register_config("half", SignalConfig(backward_signal=f"backward_pas{n}"))
    names = [f"forward_pas{n}", f"forward_pas{n}", f"some thing else {n}", "half", "half"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for name in names:
            with gt.signal.context(name):
                pass
        with gt.signal.context(f"forward_pass{n}", backward=f"backwards_pass{n}"):
            pass
        gt.signal.tensor(gt.ones(1), name=f"forwards_pass{n}")
    assert [str(warning.message) for warning in caught] == [
        f"the config does not define the {text}; it is ignored"
        for text in (
            f"signal 'forward_pas{n}' (did you mean 'forward_pass{n}'?)",
            f"signal 'some thing else {n}'",
            f"backward signal 'backward_pas{n}' (did you mean 'backward_pass{n}'?)",
            f"backward signal 'backwards_pass{n}' (did you mean 'backward_pass{n}'?)",
            f"signal 'forwards_pass{n}' (did you mean 'forward_pass{n}'?)",
        )
    ]
    assert {warning.filename for warning in caught} == {__file__}
    assert all(warning.category is UserWarning for warning in caught)


def test_names_without_any_config_are_ignored_in_silence(script):
    code = """
        import gt
        with gt.signal.context('a', backward='b'):
            print(gt.signal.tensor(gt.ones(2), name='c').tolist())
    """
    assert script(code) == "[1.0, 1.0]"


@pytest.mark.everywhere
def test_workers_that_do_not_exist_are_left_out_with_one_warning(script, tmp_path):
    (tmp_path / "config.yaml").write_text(
        "a: {shard: {axis: 0, workers: [0, 1, 2, 3]}}\nb: {shard: {axis: 0, workers: [3]}}\n"
        "c: {shard: {0: dp}}\nmesh: {dp: 4}\n"
    )
    code = """
        import gt
        gt.workers(2)
        print(gt.ones(3).tolist())
        for name in 'abc':
            with gt.signal.context(name):
                print((gt.ones(3) + 1).tolist())
    """
    text = (
        "the session has 2 workers, numbered from 0; 2, 3 of 'a', 'b' do not exist and are left "
        "out; the mesh {dp: 4} needs worker 3, but the session has 2, numbered from 0; what is "
        "cut along it is ignored"
    )
    done = script.run(code, GT_CONFIG="config.yaml")
    assert done.stdout.splitlines() == ["[1.0, 1.0, 1.0]"] + ["[2.0, 2.0, 2.0]"] * 3
    assert done.stderr.splitlines()[0].endswith(f"script.py:4: UserWarning: {text}")
    assert done.stderr.count("UserWarning") == 1
    done = script.run(code, GT_CONFIG="config.yaml", GT_CONFIG_STRICT="1")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"ValueError: {text}"


@pytest.mark.everywhere
def test_strict_mode_makes_errors_of_unknown_names(script, tmp_path):
    (tmp_path / "config.yaml").write_text("forward: {backward: back}")
    code = """
        import gt
        for call in [
            lambda: gt.signal.enter('forwards'),
            lambda: gt.signal.enter('forward', backward='forwards'),
            lambda: gt.signal.tensor(gt.ones(1), name='tensors'),
            lambda: gt.signal.enter('forward'),
        ]:
            try:
                call()
            except ValueError as error:
                print(error)
    """
    assert script(code, GT_CONFIG="config.yaml", GT_CONFIG_STRICT="1").splitlines() == [
        "the config does not define the signal 'forwards' (did you mean 'forward'?)",
        "the config does not define the backward signal 'forwards' (did you mean 'forward'?)",
        "the config does not define the signal 'tensors'",
        "the config does not define the backward signal 'back'",
    ]
    text = script(
        "import gt\ntry: gt.signal.enter('a')\nexcept ValueError as error: print(error)",
        GT_CONFIG_STRICT="1",
    )
    assert text == "the config does not define the signal 'a'"


def test_a_warning_that_is_an_error_is_raised_at_its_line(session):
    gt.register_config("known", SignalConfig())
    # A process warns of a name once, and this may be the second arrangement that it meets.
    name = f"unheard of {next(NUMBERS)}"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match=f"does not define the signal '{name}'"):
            gt.signal.enter(name)
    with pytest.raises(RuntimeError, match="no signal is open"):
        gt.signal.exit(name)


def test_a_placed_tensor_is_a_copy_with_a_gradient(session):
    for name in ("configured", "not configured"):
        gt.register_config("configured", SignalConfig(shard=ShardConfig(axis=0)))
        x = gt.tensor([1.0, 2.0], requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = gt.signal.tensor(x, name=name)
        (y * y).sum().backward()
        assert x.grad.tolist() == [2.0, 4.0]
        with gt.no_grad():
            y.add_(1)
        assert (x.tolist(), y.tolist()) == ([1.0, 2.0], [2.0, 3.0])


EXAMPLES = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.mark.everywhere
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_guide_runs(script, tmp_path, number):
    (tmp_path / "config.yaml").write_text(QUICK)
    assert script("import gt\ngt.workers(3)\n" + EXAMPLES[number], PYTHONWARNINGS="ignore") == ""
