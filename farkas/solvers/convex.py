"""Convex problems of CVXPY with one set of options, and how far their points are off."""

from __future__ import annotations

import dataclasses
import math
import time
from typing import Any, NamedTuple, Unpack

import numpy as np

from farkas.errors import InvalidOption, SolverUnavailable, UnsupportedForm
from farkas.extras import needed
from farkas.numbers import Floats
from farkas.registry import once
from farkas.solvers.answer import Conclusion, Reason, SolverAnswer
from farkas.solvers.base import UndecidedRay, refuse_options
from farkas.solvers.options import OptionNames, Options
from farkas.solvers.via_cvxpy import (
    DEFAULT,
    CvxpySolver,
    Termination,
    run_problem,
    verdict,
)
from farkas.tolerances import FEASIBLE


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ConvexAnswer(SolverAnswer):
    """What a solver says of a convex problem, with the violation measured here.

    It claims nothing where the point violates a constraint by more than the tolerance.
    """

    #: Largest absolute violation of any constraint at the point; NaN without a point.
    violation: float = math.nan
    #: Value of every variable, by name; empty without a point.
    values: dict[str, Any] = dataclasses.field(default_factory=dict)
    #: Dual values of the constraints in order, as CVXPY gives them (for a constraint ``f(x) <= b``:
    #: minus the derivative of a minimum with respect to ``b``); None where the solver gives none.
    #: That of a cone is a list, an entry a part.
    duals: tuple[Any, ...] = ()


def solve_problem(
    problem: Any,
    solver: str = DEFAULT,
    *,
    tolerance: float = FEASIBLE,
    **options: Unpack[OptionNames],
) -> ConvexAnswer:
    """Solve a ``cvxpy.Problem``; the status is not believed, the point is measured.

    Raises `UnknownName` or `InvalidOption` or `SolverUnavailable` for a solver or option that does
    not exist or cannot be used; `UnsupportedForm` when the problem is not convex by CVXPY's rules,
    or the solver cannot take its cones.

    ``problem``: a convex problem; its variables hold the point afterwards.  ``solver``: CVXPY's
    name, with or without the prefix ``cvxpy:``, in any case.  ``tolerance``: largest violation of a
    constraint, as a share of the largest number that meets its variables
    (`farkas.solvers.convex.units_of`).  ``**options``: as :func:`farkas.solvers.solve`.
    """
    name = solver.removeprefix("cvxpy:").upper()
    chosen = Options.parse(options)
    standing = CvxpySolver(name).availability()
    if not standing:
        raise SolverUnavailable(f"solver cvxpy:{name} is {standing}")
    if not problem.is_dcp():
        raise UnsupportedForm("the problem is not convex by the rules of CVXPY")
    begin = time.perf_counter()
    unit = 1.0
    try:
        given, unit = near_one(problem, name)
        ended = run_problem(given, name, chosen)
    except (InvalidOption, KeyboardInterrupt):
        raise
    except Exception as failure:
        ended = Termination("solver_error", " ".join(str(failure).split()))
    status, message, gap = ended
    if "annot solve" in message or "not able to solve" in message:
        raise UnsupportedForm(f"cvxpy:{name}: {message}")
    seconds = time.perf_counter() - begin
    answer = _measured(problem, f"cvxpy:{name}", status, message, seconds, tolerance)
    if answer.reason is Reason.ERROR:
        refuse_options(CvxpySolver(name), chosen)
    least = type(problem.objective).__name__ == "Minimize"
    bound = answer.objective - (unit * gap if least else -unit * gap)
    if unit == 1.0:
        return dataclasses.replace(answer, bound=bound)
    duals = tuple(_times(unit, dual) for dual in answer.duals)
    return dataclasses.replace(answer, bound=bound, duals=duals)


def require_convex_solver(problem: Any, solver: str) -> None:
    """Refuse a solver that is missing, or that cannot take the cones of a ``cvxpy.Problem``.

    Raises `SolverUnavailable` or `UnsupportedForm`: see there.
    """
    name = solver.removeprefix("cvxpy:").upper()
    if ":" in name:
        raise UnsupportedForm(f"{solver} takes no cones, as the program has; ask clarabel or scs")
    standing = CvxpySolver(name).availability()
    if not standing:
        raise SolverUnavailable(f"solver cvxpy:{name} is {standing}")
    try:
        problem.get_problem_data(solver=name)
    except Exception as failure:  # CVXPY has no type of its own for it
        words = " ".join(str(failure).split())
        raise UnsupportedForm(
            f"cvxpy:{name} cannot take the program: {words.rstrip('.')}; ask clarabel or scs"
        ) from None


def _times(unit: float, dual: Any) -> Any:
    """Return a dual value in another unit; that of a cone is a list with an entry a part."""
    if dual is None:
        return None
    if isinstance(dual, list):
        return [_times(unit, part) for part in dual]
    return unit * np.asarray(dual)


