"""Checkpoints in several files: safetensors files in a folder, and an index that names them.

The client writes them, and asks the workers for one piece of a tensor after another: workers may be
on hosts that have no folder in common with the program, and write no files for anybody. So no whole
copy of a tensor that is cut is made anywhere, neither when it is saved nor when it is loaded.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.files import safetensors
from gt.files.damage import DamagedError, damaged
from gt.files.place import replaced, synchronise, synchronise_folder
from gt.files.stored import StoredTensor
from gt.files.tree import packed, unpacked

INDEX = "model.safetensors.index.json"
#: A file has tensors of so many bytes, or one that is larger.
SHARD_BYTES = 1 << 30


def save(obj: Any, folder: Path) -> None:
    """Writes an object into a folder. What was there is replaced when everything is written."""
    text, tensors = packed(obj)
    folder.mkdir(parents=True, exist_ok=True)
    before = _named(folder)
    shards = _shards(tensors)
    stamp = os.urandom(4).hex()
    count = len(shards)
    names = [f"model-{stamp}-{n:05}-of-{count:05}.safetensors" for n in range(1, count + 1)]
    written: list[Path] = []
    try:
        for name, shard in zip(names, shards, strict=True):
            written.append(folder / name)
            with written[-1].open("xb") as file:
                safetensors.write(shard, {"format": "gt"}, file)
                synchronise(file)
        size = sum(tensor.nbytes for tensor in tensors.values())
        where = {key: name for name, shard in zip(names, shards, strict=True) for key in shard}
        metadata = {"total_size": size, "format": "gt", "tree": text}
        # The index names files whose names the disk has.
        synchronise_folder(folder)
        with replaced(folder / INDEX) as file:
            file.write(json.dumps({"metadata": metadata, "weight_map": where}).encode())
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    for name in before:
        (folder / name).unlink(missing_ok=True)


def load(folder: Path) -> Any:
    """The object that was saved, with tensors that are read where they are needed."""
    index = _index(folder)
    where, metadata = index["weight_map"], index.get("metadata", {})
    files: dict[str, dict[str, StoredTensor]] = {}
    for name in sorted(set(where.values())):
        files[name] = _stored(folder / name)
    missing = [key for key, name in where.items() if key not in files[name]]
    if missing:
        raise damaged(f"'{missing[0]}' is not in the file that the index names")
    tensors: dict[str, Tensor | StoredTensor] = {}
    tensors.update((key, files[name][key]) for key, name in where.items())
    if metadata.get("format") == "gt" and isinstance(metadata.get("tree"), str):
        return unpacked(metadata["tree"], tensors)
    return tensors


def _named(folder: Path) -> set[str]:
    """The files of the checkpoint that a folder has; others in it are not ours."""
    try:
        return set(_index(folder)["weight_map"].values())
    except (FileNotFoundError, DamagedError):
        return set()


def _shards(tensors: Mapping[str, Tensor]) -> list[dict[str, Tensor]]:
    shards: list[dict[str, Tensor]] = [{}]
    room = SHARD_BYTES
    for name, tensor in tensors.items():
        if shards[-1] and tensor.nbytes > room:
            shards.append({})
            room = SHARD_BYTES
        shards[-1][name] = tensor
        room -= tensor.nbytes
    return shards


def _index(folder: Path) -> dict[str, Any]:
    path = folder / INDEX
    if not path.is_file():
        raise FileNotFoundError(f"gt.load: the folder '{folder}' has no {INDEX}")
    try:
        index: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise damaged(f"the index is not JSON ({error})") from None
    where = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(where, dict):
        raise damaged("the index names no files")
    for name in where.values():
        # A name leads nowhere but into the folder.
        if not isinstance(name, str) or Path(name).name != name or name in ("", ".", ".."):
            raise damaged(f"the index names {name!r}, which is no file of the folder")
    return index


def _stored(path: Path) -> dict[str, StoredTensor]:
    """What a file has, after a look at all of it: its checksum is that of the whole file."""
    if not path.is_file():
        raise damaged(f"'{path.name}' is missing")
    with path.open("rb") as file:
        head, entries, metadata = safetensors.open_head(file, path.stat().st_size)
        check = safetensors.check_of(head, metadata)
        if check is not None:
            while data := file.read(safetensors.READ_BYTES):
                check = zlib.crc32(data, check)
        safetensors.check_end(check, metadata)
    found = {}
    for name, entry in entries.items():
        dtype, shape = safetensors.described(name, entry)
        begin = len(head) + entry["data_offsets"][0]
        found[name] = StoredTensor(path, begin, _gt._dtype(dtype), shape)
    return found
