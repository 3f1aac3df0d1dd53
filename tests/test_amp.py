"""Mixed precision: which operations are cast, what is kept, and steps that are taken back."""

import threading

import gt
import numpy as np
import pytest

LOWER, FULL = gt.bfloat16, gt.float32


def halves(*shape):
    return gt.ones(*shape, dtype=LOWER)


PRODUCTS = {
    "matmul": lambda a: a @ a,
    "mm": lambda a: gt.mm(a, a),
    "bmm": lambda a: gt.bmm(a.unsqueeze(0), a.unsqueeze(0)),
    "addmm": lambda a: gt.addmm(a, a, a),
    "einsum": lambda a: gt.einsum("ij,jk->ik", a, a),
    "linear": lambda a: gt.nn.functional.linear(a, a, a[0]),
    "conv": lambda a: gt.nn.functional.conv2d(
        a.reshape(1, 1, 4, 4), a.reshape(1, 1, 4, 4), a[0, :1]
    ),
    "attention": lambda a: gt.nn.functional.scaled_dot_product_attention(a, a, a),
}

PRECISE = {
    "exp": lambda a: a.exp(),
    "log": lambda a: a.log(),
    "pow": lambda a: a**3,
    "softmax": lambda a: a.softmax(-1),
    "log_softmax": lambda a: a.log_softmax(-1),
    "sum": lambda a: a.sum(),
    "prod": lambda a: a.prod(),
    "cumsum": lambda a: a.cumsum(0),
    "norm": lambda a: a.norm(),
    "layer_norm": lambda a: gt.nn.functional.layer_norm(a, 4),
    "group_norm": lambda a: gt.nn.functional.group_norm(a, 2),
    "mse_loss": lambda a: gt.nn.functional.mse_loss(a, a),
    "cross_entropy": lambda a: gt.nn.functional.cross_entropy(a, gt.tensor([0, 1, 2, 3])),
    "cosine_similarity": lambda a: gt.nn.functional.cosine_similarity(a, a),
}

