"""Half precision: formulas compute in float32 and round once, whole, sharded or differentiated."""

import gt
import numpy as np
import pytest
from gt import nn
from placements import named, register

F = nn.functional

# Each overflows in half precision between its first and its last operation.
FORMULAS = {
    "softplus": lambda f, x: f.softplus(x),
    "gelu": lambda f, x: f.gelu(x, approximate="tanh"),
    "gelu_erf": lambda f, x: f.gelu(x),
    "mish": lambda f, x: f.mish(x),
    "silu": lambda f, x: f.silu(x),
    "selu": lambda f, x: f.selu(x),
    "elu": lambda f, x: f.elu(x, 0.7),
    "celu": lambda f, x: f.celu(x, 0.7),
    "hardswish": lambda f, x: f.hardswish(x),
    "logsigmoid": lambda f, x: f.logsigmoid(x),
    "cosine_similarity": lambda f, x: f.cosine_similarity(x, x.flip(0), dim=0),
    "avg_pool2d": lambda f, x: f.avg_pool2d(x.reshape(1, 1, 8, -1).abs(), 2),
    "lerp": lambda _, x: x.lerp(x.flip(0), 0.25),
    "addcmul": lambda _, x: x.addcmul(x, x.flip(0), value=1e-4),
    "softmax": lambda f, x: f.softmax(x.reshape(8, -1), -1),
    "layer_norm": lambda f, x: f.layer_norm(x.reshape(8, -1), (x.numel() // 8,)),
}


def numbers(dtype: gt.dtype) -> np.ndarray:
    """Numbers of every size that the dtype has, those around zero more often."""
    largest = 16 if dtype == gt.float16 else 60
    powers = np.linspace(-8, largest - 0.01, 1024)
    return np.where(np.arange(2048) % 2, 1.0, -1.0) * np.repeat(2.0**powers, 2)


def gradient(formula, x: gt.Tensor) -> tuple[gt.Tensor, gt.Tensor]:
    """A result, and the gradient of its sum."""
    x = x.detach().requires_grad_()
    result = formula(F, x)
    result.float().sum().backward()
    return result.detach(), x.grad


def bits(x: gt.Tensor) -> np.ndarray:
    return x.float().numpy().view(np.uint32)


@pytest.mark.parametrize("dtype", [gt.float16, gt.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("name", FORMULAS)
def test_a_half_is_the_number_of_float32_rounded_once(name, dtype):
    x = gt.tensor(numbers(dtype)).to(dtype)
    found, slope = gradient(FORMULAS[name], x)
    wide, wide_slope = gradient(FORMULAS[name], x.float())
    expected = wide.to(dtype).float()
    assert (found.isfinite() == expected.isfinite()).all()
    # Composites in one piece sum in another order, which may be seen in a last bit.
    last_bit = 2.0 ** (-10 if dtype == gt.float16 else -7)
    apart = (found.float() - expected).abs() <= last_bit * expected.abs() + 1e-7
    assert (apart | ~expected.isfinite()).all()
    assert (slope.isfinite() == wide_slope.to(dtype).isfinite()).all()


def test_halves_have_the_range_of_pytorch(torch):
    for name, formula in FORMULAS.items():
        for dtype, other in [(gt.float16, torch.float16), (gt.bfloat16, torch.bfloat16)]:
            array = numbers(dtype)
            found, slope = gradient(formula, gt.tensor(array).to(dtype))
            x = torch.tensor(array).to(other).requires_grad_()
            expected = formula(torch.nn.functional, x)
            expected.float().sum().backward()
            expected, gradients = expected.detach().float().numpy(), x.grad.float().numpy()
            tolerance = 0.002 if dtype == gt.float16 else 0.02
            pairs = {"result": (found, expected), "gradient": (slope, gradients)}
            for what, (mine, theirs) in pairs.items():
                mine, theirs = np.atleast_1d(mine.float().numpy(), theirs)
                # What PyTorch has no number for is not compared.
                there = np.isfinite(theirs)
                apart = np.abs(mine[there] - theirs[there])
                is_close = apart <= tolerance * (1 + np.abs(theirs[there]))
                assert is_close.all(), (name, dtype, what, mine[there][~is_close][:3])


@pytest.mark.parametrize("dtype", [gt.float16, gt.bfloat16], ids=["float16", "bfloat16"])
def test_a_part_has_the_bits_of_the_whole(dtype):
    x = gt.tensor(numbers(dtype)).to(dtype)
    elementwise = [name for name in FORMULAS if FORMULAS[name](F, x).shape == x.shape]
    whole = {name: gradient(FORMULAS[name], x) for name in elementwise if name != "lerp"}
    expected = {name: [bits(value) for value in values] for name, values in whole.items()}
    with gt.connect(workers=2, new=True):
        register([[0, 1]])
        placed = gt.signal.tensor(gt.tensor(numbers(dtype)).to(dtype), named("axis 0", [0, 1]))
        for name, (result, slope) in expected.items():
            found = gradient(FORMULAS[name], placed)
            np.testing.assert_array_equal(bits(found[0]), result, err_msg=name)
            np.testing.assert_array_equal(bits(found[1]), slope, err_msg=name)


def test_running_sums_of_halves_are_rounded_once():
    x = gt.full((4096,), 0.1, dtype=gt.bfloat16)
    expected = (x.double().cumsum(0)).to(gt.bfloat16)
    assert gt.equal(x.cumsum(0), expected)
    assert x.sum().item() == x.double().sum().to(gt.bfloat16).item()
