"""Whatever a program passes: a proper exception comes out, and the session goes on."""

import inspect
import itertools
import math
from typing import Any

import gt
import pytest

HOSTILE: list[Any] = [
    None,
    "a",
    b"a",
    1.5,
    math.nan,
    -math.inf,
    -1,
    2**38,
    2**40,
    2**63 - 1,
    -(2**63),
    2**70,
    True,
    (),
    [],
    [[]],
    [None],
    [-5],
    [2**62, 2**62],
    (0, 0),
    {},
    object(),
    slice(None),
    ...,
]


def tensors() -> list[gt.Tensor]:
    return [
        gt.ones(()),
        gt.ones(2, 3),
        gt.ones(0, 3, dtype=gt.bool),
        gt.full((2,), 9, dtype=gt.int64),
        gt.full((2, 2), math.nan),
        gt.ones(1, 1, 1, 1, 1).expand(1, 2, 1, 3, 1),
    ]


# What ends the session, or is not about tensors.
NOT_CALLED = {
    *("close", "workers", "gpu_workers", "connect", "disconnect"),
    *("set_printoptions", "set_default_dtype"),
    # It writes files wherever it is told to.
    "save",
}

# Everything a call may raise; a panic at the border is no `Exception` at all.
PROPER = (
    *(TypeError, ValueError, RuntimeError, IndexError),
    *(OverflowError, NotImplementedError, OSError),
)


# NumPy warns about what it is asked for through `__array__`, and settings about what they ignore.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


def attempt(function: Any, *args: Any, **kwargs: Any) -> None:
    try:
        result = function(*args, **kwargs)
        for part in result if isinstance(result, tuple) else (result,):
            # Small ones are read: what they hold was computed without harm.
            if isinstance(part, gt.Tensor) and part.numel() < 10_000:
                part.tolist()
    except PROPER:
        pass


def alive() -> None:
    """The session still works; what has failed before is told once, at a read."""
    for _ in range(3):
        try:
            gt.ones(1).tolist()
        except PROPER:
            continue
    assert (gt.ones(2) + 1).tolist() == [2, 2]


def functions() -> list[str]:
    public = [name for name in dir(gt) if not name.startswith("_") and name not in NOT_CALLED]
    return [name for name in public if inspect.isroutine(getattr(gt, name))]


def methods() -> list[str]:
    return [name for name in dir(gt.Tensor) if callable(getattr(gt.Tensor, name))]


# Python's own ways to look at an object, which have nothing to do with tensors.
OF_OBJECTS = {"__class__", "__new__", "__init__", "__init_subclass__", "__subclasshook__"}
OF_OBJECTS |= {"__getattribute__", "__setattr__", "__delattr__", "__dir__", "__sizeof__"}


@pytest.mark.parametrize("name", functions())
def test_functions_survive_hostile_arguments(name):
    function = getattr(gt, name)
    attempt(function)
    for value in HOSTILE:
        attempt(function, value)
        attempt(function, value, value)
        attempt(function, value, value, value)
        for keyword in ("dim", "dtype", "out", "device", "shape", "nothing"):
            attempt(function, gt.ones(2, 3), **{keyword: value})
    for tensor, value in itertools.product(tensors(), HOSTILE):
        attempt(function, tensor, value)
        attempt(function, tensor, value, tensor)
        attempt(function, tensor, value, tensor, value)
        attempt(function, [tensor, value])
        attempt(function, [tensor], value)
    alive()


@pytest.mark.parametrize("name", sorted(set(methods()) - OF_OBJECTS))
def test_methods_survive_hostile_arguments(name):
    for tensor in tensors():
        method = getattr(tensor, name)
        attempt(method)
        attempt(method, tensor)
        attempt(method, tensor, tensor)
        for value in HOSTILE:
            attempt(method, value)
            attempt(method, value, value)
            attempt(method, value, tensor)
            attempt(method, tensor, value)
            attempt(method, value, tensor, value)
    alive()


def test_a_list_that_holds_itself_is_refused():
    endless: list[Any] = []
    endless.append(endless)
    for call in (lambda: gt.tensor(endless), lambda: gt.ones(2)[endless]):
        with pytest.raises((ValueError, IndexError, TypeError)):
            call()
