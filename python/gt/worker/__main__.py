"""`python -m gt.worker --host HOST -p 12345` is `gt worker --host HOST -p 12345`."""

from gt.__main__ import main

if __name__ == "__main__":
    main("worker")
