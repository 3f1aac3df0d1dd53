"""Layers that multiply by a matrix, and layers that only change shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.nn import functional as F
from gt.nn import init
from gt.nn.module import Module
from gt.nn.naming import path_in_call
from gt.nn.parameter import Parameter


def spread(module: Module, inputs: int) -> None:
    """Draws all parameters of a module as PyTorch does for so many inputs."""
    bound = 1 / math.sqrt(inputs) if inputs > 0 else 0.0
    for parameter in module._parameters.values():
        if parameter is not None:
            init.uniform_(parameter, -bound, bound)


class Identity(Module):
    """Gives back its argument."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The argument itself."""
        return input


class Linear(Module):
    """Applies `x @ weight.T + bias`.

    >>> import gt
    >>> gt.nn.Linear(3, 2)(gt.ones(5, 3)).shape
    (5, 2)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(_gt.empty(out_features, in_features, device=device, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(_gt.empty(out_features, device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the parameters anew."""
        spread(self, self.in_features)

    def forward(self, input: Tensor) -> Tensor:
        """`input @ weight.T + bias`."""
        try:
            return F.linear(input, self.weight, self.bias)
        except RuntimeError as error:
            # A hook or a parametrisation may have given the weight another shape.
            fits = input.ndim > 0 and input.shape[-1] == self.in_features
            if fits or self.weight.shape != (self.out_features, self.in_features):
                raise
            raise RuntimeError(self._mismatch(input)) from error

    def _mismatch(self, input: Tensor) -> str:
        """Names the layer and the sizes that differ."""
        path = path_in_call(self)
        layer = f"layer '{path}'" if path else "the layer"
        size = f"size {input.shape[-1]}" if input.ndim > 0 else "no size"
        return (
            f"linear: {layer} has in_features={self.in_features}, but the last dimension of its "
            f"input has {size} (shape {tuple(input.shape)})"
        )

    def extra_repr(self) -> str:
        """The sizes."""
        sizes = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"


class Bilinear(Module):
    """A product with a weight for each pair of elements of two inputs."""

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        weight = _gt.empty(out_features, in1_features, in2_features, device=device, dtype=dtype)
        self.weight = Parameter(weight)
        self.register_parameter(
            "bias", Parameter(_gt.empty(out_features, device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the parameters anew."""
        spread(self, self.in1_features)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """The weighted products."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        inputs = f"in1_features={self.in1_features}, in2_features={self.in2_features}"
        return f"{inputs}, out_features={self.out_features}, bias={self.bias is not None}"


class Flatten(Module):
    """Makes one axis of several."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The same elements with fewer axes."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The axes."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Makes several axes of one."""

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        """The same elements with more axes."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The axis and the sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Embedding(Module):
    """A table of vectors, looked up by number.

    >>> import gt
    >>> gt.nn.Embedding(10, 4)(gt.tensor([[1, 2, 3]])).shape
    (1, 3, 4)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if max_norm is not None or scale_grad_by_freq:
            raise NotImplementedError(
                "Embedding: max_norm and scale_grad_by_freq are not supported"
            )
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        drawn = _weight is None
        table = (
            _gt.empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
            if drawn
            else _weight
        )
        self.weight = Parameter(table, not _freeze)
        if drawn:
            self.reset_parameters()

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None
    ) -> Embedding:
        """A table that exists already."""
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, _weight=embeddings, _freeze=freeze)

    def reset_parameters(self) -> None:
        """Draws the table anew."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def forward(self, input: Tensor) -> Tensor:
        """The rows that the input names."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """The sizes."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"
