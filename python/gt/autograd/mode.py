"""Whether operations are recorded: contexts that are decorators too."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, TypeVar

from gt import _gt

F = TypeVar("F", bound=Callable[..., Any])


class _Mode:
    """A grad mode for a `with` block or a function."""

    def __init__(self, mode: bool) -> None:
        self._mode = mode
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(_gt._set_grad_enabled(self._mode))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _gt._set_grad_enabled(self._before.pop())

    def __call__(self, function: F) -> F:
        if inspect.isgeneratorfunction(function):
            return _around_generator(self._mode, function)  # type: ignore[return-value]

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with _Mode(self._mode):
                return function(*args, **kwargs)

        return wrapped  # type: ignore[return-value]


def _around_generator(
    mode: bool, function: Callable[..., Generator[Any, Any, Any]]
) -> Callable[..., Generator[Any, Any, Any]]:
    """The generator in `mode`, and its caller in its own between two steps."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        steps = function(*args, **kwargs)
        resume: Callable[[Any], Any] = steps.send
        given: Any = None
        while True:
            try:
                with _Mode(mode):
                    item = resume(given)
            except StopIteration as stop:
                return stop.value
            try:
                given = yield item
                resume = steps.send
            except GeneratorExit:
                with _Mode(mode):
                    steps.close()
                raise
            except BaseException as error:
                # What the caller throws in arrives where the generator stands.
                resume, given = steps.throw, error

    return wrapped


class _Plain(_Mode):
    """A mode that needs no argument: without parentheses it decorates at once."""

    _recorded: bool

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        super().__init__(self._recorded)

    def __new__(cls, function: Callable[..., Any] | None = None, **wrong: Any) -> Any:
        for name in wrong:
            raise TypeError(f"{cls.__name__}() got an unexpected keyword argument '{name}'")
        made = super().__new__(cls)
        if function is None:
            return made
        made.__init__()  # type: ignore[misc]
        return made(function)


class no_grad(_Plain):  # noqa: N801
    """Operations inside are not recorded.

    >>> import gt
    >>> x = gt.ones(2, requires_grad=True)
    >>> with gt.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    _recorded = False


class enable_grad(_Plain):  # noqa: N801
    """Operations inside are recorded, also within `no_grad`."""

    _recorded = True


class inference_mode(_Mode):  # noqa: N801
    """Operations inside are not recorded; the same as `no_grad`."""

    def __init__(self, mode: bool | Callable[..., Any] = True) -> None:
        super().__init__(not mode)

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        # A function in the place of the mode is decorated.
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)


class set_grad_enabled(_Mode):  # noqa: N801
    """Records operations, or not, from here on or inside a `with` block."""

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)
        self._before.append(_gt._set_grad_enabled(mode))

    def __enter__(self) -> None:
        pass

    def __call__(self, function: F) -> F:
        # Used as a decorator, it says nothing about the lines around the function.
        _gt._set_grad_enabled(self._before.pop())
        return super().__call__(function)


class set_detect_anomaly:  # noqa: N801
    """Lets `backward` read every gradient and stop at the first that is not a number."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = _gt._is_anomaly_enabled()
        _gt._set_anomaly_enabled(mode and check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        _gt._set_anomaly_enabled(self._before)


class detect_anomaly(set_detect_anomaly):  # noqa: N801
    """The same, inside a `with` block."""

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(True, check_nan)
