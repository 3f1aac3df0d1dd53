"""A real browser that shows its pages to nobody, for tests of what people see."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--disable-dev-shm-usage --window-size=1280,1500"
)

# How many points of a canvas have a colour. A copy is read: browsers complain about a canvas that
# is read several times and was not made for that.
POINTS = """
const canvas = document.getElementById(arguments[0]), copy = document.createElement("canvas");
[copy.width, copy.height] = [canvas.width, canvas.height];
const pen = copy.getContext("2d", { willReadFrequently: true });
pen.drawImage(canvas, 0, 0);
const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
let found = 0;
for (let i = 0; i < data.length; i += 4)
  found += ((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]) === arguments[1];
return found;
"""


@contextlib.contextmanager
def chromium(folder: Path) -> Iterator[webdriver.Chrome]:
    """Give a browser, which keeps what it knows in a folder."""
    if not (CHROMIUM and DRIVER):
        missing = "chromium and chromedriver are not installed"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in [*FLAGS.split(), f"--user-data-dir={folder}/profile"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield browser
    finally:
        browser.quit()


def points(browser: webdriver.Chrome, canvas: str, colour: str) -> int:
    """Give how many points of a canvas have a colour, such as `#3b6fb6`."""
    return browser.execute_script(POINTS, canvas, int(colour[1:], 16))


def complaints(browser: webdriver.Chrome) -> list[str]:
    """Give what the browser has complained about."""
    return [line["message"] for line in browser.get_log("browser")]


def screenshot(browser: webdriver.Chrome, folder: Path, name: str) -> None:
    """Keep what the browser shows, where `SCREENSHOTS` says if it is set."""
    browser.save_screenshot(str(Path(os.environ.get("SCREENSHOTS", folder)) / f"{name}.png"))
