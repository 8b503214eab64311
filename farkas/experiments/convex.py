"""One convex program on one instance: solved, and its point measured."""

from __future__ import annotations

from typing import Any

from farkas.algebra.convex import ConvexProgram
from farkas.errors import UnsupportedForm
from farkas.solvers.via_cvxpy import DEFAULT, ConvexAnswer, solve_problem


def solve_convex(
    program: ConvexProgram, instance: Any, *, solver: str = "highs", **options: Any
) -> ConvexAnswer:
    """Solve a convex program with a conic solver.

    Parameters
    ----------
    solver
        CVXPY's name of a solver; ``highs``, the default for linear programs, means Clarabel.
    options
        ``time_limit``, ``threads``, ``log``; see :func:`farkas.solvers.solve`.
    """
    name = DEFAULT if solver == "highs" else solver
    return solve_problem(program.model(instance).problem, name, **options)


def refuse_linear_wishes(program: ConvexProgram, **wished: bool) -> None:
    """Raise :class:`UnsupportedForm` for what only linear forms can do."""
    for option, given in wished.items():
        if given:
            raise UnsupportedForm(
                f"--{option}: {program.full_name} is convex but not linear; leave it out"
            )


def summary(program: ConvexProgram, answer: ConvexAnswer) -> dict[str, Any]:
    """Plain data for JSON."""
    return {
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
