"""Layers that read sequences step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.nn import functional as F
from gt.nn.functional.checks import same_dtype
from gt.nn.linear import spread
from gt.nn.module import Module
from gt.nn.naming import OwnInit
from gt.nn.parameter import Parameter

# The state before and the products of an input give the state after; its first part is the result.
State = tuple[Tensor, ...]
Step = Callable[[Tensor, Tensor, State], State]


def _tanh_step(inputs: Tensor, products: Tensor, state: State) -> State:
    return ((inputs + products).tanh(),)


def _relu_step(inputs: Tensor, products: Tensor, state: State) -> State:
    return ((inputs + products).relu(),)


# So many steps are one instruction at most.
STEPS_AT_ONCE = 64

PLAIN_STEPS: dict[str, Step] = {"tanh": _tanh_step, "relu": _relu_step}


def _plain_step(nonlinearity: str) -> Step:
    if nonlinearity not in PLAIN_STEPS:
        raise ValueError(f"nonlinearity is 'tanh' or 'relu', not {nonlinearity!r}")
    return PLAIN_STEPS[nonlinearity]


class _Recurrent(OwnInit, Module):
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
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if proj_size:
            raise NotImplementedError(f"{type(self).__name__}: proj_size is not supported")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, dropout
        self.bidirectional, self.proj_size = bidirectional, proj_size
        for layer in range(num_layers):
            size = input_size if layer == 0 else hidden_size * self._directions
            for direction in range(self._directions):
                self._add_weights(_suffix(layer, direction), size, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the parameters anew."""
        spread(self, self.hidden_size)

    def flatten_parameters(self) -> None:
        """Nothing: where weights are is no matter of the program's."""

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _add_weights(self, suffix: str, size: int, device: Any, dtype: Any) -> None:
        rows = self._gates * self.hidden_size
        shapes: dict[str, tuple[int, ...]]
        shapes = {"weight_ih": (rows, size), "weight_hh": (rows, self.hidden_size)}
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        for name, shape in shapes.items():
            weight = _gt.empty(*shape, device=device, dtype=dtype)
            self.register_parameter(name + suffix, Parameter(weight))

    def _products(self, input: Tensor, suffix: str) -> Tensor:
        """The products of all inputs: they do not wait for the state, so they are made at once."""
        return F.linear(input, *self._weights("ih", suffix))

    def _steps(self, products: Tensor, suffix: str, state: State) -> tuple[Tensor, State]:
        """The result of each of a few steps, and the state after them."""
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
        """One layer in one direction, many steps at once."""
        suffix = _suffix(layer, direction)
        products = self._products(input, suffix)
        if direction:
            products = products.flip(0)
        results: list[Tensor] = []
        for part in products.split(STEPS_AT_ONCE):
            result, state = self._steps(part, suffix, state)
            results.append(result)
        result = results[0] if len(results) == 1 else _gt.cat(results)
        return (result.flip(0) if direction else result), state

    def _weights(self, which: str, suffix: str) -> tuple[Tensor, Tensor | None]:
        weight = self._parameters[f"weight_{which}{suffix}"]
        assert weight is not None
        return weight, self._parameters.get(f"bias_{which}{suffix}")

    def _run(self, input: Tensor, first: State | None) -> tuple[Tensor, State]:
        """The walk for inputs with or without a batch, and with it in front or not."""
        self._check(input, first)
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

    def _check(self, input: Tensor, first: State | None) -> None:
        """Refuses inputs and states that do not fit, as PyTorch does."""
        kind, rank, shape = type(self).__name__, input.ndim, tuple(input.shape)
        if rank not in (2, 3):
            raise ValueError(f"{kind}: expected an input of 2 or 3 axes, not one of shape {shape}")
        dtype = self.weight_ih_l0.dtype
        if input.dtype != dtype and _gt._autocast()[0] is None:
            raise ValueError(
                f"{kind}: an input of {input.dtype.name} does not fit weights of {dtype.name}"
            )
        if shape[-1] != self.input_size:
            raise RuntimeError(
                f"{kind}: the last axis of an input of shape {shape} must be {self.input_size}"
            )
        if 0 in shape[:1] and not (rank == 3 and self.batch_first):
            raise RuntimeError(f"{kind}: a sequence must not be empty")
        if first is None:
            return
        batch = () if rank == 2 else (shape[0 if self.batch_first else 1],)
        expected = (self.num_layers * self._directions, *batch, self.hidden_size)
        for part in first:
            if tuple(part.shape) != expected:
                raise RuntimeError(
                    f"{kind}: expected a state of shape {expected}, not {tuple(part.shape)}"
                )
            same_dtype(kind, input=input, state=part)

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

    def _products(self, input: Tensor, suffix: str) -> Tensor:
        (weight, bias), (_, inner_bias) = (self._weights(which, suffix) for which in ("ih", "hh"))
        if bias is not None and inner_bias is not None:
            bias = bias + inner_bias
        return F.linear(input, weight, bias)

    def _steps(self, products: Tensor, suffix: str, state: State) -> tuple[Tensor, State]:
        weight, _ = self._weights("hh", suffix)
        results, cells, _ = _gt.lstm_steps(products, weight, *state)
        return results, (results[-1], cells[-1])

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The result of each step, and the last states of all layers."""
        result, (hidden, memory) = self._run(input, hx)
        return result, (hidden, memory)


class GRU(_Recurrent):
    """A recurrent layer that mixes its state with a new one."""

    _gates, _states = 3, 1

    def _steps(self, products: Tensor, suffix: str, state: State) -> tuple[Tensor, State]:
        weight, bias = self._weights("hh", suffix)
        bias = _gt.zeros(weight.shape[0], dtype=weight.dtype) if bias is None else bias
        results, _ = _gt.gru_steps(products, weight, bias, state[0])
        return results, (results[-1],)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The result of each step, and the last states of all layers."""
        result, (hidden,) = self._run(input, None if hx is None else (hx,))
        return result, hidden


