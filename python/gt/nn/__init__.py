"""Parts of models: layers, containers, losses, and what they compute."""

from __future__ import annotations

import importlib
from typing import Any

from gt.nn import functional, init, parallel, parameter, utils
from gt.nn.activation import (
    ELU,
    GELU,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    LeakyReLU,
    LogSoftmax,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from gt.nn.container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from gt.nn.decoder import Transformer, TransformerDecoder
from gt.nn.elementwise import (
    CELU,
    GLU,
    SELU,
    CosineSimilarity,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LogSigmoid,
    Mish,
    PReLU,
    ReLU6,
    Softsign,
    Tanhshrink,
    Threshold,
)
from gt.nn.functional import binary_cross_entropy, mse_loss, relu, sigmoid, tanh
from gt.nn.functional import cross_entropy as cross_entropy_loss
from gt.nn.image import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AvgPool1d,
    AvgPool2d,
    Conv1d,
    Conv2d,
    ConvTranspose1d,
    ConvTranspose2d,
    MaxPool1d,
    MaxPool2d,
)
from gt.nn.linear import Bilinear, Embedding, Flatten, Identity, Linear, Unflatten
from gt.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from gt.nn.module import Module
from gt.nn.norm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LayerNorm,
    RMSNorm,
)
from gt.nn.parallel import DataParallel
from gt.nn.parameter import Buffer, Parameter
from gt.nn.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from gt.nn.resize import (
    CircularPad1d,
    CircularPad2d,
    ConstantPad2d,
    PixelShuffle,
    PixelUnshuffle,
    ReflectionPad1d,
    ReflectionPad2d,
    ReplicationPad1d,
    ReplicationPad2d,
    Upsample,
    UpsamplingBilinear2d,
    UpsamplingNearest2d,
    ZeroPad2d,
)
from gt.nn.transformer import (
    MultiheadAttention,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from gt.optim import SGD, Adagrad, Adam, AdamW, RMSprop

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "SGD",
    "Adagrad",
    "Adam",
    "AdamW",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Bilinear",
    "Buffer",
    "CircularPad1d",
    "CircularPad2d",
    "ConstantPad2d",
    "Conv1d",
    "Conv2d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "DataParallel",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "Embedding",
    "Flatten",
    "GRUCell",
    "GroupNorm",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HuberLoss",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "KLDivLoss",
    "L1Loss",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiheadAttention",
    "NLLLoss",
    "PReLU",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "RMSNorm",
    "RMSprop",
    "RNNCell",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "Unflatten",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad2d",
    "binary_cross_entropy",
    "cross_entropy_loss",
    "functional",
    "init",
    "mse_loss",
    "parallel",
    "parameter",
    "relu",
    "sigmoid",
    "tanh",
    "utils",
]


def __getattr__(name: str) -> Any:
    # It gives out what stands here, so that it can only come after.
    if name == "modules":
        return importlib.import_module("gt.nn.modules")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    # Python suggests names from this list when a name was mistyped.
    return sorted(name for name in globals() if name[:1] != "_" or name[:2] == "__")
