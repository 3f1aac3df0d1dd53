"""Groups of processes, which GT does not need: one program has all workers."""

from gt.absent import refusals

__getattr__ = refusals(
    "gt.distributed",
    "one program uses all workers of its session: start `gt worker` once per device and write the "
    "program as if for one, without ranks",
)


def is_available() -> bool:
    """Whether there are groups of processes: never.

    >>> import gt
    >>> gt.distributed.is_available()
    False
    """
    return False


def is_initialized() -> bool:
    """Whether this process belongs to a group: never."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether a launcher of PyTorch's started this process: never."""
    return False
