"""PyTorch's name for a part of `gt.nn`: transformers and their layers."""

from gt.nn.decoder import Transformer, TransformerDecoder, TransformerDecoderLayer
from gt.nn.transformer import TransformerEncoder, TransformerEncoderLayer

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]
