"""What modules compute, as functions."""

from gt.nn.functional.activation import *  # noqa: F403
from gt.nn.functional.attention import scaled_dot_product_attention
from gt.nn.functional.image import (
    adaptive_avg_pool2d,
    avg_pool2d,
    conv2d,
    conv_transpose2d,
    max_pool2d,
)
from gt.nn.functional.layer import (
    bilinear,
    cosine_similarity,
    dropout,
    dropout1d,
    dropout2d,
    embedding,
    linear,
    one_hot,
    pad,
)
from gt.nn.functional.loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from gt.nn.functional.norm import batch_norm, group_norm, instance_norm, layer_norm, rms_norm
from gt.nn.functional.resize import interpolate, pixel_shuffle, pixel_unshuffle
from gt.nn.functional.sequence import (
    adaptive_avg_pool1d,
    avg_pool1d,
    conv1d,
    conv_transpose1d,
    max_pool1d,
)

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "conv_transpose1d",
    "conv_transpose2d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "dropout1d",
    "dropout2d",
    "embedding",
    "group_norm",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "linear",
    "max_pool1d",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "pad",
    "pixel_shuffle",
    "pixel_unshuffle",
    "rms_norm",
    "scaled_dot_product_attention",
    "smooth_l1_loss",
]


def __dir__() -> list[str]:
    # Python suggests names from this list when a name was mistyped.
    return sorted(name for name in globals() if name[:1] != "_" or name[:2] == "__")
