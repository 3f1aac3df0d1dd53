"""PyTorch's files: a zip archive with a pickle, and the elements of each storage beside it.

A pickle is a program. Here it is read as data: only the few functions that a `state_dict` needs
have a meaning, and every other name is refused.
"""

from __future__ import annotations

import math
import pickletools
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from gt import _gt
from gt._gt import Tensor
from gt.files.damage import damaged
from gt.files.safetensors import READ_BYTES

STORAGES = {
    "BoolStorage": "bool",
    "ByteStorage": "uint8",
    "CharStorage": "int8",
    "ShortStorage": "int16",
    "IntStorage": "int32",
    "LongStorage": "int64",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "FloatStorage": "float32",
    "DoubleStorage": "float64",
}
DTYPES = {*STORAGES.values()}
LARGEST_REPEATED = 1 << 30
# Where a list of items begins on the stack.
MARK = object()
# What a key is made of. A pickle can say that a tuple holds another one twice, and so on: to look
# into it would take for ever, and its hash does.
PLAIN = (str, int, float, bytes, type(None))
# What reading a pickle that was not written by PyTorch may end with.
MISREAD = (
    *(IndexError, KeyError, TypeError, ValueError, OverflowError, AttributeError),
    *(AssertionError, struct.error),
)


@dataclass(frozen=True)
class _StorageType:
    dtype: str


@dataclass
class _Storage:
    """Elements in a row, which tensors are parts of."""

    dtype: str
    count: int
    elements: _gt._Elements
    flat: Tensor | None = None
    parts: dict[tuple[Any, ...], Tensor] = field(default_factory=dict)


def read(file: IO[bytes], size: int) -> Any:
    """What a file of PyTorch of this size holds."""
    try:
        with zipfile.ZipFile(file) as archive:
            return _Reader(archive, size).read()
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError) as error:
        raise damaged(str(error)) from None
    except MISREAD as error:
        raise damaged(f"its pickle has no meaning ({type(error).__name__}: {error})") from None


class _Reader:
    def __init__(self, archive: zipfile.ZipFile, size: int) -> None:
        self._archive, self._size = archive, size
        names = [name for name in archive.namelist() if name.endswith("/data.pkl")]
        if len(names) != 1:
            raise damaged("it is a zip archive without PyTorch's data.pkl")
        self._folder = names[0].removesuffix("data.pkl")
        self._storages: dict[str, _Storage] = {}
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def read(self) -> Any:
        if f"{self._folder}byteorder" in self._archive.namelist():
            order = self._content("byteorder")
            if order != b"little":
                raise damaged(f"its byte order is {order!r}; only little is read")
        for opcode, arg, _ in pickletools.genops(self._content("data.pkl")):
            if opcode.name == "STOP":
                if (found := self._stack.pop()) is MARK:
                    raise damaged("its pickle ends in the middle of a list")
                return found
            self._run(opcode.name, arg)
        raise damaged("its pickle has no end")

    def _content(self, name: str) -> bytes:
        return self._archive.read(self._info(name))

    def _elements(self, name: str) -> tuple[_gt._Elements, int]:
        """The bytes of a storage, and how many they are."""
        info = self._info(name)
        elements, count = _gt._Elements(info.file_size), 0
        with self._archive.open(info) as file:
            while piece := file.read(READ_BYTES):
                elements.append(piece)
                count += len(piece)
        return elements, count

    def _info(self, name: str) -> zipfile.ZipInfo:
        info = self._archive.getinfo(self._folder + name)
        # PyTorch stores without compression; what is compressed may be larger than memory.
        if info.compress_type != zipfile.ZIP_STORED or info.file_size > self._size:
            raise damaged(f"'{name}' in it is compressed")
        if info.flag_bits & 1:
            raise damaged(f"'{name}' in it is encrypted")
        return info

    def _run(self, name: str, arg: Any) -> None:
        stack = self._stack
        if name in CONSTANTS:
            stack.append(CONSTANTS[name]())
        elif name in VALUES:
            stack.append(arg)
        elif name in IGNORED:
            pass
        elif name == "MEMOIZE":
            self._memo[len(self._memo)] = stack[-1]
        elif name in ("BINPUT", "LONG_BINPUT", "PUT"):
            self._memo[arg] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET", "GET"):
            stack.append(self._memo[arg])
        elif name in COLLECTIONS:
            COLLECTIONS[name](stack)
        elif name == "GLOBAL":
            stack.append(_named(*arg.split(" ", 1)))
        elif name == "STACK_GLOBAL":
            word, module = stack.pop(), stack.pop()
            stack.append(_named(module, word))
        elif name == "BINPERSID":
            stack.append(self._storage(stack.pop()))
        elif name in ("REDUCE", "NEWOBJ"):
            args, function = stack.pop(), stack.pop()
            if not isinstance(function, _Function) or not isinstance(args, tuple):
                raise damaged("it calls something that is no function")
            stack.append(function.call(*args))
        elif name == "BUILD":
            _build(stack[-2], stack.pop())
        else:
            raise damaged(f"its pickle has the instruction {name}, which data does not need")

    def _storage(self, identity: Any) -> _Storage:
        kind, storage_type, key, _, count = identity
        if kind != "storage" or not isinstance(storage_type, _StorageType):
            raise damaged("it names a storage of an unknown kind")
        if not isinstance(key, str | int):
            raise damaged("a storage in it has no name")
        if str(key) not in self._storages:
            elements, size = self._elements(f"data/{key}")
            width = _gt._dtype(storage_type.dtype).itemsize
            if size != count * width:
                raise damaged(f"storage {key} has {size} bytes, not {count} elements")
            self._storages[str(key)] = _Storage(storage_type.dtype, size // width, elements)
        found = self._storages[str(key)]
        if found.dtype != storage_type.dtype:
            raise damaged(f"storage {key} has two dtypes")
        return found


CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_DICT": dict,
    "EMPTY_LIST": list,
    "EMPTY_TUPLE": tuple,
    "EMPTY_SET": set,
    "MARK": lambda: MARK,
}
VALUES = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"),
    *("BINSTRING", "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8"),
}
IGNORED = {"PROTO", "FRAME"}


