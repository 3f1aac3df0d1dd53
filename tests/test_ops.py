"""The op table against PyTorch: every row, in every form it has in Python, over all dtypes.

Rows are read from the generated reference, so that one whose signature is known here is tested
without a change here.
"""

import functools
import itertools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import gt
import index_cases
import numpy as np
import pytest

REFERENCE = Path(__file__).parents[1] / "docs" / "reference" / "ops.md"

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
class Row:
    """What the reference says of an operation."""

    name: str
    call: str
    torch: str
    also: list[str]

    @property
    def parameters(self) -> str:
        """The names of the parameters, as in `input, dim, keepdim`."""
        inside = re.search(r"\((.*)\)", self.call)
        if inside is None:
            return ""
        return ", ".join(part.split("=")[0].strip() for part in inside[1].split(","))


def rows() -> list[Row]:
    """The rows of the table that name something of PyTorch."""
    found = []
    for block in REFERENCE.read_text(encoding="utf-8").split("\n## ")[1:]:
        facts = dict(re.findall(r"^- (call|also as|PyTorch): (.*)$", block, re.MULTILINE))
        if "PyTorch" in facts:
            also = re.findall(r"`(\w+)`", facts.get("also as", ""))
            name = block.split("\n", 1)[0].strip()
            found.append(Row(name, facts["call"], facts["PyTorch"].strip("`"), also))
    return found


ROWS = {row.name: row for row in rows()}


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
            key: getattr(module, value) if key == "dtype" and value else value
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


def norms(make: Maker, dtype: str) -> Cases:
    for case in reduction(make, dtype):
        for p in (2.0, 1, math.inf, 0, 3.0):
            yield Case(case.args, {"p": p} | case.kwargs)


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


# By the names of the parameters; a row of a known form needs nothing here.
BY_PARAMETERS: dict[str, Callable[[Maker, str], Cases]] = {
    "input": unary,
    "input, other": binary,
    "input, dim, keepdim": reduction,
    "input, dim, keepdim, dtype": reduction_with_dtype,
    "input, dim, correction, keepdim": moments,
    "input, p, dim, keepdim": norms,
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
    "shape, dtype": created,
    "shape, fill_value, dtype": filled,
    "start, end, step, dtype": stepped,
}

# Rows whose parameters do not tell what shapes they want.
BY_NAME: dict[str, Callable[[Maker, str], Cases]] = {
    "matmul": matmul,
    "reshape": copied_shape,
    "view": other_shape,
    "expand": expand,
    "unsqueeze": added_axis,
    "squeeze": removed_axes,
}

# Reached by syntax instead of a name; the tests at the end of the file are theirs.
BY_SYNTAX = {"cast", "slice", "slice_write"}

RANDOM = {"rand", "randn"}


def cases(row: Row) -> Callable[[Maker, str], Cases] | None:
    indexing = index_cases.BY_NAME.get(row.name)
    if indexing is not None:
        return lambda make, dtype: (Case(*case) for case in indexing(make, dtype))
    return BY_NAME.get(row.name) or BY_PARAMETERS.get(row.parameters)


def forms(row: Row, torch: ModuleType) -> Iterator[tuple[str, Callable, Callable]]:
    """Every way to call a row: its name, what it is in GT, what it is in PyTorch."""
    path = row.torch.removeprefix("torch.")
    theirs = functools.reduce(getattr, path.split("."), torch)
    if hasattr(gt, row.name):
        yield f"gt.{row.name}", getattr(gt, row.name), theirs
    for method in [row.name, *row.also]:
        if hasattr(gt.Tensor, method) and hasattr(torch.Tensor, method):
            its = getattr(torch.Tensor, method)
            yield f"Tensor.{method}", getattr(gt.Tensor, method), its


def is_in_place(form: str) -> bool:
    return form.endswith("_") and not form.endswith("__")


def outcome(function: Callable, case: Case, side: str, form: str) -> Any:
    """The result of a call, or the exception it raises."""
    args, kwargs = case.on(side)
    try:
        if is_in_place(form):
            args[0] = args[0].clone()
            function(*args, **kwargs)
            return args[0]
        return function(*args, **kwargs)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        return error


def values(torch: ModuleType, tensor: gt.Tensor) -> Any:
    """A tensor of GT as one of PyTorch."""
    dtype = getattr(torch, tensor.dtype.name)
    array = tensor.float().numpy() if tensor.dtype == "bfloat16" else tensor.numpy()
    return torch.from_numpy(array).to(dtype)


def fails(ours: Any) -> bool:
    """Whether a call is an error, at once or, where that depends on data, at the read."""
    if not isinstance(ours, gt.Tensor):
        return isinstance(ours, Exception)
    try:
        ours.tolist()
    except (RuntimeError, IndexError):
        return True
    return False


def difference(torch: ModuleType, ours: Any, theirs: Any, row: Row) -> str | None:
    """What is wrong with a result, if anything is."""
    if isinstance(theirs, Exception):
        return None if fails(ours) else refusal(theirs)
    if isinstance(ours, Exception):
        return f"raises {type(ours).__name__}: {ours}"
    if isinstance(theirs, tuple):
        parts = [difference(torch, a, b, row) for a, b in zip(ours, theirs, strict=True)]
        return next(filter(None, parts), None)
    if not isinstance(theirs, torch.Tensor):
        return None if ours is theirs else f"is {ours}, not {theirs}"
    if (ours.dtype.name, ours.shape) != (str(theirs.dtype)[6:], tuple(theirs.shape)):
        return f"is {ours.dtype.name}{ours.shape}, not {theirs.dtype}{tuple(theirs.shape)}"
    if row.name in RANDOM:
        return None
    try:
        torch.testing.assert_close(values(torch, ours), theirs, equal_nan=True, **tolerance(theirs))
    except AssertionError as error:
        return " ".join(str(error).split())
    except (RuntimeError, IndexError) as error:
        return f"cannot be read: {error}"
    return None


