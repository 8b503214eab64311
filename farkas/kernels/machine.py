"""Machine code of kernels, which numba keeps in its own cache on disk."""

import functools
import hashlib
import inspect
import marshal
import sys
import typing
from collections.abc import Callable
from types import FunctionType, NoneType
from typing import Any

from farkas.extras import MissingExtra, needed
from farkas.kernels import NUMBERS, Argument, Kernel


def translate(kernel: Kernel[..., Any]) -> Callable[..., Any]:
    """Compile a kernel with numba or load it from the cache; without numba, interpret it."""
    try:
        numba = needed("numba")
    except MissingExtra as missing:
        tell(f"without numba these loops may take a hundred times as long; {missing.remedy}")
        return kernel.interpret
    if numba.config.DISABLE_JIT:
        return kernel.interpret
    own = kernel.function
    used = inspect.getclosurevars(own).globals.items()
    # numba takes longer over kernels that it meets on its way
    inside = {name: value.machine for name, value in used if isinstance(value, Kernel)}
    function = FunctionType(own.__code__, own.__globals__ | inside, closure=own.__closure__)
    # numba names files in its cache after the function
    function.__qualname__ = f"{own.__qualname__}_{version(kernel)}"
    types = tuple(_numba_type(numba, argument) for argument in kernel.arguments)
    options = {"no_cpython_wrapper": kernel.steps is None, "no_cfunc_wrapper": True}
    try:
        machine = _compiled(numba, function, types, _nrt=not borrows(kernel), **options)
    except (numba.NumbaError, KeyError):  # it makes arrays of its own; no such option
        machine = _compiled(numba, function, types, **options)
    if not machine.stats.cache_hits:
        tell("compiling loops, once where a folder can keep them: farkas show --compile")
    return typing.cast(Callable[..., Any], machine)


def _compiled(numba: Any, function: Any, types: tuple[Any, ...], **options: bool) -> Any:
    try:
        machine = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no folder can be written to
        machine = numba.njit(**options)(function)
    machine.compile(types)
    machine.disable_compile()  # nothing but the signature
    return machine


def borrows(kernel: Kernel[..., Any]) -> bool:
    """Whether all arrays of a kernel are its caller's: it and those that it calls return numbers.

    Then it need not count references to arrays, which takes longer than the loops.
    """
    used = inspect.getclosurevars(kernel.function).globals.values()
    functions = [one.function for one in (kernel, *used) if isinstance(one, Kernel)]
    returned = [typing.get_type_hints(one)["return"] for one in functions]
    return all(hint in (*NUMBERS, NoneType) for hint in returned)


@functools.cache
def tell(message: str) -> None:
    """Say on stderr, once a process, what takes long."""
    if sys.stderr is not None:
        print(f"farkas: {message}", file=sys.stderr, flush=True)


def _numba_type(numba: Any, argument: Argument) -> Any:
    types, axes = numba.types, argument.axes
    if argument.parts:
        parts = [_numba_type(numba, part) for part in argument.parts]
        return types.BaseTuple.from_types(parts, argument.kind)
    if not axes:
        return {int: types.int64, float: types.float64, bool: types.boolean}[argument.kind]
    return types.Array(numba.from_dtype(axes[0]), axes[1], "C")


@functools.cache
def version(kernel: Kernel[..., Any]) -> str:
    """Digest of a kernel with all that it uses; numba itself looks at the kernel's file only."""
    used = [
        version(value) if isinstance(value, Kernel) else (value, getattr(value, "_fields", ()))
        for value in inspect.getclosurevars(kernel.function).globals.values()
    ]
    code = marshal.dumps(kernel.function.__code__, 2)  # the last version without object counts
    rest = repr((used, kernel.arguments, borrows(kernel)))
    return hashlib.sha256(code + rest.encode()).hexdigest()[:12]
