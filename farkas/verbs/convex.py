"""Convex programs that are not linear: solved, and their points measured; nothing is proved."""

from __future__ import annotations

import dataclasses
from typing import Any, Unpack

import numpy as np

from farkas.algebra.convex import ConvexProgram
from farkas.errors import NoAnswer, UnsupportedForm
from farkas.solvers.options import OptionNames
from farkas.solvers.result import SolverResult
from farkas.solvers.via_cvxpy import DEFAULT, ConvexAnswer, solve_problem
from farkas.words import named


@dataclasses.dataclass(frozen=True, slots=True)
class ConvexSolution(SolverResult):
    """What a conic solver said about a convex program; nothing of it is proved.

    Parameters
    ----------
    name, sense
        Of the program.
    answer
        The solver's claims.
    """

    name: str
    sense: str
    answer: ConvexAnswer

    def __repr__(self) -> str:
        said = f"{self.solver} claims {self.status}"
        if self.objective is not None:
            said += f" at {self.objective:.6g}"
        return f"<{named(self.name)}: {said}; convex, so that nothing is proved>"

    @property
    def objective(self) -> float | None:
        """Objective at the solver's point; None without."""
        return self.answer.objective if self.answer.values else None

    @property
    def bound(self) -> None:
        """None: nothing is proved of convex programs."""

    @property
    def gap(self) -> None:
        """None: nothing is proved of convex programs."""

    @property
    def x(self) -> dict[str, float]:
        """Value of every variable's entries by name; raises `NoAnswer` without a point."""
        if not self.answer.values:
            raise NoAnswer(f"{self.solver} has no point of {named(self.name)}")
        found = {}
        for name, value in self.answer.values.items():
            dense = value.toarray() if hasattr(value, "toarray") else np.asarray(value)
            for index in np.ndindex(dense.shape):
                inner = ",".join(map(str, index))
                found[f"{name}[{inner}]" if inner else name] = dense[index].item()
        return found

    @property
    def duals(self) -> dict[str, Any]:
        """Dual values of the constraints as CVXPY gives them, by ``constraint 0``, in order."""
        return {f"constraint {k}": dual for k, dual in enumerate(self.answer.duals)}

    def values(self) -> dict[str, float]:
        """Nonzero entries of the point by name."""
        return {name: value for name, value in self.x.items() if value}

    def to_builtins(self, *, point: bool = False) -> dict[str, Any]:
        """Plain data for JSON; with ``point`` also the variables' values by name."""
        answer = self.answer
        data = {
            "program": self.name,
            "sense": self.sense,
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
    program: ConvexProgram,
    instance: Any,
    *,
    solver: str | None = None,
    **options: Unpack[OptionNames],
) -> ConvexSolution:
    """Solve a convex program with a solver of CVXPY.

    Parameters
    ----------
    solver
        CVXPY's name of it; Clarabel without.
    options
        ``time_limit``, ``threads``, ``log``; see :func:`farkas.solvers.solve`.
    """
    answer = solve_problem(program.model(instance).problem, solver or DEFAULT, **options)
    return ConvexSolution(program.full_name, program.sense, answer)


def solve_cvxpy(
    problem: Any, *, solver: str | None = None, load: bool = False, **options: Unpack[OptionNames]
) -> ConvexSolution:
    """Solve a convex ``cvxpy.Problem``; its variables keep the values that they had.

    Parameters
    ----------
    solver
        CVXPY's name of it; Clarabel without.
    load
        Leave the point in the variables, and the duals in the constraints.
    """
    leaves = [*problem.variables()]
    leaves += [dual for constraint in problem.constraints for dual in constraint.dual_variables]
    before = [leaf.value for leaf in leaves]
    answer = solve_problem(problem, solver or DEFAULT, **options)
    if not load:
        for leaf, value in zip(leaves, before, strict=True):
            leaf.save_value(value)
    sense = "max" if type(problem.objective).__name__ == "Maximize" else "min"
    return ConvexSolution("problem", sense, answer)


def refuse_linear_wishes(name: str, **wished: bool) -> None:
    """Raise :class:`UnsupportedForm` for what only linear forms can do."""
    for option, given in wished.items():
        if given:
            raise UnsupportedForm(f"--{option}: {name} is convex but not linear; leave it out")
