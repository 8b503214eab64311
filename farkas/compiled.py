"""Kernels compiled on first call, so that importing a module does not load the compiler.

Compiling takes seconds.  Callers that know how many steps a call takes can have it interpreted as
long as all such calls of the process together stay small; see `compiled_if_long`.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

STEPS_INTERPRETED = 500_000
"""Steps of kernels that a process interprets before it compiles; about a second."""

_steps_so_far = 0
_interpreting = contextvars.ContextVar("_interpreting", default=False)


class Kernel:
    """A function that is compiled when it is first called.

    Kernels may call kernels of any module by their global names.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        functools.update_wrapper(self, function)

    @functools.cached_property
    def compiled(self) -> Any:
        """The machine code's dispatcher; the compiler sees dispatchers in place of kernels."""
        import numba

        names = self.function.__globals__
        for name in self.function.__code__.co_names:
            if isinstance(names.get(name), Kernel):
                names[name] = names[name].compiled
        return numba.njit(cache=True)(self.function)

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code, or the function itself within a short `compiled_if_long`."""
        if _interpreting.get() and "compiled" not in vars(self):
            return self.function(*arguments)
        return self.compiled(*arguments)


@contextlib.contextmanager
def compiled_if_long(steps: int) -> Iterator[None]:
    """Interpret kernels that are called inside, unless they are compiled or the work is long.

    Machine code and interpreter do the same in the same order, so results do not depend on it.

    Parameters
    ----------
    steps
        Estimated passes through innermost loops; together with all earlier ones of the process
        they must not exceed `STEPS_INTERPRETED`.
    """
    global _steps_so_far
    if _steps_so_far + steps > STEPS_INTERPRETED:
        yield
        return
    _steps_so_far += steps
    before = _interpreting.set(True)
    try:
        # machine code does not warn of infinite differences and overflow either
        with np.errstate(all="ignore"):
            yield
    finally:
        _interpreting.reset(before)


def compiled(function: F) -> F:
    """Compile ``function`` with numba on first call and keep the code in numba's cache.

    The cache follows the function's own file: after a change in a kernel of another file that it
    calls, delete ``__pycache__``.
    """
    return cast(F, Kernel(function))
