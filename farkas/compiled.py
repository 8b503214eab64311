"""Kernels: plain functions that become machine code where that pays.

A kernel is a function of numbers, arrays and named tuples of these.  Its annotations are its only
signature, so that it is compiled once, whatever memory layout its arguments come in::

    @compiled(steps=lambda weights, sums: weights.size)
    def add_up(weights: Floats2, sums: Out[Floats1]) -> float: ...

Machine code and interpreter do the same in the same order, so results do not depend on which of
them runs.  Compiling takes seconds, interpreting about a microsecond a step: a kernel is
interpreted until that has cost about what compiling costs, as skis are rented until the rent has
paid for a pair.  Clocks that read `clock` stand still while kernels are compiled or loaded.
"""

import contextlib
import contextvars
import dis
import functools
import importlib
import inspect
import operator
import time
import typing
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Generic, ParamSpec, TypeVar, overload

import numpy as np
import numpy.typing as npt

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

# arrays by their number of axes, one row after the other in memory
Floats1 = Annotated[npt.NDArray[np.float64], 1]
Floats2 = Annotated[npt.NDArray[np.float64], 2]
Floats3 = Annotated[npt.NDArray[np.float64], 3]
Ints1 = Annotated[npt.NDArray[np.int64], 1]
Ints2 = Annotated[npt.NDArray[np.int64], 2]
Ints3 = Annotated[npt.NDArray[np.int64], 3]
Bools1 = Annotated[npt.NDArray[np.bool_], 1]

OUT = "out"
Out = Annotated[T, OUT]
"""An array, or a named tuple of arrays, that a kernel writes to.

Every other array may be a list, read-only, of another layout or type: it is copied where needed.
"""

STEPS_INTERPRETED = 500_000
"""Steps of one kernel that a process interprets before it compiles it: about half a second, what
loading numba takes.  Compiling takes up to eight seconds, once for every installation.
"""

MAKERS = frozenset({"arange", "argsort", "array", "copy", "empty", "full", "ones", "sort", "zeros"})
"""Functions that make arrays.

A kernel that makes some in another way does not compile, until the function stands here.
"""

_interpreting = contextvars.ContextVar("_interpreting", default=False)
_compiling = False
_stood = 0.0


def clock() -> float:
    """Seconds as `time.perf_counter` counts them, without those that went into compiling."""
    return time.perf_counter() - _stood


@contextlib.contextmanager
def _clock_standing() -> Iterator[None]:
    """Keep what is done inside from `clock`; compiling a kernel compiles those that it calls."""
    global _compiling, _stood
    if _compiling:
        yield
        return
    begin, _compiling = time.perf_counter(), True
    try:
        yield
    finally:
        _compiling = False
        _stood += time.perf_counter() - begin


