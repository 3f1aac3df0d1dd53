"""Single operations, each on tensors of a size at which programs wait for it."""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

Work = Callable[[], Any]

ELEMENTS = 4_000_000
SQUARE = (2000, 2000)


@dataclass(frozen=True)
class Operation:
    """An operation: `make` takes the module and gives what is timed."""

    name: str
    make: Callable[[ModuleType], Work]
    grad: bool = False


def of(*shape: int) -> Callable[[Callable[[ModuleType, Any], Any]], Callable[[ModuleType], Work]]:
    """Time a function of the module and of a tensor of this shape."""

    def wrap(function: Callable[[ModuleType, Any], Any]) -> Callable[[ModuleType], Work]:
        def make(m: ModuleType) -> Work:
            x = m.randn(*shape)
            return lambda: function(m, x)

        return make

    return wrap


def product(*shapes: tuple[int, ...], dtype: str = "float32") -> Callable[[ModuleType], Work]:
    """Time a matrix product."""

    def make(m: ModuleType) -> Work:
        a, b = (m.randn(*shape).to(getattr(m, dtype)) for shape in shapes)
        return lambda: a @ b

    return make


def second_transposed(m: ModuleType) -> Work:
    a, b = m.randn(1024, 1024), m.randn(1024, 1024)
    return lambda: a @ b.T


def linear(m: ModuleType) -> Work:
    layer, x = m.nn.Linear(784, 256), m.randn(64, 784)
    return lambda: layer(x).relu()


def linear_forward(m: ModuleType) -> Work:
    layer, x = m.nn.Linear(512, 512), m.randn(128, 512)
    return lambda: layer(x)


def convolution(batch: int, channels: int, size: int) -> Callable[[ModuleType], Work]:
    def make(m: ModuleType) -> Work:
        layer = m.nn.Conv2d(channels, channels, 3, padding=1)
        x = m.randn(batch, channels, size, size)
        return lambda: layer(x)

    return make


def attention(m: ModuleType) -> Work:
    q, k, v = (m.randn(4, 8, 256, 64) for _ in range(3))
    return lambda: m.nn.functional.scaled_dot_product_attention(q, k, v)


def attention_and_back(m: ModuleType) -> Work:
    q, k, v = (m.randn(4, 8, 256, 64).requires_grad_() for _ in range(3))

    def work() -> Any:
        attended = m.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        attended.sum().backward()
        made, q.grad, k.grad, v.grad = q.grad, None, None, None
        return made

    return work


def batch_norm(m: ModuleType) -> Work:
    layer, x = m.nn.BatchNorm2d(64), m.randn(32, 64, 28, 28)
    return lambda: layer(x)


def embedding(m: ModuleType) -> Work:
    table, index = m.randn(10_000, 256), m.randint(0, 10_000, (64, 128))
    return lambda: m.nn.functional.embedding(index, table)


def gather(m: ModuleType) -> Work:
    x, index = m.randn(*SQUARE), m.randint(0, SQUARE[0], SQUARE)
    return lambda: x.gather(0, index)


def where(m: ModuleType) -> Work:
    x = m.randn(ELEMENTS)
    positive = x > 0
    return lambda: m.where(positive, x, 0.0)


def two(function: Callable[[ModuleType, Any, Any], Any]) -> Callable[[ModuleType], Work]:
    def make(m: ModuleType) -> Work:
        a, b = m.randn(ELEMENTS), m.randn(ELEMENTS)
        return lambda: function(m, a, b)

    return make


def backward_alone(m: ModuleType) -> Work:
    layers = [m.nn.Linear(256, 256) for _ in range(4)]
    x = m.randn(64, 256)

    def work() -> Any:
        y = x
        for layer in layers:
            y = layer(y).relu()
        y.sum().backward()
        made = layers[0].weight.grad
        for layer in layers:
            layer.weight.grad = layer.bias.grad = None
        return made

    return work


