"""Layers and losses with their inputs cut, copied, whole and summed: results and gradients.

These are made of rows that no program names by itself, and so are their gradients.
"""

import contextlib
import random
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import gt
import numpy as np
import pytest
from conftest import seed_of
from op_cases import Both
from placements import Lying, lay, register, ways

GROUPS = [[0, 1], [0, 1, 2], [0, 1, 2, 3]]

# A function of a module's `nn.functional`, the shapes of its float inputs, and, for an input of
# positions, how many there are of which.
Function = Callable[..., Any]
LAYERS: dict[
    str, tuple[Function, list[tuple[int, ...]], dict[str, tuple[int, tuple[int, ...]]]]
] = {
    "linear": (lambda f, x, w, b: f.linear(x, w, b), [(7, 5), (6, 5), (6,)], {}),
    "linear of a batch": (lambda f, x, w, b: f.linear(x, w, b), [(3, 4, 5), (6, 5), (6,)], {}),
    "layer_norm": (lambda f, x, w, b: f.layer_norm(x, (5,), w, b), [(7, 5), (5,), (5,)], {}),
    "group_norm": (lambda f, x, w, b: f.group_norm(x, 2, w, b), [(3, 4, 5), (4,), (4,)], {}),
    "batch_norm": (
        lambda f, x, w, b: f.batch_norm(x, None, None, w, b, training=True),
        [(7, 4, 3), (4,), (4,)],
        {},
    ),
    "rms": (lambda f, x: x * (x * x).mean(-1, keepdim=True).add(1e-5).rsqrt(), [(7, 5)], {}),
    "softmax": (lambda f, x: f.softmax(x, 1), [(7, 5)], {}),
    "log_softmax": (lambda f, x: f.log_softmax(x, 0), [(7, 5)], {}),
    "gelu": (lambda f, x: f.gelu(x), [(7, 5)], {}),
    "cross_entropy": (lambda f, x, i: f.cross_entropy(x, i), [(7, 5)], {"i": (5, (7,))}),
    "nll_loss": (lambda f, x, i: f.nll_loss(f.log_softmax(x, 1), i), [(7, 5)], {"i": (5, (7,))}),
    "mse_loss": (lambda f, x, y: f.mse_loss(x, y), [(7, 5), (7, 5)], {}),
    "binary_cross_entropy": (
        lambda f, x, y: f.binary_cross_entropy_with_logits(x, y.sigmoid()),
        [(7, 5), (7, 5)],
        {},
    ),
    "embedding": (lambda f, w, i: f.embedding(i, w), [(9, 4)], {"i": (9, (3, 5))}),
    "attention": (
        lambda f, q, k, v: f.scaled_dot_product_attention(q, k, v, is_causal=True),
        [(2, 3, 5, 4)] * 3,
        {},
    ),
    "conv1d": (lambda f, x, w, b: f.conv1d(x, w, b, padding=1), [(3, 2, 7), (4, 2, 3), (4,)], {}),
    "conv2d": (
        lambda f, x, w, b: f.conv2d(x, w, b, stride=2, padding=1, groups=2),
        [(3, 4, 7, 6), (6, 2, 3, 3), (6,)],
        {},
    ),
    "conv_transpose2d": (
        lambda f, x, w: f.conv_transpose2d(x, w, stride=2),
        [(3, 4, 5, 4), (4, 2, 3, 3)],
        {},
    ),
    "max_pool2d": (lambda f, x: f.max_pool2d(x, 2), [(3, 2, 6, 7)], {}),
    "avg_pool2d": (lambda f, x: f.avg_pool2d(x, 3, 1, 1), [(3, 2, 6, 7)], {}),
    "largest along an axis": (lambda f, x: x.max(1)[0] + x.min(0)[0].sum(), [(7, 5)], {}),
    "median": (lambda f, x: x.median(1)[0], [(7, 5)], {}),
    "running extremes": (lambda f, x: x.cummax(0)[0] * x.cummin(1)[0], [(7, 5)], {}),
    "sorted": (lambda f, x: x.sort(0)[0] * x.topk(5, 1)[0], [(7, 5)], {}),
    "running sums": (lambda f, x: x.cumsum(0) * x.cumsum(1), [(7, 5)], {}),
    "indexed": (lambda f, x, i: x[i] * x[:, i[0]].sum(), [(7, 5)], {"i": (5, (4, 2))}),
    "gathered": (lambda f, x, i: x.gather(1, i), [(7, 5)], {"i": (5, (7, 3))}),
    "scattered": (
        lambda f, x, y, i: x.scatter_add(0, i, y),
        [(7, 5), (4, 5)],
        {"i": (7, (4, 5))},
    ),
    "written": (lambda f, x, y, i: x.index_add(0, i, y), [(7, 5), (4, 5)], {"i": (7, (4,))}),
    "rolled and flipped": (lambda f, x, y: x.roll(2, 0) * y.flip(0), [(7, 5), (7, 5)], {}),
    "padded": (lambda f, x: f.pad(x, (1, 2, 0, 3)) ** 2, [(7, 5)], {}),
    "spread": (lambda f, x: x.var(0) + x.std(1).mean(), [(7, 5)], {}),
    "length": (lambda f, x: x.norm() * x.norm(dim=1).sum(), [(7, 5)], {}),
    "log of sums": (lambda f, x: x.logsumexp(0), [(7, 5)], {}),
    "heads": (
        lambda f, x: x.reshape(7, 3, 2, 4).permute(1, 2, 0, 3).flatten(0, 1) ** 2,
        [(7, 24)],
        {},
    ),
    "fused heads": (lambda f, x: x.chunk(3, 1)[0] * x.chunk(3, 1)[2], [(7, 24)], {}),
}


