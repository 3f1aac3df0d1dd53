"""PyTorch's name for a part of `gt.nn`: layers that read sequences step by step."""

from gt.nn.recurrent import (
    GRU,
    LSTM,
    RNN,
    GRUCell,
    LSTMCell,
    RNNCell,
)
from gt.nn.recurrent import (
    _Recurrent as RNNBase,
)
from gt.nn.recurrent import (
    _RecurrentCell as RNNCellBase,
)

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]