class Kernel(Generic[P, R]):
    """A function that is interpreted or compiled, see `compiled`."""

    def __init__(self, function: Callable[P, R], steps: Callable[..., float] | None) -> None:
        self.function = function
        self.steps = steps
        self.interpreted = 0.0
        functools.update_wrapper(self, function)

    @functools.cached_property
    def arguments(self) -> dict[str, Any]:
        """Annotation of every argument."""
        hints = typing.get_type_hints(self.function, include_extras=True)
        return {name: hints[name] for name in inspect.signature(self.function).parameters}

    @functools.cached_property
    def fitters(self) -> list[Callable[[Any], Any]]:
        """One function an argument, which brings a value into the form of the signature."""
        name = self.function.__name__
        return [_fitter(hint, f"{name}: {at}") for at, hint in self.arguments.items()]

    @functools.cached_property
    def machine(self) -> Callable[..., R]:
        """The machine code, compiled or loaded by the first who asks for it."""
        return self._translated()

    @functools.cached_property
    def inner(self) -> Callable[..., R]:
        """The machine code that other kernels call; its entry for Python is not made."""
        return self._translated(inner=True)

    def _translated(self, *, inner: bool = False) -> Callable[..., R]:
        with _clock_standing():
            above: Any = importlib.import_module("farkas.machine_code")  # seldom needed
            return typing.cast(Callable[..., R], above.translate(self, inner=inner))

    @functools.cached_property
    def gives_arrays(self) -> bool:
        """Whether it returns arrays."""
        hint = typing.get_type_hints(self.function, include_extras=True).get("return")
        return hint not in (int, float, bool, type(None), None)

    @functools.cached_property
    def makes_arrays(self) -> bool:
        """Whether it makes arrays, or is given some by a kernel that it calls.

        What does not needs no count of references, which takes time to compile and to run.
        """
        given = any(called.gives_arrays for called in self.calls)
        makes = not MAKERS.isdisjoint(self.function.__code__.co_names)
        return self.gives_arrays or given or makes

    @functools.cached_property
    def calls(self) -> "list[Kernel[..., Any]]":
        """Kernels that it calls."""
        code = dis.get_instructions(self.function)
        words = dict.fromkeys(one.argval for one in code if one.opname == "LOAD_GLOBAL")
        named = (self.function.__globals__.get(word) for word in words)
        return [one for one in named if isinstance(one, Kernel)]

    def prepare(self, steps: float) -> None:
        """Compile now if ``steps`` to come are worth it, so that no run is begun half prepared."""
        if self.interpreted + steps > STEPS_INTERPRETED:
            _ = self.machine

    def ready(self, steps: float) -> bool:
        """Whether there is machine code, once it is compiled if ``steps`` to come are worth it."""
        self.prepare(steps)
        return "machine" in vars(self)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Run the machine code if there is one or the call is long, else the function itself."""
        if _interpreting.get():  # called by a kernel that is interpreted
            return self.function(*arguments, **named)
        given = self._given(*arguments, **named)
        if "machine" not in vars(self) and self.steps is not None:
            steps = self.steps(*given)
            if self.interpreted + steps <= STEPS_INTERPRETED:
                self.interpreted += steps
                return self.interpret(*given)
        return self.machine(*given)

    def _given(self, *arguments: Any, **named: Any) -> list[Any]:
        if named:
            arguments = inspect.signature(self.function).bind(*arguments, **named).args
        return [fit(value) for fit, value in zip(self.fitters, arguments, strict=True)]

    def interpret(self, *given: Any) -> R:
        """Run the function itself, and those it calls, with what machine code would return."""
        before = _interpreting.set(True)
        try:
            # machine code does not warn of infinite differences and overflow either
            with np.errstate(all="ignore"):
                function: Callable[..., R] = self.function
                return typing.cast(R, _unboxed(function(*given)))
        finally:
            _interpreting.reset(before)


@overload
def compiled(function: Callable[P, R], /) -> Kernel[P, R]: ...
@overload
def compiled(*, steps: Callable[..., float]) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def compiled(
    function: Callable[P, R] | None = None, /, *, steps: Callable[..., float] | None = None
) -> Kernel[P, R] | Callable[[Callable[P, R]], Kernel[P, R]]:
    """Make a kernel of a function whose arguments are all annotated.

    It may use numbers and text of its module, and kernels of any module by their names there.

    Parameters
    ----------
    function
        Numbers are annotated as int, float or bool, arrays as `Floats1` and the like, arrays to
        write to as `Out`; named tuples of these annotate their fields alike.
    steps
        Estimates, from the arguments, how often the innermost loops are passed.  Without it a
        kernel is compiled by the first call from Python, however short.
    """
    if function is not None:
        return Kernel(function, steps)
    return lambda found: Kernel(found, steps)


def read_hint(hint: Any) -> tuple[Any, int | None, bool]:
    """Type, number of axes if it is one of arrays, and whether it is written to."""
    if typing.get_origin(hint) is not Annotated:
        return hint, None, False
    found, *marks = typing.get_args(hint)
    return found, next((m for m in marks if isinstance(m, int)), None), OUT in marks


def fields_of(named_tuple: Any) -> dict[str, Any]:
    """Annotations of the fields of a named tuple."""
    return typing.get_type_hints(named_tuple, include_extras=True)


def dtype_of(array: Any) -> np.dtype[Any]:
    """Type of the entries of ``npt.NDArray[...]``."""
    *_, last = typing.get_args(array)  # the type itself from numpy 2.5 on, before dtype[type]
    found: np.dtype[Any] = np.dtype(next(iter(typing.get_args(last)), last))
    return found


NUMBERS: dict[Any, Callable[[Any], Any]] = {int: operator.index, float: float, bool: bool}


def _fitter(hint: Any, where: str, out: bool = False) -> Callable[[Any], Any]:
    """Return a function that brings a value into the form that its annotation asks for."""
    kind, axes, written = read_hint(hint)
    if kind in NUMBERS:
        return NUMBERS[kind]
    if axes is not None:
        return functools.partial(_fit_array, dtype_of(kind), axes, out or written, where)
    parts = [
        _fitter(part, f"{where}.{name}", out or written) for name, part in fields_of(kind).items()
    ]
    return lambda value: kind._make([fit(x) for fit, x in zip(parts, value, strict=True)])


def _fit_array(
    dtype: np.dtype[Any], axes: int, written: bool, where: str, value: Any
) -> npt.NDArray[Any]:
    array = np.asarray(value)
    alike = array.dtype == dtype and array.ndim == axes
    if alike and array.flags.carray and (array is value or not written):
        return array
    if written or array.ndim != axes or not np.can_cast(array.dtype, dtype, "safe"):
        wanted = "a writable, contiguous" if written else "an"
        raise TypeError(f"{where} takes {wanted} array of {dtype} with {axes} axes, not {value!r}")
    return np.array(array, dtype, order="C")


def _unboxed(result: Any) -> Any:
    """Numbers as machine code returns them."""
    if isinstance(result, np.generic):
        return result.item()
    if isinstance(result, tuple):
        make = getattr(type(result), "_make", tuple)
        return make(map(_unboxed, result))
    return result
