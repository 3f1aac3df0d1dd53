"""Corners where PyTorch is right: what a line comes to with torch, it comes to with gt.

The lines are those of `corner_cases.txt`. A line is Python; before its last `;;` stand statements.
`l` is the library, `F` its functional module, `g` the gradient of a function's sum at a point.
"""

import gc
import sys
import weakref
from pathlib import Path
from types import ModuleType
from typing import Any

import gt
import numpy as np
import pytest

CASES = Path(__file__).with_name("corner_cases.txt").read_text(encoding="utf-8").splitlines()
PROGRAMS = [line for line in CASES if line and not line.startswith("#")]


def _gradient(library: ModuleType, function: Any, point: Any) -> Any:
    x = library.tensor(point, requires_grad=True, dtype=library.float64)
    result = function(x)
    result.backward(library.ones_like(result))
    return x.grad


def _plain(value: Any) -> Any:
    """A result as dtypes, shapes and numbers, which both libraries have."""
    if type(value).__name__ == "Tensor":
        dtype = str(value.dtype).rsplit(".", maxsplit=1)[-1]
        return dtype, tuple(value.shape), value.requires_grad, value.detach().tolist()
    if isinstance(value, np.ndarray | np.generic):
        return type(value).__name__, value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _run(library: ModuleType, program: str) -> Any:
    names = {
        "l": library,
        "np": np,
        "F": library.nn.functional,
        "g": lambda function, point: _gradient(library, function, point),
    }
    *statements, last = (part.strip() for part in program.split(";;"))
    try:
        for statement in statements:
            exec(statement, names)
        return _plain(eval(last, names))
    except Exception as error:
        return error


def _same(found: Any, expected: Any) -> bool:
    if isinstance(expected, Exception):
        return isinstance(found, Exception) and not isinstance(found, AttributeError)
    if isinstance(found, list | tuple) and isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(_same, found, expected))
    if isinstance(found, float) and isinstance(expected, float):
        return found == pytest.approx(expected, rel=1e-5, abs=1e-7, nan_ok=True) and (
            found != 0 or np.signbit(found) == np.signbit(expected)
        )
    return type(found) is type(expected) and found == expected


@pytest.mark.filterwarnings("ignore")
def test_corners_are_pytorchs(torch: ModuleType) -> None:
    found = [(program, _run(gt, program), _run(torch, program)) for program in PROGRAMS]
    wrong = [
        f"{program}\n    gt    {got!r}\n    torch {expected!r}"
        for program, got, expected in found
        if not _same(got, expected)
    ]
    assert not wrong, f"{len(wrong)} of {len(found)}:\n" + "\n".join(wrong)


def test_arrays_beside_tensors_give_tensors_with_gradients() -> None:
    array, x = np.array([2.0, 3.0], dtype=np.float32), gt.ones(2, requires_grad=True)
    programs = {
        "array * t": lambda: array * x,
        "array + t": lambda: array + x,
        "array - t": lambda: array - x,
        "array / t": lambda: array / x,
        "array ** t": lambda: array**x,
        "array @ t": lambda: array @ x,
        "array > t": lambda: array > x.detach(),
        "t @ array": lambda: x @ array,
        "np.exp": lambda: np.exp(x),
        "np.add": lambda: np.add(x, array),
        "np.maximum": lambda: np.maximum(array, x),
        "np.sin of a number's neighbour": lambda: np.float64(2) ** x,
    }
    for name, program in programs.items():
        result = program()
        assert isinstance(result, gt.Tensor), name
        assert result.requires_grad or name == "array > t", name
    (array * x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 3.0]
    # What GT has no function for is computed by NumPy, and there is no way back.
    assert isinstance(np.cbrt(gt.ones(2)), gt.Tensor)
    with pytest.raises(RuntimeError, match="requires grad"):
        np.cbrt(x)
    with pytest.raises(TypeError, match="cannot write into a tensor"):
        np.add(array, array, out=(gt.ones(2),))
    target = np.zeros(2, dtype=np.float32)
    target += gt.ones(2)
    assert isinstance(target, np.ndarray)
    assert target.tolist() == [1.0, 1.0]
    assert np.std(gt.tensor([1.0, 3.0])).item() == 1.0
    assert np.var(gt.tensor([1.0, 3.0]), ddof=1).item() == 2.0


