"""PyTorch's name for a part of `gt.nn`: transformers and their layers."""

from gt.nn.decoder import Transformer, TransformerDecoder
from gt.nn.transformer import (
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]
