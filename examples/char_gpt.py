"""A small GPT learns a short story letter by letter, and goes on telling it.

It can be stopped and started again: the network, the optimiser, the schedule and the random numbers
are kept in one file.
"""

import argparse
import sys
from pathlib import Path

import gt
from gt import nn
from gt.nn import functional as F
from progress import Bar

TEXT = Path(__file__).with_name("harbour.txt")


class Block(nn.Module):
    """Attention to what came before, and two linear layers, each with a way around it."""

    def __init__(self, size: int, heads: int, dropout: float):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.attention = nn.Linear(size, 3 * size)
        self.project = nn.Linear(size, size)
        self.feed = nn.Sequential(
            nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size), nn.Dropout(dropout)
        )

    def forward(self, x: gt.Tensor) -> gt.Tensor:
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in self.attention(self.norm1(x)).chunk(3, -1)
        )
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(attended.transpose(1, 2).flatten(2))
        return x + self.feed(self.norm2(x))


class GPT(nn.Module):
    """Letters in, a number for each letter that may come next out."""

    def __init__(self, letters: int, size: int, heads: int, layers: int, length: int, dropout=0.0):
        super().__init__()
        self.length = length
        self.letters = nn.Embedding(letters, size)
        self.places = nn.Embedding(length, size)
        self.blocks = nn.Sequential(*(Block(size, heads, dropout) for _ in range(layers)))
        self.norm = nn.LayerNorm(size)
        self.head = nn.Linear(size, letters, bias=False)
        self.apply(self.first_values)

    @staticmethod
    def first_values(module: nn.Module) -> None:
        """Small weights, so that the first guesses are all alike."""
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, index: gt.Tensor) -> gt.Tensor:
        x = self.letters(index) + self.places(gt.arange(index.shape[1]))
        return self.head(self.norm(self.blocks(x)))


class Letters:
    """The letters of a text, as numbers."""

    def __init__(self, text: str):
        self.known = sorted(set(text))
        self.numbers = {letter: number for number, letter in enumerate(self.known)}

    def encode(self, text: str) -> gt.Tensor:
        """The numbers of the letters."""
        return gt.tensor([self.numbers[letter] for letter in text])

    def decode(self, numbers: list[int]) -> str:
        """The letters with these numbers."""
        return "".join(self.known[number] for number in numbers)


def batch(data: gt.Tensor, length: int, count: int) -> tuple[gt.Tensor, gt.Tensor]:
    """Random parts of the text, and the same one letter further on."""
    places = gt.randint(0, len(data) - length - 1, (count, 1)) + gt.arange(length)
    return data[places], data[places + 1]


def sample(model: GPT, start: gt.Tensor, count: int, temperature: float) -> list[int]:
    """Go on from `start`, each letter drawn from what the network expects."""
    model.eval()
    index = start.unsqueeze(0)
    with gt.no_grad():
        for _ in range(count):
            logits = model(index[:, -model.length :])[:, -1] / temperature
            index = gt.cat([index, gt.multinomial(logits.softmax(-1), 1)], 1)
    model.train()
    return index[0].tolist()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--size", type=int, default=96)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--letters", type=int, default=300, help="how many letters to tell")
    parser.add_argument("--bf16", action="store_true", help="compute in bfloat16 where it is safe")
    parser.add_argument("--checkpoint", type=Path, default=None, help="kept here, and resumed")
    parser.add_argument("--stop-after", type=int, default=None, help="steps until a pause")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> int:
    args = parse()
    gt.manual_seed(args.seed)
    text = TEXT.read_text(encoding="utf-8")
    letters = Letters(text)
    data = letters.encode(text)
    model = GPT(len(letters.known), args.size, args.heads, args.layers, args.length)
    optimizer = gt.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.99))
    schedule = gt.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps, eta_min=2e-4)
    parts = {"model": model, "optimizer": optimizer, "schedule": schedule}
    first = resume(args, parts)
    last = min(args.steps, first + (args.stop_after or args.steps))
    bar = Bar("Training", args.steps)
    for step in range(first, last):
        x, y = batch(data, args.length, args.batch)
        optimizer.zero_grad()
        with gt.autocast("cpu", dtype=gt.bfloat16, enabled=args.bf16):
            loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if (step + 1) % 20 == 0 or step + 1 == last:
            bar.show(step + 1, f"loss {loss.item():.4f}")
    print(f"loss {loss.item():.4f} after {last} steps")
    keep(args, parts, last)
    print("\n" + letters.decode(sample(model, data[:20], args.letters, 0.8)))
    return 0


def keep(args: argparse.Namespace, parts: dict, step: int) -> None:
    """Keep everything that the next start needs."""
    if args.checkpoint is None:
        return
    state = {name: part.state_dict() for name, part in parts.items()}
    gt.save({"step": step, "random": gt.get_rng_state(), **state}, args.checkpoint)


def resume(args: argparse.Namespace, parts: dict) -> int:
    """Take over what was kept, if anything was; the number of steps that are done."""
    if args.checkpoint is None or not args.checkpoint.exists():
        return 0
    state = gt.load(args.checkpoint)
    for name, part in parts.items():
        part.load_state_dict(state[name])
    gt.set_rng_state(state["random"])
    return state["step"]


if __name__ == "__main__":
    sys.exit(main())
