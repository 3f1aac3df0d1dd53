"""Different elements, each once, as PyTorch finds them."""

import math

import gt
import numpy as np
import pytest

ARRAYS = {
    "numbers": np.array([[3, 1, 3], [2, 1, 1]]),
    "fractions": np.array([0.5, -1.0, 0.5, 2.0, -0.0, 0.0], dtype=np.float32),
    "truths": np.array([True, False, True]),
    "one": np.array(5),
    "none": np.zeros((0, 3)),
    "not a number": np.array([math.nan, 1.0, math.nan, 1.0]),
    "many": np.random.default_rng(1).integers(0, 50, (40, 30)),
}


@pytest.mark.parametrize("name", ["unique", "unique_consecutive"])
@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS.keys())
def test_unique_agrees_with_pytorch(torch, name, array):
    for options in (
        {},
        {"return_inverse": True},
        {"return_counts": True},
        {"return_inverse": True, "return_counts": True},
    ):
        ours, theirs = (getattr(m, name)(m.tensor(array), **options) for m in (gt, torch))
        ours, theirs = (r if isinstance(r, tuple) else (r,) for r in (ours, theirs))
        assert len(ours) == len(theirs)
        for mine, expected in zip(ours, theirs, strict=True):
            assert mine.dtype.name == str(expected.dtype)[6:]
            np.testing.assert_array_equal(mine.numpy(), expected.numpy())


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_runs_of_equal_parts_are_pytorchs(torch, dim):
    array = np.random.default_rng(3).integers(0, 2, (40, 1, 2)).swapaxes(0, dim)
    found, expected = (
        library.unique_consecutive(
            library.tensor(array), return_inverse=True, return_counts=True, dim=dim
        )
        for library in (gt, torch)
    )
    assert len(found[0]) < 40
    assert [part.tolist() for part in found] == [part.tolist() for part in expected]
