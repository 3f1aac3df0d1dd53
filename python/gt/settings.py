"""Settings that programs make in their first lines. What they tune in PyTorch, GT decides."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from gt import _gt

PRECISIONS = ("highest", "high", "medium")
BACKENDS = ("inductor", "eager", "aot_eager", "cudagraphs", "onnxrt", "openxla", "tvm")
MODES = (
    "default",
    "lite",
    "reduce-overhead",
    "max-autotune",
    "max-autotune-no-cudagraphs",
)
_warned: set[str] = set()
_precision = "highest"
_deterministic = False


def get_num_threads() -> int:
    """How many threads the session's kernels use.

    >>> import gt
    >>> gt.get_num_threads() > 0
    True
    """
    if not _gt.status()["open"]:
        _gt.zeros(0)
    threads: int = _gt.status().get("threads", 1)
    return threads


def set_num_threads(int: int) -> None:
    """Nothing: `GT_THREADS` says how many threads a worker has, before it starts."""
    if int <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")


def get_num_interop_threads() -> int:
    """One: operations follow each other in a stream."""
    return 1


def set_num_interop_threads(int: int) -> None:
    """Nothing: operations follow each other in a stream."""
    if int <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer")


def get_float32_matmul_precision() -> str:
    """What was set last."""
    return _precision


def set_float32_matmul_precision(precision: str) -> None:
    """Remembers a precision; products of float32 are computed in float32 whatever it is."""
    global _precision
    if precision not in PRECISIONS:
        warnings.warn(f"precision is one of {PRECISIONS}, not {precision!r}", stacklevel=2)
        return
    _precision = precision


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Remembers a wish that is always met: the same program gives the same bits."""
    global _deterministic
    _deterministic = bool(mode)


def are_deterministic_algorithms_enabled() -> bool:
    """What was set last."""
    return _deterministic


def set_default_device(device: Any) -> None:
    """Nothing: a session has one device. `'meta'` is refused, as everywhere."""
    if device is not None:
        _gt.zeros(0).to(_gt.device(device))


def get_default_device() -> Any:
    """The session's device."""
    return _gt.zeros(0).device


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: Any = None,
    disable: bool = False,
) -> Any:
    """The model or function itself: workers plan what they are sent without being asked.

    A backend of the program's own would change what is computed; it is not called, and the first
    is warned about.

    >>> import gt
    >>> @gt.compile(mode="max-autotune")
    ... def double(x):
    ...     return x * 2
    >>> double(gt.ones(2))
    tensor([2., 2.])
    """
    check_compile(backend, mode, options)
    return (lambda function: function) if model is None else model


def check_compile(backend: Any = "inductor", mode: str | None = None, options: Any = None) -> None:
    """Refuses what PyTorch's `compile` does not know."""
    if mode is not None and options is not None:
        raise RuntimeError("compile: either mode or options can be given, but not both")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"compile: mode is one of {', '.join(MODES)}, not {mode!r}")
    if callable(backend):
        _warn_once("compile: backends are not called; workers plan what they are sent themselves")
    elif backend not in BACKENDS:
        raise RuntimeError(f"compile: backend is one of {', '.join(BACKENDS)}, not {backend!r}")


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        warnings.warn(message, stacklevel=4)