KEPT = {
    "add": lambda a: a + a,
    "relu": lambda a: a.relu(),
    "tanh": lambda a: a.tanh(),
    "mean": lambda a: a.mean(),
    "reshape": lambda a: a.reshape(-1),
    "with a number": lambda a: a + gt.tensor(2.0),
    "batch_norm": lambda a: gt.nn.functional.batch_norm(a, None, None, training=True),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_compute_in_the_lower_precision(name):
    with gt.autocast("cpu", dtype=LOWER):
        assert PRODUCTS[name](gt.ones(4, 4)).dtype == LOWER


@pytest.mark.parametrize("name", PRECISE)
def test_what_needs_digits_computes_in_full_precision(name):
    with gt.autocast("cpu", dtype=LOWER):
        assert PRECISE[name](halves(4, 4)).dtype == FULL


@pytest.mark.parametrize("name", KEPT)
def test_other_operations_take_what_they_are_given(name):
    with gt.autocast("cpu", dtype=LOWER):
        assert KEPT[name](halves(4, 4)).dtype == LOWER
        assert KEPT[name](gt.ones(4, 4)).dtype == FULL


def test_cat_and_stack_take_the_widest():
    with gt.autocast():
        assert gt.cat([halves(2), gt.ones(2)]).dtype == FULL
        assert gt.stack([halves(2), halves(2)]).dtype == LOWER
        assert gt.addcmul(halves(2), gt.ones(2), halves(2)).dtype == FULL


def test_columns_agree_with_pytorch_where_its_lists_name_the_operation(torch):
    # The lists for the CPU are shorter; what is on both says the same.
    a, b = gt.ones(4, 4), torch.ones(4, 4)
    for op in ["matmul", "mm", "cumsum", "add", "mul", "tanh", "relu", "sigmoid", "mean"]:
        args = {"matmul": 2, "mm": 2, "add": 2, "mul": 2}.get(op, 1)
        extra = [0] if op == "cumsum" else []
        with gt.autocast("cpu"), torch.autocast("cpu"):
            ours = getattr(gt, op)(*[a] * args, *extra).dtype
            theirs = getattr(torch, op)(*[b] * args, *extra).dtype
        assert str(ours).split(".")[1] == str(theirs).split(".")[1], op


def test_float64_and_integers_stay():
    with gt.autocast():
        assert (
            gt.ones(2, 2, dtype=gt.float64) @ gt.ones(2, 2, dtype=gt.float64)
        ).dtype == gt.float64
        assert gt.arange(3).sum().dtype == gt.int64


def test_contexts_nest_and_end():
    x = gt.ones(2, 2)
    with gt.autocast("cpu", dtype=gt.bfloat16):
        with gt.autocast("cpu", dtype=gt.float16):
            assert (x @ x).dtype == gt.float16
        with gt.autocast("cpu", enabled=False):
            assert (x @ x).dtype == FULL
            assert not gt.is_autocast_enabled()
        assert (x @ x).dtype == gt.bfloat16
    assert (x @ x).dtype == FULL
    assert gt.get_autocast_dtype("cuda") == gt.float16


def test_a_context_ends_with_an_exception():
    with pytest.raises(KeyError), gt.autocast():
        raise KeyError
    assert not gt.is_autocast_enabled()


def test_a_decorated_function_is_cast_each_time():
    @gt.autocast("cpu")
    def double(x):
        return x @ x

    assert double(gt.ones(2, 2)).dtype == LOWER
    assert double(gt.ones(2, 2)).dtype == LOWER
    assert not gt.is_autocast_enabled()


def test_another_thread_is_not_cast():
    found = []
    with gt.autocast():
        thread = threading.Thread(
            target=lambda: found.append((gt.ones(2, 2) @ gt.ones(2, 2)).dtype)
        )
        thread.start()
        thread.join()
    assert found == [FULL]


def test_in_place_operations_keep_the_dtype_of_what_they_write():
    x, lower = gt.ones(2, 2), halves(2, 2)
    with gt.autocast():
        x += lower
        lower.exp_()
        x.addcmul_(lower, lower)
    assert (x.dtype, lower.dtype) == (FULL, LOWER)


def test_wrong_arguments_are_refused():
    with pytest.raises(RuntimeError, match="float16 or bfloat16"):
        gt.autocast("cpu", dtype=gt.float64)
    with pytest.raises(RuntimeError, match="not a device type"):
        gt.autocast("toaster")


def test_gradients_have_the_dtype_of_their_leaves_and_are_those_of_pytorch(torch):
    random = np.random.default_rng(1)
    weight, data = random.normal(size=(4, 3)), random.normal(size=(5, 3))

    def run(module):
        w = module.tensor(weight, dtype=module.float32, requires_grad=True)
        x = module.tensor(data, dtype=module.float32)
        with module.autocast("cpu", dtype=module.bfloat16):
            loss = module.nn.functional.linear(x, w).relu().float().pow(2).mean()
        loss.backward()
        return w.grad

    ours, theirs = run(gt), run(torch)
    assert ours.dtype == FULL
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=2e-2, atol=1e-3)


def test_a_leaf_is_cast_once_in_a_context():
    w = gt.nn.Linear(8, 8, bias=False)
    x = gt.ones(2, 8)
    with gt.autocast():
        first, second = w(x), w(x)
    ours = [f.grad_fn.next_functions[-1][0] for f in (first, second)]
    # Both products lead to a cast of the weight.
    names = [f.name() for f in ours]
    assert names == ["CastBackward0", "CastBackward0"]
    (first + second).sum().backward()
    np.testing.assert_array_equal(w.weight.grad.numpy(), np.full((8, 8), 4.0))


def test_the_cache_does_not_outlive_an_update_or_the_context():
    w = gt.ones(2, 2, requires_grad=True)
    x = gt.ones(2, 2)
    with gt.autocast():
        assert (x @ w).sum().item() == 8.0
        with gt.no_grad():
            w.mul_(3)
        assert (x @ w).sum().item() == 24.0
    with gt.no_grad():
        w.mul_(2)
    with gt.autocast():
        assert (x @ w).sum().item() == 48.0


def test_a_leaf_that_is_cast_without_gradients_still_learns():
    w = gt.ones(2, 2, requires_grad=True)
    with gt.autocast():
        with gt.no_grad():
            w @ w
        (gt.ones(2, 2) @ w).sum().backward()
    assert w.grad is not None


def test_the_cache_keeps_no_memory_after_the_context(script):
    code = r"""
        import gt, re, pathlib
        x = gt.ones(4, 1024)
        for _ in range({count}):
            w = gt.ones(1024, 1024, requires_grad=True)
            with gt.autocast():
                (x @ w).sum().item()
        print(re.search(r"VmHWM:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1])
    """
    few, many = (int(script(code.replace("{count}", str(count)))) for count in (5, 60))
    # A cast of one weight is two megabytes; fifty-five of them are not there.
    assert many - few < 40_000


