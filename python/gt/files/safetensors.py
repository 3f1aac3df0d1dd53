"""The safetensors format: the length of a header, the header as JSON, all elements."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from gt import _gt
from gt._gt import Tensor
from gt.files.damage import damaged
from gt.files.stored import pieces

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
# What is read at a time.
READ_BYTES = 1 << 20
CHECK = "crc32"
NO_CHECK = b'"crc32":"00000000"'


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


def write(tensors: Mapping[str, Tensor], metadata: Mapping[str, str], file: IO[bytes]) -> None:
    """Writes a file piece by piece, and then its checksum into the header."""
    begin = head(tensors, metadata)
    file.write(begin)
    check = zlib.crc32(begin)
    for data in _elements(tensors.values()):
        check = zlib.crc32(data, check)
        file.write(data)
    file.seek(_place_of_check(begin))
    file.write(f"{check:08x}".encode())


def stream(tensors: Mapping[str, Tensor], metadata: Mapping[str, str], file: IO[bytes]) -> None:
    """Writes what cannot go back, such as a pipe: reads all elements for the checksum first."""
    kept = {name: _gt._snapshot(tensor.detach()) for name, tensor in tensors.items()}
    begin = head(kept, metadata)
    check = zlib.crc32(begin)
    for data in _elements(kept.values()):
        check = zlib.crc32(data, check)
    place = _place_of_check(begin)
    file.write(begin[:place] + f"{check:08x}".encode() + begin[place + 8 :])
    for data in _elements(kept.values()):
        file.write(data)


def _elements(tensors: Iterable[Tensor]) -> Iterator[bytes]:
    """The elements of tensors, a piece of each after the other."""
    for tensor in tensors:
        whole = tensor.detach()
        for index, _ in pieces(tuple(whole.shape), whole.dtype.itemsize):
            yield _gt._bytes(whole[index] if index else whole)


def _place_of_check(head: bytes) -> int:
    return head.index(NO_CHECK) + len(NO_CHECK) - 9


def open_head(file: IO[bytes], size: int) -> tuple[bytes, dict[str, Any], dict[str, str]]:
    """What a file of this size begins with, what that says of each tensor, and its metadata.

    Reading goes on at the first element.
    """
    first = file.read(LENGTH_BYTES)
    if not has_header(first, size):
        raise damaged("it is too short for its header")
    head = first + b"".join(_read(file, int.from_bytes(first, "little")))
    table, metadata = entries(head, size - len(head))
    return head, table, metadata


def check_of(head: bytes, metadata: Mapping[str, str]) -> int | None:
    """The checksum of what a file begins with; only files of ours have one."""
    if metadata.get("format") != "gt":
        return None
    return zlib.crc32(_unchecked(head, metadata))


def check_end(check: int | None, metadata: Mapping[str, str]) -> None:
    """An error if the checksum over a file is not the one that the file names."""
    if check is not None and f"{check:08x}" != metadata.get(CHECK):
        raise damaged("its checksum differs")


def read(file: IO[bytes], size: int) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a file of this size by name, and its metadata.

    It is read once, from its beginning to its end, and checked on the way. There is no more of it
    in memory than a piece, and the tensors.
    """
    head, table, metadata = open_head(file, size)
    check = check_of(head, metadata)
    found: dict[str, Tensor] = {}
    described_as = {name: described(name, entry) for name, entry in table.items()}
    # Tensors without elements have no place of their own.
    for name in sorted(table, key=lambda name: table[name]["data_offsets"]):
        dtype, shape = described_as[name]
        first, last = table[name]["data_offsets"]
        elements = _gt._Elements(last - first)
        for piece in _read(file, last - first):
            if check is not None:
                check = zlib.crc32(piece, check)
            if dtype == "bool" and piece.strip(b"\x00\x01"):
                raise damaged(f"'{name}' has elements that are neither true nor false")
            elements.append(piece)
        found[name] = elements.tensor(dtype, shape)
    check_end(check, metadata)
    return {name: found[name] for name in table}, metadata


def _read(file: IO[bytes], count: int) -> Iterator[bytes]:
    while count:
        piece = file.read(min(count, READ_BYTES))
        if not piece:
            raise damaged("it ends before its last element")
        count -= len(piece)
        yield piece


def has_header(first: bytes, size: int) -> bool:
    """Whether a file of this size that begins so is as long as its header should be."""
    length = int.from_bytes(first[:LENGTH_BYTES], "little")
    return len(first) >= LENGTH_BYTES and length <= min(size - LENGTH_BYTES, LARGEST_HEADER)


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


def _unchecked(head: bytes, metadata: Mapping[str, str]) -> bytes:
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
