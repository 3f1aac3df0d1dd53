"""Tensors as text, to the letter as PyTorch prints them."""

import gt
import numpy as np
import pytest

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64"]
DTYPES += ["float16", "bfloat16", "float32", "float64"]
SHAPES = [(), (0,), (1,), (7,), (30,), (2, 0), (0, 3, 2), (3, 4), (2, 3, 4), (1, 1, 1, 2)]
SHAPES += [(1001,), (40, 30), (11, 11, 11), (2, 600), (600, 2), (5, 1, 300)]
SPECIAL = [
    [0.0, -0.0],
    [float("nan"), 1.0],
    [float("inf"), -float("inf"), 2.5],
    [1e10, 1.0],
    [1e-5, 1.0],
    [1e-10],
    [123456789.0, 0.5],
    [1e38, -1e-38],
    [99999.5, 1.0],
    [1.0, 2.0, 1000.0],
    [0.00012, 123.0],
    [float("nan")],
]


def same(torch, array: np.ndarray, dtype: str) -> None:
    theirs = repr(torch.tensor(array).to(getattr(torch, dtype)))
    assert repr(gt.tensor(array).to(dtype)) == theirs.replace("torch.", "gt.")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_tensors_print_as_in_pytorch(torch, shape, dtype):
    random = np.random.default_rng(len(shape))
    for scale in (1, 50):
        same(torch, random.integers(0, 2 * scale, shape), dtype)
    if dtype.startswith(("float", "bfloat")):
        for scale in (1e-6, 1e-3, 1.0, 300.0, 1e4):
            same(torch, random.standard_normal(shape) * scale, dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("numbers", SPECIAL, ids=str)
def test_special_numbers_print_as_in_pytorch(torch, numbers, dtype):
    same(torch, np.array(numbers), dtype)
    same(torch, np.array([numbers, numbers]), dtype)
