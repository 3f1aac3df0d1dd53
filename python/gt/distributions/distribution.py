"""The base class of distributions: their shapes and methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import no_grad

if TYPE_CHECKING:
    from gt._gt import Number

Shape = Sequence[int]


class Distribution:
    """A distribution of tensors: `event_shape` of one draw, `batch_shape` of independent ones."""

    has_rsample = False

    def __init__(self, batch_shape: Shape = (), event_shape: Shape = ()) -> None:
        self._batch_shape, self._event_shape = tuple(batch_shape), tuple(event_shape)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """How many there are, along each axis."""
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        """The shape of one draw."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def variance(self) -> Tensor:
        """The mean square of the distance from the mean."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Draws without a gradient."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        """Draws whose gradient goes to the parameters."""
        raise NotImplementedError(f"{type(self).__name__} has no rsample")

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability, at a value."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of at most a value."""
        raise NotImplementedError(f"{type(self).__name__} has no cdf")

    def entropy(self) -> Tensor:
        """The mean of the negative of `log_prob`."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Distribution:
        """The same distribution, repeated to a batch."""
        raise NotImplementedError

    def _extended(self, sample_shape: Shape) -> tuple[int, ...]:
        """The shape of so many draws."""
        sizes = (sample_shape,) if isinstance(sample_shape, int) else tuple(sample_shape)
        return (*sizes, *self._batch_shape, *self._event_shape)

    def __repr__(self) -> str:
        shapes = f"batch_shape: {self._batch_shape}, event_shape: {self._event_shape}"
        return f"{type(self).__name__}({shapes})"


def together(*parameters: Tensor | Number) -> tuple[Tensor, ...]:
    """Parameters as tensors of one shape."""
    dtype = next((p.dtype for p in parameters if isinstance(p, Tensor)), _gt.float32)
    tensors = [p if isinstance(p, Tensor) else _gt.tensor(p, dtype=dtype) for p in parameters]
    total = tensors[0]
    for tensor in tensors[1:]:
        total = total + tensor
    return tuple(t if t.shape == total.shape else t.expand(*total.shape) for t in tensors)


def refuse(wrong: Tensor, kind: object, what: str) -> None:
    """An error if any element is true; this reads a value."""
    if bool(wrong.any()):
        raise ValueError(f"{type(kind).__name__}: {what}")
