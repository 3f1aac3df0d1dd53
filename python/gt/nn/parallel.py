"""Copies of a model on many devices, which GT does not need: a session has all its workers."""

from __future__ import annotations

import warnings
from typing import Any, NoReturn

from gt.nn.module import Module

HINT = (
    "a program uses all workers of its session without being told; "
    "start more workers, or ask for them with gt.workers(n)"
)


class DataParallel(Module):
    """A model under the name `module`, as PyTorch's wrapper has it; it computes the same.

    >>> import gt
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     model = gt.nn.DataParallel(gt.nn.Linear(2, 2))
    >>> list(model.state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        warnings.warn(f"DataParallel changes nothing: {HINT}", stacklevel=2)
        self.module, self.dim = module, dim
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the model computes."""
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """Refused: there are no groups of processes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse("DistributedDataParallel")


def data_parallel(module: Module, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """What the model computes."""
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*inputs, **(kwargs.get("module_kwargs") or {}))


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(f"{name}: there are no groups of processes; {HINT}")
