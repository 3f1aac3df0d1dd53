"""Distributions of real numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gt import _gt
from gt._gt import Tensor
from gt.distributions.distribution import Distribution, Shape, refuse, together

if TYPE_CHECKING:
    from gt._gt import Number


class Normal(Distribution):
    """The bell curve with a mean and a standard deviation.

    >>> import gt
    >>> gt.distributions.Normal(0.0, 1.0).log_prob(gt.tensor(0.0))
    tensor(-0.9189)
    """

    has_rsample = True

    def __init__(
        self, loc: Tensor | Number, scale: Tensor | Number, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = together(loc, scale)
        super().__init__(self.loc.shape)
        if validate_args:
            refuse(self.scale <= 0, self, "scale must be positive")

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        """Where the density is largest."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.scale * self.scale

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        noise = _gt.randn(self._extended(sample_shape), dtype=self.loc.dtype)
        return self.loc + noise * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        distance = (value - self.loc) / self.scale
        return distance * distance * -0.5 - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        distance = (value - self.loc) / self.scale
        return ((distance * math.sqrt(0.5)).erf() + 1) * 0.5

    def entropy(self) -> Tensor:
        return self.scale.log() + (0.5 + 0.5 * math.log(2 * math.pi))

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Normal:
        return Normal(self.loc.expand(*batch_shape), self.scale.expand(*batch_shape))


class Uniform(Distribution):
    """All numbers from `low` up to `high`, equally likely.

    >>> import gt
    >>> gt.distributions.Uniform(1.0, 3.0).mean
    tensor(2.)
    """

    has_rsample = True

    def __init__(
        self, low: Tensor | Number, high: Tensor | Number, validate_args: bool | None = None
    ) -> None:
        self.low, self.high = together(low, high)
        super().__init__(self.low.shape)
        if validate_args:
            refuse(self.low >= self.high, self, "low must be less than high")

    @property
    def mean(self) -> Tensor:
        return (self.low + self.high) * 0.5

    @property
    def variance(self) -> Tensor:
        width = self.high - self.low
        return width * width / 12

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        part = _gt.rand(self._extended(sample_shape), dtype=self.low.dtype)
        return self.low + part * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        inside = (value >= self.low).logical_and(value < self.high)
        return inside.to(self.low.dtype).log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        return ((value - self.low) / (self.high - self.low)).clamp(min=0.0, max=1.0)

    def entropy(self) -> Tensor:
        return (self.high - self.low).log()

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Uniform:
        return Uniform(self.low.expand(*batch_shape), self.high.expand(*batch_shape))
