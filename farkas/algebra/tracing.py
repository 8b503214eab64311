"""The state of a trace: which dimensions are open, and for whom."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from farkas.algebra.cells import Array, Dim, Dims


class Trace:
    """Dimensions opened so far by the family being traced, outermost first."""

    def __init__(self) -> None:
        self.open: list[Dim] = []
        self._serial = 0

    def push(self, size: int, parents: dict[Dim, Array] | None = None) -> Dim:
        """Open a dimension."""
        dim = Dim(self._serial, size, parents)
        self._serial += 1
        self.open.append(dim)
        return dim

    def close(self, depth: int) -> Dims:
        """Close everything opened beyond ``depth`` and return it, outermost first."""
        closed = tuple(self.open[depth:])
        del self.open[depth:]
        return closed

    def finest(self, dim: Dim) -> Dim:
        """Innermost open dimension that is ``dim`` or refines it."""
        for candidate in reversed(self.open):
            if candidate is dim or candidate.refines(dim):
                return candidate
        return dim


class _Local(threading.local):
    trace: Trace | None = None


_local = _Local()


def current() -> Trace | None:
    """Trace in progress in this thread, or None when Pyomo (or a user) runs the rule."""
    return _local.trace


@contextlib.contextmanager
def tracing() -> Iterator[Trace]:
    """Make a fresh trace the current one."""
    before = _local.trace
    _local.trace = trace = Trace()
    try:
        yield trace
    finally:
        _local.trace = before
