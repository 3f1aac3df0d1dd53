"""`python -m gt.scripts.top` is `gt top`: who works on what, live."""

from gt.__main__ import main

if __name__ == "__main__":
    main("top")
