"""Kernels compiled before anybody waits for them; the machine code stays on disk."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import farkas
from farkas.errors import InvalidOption, UnknownName
from farkas.extras import needed
from farkas.instances.files import own_kinds
from farkas.kernels import Kernel


@dataclasses.dataclass(frozen=True, slots=True)
class CompiledKernel:
    """One kernel whose machine code is there."""

    kernel: str  #: Module and name.
    kinds: tuple[str, ...]  #: Kinds whose work it does; all where it is in nobody's part.
    seconds: float  #: CPU time it took.
    kept: bool  #: Whether the code was on disk already.


def warm(
    kinds: Sequence[str] = (), progress: Callable[[int, int], None] | None = None
) -> list[CompiledKernel]:
    """Compile all kernels that are called from Python, of some kinds or of all, or load them.

    ``progress`` is called with the number of kernels done and of all.  Raises `UnknownName`,
    `MissingExtra` without numba, `InvalidOption`: its compiler is switched off.
    """
    for kind in kinds:
        if kind not in own_kinds():
            raise UnknownName.of("kind", kind, own_kinds())
    if needed("numba").config.DISABLE_JIT:
        raise InvalidOption("NUMBA_DISABLE_JIT is set: loops are interpreted, none is compiled")
    chosen = [(kernel, of) for kernel, of in entries() if not kinds or not of.isdisjoint(kinds)]
    done: list[CompiledKernel] = []
    for kernel, of in chosen:
        begin = time.process_time()
        machine = kernel.machine
        spent = time.process_time() - begin
        stats = getattr(machine, "stats", None)
        kept = stats is not None and bool(stats.cache_hits) and not stats.cache_misses
        name = f"{kernel.__module__}.{kernel.function.__name__}"
        done.append(CompiledKernel(name, tuple(sorted(of)), spent, kept))
        if progress is not None:
            progress(len(done), len(chosen))
    return done


def entries() -> list[tuple[Kernel[..., object], frozenset[str]]]:
    """Kernels that Python calls, with the kinds that need them, in the order of their modules.

    Those say how long they take; one that does not is a part of others.
    """
    found = texts(farkas.__name__, farkas.__path__)
    modules = [module for module, text in found if "\n@compiled(" in text]
    return [(kernel, _kinds(module)) for module in modules for kernel in _kernels(module)]


def _kernels(module: str) -> list[Kernel[..., object]]:
    values = vars(importlib.import_module(module)).values()
    own = [each for each in values if isinstance(each, Kernel) and each.__module__ == module]
    return [kernel for kernel in own if kernel.steps is not None]


def _kinds(module: str) -> frozenset[str]:
    """Kinds of the folder or file that a module stands in; all where it names none."""
    words = {word.partition("_")[0] for word in module.split(".")}
    return frozenset(words & set(own_kinds())) or frozenset(own_kinds())


def texts(package: str, folders: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and text of every module."""
    for info in pkgutil.iter_modules(list(folders), f"{package}."):
        spec: Any = info.module_finder.find_spec(info.name, None)
        yield info.name, spec.loader.get_source(info.name) or ""
        yield from texts(info.name, spec.submodule_search_locations or ())
