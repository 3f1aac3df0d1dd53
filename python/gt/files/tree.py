"""Nested Python values as JSON, with tensors by name beside it.

JSON has no tuples, bytes or keys that are numbers: what it lacks is a table with one entry, whose
key says what it is.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.files.damage import damaged
from gt.files.stored import StoredTensor


def packed(value: Any) -> tuple[str, dict[str, Tensor]]:
    """The value as text, and its tensors by name."""
    packer = _Packer()
    text = json.dumps(packer.pack(value, ""), separators=(",", ":"), allow_nan=False)
    return text, packer.tensors


class _Packer:
    def __init__(self) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._names: dict[tuple[Any, ...], str] = {}
        self._open: set[int] = set()

    def pack(self, value: Any, path: str) -> Any:
        """The value as JSON can have it."""
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else {"float": repr(float(value))}
        if isinstance(value, bytes | bytearray):
            return {"bytes": base64.b64encode(value).decode()}
        if isinstance(value, Tensor):
            return self._tensor(value, path)
        if isinstance(value, _gt.dtype):
            return {"dtype": value.name}
        if isinstance(value, dict | list | tuple):
            return self._container(value, path)
        where = f" at {path}" if path else ""
        raise TypeError(
            f"gt.save: a {type(value).__name__}{where} cannot be saved; only dicts, lists, tuples, "
            "tensors, numbers, strings, bytes and None can"
        )

    def _tensor(self, tensor: Tensor, path: str) -> dict[str, Any]:
        learned = tensor.requires_grad and tensor.is_leaf
        # What has the same elements is one tensor, and is one again when it is read.
        key = (*_gt._elements(tensor), learned)
        name = self._names.get(key)
        if name is None:
            name = path or "tensor"
            while name in self.tensors or name == "__metadata__":
                name += "'"
            self._names[key], self.tensors[name] = name, tensor
        return {"parameter" if learned else "tensor": name}

    def _container(self, value: Any, path: str) -> Any:
        if id(value) in self._open:
            raise ValueError(f"gt.save: what is at {path or 'the top'} contains itself")
        self._open.add(id(value))
        begin = f"{path}." if path else ""
        packed: Any
        if isinstance(value, dict):
            items = [[self._key(k, path), self.pack(v, f"{begin}{k}")] for k, v in value.items()]
            packed = {"ordered" if isinstance(value, OrderedDict) else "dict": items}
        else:
            parts = [self.pack(v, f"{begin}{index}") for index, v in enumerate(value)]
            packed = {"tuple": parts} if isinstance(value, tuple) else parts
        self._open.discard(id(value))
        return packed

    def _key(self, key: Any, path: str) -> Any:
        if isinstance(key, Tensor | list | dict):
            raise TypeError(f"gt.save: a {type(key).__name__} is a key at {path or 'the top'}")
        return self.pack(key, path)


def unpacked(text: str, tensors: Mapping[str, Tensor | StoredTensor]) -> Any:
    """The value that `packed` made text of."""
    try:
        return _unpack(json.loads(text), tensors)
    except (ValueError, TypeError, KeyError, RecursionError, binascii.Error) as error:
        raise damaged(f"what it says about its tensors has no meaning ({error})") from None


def _unpack(value: Any, tensors: Mapping[str, Tensor | StoredTensor]) -> Any:
    if isinstance(value, list):
        return [_unpack(part, tensors) for part in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    match kind:
        case "tensor":
            return tensors[content]
        case "parameter":
            return tensors[content].requires_grad_()
        case "tuple":
            return tuple(_unpack(part, tensors) for part in content)
        case "dict":
            return {_unpack(k, tensors): _unpack(v, tensors) for k, v in content}
        case "ordered":
            return OrderedDict((_unpack(k, tensors), _unpack(v, tensors)) for k, v in content)
        case "bytes":
            return base64.b64decode(content, validate=True)
        case "float":
            return float(content)
        case "dtype":
            return _gt._dtype(content)
    raise ValueError(f"there is no '{kind}'")
