"""Whether there is a GPU of Apple's."""


def is_available() -> bool:
    """Never."""
    return False


def is_built() -> bool:
    """Never."""
    return False
