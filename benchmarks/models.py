"""The models whose training steps are measured, written once for GT and PyTorch."""

import itertools
from collections.abc import Callable
from types import ModuleType
from typing import Any

Step = Callable[[], Any]
Wrap = Callable[[Any], Any]


def unwrapped(model: Any) -> Any:
    """A model as it is; others let several processes share its work."""
    return model


def mlp(
    m: ModuleType, sizes: list[int], batch: int, optimizer: str = "SGD", wrap: Wrap = unwrapped
) -> Step:
    """Linear layers with rectifiers between them, on one batch of random numbers."""
    layers: list[Any] = []
    for before, after in itertools.pairwise(sizes):
        layers += [m.nn.Linear(before, after), m.nn.ReLU()]
    model = m.nn.Sequential(*layers[:-1])
    x, y = m.randn(batch, sizes[0]), m.randint(0, sizes[-1], (batch,))
    return training_step(m, wrap(model), optimizer, x, y)


def cnn(m: ModuleType, batch: int, wrap: Wrap = unwrapped) -> Step:
    """Two convolutions that pool, for images of 28×28."""
    model = m.nn.Sequential(
        m.nn.Conv2d(1, 16, 3, padding=1),
        m.nn.BatchNorm2d(16),
        m.nn.ReLU(),
        m.nn.MaxPool2d(2),
        m.nn.Conv2d(16, 32, 3, padding=1),
        m.nn.ReLU(),
        m.nn.MaxPool2d(2),
        m.nn.Flatten(),
        m.nn.Linear(32 * 7 * 7, 10),
    )
    x, y = m.randn(batch, 1, 28, 28), m.randint(0, 10, (batch,))
    return training_step(m, wrap(model), "SGD", x, y)


def lstm(m: ModuleType, batch: int, length: int, size: int, hidden: int) -> Step:
    """An LSTM of which a linear layer sees the last step."""

    class Model(m.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.reader = m.nn.LSTM(size, hidden, batch_first=True)
            self.head = m.nn.Linear(hidden, 10)

        def forward(self, x: Any) -> Any:
            return self.head(self.reader(x)[0][:, -1])

    x, y = m.randn(batch, length, size), m.randint(0, 10, (batch,))
    return training_step(m, Model(), "Adam", x, y)


def gpt(
    m: ModuleType,
    batch: int,
    length: int,
    size: int,
    layers: int,
    letters: int = 64,
    wrap: Wrap = unwrapped,
) -> Step:
    """A GPT with four heads in each layer."""

    class Block(m.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = m.nn.LayerNorm(size), m.nn.LayerNorm(size)
            self.attention, self.project = m.nn.Linear(size, 3 * size), m.nn.Linear(size, size)
            self.feed = m.nn.Sequential(
                m.nn.Linear(size, 4 * size), m.nn.GELU(), m.nn.Linear(4 * size, size)
            )

        def forward(self, x: Any) -> Any:
            q, k, v = (
                part.unflatten(-1, (4, -1)).transpose(1, 2)
                for part in self.attention(self.norm1(x)).chunk(3, -1)
            )
            attend = m.nn.functional.scaled_dot_product_attention
            attended = attend(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
            x = x + self.project(attended)
            return x + self.feed(self.norm2(x))

    class Model(m.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.letters, self.places = m.nn.Embedding(letters, size), m.nn.Embedding(length, size)
            self.blocks = m.nn.Sequential(*(Block() for _ in range(layers)))
            self.norm, self.head = m.nn.LayerNorm(size), m.nn.Linear(size, letters, bias=False)

        def forward(self, index: Any) -> Any:
            x = self.letters(index) + self.places(m.arange(length))
            return self.head(self.norm(self.blocks(x))).flatten(0, 1)

    x, y = m.randint(0, letters, (batch, length)), m.randint(0, letters, (batch * length,))
    return training_step(m, wrap(Model()), "AdamW", x, y)


def training_step(m: ModuleType, model: Any, optimizer: str, x: Any, y: Any) -> Step:
    """A function that trains one step and gives the loss, which it does not read."""
    made = getattr(m.optim, optimizer)(model.parameters(), lr=1e-3)

    def step() -> Any:
        made.zero_grad()
        loss = m.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        made.step()
        return loss

    return step
