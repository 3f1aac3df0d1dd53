"""What the dispatcher costs by the number of workers, and how fair it is between clients.

Workers have an engine that computes nothing. The dispatcher's cost is its own processor time, so
that it does not matter how many cores the machine has for all the others.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from cluster import Cluster, plain_environment  # noqa: E402

# One chain of additions for each worker, so that all of them have something to do.
STREAM = r"""
import sys, time
import gt
chains, seconds, mesh = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3] == "mesh"
if mesh:
    # What follows is on every worker.
    gt.register_config("all", gt.SignalConfig(shard=gt.ShardConfig(replicated=True)))
    gt.signal.enter("all")
xs = [gt.ones(4) for _ in range(chains)]
gt.synchronize()
print("ready", flush=True)
sys.stdin.readline()
start = time.perf_counter()
while time.perf_counter() - start < seconds:
    for _ in range(200):
        xs = [x + 1 for x in xs]
gt.synchronize()
took = time.perf_counter() - start
print(gt.status()["commands_done"], took, flush=True)
"""


def processor_seconds(pid: int) -> float:
    """Give the time that all threads of a process have computed."""
    total = 0.0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0]) / 1e9
    return total


def stream(
    cluster: Cluster, clients: int, chains: int, seconds: float, where: str = "whole"
) -> list[tuple[int, float]]:
    """Let clients stream at once; give what each has done, and how long it took."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", STREAM, str(chains), str(seconds), where],
            env=plain_environment(**cluster.variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(clients)
    ]
    for child in children:
        assert child.stdout.readline() == "ready\n"
    for child in children:
        child.stdin.write("\n")
        child.stdin.flush()
    answers = [child.communicate()[0].split() for child in children]
    return [(int(done), float(took)) for done, took in answers]


def draw(points: list[tuple[int, float]], path: Path) -> None:
    """Draw the cost of an instruction over the number of workers, as SVG."""
    width, height, left, bottom = 520, 320, 60, 40
    most_x, most_y = max(x for x, _ in points), 1.15 * max(y for _, y in points)
    place = [
        (left + x / most_x * (width - left - 30), height - bottom - y / most_y * (height - 80))
        for x, y in points
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in place)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="24">Dispatcher time per instruction, µs</text>',
        f'<path d="M{left} 40V{height - bottom}H{width - 20}" stroke="#888" fill="none"/>',
        f'<polyline points="{line}" fill="none" stroke="#2266bb" stroke-width="2"/>',
    ]
    for (x, y), (workers, cost) in zip(place, points, strict=True):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#2266bb"/>')
        parts.append(f'<text x="{x + 6:.1f}" y="{y - 8:.1f}">{cost:.2f}</text>')
        parts.append(f'<text x="{x - 5:.1f}" y="{height - bottom + 18}">{workers}</text>')
    parts.append(f'<text x="{width / 2:.0f}" y="{height - 6}">workers</text></svg>')
    path.write_text("\n".join(parts), encoding="utf-8")


def cost_by_workers(counts: list[int], seconds: float, where: str) -> list[tuple[int, float]]:
    print({"whole": "each instruction on one worker", "mesh": "each on all of them"}[where])
    print(f"{'workers':>8}{'instructions/s':>16}{'µs each':>10}{'at full use/s':>16}")
    points = []
    for count in counts:
        with Cluster() as cluster:
            for _ in range(count):
                cluster.add_worker("--backend", "null", "--threads", "1", "--memory", "64M")
            before = processor_seconds(cluster.server.child.pid)
            [(done, took)] = stream(cluster, 1, count, seconds, where)
            spent = processor_seconds(cluster.server.child.pid) - before
        cost = spent / done * 1e6
        points.append((count, cost))
        print(f"{count:>8}{done / took:>16,.0f}{cost:>10.3f}{1e6 / cost:>16,.0f}", flush=True)
    return points


def throughput_by_clients(counts: list[int], seconds: float) -> None:
    print(f"{'clients':>8}{'instructions/s':>16}{'Jain index':>12}")
    with Cluster() as cluster:
        for _ in range(2):
            cluster.add_worker("--backend", "null", "--threads", "1", "--memory", "64M")
        for count in counts:
            rates = [done / took for done, took in stream(cluster, count, 2, seconds)]
            jain = sum(rates) ** 2 / (len(rates) * sum(rate * rate for rate in rates))
            print(f"{count:>8}{sum(rates):>16,.0f}{jain:>12.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 8, 72])
    parser.add_argument("--meshes", type=int, nargs="*", default=[2, 8, 72])
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--plot", type=Path, help="where to draw the cost by workers, as SVG")
    args = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f}", flush=True)
    start = time.perf_counter()
    points = cost_by_workers(args.workers, args.seconds, "whole")
    cost_by_workers(args.meshes, args.seconds, "mesh")
    throughput_by_clients(args.clients, args.seconds)
    if args.plot:
        draw(points, args.plot)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
