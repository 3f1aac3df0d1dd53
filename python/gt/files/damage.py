"""The error for files that are not what they should be."""

from __future__ import annotations

# An error says what is wrong, and does not repeat the file.
LONGEST_ERROR = 300


class DamagedError(RuntimeError):
    """A file that is not what it should be."""


def damaged(what: str) -> DamagedError:
    """The error for a file that is not what it should be."""
    if len(what) > LONGEST_ERROR:
        what = f"{what[:LONGEST_ERROR]} …"
    return DamagedError(f"gt.load: the file is damaged or of another kind: {what}")
