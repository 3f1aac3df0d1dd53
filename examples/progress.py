"""A progress bar for the examples."""

import shutil
import sys
import time


class Bar:
    """A line that fills as work is done; where there is no terminal, a few plain lines."""

    def __init__(self, title: str, total: int):
        self.title, self.total = title, total
        self.terminal = sys.stdout.isatty()
        self.start = time.perf_counter()
        self.shown = 0

    def show(self, done: int, note: str) -> None:
        """Draw the bar with `done` of its steps filled."""
        seconds = time.perf_counter() - self.start
        share = done / self.total
        text = f"{self.title:<10} {self.drawing(share)} {share:4.0%}  {seconds:6.1f} s  {note}"
        if self.terminal:
            columns = shutil.get_terminal_size().columns
            end = "\n" if done == self.total else ""
            print(f"\r{text[: columns - 1]:<{columns - 1}}", end=end, flush=True)
        elif share * 4 >= self.shown + 1:
            self.shown = int(share * 4)
            print(text, flush=True)

    def drawing(self, share: float, width: int = 28) -> str:
        """Draw the bar in eighths of a character, as far as the terminal knows them."""
        encoding = (sys.stdout.encoding or "ascii").lower()
        if not encoding.startswith("utf"):
            return f"[{'#' * round(share * width):<{width}}]"
        whole, part = divmod(round(share * width * 8), 8)
        return f"▕{'█' * whole + ' ▏▎▍▌▋▊▉'[part] * (part > 0):<{width}}▏"
