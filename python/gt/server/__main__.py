"""`python -m gt.server -p 12345` is `gt server -p 12345`."""

from gt.__main__ import main

if __name__ == "__main__":
    main("server")
