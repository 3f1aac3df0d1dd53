"""`python -m gt.scripts.trace -s 2 --dir traces/` is `gt trace -s 2 --dir traces/`."""

from gt.__main__ import main

if __name__ == "__main__":
    main("trace")
