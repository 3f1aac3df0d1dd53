"""Transformers with a decoder, which attends to what an encoder has made of another sequence."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.nn import functional as F
from gt.nn import init
from gt.nn.container import ModuleList
from gt.nn.module import Module
from gt.nn.norm import LayerNorm
from gt.nn.transformer import (
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)


class TransformerDecoder(Module):
    """Decoder layers one after another, each a copy of the one given."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The sequence after all layers."""
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        for layer in self.layers:
            tgt = layer(tgt, memory, *masks, bool(tgt_is_causal), memory_is_causal)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder for one sequence, and a decoder for another.

    >>> import gt
    >>> model = gt.nn.Transformer(8, 2, 1, 1, 16)
    >>> model(gt.zeros(5, 3, 8), gt.zeros(4, 3, 8)).shape
    (4, 3, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options: Any = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps)
        more: Any = {"batch_first": batch_first, "norm_first": norm_first, "bias": bias}
        more["dtype"] = dtype
        if custom_encoder is None:
            layer: Module = TransformerEncoderLayer(*options, **more)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*options, **more)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        self.encoder, self.decoder = custom_encoder, custom_decoder
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The second sequence, after it has seen what the encoder made of the first."""
        axis = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[axis] != tgt.shape[axis]:
            raise RuntimeError("Transformer: src and tgt must have batches of one size")
        if not src.shape[-1] == tgt.shape[-1] == self.d_model:
            raise RuntimeError(f"Transformer: the last axis of src and tgt must be {self.d_model}")
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        result: Tensor = self.decoder(tgt, memory, *masks, tgt_is_causal, memory_is_causal)
        return result

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """What hides later places from earlier ones, to be added to scores."""
        kind = dtype or _gt.get_default_dtype()
        return _gt.full((sz, sz), fill_value=float("-inf"), dtype=kind).triu(1)
