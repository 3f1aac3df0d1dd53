"""Functions of each element, as layers."""

from __future__ import annotations

from gt._gt import Tensor
from gt.nn import functional as F
from gt.nn.module import Module
from gt.nn.naming import OwnInit


class ReLU(Module):
    """The element, or zero if it is negative."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        """Whether it writes into its argument."""
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """The element, or a part of it if it is negative."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The part."""
        return f"negative_slope={self.negative_slope}{', inplace=True' if self.inplace else ''}"


class ELU(Module):
    """The element, or an exponential if it is negative."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The limit."""
        return f"alpha={self.alpha}{', inplace=True' if self.inplace else ''}"


class GELU(Module):
    """The element times the probability that a normal number is smaller."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        """How it is computed."""
        return f"approximate={self.approximate!r}"


class SiLU(Module):
    """The element times its sigmoid."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        """Whether it writes into its argument."""
        return "inplace=True" if self.inplace else ""


class Softplus(Module):
    """A smooth relu."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """The options."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Tanh(Module):
    """A number between minus one and one."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return input.tanh()


class Sigmoid(Module):
    """A number between zero and one."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return input.sigmoid()


class Softmax(OwnInit, Module):
    """Exponentials along an axis, scaled so that they sum to one."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The probabilities."""
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        """The axis."""
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    """The logarithm of the softmax along an axis."""

    def forward(self, input: Tensor) -> Tensor:
        """The logarithms of the probabilities."""
        return F.log_softmax(input, self.dim)


class Dropout(Module):
    """In training, sets each element to zero with probability `p`."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, not {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        """The elements that are left."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """In training, sets each channel of (N, C, L) to zero with probability `p`."""

    def forward(self, input: Tensor) -> Tensor:
        """The channels that are left."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    """In training, sets each channel of (N, C, H, W) to zero with probability `p`.

    >>> import gt
    >>> gt.nn.Dropout2d(1.0)(gt.ones(1, 1, 1, 2))
    tensor([[[[0., 0.]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """The channels that are left."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(Dropout2d):
    """In training, sets each channel of (N, C, D, H, W) to zero with probability `p`."""
