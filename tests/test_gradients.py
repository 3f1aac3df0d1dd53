"""Gradients of every row of the op table against PyTorch's, first and second."""

import gt
import numpy as np
import pytest
from op_cases import Both, Case, Maker
from test_ops import RANDOM, ROWS, UNDEFINED, cases, forms

MOST_ELEMENTS = 2000
MOST_CASES = 40

# What PyTorch gives differs on purpose, or is not defined.
DIFFERENT = {
    "heaviside": "PyTorch has no gradient by the values",
    "masked_scatter": "PyTorch needs as many elements as the mask, whatever the mask holds",
}


def leaves(case: Case, side: str) -> tuple[Case, list]:
    """The call with its float tensors as leaves."""
    found = []

    def leaf(value):
        if not isinstance(value, Both) or value.gt.dtype != "float64":
            return value
        tensor = getattr(value, side).detach().requires_grad_()
        found.append(tensor)
        return Both(tensor, tensor)

    args = [[leaf(part) for part in a] if isinstance(a, list) else leaf(a) for a in case.args]
    return Case(args, case.kwargs), found


def weighted(module, tensors, turn):
    """A number that every element of the tensors changes in its own way."""
    total = 0
    for tensor in tensors:
        numbers = np.cos(np.arange(tensor.numel()) + turn).reshape(tuple(tensor.shape))
        total = total + (tensor * module.tensor(numbers, dtype=module.float64)).sum()
    return total


def gradients(module, function, case, side):
    """First and second gradients of a call, or `None` where there are none."""
    case, found = leaves(case, side)
    args, kwargs = case.on(side)
    result = function(*args, **kwargs)
    results = [result] if not isinstance(result, tuple | list) else list(result)
    traced = [r for r in results if getattr(r, "requires_grad", False)]
    # Where a call leaves float64, PyTorch's own rounding is all there is to see.
    traced = [r for r in traced if r.dtype == module.float64]
    # What is not a number has no slope either, and everybody says that in their own way.
    if not traced or not found or any(np.isnan(r.detach().numpy()).any() for r in traced):
        return [], []
    loss = weighted(module, traced, 0)
    first = module.autograd.grad(loss, found, create_graph=True, allow_unused=True)
    slopes = [g for g in first if g is not None and g.requires_grad]
    if not slopes:
        return list(first), [None] * len(found)
    slope = weighted(module, slopes, 1)
    return list(first), list(module.autograd.grad(slope, found, allow_unused=True))


def compare(torch, ours, theirs, leaf_shapes):
    for mine, expected, shape in zip(ours, theirs, leaf_shapes, strict=True):
        # A gradient that is zero everywhere may be said or left out.
        mine = np.zeros(shape) if mine is None else mine.detach().numpy()
        expected = np.zeros(shape) if expected is None else expected.detach().numpy(force=True)
        np.testing.assert_allclose(mine, expected, rtol=1e-8, atol=1e-9)


def small(case: Case) -> bool:
    tensors = [part for a in case.args for part in (a if isinstance(a, list) else [a])]
    sizes = [t.gt.numel() for t in tensors if isinstance(t, Both)]
    return sum(sizes) <= MOST_ELEMENTS


NAMES = [
    name
    for name, row in ROWS.items()
    if cases(row) is not None and name not in RANDOM | UNDEFINED | set(DIFFERENT)
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_gradients_of_a_row_agree_with_pytorch(torch, name):
    row, wrong = ROWS[name], []
    Case.torch_module = torch
    form, ours, theirs = next(iter(forms(row, torch)))
    chosen = [c for c in cases(row)(Maker(torch, f"gradient {name}"), "float64") if small(c)]
    step = max(1, len(chosen) // MOST_CASES)
    for case in chosen[::step]:
        try:
            expected = gradients(torch, theirs, case, "torch")
        except (RuntimeError, TypeError, IndexError, ValueError):
            continue
        try:
            found = gradients(gt, ours, case, "gt")
            if bool(found[0]) != bool(expected[0]):
                raise AssertionError(f"a gradient: {bool(found[0])}, not {bool(expected[0])}")
            shapes = [tuple(leaf.shape) for leaf in leaves(case, "torch")[1]]
            if expected[0]:
                compare(torch, found[0], expected[0], shapes)
                compare(torch, found[1], expected[1], shapes)
        except (AssertionError, RuntimeError, IndexError) as error:
            wrong.append(f"{form}({case}): " + " ".join(str(error).split())[:300])
    assert not wrong, f"{len(wrong)} calls differ:\n" + "\n".join(wrong[:8])
