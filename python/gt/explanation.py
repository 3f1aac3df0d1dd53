"""What was decided of a program: where its tensors are and why, what moves, and what it costs.

`gt.explain()` makes the same decisions again from what the session has sent. It has to be on from
the beginning: with `GT_EXPLAIN=1`, or by a first call before the first tensor.
"""

from __future__ import annotations

import json as _json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gt import _gt
from gt.config import Config, MeshConfig, ShardConfig, SignalConfig, get_config
from gt.nn import scopes
from gt.pictures import who_holds_what

__all__ = ["Explanation", "explain", "explaining"]

#: So many decisions are printed, those that cost most.
_PRINTED = 30
# The numbers of three workers or more, as placements list them.
_WORKERS = re.compile(r"\bon (w?\d+(?: w?\d+){2,})")


class Explanation:
    """What was decided of a part of a program, or would be with other workers."""

    def __init__(self, found: dict[str, Any], names: list[str]) -> None:
        places = found.pop("places")
        #: How many workers it is about.
        self.workers: int = found["workers"]
        #: What was decided, in the order of the program: decisions of one line that are alike are
        #: one entry, with what they cost together.
        self.decisions: list[dict[str, Any]] = found["decisions"]
        #: Where parameters and buffers are.
        self.tensors: dict[str, dict[str, Any]] = {
            name: place for name, place in zip(names, places, strict=True) if place is not None
        }
        #: Bytes of tensors on each worker, and the most that was seen, without what kernels need
        #: while they run.
        self.held_bytes: list[int] = found["held_bytes"]
        self.peak_bytes: list[int] = found["peak_bytes"]
        #: What of the config does not fit so many workers.
        self.notes: list[str] = found["notes"]
        #: How many decisions there was no room for.
        self.left_out: int = found["left_out"]
        #: About how long it takes: each worker does one thing at a time, and waits for what it is
        #: sent.
        self.seconds: float = found["seconds"]
        self._config = get_config()

    @property
    def bytes(self) -> int:
        """How many bytes go from worker to worker."""
        return sum(one["bytes"] for one in self.decisions)

    @property
    def messages(self) -> int:
        """In how many messages."""
        return sum(one["messages"] for one in self.decisions)

    def __repr__(self) -> str:
        return f"<gt.Explanation of {len(self.decisions)} decisions on {self.workers} workers>"

    def __str__(self) -> str:
        lines = [
            f"{self.workers} workers: {_bytes(self.bytes)} in {self.messages} messages, about "
            f"{_seconds(self.seconds)}",
            *(f"note: {note}" for note in self.notes),
        ]
        memory = zip(self.held_bytes, self.peak_bytes, strict=True)
        each = [
            f"{number}: {_bytes(now)}, at most {_bytes(most)}"
            for number, (now, most) in enumerate(memory)
        ]
        lines += ["", "memory by worker", *(f"  {line}" for line in _shortened(each))]
        if self.tensors:
            width = max(map(len, self.tensors))
            lines += ["", "parameters and buffers"]
            lines += [f"  {name:<{width}}  {_tensor(held)}" for name, held in self.tensors.items()]
        lines += ["", "decisions, those that cost most first"]
        dear = sorted(self.decisions, key=_cost, reverse=True)
        for decision in dear[:_PRINTED]:
            lines += _decision(decision)
        more = len(dear) - _PRINTED
        if more > 0:
            lines.append(f"  and {more} others that cost less")
        if self.left_out:
            lines.append(f"  {self.left_out} more were not kept")
        return _with_ranges("\n".join(lines))

    def json(self) -> str:
        """The same for programs."""
        words = (
            "workers",
            "seconds",
            "bytes",
            "messages",
            "notes",
            "held_bytes",
            "peak_bytes",
            "tensors",
            "decisions",
            "left_out",
        )
        return _json.dumps({word: getattr(self, word) for word in words}, indent=1)

    def yaml(self) -> str:
        """The placements as a config to edit. It gives the same run."""
        lines = [f"# What {self.workers} workers held, as a config to edit."]
        lines += _meshes(self._config)
        for name, signal in self._config.signals.items():
            lines += [f"{_json.dumps(name)}:", *(f"  {line}" for line in _signal(signal))]
        placed = [(name, _param(held)) for name, held in self.tensors.items()]
        # Where nobody has kept account, patterns say the same.
        patterns = [] if placed else _patterns(self._config)
        if patterns or any(words is not None for _, words in placed):
            lines.append("params:")
        lines += [f"  {_json.dumps(name)}: {{{words}}}" for name, words in patterns]
        for name, words in placed:
            place = self.tensors[name]["place"] or "nowhere before its first use"
            key = _json.dumps(name)
            lines.append(
                f"  # {key} {place}" if words is None else f"  {key}: {{{words}}}  # {place}"
            )
            lines[-1] = _with_ranges(lines[-1])
        return "\n".join(lines) + "\n"

    def svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """A picture of who holds what: a column for each worker, a row for each parameter."""
        text = who_holds_what(self.tensors, self.workers)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text


