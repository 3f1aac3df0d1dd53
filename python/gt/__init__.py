"""GT: a multiplexing tensor framework.

>>> import gt
>>> gt.tensor([1.0, 2.0]) + 1
tensor([2., 3.])
"""

from __future__ import annotations

import atexit
import builtins
import importlib
from typing import TYPE_CHECKING, Any

from gt import (
    _gt,
    accelerator,
    amp,
    autograd,
    backends,
    config,
    cuda,
    debug,
    distributed,
    distributions,
    func,
    jit,
    nn,
    onnx,
    optim,
    profiler,
    random,
    serialization,
    signal,
    testing,
    utils,
)
from gt._gt import *  # noqa: F403
from gt.amp import (
    autocast,
    get_autocast_dtype,
    is_autocast_enabled,
)
from gt.autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from gt.config import (
    ShardConfig,
    SignalConfig,
    get_config,
    get_signal_config,
    load_config,
    register_config,
)
from gt.files import load, save
from gt.random import Generator, get_rng_state, initial_seed, seed, set_rng_state
from gt.sets import unique, unique_consecutive
from gt.settings import (
    are_deterministic_algorithms_enabled,
    compile,
    get_default_device,
    get_float32_matmul_precision,
    get_num_interop_threads,
    get_num_threads,
    set_default_device,
    set_float32_matmul_precision,
    set_num_interop_threads,
    set_num_threads,
    use_deterministic_algorithms,
)
from gt.size import (
    Size,
    channels_last,
    channels_last_3d,
    contiguous_format,
    memory_format,
    preserve_format,
)
from gt.tensors import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
    clone,
    detach,
    numel,
)

if TYPE_CHECKING:
    from gt import multiprocessing
    from gt._gt import DTypeLike, Number, Tensor
    from gt.explanation import explain, explaining
    from gt.web import dashboard

__all__ = [
    *(name for name in dir(_gt) if not name.startswith("_")),
    "get_num_threads",
    "set_num_threads",
    "get_num_interop_threads",
    "set_num_interop_threads",
    "get_float32_matmul_precision",
    "set_float32_matmul_precision",
    "use_deterministic_algorithms",
    "are_deterministic_algorithms_enabled",
    "set_default_device",
    "get_default_device",
    "compile",
    "numel",
    "clone",
    "detach",
    "FloatTensor",
    "DoubleTensor",
    "HalfTensor",
    "BFloat16Tensor",
    "LongTensor",
    "IntTensor",
    "ShortTensor",
    "CharTensor",
    "ByteTensor",
    "BoolTensor",
    "accelerator",
    "backends",
    "distributed",
    "multiprocessing",
    "onnx",
    "serialization",
    "ShardConfig",
    "SignalConfig",
    "config",
    "get_config",
    "get_signal_config",
    "load_config",
    "register_config",
    "signal",
    "testing",
    "Generator",
    "Size",
    "amp",
    "autocast",
    "autograd",
    "channels_last",
    "channels_last_3d",
    "contiguous_format",
    "cuda",
    "dashboard",
    "debug",
    "distributions",
    "enable_grad",
    "explain",
    "explaining",
    "func",
    "jit",
    "get_autocast_dtype",
    "get_rng_state",
    "inference_mode",
    "initial_seed",
    "is_autocast_enabled",
    "load",
    "memory_format",
    "nn",
    "no_grad",
    "optim",
    "preserve_format",
    "profiler",
    "random",
    "save",
    "seed",
    "set_grad_enabled",
    "set_rng_state",
    "unique",
    "unique_consecutive",
    "utils",
]


__version__ = _gt.__version__


# PyTorch's `arange` may be given its end alone, which a row's signature cannot say.
def arange(  # type: ignore[no-redef]
    start: Number,
    end: Number | None = None,
    step: Number = 1,
    *,
    dtype: DTypeLike | None = None,
    **ignored: Any,
) -> Tensor:
    """The numbers from `start` up to `end`, or from zero up to `start`.

    >>> import gt
    >>> gt.arange(3)
    tensor([0, 1, 2])
    """
    if end is None:
        start, end = 0, start
    return _gt.arange(start, end, step, dtype=dtype, **ignored)


# The same for the limits of `randint`, which may be given its upper one alone.
def randint(  # type: ignore[no-redef]
    low: builtins.int,
    high: Any,
    size: Any = None,
    *,
    dtype: DTypeLike | None = None,
    **ignored: Any,
) -> Tensor:
    """Random whole numbers from `low`, or from zero, up to `high`.

    >>> import gt
    >>> gt.randint(1, 2, (3,))
    tensor([1, 1, 1])
    """
    if size is None:
        low, high, size = 0, low, high
    return _gt.randint(low, high, size, dtype=dtype, **ignored)


def randint_like(  # type: ignore[no-redef]
    input: Tensor,
    low: builtins.int,
    high: builtins.int | None = None,
    *,
    dtype: DTypeLike | None = None,
    **ignored: Any,
) -> Tensor:
    """Random whole numbers as `randint` gives them, in the shape of a tensor.

    >>> import gt
    >>> gt.randint_like(gt.zeros(2), 1)
    tensor([0., 0.])
    """
    if high is None:
        low, high = 0, low
    return _gt.randint_like(input, low, high, dtype=dtype, **ignored)


def __getattr__(name: str) -> Any:
    # Few programs need these, and Python's part for them takes a while to import.
    if name == "multiprocessing":
        return importlib.import_module("gt.multiprocessing")
    if name in ("explain", "explaining"):
        return getattr(importlib.import_module("gt.explanation"), name)
    if name == "dashboard":
        return importlib.import_module("gt.web").dashboard
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    # Python suggests names from this list when a name was mistyped.
    return sorted(name for name in globals() if name[:1] != "_" or name[:2] == "__")


atexit.register(_gt._close_all)
