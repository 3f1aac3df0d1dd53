"""Switches of CUDA's libraries, which change nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

matmul: Any = SimpleNamespace(
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
)


def is_built() -> bool:
    """Whether GT was built with CUDA."""
    return False


def enable_flash_sdp(enabled: bool) -> None:
    """Nothing: there is one way to compute attention."""


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Nothing: there is one way to compute attention."""


def enable_math_sdp(enabled: bool) -> None:
    """Nothing: there is one way to compute attention."""


def enable_cudnn_sdp(enabled: bool) -> None:
    """Nothing: there is one way to compute attention."""


def flash_sdp_enabled() -> bool:
    """Whether attention is computed by that library: never."""
    return False


def mem_efficient_sdp_enabled() -> bool:
    """Whether attention is computed by that library: never."""
    return False


def math_sdp_enabled() -> bool:
    """Whether attention is computed by plain operations: always."""
    return True