class RNN(_Recurrent):
    """A recurrent layer without gates."""

    _gates, _states = 1, 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        self._step = _plain_step(nonlinearity)
        super().__init__(input_size, hidden_size, num_layers, *args, **kwargs)
        self.nonlinearity = nonlinearity

    def _steps(self, products: Tensor, suffix: str, state: State) -> tuple[Tensor, State]:
        weight, bias = self._weights("hh", suffix)
        results: list[Tensor] = []
        for product in products.unbind(0):
            state = self._step(product, F.linear(state[0], weight, bias), state)
            results.append(state[0])
        return _gt.stack(results), state

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The result of each step, and the last states of all layers."""
        result, (hidden,) = self._run(input, None if hx is None else (hx,))
        return result, hidden


class _RecurrentCell(OwnInit, Module):
    """One step of a recurrent layer."""

    _gates: int
    _states: int
    _step: Step

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = self._gates * hidden_size
        shapes: dict[str, tuple[int, ...]] = {
            "weight_ih": (rows, input_size),
            "weight_hh": (rows, hidden_size),
            "bias_ih": (rows,),
            "bias_hh": (rows,),
        }
        for name, shape in shapes.items():
            missing = name.startswith("bias") and not bias
            made = None if missing else Parameter(_gt.empty(*shape, device=device, dtype=dtype))
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the parameters anew."""
        spread(self, self.hidden_size)

    def _advance(self, input: Tensor, state: State | None) -> State:
        """The state after one step, for an input with or without a batch."""
        kind, shape = type(self).__name__, tuple(input.shape)
        if input.ndim not in (1, 2):
            raise ValueError(f"{kind}: expected an input of 1 or 2 axes, not one of shape {shape}")
        if shape[-1] != self.input_size:
            raise RuntimeError(
                f"{kind}: the last axis of an input of shape {shape} must be {self.input_size}"
            )
        expected = (*shape[:-1], self.hidden_size)
        if state is None:
            state = (_gt.zeros(*expected, dtype=input.dtype),) * self._states
        for part in state:
            if tuple(part.shape) != expected:
                raise RuntimeError(
                    f"{kind}: expected a state of shape {expected}, not {tuple(part.shape)}"
                )
        if len(shape) == 2:
            return self._after(input, state)
        after = self._after(input.unsqueeze(0), tuple(part.unsqueeze(0) for part in state))
        return tuple(part.squeeze(0) for part in after)

    def _after(self, input: Tensor, state: State) -> State:
        """The state after one step, for a batch of inputs and a state that fits."""
        products = F.linear(input, self.weight_ih, self.bias_ih)
        return self._step(products, F.linear(state[0], self.weight_hh, self.bias_hh), state)

    def extra_repr(self) -> str:
        """The sizes and options."""
        text = f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")
        other = getattr(self, "nonlinearity", "tanh")
        return text if other == "tanh" else f"{text}, nonlinearity={other}"


class LSTMCell(_RecurrentCell):
    """One step of an LSTM."""

    _gates, _states = 4, 2

    def _after(self, input: Tensor, state: State) -> State:
        bias = self.bias_ih + self.bias_hh if self.bias else None
        products = F.linear(input, self.weight_ih, bias)
        hidden, memory, _ = _gt.lstm_steps(products, self.weight_hh, *state)
        return hidden, memory

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """The hidden state and the memory after the step."""
        hidden, memory = self._advance(input, hx)
        return hidden, memory


class GRUCell(_RecurrentCell):
    """One step of a GRU."""

    _gates, _states = 3, 1

    def _after(self, input: Tensor, state: State) -> State:
        products = F.linear(input, self.weight_ih, self.bias_ih)
        weight, bias = self.weight_hh, self.bias_hh
        bias = _gt.zeros(weight.shape[0], dtype=weight.dtype) if bias is None else bias
        return (_gt.gru_steps(products, weight, bias, state[0])[0],)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The hidden state after the step."""
        return self._advance(input, None if hx is None else (hx,))[0]


class RNNCell(_RecurrentCell):
    """One step of an RNN."""

    _gates, _states = 1, 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self._step = _plain_step(nonlinearity)
        super().__init__(input_size, hidden_size, bias, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The hidden state after the step."""
        return self._advance(input, None if hx is None else (hx,))[0]
