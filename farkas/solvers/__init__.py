"""Solver backends: their answers are claims.

>>> from farkas.solvers import solve, open_session, status
"""

from farkas.solvers.answer import Answer, Claim, Reason
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
from farkas.solvers.standing import Availability, Standing

__all__ = [
    "Ability",
    "Answer",
    "Availability",
    "Claim",
    "Options",
    "Reason",
    "Session",
    "Standing",
    "Status",
    "availability",
    "backend",
    "backends",
    "open_session",
    "solve",
    "status",
]
