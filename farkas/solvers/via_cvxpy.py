"""CVXPY: its solvers on forms as ``cvxpy:NAME``, and convex problems with one set of options."""

from __future__ import annotations

import dataclasses
import math
import time
import warnings
from typing import Any, Unpack

import numpy as np

from farkas.errors import InvalidOption, NoAnswer, SolverUnavailable, UnknownName, UnsupportedForm
from farkas.forms import LinearForm
from farkas.forms.matrices import as_scipy
from farkas.numbers import Floats
from farkas.solvers.access import Access, Availability, installed, missing, version_of
from farkas.solvers.answer import Answer, Claimed, Reason
from farkas.solvers.base import Ability, Backend, Undecided, backend, backends
from farkas.solvers.interrupt import off_stdout
from farkas.solvers.measured import (
    installed_in_cvxpy,
    known_to_cvxpy,
    largest_violation,
    takes_exponential_cones,
    takes_integers,
    units_of,
    violations,
)
from farkas.solvers.options import OptionNames, Options
from farkas.solvers.via_cvxpy_units import near_one
from farkas.solvers.via_cvxpy_words import MANUAL, PACKAGES, SHARED, arguments, how_to_get
from farkas.tolerances import FEASIBLE

DEFAULT = "CLARABEL"
WITHOUT_DUALS = ("SCIP", "GLPK_MI", "ECOS_BB")
"""SCIP's belong to its presolved program; the others give none."""
NEARLY = 0.9
"""Share of a time limit at which a solver may have stopped because of it."""


class CvxpySolver(Backend):
    """One solver behind CVXPY, on forms.

    Parameters
    ----------
    solver
        CVXPY's name of it, for example ``SCS``.
    """

    package = "cvxpy"
    bringer = "farkas[convex]"

    def __init__(self, solver: str) -> None:
        self.solver = solver
        self.name = f"cvxpy:{solver}"

    @property
    def abilities(self) -> Ability:  # type: ignore[override]
        """What CVXPY says of the solver; asked when needed, since it takes a second to load."""
        can = Ability.LINEAR
        if self.solver not in WITHOUT_DUALS:
            can |= Ability.DUALS
        if takes_integers(self.solver):
            can |= Ability.INTEGER
        if takes_exponential_cones(self.solver):
            can |= Ability.CONIC
        return can

    def availability(self) -> Availability:
        """Standing here."""
        if not installed(self.package):
            return missing(self.bringer)
        if self.solver in SHARED or self.solver not in installed_in_cvxpy():
            return _absent(self.solver)
        native = self.solver.lower()
        if native in ("gurobi", "mosek"):
            return backends[native].availability()
        return Availability(Access.FULL)

    def version(self) -> str:
        """Version of the package behind, where it is known."""
        native = self.solver.lower()
        if native in backends:
            return backends[native].version()
        return version_of(PACKAGES.get(self.solver, native))

    def footprint(self, form: LinearForm) -> tuple[int, int]:
        """Rows and columns inside the solver."""
        # every finite side and bound becomes a row
        sides = [form.row_lower, form.row_upper]
        equal = int((form.row_lower == form.row_upper).sum())
        rows = sum(int(np.isfinite(side).sum()) for side in sides) - equal
        bounds = int(np.isfinite(form.lower).sum() + np.isfinite(form.upper).sum())
        return rows + bounds, form.num_columns

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve once."""
        problem, column, families = _problem(form)
        begin = time.perf_counter()
        status, message = _run(problem, self.solver, options)
        reason, claim = _verdict(status)
        seconds = time.perf_counter() - begin
        if reason is not Reason.FINISHED and seconds >= NEARLY * options.time_limit:
            # CVXPY has no word for a limit, only "inaccurate" or an error
            reason = Reason.TIME_LIMIT
        common: dict[str, Any] = {
            "reason": reason,
            "solver": self.name,
            "seconds": seconds,
            "message": message,
        }
        if claim in (Claimed.NONE, Claimed.INFEASIBLE) or column.value is None:
            return Answer(claim=claim if claim is Claimed.INFEASIBLE else Claimed.NONE, **common)
        # first-order methods end a little outside the bounds
        point = np.clip(np.asarray(column.value, dtype=np.float64), form.lower, form.upper)
        return Answer.at(
            point,
            form,
            optimal=claim is Claimed.OPTIMAL,
            duals=lambda: _row_duals(form, families) if Ability.DUALS in self.abilities else None,
            **common,
        )


@backend("cvxpy")
class ViaCvxpy(CvxpySolver):
    """Bridge to every solver of CVXPY; ``cvxpy`` alone means ``cvxpy:CLARABEL``."""

    abilities = Ability.LINEAR | Ability.DUALS | Ability.CONIC

    def __init__(self) -> None:
        super().__init__(DEFAULT)

    def availability(self) -> Availability:
        """Standing here."""
        if not installed(self.package):
            return missing(self.bringer)
        return Availability(Access.FULL, "bridge: cvxpy:NAME; farkas[solvers] brings more")

    def version(self) -> str:
        """Version of CVXPY."""
        return version_of(self.package)

    def names(self) -> tuple[str, ...]:
        """Its solvers of linear programs."""
        return known_to_cvxpy() if installed(self.package) else ()

    def bridge(self, solver: str) -> Backend:
        """Backend for one solver of CVXPY."""
        return CvxpySolver(solver.upper() or DEFAULT)


def _absent(solver: str) -> Availability:
    """Say how to get a solver that CVXPY knows and does not load, or should not."""
    if solver in SHARED:
        told = f"its library and HiGHS's share symbols; use ortools:{solver.lower()}"
        return Availability(Access.MISSING, told)
    if solver not in known_to_cvxpy():
        raise UnknownName.of("CVXPY solver", solver, installed_in_cvxpy())
    what = how_to_get(solver)
    return missing(what) if what else Availability(Access.MISSING, MANUAL)


def _problem(form: LinearForm) -> tuple[Any, Any, list[tuple[Any, Any, float]]]:
    """Problem, its variable, and (constraint, rows, sign of the dual) of each family of rows.

    Always a minimisation, so that the sign of duals does not depend on the sense.
    """
    import cvxpy as cp

    whole = [np.flatnonzero(form.integer)] if form.is_mip else False
    column = cp.Variable(form.num_columns, integer=whole)
    matrix = as_scipy(form.matrix)
    toward = 1.0 if form.sense == "min" else -1.0
    filled = np.diff(form.matrix.starts) > 0
    equal = (form.row_lower == form.row_upper) & filled
    above = np.isfinite(form.row_upper) & ~equal & filled
    below = np.isfinite(form.row_lower) & ~equal & filled
    families: list[tuple[Any, Any, float]] = []
    for chosen, sign in ((equal, -toward), (above, -toward), (below, toward)):
        at = np.flatnonzero(chosen)
        if not len(at):
            continue
        activity = matrix[at] @ column
        if chosen is equal:
            relation = activity == form.row_lower[at]
        elif chosen is above:
            relation = activity <= form.row_upper[at]
        else:
            relation = activity >= form.row_lower[at]
        families.append((relation, at, sign))
    bounds = []
    low, high = np.flatnonzero(np.isfinite(form.lower)), np.flatnonzero(np.isfinite(form.upper))
    if len(low):
        bounds.append(column[low] >= form.lower[low])
    if len(high):
        bounds.append(column[high] <= form.upper[high])
    goal = cp.Minimize((toward * form.cost) @ column)
    return cp.Problem(goal, [f[0] for f in families] + bounds), column, families


def _row_duals(form: LinearForm, families: list[tuple[Any, Any, float]]) -> Floats | None:
    duals = np.zeros(form.num_rows)
    for relation, at, sign in families:
        if relation.dual_value is None:
            return None
        duals[at] += sign * np.asarray(relation.dual_value).ravel()
    return duals


def _run(problem: Any, solver: str, options: Options) -> tuple[str, str]:
    """Solve; returns CVXPY's status and the words of a failure."""
    import cvxpy as cp

    with off_stdout(options.log), warnings.catch_warnings():
        # what CVXPY warns of, doubtful accuracy, is checked below on the point itself
        warnings.simplefilter("ignore")
        try:
            # from nothing: an answer does not depend on what was solved before
            problem.solve(
                solver=solver, warm_start=False, verbose=options.log, **arguments(solver, options)
            )
        except cp.error.SolverError as failure:
            return "solver_error", " ".join(str(failure).split())
    status = str(problem.status)
    return status, "" if status in ("optimal", "infeasible") else status.replace("_", " ")


def _verdict(status: str) -> tuple[Reason, Claimed]:
    if status in ("unbounded", "unbounded_inaccurate", "infeasible_or_unbounded"):
        raise Undecided
    if status == "optimal":
        return Reason.FINISHED, Claimed.OPTIMAL
    if status == "infeasible":
        return Reason.FINISHED, Claimed.INFEASIBLE
    if status == "optimal_inaccurate":
        return Reason.NUMERICAL, Claimed.FEASIBLE
    if status == "user_limit":  # of iterations, unless the time has passed
        return Reason.ITERATION_LIMIT, Claimed.FEASIBLE
    return (Reason.NUMERICAL if status.endswith("inaccurate") else Reason.ERROR), Claimed.NONE


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ConvexAnswer:
    """What a solver says of a convex problem, with the violation measured here.

    Parameters
    ----------
    reason, claim
        Why it stopped and what it says, as in :class:`farkas.solvers.Answer`; the claim is
        ``none`` when the point violates a constraint by more than the tolerance.
    objective
        Objective at the point, evaluated from the expression; NaN without a point.
    violation
        Largest absolute violation of any constraint at the point; NaN without a point.
    solver, seconds, message
        Who answered, after how long, and the words of an unusual end.
    values
        Value of every variable, by name; empty without a point.
    duals
        Dual values of the constraints in order, as CVXPY gives them (for a constraint
        ``f(x) <= b``: minus the derivative of a minimum with respect to ``b``); None where the
        solver gives none.  That of a cone is a list, an entry a part.
    """

    reason: Reason = Reason.UNKNOWN
    claim: Claimed = Claimed.NONE
    objective: float = math.nan
    violation: float = math.nan
    solver: str = ""
    seconds: float = math.nan
    message: str = ""
    values: dict[str, Any] = dataclasses.field(default_factory=dict)
    duals: tuple[Any, ...] = ()

    def require_optimal(self) -> ConvexAnswer:
        """Return self when optimality is claimed, raise :class:`NoAnswer` otherwise."""
        if self.claim is not Claimed.OPTIMAL:
            tail = f" ({self.message})" if self.message else ""
            raise NoAnswer(
                f"{self.solver} did not reach an optimum: stopped for reason {self.reason}, "
                f"claim {self.claim}{tail}"
            )
        return self


def solve_problem(
    problem: Any,
    solver: str = DEFAULT,
    *,
    tolerance: float = FEASIBLE,
    **options: Unpack[OptionNames],
) -> ConvexAnswer:
    """Solve a ``cvxpy.Problem``; the status is not believed, the point is measured.

    Parameters
    ----------
    problem
        A convex problem; its variables hold the point afterwards.
    solver
        CVXPY's name, with or without the prefix ``cvxpy:``, in any case.
    tolerance
        Largest violation of a constraint, as a share of the largest number that meets its
        variables (`farkas.solvers.measured.units_of`).
    **options
        As :func:`farkas.solvers.solve`.

    Raises
    ------
    UnknownName, InvalidOption, SolverUnavailable
        For a solver or option that does not exist or cannot be used.
    UnsupportedForm
        When the problem is not convex by CVXPY's rules, or the solver cannot take its cones.
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
        status, message = _run(given, name, chosen)
    except (InvalidOption, KeyboardInterrupt):
        raise
    except Exception as failure:
        status, message = "solver_error", " ".join(str(failure).split())
    if "annot solve" in message or "not able to solve" in message:
        raise UnsupportedForm(f"cvxpy:{name}: {message}")
    seconds = time.perf_counter() - begin
    answer = _measured(problem, f"cvxpy:{name}", status, message, seconds, tolerance)
    if unit == 1.0:
        return answer
    return dataclasses.replace(answer, duals=tuple(_times(unit, dual) for dual in answer.duals))


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
        reason, claim = _verdict(status)
    except Undecided:
        # a direction without end proves nothing until a point is known
        words = "unbounded, or infeasible"
        return ConvexAnswer(reason=Reason.FINISHED, claim=Claimed.NONE, message=words, **common)
    variables = problem.variables()
    known = all(v.value is not None and np.isfinite(v.value).all() for v in variables)
    if claim in (Claimed.NONE, Claimed.INFEASIBLE) or not known:
        claim = claim if claim is Claimed.INFEASIBLE else Claimed.NONE
        return ConvexAnswer(reason=reason, claim=claim, message=message, **common)
    found = violations(problem)
    worst, _ = largest_violation(found)
    share, missed = largest_violation(found, units_of(problem))
    objective = float(np.asarray(problem.objective.value).item())
    if not (share <= tolerance and math.isfinite(objective)):
        return ConvexAnswer(
            reason=Reason.NUMERICAL,
            claim=Claimed.NONE,
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
