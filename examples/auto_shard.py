"""Training on several workers without a file that says how: `GT_AUTO_SHARD=1`.

After the first step it is decided whether to cut the batch, the layers or the parameters, or to
leave everything where it is. `costs.yaml`, which `gt measure costs.yaml` writes, says what work and
messages cost where the program runs; this example invents some.
"""

import os
import tempfile
from pathlib import Path

#: Workers on cores of their own, and a network between them.
APART = "flops: 1e9\nworkers_at_once: 2\nlink_bytes: 1e9\nmessage_seconds: 2e-5\n"
#: The same with little memory.
SMALL = APART + "worker_memory_bytes: 3e5\n"


def train(costs: str) -> None:
    """Train a few steps and tell what was decided."""
    file = Path(tempfile.mkdtemp()) / "costs.yaml"
    file.write_text(costs)
    os.environ.update(GT_AUTO_SHARD="1", GT_COSTS=str(file))
    # The environment counts when a session starts.
    import gt  # noqa: PLC0415

    with gt.connect(workers=2, new=True):
        gt.manual_seed(0)
        model = gt.nn.Sequential(gt.nn.Linear(64, 256), gt.nn.ReLU(), gt.nn.Linear(256, 10))
        optimizer = gt.optim.Adam(model.parameters())
        x, y = gt.randn(512, 64), gt.randint(0, 10, (512,))
        for _ in range(3):
            loss = gt.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(f"loss {loss.item():.4f}")
        found = gt.debug.auto_shard()
        for trial in found["trials"]:
            fits = "" if trial["fits"] else ", does not fit"
            print(f"  {trial['name']}: {trial['seconds'] * 1e3:.1f} ms{fits}")
        print(
            f"chosen: {found['chosen']}; the first weight is {gt.debug.placement(model[0].weight)}"
        )
        print(gt.explain(as_yaml=True))


if __name__ == "__main__":
    train(APART)
    train(SMALL)
