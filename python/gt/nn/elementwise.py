"""Layers of each element whose functions are less common, and distances between vectors."""

from __future__ import annotations

from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.nn import functional as F
from gt.nn.module import Module
from gt.nn.naming import OwnInit
from gt.nn.parameter import Parameter


class _Inplace(OwnInit, Module):
    """A function that may write into its argument."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _value(self, input: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.activation.written(input, self._value(input), self.inplace)

    def extra_repr(self) -> str:
        """Whether it writes into its argument."""
        return "inplace=True" if self.inplace else ""


class Mish(_Inplace):
    """The element times the tanh of its softplus."""

    def _value(self, input: Tensor) -> Tensor:
        return F.mish(input)


class SELU(_Inplace):
    """A scaled exponential unit that keeps mean and variance."""

    def _value(self, input: Tensor) -> Tensor:
        return F.selu(input)


class Hardswish(_Inplace):
    """A product of the element and straight pieces of a sigmoid."""

    def _value(self, input: Tensor) -> Tensor:
        return F.hardswish(input)

    def extra_repr(self) -> str:
        """Nothing."""
        return ""


class Hardsigmoid(Hardswish):
    """Straight pieces of a sigmoid."""

    def _value(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input)


class Hardtanh(Module):
    """The element between two limits."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        if min_val >= max_val:
            raise ValueError(f"min_val {min_val} must be below max_val {max_val}")
        self.min_val, self.max_val, self.inplace = min_val, max_val, inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        result = F.hardtanh(input, self.min_val, self.max_val)
        return F.activation.written(input, result, self.inplace)

    def extra_repr(self) -> str:
        """The limits."""
        more = ", inplace=True" if self.inplace else ""
        return f"min_val={self.min_val}, max_val={self.max_val}{more}"


class ReLU6(Hardtanh):
    """The element between zero and six."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Whether it writes into its argument."""
        return "inplace=True" if self.inplace else ""


class CELU(Module):
    """A smooth exponential unit."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.activation.written(input, F.celu(input, self.alpha), self.inplace)

    def extra_repr(self) -> str:
        """The limit."""
        return f"alpha={self.alpha}{', inplace=True' if self.inplace else ''}"


class Threshold(Module):
    """The element, or a value where it is not above a limit."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        result = F.threshold(input, self.threshold, self.value)
        return F.activation.written(input, result, self.inplace)

    def extra_repr(self) -> str:
        """The limit and the value."""
        more = ", inplace=True" if self.inplace else ""
        return f"threshold={self.threshold}, value={self.value}{more}"


class LogSigmoid(Module):
    """The logarithm of a sigmoid."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.logsigmoid(input)


class Softsign(Module):
    """The element divided by one more than its size."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.softsign(input)


class Tanhshrink(Module):
    """The element less its tanh."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.tanhshrink(input)


class GLU(Module):
    """One half of the elements times the sigmoid of the other."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The gated half."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """The axis."""
        return f"dim={self.dim}"


class PReLU(Module):
    """The element, or a part of it, which is learned, if it is negative."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(_gt.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Gives the part its first value again."""
        self.weight.detach().fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """How many parts."""
        return f"num_parameters={self.num_parameters}"


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along an axis."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The cosines."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
