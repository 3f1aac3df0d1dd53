"""Metrics, health and the web page, as Prometheus, scripts and a browser see them."""

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import gt
import pytest
from chromium import chromium, complaints, points, screenshot
from cluster import Cluster, Process, plain_environment
from gt import web
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from selenium import webdriver
from selenium.webdriver.common.by import By

pytestmark = pytest.mark.embedded("each test says where GT runs")

# It has a value that is cut over two workers, fails now and then, and computes until it is ended.
BUSY = """
import gt
gt.workers(2)
shard = gt.ShardConfig(axis=0, workers=[0, 1])
gt.register_config("forward", gt.SignalConfig(shard=shard))
with gt.signal.context("forward"):
    cut = gt.ones(400, 300)
    cut.sum().item()
print(gt.dashboard(browser=False), flush=True)
a, b = gt.randn(200, 200), gt.randn(200, 200)
while True:
    try:
        gt.ones(3).gather(0, gt.tensor([5])).tolist()
    except (IndexError, RuntimeError):
        pass
    x = a
    for _ in range(20): x = (x @ b).relu() * 0.01
    with gt.signal.context("forward"):
        (cut * 2).sum().item()
    x.sum().item()
"""


class Page:
    """The HTTP of a dispatcher."""

    def __init__(self, url: str):
        self.url, self.at = url, urlsplit(url)
        self.token = self.at.query.removeprefix("token=")

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str, dict]:
        """Ask for something, and give status, text and headers."""
        connection = http.client.HTTPConnection(self.at.hostname, self.at.port, timeout=30)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, dict(answer.headers)

    def state(self) -> dict:
        """Give what the page shows."""
        status, text, _ = self.ask("/state.json", Authorization=f"Bearer {self.token}")
        assert status == 200, text
        return json.loads(text)

    def metrics(self) -> dict[str, float]:
        """Give all series and their values, as Prometheus reads them."""
        status, text, headers = self.ask("/metrics")
        assert status == 200, text
        assert headers["content-type"].startswith("application/openmetrics-text")
        families = text_string_to_metric_families(text)
        samples = [sample for family in families for sample in family.samples]
        names = [sample.name + str(sorted(sample.labels.items())) for sample in samples]
        assert len(names) == len(set(names)), "a series is there twice"
        return {name: sample.value for name, sample in zip(names, samples, strict=True)}

    def total(self, name: str, **labels: str) -> float:
        """Give the sum of the series of a name that have these labels."""
        parts = [str(item) for item in labels.items()]
        series = self.metrics().items()
        return sum(
            value
            for key, value in series
            if key.startswith(name + "[") and all(part in key for part in parts)
        )


