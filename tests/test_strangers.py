"""Frames of strangers, random and mutated, while a client trains: nobody is harmed by them."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zmq
from cluster import PATIENCE, Cluster, plain_environment
from wire import ASIDE, HEADER, INQUIRE, VERSION, key_dealer

pytestmark = pytest.mark.embedded("has a server of its own")

CORPUS = Path(__file__).parent.parent / "fuzz" / "corpus" / "channel"
# So many frames are sent before the server has to answer something.
BURST = 250
MIB = 1 << 20

# It trains until it is told to end, and prints the sum of its losses after so many steps.
TRAINING = """
import sys, threading
import gt
from gt import nn
gt.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 30), nn.Tanh(), nn.Linear(30, 1))
optimizer = gt.optim.Adam(model.parameters(), lr=0.01)
data, target = gt.randn(64, 20), gt.randn(64, 1)
over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), over.set()), daemon=True).start()
steps, last = 0, None
while not over.is_set() or steps < 50:
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(data), target)
    loss.backward()
    optimizer.step()
    last = loss.item()
    steps += 1
    if steps == 50:
        print(last, flush=True)
print(steps, flush=True)
"""


def messages() -> list[list[bytes]]:
    """Give the messages of the corpus, in the parts in which they travel."""
    found = []
    for path in sorted(CORPUS.glob("*.bin")):
        data, parts = path.read_bytes(), []
        while data:
            length = int.from_bytes(data[:2], "little")
            parts.append(data[2 : 2 + length])
            data = data[2 + length :]
        found += [parts[:2], parts[2:]]
    assert len(found) > 20
    return found


def strange(rng: np.random.Generator, corpus: list[list[bytes]]) -> list[bytes]:
    """Give a message that is broken somewhere: random, of another, out of order, or too much."""
    kind = int(rng.integers(0, 10))
    if kind == 0:
        return [rng.bytes(int(rng.integers(0, 300))) for _ in range(int(rng.integers(1, 5)))]
    number, head = corpus[int(rng.integers(0, len(corpus)))]
    head = bytearray(head)
    if kind < 7:
        # The header stays, or nothing behind it would ever be tried.
        for _ in range(int(rng.integers(1, 4))):
            if len(head) > HEADER.size:
                head[int(rng.integers(HEADER.size, len(head)))] ^= 1 << int(rng.integers(0, 8))
    elif kind == 7:
        del head[int(rng.integers(0, len(head) + 1)) :]
    elif kind == 8:
        head += rng.bytes(int(rng.integers(1, 100)))
    if int(rng.integers(0, 4)) == 0:
        number = int(rng.integers(0, 5)).to_bytes(8, "little")
    return [number, bytes(head), *[b"x" * 100] * int(rng.integers(0, 10) == 0)]


def answered(peer: zmq.Socket) -> bool:
    """Whether the server still answers this peer; whatever else it says is passed over."""
    peer.send_multipart([ASIDE, HEADER.pack(b"GTmx", *VERSION, INQUIRE, 0, 0)])
    while True:
        try:
            head = peer.recv_multipart()[1]
        except zmq.Again:
            return False
        if HEADER.unpack(head[: HEADER.size])[3] == INQUIRE + 1:
            return True


def resident(pid: int) -> int:
    """Give the bytes that a process has in memory."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+) kB", text, re.M)[1]) << 10


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(workers=2, tcp=True) as cluster:
        yield cluster


@pytest.mark.parametrize(
    "count", [20_000, pytest.param(1_000_000, marks=[pytest.mark.soak, pytest.mark.timeout(0)])]
)
def test_a_client_trains_while_strangers_send_frames(cluster, count, script):
    corpus, rng = messages(), np.random.default_rng(count)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = plain_environment(**cluster.variables)
    child = subprocess.Popen([sys.executable, "-c", TRAINING], env=environment, **pipes)
    # They have keys of clients: whoever has none does not get so far.
    strangers = [key_dealer(cluster, f"stranger{number}") for number in range(2)]
    watched = [cluster.server.child.pid, *(worker.child.pid for worker in cluster.workers)]
    before, sent, unanswered = None, 0, 0
    while sent < count:
        for _ in range(BURST):
            strangers[int(rng.integers(0, 2))].send_multipart(strange(rng, corpus))
        sent += BURST
        unanswered += sum(not answered(peer) for peer in strangers)
        if before is None and sent >= count // 10:
            before = [resident(pid) for pid in watched]
    after = [resident(pid) for pid in watched]
    for peer in strangers:
        peer.close()
    said, _ = child.communicate("\n", timeout=PATIENCE)
    assert child.returncode == 0
    assert [process.child.poll() for process in [cluster.server, *cluster.workers]] == [None] * 3
    grown = [(late - early) / MIB for early, late in zip(before, after, strict=True)]
    assert max(grown) < 64, grown
    # Nobody was kept waiting for long, and the numbers are those of a program alone.
    assert unanswered < sent / BURST / 10
    loss, steps = said.split()
    alone = script(TRAINING.replace("not over.is_set() or ", ""))
    assert float(loss) == pytest.approx(float(alone.split()[0]), rel=1e-5)
    assert int(steps) >= 50
    refused = cluster.status().stdout
    assert int(re.search(r'"refused": (\d+)', refused)[1]) > count // 10
