"""Configures signals from the program itself, without a file.

python examples/config_from_python.py
"""

import gt
from gt import ShardConfig, SignalConfig


def data_parallel() -> None:
    """Cut the batch over all workers."""
    config = SignalConfig(shard=ShardConfig(axis=0, workers=[0, 1, 2, 3]))
    gt.register_config("data_parallel", config)
    with gt.signal.context("data_parallel"):
        batch = gt.randn(128, 64)
        total = batch.sum()
    print("data parallel:", "the sum is that of its rows", gt.allclose(total, batch.sum(0).sum()))


def pipeline() -> None:
    """Compute forward on some workers, and gradients on others."""
    forward = SignalConfig(
        shard=ShardConfig(axis=0, workers=[0, 1]), backward_signal="backward_stage"
    )
    gt.register_config("forward_stage", forward)
    backward = SignalConfig(shard=ShardConfig(axis=0, workers=[2, 3]))
    gt.register_config("backward_stage", backward)
    w = gt.randn(64, 8, requires_grad=True)
    with gt.signal.context("forward_stage"):
        loss = (gt.ones(32, 64) @ w).sum()
    loss.backward()
    print("pipeline:", "every gradient is the number of rows", bool((w.grad == 32).all()))


def chosen_while_it_runs(batch_size: int) -> None:
    """Use more workers for larger batches. What is registered counts from there on."""
    workers = [0, 1, 2, 3] if batch_size >= 256 else [0, 1]
    gt.register_config("training", SignalConfig(shard=ShardConfig(axis=0, workers=workers)))
    with gt.signal.context("training"):
        x = gt.ones(batch_size, 4)
        print(f"training: {batch_size} rows on workers {workers}, sum {x.sum().item():.0f}")


def main() -> None:
    """Show each of them."""
    gt.workers(4)
    gt.manual_seed(0)
    data_parallel()
    pipeline()
    for batch_size in (32, 256):
        chosen_while_it_runs(batch_size)
    print("configured:", ", ".join(gt.get_config().signals))
    print("training:", gt.get_signal_config("training"))


if __name__ == "__main__":
    main()