def wait_for(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it does not come to hold"
        time.sleep(0.05)


def page_of(cluster: Cluster) -> Page:
    """Give the page of a server that was started with one."""
    return Page(cluster.server.expect(r"http://\S+/\?token=\w+")[0].strip())


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[tuple[Cluster, Page, Path]]:
    """Give a server with two workers, its page and its log."""
    log = tmp_path_factory.mktemp("web") / "server.log"
    arguments = ("--metrics-port", "0", "--log", str(log))
    with Cluster(*arguments) as cluster:
        page = page_of(cluster)
        # Everything that happens is seen from here on.
        wait_for(lambda: page.ask("/healthz")[0] == 200)
        for _ in range(2):
            cluster.add_worker()
        wait_for(lambda: page.total("gt_workers") == 2)
        yield cluster, page, log


@pytest.fixture
def program(tmp_path) -> Iterator[tuple[subprocess.Popen, Page]]:
    """Give a program that computes, and its page."""
    environment = plain_environment(GT_RUNTIME_DIR=f"/tmp/gt-web-{os.getpid()}")
    path = tmp_path / "busy.py"
    path.write_text(BUSY)
    command = [sys.executable, str(path)]
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        yield child, Page(child.stdout.readline().strip())
    finally:
        child.kill()
        child.communicate()
        shutil.rmtree(environment["GT_RUNTIME_DIR"], ignore_errors=True)


def test_idle_connections_do_not_delay_a_probe(server):
    """Connections that send nothing give way to those that do."""
    _, page, _ = server
    idle = [socket.create_connection((page.at.hostname, page.at.port)) for _ in range(64)]
    begin = time.monotonic()
    for _ in range(3):
        assert page.ask("/healthz")[0] == 200
    # Half of what a connection that is waited for may take, three times.
    assert time.monotonic() - begin < 4
    for connection in idle:
        connection.close()


def test_metrics_agree_with_the_log_to_the_event(server, script):
    cluster, page, log = server
    for _ in range(2):
        script(
            "import gt\na = gt.randn(50, 50)\nfor _ in range(200): a = (a @ a).relu() * 0.01\n"
            "a.numpy(); a.sum().item()",
            **cluster.variables,
        )

    def lines() -> list[str]:
        return log.read_text().splitlines()

    gone = re.compile(r"\| DISCONNECT +\| CLIENT")
    wait_for(lambda: sum(bool(gone.search(line)) for line in lines()) >= 2)
    wait_for(lambda: page.total("gt_events_total") == len(lines()))
    found = lines()
    names = {
        "gt_commands_received_total": r"\| RECV ",
        "gt_commands_sent_total": r"\| WORKER_SEND ",
        "gt_commands_done_total": r"\| WORKER_RECV ",
        "gt_answers_total": r"\| SEND ",
    }
    for name, pattern in names.items():
        # Frees that were sent together are one line, which says how many there are.
        count = re.compile(rf"{pattern}(?:.* commands=(\d+) )?")
        counts = (match for line in found if (match := count.search(line)))
        logged = sum(int(match[1] or 1) for match in counts)
        assert page.total(name) == logged > 0, name
    products = sum("WORKER_RECV" in line and "op=matmul" in line for line in found)
    assert page.total("gt_commands_done_total", kind="matmul") == products == 400
    took = [line for line in found if "WORKER_RECV" in line and "op=matmul" in line]
    seconds = sum(int(re.search(r"took_ns=(\d+)", line)[1]) for line in took) / 1e9
    assert page.total("gt_busy_seconds_total", kind="matmul") == pytest.approx(seconds)
    # Every read is answered, also those whose elements come straight from a worker.
    reads = sum("| RECV " in line and " read " in line for line in found)
    assert page.total("gt_answer_wait_seconds_count") == reads
    assert page.total("gt_answers_total") == reads > 0
    assert page.total("gt_events_lost_total") == 0
    assert page.state()["events"] == len(found)


def test_metrics_agree_with_top(server):
    cluster, page, _ = server
    command = [sys.executable, "-m", "gt", "top", "--once", "--json"]
    environment = plain_environment(**cluster.environment)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    shown, workers = json.loads(done.stdout)["workers"], page.state()["workers"]
    assert [one["name"] for one in workers] == [one["name"] for one in shown]
    limits = {one["memory_limit_bytes"] for one in shown}
    assert page.total("gt_worker_memory_limit_bytes") == sum(limits) * len(shown)
    assert page.total("gt_workers") == len(shown) == 2


def test_series_do_not_grow_with_sessions(server, script):
    cluster, page, _ = server
    code = "import gt\nfor _ in range(30):\n  with gt.connect(new=True): gt.ones(3).sum().item()"
    script(code, **cluster.variables)
    wait_for(lambda: page.total("gt_sessions") == 0)
    before = set(page.metrics())
    script(code, **cluster.variables)
    wait_for(lambda: page.total("gt_sessions") == 0)
    # A worker that had none of a kind of work may have had some meanwhile.
    by_worker = ("gt_commands_done_total[", "gt_busy_seconds_total[")
    more = set(page.metrics()) - before
    assert [series for series in more if not series.startswith(by_worker)] == []
    assert len(page.metrics()) < 250


def test_only_whoever_has_the_token_sees_the_page(server):
    _, page, _ = server
    other = "0" * len(page.token)
    for path in ("/", "/state.json", f"/?token={other}", "/?token=", "/anything"):
        assert page.ask(path)[0] == 401, path
    for headers in (
        {"Authorization": f"Bearer {other}"},
        {"Authorization": page.token},
        {"Cookie": f"gt_1={page.token}"},
    ):
        assert page.ask("/state.json", **headers)[0] == 401
    status, _, headers = page.ask(f"/?token={page.token}")
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite" in cookie
    status, text, headers = page.ask("/", Cookie=cookie.split(";")[0])
    assert status == 200
    assert "<title>GT</title>" in text
    assert page.token not in text
    assert "default-src 'none'" in headers["content-security-policy"]
    assert page.ask("/other", Cookie=cookie.split(";")[0])[0] == 404


def test_names_of_other_hosts_lead_nowhere(server):
    _, page, _ = server
    for path in ("/metrics", "/healthz", f"/?token={page.token}", "/state.json"):
        bearer = f"Bearer {page.token}"
        assert page.ask(path, Host="evil.example", Authorization=bearer)[0] == 421, path
    assert page.ask("/metrics", Host=f"localhost:{page.at.port}")[0] == 200


def test_nothing_can_be_changed(server):
    _, page, _ = server
    bearer = f"Bearer {page.token}"
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"):
        status, _, headers = page.ask("/state.json", method, Authorization=bearer)
        assert (status, headers["allow"]) == (405, "GET"), method


def test_whoever_says_too_much_or_nothing_holds_up_nobody(server):
    _, page, _ = server
    place = (page.at.hostname, page.at.port)
    silent = [socket.create_connection(place, timeout=30) for _ in range(20)]
    for one in silent[:10]:
        one.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ")
    start = time.monotonic()
    assert page.ask("/healthz")[0] == 200
    assert time.monotonic() - start < 4
    with socket.create_connection(place, timeout=30) as large:
        line = b"X-Long: " + b"x" * 4000 + b"\r\n"
        try:
            large.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + line * 30)
            answer = large.recv(100)
        except ConnectionError:
            answer = b""
    assert answer == b"" or b" 431 " in answer
    # They are closed by the server, some with a word of complaint, some to make room.
    for one in silent:
        with contextlib.suppress(ConnectionResetError):
            while one.recv(1000):
                pass
        one.close()
    assert page.ask("/healthz")[0] == 200


