"""Batches from items: the same structure, with tensors that hold one item after another.

In a worker process the same functions make NumPy arrays, which the parent uploads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gt import _gt
from gt._gt import Tensor


@dataclass
class Upload:
    """A tensor on its way from a worker process."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    def arrive(self) -> Tensor:
        """The tensor, in the process that uploads it."""
        return _gt._tensor(self.dtype, self.shape, self.data, False)


Make = Callable[[Any], Any]


def departing(value: Any) -> Any:
    """A tensor or an array as it leaves a worker process to become a tensor."""
    if isinstance(value, Tensor):
        return Upload(value.dtype.name, tuple(value.shape), _gt._bytes(value.detach()))
    array = np.ascontiguousarray(value)
    name = array.dtype.name
    _gt._dtype(name)
    return Upload(name, np.shape(value), array.tobytes())


def _here(value: Any) -> Any:
    return value if isinstance(value, Tensor) else _gt.tensor(value)


def default_collate(batch: Sequence[Any]) -> Any:
    """A batch of items of one structure.

    >>> from gt.utils.data import default_collate
    >>> default_collate([{"x": 1.0}, {"x": 2.0}])
    {'x': tensor([1., 2.], dtype=gt.float64)}
    """
    return collated(batch, _here)


def collated(batch: Sequence[Any], make: Make) -> Any:
    """A batch whose tensors `make` makes."""
    first = batch[0]
    if isinstance(first, Tensor):
        return make(_gt.stack(list(batch)))
    if isinstance(first, np.ndarray | np.generic):
        return make(np.stack([_numbers(item) for item in batch]))
    if isinstance(first, bool | int | float):
        dtype = np.bool_ if isinstance(first, bool) else np.dtype(type(first))
        return make(np.asarray(batch, dtype=dtype))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {key: collated([item[key] for item in batch], make) for key in first}
    if isinstance(first, Sequence):
        if any(len(item) != len(first) for item in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [collated(part, make) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}"
    )


def _numbers(item: Any) -> Any:
    array = np.asarray(item)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"default_collate: an array of {array.dtype} cannot become a tensor")
    return array


def default_convert(data: Any) -> Any:
    """The same structure, with arrays as tensors."""
    return converted(data, _here)


def converted(data: Any, make: Make) -> Any:
    """The same structure, with arrays as what `make` makes."""
    if isinstance(data, Tensor):
        return make(data)
    if isinstance(data, np.ndarray | np.generic):
        return make(data) if np.asarray(data).dtype.kind in "biuf" else data
    return mapped(data, lambda part: converted(part, make))


def sent(data: Any) -> Any:
    """What a function of the user's made, without tensors: they cannot leave their process."""
    return departing(data) if isinstance(data, Tensor) else mapped(data, sent)


def arrived(data: Any) -> Any:
    """What came from a worker process, with its tensors."""
    return data.arrive() if isinstance(data, Upload) else mapped(data, arrived)


def mapped(data: Any, function: Make) -> Any:
    """A container with `function` of each of its parts; anything else as it is."""
    if isinstance(data, dict):
        return {key: function(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(function, data))
    if isinstance(data, list | tuple):
        return type(data)(map(function, data))
    return data
