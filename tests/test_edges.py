"""Edges of functions: just below overflow, at NaN, without axes, of booleans."""

import math

import gt
import numpy as np
import pytest

F = gt.nn.functional
NAN = float("nan")


@pytest.mark.parametrize("name", ["sinh", "cosh"])
def test_hyperbolic_functions_are_finite_up_to_their_overflow(name):
    for limit in (np.finfo(np.float32), np.finfo(np.float64)):
        end = math.log(float(limit.max)) + math.log(2)
        x = np.linspace(end - 1, end, 4001)[:-20].astype(limit.dtype)
        expected = getattr(np, name)(x.astype(np.float128)).astype(limit.dtype)
        assert np.isfinite(expected).all()
        for sign in (1, -1):
            found = getattr(gt, name)(gt.tensor(sign * x)).numpy()
            turned = sign if name == "sinh" else 1
            np.testing.assert_allclose(found, turned * expected, rtol=8 * float(limit.eps))
    x = gt.tensor([0.0, -0.0, 1e-20, NAN, math.inf, -math.inf])
    np.testing.assert_array_equal(getattr(gt, name)(x).numpy(), getattr(np, name)(x.numpy()))
    assert math.copysign(1, gt.sinh(gt.tensor(-0.0)).item()) == -1


# What PyTorch's vectorised loops give, which large tensors meet.
AT_NAN = {
    "relu": (F.relu, 1.0),
    "leaky_relu": (lambda x: F.leaky_relu(x, 0.1), 0.1),
    "threshold": (lambda x: F.threshold(x, 0.0, 5.0), 1.0),
    "maximum": (lambda x: gt.maximum(x, gt.zeros(())), 1.0),
    "minimum": (lambda x: gt.minimum(gt.ones(()), x), 1.0),
    "hardtanh": (F.hardtanh, 0.0),
    "relu6": (F.relu6, 0.0),
    "hardsigmoid": (F.hardsigmoid, 0.0),
    "elu": (F.elu, NAN),
    "selu": (F.selu, NAN),
    "celu": (F.celu, NAN),
    "hardswish": (F.hardswish, NAN),
    "softplus": (F.softplus, NAN),
}


def gradient(function, x, ones=gt.ones):
    function(x).backward(ones(*x.shape))
    return np.asarray(x.grad.tolist())


@pytest.mark.parametrize("name", AT_NAN)
def test_gradients_at_nan(name):
    function, expected = AT_NAN[name]
    x = gt.tensor([NAN, -0.5, 0.5] * 32, requires_grad=True)
    found = gradient(function, x)
    np.testing.assert_allclose(found[::3], expected, rtol=1e-6)
    assert np.isfinite(found[1::3]).all()


def test_gradients_at_nan_are_those_of_pytorch(torch):
    for name, (function, _) in AT_NAN.items():
        x = torch.tensor([NAN, -0.5, 0.5] * 32, requires_grad=True)
        if name in ("maximum", "minimum"):
            limit = torch.zeros(()) if name == "maximum" else torch.ones(())
            expected = gradient(lambda x, n=name, o=limit: getattr(torch, n)(x, o), x, torch.ones)
        else:
            more = {"leaky_relu": (0.1,), "threshold": (0.0, 5.0)}.get(name, ())
            other = getattr(torch.nn.functional, name)
            expected = gradient(lambda x, o=other, m=more: o(x, *m), x, torch.ones)
        found = gradient(function, gt.tensor([NAN, -0.5, 0.5] * 32, requires_grad=True))
        np.testing.assert_allclose(found, expected, rtol=1e-5, err_msg=name)


def test_second_gradients_of_exponential_units_stay_finite_far_from_zero():
    for function in (F.elu, F.selu, F.celu):
        x = gt.tensor([-200.0, -1.0, 1.0, 200.0], requires_grad=True)
        (slope,) = gt.autograd.grad(function(x).sum(), x, create_graph=True)
        (bend,) = gt.autograd.grad(slope.sum(), x)
        assert bend.isfinite().all()


def test_prelu_of_a_number_is_a_number():
    for weight in (gt.tensor([0.25]), gt.tensor(0.25)):
        x, w = gt.tensor(-2.0, requires_grad=True), weight.requires_grad_()
        result = F.prelu(x, w)
        result.backward()
        assert (result.shape, result.item(), x.grad.item()) == ((), -0.5, 0.25)
        assert (w.grad.shape, w.grad.sum().item()) == (w.shape, -2.0)
    with pytest.raises(RuntimeError, match="expected 1 weight, got 3"):
        F.prelu(gt.tensor(1.0), gt.ones(3))


def test_sums_of_booleans_take_a_weight(torch):
    for m in (gt, torch):
        x, y = m.tensor([True, False, False]), m.tensor([False, True, False])
        for alpha in (True, 2, 1, -1):
            total = m.add(x, y, alpha=alpha)
            assert (total.dtype, total.tolist()) == (m.bool, [True, True, False])
        assert m.add(x, y, alpha=0).tolist() == [True, False, False]
        assert m.add(x, 1, alpha=2).tolist() == [3, 2, 2]
        x.add_(y, alpha=3)
        assert x.tolist() == [True, True, False]
        for wrong in (lambda m=m: m.add(m.ones(2), 1, alpha=True), lambda m=m, y=y: m.sub(y, y)):
            with pytest.raises((RuntimeError, NotImplementedError)):
                wrong()


def test_of_a_place_written_twice_the_last_value_has_the_gradient():
    w = gt.tensor([1.0, 2.0], requires_grad=True)
    y = gt.zeros(3)
    y[[1, 1]] = w
    (y * gt.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert y.tolist() == [0, 2, 0]
    assert w.grad.tolist() == [0, 10]
