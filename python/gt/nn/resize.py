"""Layers that change the size of images: interpolation, shuffles and frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.nn import functional as F
from gt.nn.module import Module
from gt.nn.naming import OwnInit


class Upsample(Module):
    """Images in another size.

    >>> import gt
    >>> gt.nn.Upsample(scale_factor=2, mode="bilinear")(gt.zeros(1, 3, 4, 5)).shape
    (1, 3, 8, 10)
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.mode = size, mode
        self.scale_factor: Any = scale_factor
        if isinstance(scale_factor, Sequence):
            self.scale_factor = tuple(map(float, scale_factor))
        elif scale_factor is not None:
            self.scale_factor = float(scale_factor)
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The resized images."""
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """The size and the mode."""
        which = "size" if self.scale_factor is None else "scale_factor"
        return f"{which}={getattr(self, which)}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images in another size, from the nearest elements."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """Images in another size, from the elements around, corner on corner."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


class PixelShuffle(Module):
    """Channels as larger images."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The larger images."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """The factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Images as channels of smaller ones."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The smaller images."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """The factor."""
        return f"downscale_factor={self.downscale_factor}"


class _Frame(OwnInit, Module):
    """Elements around a sequence or an image."""

    _axes: int
    _mode: str

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        count = 2 * self._axes
        self.padding = tuple(padding) if isinstance(padding, Sequence) else (padding,) * count
        if len(self.padding) != count:
            raise ValueError(f"padding is {count} numbers, not {self.padding}")

    def forward(self, input: Tensor) -> Tensor:
        """The input with its frame."""
        if input.ndim not in (self._axes + 1, self._axes + 2):
            raise RuntimeError(
                f"{type(self).__name__}: expected an input of {self._axes + 1} or {self._axes + 2} "
                f"axes, not one of shape {tuple(input.shape)}"
            )
        return _gt.pad(input, list(self.padding), self._mode)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"{self.padding}"


class ReflectionPad1d(_Frame):
    """Mirrored elements around a sequence."""

    _axes, _mode = 1, "reflect"


class ReflectionPad2d(_Frame):
    """Mirrored elements around an image.

    >>> import gt
    >>> gt.nn.ReflectionPad2d((1, 1, 0, 0))(gt.tensor([[[1.0, 2.0, 3.0]]])).tolist()
    [[[2.0, 1.0, 2.0, 3.0, 2.0]]]
    """

    _axes, _mode = 2, "reflect"


class ReplicationPad1d(_Frame):
    """The first and the last element around a sequence."""

    _axes, _mode = 1, "replicate"


class ReplicationPad2d(_Frame):
    """The elements of the border around an image."""

    _axes, _mode = 2, "replicate"


class CircularPad1d(_Frame):
    """The elements of the other end around a sequence."""

    _axes, _mode = 1, "circular"


class CircularPad2d(_Frame):
    """The elements of the other side around an image."""

    _axes, _mode = 2, "circular"


class ZeroPad2d(_Frame):
    """Zeros around an image."""

    _axes, _mode = 2, "constant"

    def forward(self, input: Tensor) -> Tensor:
        """The input with its frame."""
        return _gt.pad(input, list(self.padding))


class ConstantPad2d(Module):
    """One number around an image."""

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__()
        self.padding = tuple(padding) if isinstance(padding, Sequence) else (padding,) * 4
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """The input with its frame."""
        return _gt.pad(input, list(self.padding), value=self.value)

    def extra_repr(self) -> str:
        """The sizes and the number."""
        return f"padding={self.padding}, value={self.value}"
