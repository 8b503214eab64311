"""Kernels: plain functions that numba compiles where a call is long.

A kernel is compiled once, for its annotations: int, float, bool, arrays of any layout, `Out` where
they are written to, and named tuples of these.  Machine code and Python do the same in one order::

    @compiled(steps=lambda weights, sums: weights.size)
    def add_up(weights: Floats2, sums: Out[Floats1]) -> float: ...
"""

import contextvars
import functools
import inspect
import operator
import time
import typing
from collections.abc import Callable
from typing import Annotated, Any, Generic, ParamSpec, TypeVar, overload

import numpy as np

from farkas.numbers import Bools, Floats, Ints

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

# an array, the type of its entries, and the number of its axes; in C order
Floats1 = Annotated[Floats, np.float64, 1]
Floats2 = Annotated[Floats, np.float64, 2]
Floats3 = Annotated[Floats, np.float64, 3]
Ints1 = Annotated[Ints, np.int64, 1]
Ints2 = Annotated[Ints, np.int64, 2]
Bools1 = Annotated[Bools, np.bool_, 1]
OUT = "out"
#: An array, or a named tuple of arrays, that a kernel writes to; any other may be copied.
Out = Annotated[T, OUT]

#: Steps of one kernel that a process interprets before it compiles it, about half a second;
#: loading numba takes as long, and compiling up to eight.
STEPS_INTERPRETED = 500_000
NUMBERS: dict[Any, Callable[[Any], Any]] = {int: operator.index, float: float, bool: bool}
_interpreting = contextvars.ContextVar("_interpreting", default=False)
_seconds_compiling = 0.0


def clock() -> float:
    """Seconds of `time.perf_counter` without those of compiling."""
    return time.perf_counter() - _seconds_compiling


class Argument:
    """What an annotation asks of an argument or of a field."""

    def __init__(self, hint: Any, where: str, out: bool = False) -> None:
        kind, *marks = typing.get_args(hint) if typing.get_origin(hint) is Annotated else [hint]
        self.kind, self.where, self.out = kind, where, out or OUT in marks
        self.axes = [mark for mark in marks if mark is not OUT]
        #: Fields of a named tuple.
        self.parts: list[Argument] = []
        if not self.axes and kind not in NUMBERS:
            fields = typing.get_type_hints(kind, include_extras=True).items()
            self.parts = [Argument(of, f"{where}.{name}", self.out) for name, of in fields]

    def __repr__(self) -> str:
        return repr(vars(self))

    def fit(self, value: Any) -> Any:
        """Bring a value into the form of the annotation."""
        if self.parts:
            return self.kind._make([p.fit(x) for p, x in zip(self.parts, value, strict=True)])
        if not self.axes:
            return NUMBERS[self.kind](value)
        array, (dtype, number) = np.asarray(value), self.axes
        fits = array.dtype == dtype and array.ndim == number
        if fits and array.flags.carray and (array is value or not self.out):
            return array
        if self.out or array.ndim != number or not np.can_cast(array.dtype, dtype, "safe"):
            array_of = f"{'a writable, contiguous' if self.out else 'an'} array of {dtype.__name__}"
            raise TypeError(f"{self.where} takes {array_of} with {number} axes, not {value!r}")
        return np.array(array, dtype, order="C")


class Kernel(Generic[P, R]):
    """A function that is interpreted or compiled, see `compiled`."""

    def __init__(self, function: Callable[P, R], steps: Callable[..., float] | None) -> None:
        self.function, self.steps = function, steps
        self.interpreted = 0.0
        functools.update_wrapper(self, function)

    @functools.cached_property
    def arguments(self) -> list[Argument]:
        """What the annotations ask for."""
        hints = typing.get_type_hints(self.function, include_extras=True)
        hints.pop("return")
        return [Argument(hint, f"{self.function.__name__}: {at}") for at, hint in hints.items()]

    @functools.cached_property
    def machine(self) -> Callable[..., R]:
        """The machine code, compiled or loaded on first use."""
        from farkas.kernels.machine import translate

        global _seconds_compiling
        begin, before = time.perf_counter(), _seconds_compiling
        found = translate(self)
        # not `+=`: what compiling the kernels inside took is part of it
        _seconds_compiling = before + time.perf_counter() - begin
        return found

    def prepare(self, steps: float) -> bool:
        """Compile if the kernel is going to run so many steps; whether there is machine code."""
        if self.interpreted + steps > STEPS_INTERPRETED:
            _ = self.machine
        return "machine" in vars(self)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Run the machine code if there is some or the call is long, else the function."""
        if _interpreting.get():  # called by an interpreted kernel
            return self.function(*arguments, **named)
        given: tuple[Any, ...] = arguments
        if named:
            given = inspect.signature(self.function).bind(*arguments, **named).args
        fitted = [one.fit(value) for one, value in zip(self.arguments, given, strict=True)]
        if self.steps is None:
            return self.interpret(*fitted)
        steps = self.steps(*fitted)
        if self.prepare(steps):
            return self.machine(*fitted)
        self.interpreted += steps
        return self.interpret(*fitted)

    def interpret(self, *fitted: Any) -> R:
        """Run the function, and the kernels that it calls, in Python."""
        before, function = _interpreting.set(True), typing.cast(Any, self.function)
        try:
            with np.errstate(all="ignore"):  # machine code does not warn either
                return typing.cast(R, _plain(function(*fitted)))
        finally:
            _interpreting.reset(before)


@overload
def compiled(function: Callable[P, R], /) -> Kernel[P, R]: ...
@overload
def compiled(*, steps: Callable[..., float]) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def compiled(function: Any = None, /, *, steps: Any = None) -> Any:
    """Make a kernel of a function, which may use numbers, text and kernels by their global names.

    ``steps`` estimates, from its arguments, how often the innermost loops are passed.  Without it
    the kernel is a part of others, and interpreted where Python calls it.
    """
    return functools.partial(Kernel, steps=steps) if function is None else Kernel(function, steps)


def _plain(result: Any) -> Any:
    """Numbers as machine code returns them."""
    if isinstance(result, tuple):
        return getattr(type(result), "_make", tuple)(map(_plain, result))
    return result.item() if isinstance(result, np.generic) else result
