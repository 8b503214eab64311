"""Who reads a rule at the moment: a trace, a pen, or (nobody) Pyomo and the user."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from farkas.algebra.assemble import Reader


class _Local(threading.local):
    reader: Reader | None = None


_local = _Local()


def current() -> Reader | None:
    """Reader of this thread, or None when Pyomo (or a user) runs the rule."""
    return _local.reader


@contextlib.contextmanager
def reading(reader: Reader) -> Iterator[None]:
    """Make ``reader`` the current one."""
    before = _local.reader
    _local.reader = reader
    try:
        yield
    finally:
        _local.reader = before