def test_a_place_that_cannot_be_served_is_an_error(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        arguments = ("-p", "0", "--metrics-port", str(port))
        environment = {"GT_RUNTIME_DIR": str(tmp_path / "run")}
        server = Process("gt.server", *arguments, **environment)
        server.expect(f"port {port} of 127.0.0.1 cannot be served")
        assert server.end() == 1


def test_the_page_of_a_program_tells_of_its_values_and_errors(program):
    child, page = program
    wait_for(lambda: page.state()["values"])
    wait_for(lambda: page.state()["workers"][0]["busy"] > 0)
    state = page.state()
    assert state["source"] == f"process {child.pid}"
    cut = next(one for one in state["values"]["list"] if one["shape"] == [400, 300])
    (mesh,) = cut["meshes"]
    assert mesh["layout"] == "shard(0)"
    assert [part["cuts"] for part in mesh["parts"]] == [
        [[0, 1, 400, 0, 200]],
        [[0, 1, 400, 200, 400]],
    ]
    assert page.total("gt_workers") == 2
    child.kill()
    with pytest.raises(OSError, match=r".*"):
        page.ask("/healthz")


def test_a_page_ends_with_its_session(script):
    """Another session has another page; one that is asked for twice is the same."""
    said = script(
        """
        import time, urllib.request, gt
        first = gt.dashboard(browser=False)
        assert gt.dashboard(browser=False) == first
        assert urllib.request.urlopen(first.split("?")[0] + "metrics").status == 200
        gt.disconnect()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(first.split("?")[0] + "healthz")
            except OSError as error:
                if not hasattr(error, "code"):
                    break
        print("ended", gt.dashboard(browser=False) != first)
        """
    )
    assert said.strip() == "ended True"


def test_a_session_that_cannot_be_watched_says_why(script, server):
    code = "import gt\ntry: gt.dashboard(browser=False)\nexcept RuntimeError as error: print(error)"
    assert "GT_MONITOR=0" in script(code, GT_MONITOR="0")
    assert "gt server --metrics-port" in script(code, **server[0].variables)


def test_a_browser_is_opened_only_beside_the_terminal(monkeypatch):
    opened = []

    class Beside(webbrowser.BackgroundBrowser):
        def open(self, url, new=0, autoraise=True):
            opened.append(url)
            return True

    class Inside(webbrowser.GenericBrowser):
        open = Beside.open

    monkeypatch.setattr(webbrowser, "GenericBrowser", Inside)
    monkeypatch.setattr(webbrowser, "get", lambda: Beside("browser"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    gt.dashboard()
    assert opened == []
    monkeypatch.setenv("DISPLAY", ":7")
    url = gt.dashboard()
    assert opened == [url]
    monkeypatch.setattr(webbrowser, "get", lambda: Inside("w3m"))
    assert gt.dashboard() == url
    assert opened == [url]
    gt.dashboard(browser=False)
    assert web.dashboard is gt.dashboard


@pytest.fixture
def browser(tmp_path) -> Iterator[webdriver.Chrome]:
    """Give a browser that shows its pages to nobody."""
    with chromium(tmp_path) as one:
        yield one


def text_of(browser: webdriver.Chrome, place: str) -> str:
    """Give what a part of the page says."""
    return browser.execute_script("return document.querySelector(arguments[0]).innerText", place)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_the_page(program, browser, scheme, tmp_path):
    child, page = program
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(page.url)
    assert browser.current_url == f"http://{page.at.netloc}/"
    wait_for(lambda: text_of(browser, "#link") == "live")
    assert text_of(browser, "#source") == f"process {child.pid}"
    wait_for(lambda: browser.find_elements(By.CSS_SELECTOR, "#workers [data-kind=matmul]"))
    wait_for(lambda: browser.find_element(By.ID, "timeline").get_attribute("data-busy") == "2")
    assert len(browser.find_elements(By.CSS_SELECTOR, "#workers tr[data-worker]")) == 2
    assert f"process {child.pid}" in text_of(browser, "#sessions tr[data-session]")
    wait_for(lambda: "gather: index 5 is out of bounds" in text_of(browser, "#errors"))
    # The cut value is drawn on both workers, each with its half.
    rows = "[...document.querySelectorAll('#values tr')]"
    row = f"{rows}.find(row => row.innerText.includes('[400, 300]'))"
    wait_for(lambda: browser.execute_script(f"return !!{row}"))
    parts = browser.execute_script(
        f"return [...{row}.querySelectorAll('.part[data-worker]')].map(part => part.title)"
    )
    assert parts == ["w0: axis 0, 0 to 200 of 400", "w1: axis 0, 200 to 400 of 400"]
    colour = next(kind["colour"] for kind in page.state()["kinds"] if kind["name"] == "matmul")
    assert points(browser, "timeline", colour) > 20, "no product in the timeline"
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    brightness = int(re.search(r"\d+", ground)[0])
    assert (brightness > 128) == (scheme == "light")
    # Nothing was refused by the page's own policy, and nothing came from elsewhere.
    assert complaints(browser) == []
    sources = browser.execute_script(
        "return performance.getEntriesByType('resource').map(entry => new URL(entry.name).host)"
    )
    assert set(sources) == {page.at.netloc}
    screenshot(browser, tmp_path, scheme)
    child.kill()
    wait_for(lambda: text_of(browser, "#link").startswith("no answer"))
