"""Layers that read sequences step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.nn import functional as F
from gt.nn.linear import spread
from gt.nn.module import Module
from gt.nn.parameter import Parameter

# The state before and the products of an input give the state after; its first part is the result.
State = tuple[Tensor, ...]
Cell = Callable[[Tensor, Tensor, State], State]


class _Recurrent(Module):
    """What recurrent layers have in common: weights by layer and direction, and the walk."""

    _gates: int
    _states: int

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, dropout
        self.bidirectional = bidirectional
        for layer in range(num_layers):
            size = input_size if layer == 0 else hidden_size * self._directions
            for direction in range(self._directions):
                self._add_weights(_suffix(layer, direction), size, dtype)
        spread(self, hidden_size)

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _add_weights(self, suffix: str, size: int, dtype: Any) -> None:
        rows = self._gates * self.hidden_size
        shapes: dict[str, tuple[int, ...]] = {
            "weight_ih": (rows, size),
            "weight_hh": (rows, self.hidden_size),
        }
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        for name, shape in shapes.items():
            self.register_parameter(name + suffix, Parameter(_gt.empty(*shape, dtype=dtype)))

    def _cell(self, inputs: Tensor, products: Tensor, state: State) -> State:
        """The state after one step, from what the input and the hidden state were multiplied to."""
        raise NotImplementedError

    def _walk(self, input: Tensor, first: State | None) -> tuple[Tensor, State]:
        """All layers over a sequence (L, N, size), from a state for each layer and direction."""
        count = self.num_layers * self._directions
        if first is None:
            zeros = _gt.zeros(count, input.shape[1], self.hidden_size, dtype=input.dtype)
            first = (zeros,) * self._states
        last: list[State] = []
        for layer in range(self.num_layers):
            results = []
            for direction in range(self._directions):
                state = tuple(part[len(last)] for part in first)
                result, state = self._pass(input, layer, direction, state)
                results.append(result)
                last.append(state)
            input = results[0] if len(results) == 1 else _gt.cat(results, -1)
            if self.dropout and layer + 1 < self.num_layers:
                input = F.dropout(input, self.dropout, self.training)
        parts = zip(*last, strict=True)
        return input, tuple(_gt.stack(list(part)) for part in parts)

    def _pass(
        self, input: Tensor, layer: int, direction: int, state: State
    ) -> tuple[Tensor, State]:
        """One layer in one direction."""
        suffix = _suffix(layer, direction)
        weight, bias = self._weights("hh", suffix)
        # The products with the inputs do not wait for the state, so they are made all at once.
        products = F.linear(input, *self._weights("ih", suffix))
        steps = range(input.shape[0])
        results: list[Tensor] = []
        for step in reversed(steps) if direction else steps:
            again = F.linear(state[0], weight, bias)
            state = self._cell(products[step], again, state)
            results.append(state[0])
        return _gt.stack(results[::-1] if direction else results), state

    def _weights(self, which: str, suffix: str) -> tuple[Tensor, Tensor | None]:
        weight = self._parameters[f"weight_{which}{suffix}"]
        assert weight is not None
        return weight, self._parameters.get(f"bias_{which}{suffix}")

    def _run(self, input: Tensor, first: State | None) -> tuple[Tensor, State]:
        """The walk for inputs with or without a batch, and with it in front or not."""
        alone = input.ndim == 2
        if alone:
            input = input.unsqueeze(1)
            first = None if first is None else tuple(part.unsqueeze(1) for part in first)
        elif self.batch_first:
            input = input.transpose(0, 1)
        result, last = self._walk(input, first)
        if alone:
            return result.squeeze(1), tuple(part.squeeze(1) for part in last)
        return (result.transpose(0, 1) if self.batch_first else result), last

    def extra_repr(self) -> str:
        """The sizes and options."""
        text = f"{self.input_size}, {self.hidden_size}"
        text += f", num_layers={self.num_layers}" if self.num_layers != 1 else ""
        text += "" if self.bias else ", bias=False"
        text += ", batch_first=True" if self.batch_first else ""
        text += f", dropout={self.dropout}" if self.dropout else ""
        return text + (", bidirectional=True" if self.bidirectional else "")


def _suffix(layer: int, direction: int) -> str:
    return f"_l{layer}" + ("_reverse" if direction else "")


class LSTM(_Recurrent):
    """A recurrent layer whose memory has gates.

    >>> import gt
    >>> output, (hidden, cell) = gt.nn.LSTM(4, 3, batch_first=True)(gt.zeros(2, 5, 4))
    >>> output.shape, hidden.shape, cell.shape
    ((2, 5, 3), (1, 2, 3), (1, 2, 3))
    """

    _gates, _states = 4, 2

    def _cell(self, inputs: Tensor, products: Tensor, state: State) -> State:
        enter, forget, new, leave = (inputs + products).chunk(4, -1)
        memory = forget.sigmoid() * state[1] + enter.sigmoid() * new.tanh()
        return leave.sigmoid() * memory.tanh(), memory

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The result of each step, and the last states of all layers."""
        result, (hidden, memory) = self._run(input, hx)
        return result, (hidden, memory)


class GRU(_Recurrent):
    """A recurrent layer that mixes its state with a new one."""

    _gates, _states = 3, 1

    def _cell(self, inputs: Tensor, products: Tensor, state: State) -> State:
        (reset, keep, new), (reset2, keep2, new2) = inputs.chunk(3, -1), products.chunk(3, -1)
        kept = (keep + keep2).sigmoid()
        fresh = (new + (reset + reset2).sigmoid() * new2).tanh()
        return (fresh + kept * (state[0] - fresh),)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The result of each step, and the last states of all layers."""
        result, (hidden,) = self._run(input, None if hx is None else (hx,))
        return result, hidden
