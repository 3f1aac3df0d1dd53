"""Tensors in notebooks: their text, and a small picture of matrices and images."""

from __future__ import annotations

import base64
import html
import math
import struct
import zlib
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import no_grad

# So many elements of a matrix are drawn along an axis at most, and a side has so many pixels.
MOST_DRAWN = 128
SIDE = 256
# A matrix or an image with a shorter side is told by its text.
SMALLEST = 8
# How many channels an image may have, and what is drawn for elements that are no numbers.
CHANNELS = (1, 3, 4)
NOT_FINITE = (255, 0, 255)

Pixel = tuple[int, ...]


def represent(tensor: Tensor) -> str:
    """What a notebook shows of a tensor. A failed one is shown as failed."""
    shape = ", ".join(map(str, tensor.shape))
    text = repr(tensor)
    parts = [f"<code>{html.escape(f'{tensor.dtype.name}[{shape}]')}</code>"]
    if not text.startswith("tensor(failed") and (drawn := _picture(tensor)):
        parts.append(drawn)
    return f"<div>{'<br>'.join(parts)}<pre>{html.escape(text)}</pre></div>"


def _picture(tensor: Tensor) -> str | None:
    with no_grad():
        channels = _channels(tensor)
        if channels is None:
            return None
        rows = _rows([channel.tolist() for channel in channels])
    width, height = len(rows[0]), len(rows)
    scale = max(SIDE // max(width, height), 1)
    data = base64.b64encode(_png(rows)).decode()
    size = f'width="{width * scale}" height="{height * scale}"'
    return (
        f'<img {size} style="image-rendering: pixelated" alt="the elements as a picture" '
        f'src="data:image/png;base64,{data}">'
    )


def _channels(tensor: Tensor) -> list[Tensor] | None:
    """The matrices to be drawn, with as many elements as are seen; `None` for other tensors."""
    if tensor.dtype.name.startswith("complex"):
        return None
    if tensor.ndim == 2:
        channels = [tensor]
    elif tensor.ndim == 3 and tensor.shape[0] in CHANNELS:
        channels = list(tensor)
    elif tensor.ndim == 3 and tensor.shape[2] in CHANNELS:
        channels = list(tensor.unbind(2))
    else:
        return None
    if min(channels[0].shape) < SMALLEST:
        return None
    across, along = (math.ceil(size / MOST_DRAWN) for size in channels[0].shape)
    # The fourth channel of an image says how much of it is seen, which a page does not need.
    return [channel[::across, ::along].to(_gt.float64) for channel in channels[:3]]


def _rows(channels: list[list[list[float]]]) -> list[list[Pixel]]:
    """Pixels from the darkest, the least of all elements, to the brightest."""
    finite = [x for channel in channels for row in channel for x in row if math.isfinite(x)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    spread = (high - low) or 1.0

    def pixel(elements: tuple[float, ...]) -> Pixel:
        if not all(map(math.isfinite, elements)):
            return NOT_FINITE
        levels = tuple(round(255 * ((x - low) / spread)) for x in elements)
        return levels * 3 if len(levels) == 1 else levels

    def row(rows: tuple[list[float], ...]) -> list[Pixel]:
        return [pixel(elements) for elements in zip(*rows, strict=True)]

    return [row(rows) for rows in zip(*channels, strict=True)]


def _png(rows: list[list[Pixel]]) -> bytes:
    """A picture with three channels of 8 bits."""
    lines = b"".join(b"\0" + bytes(level for pixel in row for level in pixel) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    chunks: list[tuple[bytes, Any]] = [
        (b"IHDR", header),
        (b"IDAT", zlib.compress(lines)),
        (b"IEND", b""),
    ]
    made = b"\x89PNG\r\n\x1a\n"
    for kind, data in chunks:
        made += struct.pack(">I", len(data)) + kind + data
        made += struct.pack(">I", zlib.crc32(kind + data))
    return made
