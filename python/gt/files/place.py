"""Files that appear whole or not at all, also after the power was cut."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """A temporary file that takes the place of another one when everything is written.

    If it cannot be written, what was there stays.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        with draft.open("xb") as file:
            yield file
            synchronise(file)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    synchronise_folder(path.parent)


def synchronise(file: IO[bytes]) -> None:
    """Returns when the disk has what was written."""
    file.flush()
    os.fsync(file.fileno())


def synchronise_folder(folder: Path) -> None:
    """Returns when the disk has the names of files in a folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
