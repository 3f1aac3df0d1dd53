"""Files of tensors: `save` and `load`.

A file is a safetensors file, which many programs read. What is not a tensor stands as JSON in its
metadata, with a checksum over everything. Nothing in a file is ever executed.
"""

from __future__ import annotations

import importlib
import io
import os
from pathlib import Path
from typing import IO, Any

from gt.files import safetensors
from gt.files.damage import DamagedError
from gt.files.place import replaced
from gt.files.tree import packed, unpacked

__all__ = ["DamagedError", "load", "save"]

Target = str | os.PathLike[str] | IO[bytes]


def save(
    obj: Any,
    f: Target,
    pickle_module: Any = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    *,
    sharded: bool = False,
) -> None:
    """Writes nested dicts, lists, tuples, tensors, numbers, strings and bytes to a file.

    A file of that name is replaced at once when everything is written. With `sharded` the name is
    that of a folder: tensors are read from the workers and written piece by piece, and `load` gives
    what `load_state_dict` takes in the same way, under whatever config and number of workers.

    >>> import gt, io
    >>> file = io.BytesIO()
    >>> gt.save({"weight": gt.ones(2), "epoch": 3}, file)
    >>> _ = file.seek(0)
    >>> gt.load(file)
    {'weight': tensor([1., 1.]), 'epoch': 3}
    """
    if sharded:
        if not isinstance(f, str | os.PathLike):
            raise TypeError(f"save: a sharded checkpoint needs a path, not {type(f).__name__}")
        importlib.import_module("gt.files.sharded").save(obj, Path(f))
        return
    text, tensors = packed(obj)
    metadata = {"format": "gt", "tree": text}
    if not isinstance(f, str | os.PathLike):
        if not hasattr(f, "write"):
            raise TypeError(f"save: f must be a path or a file, not {type(f).__name__}")
        safetensors.stream(tensors, metadata, f)
        return
    with replaced(Path(f)) as file:
        safetensors.write(tensors, metadata, file)


def load(f: Target, map_location: Any = None, *, weights_only: bool = True, **ignored: Any) -> Any:
    """Reads a file of `save`, of another program's safetensors, or of PyTorch.

    Of PyTorch's files only data is read: tensors, numbers, strings and what holds them. Both values
    of `weights_only` mean that. Where tensors go is the session's matter, whatever `map_location`
    says. Of a folder that was saved with `sharded=True`, tensors are read where they are needed:
    `load_state_dict` takes them, and `tensor()` of one gives all of it.
    """
    if isinstance(f, str | os.PathLike):
        if Path(f).is_dir():
            return importlib.import_module("gt.files.sharded").load(Path(f))
        with Path(f).open("rb") as file:
            return _read(file)
    if not hasattr(f, "read"):
        raise TypeError(f"load: f must be a path or a file, not {type(f).__name__}")
    return _read(f)


def _read(file: IO[bytes]) -> Any:
    file, size = _sized(file)
    begin = file.tell()
    first = file.read(safetensors.LENGTH_BYTES)
    file.seek(begin)
    if first[:4] == b"PK\x03\x04":
        if begin:
            # Places in an archive are counted from its beginning.
            file = io.BytesIO(file.read())
        # What reads PyTorch's files needs modules that `import gt` does without.
        return importlib.import_module("gt.files.pytorch").read(file, size)
    if first[:1] == b"\x80" and not safetensors.has_header(first, size):
        raise DamagedError(
            "gt.load: this is a pickle, which can run code and is not read; PyTorch's files are "
            "zip archives since version 1.6, so save it again with a later one"
        )
    tensors, metadata = safetensors.read(file, size)
    if metadata.get("format") == "gt" and "tree" in metadata:
        return unpacked(metadata["tree"], tensors)
    return tensors


def _sized(file: IO[bytes]) -> tuple[IO[bytes], int]:
    """A file that can go back, and how much of it is left: of a pipe, all of it is read."""
    if isinstance(file, io.IOBase) and file.seekable():
        begin = file.tell()
        size = file.seek(0, os.SEEK_END) - begin
        file.seek(begin)
        return file, size
    data = file.read()
    return io.BytesIO(data), len(data)
