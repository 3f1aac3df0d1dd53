"""Attention with several heads, and the layers that transformers are made of."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.nn import functional as F
from gt.nn import init
from gt.nn.activation import Dropout
from gt.nn.container import ModuleList
from gt.nn.linear import Linear
from gt.nn.module import Module
from gt.nn.naming import OwnInit
from gt.nn.norm import LayerNorm
from gt.nn.parameter import Parameter


class MultiheadAttention(Module):
    """Attention in several subspaces at once."""

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if add_bias_kv or add_zero_attn:
            raise NotImplementedError("add_bias_kv and add_zero_attn are not supported")
        if embed_dim % num_heads:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.batch_first = batch_first
        key, value = kdim or embed_dim, vdim or embed_dim
        self._alike = key == value == embed_dim
        shapes: dict[str, tuple[int, int]] = {"in_proj_weight": (3 * embed_dim, embed_dim)}
        if not self._alike:
            sizes = {"q": embed_dim, "k": key, "v": value}
            shapes = {f"{name}_proj_weight": (embed_dim, size) for name, size in sizes.items()}
        for name, shape in shapes.items():
            weight = Parameter(_gt.empty(*shape, device=device, dtype=dtype))
            self.register_parameter(name, weight)
            init.xavier_uniform_(weight)
        offsets = Parameter(_gt.zeros(3 * embed_dim, device=device, dtype=dtype)) if bias else None
        self.register_parameter("in_proj_bias", offsets)
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype=dtype)
        if bias:
            init.zeros_(self.out_proj.bias)

    def _projected(self, inputs: tuple[Tensor, Tensor, Tensor]) -> list[Tensor]:
        """Queries, keys and values."""
        size, bias = self.embed_dim, self.in_proj_bias
        if self._alike and inputs[0] is inputs[1] is inputs[2]:
            return list(F.linear(inputs[0], self.in_proj_weight, bias).chunk(3, -1))
        if self._alike:
            weights = self.in_proj_weight.chunk(3)
        else:
            weights = [self._parameters[f"{n}_proj_weight"] for n in "qkv"]
        biases = [None] * 3 if bias is None else bias.split(size)
        parts = zip(inputs, weights, biases, strict=True)
        return [F.linear(x, weight, offset) for x, weight, offset in parts]

    def _mask(self, attn_mask: Tensor | None, padding: Tensor | None, dtype: Any) -> Tensor | None:
        """What is added to the scores; a boolean mask is true where nothing may be seen."""
        mask = None if attn_mask is None else _additive(attn_mask, dtype)
        if mask is not None and mask.ndim == 3:
            mask = mask.reshape(-1, self.num_heads, *mask.shape[1:])
        if padding is None:
            return mask
        hidden = _additive(padding, dtype)[:, None, None, :]
        return hidden if mask is None else mask + hidden

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The attended values, and the weights if they are needed.

        The weights of a query are zero if the masks hide all keys from it.
        """
        if is_causal and attn_mask is None:
            raise RuntimeError("MultiheadAttention: is_causal is a hint about attn_mask; give one")
        alone = query.ndim == 2
        inputs: Any = (query, key, value)
        if alone or not self.batch_first:
            # Where one tensor stands for all three, it stays one.
            axis, turned = 0 if alone else None, {}
            for x in inputs:
                turned[id(x)] = x.unsqueeze(0) if axis == 0 else x.transpose(0, 1)
            inputs = tuple(turned[id(x)] for x in (query, key, value))
        if alone and key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
        projected = self._projected(inputs)
        q, k, v = (_heads(x, self.num_heads) for x in projected)
        mask = self._mask(attn_mask, key_padding_mask, q.dtype)
        if need_weights:
            result, weights = self._with_weights(q, k, v, mask)
        else:
            dropped = self.dropout if self.training else 0.0
            result = F.scaled_dot_product_attention(q, k, v, mask, dropped)
            weights = None
        result = self.out_proj(result.transpose(1, 2).flatten(2))
        if weights is not None and average_attn_weights:
            weights = weights.mean(1)
        if alone:
            return result.squeeze(0), None if weights is None else weights.squeeze(0)
        return (result if self.batch_first else result.transpose(0, 1)), weights

    def _with_weights(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-2, -1)
        weights = _gt.safe_softmax(scores if mask is None else scores + mask, -1)
        weights = F.dropout(weights, self.dropout, self.training)
        return weights @ v, weights


def _heads(x: Tensor, count: int) -> Tensor:
    """(N, L, size) as (N, heads, L, size of a head)."""
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def _additive(mask: Tensor, dtype: Any) -> Tensor:
    if mask.dtype != _gt.bool:
        return mask
    return _gt.zeros(mask.shape, dtype=dtype).masked_fill(mask, float("-inf"))


def activation_of(activation: str | Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """The function between the linear layers, which may be given by its name."""
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu or gelu, not {activation}")
    return F.relu if activation == "relu" else F.gelu


class _TransformerLayer(OwnInit, Module):
    """Attentions and two linear layers, with a norm and a way around each."""

    # The attentions by their names, in the order in which a sequence goes through them.
    attentions: tuple[str, ...]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options: Any = {"batch_first": batch_first, "dtype": dtype}
        for name in self.attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, **options))
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype=dtype)
        self.norm_first = norm_first
        numbers = range(1, len(self.attentions) + 2)
        for number in numbers:
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
            setattr(self, f"norm{number}", norm)
        for number in numbers:
            setattr(self, f"dropout{number}", Dropout(dropout))
        self.activation = activation_of(activation)

    def _through(self, x: Tensor, *parts: Callable[[Tensor], Tensor]) -> Tensor:
        """The sequence after these parts and the linear layers."""
        for number, part in enumerate((*parts, self._feed), 1):
            norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
            x = x + dropout(part(norm(x))) if self.norm_first else norm(x + dropout(part(x)))
        return x

    def _feed(self, x: Tensor) -> Tensor:
        inner = self.dropout(self.activation(self.linear1(x)))
        return self.linear2(inner)  # type: ignore[no-any-return]


def _attended(
    attention: MultiheadAttention,
    query: Tensor,
    key: Tensor,
    mask: Tensor | None,
    padding: Tensor | None,
    is_causal: bool,
) -> Tensor:
    masks = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal}
    result: Tensor = attention(query, key, key, need_weights=False, **masks)[0]
    return result


class TransformerEncoderLayer(_TransformerLayer):
    """Attention of a sequence to itself, and two linear layers, each with a way around it."""

    attentions = ("self_attn",)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """The sequence after the layer."""
        masks = (src_mask, src_key_padding_mask, is_causal)
        return self._through(src, lambda x: _attended(self.self_attn, x, x, *masks))


class TransformerDecoderLayer(_TransformerLayer):
    """Attention of a sequence to itself and to another, and two linear layers."""

    attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The sequence after the layer."""
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        return self._through(
            tgt,
            lambda x: _attended(self.self_attn, x, x, *own),
            lambda x: _attended(self.multihead_attn, x, memory, *other),
        )


class TransformerEncoder(Module):
    """Encoder layers one after another, each a copy of the one given."""

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """The sequence after all layers."""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, bool(is_causal))
        return src if self.norm is None else self.norm(src)
