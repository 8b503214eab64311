"""Solver backends: their answers are claims.

>>> from farkas.solvers import solve, open_session, status
"""

import sys
import types

from farkas.solvers.access import Access, Availability
from farkas.solvers.answer import Answer, Claimed, Reason
from farkas.solvers.base import (
    Ability,
    Status,
    availability,
    backend,
    backends,
    open_session,
    solve,
    status,
)
from farkas.solvers.options import Options
from farkas.solvers.session import Session

__all__ = [
    "Ability",
    "Access",
    "Answer",
    "Availability",
    "Claimed",
    "Options",
    "Reason",
    "Session",
    "Status",
    "availability",
    "backend",
    "backends",
    "open_session",
    "solve",
    "status",
]


class _Callable(types.ModuleType):
    def __call__(self) -> list[Status]:
        """Every solver with standing, version and abilities, those behind bridges too."""
        return status(bridged=True)


sys.modules[__name__].__class__ = _Callable  # farkas.solvers()
