"""See it run: `python -m gt.scripts.top`, `trace` and `visualize` are `gt top` and so on."""
