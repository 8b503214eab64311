"""Kernels: plain functions that numba compiles where a call is long.

The annotations of a kernel are its only signature.  It is compiled once, whatever memory layout its
arguments have::

    @compiled(steps=lambda weights, sums: weights.size)
    def add_up(weights: Floats2, sums: Out[Floats1]) -> float: ...

Machine code and Python do the same in the same order.  Loading numba takes half a second and
compiling up to eight, so the first `STEPS_INTERPRETED` steps of a kernel are interpreted.
"""

import contextvars
import functools
import importlib
import inspect
import operator
import time
import typing
from collections.abc import Callable
from typing import Annotated, Any, Generic, NamedTuple, ParamSpec, TypeVar, overload

import numpy as np
import numpy.typing as npt

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Axes(NamedTuple):
    """An array in an annotation: type of its entries and number of axes, in C order."""

    dtype: type[np.generic]
    number: int


Floats1 = Annotated[npt.NDArray[np.float64], Axes(np.float64, 1)]
Floats2 = Annotated[npt.NDArray[np.float64], Axes(np.float64, 2)]
Floats3 = Annotated[npt.NDArray[np.float64], Axes(np.float64, 3)]
Ints1 = Annotated[npt.NDArray[np.int64], Axes(np.int64, 1)]
Ints2 = Annotated[npt.NDArray[np.int64], Axes(np.int64, 2)]
Ints3 = Annotated[npt.NDArray[np.int64], Axes(np.int64, 3)]
Bools1 = Annotated[npt.NDArray[np.bool_], Axes(np.bool_, 1)]
OUT = "out"
#: An array, or a named tuple of arrays, that a kernel writes to; any other may be copied.
Out = Annotated[T, OUT]

#: Steps of one kernel that a process interprets before it compiles it, about half a second.
STEPS_INTERPRETED = 500_000
NUMBERS: dict[Any, Callable[[Any], Any]] = {int: operator.index, float: float, bool: bool}

_interpreting = contextvars.ContextVar("_interpreting", default=False)
_seconds_compiling = 0.0


def clock() -> float:
    """Seconds of `time.perf_counter` without those of compiling."""
    return time.perf_counter() - _seconds_compiling


class Kernel(Generic[P, R]):
    """A function that is interpreted or compiled, see `compiled`."""

    def __init__(self, function: Callable[P, R], steps: Callable[..., float] | None) -> None:
        self.function, self.steps = function, steps
        self.interpreted = 0.0
        functools.update_wrapper(self, function)

    @functools.cached_property
    def arguments(self) -> dict[str, Any]:
        """Annotation of every argument."""
        hints = typing.get_type_hints(self.function, include_extras=True)
        return {name: hints[name] for name in inspect.signature(self.function).parameters}

    @functools.cached_property
    def _fitters(self) -> list[Callable[[Any], Any]]:
        name = self.function.__name__
        return [_fitter(hint, f"{name}: {at}") for at, hint in self.arguments.items()]

    @functools.cached_property
    def machine(self) -> Callable[..., R]:
        """The machine code, compiled or loaded on first use."""
        global _seconds_compiling
        begin, before = time.perf_counter(), _seconds_compiling
        module: Any = importlib.import_module("farkas.kernels.machine")  # seldom needed
        found = typing.cast(Callable[..., R], module.translate(self))
        # not `+=`: what compiling the kernels inside took is part of it
        _seconds_compiling = before + time.perf_counter() - begin
        return found

    def prepare(self, steps: float) -> None:
        """Compile now if the kernel is going to run so many steps."""
        if self.interpreted + steps > STEPS_INTERPRETED:
            _ = self.machine

    def ready(self, steps: float) -> bool:
        """Whether there is machine code after `prepare`."""
        self.prepare(steps)
        return "machine" in vars(self)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Run the machine code if there is some or the call is long, else the function."""
        if _interpreting.get():  # called by an interpreted kernel
            return self.function(*arguments, **named)
        given: tuple[Any, ...] = arguments
        if named:
            given = inspect.signature(self.function).bind(*arguments, **named).args
        fitted = [fit(value) for fit, value in zip(self._fitters, given, strict=True)]
        if self.steps is None:
            return self.interpret(*fitted)
        steps = self.steps(*fitted)
        if self.ready(steps):
            return self.machine(*fitted)
        self.interpreted += steps
        return self.interpret(*fitted)

    def interpret(self, *fitted: Any) -> R:
        """Run the function, and the kernels that it calls, in Python."""
        before = _interpreting.set(True)
        function: Callable[..., Any] = self.function
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
    """Make a kernel of a function whose arguments are all annotated.

    It may use numbers and text of its module, and kernels of any module by their names there.

    Parameters
    ----------
    function
        Numbers are annotated as int, float or bool, arrays as `Floats1` and the like, arrays to
        write to as `Out`; named tuples of these annotate their fields alike.
    steps
        Estimates, from the arguments, how often the innermost loops are passed.  Without it the
        first call from Python compiles the kernel, however short it is.
    """
    return functools.partial(Kernel, steps=steps) if function is None else Kernel(function, steps)


def read_hint(hint: Any) -> tuple[Any, Axes | None, bool]:
    """Type, axes if it is an array, and whether it is written to."""
    if typing.get_origin(hint) is not Annotated:
        return hint, None, False
    found, *marks = typing.get_args(hint)
    return found, next((m for m in marks if isinstance(m, Axes)), None), OUT in marks


def fields_of(named_tuple: Any) -> dict[str, Any]:
    """Annotations of the fields of a named tuple."""
    return typing.get_type_hints(named_tuple, include_extras=True)


def _fitter(hint: Any, where: str, out: bool = False) -> Callable[[Any], Any]:
    """Return a function that brings a value into the form of its annotation."""
    kind, axes, written = read_hint(hint)
    out = out or written
    if axes is not None:
        return functools.partial(_fit_array, axes, out, where)
    if kind in NUMBERS:
        return NUMBERS[kind]
    parts = [_fitter(part, f"{where}.{name}", out) for name, part in fields_of(kind).items()]
    return lambda value: kind._make([fit(x) for fit, x in zip(parts, value, strict=True)])


def _fit_array(axes: Axes, out: bool, where: str, value: Any) -> npt.NDArray[Any]:
    array = np.asarray(value)
    fits = array.dtype == axes.dtype and array.ndim == axes.number
    if fits and array.flags.carray and (array is value or not out):
        return array
    if out or array.ndim != axes.number or not np.can_cast(array.dtype, axes.dtype, "safe"):
        wanted = f"{'a writable, contiguous' if out else 'an'} array of {axes.dtype.__name__}"
        raise TypeError(f"{where} takes {wanted} with {axes.number} axes, not {value!r}")
    return np.array(array, axes.dtype, order="C")


def _plain(result: Any) -> Any:
    """Numbers as machine code returns them."""
    if isinstance(result, tuple):
        return getattr(type(result), "_make", tuple)(map(_plain, result))
    return result.item() if isinstance(result, np.generic) else result
