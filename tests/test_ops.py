"""The op table against PyTorch: every row, in every form it has in Python, over all dtypes.

Rows are read from the generated reference, so that one whose signature is known in `op_cases` is
tested without a change here.
"""

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import gt
import index_cases
import pytest
from op_cases import BY_NAME, BY_PARAMETERS, DTYPES, LARGE, Both, Case, Cases, Maker

REFERENCE = Path(__file__).parents[1] / "docs" / "reference" / "ops.md"


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


# Reached by syntax instead of a name; the tests at the end of the file are theirs.
BY_SYNTAX = {"cast", "slice", "slice_write"}

RANDOM = {
    *("rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "randperm"),
    *("bernoulli", "uniform", "normal", "multinomial"),
}


# Their elements are anything in PyTorch and zero here.
UNDEFINED = {"empty", "empty_like", "new_empty"}


def cases(row: Row) -> Callable[[Maker, str], Cases] | None:
    indexing = index_cases.BY_NAME.get(row.name)
    if indexing is not None:
        return lambda make, dtype: (Case(*case) for case in indexing(make, dtype))
    return BY_NAME.get(row.name) or BY_PARAMETERS.get(row.parameters)


# All dtypes meet the same kernel by whatever name; methods, aliases and writes in place differ from
# the function in what they do with a float's or an integer's dtype.
DTYPES_OF_OTHER_FORMS = ("float32", "int64")


def forms(row: Row, torch: ModuleType) -> Iterator[tuple[str, Callable, Callable]]:
    """Every way to call a row: its name, what it is in GT, what it is in PyTorch."""
    path = row.torch.removeprefix("torch.")
    theirs = functools.reduce(getattr, path.split("."), torch)
    if hasattr(gt, row.name):
        yield f"gt.{row.name}", getattr(gt, row.name), theirs
    for name in row.also:
        if hasattr(gt, name) and hasattr(torch, name):
            yield f"gt.{name}", getattr(gt, name), getattr(torch, name)
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


def difference(
    torch: ModuleType, ours: Any, theirs: Any, row: Row, scale: float = 1.0
) -> str | None:
    """What is wrong with a result, if anything is.

    `scale` is how large numbers are on the way to it, and so how much halves may lose there.
    """
    if isinstance(theirs, Exception):
        return None if fails(ours) else refusal(theirs)
    if isinstance(ours, Exception):
        deprecated = any(part in str(ours) for part in DEPRECATED)
        return None if deprecated else f"raises {type(ours).__name__}: {ours}"
    if isinstance(theirs, tuple):
        parts = [difference(torch, a, b, row, scale) for a, b in zip(ours, theirs, strict=True)]
        return next(filter(None, parts), None)
    if not isinstance(theirs, torch.Tensor):
        return None if ours is theirs else f"is {ours}, not {theirs}"
    if (ours.dtype.name, ours.shape) != (str(theirs.dtype)[6:], tuple(theirs.shape)):
        return f"is {ours.dtype.name}{ours.shape}, not {theirs.dtype}{tuple(theirs.shape)}"
    if row.name in RANDOM:
        return None
    try:
        found = values(torch, ours)
        # Most are equal to the bit, and seeing that is ten times quicker.
        if torch.equal(found, theirs):
            return None
        torch.testing.assert_close(found, theirs, equal_nan=True, **tolerance(theirs, scale))
    except AssertionError as error:
        return " ".join(str(error).split())
    except (RuntimeError, IndexError) as error:
        return f"cannot be read: {error}"
    return None


def tolerance(theirs: Any, scale: float = 1.0) -> dict[str, float]:
    """PyTorch's own tolerances, wide enough for many numbers added up in another order."""
    return {
        "float16": {"rtol": 4e-3, "atol": 4e-3 * scale},
        "bfloat16": {"rtol": 2e-2, "atol": 2e-2 * scale},
        "float32": {"rtol": 1e-5, "atol": 1e-4},
        "float64": {"rtol": 1e-12, "atol": 1e-12},
    }.get(str(theirs.dtype)[6:], {"rtol": 0, "atol": 0})


# What PyTorch takes with a warning that it will not for long, by a part of GT's message.
DEPRECATED = ["'condition' must be bool, not uint8"]

# What PyTorch refuses and GT takes, by a part of PyTorch's message: the result is what both would
# give after a cast, so that no program that PyTorch runs means something else in GT.
LENIENT = [
    "not implemented for",  # no kernel for the dtype; ours answers as a wider one does
    "topk does not support bool",  # false before true, as `sort` has it in both
    "does not support bool input",  # argmax: where the first true is
    "must be int, not tuple",  # several axes where PyTorch takes one; each is combined
    "true_divide",  # it is `div` by another name, and takes its rounding_mode
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
def test_row_agrees_with_pytorch(torch, name, dtype, full):
    row, wrong = ROWS[name], []
    Case.torch_module = torch
    ways = [*forms(row, torch)]
    if dtype not in DTYPES_OF_OTHER_FORMS and not full:
        ways = ways[:1]
    for case in cases(row)(Maker(torch, f"{name} {dtype}"), dtype):
        # A product of a thousand factors leaves the range of these dtypes on its way; whether inf
        # or nan comes out is then a matter of the order. Whole numbers and float64 are compared.
        narrow = dtype in ("float16", "bfloat16", "float32")
        if name == "prod" and narrow and LARGE[1] in case.args[0].gt.shape:
            continue
        for form, ours, theirs in ways:
            # PyTorch's operators are methods that take keywords; those of Python take none.
            if UNDEFINED & {form.split(".")[1]} or (form.endswith("__") and case.kwargs):
                continue
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
