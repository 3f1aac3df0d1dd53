"""Activation checkpoints: the same gradients from less memory; and the state of random numbers."""

import gt
import numpy as np
import pytest
from gt.utils.checkpoint import checkpoint, checkpoint_sequential


def model():
    gt.manual_seed(1)
    return gt.nn.Sequential(
        gt.nn.Linear(4, 8), gt.nn.Tanh(), gt.nn.Dropout(0.5), gt.nn.Linear(8, 8), gt.nn.Tanh()
    )


def gradients(run):
    net = model()
    x = gt.ones(3, 4, requires_grad=True)
    gt.manual_seed(7)
    loss = (run(net, x) * gt.rand(3, 8)).sum()
    loss.backward()
    return [loss.item(), x.grad.tolist(), *(p.grad.tolist() for p in net.parameters())]


@pytest.mark.parametrize("reentrant", [True, False])
def test_gradients_and_random_numbers_are_the_same(reentrant):
    plain = gradients(lambda net, x: net(x))
    assert gradients(lambda net, x: checkpoint(net, x, use_reentrant=reentrant)) == plain
    assert gradients(lambda net, x: checkpoint_sequential(net, 3, x)) == plain


def test_other_random_numbers_give_other_gradients():
    def run(net, x):
        return checkpoint(net, x, preserve_rng_state=False)

    # The recomputation drops other elements, so that this could not go unseen.
    assert gradients(run) != gradients(lambda net, x: net(x))


def test_random_numbers_after_backward_do_not_depend_on_a_checkpoint():
    def after(run):
        gradients(run)
        return gt.rand(2).tolist()

    assert after(lambda net, x: checkpoint(net, x)) == after(lambda net, x: net(x))


def test_tensors_that_are_closed_over_have_gradients():
    w = gt.tensor([2.0], requires_grad=True)
    x = gt.tensor([3.0], requires_grad=True)
    inner = w * 5
    y = checkpoint(lambda t: (t * inner * w).exp().log(), x)
    found = gt.autograd.grad(y.sum(), [x, w, inner], retain_graph=True)
    assert [g.item() for g in found] == pytest.approx([20.0, 60.0, 6.0], rel=1e-4)
    y.sum().backward()
    assert w.grad.item() == pytest.approx(60.0, rel=1e-4)


def test_a_view_that_is_closed_over_has_a_gradient():
    w = gt.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    turned = w.T
    checkpoint(lambda t: (t @ turned).tanh(), gt.ones(1, 2)).sum().backward()
    expected = gt.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    (gt.ones(1, 2) @ expected.T).tanh().sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), expected.grad.numpy())


def test_several_results_and_keywords():
    x = gt.tensor([2.0], requires_grad=True)

    def function(t, *, factor):
        return {"a": t * factor, "b": (t.exp(), "text"), "c": t.detach()}

    out = checkpoint(function, x, factor=3.0)
    assert out["b"][1] == "text"
    assert not out["c"].requires_grad
    out["a"].sum().backward()
    assert x.grad.item() == 3.0


def test_an_argument_that_is_given_back_keeps_its_gradient():
    x = gt.tensor([2.0], requires_grad=True)
    a, b = checkpoint(lambda t: (t, t * t), x * 1)
    (a + b).sum().backward()
    assert x.grad.item() == 5.0


def test_second_gradients_pass_through():
    x = gt.tensor([2.0], requires_grad=True)
    y = checkpoint(lambda t: t**3, x)
    (slope,) = gt.autograd.grad(y.sum(), [x], create_graph=True)
    slope.sum().backward()
    assert x.grad.item() == 12.0


def test_checkpoints_nest_and_follow_autocast():
    x = gt.ones(2, 2, requires_grad=True)
    seen = []

    def inner(t):
        product = t @ t
        seen.append(product.dtype)
        return product

    with gt.autocast():
        y = checkpoint(lambda t: checkpoint(inner, t.tanh()), x)
    y.float().sum().backward()
    assert set(seen) == {gt.bfloat16}
    assert x.grad.dtype == gt.float32


