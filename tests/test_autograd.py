"""Gradients as a user meets them, with PyTorch as the oracle."""

import gc
import itertools
import threading
import weakref

import gt
import numpy as np
import pytest

# Each takes two tensors that require a gradient and gives one number.
PROGRAMS = {
    "broadcast": lambda m, a, b: (a * b[0] + b.sum(0)).mean(),
    "used twice": lambda m, a, b: (a * a + a).sum() * b.mean(),
    "product": lambda m, a, b: (a @ b.T).relu().sum(),
    "views": lambda m, a, b: (a[1:, ::2] * b.transpose(0, 1).reshape(4, 3)[:2, 1]).sum(),
    "write to a part": lambda m, a, b: _write(a * 1, b),
    "write through a view": lambda m, a, b: _write_view(a * 2, b),
    "write a number": lambda m, a, b: _write_number(a * b),
    "in place": lambda m, a, b: (a * 1).mul_(b).add_(a).exp_().sum(),
    "copy": lambda m, a, b: _copied(m, a, b),
    "detached": lambda m, a, b: (a * b.detach() + a.detach() * b).sum(),
    "softmax": lambda m, a, b: (a.softmax(-1) * b).sum(),
    "several results": lambda m, a, b: _top(a, b),
    "mixed dtypes": lambda m, a, b: (a.to(m.float32) * b).sum(),
    "long way": lambda m, a, b: _long(a, b),
    "cat": lambda m, a, b: (m.cat([a, b], 1) ** 2).mean(),
    "where": lambda m, a, b: m.where(a > b, a * 2, b * 3).sum(),
    "zero": lambda m, a, b: (a.floor() + b).sum(),
}


def _write(x, b):
    x[1] = b[0] * 3
    x[:, 2] = b[:, 1]
    return (x * x).sum()


def _write_view(x, b):
    part = x[0]
    part.mul_(b[1])
    x.transpose(0, 1)[1].add_(b[:, 0])
    return (x * part).sum()


def _write_number(x):
    x[0, 1:] = 5.0
    return (x * x).sum()


def _copied(m, a, b):
    x = m.zeros(3, 4, dtype=m.float64)
    x.copy_(a)
    x[1].copy_(b[2])
    return (x**3).sum()


def _top(a, b):
    values, _ = a.topk(2, -1)
    return (values * b[:, :2]).sum()


def _long(a, b):
    for _ in range(50):
        a = (a * 0.9 + b * 0.1).tanh()
    return a.sum()


@pytest.fixture
def pair(torch):
    """The same two leaves on both sides."""
    random = np.random.default_rng(5)
    arrays = [random.uniform(-2, 2, (3, 4)) for _ in range(2)]
    ours = [gt.tensor(array, requires_grad=True) for array in arrays]
    theirs = [torch.tensor(array, requires_grad=True) for array in arrays]
    return ours, theirs


