"""Layers that normalise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.nn import functional as F
from gt.nn import init
from gt.nn.module import Module
from gt.nn.naming import OwnInit
from gt.nn.parameter import Parameter


def _sizes(shape: int | Sequence[int]) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


class _Norm(Module):
    """A layer whose parameters begin as one and zero."""

    def _register(self, shape: Any, device: Any, dtype: Any, **wanted: bool) -> None:
        """Gives the layer those of its parameters that are wanted."""
        for name, is_wanted in wanted.items():
            begin = _gt.ones if name == "weight" else _gt.zeros
            parameter = Parameter(begin(shape, device=device, dtype=dtype)) if is_wanted else None
            self.register_parameter(name, parameter)

    def reset_parameters(self) -> None:
        """Gives the parameters their first values again."""
        for name, parameter in self._parameters.items():
            if parameter is not None:
                init.constant_(parameter, 1.0 if name == "weight" else 0.0)


class LayerNorm(_Norm):
    """Normalises the last axes of each element of a batch."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.eps = _sizes(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        wanted = {"weight": elementwise_affine, "bias": elementwise_affine and bias}
        self._register(self.normalized_shape, device, dtype, **wanted)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised elements."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(_Norm):
    """Divides the last axes by the root of their mean square."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.eps = _sizes(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        self._register(self.normalized_shape, device, dtype, weight=elementwise_affine)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised elements."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(_Norm):
    """Normalises the channels of each image in groups."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.affine = affine
        self._register(num_channels, device, dtype, weight=affine, bias=affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised elements."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class _BatchNorm(OwnInit, _Norm):
    """Normalises each channel over the batch, and remembers what it saw."""

    _ranks: tuple[int, ...]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self._register(num_features, device, dtype, weight=affine, bias=affine and bias)
        tracked = track_running_stats
        mean, variance = (
            _gt.zeros(num_features, device=device, dtype=dtype),
            _gt.ones(num_features, device=device, dtype=dtype),
        )
        self.register_buffer("running_mean", mean if tracked else None)
        self.register_buffer("running_var", variance if tracked else None)
        count = _gt.zeros((), dtype=_gt.int64)
        self.register_buffer("num_batches_tracked", count if tracked else None)

    def reset_running_stats(self) -> None:
        """Forgets what was seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Gives the parameters their first values again, and forgets what was seen."""
        self.reset_running_stats()
        super().reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """The normalised elements."""
        if input.ndim not in self._ranks:
            expected = " or ".join(f"{rank}D" for rank in self._ranks)
            raise ValueError(f"expected {expected} input, got {input.ndim}D")
        momentum: float | Tensor = 0.0 if self.momentum is None else self.momentum
        learning = self.training and self.track_running_stats
        if learning:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / self.num_batches_tracked
        known = self.running_mean is not None
        return F.batch_norm(
            input,
            self.running_mean if learning or not self.training else None,
            self.running_var if learning or not self.training else None,
            self.weight,
            self.bias,
            self.training or not known,
            momentum,
            self.eps,
        )

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Normalises each channel of (N, C) or (N, C, L)."""

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalises each channel of (N, C, H, W)."""

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalises each channel of (N, C, D, H, W)."""

    _ranks = (5,)


class _InstanceNorm(_BatchNorm):
    """Normalises each channel of each image, and remembers what it saw if asked."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Tensor) -> Tensor:
        """The normalised elements."""
        rank, (batch,) = input.ndim, self._ranks
        if rank not in (batch - 1, batch):
            raise ValueError(f"expected {batch - 1}D or {batch}D input, got {rank}D")
        if self.affine and input.shape[rank - batch + 1] != self.num_features:
            raise ValueError(
                f"{type(self).__name__}: expected {self.num_features} channels in an input of "
                f"shape {tuple(input.shape)}"
            )
        result = F.instance_norm(
            input if rank == batch else input.unsqueeze(0),
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return result if rank == batch else result.squeeze(0)


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of each of (N, C, L)."""

    _ranks = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Normalises each channel of each of (N, C, H, W)."""

    _ranks = (4,)


class InstanceNorm3d(_InstanceNorm):
    """Normalises each channel of each of (N, C, D, H, W)."""

    _ranks = (5,)
