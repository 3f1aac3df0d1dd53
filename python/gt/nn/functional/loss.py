"""Losses: how far a result is from what it should be."""

from __future__ import annotations

import warnings

from gt import _gt
from gt._gt import Tensor
from gt.autograd.precision import full_precision
from gt.nn.functional.activation import logsigmoid
from gt.nn.functional.checks import demand_float, named, rounded_once, same_dtype


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, which older programs give with two arguments."""
    for name, value in (("size_average", size_average), ("reduce", reduce)):
        if value is not None and not isinstance(value, bool):
            raise TypeError(f"'{name}' is true or false, not {value!r}; use reduction={value!r}")
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


def _compare_sizes(input: Tensor, target: Tensor) -> None:
    if input.shape != target.shape:
        warnings.warn(
            f"a target of shape {tuple(target.shape)} is broadcast against an input of shape "
            f"{tuple(input.shape)}, which is seldom what is meant",
            stacklevel=5,
        )


def _promoted(name: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both in the dtype of their difference, which must have fractions."""
    # As in PyTorch, a tensor without axes counts like any other: it is expanded before.
    dtype = _gt.promote_types(input.dtype, target.dtype)
    if not dtype.is_floating_point:
        demand_float(name, input)
    return input.to(dtype), target.to(dtype)


def _demand_sizes(input: Tensor, target: Tensor) -> None:
    if input.shape != target.shape:
        raise ValueError(
            f"target size {tuple(target.shape)} must be the same as input size {tuple(input.shape)}"
        )


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    if reduction == "none":
        return loss
    raise ValueError(f"{reduction} is not a valid value for reduction")


@named
@full_precision
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The squares of the differences.

    >>> import gt
    >>> gt.nn.functional.mse_loss(gt.tensor([1.0, 2.0]), gt.zeros(2))
    tensor(2.5000)
    """
    _compare_sizes(input, target)
    input, target = _promoted("mse_loss", input, target)
    loss = rounded_once(lambda a, b: (a - b).square(), input, target)
    return _reduced(loss, reduction_of(size_average, reduce, reduction))


@named
@full_precision
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sizes of the differences."""
    _compare_sizes(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if reduction == "mean" or input.dtype.is_floating_point or target.dtype.is_floating_point:
        input, target = _promoted("l1_loss", input, target)
    return _reduced((input - target).abs(), reduction)


@named
@full_precision
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """The sizes of the differences, squared where they are small."""
    if beta == 0:
        return l1_loss(input, target, size_average, reduce, reduction)
    _compare_sizes(input, target)
    input, target = _promoted("smooth_l1_loss", input, target)

    def smooth(a: Tensor, b: Tensor) -> Tensor:
        size = (a - b).abs()
        return _gt.where(size < beta, size * size * (0.5 / beta), size - 0.5 * beta)

    loss = rounded_once(smooth, input, target)
    return _reduced(loss, reduction_of(size_average, reduce, reduction))


@named
@full_precision
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    """Squares of small differences, and lines beyond `delta`."""
    _compare_sizes(input, target)
    demand_float("huber_loss", input)
    # Unlike its relatives, it has the dtype of its input.
    dtype = input.dtype
    input, target = _promoted("huber_loss", input, target)

    def huber(a: Tensor, b: Tensor) -> Tensor:
        size = (a - b).abs()
        return _gt.where(size <= delta, size * size * 0.5, (size - 0.5 * delta) * delta)

    return _reduced(rounded_once(huber, input, target).to(dtype), reduction)


@named
@full_precision
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The surprise at a truth between zero and one, given probabilities."""
    _demand_sizes(input, target)
    same_dtype("binary_cross_entropy", input=input, target=target)
    demand_float("binary_cross_entropy", input)
    reduction = reduction_of(size_average, reduce, reduction)

    # As in PyTorch, a logarithm is at least -100, so that a sure mistake has a loss.
    def surprise(p: Tensor, truth: Tensor) -> Tensor:
        sure, doubt = p.log().clamp(min=-100), (1 - p).log().clamp(min=-100)
        return -(truth * sure + (1 - truth) * doubt)

    loss = rounded_once(surprise, input, target)
    return _reduced(loss if weight is None else (loss * weight).to(loss.dtype), reduction)


@named
@full_precision
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """The same, given logits."""
    _demand_sizes(input, target)
    demand_float("binary_cross_entropy_with_logits", input, target)
    reduction = reduction_of(size_average, reduce, reduction)

    def surprise(x: Tensor, truth: Tensor, weight: Tensor | None = None) -> Tensor:
        factor = None if weight is None else (weight - 1) * truth + 1
        sure = logsigmoid(x)
        return (1 - truth) * x - (sure if factor is None else factor * sure)

    given = (input, target) if pos_weight is None else (input, target, pos_weight)
    loss = rounded_once(surprise, *given)
    loss = loss if weight is None else loss * weight
    # As in PyTorch, the truth says how precise the loss is.
    return _reduced(loss.to(target.dtype), reduction)


@named
@full_precision
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative of the log-probability that `input` (N, C, …) gives to `target` (N, …)."""
    reduction = reduction_of(size_average, reduce, reduction)
    axis = 1 if input.ndim > 1 else 0
    _demand_classes("nll_loss", input, target, weight)
    used = target != ignore_index
    place = _gt.where(used, target, 0).unsqueeze(axis)
    chosen = -input.gather(axis, place).squeeze(axis)
    factor = used.to(input.dtype)
    if weight is not None:
        factor = factor * weight[place.squeeze(axis)]
    # `where` and not a product alone: what is ignored may be infinite.
    loss = _gt.where(used, chosen, 0.0) * factor
    if reduction == "mean":
        return loss.sum() / factor.sum()
    return _reduced(loss, reduction)


@named
@full_precision
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The surprise at classes, or at probabilities of classes, given logits (N, C, …).

    >>> import gt
    >>> gt.nn.functional.cross_entropy(gt.zeros(1, 4), gt.tensor([2]))
    tensor(1.3863)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    axis = 1 if input.ndim > 1 else 0
    if input.ndim == 0:
        raise IndexError("cross_entropy: an input without axes has no classes")
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0 and 1, not {label_smoothing}")
    likely = input.shape == target.shape
    if likely:
        _demand_probabilities(input, target, weight, ignore_index)
    else:
        _demand_classes("cross_entropy", input, target, weight)
    logs = input.log_softmax(axis)
    if likely:
        return _with_probabilities(logs, target, weight, reduction, label_smoothing, axis)
    plain = nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing == 0:
        return plain
    used = (target != ignore_index).to(logs.dtype)
    channel = None if weight is None else weight.reshape(-1, *[1] * (logs.ndim - 1 - axis))
    spread = -(logs if channel is None else logs * channel).sum(axis)
    smooth = spread * used
    if reduction == "mean":
        counts = used if weight is None else used * weight[_gt.where(used > 0, target, 0)]
        smooth = smooth.sum() / counts.sum()
    else:
        smooth = _reduced(smooth, reduction)
    return plain * (1 - label_smoothing) + smooth * (label_smoothing / input.shape[axis])


def _demand_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int
) -> None:
    demand_float("cross_entropy", input)
    if not target.dtype.is_floating_point:
        raise RuntimeError(
            "cross_entropy: a target in the shape of the input has probabilities, which are not "
            f"{target.dtype.name}"
        )
    if ignore_index >= 0:
        raise RuntimeError("cross_entropy: ignore_index is for classes, not for probabilities")
    _demand_weights("cross_entropy", input, weight)