def same(ours, theirs):
    if theirs is None or ours is None:
        assert ours is theirs is None
        return
    expected = theirs.detach().numpy()
    np.testing.assert_allclose(ours.detach().numpy(), expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_agree_with_pytorch(torch, pair, name):
    ours, theirs = pair
    for module, leaves in ((gt, ours), (torch, theirs)):
        loss = PROGRAMS[name](module, *leaves)
        loss.backward()
    for leaf, expected in zip(ours, theirs, strict=True):
        same(leaf.grad, expected.grad)


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_gradients_agree_with_pytorch(torch, pair, name):
    ours, theirs = pair
    found = []
    for module, leaves in ((gt, ours), (torch, theirs)):
        loss = PROGRAMS[name](module, *leaves)
        first = module.autograd.grad(loss, leaves, create_graph=True, allow_unused=True)
        slope = sum((g * g).sum() for g in first if g is not None)
        if not slope.requires_grad:
            found.append([None, None])
            continue
        found.append(module.autograd.grad(slope, leaves, allow_unused=True))
    for mine, expected in zip(*found, strict=True):
        zeros = torch.zeros(3, 4, dtype=torch.float64)
        # A gradient that is zero everywhere may be said or left out.
        same(gt.zeros(3, 4) if mine is None else mine, zeros if expected is None else expected)


def test_random_programs_of_views_and_writes_agree_with_pytorch(torch):
    steps = [
        lambda m, x, y: x * y,
        lambda m, x, y: x + y.sum(),
        lambda m, x, y: _changed(x * 1, lambda c: c[1].mul_(y[0])),
        lambda m, x, y: _changed(x * 1, lambda c: c[:, 0].add_(1)),
        lambda m, x, y: _changed(x * 1, lambda c: c[1:].copy_(y[:2])),
        lambda m, x, y: _changed(x * 1, lambda c: c.reshape(-1)[3:7].mul_(y.reshape(-1)[:4])),
        lambda m, x, y: _changed(x * 1, lambda c: c.transpose(0, 1)[2].zero_()),
        lambda m, x, y: x.tanh() * y.detach(),
        lambda m, x, y: _changed(x * y, lambda c: c.sub_(c.mean())),
    ]
    for seed in range(60):
        random = np.random.default_rng(seed)
        chosen = random.integers(0, len(steps), 6)
        arrays = [random.uniform(-1, 1, (3, 4)) for _ in range(2)]
        found = []
        for module, make in ((gt, gt.tensor), (torch, torch.tensor)):
            x, y = (make(array, requires_grad=True) for array in arrays)
            current = x
            for step in chosen:
                current = steps[step](module, current, y)
            (current * current).sum().backward()
            found.append((x.grad, y.grad))
        for mine, expected in zip(*found, strict=True):
            assert (mine is None) == (expected is None), (seed, chosen)
            if mine is not None:
                same(mine, expected)


def _changed(copy, write):
    write(copy)
    return copy


def test_gradients_accumulate_and_can_be_set():
    x = gt.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    held = x.grad
    (x * 3).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]
    assert held.tolist() == [5.0, 5.0]
    x.grad = None
    assert x.grad is None
    x.grad = gt.zeros(2)
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="grad"):
        x.grad = gt.zeros(3)


