"""Cut work: a product over 1, 2 and 4 workers, and steps beside PyTorch's DDP and FSDP."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

from cluster import Cluster, plain_environment  # noqa: E402

SIZE = 2048
# What all processes of a training share; each of several has its part of the batch.
TRAININGS = {
    "MLP 1024-2048-2048-10, 256 rows": ("mlp", {"sizes": [1024, 2048, 2048, 10]}, 256),
    "GPT, 2 layers of 256, 16 × 64 letters": (
        "gpt",
        {"length": 64, "size": 256, "layers": 2},
        16,
    ),
    "CNN, 256 images of 28 × 28": ("cnn", {}, 256),
}
WARM, MEASURED = 3, 12
# Those whose parameters are cut, too.
FULLY_SHARDED = [name for name, (model, _, _) in TRAININGS.items() if model in ("mlp", "gpt")]
FSDP = HERE.parent / "examples" / "parallel" / "fsdp.yaml"


def median_ms(run: Callable[[], object], times: int) -> float:
    """Give the time that a run takes, in the middle of so many."""
    took = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        took.append(time.perf_counter() - start)
    return statistics.median(took) * 1e3


def measure_product(workers: int) -> float:
    """Time a product whose left side is cut over workers that have all of the right side."""
    import gt  # noqa: PLC0415

    with gt.connect(workers=workers, new=True):
        cut = gt.ShardConfig(axis=0, workers=[*range(workers)])
        copies = gt.ShardConfig(replicated=True, workers=[*range(workers)])
        gt.register_config("cut", gt.SignalConfig(shard=cut))
        gt.register_config("copies", gt.SignalConfig(shard=copies))
        a = gt.signal.tensor(gt.randn(SIZE, SIZE), "cut")
        b = gt.signal.tensor(gt.randn(SIZE, SIZE), "copies")

        def product() -> None:
            kept = a @ b
            gt.synchronize()
            del kept

        product()
        return median_ms(product, 7)


def measure_steps(step: Callable[[], Any]) -> float:
    """Time a training step, with a read of the loss in every third."""

    def three() -> None:
        for _ in range(3):
            loss = step()
        loss.item()

    for _ in range(WARM):
        three()
    return median_ms(three, MEASURED) / 3


class Signalled:
    """A model whose calls are in the signal that a config cuts."""

    def __init__(self, model: Any) -> None:
        self.model, self.parameters = model, model.parameters

    def __call__(self, x: Any) -> Any:
        """Run the model."""
        import gt  # noqa: PLC0415

        with gt.signal.context("forward"):
            return self.model(x)


def train_gt(name: str, config: str) -> float:
    """Time a step of GT where the environment leads, cut over all workers."""
    import gt  # noqa: PLC0415
    import models  # noqa: PLC0415

    if config:
        gt.load_config(config)
    else:
        gt.register_config("forward", gt.SignalConfig(shard=gt.ShardConfig(axis=0)))
    model, options, batch = TRAININGS[name]
    return measure_steps(getattr(models, model)(gt, batch=batch, wrap=Signalled, **options))


def train_auto(name: str) -> float:
    """Time a step of GT where the environment leads, cut as GT itself decides."""
    import gt  # noqa: PLC0415
    import models  # noqa: PLC0415

    model, options, batch = TRAININGS[name]
    return measure_steps(getattr(models, model)(gt, batch=batch, **options))


def fully_sharded(model: Any) -> Any:
    """Cut the parameters of a model of PyTorch's, block by block; on CPUs by gloo."""
    import torch  # noqa: PLC0415
    from torch.distributed.device_mesh import init_device_mesh  # noqa: PLC0415
    from torch.distributed.fsdp import fully_shard  # noqa: PLC0415

    mesh = init_device_mesh("cpu", (torch.distributed.get_world_size(),))
    for block in getattr(model, "blocks", model):
        if any(True for _ in block.parameters()):
            fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def train_torch(name: str, rank: int, processes: int, meeting: str, way: str) -> float:
    """Time a step of PyTorch, of which this process has a part of the batch."""
    import models  # noqa: PLC0415
    import torch  # noqa: PLC0415

    torch.set_num_threads(1)
    model, options, batch = TRAININGS[name]
    wrap = models.unwrapped
    if processes > 1:
        torch.distributed.init_process_group(
            "gloo", init_method=f"file://{meeting}", rank=rank, world_size=processes
        )
        ddp = torch.nn.parallel.DistributedDataParallel
        wrap = fully_sharded if way == "fsdp" else ddp
    make = getattr(models, model)
    took = measure_steps(make(torch, batch=batch // processes, wrap=wrap, **options))
    if processes > 1:
        torch.distributed.destroy_process_group()
    return took


def run_side(*arguments: str, variables: dict[str, str]) -> subprocess.Popen[str]:
    """Start one side of a comparison in a process of its own."""
    command = [sys.executable, __file__, *arguments]
    env = plain_environment(**variables)
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def result_of(side: subprocess.Popen[str]) -> float:
    """Wait for a side to end and give what it measured."""
    said, _ = side.communicate(timeout=600)
    if side.returncode:
        raise SystemExit(f"{side.args} failed")
    return json.loads(said)


def steps_of_gt(name: str, workers: int, config: str = "") -> float:
    """Time a step with so many workers, in processes of one thread each."""
    with Cluster() as cluster:
        for _ in range(workers):
            cluster.add_worker(GT_THREADS="1")
        return result_of(run_side("--gt", name, config, variables=cluster.variables))


def steps_of_auto(name: str, workers: int) -> float:
    """Time a step with so many workers that shard by themselves, by what `gt measure` has found."""
    with Cluster() as cluster, tempfile.TemporaryDirectory() as folder:
        for _ in range(workers):
            cluster.add_worker(GT_THREADS="1")
        costs = str(Path(folder) / "costs.yaml")
        command = [sys.executable, "-m", "gt", "measure", costs]
        subprocess.run(command, env=plain_environment(**cluster.variables), check=True)
        variables = {**cluster.variables, "GT_AUTO_SHARD": "1", "GT_COSTS": costs}
        return result_of(run_side("--auto", name, variables=variables))


def steps_of_torch(name: str, processes: int, way: str = "ddp") -> float:
    """Time a step with so many processes of one thread each."""
    with tempfile.TemporaryDirectory() as folder:
        meeting = str(Path(folder) / "meeting")
        sides = [
            run_side("--torch", name, str(rank), str(processes), meeting, way, variables={})
            for rank in range(processes)
        ]
        return max([result_of(side) for side in sides])


def compare_fully_sharded(name: str, rounds: int) -> None:
    """Measure both sides with cut parameters, one after the other, and print what came of it."""
    try:
        found = [
            (steps_of_gt(name, 2, str(FSDP)), steps_of_torch(name, 2, "fsdp"))
            for _ in range(rounds)
        ]
    except SystemExit as failed:
        print(f"{name}: fully sharded, not compared: {failed}")
        return
    ours, theirs = (statistics.median(column) for column in zip(*found, strict=True))
    print(f"{name}: fully sharded, 2 processes, ms: GT {ours:.1f}, FSDP {theirs:.1f};", end=" ")
    print(f"GT {theirs / ours:.2f}× as fast")


def main() -> None:
    """Measure everything, or the side that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each side is measured")
    parser.add_argument("--gt", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--auto", metavar="NAME", help=argparse.SUPPRESS)
    parser.add_argument("--torch", nargs=5, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.gt:
        print(json.dumps(train_gt(*args.gt)))
        return
    if args.auto:
        print(json.dumps(train_auto(args.auto)))
        return
    if args.torch:
        name, rank, processes, meeting, way = args.torch
        print(json.dumps(train_torch(name, int(rank), int(processes), meeting, way)))
        return
    print(f"load before: {os.getloadavg()[0]:.1f}, cores: {os.cpu_count()}", flush=True)
    rounds = [[measure_product(workers) for workers in (1, 2, 4)] for _ in range(args.rounds)]
    one, two, four = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"{SIZE}³ product, 1, 2, 4 workers, ms: {one:.1f} {two:.1f} {four:.1f};", end=" ")
    print(f"2 workers {one / two:.2f}×, 4 workers {one / four:.2f}× as fast as one")
    for name in TRAININGS:
        sides = {"GT": steps_of_gt, "PyTorch": steps_of_torch}
        rounds = [
            [measure(name, count) for measure in sides.values() for count in (1, 2)]
            for _ in range(args.rounds)
        ]
        medians = [statistics.median(column) for column in zip(*rounds, strict=True)]
        found = {"GT": medians[:2], "PyTorch": medians[2:]}
        auto = statistics.median(steps_of_auto(name, 2) for _ in range(args.rounds))
        gain = found["GT"][1] / auto
        print(f"{name}: GT_AUTO_SHARD, 2 processes, ms: {auto:.1f}, {gain:.2f}× as fast as by hand")
        for side, (alone, both) in found.items():
            print(f"{name}: {side}, 1 and 2 processes, ms: {alone:.1f} {both:.1f}")
        alone, both = (found["PyTorch"][i] / found["GT"][i] for i in (0, 1))
        print(f"{name}: GT {alone:.2f}× as fast as PyTorch in one process, {both:.2f}× as DDP in 2")
        if name in FULLY_SHARDED:
            compare_fully_sharded(name, args.rounds)


if __name__ == "__main__":
    main()
