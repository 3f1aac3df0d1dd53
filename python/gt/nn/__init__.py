"""Parts of models: layers, containers, losses, and what they compute."""

from gt.nn import functional, init, utils
from gt.nn.activation import (
    ELU,
    GELU,
    Dropout,
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
from gt.nn.functional import binary_cross_entropy, mse_loss, relu, sigmoid, tanh
from gt.nn.functional import cross_entropy as cross_entropy_loss
from gt.nn.image import (
    AdaptiveAvgPool2d,
    AvgPool2d,
    Conv1d,
    Conv2d,
    ConvTranspose2d,
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
from gt.nn.norm import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, RMSNorm
from gt.nn.parameter import Buffer, Parameter
from gt.nn.recurrent import GRU, LSTM
from gt.nn.transformer import MultiheadAttention, TransformerEncoder, TransformerEncoderLayer
from gt.optim import SGD, Adagrad, Adam, AdamW, RMSprop

__all__ = [
    "ELU",
    "GELU",
    "GRU",
    "LSTM",
    "SGD",
    "Adagrad",
    "Adam",
    "AdamW",
    "AdaptiveAvgPool2d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Bilinear",
    "Buffer",
    "Conv1d",
    "Conv2d",
    "ConvTranspose2d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "HuberLoss",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "MaxPool2d",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiheadAttention",
    "NLLLoss",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "RMSNorm",
    "RMSprop",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Softplus",
    "Tanh",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "Unflatten",
    "binary_cross_entropy",
    "cross_entropy_loss",
    "functional",
    "init",
    "mse_loss",
    "relu",
    "sigmoid",
    "tanh",
    "utils",
]
