"""Show what workers are busy with while a program runs: `python examples/show_stats.py`."""

import json
import os
import subprocess
import sys

import gt


def main() -> None:
    """Compute for a while, and look at it as `gt top` does."""
    gt.workers(2)
    a, b = gt.randn(256, 256), gt.randn(256, 256)
    # The workers are in this process, unless GT_SERVER names a server, which `gt top` finds too.
    place = [] if "GT_SERVER" in os.environ else ["--pid", str(os.getpid())]
    command = [sys.executable, "-m", "gt.scripts.top", "--once", "--json", *place]
    top = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while top.poll() is None:
        x = a
        for _ in range(20):
            x = (x @ b).relu() * 0.01
        x.sum().item()
    seen = json.loads(top.communicate()[0])
    for worker in seen["workers"]:
        kinds = {kind: share for kind, share in worker["kinds"].items() if share >= 0.005}
        shares = "  ".join(f"{kind} {share:.0%}" for kind, share in kinds.items())
        print(f"worker {worker['id']}: idle {worker['idle']:.0%}  {shares}")
    for session in seen["sessions"]:
        rate = session["commands_per_second"]
        print(f"session {session['id']} ({session['name']}): {rate:.0f} commands per second")


if __name__ == "__main__":
    main()
