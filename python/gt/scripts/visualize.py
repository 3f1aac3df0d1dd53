"""`python -m gt.scripts.visualize ops.log --output timeline.png` is `gt visualize …`."""

from gt.__main__ import main

if __name__ == "__main__":
    main("visualize")
