"""Attention: means of values, weighted by how well keys answer queries."""

from __future__ import annotations

import math

from gt import _gt
from gt._gt import Tensor
from gt.nn.functional.checks import named, same_dtype
from gt.nn.functional.layer import dropout


@named
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """The values, weighted by the softmax of the products of queries and keys.

    A query that sees no key, because the mask hides them all, gets zeros, and so does its gradient.

    >>> import gt
    >>> q = gt.zeros(1, 2, 4)
    >>> gt.nn.functional.scaled_dot_product_attention(q, q, gt.ones(1, 2, 3)).shape
    (1, 2, 3)
    """
    same_dtype("scaled_dot_product_attention", query=query, key=key, value=value)
    if attn_mask is not None and attn_mask.dtype not in (_gt.bool, _gt.float32):
        same_dtype("scaled_dot_product_attention", query=query, attn_mask=attn_mask)
    if min(query.ndim, key.ndim, value.ndim) < 2:
        shapes = ", ".join(str(tuple(tensor.shape)) for tensor in (query, key, value))
        raise RuntimeError(f"scaled_dot_product_attention: {shapes} need at least two axes each")
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = (_repeated(tensor, times) for tensor in (key, value))
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    if attn_mask is None and dropout_p == 0 and _is_stacked(query, key, value):
        result: Tensor = _gt.attend(query, key, value, factor, is_causal)[0]
        return result
    scores = (query * factor) @ key.transpose(-2, -1)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("scaled_dot_product_attention: a causal mask is a mask already")
        attn_mask = _gt.ones(scores.shape[-2:], dtype=_gt.bool).tril()
    if attn_mask is not None:
        if attn_mask.dtype == _gt.bool:
            scores = scores.masked_fill(attn_mask.logical_not(), float("-inf"))
        else:
            scores = scores + attn_mask
    return dropout(_gt.safe_softmax(scores, -1), dropout_p) @ value


def _is_stacked(query: Tensor, key: Tensor, value: Tensor) -> bool:
    """Whether each stack of queries has its own keys and values, in a dtype without halves."""
    (*lead, _, depth), (*key_lead, count, key_depth) = query.shape, key.shape
    *value_lead, values, _ = value.shape
    fits = lead == key_lead == value_lead and (depth, count) == (key_depth, values)
    wide = query.dtype in (_gt.float32, _gt.float64)
    return fits and wide and 0 not in (*query.shape, *key.shape, *value.shape)


def _repeated(tensor: Tensor, times: int) -> Tensor:
    """Each head several times in a row."""
    lead, (heads, length, size) = tensor.shape[:-3], tensor.shape[-3:]
    wide = tensor.unsqueeze(-3).expand(*lead, heads, times, length, size)
    return wide.reshape(*lead, heads * times, length, size)
