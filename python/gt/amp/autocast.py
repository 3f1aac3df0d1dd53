"""A context in which operations get the precision that the table of operations asks for.

Products (matmul, linear, convolutions) compute in the lower precision; exponentials, logarithms,
powers, sums, norms and losses in float32; the others in whatever they are given. The lists are
those PyTorch has for GPUs, on every device: one program has one meaning.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from gt import _gt
from gt._gt import Tensor
from gt._gt import dtype as DType

if TYPE_CHECKING:
    from gt._gt import DTypeLike

F = TypeVar("F", bound=Callable[..., Any])

DEVICES = ("cpu", "cuda", "mps", "xpu", "hip")
LOWER = (_gt.float16, _gt.bfloat16)


def _default_dtype(device_type: str) -> DType:
    return _gt.bfloat16 if device_type == "cpu" else _gt.float16


class autocast:  # noqa: N801
    """Runs a `with` block, or a function, in mixed precision.

    >>> import gt
    >>> x = gt.ones(2, 2)
    >>> with gt.autocast("cpu", dtype=gt.bfloat16):
    ...     product = x @ x
    ...     total = product.sum()
    >>> product.dtype, total.dtype
    (gt.bfloat16, gt.float32)
    """

    def __init__(
        self,
        device_type: str = "cpu",
        dtype: DTypeLike | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        kind = str(device_type).split(":")[0]
        if kind not in DEVICES:
            raise RuntimeError(f"autocast: '{device_type}' is not a device type")
        self.device = kind
        self.fast_dtype = _default_dtype(kind) if dtype is None else _gt._dtype(_name(dtype))
        if enabled and self.fast_dtype not in LOWER:
            raise RuntimeError(f"autocast: dtype must be float16 or bfloat16, not {dtype}")
        self._enabled = enabled
        self._cache = cache_enabled
        self._before: list[tuple[DType | None, bool]] = []

    def __enter__(self) -> autocast:
        keeps = _gt._autocast()[1] if self._cache is None else self._cache
        lower = self.fast_dtype if self._enabled else None
        self._before.append(_gt._autocast_enter(lower, keeps))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _gt._autocast_exit(*self._before.pop())

    def __call__(self, function: F) -> F:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with autocast(self.device, self.fast_dtype, self._enabled, self._cache):
                return function(*args, **kwargs)

        return wrapped  # type: ignore[return-value]


def _name(dtype: DTypeLike) -> str:
    return getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Whether this thread is inside `autocast`."""
    return _gt._autocast()[0] is not None


def get_autocast_dtype(device_type: str = "cpu") -> DType:
    """The lower precision in use, or the one that would be."""
    return _gt._autocast()[0] or _default_dtype(device_type)


def is_autocast_available(device_type: str) -> bool:
    """Whether `autocast` knows a type of device."""
    return device_type in DEVICES


def custom_fwd(
    fwd: F | None = None, *, device_type: str = "cpu", cast_inputs: DTypeLike | None = None
) -> Any:
    """Decorates the `forward` of a `Function`: it is not cast within, or gets `cast_inputs`."""
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    function = fwd

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if cast_inputs is None or not is_autocast_enabled():
            return function(*args, **kwargs)
        with autocast(device_type, enabled=False):
            many = [_cast(value, cast_inputs) for value in args]
            return function(*many, **{k: _cast(v, cast_inputs) for k, v in kwargs.items()})

    return wrapped


def custom_bwd(bwd: F | None = None, *, device_type: str = "cpu") -> Any:
    """Decorates the `backward` of a `Function`; `backward` is never cast, so nothing changes."""
    return functools.partial(custom_bwd, device_type=device_type) if bwd is None else bwd


def _cast(value: Any, dtype: DTypeLike) -> Any:
    eligible = isinstance(value, Tensor) and value.dtype in (*LOWER, _gt.float32)
    return value.to(dtype) if eligible else value
