"""The command `gt`, also as `python -m gt`: it runs in Rust."""

import signal
import sys

from gt import _gt


def main(*words: str) -> None:
    """Run the command that `words` and the command line make up, and exit."""
    # Ctrl-C asks the command to end tidily, and is no exception in Python afterwards.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_gt._main(["gt", *words, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
