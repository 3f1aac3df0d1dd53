"""Cases for the rows that index and order, which tests/test_ops.py compares with PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

FLOATS = ["float16", "bfloat16", "float32", "float64"]

Sampler = Callable[[Any, str], Iterator[tuple[list[Any], dict[str, Any]]]]

# What a place is written with more than once is a sum of whole numbers: its order does not show.
SHAPES = [((5,), 0), ((3, 4), 0), ((3, 4), -1), ((2, 3, 4), 1), ((2, 0, 3), 0), ((300, 40), 0)]


def whole(make: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    """Whole numbers in any dtype."""
    return make.both(make.numbers("int8" if dtype in FLOATS else dtype, shape), dtype)


def distinct(make: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    """Numbers of which no two are equal, as far as the dtype goes."""
    count = int(np.prod(shape))
    return make.both(make.random.permutation(count).reshape(shape) % 120, dtype)


def listed(make: Any, dtype: str):
    for shape, dim in SHAPES:
        for count in (0, 1, 7):
            if shape[dim] or not count:
                yield [make.tensor(dtype, shape), dim, make.index(shape[dim], (count,))], {}
    yield [make.tensor(dtype, (3, 4)), 0, make.index(3, ())], {}
    yield [make.tensor(dtype, (3, 4)), 0, make.index(3, (2, 2))], {}
    yield [make.tensor(dtype, ()), 0, make.index(1, (1,))], {}


def added(make: Any, dtype: str):
    for (shape, dim), options in [(s, o) for s in SHAPES for o in ({}, {"alpha": 2})]:
        for count in (0, 1, 7):
            if shape[dim] or not count:
                sizes = [*shape]
                sizes[dim] = count
                source = whole(make, dtype, tuple(sizes))
                yield (
                    [
                        whole(make, dtype, shape),
                        dim,
                        make.index(shape[dim], (count,)),
                        source,
                    ],
                    options,
                )
    other = "float32" if dtype == "float64" else "float64"
    yield [make.tensor(dtype, (3,)), 0, make.index(3, (2,)), make.tensor(other, (2,))], {}
    yield [make.tensor(dtype, (3,)), 0, make.index(3, (2,)), make.tensor(dtype, (3,))], {}


def copied(make: Any, dtype: str):
    # A place that is written twice holds either: PyTorch does not say which.
    for shape, dim in SHAPES:
        count = shape[dim] // 2
        index = make.both(make.random.permutation(shape[dim])[:count], "int64")
        sizes = [*shape]
        sizes[dim] = count
        yield [make.tensor(dtype, shape), dim, index, make.tensor(dtype, tuple(sizes))], {}
    yield [make.tensor(dtype, (3, 4)), 0, make.index(3, (2,)), make.tensor(dtype, (2, 3))], {}


def filled(make: Any, dtype: str):
    for shape, dim in SHAPES:
        index = make.index(shape[dim], (2 if shape[dim] else 0,))
        for value in (1, True, make.tensor(dtype, ())):
            yield [make.tensor(dtype, shape), dim, index, value], {}
    yield [make.tensor(dtype, (3, 4)), 1, make.index(4, (2,)), make.tensor(dtype, (2,))], {}


def scattered(make: Any, dtype: str):
    for shape, dim, index in [
        ((5,), 0, (3,)),
        ((3, 4), 1, (3, 2)),
        ((3, 4), -1, (2, 2)),
        ((6, 2, 4), 0, (4, 2, 3)),
        ((3,), 0, (0,)),
        ((300, 40), 0, (150, 40)),
    ]:
        # No place twice: which one stays is not PyTorch's promise.
        orders = [make.random.permutation(shape[dim]) for _ in range(int(np.prod(shape)))]
        places = np.moveaxis(np.stack(orders)[:, : index[dim]], -1, 0)
        rest = [size for axis, size in enumerate(index) if axis != dim % len(index)]
        places = places[:, : int(np.prod(rest))].reshape([index[dim], *rest])
        places = np.moveaxis(places, 0, dim)
        index_pair = make.both(np.ascontiguousarray(places), "int64")
        base = make.tensor(dtype, shape)
        yield [base, dim, index_pair, make.tensor(dtype, index)], {}
        yield [base, dim, index_pair, 1], {}
        yield [base, dim, index_pair], {"value": True}
        larger = tuple(size + 1 for size in index)
        yield [base, dim, index_pair, make.tensor(dtype, larger)], {}
        yield (
            [whole(make, dtype, shape), dim, index_pair, whole(make, dtype, index)],
            {"reduce": "add"},
        )
    other = "float32" if dtype == "float64" else "float64"
    yield [make.tensor(dtype, (3,)), 0, make.index(3, (2,)), make.tensor(other, (2,))], {}


def taken(make: Any, dtype: str):
    for shape, index in [((5,), (7,)), ((3, 4), (2, 3)), ((2, 3, 4), ()), ((3,), (0,)), ((), (2,))]:
        x = make.tensor(dtype, shape)
        count = x.torch.numel()
        yield [x, make.index(count, index)], {}
        yield [x, make.both(make.random.integers(-count, count, index), "int64")], {}
    turned = make.tensor(dtype, (4, 3)).map(lambda x: x.transpose(0, 1))
    yield [turned, make.index(12, (5,))], {}


def along(make: Any, dtype: str):
    for shape, index, dim in [
        ((5,), (7,), 0),
        ((3, 4), (1, 4), 0),
        ((3, 4), (3, 6), 1),
        ((1, 4), (3, 2), -1),
        ((2, 3), (4,), None),
        ((2, 3, 4), (2, 1, 4), 1),
    ]:
        x = make.tensor(dtype, shape)
        below = x.torch.numel() if dim is None else shape[dim]
        yield [x, make.index(below, index)], {"dim": dim}


def masked(make: Any, dtype: str):
    for shape, mask in [((5,), (5,)), ((3, 4), (4,)), ((3, 1), (3, 4)), ((0, 3), (3,)), ((), ())]:
        source = make.tensor(dtype, (4, 5))
        yield [make.tensor(dtype, shape), make.tensor("bool", mask), source], {}
    other = "float32" if dtype == "float64" else "float64"
    yield [make.tensor(dtype, (3,)), make.tensor("bool", (3,)), make.tensor(other, (3,))], {}


def hot(make: Any, dtype: str):
    for shape in [(5,), (2, 3), (), (0,)]:
        yield [make.index(4, shape), 4], {}
    yield [make.index(4, (3,)), 2], {}


def ordered(make: Any, dtype: str):
    for shape in [(), (1,), (6,), (0,), (4, 6), (2, 5, 3), (0, 3), (40, 50)]:
        for dim in range(-len(shape), len(shape)) or [0]:
            for descending in (False, True):
                x = make.tensor(dtype, shape)
                # Only a stable order says where equal ones go.
                yield [x], {"dim": dim, "descending": descending, "stable": True}
    special = np.array([1.0, np.nan, -np.inf, np.inf, 0.0, -0.0, np.nan])
    if dtype in FLOATS:
        for descending in (False, True):
            x = make.both(special, dtype)
            yield [x], {"dim": 0, "descending": descending, "stable": True}
    yield [distinct(make, dtype, (5, 7))], {}


def running_extreme(make: Any, dtype: str):
    for shape in [(), (1,), (6,), (4, 6), (2, 5, 3), (0, 3), (40, 50)]:
        for dim in range(-len(shape), len(shape)) or [0]:
            yield [make.tensor(dtype, shape), dim], {}
    if dtype in FLOATS:
        yield [make.both(np.array([1.0, np.nan, 2.0, np.nan, np.inf]), dtype), 0], {}


def near(make: Any, dtype: str):
    for left, right in [((3, 4), (4,)), ((5,), (5,)), ((), (2,)), ((0, 3), (1, 3))]:
        a, b = make.tensor(dtype, left), make.tensor(dtype, right)
        for options in ({}, {"rtol": 0.5, "atol": 0.5}, {"rtol": 0.0, "atol": 1.0}):
            yield [a, b], options
        yield [a, a], {"equal_nan": True}
    if dtype in FLOATS:
        special = np.array([1.0, np.nan, -np.inf, np.inf, 0.0])
        a, b = make.both(special, dtype), make.both(special[::-1].copy(), dtype)
        for left, right in ((a, a), (a, b)):
            yield [left, right], {"equal_nan": True}
            yield [left, right], {"atol": 1.0}


BY_NAME: dict[str, Sampler] = {
    "index_select": listed,
    "index_add": added,
    "index_copy": copied,
    "index_fill": filled,
    "scatter": scattered,
    "take": taken,
    "take_along_dim": along,
    "masked_scatter": masked,
    "one_hot": hot,
    "sort": ordered,
    "argsort": ordered,
    "cummax": running_extreme,
    "cummin": running_extreme,
    "isclose": near,
}
