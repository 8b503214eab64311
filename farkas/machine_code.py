"""The one door to numba: machine code of kernels, and where it is kept."""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import inspect
import os
import shutil
import sys
import tempfile
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, ParamSpec, TypeVar

from farkas.compiled import NUMBERS, Kernel, dtype_of, fields_of, read_hint
from farkas.extras import MissingExtra, needed

P = ParamSpec("P")
R = TypeVar("R")


def translate(kernel: Kernel[P, R], *, inner: bool = False) -> Callable[..., R]:
    """Have numba compile a kernel, or load what it compiled before; without numba interpret it.

    Parameters
    ----------
    inner
        Whether only kernels will call it.
    """
    try:
        numba = needed("numba")
    except MissingExtra as missing:
        _say_that_this_takes_long(missing.remedy)
        return kernel.interpret
    from numba import types
    from numba.extending import typeof_impl

    if numba.config.DISABLE_JIT:
        return kernel.interpret
    # a kernel that another one calls stands for its machine code
    typeof_impl.register(Kernel)(lambda called, context: types.Dispatcher(called.inner))
    with _code_kept(kernel, inner=inner) as folder:
        found = folder is not None and any(folder.rglob("*.nbi"))  # numba's index of a kernel
        machine = numba.njit(
            cache=folder is not None,
            _nrt=kernel.makes_arrays,  # numba's count of references
            no_cpython_wrapper=inner,
            no_cfunc_wrapper=True,
        )(kernel.function)
    if not found:
        _say_that_it_compiles(kept=folder is not None)
        for called in kernel.calls:  # numba takes longer over those that it meets on its way
            _ = called.inner
    with _without_collecting():
        machine.compile(tuple(_numba_type(hint) for hint in kernel.arguments.values()))
    machine.disable_compile()  # nothing but the signature
    return typing.cast(Callable[..., R], machine)


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    """Let no cycles be looked for: compiling makes objects by the million, and keeps most of them.

    That takes a tenth of the time away.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@functools.cache
def _say_that_this_takes_long(remedy: str) -> None:
    """Say it on stderr, once a process: what comes out is the same, only later."""
    if sys.stderr is not None:
        how = f"without numba these loops may take a hundred times as long; {remedy}"
        sys.stderr.write(f"farkas: {how}\n")
        sys.stderr.flush()


@functools.cache
def _say_that_it_compiles(*, kept: bool) -> None:
    """Say it on stderr, once a process, so that nobody wonders what takes seconds."""
    if sys.stderr is not None:
        how = "for this installation (farkas show --compile compiles all of them)"
        never = "in every process: no folder keeps them, see farkas show install"
        sys.stderr.write(f"farkas: compiling loops, once {how if kept else never}\n")
        sys.stderr.flush()


def _numba_type(hint: Any) -> Any:
    from numba import from_dtype, types

    kind, axes, _ = read_hint(hint)
    if axes is not None:
        return types.Array(from_dtype(dtype_of(kind)), axes, "C")
    if kind in NUMBERS:
        return {int: types.int64, float: types.float64, bool: types.boolean}[kind]
    return types.BaseTuple.from_types([_numba_type(x) for x in fields_of(kind).values()], kind)


@contextlib.contextmanager
def _code_kept(kernel: Kernel[..., Any], *, inner: bool) -> Iterator[Path | None]:
    """Let numba keep code in a folder of this very version; None where nothing is writable.

    Left alone, numba asks only whether the kernel's own file is the same, not those of kernels
    that it calls, and raises where neither sources nor home are writable.
    """
    from numba import config

    chosen = config.CACHE_DIR
    folder = _folder(kernel, chosen, ".inner" if inner else "")
    try:
        config.CACHE_DIR = str(folder or chosen)
        yield folder
    finally:
        config.CACHE_DIR = chosen


def _folder(kernel: Kernel[..., Any], chosen: str, mark: str) -> Path | None:
    """Find a writable folder for machine code; code of older versions beside it is removed."""
    source = Path(inspect.getfile(kernel.function))
    if not source.is_file():  # typed in, or zipped
        return None
    owner = hashlib.sha256(str(source.parent).encode()).hexdigest()[:12]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    name = f"{source.stem}.{kernel.function.__qualname__.replace('<locals>.', '')}{mark}"
    version = _version(kernel.__module__)
    for place in (
        Path(chosen, owner) if chosen else source.parent / "__pycache__",
        Path(home, "farkas", owner),
    ):
        folder = place / f"{name}-{version}"
        if _writable(folder):
            for other in set(place.glob(f"{name}-*")) - {folder}:
                shutil.rmtree(other, ignore_errors=True)
            return folder
    return None


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _version(module: str) -> str:
    """Digest of a module and of all whose kernels and named tuples it uses, constants included.

    Of files as they are and of kernels as they were imported: a process that holds older ones
    keeps its code where no other process looks.
    """
    digest, seen, waiting = hashlib.sha256(), set[str](), [module]
    while waiting:
        name = waiting.pop()
        source = getattr(sys.modules[name], "__file__", None)
        if name in seen or source is None:
            continue
        seen.add(name)
        digest.update(Path(source).read_bytes())
        for word, value in vars(sys.modules[name]).items():
            if isinstance(value, Kernel):  # what runs, though the file may have changed since
                digest.update(_spelt(value.function.__code__))
            if isinstance(value, Kernel) or (isinstance(value, type) and hasattr(value, "_make")):
                waiting.append(value.__module__)
            elif isinstance(value, int | float | str | tuple) and not word.startswith("__"):
                digest.update(f"{word} = {value!r}\n".encode())
    return digest.hexdigest()[:12]


def _spelt(code: CodeType) -> bytes:
    """Spell out what a function does, whatever line it stands on."""
    inside = [
        _spelt(part) if isinstance(part, CodeType) else repr(part).encode()
        for part in code.co_consts
    ]
    return b"\n".join([code.co_code, repr((code.co_names, code.co_varnames)).encode(), *inside])
