"""What processes cost: reads, training steps and data, beside the same inside of one process."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from cluster import Cluster, plain_environment  # noqa: E402

# Runs in a process of its own and prints its figures.
MEASURE = r"""
import json, statistics, time
import numpy as np
import gt
from gt import nn

def median(run, times):
    took = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        took.append(time.perf_counter() - start)
    return statistics.median(took)

x = gt.ones(16)
def read():
    (x + 1).sum().item()
median(read, 200)
figures = {"read, µs": median(read, 2000) * 1e6}

def step(model, batch, width, reads):
    data, target = gt.randn(batch, width), gt.randint(0, 10, (batch,))
    optimizer = gt.optim.SGD(model.parameters(), lr=0.01)
    def run():
        for number in range(reads):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(data), target)
            loss.backward()
            optimizer.step()
        loss.item()
    run()
    return lambda: run()

small = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
large = nn.Sequential(
    nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 10))
figures["small MLP, 10 steps and a read, ms"] = median(step(small, 64, 784, 10), 30) * 1e3
figures["large MLP step, ms"] = median(step(large, 256, 1024, 1), 7) * 1e3

host = np.ones(25_000_000, dtype=np.float32)
def upload():
    global tensor
    tensor = gt.from_numpy(host)
    gt.synchronize()
upload()
figures["upload 100 MB, GB/s"] = 0.1 / median(upload, 9)
figures["download 100 MB, GB/s"] = 0.1 / median(lambda: tensor.numpy(), 9)
kept = []
figures["the same, arrays kept, GB/s"] = 0.1 / median(lambda: kept.append(tensor.numpy()), 9)
print(json.dumps(figures))
"""

# One question and its answer by ZeroMQ alone, without GT: a read takes two of them.
FLOOR = r"""
import os, statistics, time, zmq
path = f"ipc:///tmp/gt-floor-{os.getpid()}"
if os.fork() == 0:
    server = zmq.Context().socket(zmq.ROUTER)
    server.bind(path)
    while (frames := server.recv_multipart())[-1] != b"end":
        server.send_multipart(frames)
    os._exit(0)
client = zmq.Context().socket(zmq.DEALER)
client.connect(path)
took = []
for _ in range(3000):
    start = time.perf_counter()
    client.send(bytes(200))
    client.recv()
    took.append(time.perf_counter() - start)
client.send(b"end")
print(statistics.median(took[500:]) * 1e6)
"""


def measure(variables: dict[str, str]) -> dict[str, float]:
    """Run the program where these variables send it."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE],
        env=plain_environment(**variables),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each place is measured")
    rounds = parser.parse_args().rounds
    print(f"load before: {os.getloadavg()[0]:.1f}", flush=True)
    found: dict[str, list[dict[str, float]]] = {"embedded": [], "ipc": [], "tcp": []}
    floors = []
    with Cluster(workers=1) as near, Cluster(workers=1, tcp=True) as far:
        places = {"embedded": {}, "ipc": near.variables, "tcp": far.variables}
        for _ in range(rounds):
            for place, variables in places.items():
                found[place].append(measure(variables))
                time.sleep(0.5)
            floor = subprocess.run(
                [sys.executable, "-c", FLOOR], capture_output=True, text=True, check=True
            )
            floors.append(float(floor.stdout))
    print(f"{'':<40}" + "".join(f"{place:>12}" for place in found) + f"{'ipc/embedded':>14}")
    for name in found["embedded"][0]:
        row = [statistics.median(one[name] for one in found[place]) for place in found]
        print(f"{name:<40}" + "".join(f"{value:>12.2f}" for value in row), end="")
        print(f"{row[1] / row[0]:>13.2f}×")
    print(f"{'ZeroMQ alone, one round trip, µs':<40}{'':>12}{statistics.median(floors):>12.2f}")


if __name__ == "__main__":
    main()
