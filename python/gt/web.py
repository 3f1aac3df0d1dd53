"""The web page that shows a session while it runs."""

from __future__ import annotations

import os
import sys
import webbrowser

from gt import _gt

__all__ = ["dashboard"]


def dashboard(port: int = 0, *, browser: bool = True) -> str:
    """Serve a page that shows the session of this process live, and give its address.

    Only this host can reach it, and only whoever has the token in the address can open it. A
    browser opens it if there is one and a screen, unless `browser` is false. The page ends with the
    session. Without a `port` a free one is taken.

    >>> import gt
    >>> gt.dashboard(browser=False).startswith("http://127.0.0.1:")
    True
    """
    url = _gt._dashboard(port)
    if browser and _has_screen():
        _open(url)
    return url


def _has_screen() -> bool:
    is_desktop = sys.platform in ("darwin", "win32")
    return is_desktop or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open(url: str) -> None:
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return
    # A browser inside the terminal would take it away from the program.
    if type(found) is not webbrowser.GenericBrowser and getattr(found, "background", True):
        found.open(url)
