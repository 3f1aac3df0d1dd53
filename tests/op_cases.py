"""What the tests of the op table try: tensors of many shapes, and arguments for each signature."""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import gt
import numpy as np

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
DTYPES = ["bool", *INTEGERS, *FLOATS]

SHAPES = [(), (1,), (5,), (0,), (3, 4), (2, 0, 3), (2, 3, 4), (1, 1, 2, 1, 3)]
# Enough elements for several threads, in sizes that no tile divides.
LARGE = (67, 1031)
BROADCASTS = [
    ((3, 4), (4,)),
    ((3, 1), (1, 4)),
    ((), (2, 3)),
    ((2, 1, 3), (4, 1)),
    ((0, 3), (1, 3)),
    ((5,), (5,)),
    (LARGE, LARGE),
    (LARGE, (LARGE[1],)),
]


@dataclass
class Both:
    """The same tensor in GT and in PyTorch."""

    gt: gt.Tensor
    torch: Any

    def map(self, view: Callable[[Any], Any]) -> "Both":
        return Both(view(self.gt), view(self.torch))


class Maker:
    """Makes the same tensors on both sides, from a seed."""

    def __init__(self, torch: ModuleType, seed: str):
        self.torch = torch
        # NumPy's generator wants numbers, and `hash` of a string differs between processes.
        self.random = np.random.default_rng(list(seed.encode()))

    def numbers(self, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
        if dtype == "bool":
            return self.random.integers(0, 2, shape).astype(bool)
        if dtype in FLOATS:
            return np.asarray(self.random.uniform(-3, 3, shape))
        low = 0 if dtype == "uint8" else -4
        return np.asarray(self.random.integers(low, 5, shape), dtype=np.int64)

    def both(self, array: np.ndarray, dtype: str) -> Both:
        # Through lists and float64, so that GT's own way from NumPy is not what both sides share.
        reference = self.torch.tensor(array).to(getattr(self.torch, dtype))
        return Both(gt.tensor(array).to(getattr(gt, dtype)), reference)

    def tensor(self, dtype: str, shape: tuple[int, ...]) -> Both:
        return self.both(self.numbers(dtype, shape), dtype)

    def index(self, limit: int, shape: tuple[int, ...]) -> Both:
        return self.both(np.asarray(self.random.integers(0, max(limit, 1), shape)), "int64")

    def layouts(self, dtype: str) -> Iterator[Both]:
        """Tensors of many shapes; some are views whose elements do not lie in a row."""
        for shape in SHAPES:
            yield self.tensor(dtype, shape)
        yield self.tensor(dtype, LARGE)
        yield self.tensor(dtype, (4, 3)).map(lambda x: x.transpose(0, 1))
        yield self.tensor(dtype, (7, 6)).map(lambda x: x[1::2, ::3])
        yield self.tensor(dtype, (2, 3, 4)).map(lambda x: x.permute(2, 0, 1))
        yield self.tensor(dtype, (3, 1)).map(lambda x: x.expand(3, 4))
        yield self.tensor(dtype, (5, 4)).map(lambda x: x[2])


@dataclass
class Case:
    """One call."""

    args: list[Any]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def on(self, side: str) -> tuple[list[Any], dict[str, Any]]:
        """The arguments for `gt` or `torch`, where a string in `dtype` is a name."""

        def pick(value: Any) -> Any:
            return getattr(value, side) if isinstance(value, Both) else value

        args = [[pick(part) for part in a] if isinstance(a, list) else pick(a) for a in self.args]
        module = gt if side == "gt" else Case.torch_module
        kwargs = {
            key: getattr(module, value) if key == "dtype" and value else pick(value)
            for key, value in self.kwargs.items()
        }
        return args, kwargs

    torch_module = None

    def __str__(self) -> str:
        def show(value: Any) -> str:
            if isinstance(value, Both):
                return f"{value.gt.dtype.name}{list(value.gt.shape)}"
            return repr([show(part) for part in value] if isinstance(value, list) else value)

        named = [f"{key}={value!r}" for key, value in self.kwargs.items()]
        return ", ".join([show(arg) for arg in self.args] + named)


Cases = Iterator[Case]


def unary(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        yield Case([x])


def binary(make: Maker, dtype: str) -> Cases:
    for left, right in BROADCASTS:
        yield Case([make.tensor(dtype, left), make.tensor(dtype, right)])
    # Promotion between dtypes, and between tensors with and without axes.
    for other in DTYPES:
        yield Case([make.tensor(dtype, (3,)), make.tensor(other, (2, 3))])
        yield Case([make.tensor(dtype, (3,)), make.tensor(other, ())])
        yield Case([make.tensor(dtype, ()), make.tensor(other, (3,))])
    for x in make.layouts(dtype):
        yield Case([x, x])
        yield from (Case([x, number]) for number in (2, 1.5, True))


def rounded_quotients(make: Maker, dtype: str) -> Cases:
    yield from binary(make, dtype)
    # Whole numbers are divided by what is not zero, which is an error in PyTorch and here.
    for x in make.layouts(dtype):
        for mode in ("floor", "trunc", None):
            yield Case([x, 2.5 if dtype in FLOATS else 3], {"rounding_mode": mode})
    yield Case([make.tensor(dtype, (2,)), 2], {"rounding_mode": "up"})


def with_decimals(make: Maker, dtype: str) -> Cases:
    yield from unary(make, dtype)
    # In halves PyTorch's own results depend on how many elements there are: it rounds after each
    # step, or once.
    if dtype in ("float32", "float64"):
        yield from (Case([x], {"decimals": 1}) for x in make.layouts(dtype))


def reduction(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        rank = len(x.gt.shape)
        yield Case([x])
        axes = [*range(-rank, rank)]
        for dim in [*axes, *itertools.combinations(range(rank), 2), tuple(range(rank))]:
            for keepdim in (False, True):
                yield Case([x], {"dim": dim, "keepdim": keepdim})


def reduction_with_dtype(make: Maker, dtype: str) -> Cases:
    yield from reduction(make, dtype)
    for other in ("float64", "int64", "float16"):
        yield Case([make.tensor(dtype, (3, 4))], {"dim": 1, "dtype": other})


def moments(make: Maker, dtype: str) -> Cases:
    for case in reduction(make, dtype):
        yield case
        yield Case(case.args, {"correction": 0} | case.kwargs)
    x = make.tensor(dtype, (3, 4))
    yield from (Case([x, *args]) for args in [(False,), (True,), (0, False), (1, False, True)])
    yield from (Case([x], options) for options in [{"unbiased": False}, {"correction": 0.5}])


def norms(make: Maker, dtype: str) -> Cases:
    for case in reduction(make, dtype):
        for p in (2.0, 1, math.inf, 0, 3.0):
            yield Case(case.args, {"p": p} | case.kwargs)
    for other in ("float64", "float32", "int64"):
        for p in (2.0, 3.0):
            yield Case([make.tensor(dtype, (3, 4))], {"p": p, "dim": 1, "dtype": other})


def running(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        rank = len(x.gt.shape)
        yield from (Case([x, dim]) for dim in range(-rank, rank))
    yield Case([make.tensor(dtype, (3, 4)), 1], {"dtype": "float64"})


def one_axis(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        # PyTorch refuses integers here, unless there are none.
        if dtype not in FLOATS and x.gt.numel() == 0:
            continue
        rank = len(x.gt.shape)
        yield from (Case([x, dim]) for dim in range(-rank, rank))


def select(make: Maker, dtype: str) -> Cases:
    for left, right in BROADCASTS:
        condition = make.tensor("bool", left)
        yield Case([condition, make.tensor(dtype, right), make.tensor(dtype, left)])
    for other in DTYPES:
        yield Case([make.tensor("bool", (2, 1)), make.tensor(dtype, (3,)), make.tensor(other, ())])
    yield Case([make.tensor("bool", (2, 1)), make.tensor(dtype, (3,)), 2])
    yield Case([make.tensor("bool", (2, 1)), 1.5, make.tensor(dtype, (3,))])


def limits(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        for bounds in ({"min": 0}, {"max": 1}, {"min": -1, "max": 2}, {"min": 2, "max": 1}):
            yield Case([x], bounds)
    yield Case([make.tensor(dtype, (5,))], {"min": -0.5, "max": 1.5})


def between(make: Maker, dtype: str) -> Cases:
    for left, right in BROADCASTS:
        ends = [make.tensor(dtype, left), make.tensor(dtype, right)]
        yield Case([*ends, 0.25])
        yield Case([*ends, make.tensor(dtype, left)])


def products(make: Maker, dtype: str) -> Cases:
    for left, right in BROADCASTS:
        factors = [make.tensor(dtype, right), make.tensor(dtype, left)]
        yield Case([make.tensor(dtype, left), *factors])
        yield Case([make.tensor(dtype, left), *factors], {"value": 2})


def masked(make: Maker, dtype: str) -> Cases:
    for left, right in BROADCASTS:
        yield Case([make.tensor(dtype, left), make.tensor("bool", right), 1])


def with_options(**options: Any) -> Callable[["Maker", str], "Cases"]:
    """One tensor, with nothing else and with these options."""

    def made(make: Maker, dtype: str) -> Cases:
        for x in make.layouts(dtype):
            yield Case([x])
            yield Case([x], options)

    return made


def matmul(make: Maker, dtype: str) -> Cases:
    shapes = [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((5, 1, 2, 3), (4, 3, 2)),
        ((3,), (5, 3, 2)),
        ((0, 3), (3, 4)),
        ((2, 0), (0, 4)),
        ((0, 2, 3), (3, 1)),
        ((129, 96), (96, 131)),
    ]
    for left, right in shapes:
        # What PyTorch does with bools depends on whether there are any.
        if dtype != "bool" or 0 not in left + right:
            yield Case([make.tensor(dtype, left), make.tensor(dtype, right)])
    turned = make.tensor(dtype, (4, 3)).map(lambda x: x.transpose(0, 1))
    strided = make.tensor(dtype, (8, 6)).map(lambda x: x[::2, 1::2])
    yield Case([turned, strided])
    yield Case([strided, turned])


def other_shape(make: Maker, dtype: str) -> Cases:
    for shape, target in [
        ((), (1, 1)),
        ((6,), (2, 3)),
        ((2, 3), (-1,)),
        ((2, 3, 4), (4, -1)),
        ((0, 3), (3, 0)),
        ((1,), ()),
        (LARGE, (LARGE[1], LARGE[0])),
    ]:
        yield Case([make.tensor(dtype, shape), target])


def copied_shape(make: Maker, dtype: str) -> Cases:
    yield from other_shape(make, dtype)
    yield Case([make.tensor(dtype, (4, 3)).map(lambda x: x.transpose(0, 1)), (2, 6)])
    yield Case([make.tensor(dtype, (6, 4)).map(lambda x: x[::2]), (-1,)])


def expand(make: Maker, dtype: str) -> Cases:
    for shape, target in [
        ((), (2, 3)),
        ((1,), (4,)),
        ((3, 1), (3, 4)),
        ((3, 1), (2, -1, 4)),
        ((1, 3), (0, 3)),
    ]:
        yield Case([make.tensor(dtype, shape), target])


def permute(make: Maker, dtype: str) -> Cases:
    for shape in [(), (3,), (2, 3), (2, 0, 3), (2, 3, 4), LARGE]:
        for order in itertools.permutations(range(len(shape))):
            yield Case([make.tensor(dtype, shape), order])
    yield Case([make.tensor(dtype, (2, 3, 4)), (-1, 0, -2)])


def two_axes(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        axes = range(-len(x.gt.shape), len(x.gt.shape))
        pairs = [(0, 1)] if x.gt.shape == LARGE else itertools.product(axes, axes)
        yield from (Case([x, *pair]) for pair in pairs)


def added_axis(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        rank = len(x.gt.shape)
        yield from (Case([x, dim]) for dim in range(-rank - 1, rank + 1))


def removed_axes(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        rank = len(x.gt.shape)
        yield Case([x])
        yield from (Case([x, dim]) for dim in range(-rank, rank))
    yield Case([make.tensor(dtype, (1, 2, 1, 1)), (0, 1, 3)])
    yield Case([make.tensor(dtype, (1, 2, 1)), ()])


def gather(make: Maker, dtype: str) -> Cases:
    for shape, dim, taken in [
        ((5,), 0, (7,)),
        ((3, 4), 0, (2, 4)),
        ((3, 4), 1, (3, 6)),
        ((3, 4), -1, (2, 2)),
        ((2, 3, 4), 1, (2, 5, 4)),
        ((3,), 0, (0,)),
        ((300, 40), 0, (500, 40)),
    ]:
        yield Case([make.tensor(dtype, shape), dim, make.index(shape[dim], taken)])
    yield from (Case([make.tensor(dtype, ()), 0, make.index(1, size)]) for size in [(), (1,), (3,)])
    yield Case([make.tensor(dtype, (3,)), 0, make.index(3, ())])
    turned = make.tensor(dtype, (4, 3)).map(lambda x: x.transpose(0, 1))
    yield Case([turned, 0, make.index(3, (3, 4))])


def scatter(make: Maker, dtype: str) -> Cases:
    # The order in which floats are added to one place is not PyTorch's, so whole ones are used.
    kind = "int8" if dtype in FLOATS else dtype
    whole = make.numbers(kind, (500, 40))
    for shape, dim, index, src in [
        ((5,), 0, (7,), (7,)),
        ((3, 4), 0, (2, 4), (2, 4)),
        ((3, 4), 1, (3, 6), (3, 6)),
        ((3, 4), 1, (2, 2), (3, 5)),
        ((3,), 0, (0,), (0,)),
        ((300, 40), 0, (500, 40), (500, 40)),
    ]:
        cut = whole[tuple(map(slice, src))] if len(src) == 2 else whole[: src[0], 0]
        source = make.both(np.ascontiguousarray(cut), dtype)
        base = make.both(make.numbers(kind, shape), dtype)
        yield Case([base, dim, make.index(shape[dim], index), source])


def topk(make: Maker, dtype: str) -> Cases:
    # Distinct numbers: which of two equal ones comes first is not PyTorch's promise.
    for shape in [(6,), (4, 6), (6, 4), (2, 5, 3), (0, 3), (40, 60)]:
        for dim in range(-len(shape), len(shape)):
            rank = make.random.permuted(np.broadcast_to(_places(shape, dim), shape), axis=dim)
            for k in {0, min(1, shape[dim]), shape[dim] // 2, shape[dim]}:
                x = make.both(rank, dtype)
                yield from (Case([x, k, dim], {"largest": largest}) for largest in (True, False))
    yield Case([make.both(make.random.permutation(6), dtype), 3])


def _places(shape: tuple[int, ...], dim: int) -> np.ndarray:
    """0, 1, 2 … along one axis."""
    sizes = [1] * len(shape)
    sizes[dim] = shape[dim]
    return np.arange(shape[dim]).reshape(sizes)


def concatenation(make: Maker, dtype: str) -> Cases:
    def group(*shapes: tuple[int, ...]) -> list[Both]:
        return [make.tensor(dtype, shape) for shape in shapes]

    yield Case([group((3,))])
    yield Case([group((2, 3), (4, 3))])
    yield Case([group((2, 3), (2, 0), (2, 5)), 1])
    yield Case([group((0,), (2, 3), (0,), (2, 1)), 1])
    yield Case([group((2, 3, 4), (2, 3, 4)), -2])
    yield Case([group(LARGE, LARGE), 1])
    yield Case([[make.tensor(dtype, (4, 3)).map(lambda x: x.transpose(0, 1)), *group((1, 4))]])
    for other in DTYPES:
        yield Case([[make.tensor(dtype, (2,)), make.tensor(other, (3,))]])


def convolution(make: Maker, dtype: str) -> Cases:
    for image, filters, options in [
        ((1, 1, 3, 3), (1, 1, 3, 3), {}),
        ((2, 3, 8, 7), (4, 3, 3, 2), {"stride": 2, "padding": 1}),
        ((2, 4, 9, 9), (6, 2, 3, 3), {"groups": 2, "dilation": 2}),
        ((1, 3, 20, 30), (8, 3, 5, 5), {"padding": 2}),
        ((1, 2, 5, 6), (2, 2, 1, 1), {"stride": (2, 1), "padding": (0, 2)}),
    ]:
        yield Case([make.tensor(dtype, image), make.tensor(dtype, filters)], options)


def adjoint_convolution(make: Maker, dtype: str) -> Cases:
    for image, filters, options in [
        ((1, 1, 3, 3), (1, 1, 3, 3), {}),
        ((2, 3, 4, 5), (3, 4, 3, 2), {"stride": 2, "padding": 1, "output_padding": 1}),
        ((2, 4, 5, 5), (4, 3, 3, 3), {"groups": 2, "dilation": 2}),
        ((1, 2, 5, 6), (2, 2, 1, 1), {"stride": (2, 1), "padding": (0, 2)}),
    ]:
        inputs = [make.tensor(dtype, image), make.tensor(dtype, filters)]
        if dtype in ("float16", "bfloat16"):
            # PyTorch adds up in these dtypes themselves, so that only whole sums are the same.
            signs = [np.sign(make.numbers("int8", shape)) for shape in (image, filters)]
            inputs = [make.both(sign, dtype) for sign in signs]
        yield Case(inputs, options)


def created(make: Maker, dtype: str) -> Cases:
    for shape in SHAPES:
        yield Case([shape])
        # PyTorch has no random integers of this kind, and makes an exception for no numbers at all.
        if 0 not in shape:
            yield Case([shape], {"dtype": dtype})
    yield Case([2, 3], {"dtype": dtype})


def filled(make: Maker, dtype: str) -> Cases:
    for number in (True, 3, 1.5):
        yield Case([(2, 3), number])
        yield Case([(2, 3), number], {"dtype": dtype})
    yield Case([(), 1], {"dtype": dtype})


def stepped(make: Maker, dtype: str) -> Cases:
    for args in [(5,), (2, 7), (1, 8, 2), (0, 0), (5.0,), (0, 2, 0.25), (7, 1, -2), (100_000,)]:
        yield Case([*args])
        whole = not any(isinstance(number, float) for number in args)
        wide = dtype not in ("bool", "uint8", "int8", "float16", "bfloat16")
        if wide and (whole or dtype in FLOATS):
            yield Case([*args], {"dtype": dtype})
    if dtype in ("int32", "int64"):
        for args in [(2.5,), (0, 2.5), (1, 5, 0.5), (3, -1.5, -1)]:
            yield Case([*args], {"dtype": dtype})


def repeated(make: Maker, dtype: str) -> Cases:
    for shape, times in [
        ((), (3,)),
        ((2,), (3,)),
        ((2, 3), (2, 1)),
        ((2, 3), (4, 1, 2)),
        ((3,), (0,)),
        ((2, 0), (2, 2)),
        ((1, 3), (1, 1)),
    ]:
        yield Case([make.tensor(dtype, shape), times])
    yield Case([make.tensor(dtype, (2, 3)), (2,)])
    yield Case([make.tensor(dtype, (2, 3)).map(lambda x: x.transpose(0, 1)), (1, 2)])


def flipped(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        rank = len(x.gt.shape)
        for dims in [*itertools.combinations(range(rank), 1), tuple(range(-rank, 0)), ()]:
            yield Case([x, dims])
    yield Case([make.tensor(dtype, (2, 3)), (0, 0)])


def rolled(make: Maker, dtype: str) -> Cases:
    for shape in [(5,), (3, 4), (2, 0, 3), (1,)]:
        x = make.tensor(dtype, shape)
        yield from (Case([x, shift]) for shift in (0, 1, -2, 7))
        yield from (Case([x, 2, dim]) for dim in range(-len(shape), len(shape)))
    yield Case([make.tensor(dtype, (3, 4)), (1, -1), (0, 1)])
    yield Case([make.tensor(dtype, (3, 4)), (1, 2), (0,)])


def rotated(make: Maker, dtype: str) -> Cases:
    for k in range(-4, 5):
        yield Case([make.tensor(dtype, (2, 3)), k, (0, 1)])
        yield Case([make.tensor(dtype, (2, 3, 4)), k, (2, 0)])
    yield Case([make.tensor(dtype, (2, 3)), 1, (0, 0)])
    yield Case([make.tensor(dtype, (3,)), 1, (0, 1)])


def stacked(make: Maker, dtype: str) -> Cases:
    for shape in [(), (3,), (2, 3), (2, 0)]:
        parts = [make.tensor(dtype, shape) for _ in range(3)]
        yield from (Case([parts, dim]) for dim in range(-len(shape) - 1, len(shape) + 1))
    yield Case([[make.tensor(dtype, (2,)), make.tensor(dtype, (3,))]])
    for other in DTYPES:
        yield Case([[make.tensor(dtype, (2,)), make.tensor(other, (2,))]])


def side_by_side(make: Maker, dtype: str) -> Cases:
    for shapes in [((), ()), ((2,), (2,)), ((2, 3), (2, 3)), ((2, 3), (1, 3)), ((2, 1, 2),) * 2]:
        yield Case([[make.tensor(dtype, shape) for shape in shapes]])


def framed(make: Maker, dtype: str) -> Cases:
    for shape, pad in [
        ((3,), (1, 2)),
        ((2, 3), (1, 0)),
        ((2, 3), (0, 1, 2, 0)),
        ((4, 5), (-1, -2)),
        ((4, 5), (-1, 2, 0, -1)),
        ((2, 3, 4), (0, 0, 1, 1)),
        ((2, 3), (1, 1, 1, 1, 1, 1)),
        ((2, 3), (1,)),
        ((3,), (-2, -2)),
    ]:
        yield Case([make.tensor(dtype, shape), pad])
        yield Case([make.tensor(dtype, shape), pad], {"value": 2})
        yield Case([make.tensor(dtype, shape), pad, "constant", 1.0])
    for shape, pad in [((2, 3), (2, 1)), ((1, 3, 4), (1, 2, 2, 1)), ((1, 2, 3, 4), (-1, 2, 2, -1))]:
        for mode in ("reflect", "replicate", "circular"):
            if dtype in FLOATS:
                yield Case([make.tensor(dtype, shape), pad, mode])


def diagonals(make: Maker, dtype: str) -> Cases:
    for shape in [(3, 3), (2, 5), (5, 2), (2, 3, 4), (0, 3), (4,), ()]:
        for diagonal in (0, 1, -1, 2, -4):
            # PyTorch has no opinion on a diagonal beyond a matrix without elements.
            if 0 not in shape or diagonal == 0:
                yield Case([make.tensor(dtype, shape), diagonal])
    yield Case([make.tensor(dtype, (4, 3)).map(lambda x: x.transpose(0, 1))])


def merged_axes(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        rank = len(x.gt.shape)
        yield Case([x])
        for start in range(rank):
            yield from (Case([x, start, end]) for end in range(-rank, rank))


def divided_axis(make: Maker, dtype: str) -> Cases:
    for shape, dim, sizes in [
        ((6,), 0, (2, 3)),
        ((2, 6), -1, (3, -1)),
        ((2, 6), 1, (4, 2)),
        ((2, 8, 3), 1, (2, 2, 2)),
        ((0, 2), 0, (0, 2)),
    ]:
        yield Case([make.tensor(dtype, shape), dim, sizes])


def narrowed(make: Maker, dtype: str) -> Cases:
    for shape in [(5,), (3, 4), (2, 0)]:
        for dim in range(-len(shape), len(shape)):
            for start, length in [(0, 2), (1, 1), (-2, 2), (0, 0), (2, 9), (9, 1), (1, -1)]:
                yield Case([make.tensor(dtype, shape), dim, start, length])


def moved_axes(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        rank = len(x.gt.shape)
        for pair in itertools.product(range(-rank, rank), repeat=2):
            yield Case([x, *pair])
    yield Case([make.tensor(dtype, (2, 3, 4)), (0, 1), (2, 0)])
    yield Case([make.tensor(dtype, (2, 3, 4)), (0, 1), (2,)])
    yield Case([make.tensor(dtype, (2, 3, 4)), (0, 0), (1, 2)])


def evenly_spaced(make: Maker, dtype: str) -> Cases:
    for args in [(0, 1, 5), (0, 10, 4), (3, -2, 7), (1, 2, 1), (1, 2, 0), (0.5, 9.7, 11)]:
        yield Case([*args])
        if dtype not in ("bool", "uint8"):
            yield Case([*args], {"dtype": dtype})
    yield Case([0, 1, -1])


def powers(make: Maker, dtype: str) -> Cases:
    for args in [(0, 2, 3), (-1, 1, 5), (0, 3, 4, 2.0), (1, 1, 1)]:
        yield Case([*args])
        if dtype in FLOATS:
            yield Case([*args], {"dtype": dtype})


def identity(make: Maker, dtype: str) -> Cases:
    for args in [(3,), (0,), (2, 4), (4, 2), (0, 3), (-1,)]:
        yield Case([*args])
        yield Case([*args], {"dtype": dtype})


def like(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        yield Case([x])
        # PyTorch makes an exception for no numbers at all.
        if x.gt.numel() > 0:
            yield from (Case([x], {"dtype": other}) for other in ("float64", "int32"))


def floats_like(make: Maker, dtype: str) -> Cases:
    yield from (case for case in like(make, dtype) if case.args[0].gt.numel() > 0)


def filled_like(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        yield from (Case([x, number]) for number in (0, 1, True))
        yield Case([x, 2], {"dtype": "float64"})


def beside(make: Maker, dtype: str) -> Cases:
    for shape in SHAPES:
        yield Case([make.tensor(dtype, (2,)), shape])
        yield Case([make.tensor(dtype, (2,)), shape], {"dtype": "float64"})


def filled_beside(make: Maker, dtype: str) -> Cases:
    for number in (True, 1, 0):
        yield Case([make.tensor(dtype, (2,)), (2, 3), number])
        yield Case([make.tensor(dtype, (2,)), (2, 3), number], {"dtype": "float64"})


def whole_numbers(make: Maker, dtype: str) -> Cases:
    for args in [(10, (2, 3)), (2, 7, (4,)), (-3, 3, ()), (1, (0,)), (3, 3, (2,)), (0, 300, (2,))]:
        yield Case([*args])
        # Whole numbers beyond what a narrow dtype holds exactly are PyTorch's warning, not ours.
        if dtype not in ("bool", "uint8") or args[0] >= 0:
            yield Case([*args], {"dtype": dtype})


def whole_numbers_like(make: Maker, dtype: str) -> Cases:
    for args in [(2,), (0, 2), (1, 2)]:
        yield Case([make.tensor(dtype, (2, 3)), *args])
        yield Case([make.tensor(dtype, (2, 3)), *args], {"dtype": "int64"})


def permutation(make: Maker, dtype: str) -> Cases:
    for n in (0, 1, 5, 100):
        yield Case([n])
    if dtype in ("uint8", "int16", "int64", "float32"):
        yield Case([10], {"dtype": dtype})


def chances(make: Maker, dtype: str) -> Cases:
    for shape in [(), (5,), (2, 3)]:
        x = make.both(np.asarray(make.random.uniform(0, 1, shape)), dtype)
        yield Case([x])
        yield Case([x, 0.25])


def in_a_range(make: Maker, dtype: str) -> Cases:
    for shape in [(), (5,), (2, 3)]:
        x = make.tensor(dtype, shape)
        yield Case([x])
        yield Case([x, 0.5, 2.0])
        yield Case([x, 0.5, -1.0])


def weights(make: Maker, dtype: str) -> Cases:
    x = make.both(np.asarray(make.random.uniform(0.5, 1, (3, 4))), dtype)
    for args in [(2,), (4,), (5,), (6, True), (0,)]:
        yield Case([x, *args])
        yield Case([x.map(lambda x: x[0]), *args])


def shapes_of_rank(*pairs: tuple[tuple[int, ...], ...]) -> Callable[[Maker, str], Cases]:
    """Tensors of these shapes; what PyTorch does with bools depends on whether there are any."""

    def made(make: Maker, dtype: str) -> Cases:
        for shapes in pairs:
            if dtype != "bool" or 0 not in sum(shapes, ()):
                yield Case([make.tensor(dtype, shape) for shape in shapes])

    return made


def added_products(first: tuple[int, ...]) -> Callable[[Maker, str], Cases]:
    """Matrices to multiply, in stacks of this shape, and what is added."""

    def made(make: Maker, dtype: str) -> Cases:
        for added in [(*first, 2, 3), (3,), (2, 1), (1, 1), (*first, 2, 4)]:
            factors = [make.tensor(dtype, (*first, 2, 5)), make.tensor(dtype, (*first, 5, 3))]
            yield Case([make.tensor(dtype, added), *factors])
            yield Case([make.tensor(dtype, added), *factors], {"beta": 2, "alpha": 3})
            yield Case([make.tensor(dtype, added), *factors], {"beta": 0})

    return made


def sums_of_products(make: Maker, dtype: str) -> Cases:
    # Whether a sum of narrow whole numbers is int64 depends on PyTorch's order of steps.
    if dtype in ("bool", "uint8", "int8", "int16", "int32"):
        return
    for equation, *shapes in [
        ("ij,jk->ik", (2, 3), (3, 4)),
        ("ij,jk", (2, 3), (3, 4)),
        ("ba,ac", (2, 3), (3, 4)),
        (" i j , j k -> k i ", (2, 3), (3, 4)),
        ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
        ("ii->i", (3, 3)),
        ("ii", (3, 3)),
        ("iji->j", (2, 3, 2)),
        ("ij->", (2, 3)),
        ("ij->ji", (2, 3)),
        ("i,j->ij", (2,), (3,)),
        ("i,i->i", (3,), (3,)),
        ("...ij,...jk->...ik", (2, 3, 4), (4, 5)),
        ("...ij,...jk", (2, 1, 3, 4), (5, 4, 2)),
        ("i...->...", (3, 2, 4)),
        ("...,...->...", (2, 3), (3,)),
        ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)),
        ("i,ij,j->", (2,), (2, 3), (3,)),
        ("ij,ij->i", (2, 3), (2, 1)),
        ("ij,k->i", (2, 3), (4,)),
        ("abc,cd,be->ade", (2, 3, 4), (4, 5), (3, 2)),
        ("ij,jk->ik", (2, 0), (0, 3)),
        ("aB,Bc->ac", (2, 3), (3, 2)),
        (",i->i", (), (3,)),
        ("ij,jk->ik", (2, 3), (4, 5)),
        ("ij->ik", (2, 3)),
        ("ij->ii", (2, 3)),
        ("ij", (2, 3, 4)),
        ("i,i", (3,)),
        ("i1->i", (2, 3)),
    ]:
        operands = [make.tensor(dtype, shape) for shape in shapes]
        yield Case([equation, *operands])
        yield Case([equation, operands])


def repairs(make: Maker, dtype: str) -> Cases:
    yield from (Case([x]) for x in make.layouts(dtype))
    if dtype in FLOATS:
        odd = make.both(np.array([1.0, math.nan, math.inf, -math.inf]), dtype)
        yield Case([odd])
        yield Case([odd], {"nan": 2.0, "posinf": 3.0, "neginf": -4.0})
        yield Case([odd], {"posinf": 1.0})


def steps(make: Maker, dtype: str) -> Cases:
    for left, right in BROADCASTS:
        yield Case([make.tensor(dtype, left), make.tensor(dtype, right)])
    for other in DTYPES:
        yield Case([make.tensor(dtype, (3,)), make.tensor(other, (3,))])


def quotients(make: Maker, dtype: str) -> Cases:
    for left, right in BROADCASTS:
        factors = [make.tensor(dtype, right), make.tensor(dtype, left).map(lambda x: x + 5)]
        yield Case([make.tensor(dtype, left), *factors])
        yield Case([make.tensor(dtype, left), *factors], {"value": 2})


def above(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        yield from (Case([x, *args]) for args in [(0, 0), (1, 20), (-1.0, 0.0)])


def scaled(make: Maker, dtype: str) -> Cases:
    yield from binary(make, dtype)
    # Scaled, truths are whole numbers here; PyTorch makes truths of them again.
    if dtype == "bool":
        return
    for left, right in BROADCASTS:
        pair = [make.tensor(dtype, left), make.tensor(dtype, right)]
        yield from (Case(pair, {"alpha": alpha}) for alpha in (2, -1, 0.5))
    for other in DTYPES:
        yield Case([make.tensor(dtype, (3,)), make.tensor(other, (2, 3))], {"alpha": 3})
    yield Case([make.tensor(dtype, (3,)), 2], {"alpha": 3})


def distinct(make: Maker, dtype: str, shape: tuple[int, ...]) -> Both:
    """Elements of which no two are alike, so that only one of them is in the middle."""
    numbers = make.random.permutation(math.prod(shape)).reshape(shape)
    return make.both(numbers * 0.25 if dtype in FLOATS else numbers, dtype)


def middles(make: Maker, dtype: str) -> Cases:
    if dtype == "bool":
        return
    for shape in [(), (1,), (5,), (6,), (3, 4), (2, 3, 4)]:
        x = distinct(make, dtype, shape)
        yield Case([x])
        for dim in range(-len(shape), len(shape)):
            yield Case([x, dim])
            yield Case([x], {"dim": dim, "keepdim": True})
    if dtype in FLOATS:
        odd = np.array([[1.0, math.nan, 3.0, 2.0], [math.inf, 1.0, 0.0, -math.inf]])
        yield Case([make.both(odd, dtype)])
        yield Case([make.both(odd, dtype), 1])


def two_axis_diagonals(make: Maker, dtype: str) -> Cases:
    for x in make.layouts(dtype):
        rank = len(x.gt.shape)
        yield Case([x])
        for offset, dim1, dim2 in [(0, 0, 1), (1, 0, 1), (-2, 0, 1), (1, -1, 0), (9, 0, 1)]:
            yield Case([x, offset, dim1, dim2])
        if rank > 2:
            yield Case([x], {"offset": -1, "dim1": 1, "dim2": 2})
            yield Case([x], {"dim1": 2, "dim2": 2})


def written_diagonals(make: Maker, dtype: str) -> Cases:
    for shape, src, *options in [
        ((3, 4), (3,)),
        ((3, 4), (2,), 2),
        ((4, 3), (2,), -2),
        ((2, 3, 4), (3, 2), 0, 0, 2),
        ((2, 3, 4), (2, 3), 1, 1, 2),
        ((3, 4), (4,)),
    ]:
        yield Case([make.tensor(dtype, shape), make.tensor(dtype, src), *options])


def sequences(make: Maker, dtype: str) -> Cases:
    """Sorted elements, and others to be found among them; some are equal."""
    if dtype == "bool":
        return
    for sequence, values in [((5,), (2, 3)), ((1,), ()), ((0,), (3,)), ((2, 6), (2, 4))]:
        sort = lambda x: x.sort(-1)[0]  # noqa: E731
        pair = [make.tensor(dtype, sequence).map(sort), make.tensor(dtype, values)]
        if sequence == (5,):
            pair[1] = pair[0].map(lambda x: x[:4].reshape(2, 2))
        yield Case(pair)
        yield Case(pair, {"right": True})
    yield Case([make.tensor(dtype, (5,)).map(sort), 1])
    yield Case([make.tensor(dtype, (2, 5)), make.tensor(dtype, (3, 5))])
    yield Case([make.tensor(dtype, (5,)).map(sort), make.tensor("int64", (3,))])


def sequences_and_orders(make: Maker, dtype: str) -> Cases:
    yield from sequences(make, dtype)
    for sequence, values in [((5,), (2, 3)), ((2, 6), (2, 4)), ((0,), (2,))]:
        given = make.tensor(dtype, sequence)
        sorter = given.map(lambda x: x.argsort(-1))
        yield Case([given, make.tensor(dtype, values)], {"sorter": sorter})
    yield Case([given, make.tensor(dtype, (2,))], {"sorter": make.index(1, (3,))})


def boundaries(make: Maker, dtype: str) -> Cases:
    for case in sequences(make, dtype):
        yield Case(case.args[::-1], case.kwargs)


# By the names of the parameters; a row of a known form needs nothing here.
BY_PARAMETERS: dict[str, Callable[[Maker, str], Cases]] = {
    "input": unary,
    "input, other": binary,
    "input, other, alpha": scaled,
    "input, dim, keepdim": reduction,
    "input, dim, keepdim, dtype": reduction_with_dtype,
    "input, dim, correction, keepdim": moments,
    "input, p, dim, keepdim, dtype": norms,
    "input, dim, dtype": running,
    "input, min, max": limits,
    "input, end, weight": between,
    "input, tensor1, tensor2, value": products,
    "input, mask, value": masked,
    "input, approximate": with_options(approximate="tanh"),
    "input, beta, threshold": with_options(beta=2.0, threshold=1.0),
    "input, negative_slope": with_options(negative_slope=0.2),
    "input, alpha": with_options(alpha=0.5),
    "condition, input, other": select,
    "input, dim": one_axis,
    "input, dim0, dim1": two_axes,
    "input, dims": permute,
    "input, dim, index": gather,
    "input, dim, index, src": scatter,
    "input, k, dim, largest, sorted": topk,
    "tensors, dim": concatenation,
    "input, weight, stride, padding, dilation, groups": convolution,
    "input, weight, stride, padding, output_padding, groups, dilation": adjoint_convolution,
    "shape, dtype": created,
    "shape, fill_value, dtype": filled,
    "start, end, step, dtype": stepped,
    "tensors": side_by_side,
    "input, diagonal": diagonals,
    "input, offset, dim1, dim2": two_axis_diagonals,
    "input, src, offset, dim1, dim2": written_diagonals,
    "sorted_sequence, input, out_int32, right, side, sorter": sequences_and_orders,
    "input, boundaries, out_int32, right": boundaries,
    "input, min": binary,
    "input, other, rounding_mode": rounded_quotients,
    "input, decimals": with_decimals,
    "input, max": binary,
    "input, start_dim, end_dim": merged_axes,
    "input, dim, sizes": divided_axis,
    "input, dim, start, length": narrowed,
    "input, source, destination": moved_axes,
    "input, shifts, dims": rolled,
    "input, k, dims": rotated,
    "input, pad, mode, value": framed,
    "start, end, steps, dtype": evenly_spaced,
    "start, end, steps, base, dtype": powers,
    "n, m, dtype": identity,
    "n, dtype": permutation,
    "input, dtype": like,
    "input, fill_value, dtype": filled_like,
    "input, shape, dtype": beside,
    "input, shape, fill_value, dtype": filled_beside,
    "low, high, shape, dtype": whole_numbers,
    "input, low, high, dtype": whole_numbers_like,
    "input, p": chances,
    "input, num_samples, replacement": weights,
    "input, vec": shapes_of_rank(((2, 3), (3,)), ((2, 0), (0,)), ((2, 3), (2,)), ((3,), (3,))),
    "input, tensor": shapes_of_rank(((3,), (3,)), ((0,), (0,)), ((3,), (2,)), ((2, 3), (3,))),
    "input, vec2": shapes_of_rank(((3,), (4,)), ((0,), (2,)), ((2, 3), (3,))),
    "input, weight": shapes_of_rank(
        ((3, 4), (2, 4)), ((2, 5, 3), (4, 3)), ((4,), (3, 4)), ((2, 0), (3, 0)), ((3, 4), (2, 5))
    ),
    "input, weight, bias": shapes_of_rank(
        ((3, 4), (2, 4), (2,)),
        ((2, 5, 3), (4, 3), (4,)),
        ((4,), (3, 4), (3,)),
        ((2, 0), (3, 0), (3,)),
        ((3, 4), (2, 5), (2,)),
        ((3, 4), (2, 4), (3,)),
    ),
    "input, mat1, mat2, beta, alpha": added_products(()),
    "input, batch1, batch2, beta, alpha": added_products((4,)),
    "equation, operands": sums_of_products,
    "input, nan, posinf, neginf": repairs,
    "input, values": steps,
    "input, min_val, max_val": with_options(min_val=-2.0, max_val=0.5),
    "input, threshold, value": above,
}

# Rows whose parameters do not tell what shapes they want.
BY_NAME: dict[str, Callable[[Maker, str], Cases]] = {
    **dict.fromkeys(("softmax", "log_softmax", "softmin"), one_axis),
    "matmul": matmul,
    "reshape": copied_shape,
    "view": other_shape,
    "expand": expand,
    "unsqueeze": added_axis,
    "squeeze": removed_axes,
    "repeat": repeated,
    "tile": repeated,
    "flip": flipped,
    "stack": stacked,
    "broadcast_to": expand,
    "rand_like": floats_like,
    "randn_like": floats_like,
    "uniform": in_a_range,
    "normal": in_a_range,
    "mm": shapes_of_rank(((2, 3), (3, 4)), ((2, 0), (0, 3)), ((2, 3), (2, 3)), ((3,), (3, 2))),
    "bmm": shapes_of_rank(((2, 3, 4), (2, 4, 5)), ((2, 3, 4), (1, 4, 5)), ((3, 4), (4, 5))),
    "inner": shapes_of_rank(((3,), (3,)), ((2, 3), (4, 3)), ((2, 3), (4, 2)), ((), (2, 3))),
    "addcdiv": quotients,
    "median": middles,
}
