"""Solver backends: their answers are claims.

>>> from farkas.solvers import solve, open_session, status
"""

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
