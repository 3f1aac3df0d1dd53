"""How soon a fault is noticed, and how soon work goes on: one row for each kind.

Real processes are killed and stopped while a program trains. The figures are those of one run;
most of them are timeouts, which do not depend on the machine.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from cluster import Cluster, Process, plain_environment  # noqa: E402
from test_faults import Trainer, report, worker_of  # noqa: E402

Row = tuple[str, float, float]


def since(start: float) -> float:
    """Give the seconds since then."""
    return time.monotonic() - start


def until(holds: Callable[[], bool]) -> None:
    """Ask until something holds."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, "it does not come to that"


def lose_worker(folder: Path, how: signal.Signals, name: str) -> Row:
    """Kill or stop the worker of a program that trains; it loads a checkpoint and goes on."""
    with Cluster(workers=2) as cluster, Trainer(cluster, folder / "state") as trainer:
        trainer.steps(3)
        trainer.ask("save()")
        worker = worker_of(cluster, report(cluster)["sessions"][0]["id"])
        start = time.monotonic()
        worker.child.send_signal(how)
        assert trainer.ask("step()").startswith("WorkerLost")
        noticed = since(start)
        assert trainer.ask("load()") == "loaded"
        trainer.steps(1)
        recovered = since(start)
        worker.child.send_signal(signal.SIGCONT)
        return name, noticed, recovered


def lose_server(folder: Path) -> Row:
    """Kill the server and start another one; the program connects again and loads."""
    with Cluster(workers=1) as cluster, Trainer(cluster, folder / "state", workers=0) as trainer:
        trainer.steps(3)
        trainer.ask("save()")
        start = time.monotonic()
        cluster.server.end(signal.SIGKILL)
        cluster.server = Process("gt.server", "-p", cluster.port, **cluster.environment)
        cluster.server.expect("listens")
        assert trainer.ask("step()").startswith("SessionLost")
        noticed = since(start)
        cluster.workers[0].expect("works for")
        assert trainer.ask("connect()") == "connected"
        assert trainer.ask("load()") == "loaded"
        trainer.steps(1)
        return "server killed, another started", noticed, since(start)


def lose_client(folder: Path, megabytes: int) -> Row:
    """Kill a program that holds memory; its session ends, and the memory is free."""
    with Cluster(workers=1) as cluster, Trainer(cluster, folder / "state") as trainer:
        held = f"globals().update(held=gt.ones({megabytes}, 250_000)) or held[0, 0].item()"
        assert trainer.ask(held) == "1.0"
        start = time.monotonic()
        trainer.child.kill()
        until(lambda: not report(cluster)["sessions"])
        noticed = since(start)
        until(lambda: not any(worker["memory_bytes"] for worker in report(cluster)["workers"]))
        return f"program with {megabytes} MB killed", noticed, since(start)


def stop_client(folder: Path, seconds: float) -> Row:
    """Stop a program for a while; it goes on with its session."""
    with Cluster(workers=1) as cluster, Trainer(cluster, folder / "state") as trainer:
        trainer.steps(3)
        trainer.child.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        start = time.monotonic()
        trainer.child.send_signal(signal.SIGCONT)
        float(trainer.ask("step()"))
        return f"program stopped for {seconds:.0f} s (after it goes on)", 0.0, since(start)


def leave_unanswered() -> Row:
    """Let somebody take the connections to a worker and not answer: values go by the relay."""
    code = (
        "import gt, numpy as np\n"
        "x = gt.from_numpy(np.ones(1_000_000))\n"
        "print((x + 1).numpy().sum())"
    )
    with Cluster(tcp=True) as cluster, socket.create_server(("127.0.0.1", 0)) as silent:
        cluster.add_worker("--advertise", f"127.0.0.1:{silent.getsockname()[1]}")
        start = time.monotonic()
        command = [sys.executable, "-c", code]
        environment = plain_environment(**cluster.variables)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == "2000000.0\n", done.stdout
        return "data connection not answered", since(start), since(start)


def main() -> None:
    print(f"load before: {os.getloadavg()[0]:.1f}", flush=True)
    print(f"{'fault':<42}{'noticed s':>12}{'recovered s':>13}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for measure in [
            lambda: lose_worker(folder, signal.SIGKILL, "worker killed"),
            lambda: lose_worker(folder, signal.SIGSTOP, "worker stopped"),
            lambda: lose_server(folder),
            lambda: lose_client(folder, 800),
            lambda: stop_client(folder, 12),
            lambda: stop_client(folder, 60),
            leave_unanswered,
        ]:
            fault, noticed, recovered = measure()
            print(f"{fault:<42}{noticed:>12.2f}{recovered:>13.2f}", flush=True)


if __name__ == "__main__":
    main()
