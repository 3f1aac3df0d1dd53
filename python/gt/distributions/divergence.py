"""How much one distribution differs from another, by the kinds of the two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.distributions.discrete import Bernoulli, Categorical
from gt.distributions.distribution import Distribution
from gt.distributions.normal import Normal, Uniform
from gt.nn.functional import softplus

Formula = Callable[[Any, Any], Tensor]

_FORMULAS: dict[tuple[type[Distribution], type[Distribution]], Formula] = {}


def register_kl(
    type_p: type[Distribution], type_q: type[Distribution]
) -> Callable[[Formula], Formula]:
    """Decorates the function that `kl_divergence` calls for two kinds of distributions."""

    def register(formula: Formula) -> Formula:
        _FORMULAS[type_p, type_q] = formula
        return formula

    return register


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The mean of `p.log_prob - q.log_prob` over draws from `p`.

    >>> import gt
    >>> normal = gt.distributions.Normal
    >>> gt.distributions.kl_divergence(normal(0.0, 1.0), normal(1.0, 1.0))
    tensor(0.5000)
    """
    for one in type(p).__mro__:
        for two in type(q).__mro__:
            if (one, two) in _FORMULAS:
                return _FORMULAS[one, two](p, q)
    pair = f"{type(p).__name__} and {type(q).__name__}"
    raise NotImplementedError(f"kl_divergence: there is no formula for {pair}")


@register_kl(Normal, Normal)
def _normals(p: Normal, q: Normal) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc) / q.scale
    square = ratio * ratio
    return (square + distance * distance - 1 - square.log()) * 0.5


@register_kl(Uniform, Uniform)
def _uniforms(p: Uniform, q: Uniform) -> Tensor:
    outside = (q.low > p.low).logical_or(q.high < p.high)
    widths = ((q.high - q.low) / (p.high - p.low)).log()
    return _gt.where(outside, float("inf"), widths)


@register_kl(Bernoulli, Bernoulli)
def _bernoullis(p: Bernoulli, q: Bernoulli) -> Tensor:
    yes = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    no = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return yes + no


@register_kl(Categorical, Categorical)
def _categoricals(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms = _gt.where(q.probs == 0, float("inf"), terms)
    return _gt.where(p.probs == 0, 0.0, terms).sum(-1)


@register_kl(Uniform, Normal)
def _uniform_from_normal(p: Uniform, q: Normal) -> Tensor:
    width, distance = p.high - p.low, (p.high + p.low - 2 * q.loc) / 2
    spread = width * width / 12 + distance * distance
    return -q.log_prob(q.loc) - width.log() + spread / (2 * q.variance)


@register_kl(Normal, Uniform)
def _normal_from_uniform(p: Normal, q: Uniform) -> Tensor:
    return (p.loc + q.low) * 0 + float("inf")
