"""Distributions, with PyTorch as the oracle."""

import gt
import numpy as np
import pytest
from chance import SIGMAS

CASES = {
    "Normal": ("Normal", {"loc": [0.0, 1.0, -2.0], "scale": [1.0, 0.5, 3.0]}),
    "Uniform": ("Uniform", {"low": [0.0, -1.0], "high": [2.0, 1.5]}),
    "Bernoulli probs": ("Bernoulli", {"probs": [0.1, 0.5, 0.9]}),
    "Bernoulli logits": ("Bernoulli", {"logits": [-3.0, 0.0, 2.0]}),
    "Categorical probs": ("Categorical", {"probs": [[1.0, 2.0, 5.0], [0.1, 0.1, 0.2]]}),
    "Categorical logits": ("Categorical", {"logits": [[1.0, -2.0, 0.5], [0.0, 0.0, 3.0]]}),
}
VALUES = {
    "Normal": [0.3, -1.0, 2.0],
    "Uniform": [1.0, 0.25],
    "Bernoulli": [1.0, 0.0, 1.0],
    "Categorical": [2, 0],
}


def made(module, case, shift=0.0):
    name, options = CASES[case]
    tensors = {
        key: module.tensor((np.asarray(value) + shift).tolist(), requires_grad=True)
        for key, value in options.items()
    }
    return getattr(module.distributions, name)(**tensors), list(tensors.values())


def close(ours, theirs):
    ours, theirs = ours.detach().numpy(), theirs.detach().numpy()
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", CASES)
def test_numbers_are_those_of_pytorch(torch, case):
    (ours, mine), (theirs, other) = made(gt, case), made(torch, case)
    kind = type(ours).__name__
    assert tuple(ours.batch_shape) == tuple(theirs.batch_shape)
    assert tuple(ours.event_shape) == tuple(theirs.event_shape)
    for name in ["mean", "variance", "stddev", "probs", "logits"]:
        if hasattr(theirs, name) and kind != "Categorical":
            close(getattr(ours, name), getattr(theirs, name))
    close(ours.entropy(), theirs.entropy())
    for shape in [(), (1,), (2, 1)]:
        values = np.broadcast_to(VALUES[kind], (*shape[:-1], len(VALUES[kind]))).tolist()
        close(ours.log_prob(gt.tensor(values)), theirs.log_prob(torch.tensor(values)))
    if kind in ("Normal", "Uniform"):
        close(ours.cdf(gt.tensor(VALUES[kind])), theirs.cdf(torch.tensor(VALUES[kind])))
    values = VALUES[kind]
    ours.log_prob(gt.tensor(values)).sum().backward()
    theirs.log_prob(torch.tensor(values)).sum().backward()
    for one, two in zip(mine, other, strict=True):
        close(one.grad, two.grad)


@pytest.mark.parametrize("case", CASES)
def test_divergences_are_those_of_pytorch(torch, case):
    def divergence(module):
        one, two = made(module, case)[0], made(module, case, 0.05)[0]
        return module.distributions.kl_divergence(one, two)

    close(divergence(gt), divergence(torch))


@pytest.mark.parametrize("pair", [("Uniform", "Normal"), ("Normal", "Uniform")])
def test_divergences_of_two_kinds(torch, pair):
    def divergence(module):
        kinds = {
            "Uniform": module.distributions.Uniform(module.tensor([0.5]), module.tensor([2.0])),
            "Normal": module.distributions.Normal(module.tensor([0.25]), module.tensor([1.5])),
        }
        return module.distributions.kl_divergence(*(kinds[name] for name in pair))

    close(divergence(gt), divergence(torch))
    with pytest.raises(NotImplementedError, match="Bernoulli and Normal"):
        gt.distributions.kl_divergence(
            gt.distributions.Bernoulli(0.5), gt.distributions.Normal(0, 1)
        )


@pytest.mark.parametrize("case", CASES)
def test_draws_have_the_mean_and_variance_of_the_distribution(case):
    gt.manual_seed(11)
    distribution, _ = made(gt, case)
    draws = distribution.sample((20_000,))
    assert tuple(draws.shape) == (20_000, *distribution.batch_shape)
    assert not draws.requires_grad
    if type(distribution).__name__ == "Categorical":
        classes = gt.arange(3)
        found = (draws.unsqueeze(-1) == classes).float().mean(0)
        np.testing.assert_allclose(
            found.numpy(), distribution.probs.detach().numpy(), atol=SIGMAS * 0.5 / np.sqrt(20_000)
        )
        assert draws.dtype == gt.int64
        return
    deviation = distribution.stddev.detach().numpy()
    error = np.abs(draws.mean(0).numpy() - distribution.mean.detach().numpy())
    assert (error < SIGMAS * deviation / np.sqrt(20_000) + 1e-6).all()
    np.testing.assert_allclose(draws.std(0).numpy(), deviation, rtol=SIGMAS * np.sqrt(2 / 20_000))


def test_gradients_pass_through_draws():
    loc, scale = gt.tensor([1.0], requires_grad=True), gt.tensor([2.0], requires_grad=True)
    gt.manual_seed(1)
    draw = gt.distributions.Normal(loc, scale).rsample((5,))
    draw.sum().backward()
    assert loc.grad.item() == 5.0
    noise = (draw.detach() - 1.0) / 2.0
    assert scale.grad.item() == pytest.approx(noise.sum().item(), rel=1e-5)
    low = gt.tensor(0.0, requires_grad=True)
    gt.distributions.Uniform(low, 1.0).rsample((3,)).sum().backward()
    assert 0 < low.grad.item() < 3
    with pytest.raises(NotImplementedError, match="rsample"):
        gt.distributions.Categorical(gt.ones(2)).rsample()


@pytest.mark.parametrize("case", CASES)
def test_a_distribution_is_repeated_to_a_batch(case):
    distribution, _ = made(gt, case)
    wide = distribution.expand((4, *distribution.batch_shape))
    assert tuple(wide.batch_shape) == (4, *distribution.batch_shape)
    assert wide.sample((2,)).shape == (2, 4, *distribution.batch_shape)
    np.testing.assert_allclose(
        wide.entropy()[3].detach().numpy(), distribution.entropy().detach().numpy(), rtol=1e-6
    )


def test_wrong_parameters_are_refused():
    with pytest.raises(ValueError, match="not both"):
        gt.distributions.Bernoulli(probs=0.5, logits=0.1)
    with pytest.raises(ValueError, match="positive"):
        gt.distributions.Normal(0.0, -1.0, validate_args=True)
    with pytest.raises(ValueError, match="one dimension"):
        gt.distributions.Categorical(gt.tensor(1.0))
