"""Solver backends: their answers are claims.

>>> from farkas.solvers import solve, open_session, status
"""

import sys
import types

from farkas.solvers.answer import Answer, Claimed, Reason
from farkas.solvers.base import (
    Ability,
    Access,
    Availability,
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


def all_solvers() -> list[Status]:
    """Every solver with standing, version and abilities, those behind bridges too."""
    return status(bridged=True)


class _Callable(types.ModuleType):
    def __call__(self) -> list[Status]:
        return all_solvers()


sys.modules[__name__].__class__ = _Callable  # farkas.solvers()
