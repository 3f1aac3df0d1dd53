"""Values that other libraries made, as a state has them."""

from __future__ import annotations

from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.files.stored import StoredTensor


def taken(value: Any) -> Any:
    """A tensor of ours: the value itself, or a copy of PyTorch's tensor or of an array."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, StoredTensor):
        return value.tensor()
    if not hasattr(value, "detach"):
        return _gt.tensor(value)
    plain = value.detach().cpu()
    # NumPy has no bfloat16; float32 holds all its numbers.
    low = str(plain.dtype) == "torch.bfloat16"
    made = _gt.tensor((plain.float() if low else plain).numpy())
    return made.to(_gt.bfloat16) if low else made


def taken_over(values: Any) -> Any:
    """A state with tensors of ours in the place of PyTorch's; the rest as it is."""
    return {
        name: taken(value) if hasattr(value, "detach") else value for name, value in values.items()
    }
