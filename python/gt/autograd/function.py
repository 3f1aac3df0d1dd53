"""Functions whose gradient is written by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gt import _gt
from gt._gt import Tensor
from gt.autograd.mode import no_grad


class FunctionCtx:
    """What `forward` leaves for `backward`."""

    def __init__(self) -> None:
        self._saved: tuple[Tensor | None, ...] = ()
        self._materialize = True
        self._constant: tuple[Tensor, ...] = ()
        self.needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors for `backward`."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors that were kept."""
        return self._saved

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Says which results have no gradient."""
        self._constant = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Says which inputs were changed in place; GT sees that by itself."""

    def set_materialize_grads(self, value: bool) -> None:
        """Whether a gradient that is not there arrives as zeros or as `None`."""
        self._materialize = value


class Function:
    """A function with a gradient of its own: `forward` and `backward` are static methods.

    >>> import gt
    >>> class Cube(gt.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x ** 3
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return 3 * x**2 * grad
    >>> x = gt.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the results."""
        raise NotImplementedError("a Function needs a static method forward")

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Any, ...], output: Any) -> None:
        """Fills the context, if `forward` does not take it."""
        raise NotImplementedError

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Any) -> Any:
        """The gradient of each input of `forward`."""
        raise NotImplementedError("a Function needs a static method backward")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Computes the results and remembers the way back."""
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        recorded = _gt.is_grad_enabled() and any(ctx.needs_input_grad)
        with no_grad():
            if cls.setup_context is not Function.setup_context:
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args)
        if not recorded:
            return result
        single = isinstance(result, Tensor)
        results = [result] if single else list(result)
        # A result may be one of the inputs: it gets a history, and the input keeps its own.
        results = [r.detach() if isinstance(r, Tensor) else r for r in results]
        originals = [result] if single else list(result)
        traced = [
            new
            for new, old in zip(results, originals, strict=True)
            if isinstance(new, Tensor)
            and new.dtype.is_floating_point
            and not any(old is constant for constant in ctx._constant)
        ]
        inputs = [a for a in args if isinstance(a, Tensor)]
        _gt._record(cls.__name__, _pull(cls, ctx, args, traced), inputs, traced)
        return results[0] if single else tuple(results)


def _pull(
    function: type[Function],
    ctx: FunctionCtx,
    args: Sequence[Any],
    results: Sequence[Tensor],
) -> Callable[[list[Tensor | None]], list[Tensor | None]]:
    """`backward` for the tensors among the arguments."""
    places = [index for index, arg in enumerate(args) if isinstance(arg, Tensor)]
    count = len(args)
    shapes = [(result.shape, result.dtype) for result in results]

    def pull(grads: list[Tensor | None]) -> list[Tensor | None]:
        if ctx._materialize:
            grads = [
                _gt.zeros(shape, dtype=dtype) if grad is None else grad
                for grad, (shape, dtype) in zip(grads, shapes, strict=True)
            ]
        found = function.backward(ctx, *grads)
        found = (found,) if isinstance(found, Tensor) or found is None else tuple(found)
        if len(found) != count and any(extra is not None for extra in found[count:]):
            raise RuntimeError(
                f"{function.__name__}: backward returned {len(found)} gradients, expected {count}"
            )
        if len(found) < count:
            raise RuntimeError(
                f"{function.__name__}: backward returned {len(found)} gradients, expected {count}"
            )
        return [found[place] for place in places]

    return pull
