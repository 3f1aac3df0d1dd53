"""Engines against the reference: what each computes, beside NumPy in its plainest form.

Rows are those of the table, with the arguments that `op_cases` knows for them; kernels meet the
numbers at which functions go wrong. It needs no PyTorch.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

import gt
import numpy as np
import pytest
from gt.engines import reference
from op_cases import DTYPES, INTEGERS, LARGE, Maker
from test_ops import ROWS, UNDEFINED, cases

pytestmark = pytest.mark.embedded("compares two engines inside one process")

ENGINES = ("native", "reference")

# How far an engine may be from the reference, which rounds once: relative, and of the largest
# number in the result, because many are added up in another order.
TOLERANCES = {
    "float16": (2e-3, 1e-3),
    "bfloat16": (1.6e-2, 8e-3),
    "float32": (2e-6, 2e-6),
    "float64": (1e-13, 1e-13),
}

# Twice the smallest number of each.
SMALLEST = {"float16": 1.2e-7, "bfloat16": 2e-40, "float32": 3e-45, "float64": 1e-323}

# Numbers that leave the range of the dtype on the way, where it depends on the order how soon.
BEYOND = {"prod", "cumprod"}

# Every dtype meets a row in full; a quick run has a float, a whole number and the row's own.
QUICK = ("float32", "int64")


def on(monkeypatch, engine: str) -> Any:
    """Give a session in which an engine computes."""
    monkeypatch.setenv("GT_BACKEND", engine)
    return gt.connect(workers=1, new=True)


def found(result: Any) -> Any:
    """Give the elements of results as arrays, or what was raised."""
    if isinstance(result, gt.Tensor):
        wide = result.float() if result.dtype == "bfloat16" else result
        try:
            return result.dtype.name, wide.numpy()
        except (RuntimeError, IndexError) as error:
            return type(error)
    if isinstance(result, (tuple, list)):
        return [found(part) for part in result]
    return type(result) if isinstance(result, Exception) else result


def call(function: Callable, args: Any, kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        return error


def outcomes(row: Any, dtype: str) -> list[tuple[str, Any]]:
    """Give what a row comes to in all of its cases, on the session's engine."""
    made = []
    for case in cases(row)(Maker(gt, row.name), dtype):
        if row.name in BEYOND and str(list(LARGE)) in str(case):
            continue
        gt.manual_seed(5)
        args, kwargs = case.on("gt")
        made.append((str(case), found(call(getattr(gt, row.name), args, kwargs))))
    return made


def check(ours: Any, expected: Any, what: str, sums: bool = True) -> None:
    """Fail if a result is not the reference's; it may be made of sums."""
    if isinstance(expected, list):
        assert isinstance(ours, list), what
        for one, other in zip(ours, expected, strict=True):
            check(one, other, what, sums)
    elif isinstance(expected, tuple):
        assert isinstance(ours, tuple), f"{what}: {ours} instead of {expected}"
        (dtype, a), (other, b) = ours, expected
        assert (dtype, a.shape) == (other, b.shape), what
        close(a, b, dtype, what, sums)
    else:
        assert ours == expected, what


def close(a: np.ndarray, b: np.ndarray, dtype: str, what: str, sums: bool) -> None:
    if dtype not in TOLERANCES:
        np.testing.assert_array_equal(a, b, what)
        return
    relative, of_largest = TOLERANCES[dtype]
    finite = np.abs(b[np.isfinite(b)].astype(np.float64))
    # Numbers so small that they have few digits may differ in the last of them.
    absolute = of_largest * finite.max(initial=0) if sums else SMALLEST[dtype]
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(a, b, relative, absolute, err_msg=what)
    zeros = (a == 0) & (b == 0) & (not sums)
    np.testing.assert_array_equal(np.signbit(a[zeros]), np.signbit(b[zeros]), f"{what}: zeros")


def dtypes(row: Any, full: bool) -> list[str]:
    return DTYPES if full else [*QUICK, DTYPES[sum(row.name.encode()) % len(DTYPES)]]


@pytest.mark.parametrize("name", [n for n, row in ROWS.items() if cases(row) and hasattr(gt, n)])
def test_every_row_is_what_the_reference_computes(monkeypatch, name, full):
    row = ROWS[name]
    if name in UNDEFINED:
        return
    for dtype in dtypes(row, full):
        both = []
        for engine in ENGINES:
            with on(monkeypatch, engine):
                both.append(outcomes(row, dtype))
        for (what, ours), (_, expected) in zip(*both, strict=True):
            check(ours, expected, f"{name}({what})")