def test_a_later_write_to_an_argument_does_not_change_its_gradient():
    x = gt.tensor([2.0], requires_grad=True)
    t = x * 1
    y = checkpoint(lambda t: t * t, t)
    with gt.no_grad():
        t.zero_()
    y.sum().backward()
    assert x.grad.item() == 4.0


def test_without_gradients_the_function_is_called_once():
    calls = []
    with gt.no_grad():
        checkpoint(lambda t: calls.append(1) or t * 2, gt.ones(2, requires_grad=True))
    assert calls == [1]


def test_an_error_in_the_function_arrives():
    calls = []

    def function(t):
        calls.append(1)
        if len(calls) > 1:
            raise KeyError("again")
        return t * 2

    y = checkpoint(function, gt.ones(2, requires_grad=True))
    with pytest.raises(KeyError, match="again"):
        y.sum().backward()


@pytest.mark.embedded("looks at the memory of the process that has the workers")
def test_memory_is_smaller(script):
    code = r"""
        import gt, re, pathlib
        from gt.utils.checkpoint import checkpoint_sequential
        x = gt.ones(1 << 20, requires_grad=True)
        steps = [lambda t: (t * 0.5).tanh()] * 64
        y = checkpoint_sequential(steps, {segments}, x)
        y.sum().backward()
        total = float(x.grad.sum())
        status = pathlib.Path("/proc/self/status").read_text()
        print(total, re.search(r"VmHWM:\s+(\d+)", status)[1])
    """
    plain, kept = script(code.replace("{segments}", "1")).split()
    other, less = script(code.replace("{segments}", "8")).split()
    assert other == plain
    # Sixty-four values of four megabytes, against eight and those of one segment.
    assert int(kept) - int(less) > 100_000


def test_a_state_of_random_numbers_brings_them_back():
    gt.manual_seed(3)
    gt.rand(5)
    state = gt.get_rng_state()
    assert (state.dtype, state.shape) == (gt.uint8, (16,))
    first = gt.randn(4).tolist()
    gt.set_rng_state(state)
    assert gt.randn(4).tolist() == first
    assert gt.initial_seed() == 3
    with pytest.raises(RuntimeError, match="uint8"):
        gt.set_rng_state(gt.zeros(3))


def test_a_seed_nobody_knows_is_another_each_time():
    assert gt.seed() != gt.seed()


def test_fork_rng_leaves_no_trace():
    gt.manual_seed(3)
    with gt.random.fork_rng():
        gt.rand(5)
        gt.manual_seed(9)
    first = gt.rand(3).tolist()
    gt.manual_seed(3)
    assert gt.rand(3).tolist() == first


DRAWS = {
    "rand": lambda g: gt.rand(4, generator=g),
    "randn": lambda g: gt.randn(4, generator=g),
    "randint": lambda g: gt.randint(0, 100, (4,), generator=g),
    "randperm": lambda g: gt.randperm(9, generator=g),
    "rand_like": lambda g: gt.rand_like(gt.zeros(4), generator=g),
    "multinomial": lambda g: gt.multinomial(gt.ones(9), 5, generator=g),
    "bernoulli": lambda g: gt.bernoulli(gt.full((64,), 0.5), generator=g),
    "bernoulli_": lambda g: gt.zeros(64).bernoulli_(0.5, generator=g),
    "normal_": lambda g: gt.zeros(4).normal_(generator=g),
    "uniform_": lambda g: gt.zeros(4).uniform_(generator=g),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_generator_has_numbers_of_its_own(name):
    generator = gt.Generator().manual_seed(5)
    before = gt.get_rng_state().tolist()
    first = DRAWS[name](generator).tolist()
    state = generator.get_state()
    second = DRAWS[name](generator).tolist()
    assert first != second
    assert gt.get_rng_state().tolist() == before
    assert DRAWS[name](gt.Generator().manual_seed(5)).tolist() == first
    generator.set_state(state)
    assert DRAWS[name](generator).tolist() == second
    assert DRAWS[name](None).tolist() is not None


def test_a_generator_where_none_is_used_is_refused():
    with pytest.raises(TypeError, match="generator"):
        gt.zeros(3, generator=gt.Generator())
    with pytest.raises(TypeError, match=r"gt\.Generator"):
        gt.rand(3, generator=5)
    assert gt.Generator().initial_seed() == 67280421310721
