"""The server: `python -m gt.server` is `gt server`."""