# Numbers at which functions of floats go wrong; those of whole numbers are the ends of the dtype.
NUMBERS = [
    *(0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 7.25, 1e-3, 1e-7, 1e-20, 1e-38, 1e-40, 1e-45, 88.7, 103.9),
    *(1e4, 65504.0, 1e10, 3e38, math.pi, math.e, math.inf, math.nan),
]


def special(dtype: str) -> list[float]:
    if dtype == "bool":
        return [False, True]
    if dtype in INTEGERS:
        ends = gt.iinfo(getattr(gt, dtype))
        return [0, 1, 2, 3, 7, ends.min, ends.min + 1, ends.max, ends.max - 1]
    return [sign * number for number in NUMBERS for sign in (1, -1)]


UNARY = [
    *("neg", "abs", "relu", "sign", "floor", "ceil", "round", "trunc"),
    *("square", "exp", "log", "sqrt", "tanh", "sigmoid", "reciprocal", "rsqrt"),
    *("expm1", "log1p", "log2", "sin", "cos", "tan", "atan", "erf"),
    *("isnan", "isinf", "isfinite", "logical_not", "bitwise_not"),
]
BINARY = [
    *("add", "sub", "mul", "div", "pow", "maximum", "minimum", "eq"),
    *("ne", "lt", "le", "gt", "ge", "remainder", "fmod", "floor_divide"),
    *("bitwise_and", "bitwise_or", "bitwise_xor", "logical_and"),
]


def specially(names: list[str], dtype: str, count: int) -> list[tuple[str, Any]]:
    """Give what functions come to at all combinations of the special numbers."""
    numbers = special(dtype)
    columns = list(zip(*itertools.product(numbers, repeat=count), strict=True))
    dtype_ = getattr(gt, dtype)
    tensors = [gt.tensor(list(column), dtype=gt.float64).to(dtype_) for column in columns]
    if dtype in INTEGERS:
        tensors = [gt.tensor(list(column), dtype=dtype_) for column in columns]
    made = []
    for name in names:
        function = getattr(gt, name)
        made.append((name, found(call(function, tensors, {}))))
        # One after another and every other: loops over rows and over single elements.
        made.append(
            (f"{name} of every third", found(call(function, [t[::3] for t in tensors], {})))
        )
    return made


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 2])
def test_special_numbers_are_the_references(monkeypatch, dtype, count):
    both = []
    for engine in ENGINES:
        with on(monkeypatch, engine):
            both.append(specially([UNARY, BINARY][count - 1], dtype, count))
    for (what, ours), (_, expected) in zip(*both, strict=True):
        check(ours, expected, f"{what} in {dtype}", sums=False)


def test_the_reference_has_every_kind_of_kernel(monkeypatch):
    met = set()

    def noting(kind: str, kernel: Callable) -> Callable:
        def run(*args: Any, **kwargs: Any) -> Any:
            met.add(kind)
            return kernel(*args, **kwargs)

        return run

    noted = {kind: noting(kind, kernel) for kind, kernel in reference.KERNELS.items()}
    monkeypatch.setattr(reference, "KERNELS", noted)
    with on(monkeypatch, "numpy"):
        x, index = gt.randn(4, 6) + gt.arange(6.0), gt.tensor([[0, 1], [2, 0]])
        image, kernel = gt.full((1, 2, 6, 6), 2.0), gt.ones(2, 2, 3, 3)
        made = [
            *(x.exp().double(), gt.where(x > 0, x, 0.0), x @ x.T, x.T.reshape(3, 8), x.cumsum(0)),
            *(x.sum(0).expand(3, 6), x.max(dim=1)[1], x.argmax(), x.sort()[0], x.topk(2)[0]),
            *(
                x[1:, ::2],
                x.diagonal(),
                gt.cat([x, x]),
                x.gather(1, index),
                x[index],
                x[index, index],
            ),
            *(x.scatter(1, index, 1.0), gt.nn.functional.conv2d(image, kernel), x.nonzero()),
            gt.nn.functional.conv_transpose2d(image, kernel),
            gt.multinomial(gt.ones(4), 2),
        ]
        x[0] = 1.0
        x[index[0]] = 2.0
        for tensor in [*made, x]:
            tensor.tolist()
    assert met == set(reference.KERNELS)


def test_an_engine_that_does_not_exist_is_an_error(monkeypatch):
    with pytest.raises(ValueError, match="GT_BACKEND: there is no engine 'tpu'; it is native or"):
        on(monkeypatch, "tpu")
