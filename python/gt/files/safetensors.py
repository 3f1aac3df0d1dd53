"""The safetensors format: the length of a header, the header as JSON, all elements."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from typing import Any

from gt import _gt
from gt._gt import Tensor

NAMES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "I16": "int16",
    "I32": "int32",
    "I64": "int64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
}
CODES = {name: code for code, name in NAMES.items()}
LENGTH_BYTES = 8
LARGEST_HEADER = 100_000_000
# What a tensor of any program fits in; larger numbers are only there to be multiplied.
MOST_AXES, LARGEST_COUNT = 64, 1 << 63
# An error says what is wrong, and does not repeat the file.
LONGEST_ERROR = 300
CHECK = "crc32"
NO_CHECK = b'"crc32":"00000000"'


class DamagedError(RuntimeError):
    """A file that is not what it should be."""


def damaged(what: str) -> DamagedError:
    """The error for a file that is not what it should be."""
    if len(what) > LONGEST_ERROR:
        what = f"{what[:LONGEST_ERROR]} …"
    return DamagedError(f"gt.load: the file is damaged or of another kind: {what}")


def head(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> bytes:
    """What a file with these tensors begins with; its checksum is zeros."""
    entries: dict[str, Any] = {"__metadata__": {**metadata, CHECK: "0" * 8}}
    end = 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.nbytes
        code, offsets = CODES[tensor.dtype.name], [begin, end]
        entries[name] = {"dtype": code, "shape": list(tensor.shape), "data_offsets": offsets}
    header = json.dumps(entries, separators=(",", ":")).encode()
    # Elements begin at a multiple of eight, so that others can map them into memory.
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(LENGTH_BYTES, "little") + header


def place_of_check(head: bytes | bytearray) -> int:
    """Where the checksum stands."""
    return head.index(NO_CHECK) + len(NO_CHECK) - 9


def written(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> bytearray:
    """The bytes of a file with these tensors."""
    file = bytearray(head(tensors, metadata))
    for tensor in tensors.values():
        file += _gt._bytes(tensor)
    place = place_of_check(file)
    file[place : place + 8] = f"{zlib.crc32(file):08x}".encode()
    return file


def has_header(data: bytes) -> bool:
    """Whether there are as many bytes as the length of the header says."""
    length = int.from_bytes(data[:LENGTH_BYTES], "little")
    return len(data) >= LENGTH_BYTES and length <= min(len(data) - LENGTH_BYTES, LARGEST_HEADER)


def read(data: bytes) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a file by name, and its metadata."""
    if not has_header(data):
        raise damaged("it is too short for its header")
    begin = LENGTH_BYTES + int.from_bytes(data[:LENGTH_BYTES], "little")
    table, metadata = _table(data[:begin])
    _check_sum(data, metadata)
    elements = memoryview(data)[begin:]
    _check_offsets(table, len(elements))
    tensors = {name: _tensor(name, entry, elements) for name, entry in table.items()}
    return tensors, metadata


def entries(head: bytes, size: int) -> tuple[dict[str, Any], dict[str, str]]:
    """What a file with so many bytes of elements says of each tensor, and its metadata."""
    table, metadata = _table(head)
    _check_offsets(table, size)
    return table, metadata


def _table(head: bytes) -> tuple[dict[str, Any], dict[str, str]]:
    table = _header(head[LENGTH_BYTES:])
    metadata = table.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise damaged("its metadata is not text")
    return table, metadata


def unchecked(head: bytes, metadata: Mapping[str, str]) -> bytes:
    """What a file begins with, as it was before its checksum was known."""
    given = f'"{CHECK}":"{metadata.get(CHECK, "")}"'.encode()
    if len(given) != len(NO_CHECK) or head.count(given) != 1:
        raise damaged("its checksum is not where it should be")
    return head.replace(given, NO_CHECK)


def _header(text: bytes) -> dict[str, Any]:
    try:
        entries = json.loads(text.decode(), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise damaged(f"its header is not JSON ({error})") from None
    if not isinstance(entries, dict):
        raise damaged("its header is not a table")
    return entries


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a name is there twice")
    return table


def _check_sum(data: bytes, metadata: Mapping[str, str]) -> None:
    """Compares the checksum of a file of ours; others have none."""
    if metadata.get("format") != "gt":
        return
    given = metadata.get(CHECK, "")
    place = data.find(f'"{CHECK}":"{given}"'.encode())
    if place < 0 or len(given) != 8:
        raise damaged("its checksum is not where it should be")
    place += len(NO_CHECK) - 9
    plain = zlib.crc32(data[:place])
    plain = zlib.crc32(memoryview(data)[place + 8 :], zlib.crc32(b"0" * 8, plain))
    if f"{plain:08x}" != given:
        raise damaged("its checksum differs")


def _check_offsets(entries: Mapping[str, Any], size: int) -> None:
    """Every byte belongs to one tensor: nothing overlaps, nothing is missing."""
    parts = []
    for name, entry in entries.items():
        offsets: Any = entry.get("data_offsets") if isinstance(entry, dict) else None
        if not _are_counts(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
            raise damaged(f"'{name}' has no place in it")
        parts.append(offsets)
    end = 0
    for first, last in sorted(parts):
        if first != end:
            raise damaged("its tensors overlap or leave gaps")
        end = last
    if end != size:
        raise damaged(f"it has {size} bytes of elements, its header names {end}")


def _are_counts(values: Any) -> bool:
    return isinstance(values, list) and all(
        type(v) is int and 0 <= v < LARGEST_COUNT for v in values
    )


def described(name: str, entry: Mapping[str, Any]) -> tuple[str, list[int]]:
    """The dtype and the shape of a tensor, which fit its place."""
    dtype, shape = NAMES.get(str(entry.get("dtype"))), entry.get("shape")
    if dtype is None:
        raise damaged(f"'{name}' has dtype {entry.get('dtype')!r}, which is not supported")
    if not isinstance(shape, list) or len(shape) > MOST_AXES or not _are_counts(shape):
        raise damaged(f"'{name}' has no shape")
    first, last = entry["data_offsets"]
    if math.prod(shape) * _gt._dtype(dtype).itemsize != last - first:
        raise damaged(f"'{name}' of shape {shape} does not have {last - first} bytes")
    return dtype, shape


def _tensor(name: str, entry: Mapping[str, Any], elements: memoryview) -> Tensor:
    dtype, shape = described(name, entry)
    first, last = entry["data_offsets"]
    part = bytes(elements[first:last])
    if dtype == "bool" and part.strip(b"\x00\x01"):
        raise damaged(f"'{name}' has elements that are neither true nor false")
    return _gt._tensor(dtype, shape, part, False)
