"""First values of parameters, written in place."""

from __future__ import annotations

import functools
import itertools
import math

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import no_grad

# Into how many cells a truncated distribution is divided.
_CELLS = 4096


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Numbers between `a` and `b`, all equally likely."""
    with no_grad():
        return tensor.uniform_(a, b)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Normal numbers."""
    with no_grad():
        return tensor.normal_(mean, std)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0
) -> Tensor:
    """Normal numbers between `a` and `b`: the inverse distribution function of uniform numbers.

    >>> import gt
    >>> x = gt.nn.init.trunc_normal_(gt.empty(1000), a=2, b=3)
    >>> 2 < x.min().item() < x.max().item() < 3
    True
    """
    if not (a < b and std > 0):
        raise ValueError(f"trunc_normal_: expected a < b and std > 0, got a={a}, b={b}, std={std}")
    knots, below = _distribution((a - mean) / std, (b - mean) / std)
    with no_grad():
        dtype = _gt.float64 if tensor.dtype == _gt.float64 else _gt.float32
        z, share = _gt.tensor(knots, dtype=dtype), _gt.tensor(below, dtype=dtype)
        drawn = _gt.rand(tensor.shape, dtype=dtype)
        cell = (_gt.searchsorted(share, drawn, right=True) - 1).clamp(0, _CELLS - 1)
        first, last = share.take(cell), share.take(cell + 1)
        along = (drawn - first) / (last - first)
        found = z.take(cell) + along * (z.take(cell + 1) - z.take(cell))
        return tensor.copy_((found * std + mean).clamp(a, b))


@functools.lru_cache(maxsize=64)
def _distribution(low: float, high: float) -> tuple[list[float], list[float]]:
    """Points between two limits, and the share of normal numbers between these below each."""
    mode = min(max(0.0, low), high)
    # Beyond, the density is less than 1e-17 of its largest value.
    reach = math.sqrt(mode * mode + 80)
    low, high = max(low, -reach), min(high, reach)
    step = (high - low) / _CELLS

    def density(at: float) -> float:
        return math.exp((mode - at) * (mode + at) / 2)

    knots = [low + step * cell for cell in range(_CELLS)] + [high]
    # Simpson's rule in each cell.
    ends, middles = map(density, knots), (density(knot + step / 2) for knot in knots[:-1])
    masses = [a + 4 * m + b for (a, b), m in zip(itertools.pairwise(ends), middles, strict=True)]
    total = math.fsum(masses)
    return knots, [0.0, *(sum / total for sum in itertools.accumulate(masses))]


def constant_(tensor: Tensor, val: float) -> Tensor:
    """The same number everywhere."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """One everywhere."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zero everywhere."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """One on the diagonal of a matrix, zero elsewhere."""
    if tensor.ndim != 2:
        raise ValueError("only tensors with 2 dimensions are supported")
    with no_grad():
        return tensor.copy_(_gt.eye(tensor.shape[0], tensor.shape[1]))


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much values must be larger so that their variance survives a function."""
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    known = ("linear", "sigmoid", "conv1d", "conv2d", "conv3d", "conv_transpose2d")
    if nonlinearity in known:
        return 1.0
    raise ValueError(f"unsupported nonlinearity {nonlinearity}")


def _fans(tensor: Tensor) -> tuple[int, int]:
    """How many numbers each result comes from, and how many each number goes to."""
    if tensor.ndim < 2:
        raise ValueError("fan in and fan out need a tensor with at least 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Uniform numbers that keep the variance in both directions."""
    bound = gain * math.sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Normal numbers that keep the variance in both directions."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))))


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"mode {mode} is not fan_in or fan_out")
    fan = _fans(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan) if fan else 0.0


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """Uniform numbers that keep the variance through a rectifier."""
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """Normal numbers that keep the variance through a rectifier."""
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity))


# A polynomial that lifts small numbers quickly towards one, and keeps larger ones near it.
_LIFT = (3.4445, -4.7750, 2.0315)


def orthogonal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Rows, or columns if there are fewer, that are at right angles and have length `gain`.

    >>> import gt
    >>> weight = gt.nn.init.orthogonal_(gt.empty(2, 3))
    >>> (weight @ weight.T).allclose(gt.eye(2), atol=1e-6)
    True
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    with no_grad():
        matrix = _gt.randn((min(rows, columns), max(rows, columns)), dtype=_gt.float64)
        turned = _nearest_rotation(matrix)
        found = turned if rows <= columns else turned.T
        return tensor.copy_((found * gain).reshape(tensor.shape))


def _nearest_rotation(matrix: Tensor) -> Tensor:
    """The matrix with all its singular values one; of normal numbers, every result is as likely.

    Polynomials of the matrix change its singular values alone. Lifted sixteen times, even one that
    is a billionth of the largest comes near one; then eight steps of Newton double its digits.
    """
    a, b, c = _LIFT
    matrix = matrix / matrix.square().sum().sqrt()
    for _ in range(16):
        square = matrix @ matrix.T
        matrix = a * matrix + (b * square + c * (square @ square)) @ matrix
    for _ in range(8):
        matrix = 1.5 * matrix - 0.5 * ((matrix @ matrix.T) @ matrix)
    return matrix
