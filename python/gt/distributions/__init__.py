"""Probability distributions, with PyTorch's names."""

from gt.distributions.discrete import Bernoulli, Categorical
from gt.distributions.distribution import Distribution
from gt.distributions.divergence import kl_divergence, register_kl
from gt.distributions.normal import Normal, Uniform

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Normal",
    "Uniform",
    "kl_divergence",
    "register_kl",
]
