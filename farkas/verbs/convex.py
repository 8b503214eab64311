"""One convex program on one instance: solved, and its point measured."""

from __future__ import annotations

import dataclasses
from typing import Any, Unpack

from farkas.algebra.convex import ConvexProgram
from farkas.errors import UnsupportedForm
from farkas.solvers.options import OptionNames
from farkas.solvers.via_cvxpy import DEFAULT, ConvexAnswer, solve_problem


@dataclasses.dataclass(frozen=True, slots=True)
class ConvexSolution:
    """What a conic solver said about a convex program; nothing of it is proved."""

    program: ConvexProgram
    answer: ConvexAnswer

    def to_builtins(self, *, point: bool = False) -> dict[str, Any]:
        """Plain data for JSON; with ``point`` also the variables' values by name."""
        program, answer = self.program, self.answer
        data = {
            "program": program.full_name,
            "sense": program.sense,
            "solver": answer.solver,
            "reason": str(answer.reason),
            "claim": str(answer.claim),
            "objective": answer.objective,
            "seconds": answer.seconds,
            "largest_violation": answer.violation,
            "message": answer.message,
            "proved_bound": None,
        }
        return data | {"point": answer.values} if point else data


def solve_convex(
    program: ConvexProgram, instance: Any, *, solver: str = "highs", **options: Unpack[OptionNames]
) -> ConvexSolution:
    """Solve a convex program with a conic solver.

    Parameters
    ----------
    solver
        CVXPY's name of a solver; ``highs``, the default for linear programs, means Clarabel.
    options
        ``time_limit``, ``threads``, ``log``; see :func:`farkas.solvers.solve`.
    """
    name = DEFAULT if solver == "highs" else solver
    return ConvexSolution(program, solve_problem(program.model(instance).problem, name, **options))


def refuse_linear_wishes(program: ConvexProgram, **wished: bool) -> None:
    """Raise :class:`UnsupportedForm` for what only linear forms can do."""
    for option, given in wished.items():
        if given:
            raise UnsupportedForm(
                f"--{option}: {program.full_name} is convex but not linear; leave it out"
            )