def _demand_classes(name: str, input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    """Refuses a target (N, ...) that does not name classes of an input (N, C, ...)."""
    demand_float(name, input)
    shape, found = tuple(input.shape), tuple(target.shape)
    expected = (shape[:1] + shape[2:]) if len(shape) > 1 else ()
    words = f"{name}: an input of shape {shape} needs a target of shape {expected}, not {found}"
    if found[:1] != expected[:1]:
        raise ValueError(words)
    if target.dtype not in (_gt.int64, _gt.uint8):
        raise RuntimeError(
            f"{name}: a target names classes by int64 or uint8, not by {target.dtype.name}"
        )
    if found != expected:
        raise RuntimeError(words)
    _demand_weights(name, input, weight)


def _demand_weights(name: str, input: Tensor, weight: Tensor | None) -> None:
    same_dtype(name, input=input, weight=weight)
    count = input.shape[1 if input.ndim > 1 else 0]
    if weight is not None and tuple(weight.shape) != (count,):
        raise RuntimeError(
            f"{name}: {count} classes need as many weights, not {tuple(weight.shape)}"
        )


def _with_probabilities(
    logs: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: str,
    label_smoothing: float,
    axis: int,
) -> Tensor:
    count = logs.shape[axis]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / count
    if weight is not None:
        logs = logs * weight.reshape(-1, *[1] * (logs.ndim - 1 - axis))
    loss = -(logs * target).sum(axis)
    return _reduced(loss, reduction)


@named
@full_precision
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """How much `target` differs from a distribution whose logarithm is `input`."""
    for tensor in (input, target):
        if not tensor.dtype.is_floating_point:
            raise RuntimeError(f"kl_div: {tensor.dtype.name} cannot be probabilities")
    reduction = reduction_of(size_average, reduce, reduction)
    if log_target:
        loss = target.exp() * (target - input)
    else:
        # Where the target is zero, so is the loss, whatever its logarithm.
        sure = _gt.where(target > 0, target, 1.0)
        loss = target * (sure.log() - input)
    if reduction == "batchmean":
        return loss.sum() / loss.shape[0]
    return _reduced(loss, reduction)


@named
@full_precision
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How far pairs are from the same direction, or from different ones."""
    reduction = reduction_of(size_average, reduce, reduction)

    def between(a: Tensor, b: Tensor) -> Tensor:
        squares = (a * a).sum(-1) + 1e-12, (b * b).sum(-1) + 1e-12
        return (a * b).sum(-1) / (squares[0] * squares[1]).sqrt()

    cosine = rounded_once(between, input1, input2)
    loss = _gt.where(target > 0, 1 - cosine, (cosine - margin).clamp(min=0.0))
    return _reduced(loss, reduction)