def generate(m: ModuleType) -> Work:
    """Letter by letter with a small recurrent network, with a read after each."""
    cell, head = m.nn.LSTMCell(64, 128), m.nn.Linear(128, 64)
    letters = m.randn(64, 64)

    def work() -> Any:
        letter, state = 0, (m.zeros(1, 128), m.zeros(1, 128))
        for _ in range(32):
            state = cell(letters[letter : letter + 1], state)
            letter = int(head(state[0]).argmax().item())
        return state[0]

    return work


many = of(ELEMENTS)
square = of(*SQUARE)

OPERATIONS = [
    Operation("add scalar, 4M", many(lambda m, x: x + 1)),
    Operation("mul, 4M", two(lambda m, a, b: a * b)),
    Operation("relu, 4M", many(lambda m, x: x.relu())),
    Operation("exp, 4M", many(lambda m, x: x.exp())),
    Operation("tanh, 4M", many(lambda m, x: x.tanh())),
    Operation("sigmoid, 4M", many(lambda m, x: x.sigmoid())),
    Operation("sin, 4M", many(lambda m, x: x.sin())),
    Operation("gelu, 4M", many(lambda m, x: m.nn.functional.gelu(x))),
    Operation("x**3, 4M", many(lambda m, x: x**3)),
    Operation("where, 4M", where),
    Operation("mse_loss, 4M", two(lambda m, a, b: m.nn.functional.mse_loss(a, b))),
    Operation("softmax, 2000²", square(lambda m, x: x.softmax(-1))),
    Operation("log_softmax, 2000²", square(lambda m, x: x.log_softmax(-1))),
    Operation("layer_norm, 2000²", square(lambda m, x: m.nn.functional.layer_norm(x, (2000,)))),
    Operation("sum all, 4M", square(lambda m, x: x.sum())),
    Operation("sum dim 0, 2000²", square(lambda m, x: x.sum(0))),
    Operation("sum dim 1, 2000²", square(lambda m, x: x.sum(1))),
    Operation("mean, 4M", square(lambda m, x: x.mean())),
    Operation("max dim 1, 2000²", square(lambda m, x: x.max(1)[0])),
    Operation("argmax dim 1, 2000²", square(lambda m, x: x.argmax(1))),
    Operation("var dim 1, 2000²", square(lambda m, x: x.var(1))),
    Operation("transpose copy, 2000²", square(lambda m, x: x.T.reshape(-1))),
    Operation(
        "permute copy, 64³·16",
        of(64, 64, 64, 16)(lambda m, x: x.permute(2, 0, 3, 1).reshape(-1)),
    ),
    Operation("cat, 2 × 4M", two(lambda m, a, b: m.cat([a, b]))),
    Operation("sort, 1M", of(1_000_000)(lambda m, x: x.sort()[0])),
    Operation("topk 10, 1000×4000", of(1000, 4000)(lambda m, x: x.topk(10)[0])),
    Operation("gather, 2000²", gather),
    Operation("embedding, 8192 of 256", embedding),
    *(
        Operation(f"product {size}³", product((size, size), (size, size)))
        for size in (64, 256, 512, 1024)
    ),
    Operation("product A·Bᵀ 1024³", second_transposed),
    Operation("product 64×784×256", product((64, 784), (784, 256))),
    Operation("matvec 4096²", product((4096, 4096), (4096,))),
    Operation("batched product 64×128³", product((64, 128, 128), (64, 128, 128))),
    Operation("bfloat16 product 512³", product((512, 512), (512, 512), dtype="bfloat16")),
    Operation("linear 128×512×512", linear_forward),
    Operation("linear + bias + relu", linear),
    Operation("conv2d 32×16×28²", convolution(32, 16, 28)),
    Operation("conv2d 8×64×56²", convolution(8, 64, 56)),
    Operation(
        "max_pool 32×64×28²",
        of(32, 64, 28, 28)(lambda m, x: m.nn.functional.max_pool2d(x, 2)),
    ),
    Operation("batch_norm 32×64×28²", batch_norm),
    Operation("attention 4×8×256×64", attention),
    Operation("attention and backward", attention_and_back, grad=True),
    Operation("backward of 4 layers", backward_alone, grad=True),
    Operation("generate 32 letters", generate),
]
