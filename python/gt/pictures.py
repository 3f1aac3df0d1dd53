"""Pictures of where tensors are, as SVG."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

__all__ = ["who_holds_what"]

_CELL, _GAP, _ROW, _TOP = 64, 14, 48, 34
#: More workers than this are not told apart in a picture.
_MOST_WORKERS = 16
_COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#eeca3b", "#9d755d")


def who_holds_what(tensors: dict[str, dict[str, Any]], workers: int) -> str:
    """A row for each tensor and a column for each worker.

    The outline is all of the tensor, what is filled the worker's part. Equal parts have equal
    colours.
    """
    shown = min(workers, _MOST_WORKERS)
    left = 24 + 7 * max((len(name) for name in tensors), default=0)
    places = {
        name: held["place"] or "nowhere before its first use" for name, held in tensors.items()
    }
    right = 24 + 6 * max(map(len, places.values()), default=0)
    width = left + shown * (_CELL + _GAP) + right
    height = _TOP + len(tensors) * _ROW + (16 if workers > shown else 0)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for worker in range(shown):
        x = left + worker * (_CELL + _GAP) + _CELL / 2
        out.append(f'<text x="{x}" y="20" text-anchor="middle">worker {worker}</text>')
    for row, (name, held) in enumerate(tensors.items()):
        y = _TOP + row * _ROW
        out.append(f'<text x="{left - 12}" y="{y + 22}" text-anchor="end">{escape(name)}</text>')
        out += _cells(held, left, y, shown)
        x = left + shown * (_CELL + _GAP) + 4
        out.append(
            f'<text x="{x}" y="{y + 22}" fill="#555" font-size="11">{escape(places[name])}</text>'
        )
    if workers > shown:
        out.append(f'<text x="{left}" y="{height - 6}">and {workers - shown} more workers</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def _cells(held: dict[str, Any], left: float, top: float, shown: int) -> list[str]:
    out = []
    colours: dict[tuple[Any, ...], str] = {}
    is_sum = any(kind == "partial" for _, _, kind in held["layouts"])
    for worker, part in held["parts"]:
        if worker >= shown:
            continue
        # A tensor is drawn by its first two axes; one with a single axis is a column.
        spans = [(start / size, stop / size) if size else (0.0, 1.0) for start, stop, size in part]
        (y0, y1), (x0, x1) = [*spans, (0.0, 1.0), (0.0, 1.0)][:2]
        key = tuple(map(tuple, part))
        colour = colours.setdefault(key, _COLOURS[len(colours) % len(_COLOURS)])
        x, y = left + worker * (_CELL + _GAP), top + 2
        wide, high = (_CELL if len(part) > 1 else _CELL / 4), _ROW - 14
        out.append(
            f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" fill="none" stroke="#888"/>'
        )
        out.append(
            f'<rect x="{x + x0 * wide:.1f}" y="{y + y0 * high:.1f}" '
            f'width="{(x1 - x0) * wide:.1f}" height="{(y1 - y0) * high:.1f}" fill="{colour}" '
            f'opacity="{0.45 if is_sum else 0.9}"/>'
        )
    return out
