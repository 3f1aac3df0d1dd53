"""A worker: `python -m gt.worker` is `gt worker`."""
