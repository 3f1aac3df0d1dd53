"""See it run: `python -m gt.scripts.{top,trace,visualize}` are `gt top`, `gt trace`, `gt visualize`."""
