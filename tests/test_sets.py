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


def test_what_is_missing_is_said_at_the_line():
    with pytest.raises(NotImplementedError, match="dim"):
        gt.unique_consecutive(gt.ones(2, 2), dim=0)