def tolerance(theirs: Any) -> dict[str, float]:
    """PyTorch's own tolerances, wide enough for many numbers added up in another order."""
    return {
        "float16": {"rtol": 4e-3, "atol": 4e-3},
        "bfloat16": {"rtol": 2e-2, "atol": 2e-2},
        "float32": {"rtol": 1e-5, "atol": 1e-4},
        "float64": {"rtol": 1e-12, "atol": 1e-12},
    }.get(str(theirs.dtype)[6:], {"rtol": 0, "atol": 0})


# What PyTorch refuses and GT takes, by a part of PyTorch's message: the result is what both would
# give after a cast, so that no program that PyTorch runs means something else in GT.
LENIENT = [
    "not implemented for",  # no kernel for the dtype; ours answers as a wider one does
    "topk does not support bool",  # false before true, as `sort` has it in both
    "does not support bool input",  # argmax: where the first true is
    "must be int, not tuple",  # several axes where PyTorch takes one; each is combined
    "with a bool tensor is not supported",  # 1 - mask: the number makes it an integer
    "argument 'other' (position",  # maximum(x, 0): the number is what a tensor of it would be
]


def refusal(theirs: Exception) -> str | None:
    """What is wrong with an answer where PyTorch gives none."""
    message = str(theirs)
    if any(part in message for part in LENIENT):
        return None
    return f"PyTorch raises {type(theirs).__name__}: {message.splitlines()[0]}"


@pytest.fixture(autouse=True)
def session():
    """A row that ends the session fails alone: the next test begins another."""
    yield
    try:
        gt.ones(1).tolist()
    except (RuntimeError, IndexError):
        gt.close()


def test_every_row_with_a_pytorch_name_is_compared():
    missing = [
        f"{row.name}({row.parameters})"
        for row in ROWS.values()
        if cases(row) is None and row.name not in BY_SYNTAX
    ]
    assert len(ROWS) > 40
    assert missing == []


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if cases(row) is not None])
@pytest.mark.filterwarnings("ignore")
def test_row_agrees_with_pytorch(torch, name, dtype):
    row, wrong = ROWS[name], []
    Case.torch_module = torch
    for case in cases(row)(Maker(torch, f"{name} {dtype}"), dtype):
        # A product of a thousand factors leaves the range of these dtypes on its way; whether inf
        # or nan comes out is then a matter of the order. Whole numbers and float64 are compared.
        narrow = dtype in ("float16", "bfloat16", "float32")
        if name == "prod" and narrow and LARGE[1] in case.args[0].gt.shape:
            continue
        for form, ours, theirs in forms(row, torch):
            found = difference(
                torch,
                outcome(ours, case, "gt", form),
                outcome(theirs, case, "torch", form),
                row,
            )
            if found is not None:
                wrong.append(f"{form}({case}) {found}")
    assert not wrong, f"{len(wrong)} calls differ:\n" + "\n".join(wrong[:12])


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_cast_agrees_with_pytorch(torch, source, target):
    make = Maker(torch, f"{source} {target}")
    for x in make.layouts(source):
        if target == "uint8":
            x = x.map(abs) if source != "bool" else x
        ours, theirs = x.gt.to(target), x.torch.to(getattr(torch, target))
        assert difference(torch, ours, theirs, ROWS["cast"]) is None


INDICES = [
    0,
    -1,
    slice(None),
    slice(1, 3),
    slice(None, None, 2),
    slice(-2, None),
    slice(3, 1),
    slice(10, 20),
    ...,
    None,
    (0, 1),
    (slice(1, None), 0),
    (..., -1),
    (..., 0, slice(None, 2)),
    (None, 1, ..., None),
    (slice(None, None, 3), slice(1, None, 2), slice(0, 0)),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_slices_agree_with_pytorch(torch, index, dtype):
    make = Maker(torch, f"{index} {dtype}")
    x = make.tensor(dtype, (4, 5, 3))
    part = x.map(lambda x: x[index])
    assert difference(torch, part.gt, part.torch, ROWS["slice"]) is None
    written = make.tensor(dtype, tuple(part.torch.shape))
    for value in (written, make.tensor("float32", ()), make.tensor("int64", (1,)), 1, 1.5, True):
        x.gt[index] = value.gt if isinstance(value, Both) else value
        x.torch[index] = value.torch if isinstance(value, Both) else value
        assert difference(torch, x.gt, x.torch, ROWS["slice_write"]) is None


def test_conv2d_of_bools_is_refused_at_the_line(script):
    program = """
        import gt
        try:
            gt.conv2d(gt.ones(1, 1, 3, 3, dtype=gt.bool), gt.ones(1, 1, 2, 2, dtype=gt.bool))
        except RuntimeError:
            print("refused")
        print((gt.ones(2) + 1).tolist())
    """
    assert script(program).splitlines() == ["refused", "[2.0, 2.0]"]
