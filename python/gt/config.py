"""What a config says of signals, modules and parameters, from a file or from the program.

A config belongs to a session. `load_config` and `register_config` change that of the session in
use; before there is one, they change what sessions of this process start with.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gt import _gt

__all__ = [
    "Config",
    "MeshConfig",
    "ParamConfig",
    "ShardConfig",
    "SignalConfig",
    "get_config",
    "get_signal_config",
    "load_config",
    "register_config",
]

# Longer files are refused, wherever they end.
LARGEST = 1 << 20


@dataclass
class ShardConfig:
    """Where values should be: cut along an axis, or a copy on each worker.

    Without `workers` all workers of the session are meant. `mesh` says which axes of a value are
    cut along which axes of a mesh of the config instead; of several meshes `{0: "stage1.dp"}`.

    >>> import gt
    >>> gt.ShardConfig(axis=0, workers=[0, 1])
    ShardConfig(axis=0, workers=[0, 1], replicated=False, mesh=None)
    """

    axis: int | None = None
    workers: list[int] | None = None
    replicated: bool = False
    mesh: dict[int, str] | None = None

    def __post_init__(self) -> None:
        _check_kinds(self.axis, self.workers, self.replicated, self.mesh)
        given = [self.axis is not None, self.replicated, self.mesh is not None]
        if sum(given) != 1:
            raise ValueError("ShardConfig: give one of axis, replicated=True and mesh")
        if self.mesh is not None and self.workers is not None:
            raise ValueError("ShardConfig: the workers are those of the mesh")
        if self.workers is not None:
            self.workers = [int(worker) for worker in self.workers]
            if not self.workers:
                raise ValueError("ShardConfig: workers is empty; None means all")


@dataclass
class SignalConfig:
    """What is wanted of a signal or a module. None means: what is around it decides.

    >>> import gt
    >>> shard = gt.ShardConfig(axis=0, workers=[0, 1])
    >>> gt.SignalConfig(shard=shard, backward_signal="backward").backward_signal
    'backward'
    """

    shard: ShardConfig | None = None
    backward_signal: str | None = None
    compile: bool | None = None
    keep: bool | None = None


@dataclass
class ParamConfig:
    """What is wanted of a parameter or a buffer."""

    shard: ShardConfig
    use: str | None = None
    keep: bool | None = None


@dataclass
class MeshConfig:
    """Workers in an array: the sizes of its axes; the last one runs fastest over the workers."""

    axes: dict[str, int]
    workers: list[int]


@dataclass
class Config:
    """All that is configured. It is a copy: changing it changes nothing."""

    signals: dict[str, SignalConfig] = field(default_factory=dict)
    mesh: MeshConfig | None = None
    params: dict[str, ParamConfig] = field(default_factory=dict)
    #: Those that have names.
    meshes: dict[str, MeshConfig] = field(default_factory=dict)


def load_config(path: str | os.PathLike[str]) -> None:
    """Adds what a YAML file says. Where both speak, the file is right.

    Values stay where they are; what follows is placed as the file says.
    """
    with Path(path).open(encoding="utf-8") as file:
        _gt._config_load(file.read(LARGEST + 1), os.fspath(path))


def register_config(name: str, config: SignalConfig) -> None:
    """Says what is wanted of one signal or module, in the place of what was said before.

    >>> import gt
    >>> shard = gt.ShardConfig(axis=0)
    >>> with gt.connect():
    ...     gt.register_config("data_parallel", gt.SignalConfig(shard=shard))
    ...     gt.get_signal_config("data_parallel").shard.axis
    0
    """
    if not isinstance(name, str) or not isinstance(config, SignalConfig):
        raise TypeError("register_config() takes a name and a SignalConfig")
    shard = None
    if config.shard is not None:
        mesh = list((config.shard.mesh or {}).items())
        shard = (config.shard.axis, config.shard.workers or [], mesh)
    _gt._config_register(name, shard, config.backward_signal, config.compile, config.keep)


def get_config() -> Config:
    """All that is configured for the session in use, or for the next one."""
    found = _gt._config()
    meshes = {name: MeshConfig(dict(axes), workers) for name, (workers, axes) in found["meshes"]}
    return Config(
        {name: _signal(signal) for name, signal in found["signals"].items()},
        meshes.pop("", None),
        {name: _param(param) for name, param in found["params"].items()},
        meshes,
    )


def get_signal_config(name: str) -> SignalConfig | None:
    """What is configured for a signal or a module with this name, or None.

    Patterns count. Of several entries each key comes from the one with the fewest wildcards, of
    several such from the longest, and then from the last.
    """
    found = _gt._config_of(name)
    return None if found is None else _signal(found)


def _signal(found: Mapping[str, Any]) -> SignalConfig:
    shard = found["shard"]
    return SignalConfig(**{**found, "shard": None if shard is None else ShardConfig(**shard)})


def _param(found: Mapping[str, Any]) -> ParamConfig:
    shard = {word: value for word, value in found.items() if word not in ("use", "keep")}
    return ParamConfig(ShardConfig(**shard), found["use"], found["keep"])


def _check_kinds(axis: Any, workers: Any, replicated: Any, mesh: Any) -> None:
    if axis is not None and not _is_int(axis):
        raise TypeError(f"ShardConfig: axis is a whole number, not {type(axis).__name__}")
    if not isinstance(replicated, bool):
        raise TypeError("ShardConfig: replicated is True or False")
    if workers is not None and not (
        isinstance(workers, Iterable) and all(_is_int(worker) and worker >= 0 for worker in workers)
    ):
        raise TypeError(f"ShardConfig: workers are numbers from 0 on, not {workers!r}")
    if mesh is not None and not (isinstance(mesh, Mapping) and all(map(_is_int, mesh))):
        raise TypeError("ShardConfig: mesh names an axis of the mesh for axes of a value")


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
