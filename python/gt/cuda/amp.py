"""`gt.amp` under the name it has in older programs, where the device is not an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gt import amp
from gt._gt import float16
from gt.amp import custom_bwd, custom_fwd

if TYPE_CHECKING:
    from gt._gt import DTypeLike

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(amp.autocast):  # noqa: N801
    """`gt.autocast` for float16."""

    def __init__(
        self, enabled: bool = True, dtype: DTypeLike = float16, cache_enabled: bool = True
    ) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`gt.amp.GradScaler`."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__(
            "cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )
