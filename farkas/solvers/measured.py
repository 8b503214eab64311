"""How far a point is from the constraints of CVXPY, without solving anything."""

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from farkas.extras import needed
from farkas.numbers import Floats


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


class Missed(NamedTuple):
    """By how much a constraint is violated, infinite for NaN; and what to call it."""

    constraint: Any
    label: str
    amount: float


def violations(problem: Any) -> list[Missed]:
    """Violation of every constraint, and of the domain of every variable."""
    parts = [(c, f"constraint {i}") for i, c in enumerate(problem.constraints)]
    parts += [(c, f"the domain of {v.name()}") for v in problem.variables() for c in v.domain]
    found = []
    with np.errstate(all="ignore"):
        for constraint, name in parts:
            label = getattr(constraint, "label", None) or name
            off = float(np.max(np.asarray(distance(constraint)), initial=0.0))
            found.append(Missed(constraint, str(label), math.inf if math.isnan(off) else off))
    return found


def largest_violation(
    found: Iterable[Missed], units: Mapping[int, float] | None = None
) -> tuple[float, str]:
    """Largest violation and the constraint that has it.

    Parameters
    ----------
    found
        As of `violations`.
    units
        By `id` of a variable, what it is measured in, as of `units_of`: then the violation of a
        constraint is a share of the largest unit among its variables.
    """
    worst, where = 0.0, "no constraint"
    for constraint, label, off in found:
        if units is not None:
            off /= max((units[v.id] for v in constraint.variables()), default=1.0)
        if off > worst:
            worst, where = off, label
    return worst, where


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


@cache
def installed_in_cvxpy() -> tuple[str, ...]:
    """Solvers that CVXPY finds; looking them up anew takes longer than a small solve."""
    return tuple(needed("cvxpy").installed_solvers())


@cache
def known_to_cvxpy() -> tuple[str, ...]:
    """Solvers of linear programs that CVXPY knows, installed or not."""
    return tuple(sorted(name for name in needed("cvxpy").settings.SOLVERS if _engines(name)))


def takes_integers(solver: str) -> bool:
    """Whether CVXPY hands integer programs to a solver."""
    return any(engine.MIP_CAPABLE for engine in _engines(solver))


def takes_exponential_cones(solver: str) -> bool:
    """Whether CVXPY hands exponential cones to a solver."""
    cone = needed("cvxpy").constraints.ExpCone
    return any(cone in engine.SUPPORTED_CONSTRAINTS for engine in _engines(solver))


def _engines(solver: str) -> list[Any]:
    known = needed("cvxpy.reductions.solvers.defines")
    tables = (known.SOLVER_MAP_CONIC, known.SOLVER_MAP_QP)
    return [table[solver] for table in tables if solver in table]