def explain(
    *, workers: int | None = None, as_yaml: bool = False, json: bool = False
) -> Explanation | str:
    """Prints what was decided since the last call or the beginning of the session, and gives it.

    For each line: where results are, how workers share the operation, the runner-up, what moved for
    it, and what that costs. `workers` says the same for a cluster that is not there. With `as_yaml`
    or `json` the text is given and not printed.

    >>> import gt
    >>> with gt.connect(new=True):
    ...     with gt.explaining() as explanation:
    ...         x = gt.ones(4) + 1
    ...     [decision["op"] for decision in explanation.decisions]
    ['ones', 'add']
    """
    _begin()
    found = _look(workers)
    if as_yaml:
        return found.yaml()
    if json:
        return found.json()
    print(found)
    return found


@contextmanager
def explaining() -> Iterator[Explanation]:
    """What is decided within; it is complete at the end."""
    _begin()
    explanation = _look(None)
    yield explanation
    explanation.__dict__.update(_look(None).__dict__)


def _begin() -> None:
    # What was decided automatically is known even if nothing was kept.
    if not _gt._explain_begin() and _gt._auto_shard() is None:
        raise RuntimeError(
            "explain: nothing was kept, because the session had begun; set GT_EXPLAIN=1, or call "
            "gt.explain() before the first tensor"
        )


def _look(workers: int | None) -> Explanation:
    named = {
        name: tensor
        for root in list(scopes.roots)
        for name, tensor in [*root.named_parameters(), *root.named_buffers()]
    }
    return Explanation(_gt._explain(workers, list(named.values())), list(named))


def _cost(decision: dict[str, Any]) -> float:
    return float(decision["compute_seconds"]) + float(decision["transfer_seconds"])


def _decision(found: dict[str, Any]) -> list[str]:
    line = found["line"] or "unknown line"
    within = f" in {found['within']}" if found["within"] else ""
    entry = f", '{found['entry']}'" if found["entry"] else ""
    lines = [
        f"  {line}{within}{entry}",
        f"    {found['count']} × {found['op']}: {found['results']}; computes "
        f"{_seconds(found['compute_seconds'])}, sends {_bytes(found['bytes'])} in "
        f"{found['messages']} messages, {_seconds(found['transfer_seconds'])}",
    ]
    if found["way"]:
        lines.append(f"    shared as {found['way']}")
    if found["runner_up"] and found["runner_up"] != found["way"]:
        lines.append(
            f"    runner-up {found['runner_up']}: {_bytes(found['runner_up_cost'])} instead of "
            f"{_bytes(found['cost'])}, messages included"
        )
    for what, count, messages in found["moves"]:
        lines.append(f"    moves {what}: {_bytes(count)} in {messages} messages")
    return lines