@pytest.fixture
def groups(arrangement) -> Iterator[list[list[int]]]:
    """A session with signals for every group of workers that it has."""
    workers = 4 if arrangement == "embedded" else 3
    with gt.connect(workers=workers, new=True):
        found = [group for group in GROUPS if len(group) <= workers]
        register(found)
        yield found


def inputs(torch: ModuleType, name: str) -> list[Both]:
    """The inputs of a layer, the same on both sides."""
    _, shapes, positions = LAYERS[name]
    numbers = np.random.default_rng(list(name.encode()))
    arrays = [numbers.normal(size=shape) for shape in shapes]
    arrays += [numbers.integers(0, limit, shape) for limit, shape in positions.values()]
    return [Both(gt.tensor(array), torch.tensor(array)) for array in arrays]


def check(torch: ModuleType, name: str, lying: list[Lying], wish: str | None, dice) -> None:
    """Compare the result and the gradient of every input."""
    layer = LAYERS[name][0]
    laid = [lay(torch, x, how, dice) for x, how in zip(inputs(torch, name), lying, strict=True)]
    floats = [x for x in laid if x.torch.is_floating_point()]
    for x in floats:
        x.gt, x.torch = x.gt.detach().requires_grad_(), x.torch.requires_grad_()
    expected = layer(torch.nn.functional, *(x.torch for x in laid))
    with gt.signal.context(wish) if wish else contextlib.nullcontext():
        found = layer(gt.nn.functional, *(x.gt for x in laid))
    close(found, expected)
    (found * found).sum().backward()
    (expected * expected).sum().backward()
    for x in floats:
        close(x.gt.grad, x.torch.grad)


def close(found: gt.Tensor, expected: Any) -> None:
    np.testing.assert_allclose(
        found.detach().numpy(), expected.detach().numpy(), rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("name", LAYERS)
def test_where_inputs_lie_changes_no_gradient(torch, request, groups, name, full):
    dice = random.Random(f"{seed_of(request.config)} {name}")
    for _ in range(60 if full else 5):
        own = [dice.choice(groups)]
        lying = [dice.choice(ways(x, own)) for x in inputs(torch, name)]
        names = {str(how) for how in lying if how.how not in ("whole", "sum")}
        wish = dice.choice([None, *sorted(names)])
        try:
            check(torch, name, lying, wish, dice)
        except AssertionError as error:
            where = ", ".join(map(str, lying))
            raise AssertionError(f"with {where}, in {wish}: {error}") from error
