"""Layers for sequences and images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.nn import functional as F
from gt.nn.functional.image import Sizes
from gt.nn.linear import spread
from gt.nn.module import Module
from gt.nn.naming import OwnInit
from gt.nn.parameter import Parameter


class _Convolution(OwnInit, Module):
    """What convolutions have in common."""

    _axes: int
    _turned = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        modes = ("zeros",) if self._turned else ("zeros", "reflect", "replicate", "circular")
        if padding_mode not in modes:
            raise ValueError(f"padding_mode is one of {modes}, not '{padding_mode}'")
        self.padding_mode = padding_mode
        if in_channels % groups or out_channels % groups:
            raise ValueError("in_channels and out_channels must be divisible by groups")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = self._sizes(kernel_size), self._sizes(stride)
        self.padding = padding if isinstance(padding, str) else self._sizes(padding)
        self.dilation = self._sizes(dilation)
        channels = (out_channels, in_channels // groups)
        if self._turned:
            channels = (in_channels, out_channels // groups)
        self.weight = Parameter(_gt.empty(*channels, *self.kernel_size, device=device, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(_gt.empty(out_channels, device=device, dtype=dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the parameters anew."""
        spread(self, self.weight.shape[1] * math.prod(self.kernel_size))

    def _framed(self, input: Tensor) -> tuple[Tensor, Any]:
        """The input with the elements around that the mode asks for, and the padding left."""
        if self.padding_mode == "zeros" or self.padding == "valid":
            return input, self.padding
        sides: list[int] = []
        for axis in reversed(range(self._axes)):
            if isinstance(self.padding, str):
                total = self.dilation[axis] * (self.kernel_size[axis] - 1)
                sides += [total // 2, total - total // 2]
            else:
                sides += [self.padding[axis]] * 2
        return _gt.pad(input, sides, self.padding_mode), 0

    def _sizes(self, value: Sizes) -> tuple[int, ...]:
        if isinstance(value, Sequence):
            return tuple(value)
        return (value,) * self._axes

    def extra_repr(self) -> str:
        """The sizes and options."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        text += f", stride={self.stride}"
        if self.padding not in ((0,) * self._axes, 0):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * self._axes:
            text += f", dilation={self.dilation}"
        if any(getattr(self, "output_padding", ())):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        text = text if self.bias is not None else text + ", bias=False"
        return text if self.padding_mode == "zeros" else f"{text}, padding_mode={self.padding_mode}"


class Conv1d(_Convolution):
    """Convolution of sequences (N, C, L)."""

    _axes = 1

    def forward(self, input: Tensor) -> Tensor:
        """The convolved sequences."""
        input, padding = self._framed(input)
        options = (self.stride, padding, self.dilation, self.groups)
        return F.conv1d(input, self.weight, self.bias, *options)


class Conv2d(_Convolution):
    """Convolution of images (N, C, H, W).

    >>> import gt
    >>> gt.nn.Conv2d(3, 8, 3, padding=1)(gt.zeros(1, 3, 5, 5)).shape
    (1, 8, 5, 5)
    """

    _axes = 2

    def forward(self, input: Tensor) -> Tensor:
        """The convolved images."""
        input, padding = self._framed(input)
        options = (self.stride, padding, self.dilation, self.groups)
        return F.conv2d(input, self.weight, self.bias, *options)


class ConvTranspose2d(_Convolution):
    """The adjoint of a convolution: larger images from smaller ones."""

    _axes = 2
    _turned = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )
        self.output_padding = self._sizes(output_padding)

    def forward(self, input: Tensor) -> Tensor:
        """The larger images."""
        options = (self.stride, self.padding, self.output_padding, self.groups, self.dilation)
        return F.conv_transpose2d(input, self.weight, self.bias, *options)  # type: ignore[arg-type]


class MaxPool2d(Module):
    """The largest element under each position of a window."""

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.padding, self.dilation = kernel_size, padding, dilation
        self.stride = kernel_size if stride is None else stride
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Tensor) -> Any:
        """The largest elements, and where they are if asked."""
        window = (self.kernel_size, self.stride, self.padding, self.dilation)
        return F.max_pool2d(input, *window, self.ceil_mode, self.return_indices)

    def extra_repr(self) -> str:
        """The window."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class AvgPool2d(Module):
    """The mean of the elements under each position of a window."""

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.padding, self.ceil_mode = kernel_size, padding, ceil_mode
        self.stride = kernel_size if stride is None else stride
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        window = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        return F.avg_pool2d(input, *window, self.count_include_pad, self.divisor_override)

    def extra_repr(self) -> str:
        """The window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2d(Module):
    """The means of parts of about equal size."""

    def __init__(self, output_size: Sizes | tuple[int | None, int | None]) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return F.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """How many parts."""
        return f"output_size={self.output_size}"


class MaxPool1d(MaxPool2d):
    """The largest element under each position of a window of sequences."""

    def forward(self, input: Tensor) -> Any:
        """The largest elements, and where they are if asked."""
        window = (self.kernel_size, self.stride, self.padding, self.dilation)
        return F.max_pool1d(input, *window, self.ceil_mode, self.return_indices)


class AvgPool1d(Module):
    """The mean of the elements under each position of a window of sequences."""

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = (
            tuple(value) if isinstance(value, Sequence) else (value,)
            for value in (kernel_size, stride or kernel_size, padding)
        )
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        window = (self.kernel_size, self.stride, self.padding)
        return F.avg_pool1d(input, *window, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        """The window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool1d(AdaptiveAvgPool2d):
    """The means of parts of sequences of about equal size."""

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return F.adaptive_avg_pool1d(input, self.output_size)  # type: ignore[arg-type]


class ConvTranspose1d(ConvTranspose2d):
    """The adjoint of a convolution: longer sequences from shorter ones."""

    _axes = 1

    def forward(self, input: Tensor) -> Tensor:
        """The longer sequences."""
        options = (self.stride, self.padding, self.output_padding, self.groups, self.dilation)
        return F.conv_transpose1d(input, self.weight, self.bias, *options)  # type: ignore[arg-type]


__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "Conv1d",
    "Conv2d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "MaxPool1d",
    "MaxPool2d",
]
