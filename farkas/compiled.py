"""Kernels compiled on first call, so that importing a module does not load the compiler."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


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
        """Run the machine code."""
        return self.compiled(*arguments)


def compiled(function: F) -> F:
    """Compile ``function`` with numba on first call and keep the code in numba's cache.

    The cache follows the function's own file: after a change in a kernel of another file that it
    calls, delete ``__pycache__``.
    """
    return cast(F, Kernel(function))