def _marked(stack: list[Any]) -> list[Any]:
    """Takes what lies on the stack since the last mark."""
    items = []
    while (top := stack.pop()) is not MARK:
        items.append(top)
    return items[::-1]


def _set_items(stack: list[Any], items: Sequence[Any]) -> None:
    target = stack[-1]
    if not isinstance(target, dict) or len(items) % 2:
        raise damaged("it writes into something that is no dict")
    _check_keys(items[::2])
    target.update(zip(items[::2], items[1::2], strict=True))


def _check_keys(keys: Sequence[Any]) -> None:
    for key in keys:
        parts = key if isinstance(key, tuple) else (key,)
        if not all(isinstance(part, PLAIN) for part in parts):
            raise damaged("a key in it is neither text nor a number")


def _append(stack: list[Any], items: Sequence[Any]) -> None:
    target = stack[-1]
    if isinstance(target, set):
        _check_keys(items)
        target.update(items)
    elif isinstance(target, list):
        target.extend(items)
    else:
        raise damaged("it appends to something that is no list")


def _tuple(stack: list[Any], count: int) -> None:
    if len(stack) < count:
        raise damaged("its pickle takes what it has not put down")
    stack[-count:] = [tuple(stack[-count:])]


COLLECTIONS: dict[str, Callable[[list[Any]], None]] = {
    "TUPLE": lambda stack: stack.append(tuple(_marked(stack))),
    "LIST": lambda stack: stack.append(_marked(stack)),
    "TUPLE1": lambda stack: _tuple(stack, 1),
    "TUPLE2": lambda stack: _tuple(stack, 2),
    "TUPLE3": lambda stack: _tuple(stack, 3),
    "APPEND": lambda stack: _append(stack, [stack.pop()]),
    "APPENDS": lambda stack: _append(stack, _marked(stack)),
    "ADDITEMS": lambda stack: _append(stack, _marked(stack)),
    "SETITEM": lambda stack: _set_items(stack, [stack.pop(-2), stack.pop()]),
    "SETITEMS": lambda stack: _set_items(stack, _marked(stack)),
}


@dataclass(frozen=True)
class _Function:
    call: Callable[..., Any]