def _tensor(held: dict[str, Any]) -> str:
    shape = ", ".join(map(str, held["shape"]))
    return f"{held['dtype']}[{shape}] {held['place'] or 'nowhere before its first use'}"


def _signal(signal: SignalConfig) -> list[str]:
    lines = []
    if signal.shard is not None:
        lines.append(f"shard: {{{_shard(signal.shard)}}}")
    if signal.backward_signal is not None:
        lines.append(f"backward: {_json.dumps(signal.backward_signal)}")
    for word in ("compile", "keep"):
        value = getattr(signal, word)
        if value is not None:
            lines.append(f"{word}: {str(value).lower()}")
    return lines


def _meshes(config: Config) -> list[str]:
    """The meshes of a config; beside others the one without a name has an empty one."""
    if not config.meshes:
        return [] if config.mesh is None else [f"mesh: {_mesh(config.mesh)}"]
    first = {} if config.mesh is None else {"": config.mesh}
    meshes = {**first, **config.meshes}.items()
    return ["mesh:", *(f"  {_json.dumps(name)}: {_mesh(mesh)}" for name, mesh in meshes)]


def _mesh(mesh: MeshConfig) -> str:
    axes = ", ".join(f"{_json.dumps(name)}: {size}" for name, size in mesh.axes.items())
    plain = mesh.workers == list(range(len(mesh.workers)))
    return f"{{{axes}}}" if plain else f"{{axes: {{{axes}}}, workers: {mesh.workers}}}"


def _shard(shard: ShardConfig) -> str:
    if shard.mesh is not None:
        return ", ".join(f"{axis}: {name}" for axis, name in shard.mesh.items())
    where = f", workers: {shard.workers}" if shard.workers else ""
    return f"replicated: true{where}" if shard.replicated else f"axis: {shard.axis}{where}"


def _patterns(config: Config) -> list[tuple[str, str]]:
    """What a config says of parameters, without copies on a mesh, which need no words."""
    found = []
    for name, param in config.params.items():
        words = [_shard(param.shard)] if param.shard.mesh != {} else []
        if words and param.use is not None:
            words.append(f"use: {param.use}")
        if words and param.keep is not None:
            words.append(f"keep: {str(param.keep).lower()}")
        found += [(name, ", ".join(words))] if words else []
    return found


def _param(held: dict[str, Any]) -> str | None:
    """What a config says of a parameter, if it can: copies on a mesh are what is left out."""
    layouts = held["layouts"]
    if not layouts or any(kind == "partial" for _, _, kind in layouts):
        return None
    cuts = [(axis, name) for name, axis, kind in layouts if kind == "shard"]
    if len(layouts) > 1:
        if not cuts:
            return None
        words = [f"{axis}: {name}" for axis, name in cuts]
    else:
        workers = [worker for worker, _ in held["parts"]]
        words = [f"axis: {cuts[0][0]}" if cuts else "replicated: true", f"workers: {workers}"]
    if held["whole_while_used"]:
        words.append("use: replicate")
    if not held["keep"]:
        words.append("keep: false")
    return ", ".join(words)


def _with_ranges(text: str) -> str:
    """The text with `on 0–63` where it lists the numbers of that many workers."""
    return _WORKERS.sub(lambda found: f"on {_ranges(found[1].split())}", text)


def _ranges(names: list[str]) -> str:
    """Names such as `w3`, with what lies between the first and the last of a run left out."""
    runs: list[list[str]] = []
    for name in names:
        follows = runs and int(runs[-1][-1].lstrip("w")) + 1 == int(name.lstrip("w"))
        if follows:
            runs[-1].append(name)
        else:
            runs.append([name])
    words = (f"{run[0]}–{run[-1]}" if len(run) > 2 else " ".join(run) for run in runs)
    return " ".join(words)


def _shortened(lines: list[str]) -> list[str]:
    return lines if len(lines) <= 8 else [*lines[:6], "…", lines[-1]]


def _bytes(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count} bytes" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError


def _seconds(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds * 1e6:.0f} µs"
