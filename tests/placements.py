"""Inputs laid on workers for the tests of cut values: cut, copied, whole or parts of a sum."""

import random
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import gt
import numpy as np
from gt import ShardConfig, SignalConfig
from op_cases import FLOATS, Both, Case

# Axes beyond these are never cut here.
AXES = 5


def register(groups: list[list[int]]) -> None:
    """Give every group of workers the signals `copies on 0 1`, `axis 0 on 0 1` and so on."""
    for group in groups:
        place = ShardConfig(replicated=True, workers=group)
        gt.register_config(named("copies", group), SignalConfig(shard=place))
        for axis in range(AXES):
            place = ShardConfig(axis=axis, workers=group)
            gt.register_config(named(f"axis {axis}", group), SignalConfig(shard=place))


def named(how: str, group: list[int]) -> str:
    """The name of a signal."""
    return f"{how} on {' '.join(map(str, group))}"


@dataclass(frozen=True)
class Lying:
    """How an input lies: `whole`, `copies`, `sum`, or cut along an axis."""

    how: str
    group: tuple[int, ...] = ()

    @property
    def axis(self) -> int | None:
        """The axis that is cut."""
        return int(self.how.split()[1]) if self.how.startswith("axis") else None

    def __str__(self) -> str:
        return self.how if self.how == "whole" else named(self.how, list(self.group))


def ways(x: Both, groups: list[list[int]]) -> list[Lying]:
    """Every way in which a tensor can lie."""
    found = [Lying("whole")]
    for group in map(tuple, groups):
        found.append(Lying("copies", group))
        found += [Lying(f"axis {axis}", group) for axis in range(min(x.gt.dim(), AXES))]
        if x.gt.dtype != "bool":
            found.append(Lying("sum", group))
    return found


def lay(torch: ModuleType, x: Both, how: Lying, dice: random.Random) -> Both:
    """The same tensor, lying so. One that is laid as a sum has the elements of that sum."""
    if how.how == "whole":
        return x
    if how.how == "sum":
        return summed(torch, x, how, dice)
    placed = Both(gt.signal.tensor(x.gt, str(how)), x.torch)
    if how.axis is not None and len(how.group) > 1:
        workers = " ".join(map(str, how.group))
        assert gt.debug.placement(placed.gt) == f"shard({how.axis}) on {workers}"
    return placed


def summed(torch: ModuleType, x: Both, how: Lying, dice: random.Random) -> Both:
    """A partial sum of about `x`, of which each worker has other numbers of either sign.

    The reference adds them up in the order of the workers, in NumPy.
    """
    numbers = np.random.default_rng(dice.getrandbits(32))
    dtype, count, shape = x.gt.dtype.name, len(how.group), tuple(x.torch.shape)
    if dtype not in FLOATS:
        parts = numbers.integers(-90, 90, (count, *shape)).astype(dtype)
        parts[-1] = x.torch.numpy() - parts[:-1].sum(0, dtype=dtype)
        total = parts.sum(0, dtype=dtype)
    else:
        # Halves are added up in float32 and rounded once.
        wide = np.float64 if dtype == "float64" else np.float32
        lowered = getattr(torch, dtype)
        # Large ones of either sign, so that most of a sum is cancelled.
        parts = numbers.integers(-64, 64, (count, *shape)) / 4
        parts[-1] = x.torch.double().numpy() - parts[:-1].sum(0)
        parts = torch.tensor(parts).to(lowered).to(torch.float64).numpy().astype(wide)
        total = parts[0]
        for part in parts[1:]:
            total = total + part
    uploaded = gt.tensor(parts).to(getattr(gt, dtype))
    cut = gt.signal.tensor(uploaded, named("axis 0", list(how.group)))
    partial = cut.sum(0, dtype=getattr(gt, dtype))
    if count > 1:
        assert gt.debug.placement(partial).startswith("partial(sum)")
    return Both(partial, torch.tensor(total).to(getattr(torch, dtype)))


def tensors(case: Case) -> list[Both]:
    """The tensors among the arguments of a call."""
    found = []
    for value in [*case.args, *case.kwargs.values()]:
        found += [part for part in value if isinstance(part, Both)] if listed(value) else []
        found += [value] if isinstance(value, Both) else []
    return found


def with_tensors(case: Case, replaced: list[Both]) -> Case:
    """The same call with other tensors, in the order of `tensors`."""
    rest = iter(replaced)

    def pick(value: Any) -> Any:
        if listed(value):
            return [next(rest) if isinstance(part, Both) else part for part in value]
        return next(rest) if isinstance(value, Both) else value

    args = [pick(value) for value in case.args]
    return Case(args, {key: pick(value) for key, value in case.kwargs.items()})


def listed(value: Any) -> bool:
    """Whether an argument is a list of tensors."""
    return isinstance(value, list)


def parts(torch: ModuleType, x: Both, how: Lying) -> list[Both]:
    """What each worker of a group has, cut by PyTorch; only its side is of use."""
    if how.axis is None:
        return [x] * len(how.group)
    places = np.array_split(np.arange(x.torch.shape[how.axis]), len(how.group))
    sizes = [len(own) for own in places]
    return [Both(x.gt, part) for part in torch.split(x.torch, sizes, how.axis)]