def test_a_graph_is_used_once_unless_it_is_retained():
    x = gt.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [4.0, 4.0]
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: gt.ones(2).sum().backward(), "does not require grad"),
        (lambda: (gt.ones(2, requires_grad=True) * 1).backward(), "scalar outputs"),
        (lambda: gt.ones(2, requires_grad=True).backward(gt.ones(3)), "shape"),
        (lambda: gt.ones(2, dtype=gt.int64, requires_grad=True), "floating point"),
        (lambda: (gt.ones(2, requires_grad=True) * 1).requires_grad_(False), "leaf"),
        (lambda: gt.ones(2, requires_grad=True).add_(1), "in-place"),
        (lambda: gt.ones(2, requires_grad=True)[0].fill_(1), "view of a leaf"),
        (lambda: gt.ones(2, requires_grad=True).numpy(), "detach"),
        (lambda: gt.ones(2).retain_grad(), "requires_grad"),
        (lambda: gt.autograd.grad(gt.ones(1, requires_grad=True).sum(), gt.ones(1)), "require"),
        (
            lambda: gt.autograd.grad(
                gt.ones((), requires_grad=True) * 1, gt.ones(1, requires_grad=True)
            ),
            "allow_unused",
        ),
    ],
)
def test_mistakes_are_named_at_the_line(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()


def test_whole_numbers_become_floats_for_a_gradient():
    assert gt.tensor([1, 2], requires_grad=True).dtype == gt.float32


def test_modes_nest_and_are_decorators():
    x = gt.ones(1, requires_grad=True)
    with gt.no_grad():
        assert not (x * 1).requires_grad
        assert not x[0].requires_grad
        with gt.enable_grad():
            assert (x * 1).requires_grad
        assert not gt.is_grad_enabled()
    assert gt.is_grad_enabled()

    @gt.no_grad()
    def steps():
        yield gt.is_grad_enabled()

    assert [(step, gt.is_grad_enabled()) for step in steps()] == [(False, True)]
    with pytest.raises(ValueError, match="inside"), gt.inference_mode():
        raise ValueError("inside")
    assert gt.is_grad_enabled()


def test_the_mode_is_a_threads_own():
    seen = []
    with gt.no_grad():
        thread = threading.Thread(target=lambda: seen.append(gt.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_updates_without_recording_keep_a_leaf_a_leaf():
    x = gt.ones(2, requires_grad=True)
    for _ in range(3):
        (x * x).sum().backward()
        with gt.no_grad():
            x -= 0.1 * x.grad
        x.grad = None
    assert (x.is_leaf, x.requires_grad) == (True, True)
    np.testing.assert_allclose(x.detach().numpy(), [0.512, 0.512], rtol=1e-6)


def test_saved_values_are_those_of_the_forward_pass():
    x = gt.tensor([2.0], requires_grad=True)
    y = x * x
    with gt.no_grad():
        x.zero_()
    y.sum().backward()
    assert x.grad.tolist() == [4.0]


def test_data_and_detach_share_elements_but_no_history():
    x = gt.ones(2, requires_grad=True)
    x.data[0] = 5
    x.detach()[1] = 7
    assert x.tolist() == [5.0, 7.0]
    part = (x * 1)[0].detach().requires_grad_()
    (part * 3).backward()
    assert (part.grad.item(), x.grad) == (3.0, None)


def test_a_view_can_be_a_leaf():
    base = gt.zeros(2, 3)
    row = base[1].requires_grad_()
    (row * gt.arange(3.0)).sum().backward()
    assert row.grad.tolist() == [0.0, 1.0, 2.0]
    assert not base.requires_grad
    base[1] = 9.0
    assert row.tolist() == [9.0, 9.0, 9.0]


def test_hooks_see_and_replace_gradients():
    x = gt.ones(2, requires_grad=True)
    y = x * 3
    y.retain_grad()
    seen = []
    handle = y.register_hook(lambda grad: seen.append(grad.tolist()))
    doubled = y.register_hook(lambda grad: grad * 2)
    after = []
    x.register_post_accumulate_grad_hook(lambda leaf: after.append(leaf.grad.tolist()))
    y.sum().backward(retain_graph=True)
    assert (seen, after) == ([[1.0, 1.0]], [[6.0, 6.0]])
    assert y.grad.tolist() == [2.0, 2.0]
    handle.remove()
    doubled.remove()
    y.sum().backward()
    assert (len(seen), x.grad.tolist()) == (1, [9.0, 9.0])


def test_an_exception_in_a_hook_reaches_the_caller():
    x = gt.ones(2, requires_grad=True)

    def refuse(grad):
        raise KeyError("no")

    x.register_hook(refuse)
    with pytest.raises(KeyError, match="no"):
        (x * 2).sum().backward()


class Scaled(gt.autograd.Function):
    """Multiplies, and claims a gradient that is larger by ten."""

    @staticmethod
    def forward(ctx, x, factor, *, log=None):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * factor, x

    @staticmethod
    def backward(ctx, grad, same):
        (x,) = ctx.saved_tensors
        return grad * ctx.factor * 10 + same * x, None


def test_functions_with_a_gradient_of_their_own():
    x = gt.tensor([1.0, 2.0], requires_grad=True)
    scaled, copy = Scaled.apply(x, 3.0)
    assert (scaled.grad_fn.name(), copy.tolist()) == ("ScaledBackward", [1.0, 2.0])
    scaled.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [30.0, 30.0]
    copy.sum().backward()
    assert x.grad.tolist() == [31.0, 32.0]
    with gt.no_grad():
        assert not Scaled.apply(x, 3.0)[0].requires_grad


def test_anomalies_name_the_forward_line():
    x = gt.zeros(2, requires_grad=True)
    with gt.autograd.set_detect_anomaly(True):
        root = x.sqrt()
        with pytest.raises(RuntimeError, match=r"Sqrt.*test_autograd\.py"):
            (root * 0).sum().backward()
    (x.sqrt() * 0).sum().backward()


def test_a_failure_in_backward_names_the_forward_line():
    x = gt.ones(3, 2, requires_grad=True)
    index = gt.zeros(3, 1, dtype=gt.int64)
    with pytest.raises((IndexError, RuntimeError), match=r"test_autograd\.py"):
        x.gather(1, index + 5).sum().item()


def test_backward_by_some_inputs_leaves_others_alone():
    x, y = gt.ones(1, requires_grad=True), gt.ones(1, requires_grad=True)
    (x * y * 2).sum().backward(inputs=[x])
    assert (x.grad.tolist(), y.grad) == ([2.0], None)


def test_derivatives_of_functions(torch):
    def cubes(x):
        return (x**3).sum() * x[0]

    point = [0.5, -1.0, 2.0]
    ours = gt.autograd.functional.hessian(cubes, gt.tensor(point, dtype=gt.float64))
    theirs = torch.autograd.functional.hessian(cubes, torch.tensor(point, dtype=torch.float64))
    same(ours, theirs)
    value, pull = gt.func.vjp(lambda x: x.exp(), gt.zeros(2))
    assert value.tolist() == [1.0, 1.0]
    assert pull(gt.ones(2))[0].tolist() == [1.0, 1.0]
    assert gt.func.grad(gt.func.grad(gt.func.grad(lambda x: x**4)))(gt.tensor(2.0)).item() == 48.0


def test_a_long_graph_is_dropped_without_a_deep_stack():
    x = gt.ones(1, requires_grad=True)
    y = x
    for _ in range(200_000):
        y = y + 1
    del y
    y = x
    for _ in range(20_000):
        y = y * 1.0
    y.backward()
    assert x.grad.tolist() == [1.0]


def test_recording_without_backward_keeps_memory_flat(script):
    text = script(
        """
        import gt, re
        def use():
            # The peak since this program began; getrusage would count its parent's too.
            return int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
        w = gt.ones(50, 50, requires_grad=True)
        x = gt.ones(50, 50)
        for step in range(100_000):
            y = (x @ w).tanh()
            if step == 20_000:
                y.sum().item()
                before = use()
        y.sum().item()
        print((use() - before) // 1024)
        """
    )
    assert int(text) < 40


def test_ten_thousand_steps_keep_memory_flat(script):
    text = script(
        """
        import gt, re
        def use():
            # The peak since this program began; getrusage would count its parent's too.
            return int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
        w = gt.ones(8, 8, requires_grad=True)
        x = gt.ones(4, 8)
        for step in range(10_000):
            (x @ w).tanh().mean().backward()
            with gt.no_grad():
                w -= 0.01 * w.grad
            w.grad = None
            if step == 2_000:
                w.sum().item()
                before = use()
        w.sum().item()
        print((use() - before) // 1024)
        """
    )
    assert int(text) < 40


def test_dropped_graphs_free_what_they_saved():
    x = gt.ones(2, requires_grad=True)
    for _, size in itertools.product(range(3), (4, 5)):
        (x[0] * gt.ones(size)).sum()
    node = (x * x).grad_fn
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert (node.name(), gone()) == ("MulBackward0", None)


def test_backward_may_run_on_another_thread():
    x = gt.ones(3, requires_grad=True)
    y = (x * x).sum()
    thread = threading.Thread(target=y.backward)
    thread.start()
    thread.join()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_tensors_say_how_they_were_made():
    x = gt.ones(2, requires_grad=True)
    assert repr(x) == "tensor([1., 1.], requires_grad=True)"
    assert repr(x + 1) == "tensor([2., 2.], grad_fn=<AddBackward0>)"
    assert repr(x.detach()) == "tensor([1., 1.])"


def test_graphs_that_overlap_add_up_in_whatever_order_they_are_walked():
    w = gt.tensor([2.0, 3.0], requires_grad=True)

    def loss(x):
        return (w * x * w).sum() + w.sum()

    first, second = loss(1), loss(10)
    second.backward()
    third = loss(100)
    first.backward()
    third.backward(retain_graph=True)
    third.backward()
    assert w.grad.tolist() == [2 * value * (1 + 10 + 100 + 100) + 4 for value in (2.0, 3.0)]


def test_a_hook_sees_the_gradient_of_a_leaf_once_and_complete():
    w, seen = gt.tensor([2.0], requires_grad=True), []
    w.register_hook(lambda gradient: seen.append(gradient.tolist()))
    for _ in range(2):
        ((w * w) * w + w).sum().backward()
    assert seen == [[13.0], [13.0]]
    assert w.grad.tolist() == [26.0]