OPTIMIZERS = {
    "SGD": {"lr": 0.05},
    "Adam": {"lr": 0.05},
    "AdamW": {"lr": 0.05, "amsgrad": True},
    "RMSprop": {"lr": 0.05, "momentum": 0.9},
    "Adagrad": {"lr": 0.1},
}


def run_scaled(module, name, options, overflows, steps=14):
    """Parameters, scales and step counts after each of some steps."""
    random = np.random.default_rng(5)
    start, data = random.normal(size=(3, 2)), random.normal(size=(steps, 4, 3))
    w = module.tensor(start, dtype=module.float32, requires_grad=True)
    optimizer = getattr(module.optim, name)([w], **options)
    scaler = module.amp.GradScaler("cpu", init_scale=8.0, growth_interval=3)
    seen = []
    for step in range(steps):
        optimizer.zero_grad()
        x = module.tensor(data[step], dtype=module.float32)
        loss = ((x @ w) ** 2).mean()
        if step in overflows:
            loss = loss * float("inf")
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        seen.append((w.detach().numpy().copy(), scaler.get_scale()))
    return seen, optimizer, scaler


@pytest.mark.parametrize("overflows", [{0, 1, 5, 9}, {4}, set()], ids=str)
@pytest.mark.parametrize(
    "name",
    [*OPTIMIZERS, "SGD momentum", "SGD dampened"],
    ids=lambda name: name.replace(" ", "-"),
)
def test_a_run_with_overflows_is_that_of_pytorch(torch, name, overflows):
    options = OPTIMIZERS.get(name, {"lr": 0.05, "momentum": 0.9})
    if name == "SGD dampened":
        options = options | {"dampening": 0.4}
    kind = name.split()[0]
    ours, optimizer, scaler = run_scaled(gt, kind, options, overflows)
    theirs, reference, other = run_scaled(torch, kind, options, overflows)
    for (value, scale), (expected, expected_scale) in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(value, expected, rtol=2e-5, atol=1e-6)
        assert scale == expected_scale
    state, expected = (list(o.state.values()) for o in (optimizer, reference))
    if expected and "step" in expected[0]:
        assert float(state[0]["step"]) == float(expected[0]["step"])
    assert scaler.state_dict() == other.state_dict()


def test_nothing_is_read_in_a_scaled_step():
    w = gt.ones(3, requires_grad=True)
    optimizer, scaler = gt.optim.Adam([w]), gt.amp.GradScaler()
    waits = gt.counters()["waits"]
    for _ in range(3):
        scaler.scale((w * w).sum()).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    assert gt.counters()["waits"] == waits


def test_a_skipped_step_leaves_every_bit():
    w = gt.randn(5, requires_grad=True)
    optimizer, scaler = gt.optim.Adam([w], lr=0.1), gt.amp.GradScaler(init_scale=2.0)

    def step(factor):
        optimizer.zero_grad()
        scaler.scale((w * w * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()

    def everything():
        (state,) = optimizer.state.values()
        return [w.detach().numpy(), *(state[key].numpy() for key in sorted(state))]

    step(1.0)
    before = everything()
    step(float("nan"))
    for old, now in zip(before, everything(), strict=True):
        assert old.tobytes() == now.tobytes()
    step(1.0)
    assert before[0].tobytes() != w.detach().numpy().tobytes()


def test_a_scaler_keeps_its_state_and_its_order():
    w = gt.ones(2, requires_grad=True)
    optimizer, scaler = gt.optim.SGD([w], lr=0.1), gt.amp.GradScaler(init_scale=4.0)
    with pytest.raises(AssertionError, match="No inf checks"):
        scaler.update()
    scaler.scale(w.sum()).backward()
    scaler.unscale_(optimizer)
    assert w.grad.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.step(optimizer)
    scaler.update()
    other = gt.amp.GradScaler()
    other.load_state_dict(scaler.state_dict())
    assert other.state_dict() == scaler.state_dict()
    assert other.get_scale() == 4.0


def test_a_disabled_scaler_does_nothing():
    w = gt.ones(2, requires_grad=True)
    optimizer, scaler = gt.optim.SGD([w], lr=0.5), gt.cuda.amp.GradScaler(enabled=False)
    loss = w.sum()
    assert scaler.scale(loss) is loss
    loss.backward()
    scaler.step(optimizer)
    scaler.update()
    assert (w.tolist(), scaler.get_scale(), scaler.state_dict()) == ([0.5, 0.5], 1.0, {})