def _named(module: Any, word: Any) -> Any:
    """What a name means: one of those that a `state_dict` needs."""
    if not isinstance(module, str) or not isinstance(word, str):
        raise damaged("it names something without a text")
    if module == "torch" and word in STORAGES:
        return _StorageType(STORAGES[word])
    if module == "torch" and word in DTYPES:
        return _gt._dtype(word)
    if (module, word) in FUNCTIONS:
        return _Function(FUNCTIONS[module, word])
    raise damaged(
        f"it needs '{module}.{word}', which is not data; save a state_dict and not a model"
    )


def _rebuild_tensor(
    storage: _Storage,
    offset: int,
    size: Sequence[int],
    stride: Sequence[int],
    requires_grad: bool = False,
    hooks: Any = None,
    metadata: Any = None,
) -> Tensor:
    numbers = [offset, *size, *stride]
    if len(size) != len(stride) or not all(type(n) is int and n >= 0 for n in numbers):
        raise damaged("a tensor in it has no proper shape")
    key = (offset, tuple(size), tuple(stride), bool(requires_grad))
    if key not in storage.parts:
        storage.parts[key] = _part(storage, offset, size, stride).requires_grad_(
            bool(requires_grad)
        )
    return storage.parts[key]


def _part(storage: _Storage, offset: int, size: Sequence[int], stride: Sequence[int]) -> Tensor:
    """The elements of a storage that a shape and its strides name."""
    count, width = math.prod(size), _gt._dtype(storage.dtype).itemsize
    last = offset + sum((s - 1) * step for s, step in zip(size, stride, strict=True))
    if count and last >= storage.count:
        raise damaged(f"a tensor in it goes beyond its storage of {storage.count} elements")
    if count > storage.count and count * width > LARGEST_REPEATED:
        raise damaged(f"a tensor of shape {tuple(size)} in it repeats a small storage")
    if not count or all(
        s == 1 or a == b for s, a, b in zip(size, stride, _rows(size), strict=True)
    ):
        if count == storage.count and storage.flat is None:
            # The first to see all of a storage is the storage; others are views of it.
            whole = storage.elements.tensor(storage.dtype, size)
            storage.flat = whole.detach().reshape(-1)
            return whole
        return _flat(storage)[offset : offset + count].reshape(tuple(size))
    order = sorted(range(len(size)), key=lambda axis: (-stride[axis], -size[axis]))
    dense = [size[axis] for axis in order]
    if all(size[a] == 1 or stride[a] == b for a, b in zip(order, _rows(dense), strict=True)):
        rows = _flat(storage)[offset : offset + count].reshape(dense)
        return rows.permute([order.index(axis) for axis in range(len(size))])
    places: Any = _gt.tensor(offset)
    for axis, (length, step) in enumerate(zip(size, stride, strict=True)):
        shape = [1] * len(size)
        shape[axis] = length
        places = places + (_gt.arange(0, length) * step).reshape(shape)
    return _flat(storage)[places]


def _rows(size: Sequence[int]) -> list[int]:
    """The strides of elements that lie in a row."""
    return [math.prod(size[axis + 1 :]) for axis in range(len(size))]


def _flat(storage: _Storage) -> Tensor:
    if storage.flat is None:
        storage.flat = storage.elements.tensor(storage.dtype, (storage.count,))
    return storage.flat


def _rebuild_parameter(data: Tensor, requires_grad: bool, hooks: Any, *state: Any) -> Tensor:
    return data.detach().requires_grad_(bool(requires_grad))


def _build(target: Any, state: Any) -> None:
    """The rest of an object: a state_dict's `_metadata`, which loading does not need."""
    if not isinstance(target, OrderedDict) or not isinstance(state, dict):
        raise damaged("it fills an object that is not data")


def _ordered(items: Sequence[Any] = ()) -> OrderedDict[Any, Any]:
    _check_keys([key for key, _ in items])
    return OrderedDict(items)


def _device(name: Any, *index: Any) -> str:
    if not isinstance(name, str):
        raise damaged("a device in it has no name")
    return name


FUNCTIONS: dict[tuple[str, str], Callable[..., Any]] = {
    ("torch._utils", "_rebuild_tensor"): _rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
    ("torch._utils", "_rebuild_parameter_with_state"): _rebuild_parameter,
    ("collections", "OrderedDict"): _ordered,
    ("torch", "Size"): tuple,
    ("torch", "device"): _device,
}
