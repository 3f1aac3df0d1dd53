"""How clients of one worker get along: throughput, fairness, and how long a small client waits.

Clients of equal weight compute at once, each with operations of another size. Then one client
reads small results, alone and beside others that multiply large matrices or flood the worker with
tiny operations. Figures of a machine whose cores are shared with other work mean little.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from cluster import PATIENCE, Cluster, plain_environment  # noqa: E402

# Multiplies square matrices for a while and prints how often. Reads the result before last, so that
# its next products are queued before the ones in progress are done.
PRODUCTS = r"""
import sys, time
import gt
size, seconds = int(sys.argv[1]), float(sys.argv[2])
x = gt.ones(size, size) / size
(x @ x)[0, 0].item()
print("ready", flush=True)
sys.stdin.readline()
count, start, last = 0, time.perf_counter(), x
while time.perf_counter() - start < seconds:
    for _ in range(max(1, 10**8 // size**3)):
        y = x @ x
        count += 1
    last[0, 0].item()
    last = y
print(count, time.perf_counter() - start, flush=True)
"""

# Sends tiny operations as fast as it can, and reads nothing.
FLOOD = r"""
import sys, time
import gt
seconds = float(sys.argv[2])
x = gt.ones(4)
x.numpy()
print("ready", flush=True)
sys.stdin.readline()
count, start = 0, time.perf_counter()
while time.perf_counter() - start < seconds:
    for _ in range(1000):
        x = x + 1
    count += 1000
print(count, time.perf_counter() - start, flush=True)
"""

# Keeps large products under way for as long as it is asked to.
HOG = r"""
import sys, time
import gt
size, seconds = int(sys.argv[1]), float(sys.argv[2])
x = gt.ones(size, size) / size
(x @ x)[0, 0].item()
print("ready", flush=True)
sys.stdin.readline()
count, start, last = 0, time.perf_counter(), None
while time.perf_counter() - start < seconds:
    y = x @ x
    count += 1
    if last is not None:
        last[0, 0].item()
    last = y
print(count, time.perf_counter() - start, flush=True)
"""

# Reads a small result now and then, and says how long each took.
READER = r"""
import sys, time
import gt
seconds = float(sys.argv[2])
x = gt.ones(16, 16)
(x + 1).numpy()
print("ready", flush=True)
sys.stdin.readline()
start, took = time.perf_counter(), []
while time.perf_counter() - start < seconds:
    began = time.perf_counter()
    (x + len(took)).numpy()
    took.append(time.perf_counter() - began)
    time.sleep(0.003)
print(*took, flush=True)
"""


class Client:
    """A program that computes when it is told to."""

    def __init__(self, cluster: Cluster, program: str, size: int, seconds: float):
        self.child = subprocess.Popen(
            [sys.executable, "-c", program, str(size), str(seconds)],
            env=plain_environment(**cluster.variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait(self) -> None:
        assert self.child.stdout.readline() == "ready\n"

    def begin(self) -> None:
        self.child.stdin.write("\n")
        self.child.stdin.flush()

    def end(self, seconds: float) -> list[float]:
        said, _ = self.child.communicate(timeout=seconds + PATIENCE)
        return [float(word) for word in said.split()]


def together(cluster: Cluster, programs: list[tuple[str, int]], seconds: float) -> list:
    """Let programs compute at the same time; give what each has said."""
    clients = [Client(cluster, program, size, seconds) for program, size in programs]
    for client in clients:
        client.wait()
    for client in clients:
        client.begin()
    return [client.end(seconds) for client in clients]


def jain(shares: list[float]) -> float:
    """Give one if everybody has the same, and 1/n if one has everything."""
    return sum(shares) ** 2 / (len(shares) * sum(share * share for share in shares))


def fairness(cluster: Cluster, counts: list[int], sizes: list[int], seconds: float) -> None:
    """Compare what clients get with what each gets alone."""
    alone = {}
    for size in dict.fromkeys(sizes):
        [(count, took)] = together(cluster, [(PRODUCTS, size)], seconds)
        alone[size] = count / took
    print(f"{'clients':>8}{'sum of shares':>16}{'Jain index':>12}   share of what each gets alone")
    for clients in counts:
        mine = [sizes[index % len(sizes)] for index in range(clients)]
        said = together(cluster, [(PRODUCTS, size) for size in mine], seconds)
        shares = [
            count / took / alone[size] for (count, took), size in zip(said, mine, strict=True)
        ]
        each = " ".join(f"{size}³: {share:.2f}" for size, share in zip(mine, shares, strict=True))
        print(f"{clients:>8}{sum(shares):>16.2f}{jain(shares):>12.3f}   {each}", flush=True)


def latency(cluster: Cluster, hog: int, seconds: float) -> None:
    """Measure how long small reads take beside others."""
    print(f"{'beside':>24}{'reads':>8}{'p50 ms':>10}{'p99 ms':>10}{'worst ms':>10}")
    for name, others in [
        ("nobody", []),
        (f"1 hog of {hog}³", [(HOG, hog)]),
        (f"3 hogs of {hog}³", [(HOG, hog)] * 3),
        ("1 flood", [(FLOOD, 0)]),
        ("4 floods", [(FLOOD, 0)] * 4),
    ]:
        # The reader is told to begin last, and the others go on for longer.
        readers = Client(cluster, READER, 0, seconds)
        rest = [Client(cluster, program, size, seconds + 1) for program, size in others]
        for client in [readers, *rest]:
            client.wait()
        for client in [*rest, readers]:
            client.begin()
        took = sorted(second * 1e3 for second in readers.end(seconds))
        for client in rest:
            client.end(seconds + 1)
        p50, p99 = took[len(took) // 2], took[int(len(took) * 0.99)]
        print(f"{name:>24}{len(took):>8}{p50:>10.2f}{p99:>10.2f}{took[-1]:>10.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--hog", type=int, default=2048, help="the size of a hog's matrices")
    parser.add_argument("--quick", action="store_true", help="one short round of each")
    args = parser.parse_args()
    if args.quick:
        args.clients, args.seconds, args.hog = [1, 2], 1.0, 1024
    print(f"load before: {os.getloadavg()[0]:.1f}", flush=True)
    start = time.perf_counter()
    with Cluster(workers=1) as cluster:
        fairness(cluster, args.clients, [128, 1024, 256, 512], args.seconds)
        latency(cluster, args.hog, args.seconds)
    print(f"took {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
