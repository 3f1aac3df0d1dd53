"""The timeline as a page, in a real browser: it is drawn, zoomed, moved and searched."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from chromium import chromium, complaints, points, screenshot
from cluster import plain_environment
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.embedded("the program has a process of its own")

# Work of several kinds on two workers, in signals, with a failure and values that travel.
PROGRAM = """
import gt
gt.workers(2)
shard = gt.ShardConfig(axis=0, workers=[0, 1])
gt.register_config("forward", gt.SignalConfig(shard=shard))
w = gt.randn(300, 300)
for _ in range(4):
    with gt.signal.context("forward"):
        x = gt.from_numpy(gt.randn(400, 300).numpy())
        x = (x @ w).relu() @ w
    x.sum().item()
    # Long enough for a place of its own in the picture.
    gt.randn(1500, 1500).exp()[0, 0].item()
    try:
        gt.ones(3).gather(0, gt.tensor([5])).tolist()
    except (IndexError, RuntimeError):
        pass
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    """Give the page of a program's log."""
    folder = tmp_path_factory.mktemp("timeline")
    log, output = folder / "ops.log", folder / "timeline.html"
    environment = plain_environment(GT_INSTRUCTION_LOG=str(log))
    subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True)
    command = [sys.executable, "-m", "gt", "visualize", str(log), "--output", str(output)]
    subprocess.run(command, check=True, capture_output=True)
    return output


@pytest.fixture
def browser(page, tmp_path):
    """Give a browser that shows the page."""
    with chromium(tmp_path) as one:
        one.get(page.as_uri())
        yield one


def data_of(page: Path) -> dict:
    """Give what the page draws."""
    text = re.search(r"^const data = (.*);$", page.read_text(), re.M)[1]
    return json.loads(text.replace("<\\/", "</"))


def shown(browser) -> tuple[float, float]:
    """Give the time that the page shows, from its beginning to its end."""
    return tuple(browser.execute_script("return [from, to]"))


def test_a_page_draws_the_timeline_and_asks_nobody_else(browser, page, tmp_path):
    data = data_of(page)
    kinds = dict(data["kinds"])
    used = {data["kinds"][span[3]][0] for span in data["spans"]}
    assert {"matmul", "elementwise"} <= used
    screenshot(browser, tmp_path, "timeline")
    # However short something is, it can be seen; what has failed is red.
    for kind in used & {"matmul", "elementwise", "reduction"}:
        assert points(browser, "view", kinds[kind]) > 0, kind
    assert sum(span[7] for span in data["spans"]) > 0
    assert points(browser, "view", "#b00020") > 0
    assert {data["labels"][band[2]] for band in data["bands"]} == {"forward"}
    about = browser.find_element(By.ID, "about").text
    assert f"{data['events']} events · 1 session · 2 workers" in about
    names = [key.text for key in browser.find_elements(By.CSS_SELECTOR, "#legend .key")]
    assert names == [*kinds, "failed"]
    assert complaints(browser) == []
    entries = "return performance.getEntriesByType('resource').map(entry => entry.name)"
    assert browser.execute_script(entries) == []


def test_a_page_is_zoomed_at_the_pointer_and_moved(browser, tmp_path):
    whole = shown(browser)
    view = browser.find_element(By.ID, "view")
    at = view.size["width"] // 4
    pointed = browser.execute_script("return ns(arguments[0])", view.size["width"] // 2 + at)
    origin = ScrollOrigin.from_element(view, at, 0)
    for _ in range(8):
        ActionChains(browser).scroll_from_origin(origin, 0, -100).perform()
    near = shown(browser)
    length = near[1] - near[0]
    assert length == pytest.approx((whole[1] - whole[0]) * 0.8**8)
    still = browser.execute_script("return ns(arguments[0])", view.size["width"] // 2 + at)
    assert still == pytest.approx(pointed, rel=0.01)
    ActionChains(browser).move_to_element(view).click_and_hold().move_by_offset(
        200, 0
    ).release().perform()
    moved = shown(browser)
    assert moved[1] - moved[0] == pytest.approx(length)
    assert moved[0] < near[0]
    screenshot(browser, tmp_path, "zoomed")
    # Nobody leaves the time that there is, nor zooms without end.
    for _ in range(40):
        ActionChains(browser).scroll_from_origin(origin, 0, 100).perform()
    assert shown(browser) == whole
    zoom = "canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -1, clientX: 600, clientY: 99}))"
    browser.execute_script(f"for (let n = 0; n < 500; n++) {zoom}")
    start, end = shown(browser)
    assert 0 <= start < end <= whole[1]
    ActionChains(browser).double_click(view).perform()
    assert shown(browser) == whole
    assert complaints(browser) == []


def test_a_page_finds_operations_and_instructions(browser, page, tmp_path):
    data = data_of(page)
    find, found = browser.find_element(By.ID, "find"), browser.find_element(By.ID, "found")
    kinds = dict(data["kinds"])
    elementwise = points(browser, "view", kinds["elementwise"])
    products = [span for span in data["spans"] if data["labels"][span[4]] == "matmul"]
    find.send_keys("matmul")
    assert found.text == f"{len(products)} found"
    # What is not meant fades.
    assert points(browser, "view", kinds["matmul"]) > 0
    assert points(browser, "view", kinds["elementwise"]) < elementwise
    screenshot(browser, tmp_path, "found")
    find.clear()
    number = products[0][5]
    find.send_keys(f"#{number}")
    same = sum(span[5] == number for span in data["spans"])
    assert found.text == f"{same} found"
    find.send_keys(Keys.ENTER)
    start, end = shown(browser)
    assert start <= products[0][0] <= end
    assert end - start < data["length"] / 2
    screenshot(browser, tmp_path, "near")
    find.clear()
    find.send_keys("nothing of the kind")
    assert found.text == "0 found"
    assert complaints(browser) == []


def test_a_page_tells_what_is_under_the_pointer(browser, page):
    data = data_of(page)
    start, took, lane, _, label, number, *_ = max(data["spans"], key=lambda span: span[1])
    place = "return [x(arguments[0]), workerY(arguments[1]) + WORKER / 2]"
    x, y = browser.execute_script(place, start + took / 2, lane)
    view = browser.find_element(By.ID, "view")
    size = view.size
    ActionChains(browser).move_to_element_with_offset(
        view, int(x - size["width"] / 2), int(y - size["height"] / 2)
    ).perform()
    tip = browser.find_element(By.ID, "tip")
    assert tip.is_displayed()
    assert tip.text.startswith(f"{data['labels'][label]}  #{number}")
    assert f"on {data['workers'][lane]}" in tip.text
