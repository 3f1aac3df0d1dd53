"""Distributions of classes and of yes and no."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import no_grad
from gt.distributions.distribution import Distribution, Shape, refuse, together
from gt.nn.functional import binary_cross_entropy_with_logits

if TYPE_CHECKING:
    from gt._gt import Number


class _Parameters(Distribution):
    """A distribution that is given either probabilities or logits, and knows both."""

    def _take(self, probs: Any, logits: Any) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("either `probs` or `logits` must be given, but not both")
        self._probs, self._logits = probs, logits


def _clear(probs: Tensor) -> Tensor:
    """Probabilities away from zero and one, where logarithms have an end."""
    eps = _gt.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


class Categorical(_Parameters):
    """One of several classes, by probabilities or logits along the last axis.

    >>> import gt
    >>> gt.distributions.Categorical(probs=gt.tensor([1.0, 3.0])).probs
    tensor([0.2500, 0.7500])
    """

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        given = probs if probs is not None else logits
        if given is None or given.ndim < 1:
            raise ValueError("Categorical: `probs` or `logits` needs at least one dimension")
        if probs is not None and validate_args:
            refuse(probs < 0, self, "probs must not be negative")
        self._take(
            None if probs is None else probs / probs.sum(-1, keepdim=True),
            None if logits is None else logits - logits.logsumexp(-1, keepdim=True),
        )
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1])

    @property
    def probs(self) -> Tensor:
        """The probability of each class."""
        found: Tensor = self._logits.softmax(-1) if self._probs is None else self._probs
        return found

    @property
    def logits(self) -> Tensor:
        """The logarithm of the probability of each class."""
        found: Tensor = _clear(self._probs).log() if self._logits is None else self._logits
        return found

    @property
    def mean(self) -> Tensor:
        return _gt.full(self._batch_shape, fill_value=float("nan"), dtype=self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        return self.mean

    @property
    def mode(self) -> Tensor:
        """The likeliest class."""
        return self.probs.argmax(-1)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended(sample_shape)
        with no_grad():
            rows = self.probs.reshape(-1, self._num_events)
            count = 1
            for size in shape[: len(shape) - len(self._batch_shape)]:
                count *= size
            if count == 0 or rows.shape[0] == 0:
                return _gt.zeros(shape, dtype=_gt.int64)
            return _gt.multinomial(rows, count, True).T.reshape(shape)

    def log_prob(self, value: Tensor) -> Tensor:
        logits, place = self.logits, value.long().unsqueeze(-1)
        batch = (place[..., 0] + logits[..., 0] * 0).shape
        place, logits = place.expand(*batch, 1), logits.expand(*batch, self._num_events)
        return logits.gather(-1, place).squeeze(-1)

    def entropy(self) -> Tensor:
        logits = self.logits.clamp(min=_gt.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Categorical:
        shape = (*batch_shape, self._num_events)
        if self._probs is not None:
            return Categorical(probs=self._probs.expand(*shape))
        return Categorical(logits=self._logits.expand(*shape))


class Bernoulli(_Parameters):
    """One with a probability, else zero.

    >>> import gt
    >>> gt.distributions.Bernoulli(probs=0.25).variance
    tensor(0.1875)
    """

    def __init__(
        self,
        probs: Tensor | Number | None = None,
        logits: Tensor | Number | None = None,
        validate_args: bool | None = None,
    ) -> None:
        given = probs if probs is not None else logits
        (tensor,) = together(0.0 if given is None else given)
        self._take(
            None if probs is None else tensor,
            None if logits is None else tensor,
        )
        super().__init__(tensor.shape)
        if probs is not None and validate_args:
            outside = (tensor < 0).logical_or(tensor > 1)
            refuse(outside, self, "probs must be between zero and one")

    @property
    def probs(self) -> Tensor:
        """The probability of one."""
        found: Tensor = self._logits.sigmoid() if self._probs is None else self._probs
        return found

    @property
    def logits(self) -> Tensor:
        """The logarithm of the odds."""
        if self._logits is not None:
            found: Tensor = self._logits
            return found
        clear = _clear(self._probs)
        return clear.log() - (-clear).log1p()

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with no_grad():
            return self.probs.expand(*self._extended(sample_shape)).bernoulli()

    def log_prob(self, value: Tensor) -> Tensor:
        logits, value = together(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Bernoulli:
        if self._probs is not None:
            return Bernoulli(probs=self._probs.expand(*batch_shape))
        return Bernoulli(logits=self._logits.expand(*batch_shape))
