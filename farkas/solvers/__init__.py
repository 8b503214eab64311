"""Solver backends: their answers are claims.

Every name is imported when it is first used: a policy whose program has a solver of its own asks
none of these.

>>> from farkas.solvers import solve, status
"""

import sys
import types
from typing import TYPE_CHECKING

from farkas.registry import when_used

if TYPE_CHECKING:
    from farkas.solvers.base import Status

__getattr__ = when_used(
    __name__,
    {
        "answer": "Answer Conclusion Reason",
        "base": "Ability Access Availability Status availability backend backends solve status",
        "options": "Options",
        "session": "Session",
    },
)


def all_solvers() -> "list[Status]":
    """Every solver with standing, version and abilities, those behind bridges too."""
    from farkas.solvers.base import status

    return status(bridged=True)


class _CallableModule(types.ModuleType):
    def __call__(self) -> "list[Status]":
        return all_solvers()


sys.modules[__name__].__class__ = _CallableModule  # farkas.solvers()
