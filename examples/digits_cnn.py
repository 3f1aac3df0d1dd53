"""A convolutional network learns to read digits: batches from a loader, a checkpoint at the end."""

import argparse
import sys
from pathlib import Path

import gt
import numpy as np
from gt import nn
from gt.utils.data import DataLoader, TensorDataset
from progress import Bar
from sklearn.datasets import load_digits


def network(width: int) -> nn.Sequential:
    """Two convolutions with normalisation and pooling, and a linear layer."""
    return nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(width, 2 * width, 3, padding=1),
        nn.BatchNorm2d(2 * width),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.1),
        nn.Linear(8 * width, 10),
    )


def data(seed: int, count: int | None) -> tuple[TensorDataset, TensorDataset]:
    """Pictures (1, 8, 8) and digits, four fifths to learn from and the rest to be tested with."""
    digits = load_digits()
    order = np.random.default_rng(seed).permutation(len(digits.target))[:count]
    pictures = gt.tensor((digits.images[order] / 16).astype(np.float32)).unsqueeze(1)
    numbers = gt.tensor(digits.target[order].astype(np.int64))
    kept = len(order) // 5
    return (
        TensorDataset(pictures[kept:], numbers[kept:]),
        TensorDataset(pictures[:kept], numbers[:kept]),
    )


def test(model: nn.Module, dataset: TensorDataset) -> float:
    """The share of pictures that are read rightly."""
    model.eval()
    with gt.no_grad():
        right = [(model(x).argmax(1) == y).sum() for x, y in DataLoader(dataset, batch_size=256)]
    model.train()
    return sum(count.item() for count in right) / len(dataset)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--count", type=int, default=None, help="use only so many pictures")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", type=Path, default=None, help="where to keep the network")
    args = parser.parse_args()
    gt.manual_seed(args.seed)
    learn, kept = data(args.seed, args.count)
    model = network(args.width)
    optimizer = gt.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    loader = DataLoader(learn, batch_size=64, shuffle=True)
    schedule = gt.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=0.1, total_steps=args.epochs * len(loader)
    )
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.05)
    bar = Bar("Training", args.epochs)
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = loss_of(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        bar.show(epoch + 1, f"loss {loss.item():.4f}  test accuracy {test(model, kept):.3f}")
    if args.save is not None:
        gt.save(model.state_dict(), args.save)
        copy = network(args.width)
        copy.load_state_dict(gt.load(args.save))
        assert test(copy, kept) == test(model, kept)
        print(f"saved to {args.save}")
    print(f"test accuracy {test(model, kept):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