def _measured(
    problem: Any, solver: str, status: str, message: str, seconds: float, tolerance: float
) -> ConvexAnswer:
    common: dict[str, Any] = {"solver": solver, "seconds": seconds}
    try:
        reason, claim = verdict(status)
    except UndecidedRay:
        # a direction without end proves nothing until a point is known
        words = "unbounded, or infeasible"
        return ConvexAnswer(reason=Reason.FINISHED, claim=Conclusion.NONE, message=words, **common)
    variables = problem.variables()
    known = all(v.value is not None and np.isfinite(v.value).all() for v in variables)
    if claim in (Conclusion.NONE, Conclusion.INFEASIBLE) or not known:
        claim = claim if claim is Conclusion.INFEASIBLE else Conclusion.NONE
        return ConvexAnswer(reason=reason, claim=claim, message=message, **common)
    worst, share, missed = violation(problem)
    objective = float(np.asarray(problem.objective.value).item())
    if not (share <= tolerance and math.isfinite(objective)):
        return ConvexAnswer(
            reason=Reason.NUMERICAL,
            claim=Conclusion.NONE,
            violation=worst,
            message=f"{status}, but {missed} is off by a share of {share:.3g}",
            **common,
        )
    return ConvexAnswer(
        reason=reason,
        claim=claim,
        objective=objective,
        violation=worst,
        message=message,
        values={v.name(): v.value for v in variables},
        duals=tuple(c.dual_value for c in problem.constraints),
        **common,
    )


def near_one(problem: Any, solver: str) -> tuple[Any, float]:
    """Return the problem with its objective divided by a power of two, and that power.

    Conic solvers measure in absolute tolerances, so that costs of 1e-9 would be noise to them.
    """
    import cvxpy as cp

    data, _, _ = problem.get_problem_data(solver=solver)
    # a problem without variables is handed back as it is
    costs = data.get("c") if isinstance(data, dict) else None
    largest = 0.0 if costs is None else float(np.abs(costs).max(initial=0.0))
    if not 0.0 < largest < math.inf:
        return problem, 1.0
    unit = math.ldexp(1.0, math.frexp(largest)[1] - 1)
    made = _divided(problem)
    if unit not in made:
        sense = type(problem.objective)
        made[unit] = cp.Problem(sense(problem.objective.args[0] / unit), problem.constraints)
    return made[unit], unit


@once
def _divided(problem: Any) -> dict[float, Any]:
    """Problems made of one, by the unit of their costs: CVXPY compiles each once."""
    return {}


def distance(constraint: Any) -> Any:
    """Violation of a constraint at the current values; for exponential cones a bound on it."""
    cp = needed("cvxpy")
    if isinstance(constraint, cp.constraints.ExpCone):
        return exponential_distance(*(np.asarray(part.value, float) for part in constraint.args))
    return constraint.violation()


def exponential_distance(x: Floats, y: Floats, z: Floats) -> Floats:
    """Bound on the distance of (x, y, z) from the cone y exp(x/y) <= z, y >= 0; same shape.

    CVXPY projects instead, with a solve by whichever solver it finds first.  Here one coordinate is
    moved, z or x, whichever needs less.
    """
    inside = np.maximum(y, 0.0)
    positive = inside > 0
    safe = np.where(positive, inside, 1.0)
    by_z = np.maximum(np.where(positive, safe * np.exp(x / safe), 0.0) - z, 0.0)
    room = np.where(z > 0, safe * np.log(np.where(z > 0, z, 1.0) / safe), -np.inf)
    by_x = np.maximum(x - np.where(positive, room, 0.0), 0.0)
    by_x = np.where(positive, by_x, np.maximum(x, 0.0) + np.maximum(-z, 0.0))
    moved = np.where(positive, np.minimum(by_z, by_x), by_x)
    return np.asarray(np.hypot(moved, np.maximum(-y, 0.0)))


class Violation(NamedTuple):
    """How far a problem's values are off."""

    worst: float  #: Largest violation of any constraint; infinite for NaN.
    share: float  #: Largest one as a share of the largest unit among the constraint's variables.
    where: str  #: The constraint that has it.


def violation(problem: Any) -> Violation:
    """Measure every constraint, and the domain of every variable, at the current values."""
    parts = [(c, f"constraint {i}") for i, c in enumerate(problem.constraints)]
    parts += [(c, f"the domain of {v.name()}") for v in problem.variables() for c in v.domain]
    found, units = Violation(0.0, 0.0, "no constraint"), units_of(problem)
    with np.errstate(all="ignore"):
        for constraint, name in parts:
            off = float(np.max(np.asarray(distance(constraint)), initial=0.0))
            off = math.inf if math.isnan(off) else off
            share = off / max((units[v.id] for v in constraint.variables()), default=1.0)
            found = found._replace(worst=max(found.worst, off))
            if share > found.share:
                label = str(getattr(constraint, "label", None) or name)
                found = found._replace(share=share, where=label)
    return found


def units_of(problem: Any) -> dict[int, float]:
    """By id of a variable, the size of the numbers that it meets at the current values.

    The largest of its own values, of the other variables in its constraints and of the sides of
    these; 1 where all are 0.  A number that it never meets says nothing about it.
    """
    own = {v.id: _size(v) for v in problem.variables()}
    met = dict(own)
    for constraint in problem.constraints:
        within = [v.id for v in constraint.variables()]
        size = max([own[v] for v in within] + [_size(part) for part in constraint.args], default=0)
        for v in within:
            met[v] = max(met[v], size)
    return {v: size or 1.0 for v, size in met.items()}


def _size(expression: Any) -> float:
    size = float(np.abs(np.asarray(expression.value, dtype=complex)).max(initial=0.0))
    return size if math.isfinite(size) else 0.0
