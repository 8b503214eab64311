"""Machine code of kernels, which numba keeps in its own cache on disk."""

import functools
import hashlib
import marshal
import sys
import typing
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from farkas.extras import MissingExtra, needed
from farkas.kernels import NUMBERS, Kernel, fields_of, read_hint


def translate(kernel: Kernel[..., Any]) -> Callable[..., Any]:
    """Compile a kernel with numba or load it from the cache; without numba, interpret it."""
    try:
        numba = needed("numba")
    except MissingExtra as missing:
        tell(f"without numba these loops may take a hundred times as long; {missing.remedy}")
        return kernel.interpret
    if numba.config.DISABLE_JIT:
        return kernel.interpret
    from numba.core import event
    from numba.extending import typeof_impl

    for value in _globals(kernel):  # numba takes longer over kernels that it meets on its way
        if isinstance(value, Kernel):
            _ = value.machine
    # a kernel that another one calls stands for its machine code
    typeof_impl.register(Kernel)(lambda called, _: numba.types.Dispatcher(called.machine))
    own = kernel.function
    function = FunctionType(own.__code__, own.__globals__, closure=own.__closure__)
    # numba names files in its cache after the function
    function.__qualname__ = f"{own.__qualname__}_{version(kernel)}"
    options = {"no_cpython_wrapper": kernel.steps is None, "no_cfunc_wrapper": True}
    try:
        machine = numba.njit(cache=True, **options)(function)
        where = "once for this installation"
    except RuntimeError:  # no folder can be written to
        machine = numba.njit(**options)(function)
        where = "once in every process: no folder can keep them"
    hear = {"on_start": lambda *_: tell(f"compiling loops, {where}"), "on_end": lambda *_: None}
    with event.install_listener("numba:compile", type("Teller", (event.Listener,), hear)()):
        machine.compile(tuple(_numba_type(hint) for hint in kernel.arguments.values()))
    machine.disable_compile()  # nothing but the signature
    return typing.cast(Callable[..., Any], machine)


@functools.cache
def tell(message: str) -> None:
    """Say on stderr, once a process, what takes long."""
    if sys.stderr is not None:
        sys.stderr.write(f"farkas: {message}\n")
        sys.stderr.flush()


def _numba_type(hint: Any) -> Any:
    from numba import from_dtype, types

    kind, axes, _ = read_hint(hint)
    if axes is not None:
        return types.Array(from_dtype(axes.dtype), axes.number, "C")
    if kind in NUMBERS:
        return {int: types.int64, float: types.float64, bool: types.boolean}[kind]
    return types.BaseTuple.from_types([_numba_type(x) for x in fields_of(kind).values()], kind)


def _globals(kernel: Kernel[..., Any]) -> list[Any]:
    """Values of the names that a kernel takes from its module; None for names of other sorts."""
    code = kernel.function.__code__
    codes = [code, *(part for part in code.co_consts if isinstance(part, CodeType))]
    names = dict.fromkeys(name for one in codes for name in one.co_names)
    return [kernel.function.__globals__.get(name) for name in names]


@functools.cache
def version(kernel: Kernel[..., Any]) -> str:
    """Digest of a kernel with the kernels, constants and named tuples that it uses.

    Numba itself looks at the kernel's own file only.
    """
    used = [_spell(value) for value in (*_globals(kernel), *kernel.arguments.values())]
    code = marshal.dumps(kernel.function.__code__, 2)  # the last version without object counts
    return hashlib.sha256(code + repr(used).encode()).hexdigest()[:12]


def _spell(value: Any) -> Any:
    """Return what machine code holds of an annotation, or of a global value."""
    if isinstance(value, Kernel):
        return version(value)
    kind, axes, _ = read_hint(value)
    if isinstance(kind, type) and hasattr(kind, "_fields"):
        return [(name, _spell(hint)) for name, hint in fields_of(kind).items()]
    if isinstance(value, int | float | str | tuple):
        return value
    return axes, kind.__name__ if isinstance(kind, type) else ""
