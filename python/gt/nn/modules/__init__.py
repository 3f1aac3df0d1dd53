"""PyTorch's folder of layers, for programs that name it; everything is in `gt.nn`."""

# ruff: noqa: F401

from gt.nn import *  # noqa: F403
from gt.nn import __all__ as __all__
from gt.nn.modules import (  # type: ignore[no-redef]
    activation,
    batchnorm,
    container,
    conv,
    dropout,
    instancenorm,
    linear,
    loss,
    module,
    normalization,
    padding,
    pooling,
    rnn,
    sparse,
    transformer,
    upsampling,
    utils,
)