def test_tensors_of_another_framework_are_taken_as_they_are(torch: ModuleType) -> None:
    for dtype in ("float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "bool"):
        theirs = torch.tensor([[1, 0], [2, 3]]).to(getattr(torch, dtype))
        ours = gt.tensor(theirs)
        assert str(ours.dtype) == f"gt.{dtype}"
        assert ours.tolist() == theirs.tolist()
    assert gt.tensor(torch.ones(2, requires_grad=True)).requires_grad is False
    assert gt.tensor([torch.tensor(1.0), torch.tensor(2.0)]).dtype == gt.float32


def test_shapes_are_sizes() -> None:
    shape = gt.zeros(2, 3, 4).shape
    assert isinstance(shape, gt.Size)
    assert shape == (2, 3, 4)
    more = shape + gt.Size([2])
    assert (shape.numel(), shape[1:].numel(), more.numel()) == (24, 12, 48)
    assert isinstance((1, *shape), tuple)
    assert isinstance(gt.zeros(1).size(), gt.Size)
    assert gt.__version__.count(".") == 2


def test_a_failed_write_on_a_graph_leaves_the_old_value() -> None:
    bad = gt.tensor([7])
    for write in (
        lambda y: y.mul_(gt.ones(2).gather(0, bad)),
        lambda y: y.copy_(gt.ones(2).gather(0, bad).expand(2)),
        lambda y: y[:1].copy_(gt.ones(2).gather(0, bad)),
        lambda y: y.index_put_((bad,), gt.ones(1)),
    ):
        x = gt.ones(2, requires_grad=True)
        y = x * 2
        write(y)
        with pytest.raises((IndexError, RuntimeError)):
            y.tolist()
        assert y.tolist() == [2.0, 2.0]
        assert x.tolist() == [1.0, 1.0]


def test_a_value_that_failed_keeps_failing() -> None:
    x = gt.zeros(3)
    put = x.index_put((gt.tensor([7]),), gt.ones(1))
    for _ in range(2):
        with pytest.raises((IndexError, RuntimeError)):
            put.tolist()
    assert x.tolist() == [0.0, 0.0, 0.0]
    expected = np.zeros((2, 3, 4), dtype=np.float32)
    expected[[0, 1], :, [3, 1]] = 5
    found = gt.zeros(2, 3, 4).index_put(
        (gt.tensor([0, 1]), None, gt.tensor([3, 1])), gt.tensor(5.0)
    )
    assert found.tolist() == expected.tolist()


def test_distributions_that_are_none_are_refused() -> None:
    for weights in ([0.0, 0.0], [1.0, -1.0], [1.0, float("nan")], [1.0, float("inf")]):
        with pytest.raises(RuntimeError, match="probab"):
            gt.tensor(weights).multinomial(1).tolist()
    with pytest.raises(RuntimeError, match="between 0 and 1"):
        gt.bernoulli(gt.tensor([0.5, 1.5])).tolist()
    assert gt.tensor([1.0, 0.0]).multinomial(1).tolist() == [0]


def test_norms_that_need_singular_values_are_refused_in_words() -> None:
    with pytest.raises(NotImplementedError, match="singular values"):
        gt.ones(2, 2).norm("nuc")


def test_a_tensor_that_its_own_hook_holds_is_freed() -> None:
    def made(register: Any) -> weakref.ref[gt.Tensor]:
        x = gt.ones(2, requires_grad=True)
        register(x)
        (x * 2).sum().backward()
        return weakref.ref(x)

    registered = {
        "hook": lambda x: x.register_hook(lambda grad: grad * x.detach()),
        "after": lambda x: x.register_post_accumulate_grad_hook(lambda _: x.grad),
        "given data": lambda x: (
            setattr(x, "data", gt.zeros(2)),
            x.register_hook(lambda grad: grad * x.detach()),
        ),
        "computed": lambda x: (lambda y: y.register_hook(lambda grad: grad + y.detach()))(x * 3),
    }
    for name, register in registered.items():
        gone = made(register)
        gc.collect()
        assert gone() is None, name
    y = gt.ones(2, requires_grad=True) * 3
    y.register_hook(lambda grad, y=y: grad * y.detach())
    gone = weakref.ref(y)
    del y
    gc.collect()
    assert gone() is None, "a computed tensor"
    # A hook that is still needed stays.
    x, calls = gt.ones(2, requires_grad=True), []
    x.register_hook(lambda grad: calls.append(grad.tolist()))
    gc.collect()
    x.sum().backward()
    assert calls == [[1.0, 1.0]]


@pytest.mark.embedded("reads the memory of this process's own workers")
def test_a_gradient_that_can_be_differentiated_is_freed_with_its_tensor() -> None:
    def step() -> None:
        x = gt.ones(1000, requires_grad=True)
        y = x * 2
        y.retain_grad()
        (y**3).sum().backward(create_graph=True)
        assert x.grad is not None

    def values() -> int:
        gt.synchronize()
        return gt.memory()["used_bytes"]

    step()
    gc.collect()
    before = values()
    for _ in range(20):
        step()
    gc.collect()
    assert values() <= before


def test_hooks_see_a_leaf_that_only_the_graph_holds() -> None:
    seen: list[Any] = []
    x = gt.tensor([1.0, 2.0], requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda p: seen.append((p.grad.tolist(), p.tolist())))
    y = (x * 3).sum()
    del x
    gc.collect()
    y.backward()
    assert seen == [([3.0, 3.0], [1.0, 2.0])]
    x = gt.tensor([1.0, 2.0], requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda p: seen.append((p.grad.tolist(), p.tolist())))
    x.data = gt.tensor([4.0, 5.0, 6.0])
    y = (x * 3).sum()
    del x
    gc.collect()
    y.backward()
    assert seen[1] == ([3.0, 3.0, 3.0], [4.0, 5.0, 6.0])


def test_code_that_is_made_anew_costs_nothing_for_ever() -> None:
    x = gt.ones(1)
    codes = []
    for number in range(6000):
        code = compile("x + 1", "<made>", "eval")
        if number < 10:
            codes.append(code)
        eval(code, {"x": x})
    # The list, the loop and the argument of the question itself.
    assert all(sys.getrefcount(code) <= 3 for code in codes)
