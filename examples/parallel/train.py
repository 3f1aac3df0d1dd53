"""One training program, and several ways to run it: `python train.py --config fsdp.yaml`.

Nothing in the program says where anything is. A config beside it cuts the batch, the parameters or
both, and the losses stay the same.
"""

import argparse
from pathlib import Path

import gt
from gt import nn

HERE = Path(__file__).parent


class MLP(nn.Module):
    """A hidden layer, as wide as there is something to cut."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.hidden = nn.Linear(32, 96)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(96, 10)

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        return self.out(self.dropout(self.hidden(x).relu()))


class CNN(nn.Module):
    """Two convolutions and a layer that reads what they found."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, 8, 3, padding=1)
        self.second = nn.Conv2d(8, 16, 3, padding=1)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(16 * 4, 10)

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        x = nn.functional.max_pool2d(self.first(x).relu(), 2)
        x = nn.functional.max_pool2d(self.second(x).relu(), 2)
        return self.out(self.dropout(x.flatten(1)))


class GPT(nn.Module):
    """One block of a transformer that guesses the next letter."""

    def __init__(self, dropout: float = 0.0, letters: int = 24, width: int = 32) -> None:
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(width, letters)

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        x = self.letters(x)
        y = self.norm(x)
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        x = x + self.attention(y, y, y, attn_mask=mask, need_weights=False)[0]
        x = x + self.dropout(self.down(self.up(x).gelu()))
        return self.out(x).flatten(0, 1)


class Experts(nn.Module):
    """Layers side by side, each for tokens of its own."""

    def __init__(self, experts: int, width: int) -> None:
        super().__init__()
        self.up = nn.Parameter(gt.randn(experts, width, 2 * width) * 0.2)
        self.down = nn.Parameter(gt.randn(experts, 2 * width, width) * 0.2)

    def forward(self, tokens: gt.Tensor) -> gt.Tensor:
        return gt.bmm(gt.bmm(tokens, self.up).gelu(), self.down)


class MoE(nn.Module):
    """A mixture of experts: each takes as many tokens as it has room for, those it scores best."""

    def __init__(self, dropout: float = 0.0, experts: int = 8, width: int = 16) -> None:
        super().__init__()
        self.room = 12
        self.gate = nn.Linear(width, experts)
        self.experts = Experts(experts, width)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(width, 10)

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        weight, chosen = self.gate(x).softmax(1).t().topk(self.room, dim=1)
        tokens = x[chosen.flatten()].unflatten(0, chosen.shape)
        found = (self.experts(tokens) * weight.unsqueeze(2)).flatten(0, 1)
        return self.out(self.dropout(x + gt.zeros_like(x).index_add(0, chosen.flatten(), found)))


def mlp(dropout: float = 0.0) -> tuple[nn.Module, gt.Tensor, gt.Tensor]:
    """A model, something to learn from, and what it should make of it."""
    return MLP(dropout), gt.randn(48, 32), gt.randint(0, 10, (48,))


def cnn(dropout: float = 0.0) -> tuple[nn.Module, gt.Tensor, gt.Tensor]:
    """The same with pictures."""
    return CNN(dropout), gt.randn(12, 1, 8, 8), gt.randint(0, 10, (12,))


def gpt(dropout: float = 0.0) -> tuple[nn.Module, gt.Tensor, gt.Tensor]:
    """The same with letters, of which each is followed by the next."""
    text = gt.randint(0, 24, (8, 17))
    return GPT(dropout), text[:, :-1].clone(), text[:, 1:].flatten()


def moe(dropout: float = 0.0) -> tuple[nn.Module, gt.Tensor, gt.Tensor]:
    """The same with experts."""
    return MoE(dropout), gt.randn(48, 16), gt.randint(0, 10, (48,))


MODELS = {"mlp": mlp, "cnn": cnn, "gpt": gpt, "moe": moe}


def train(model: nn.Module, x: gt.Tensor, y: gt.Tensor, steps: int) -> list[float]:
    """Learn, and give the loss of each step."""
    optimizer = gt.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        with gt.signal.context("forward"):
            loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    return [loss.item() for loss in losses]


def main() -> None:
    """Train as the command line says, and tell what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=MODELS, default="mlp")
    parser.add_argument("--config", help="a YAML file; the names of those beside this one will do")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=30)
    args = parser.parse_args()
    gt.workers(args.workers)
    if args.config:
        beside = HERE / args.config
        gt.load_config(str(beside if beside.exists() else args.config))
    gt.manual_seed(0)
    model, x, y = MODELS[args.model]()
    losses = train(model, x, y, args.steps)
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
    for name, parameter in model.named_parameters():
        print(f"{name}: {gt.debug.placement(parameter)}")
    moved = sum(gt.debug.moved_bytes().values())
    print(f"{moved / 1e6:.2f} MB went between {args.workers} workers")


if __name__ == "__main__":
    main()
