"""CVXPY: its solvers on forms as ``cvxpy:NAME``, and convex problems with one set of options."""

from __future__ import annotations

import importlib.metadata
import math
import operator
import time
import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from farkas.errors import UnknownName
from farkas.extras import EXTRAS, needed
from farkas.forms import LinearForm
from farkas.forms.matrices import as_scipy
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Conclusion, Reason
from farkas.solvers.base import (
    Ability,
    Access,
    Availability,
    Backend,
    UndecidedRay,
    backend,
    backends,
    installed,
    limited,
    missing,
    version_of,
)
from farkas.solvers.options import WORDS, Options, Words, off_stdout

DEFAULT = "CLARABEL"
#: SCIP's belong to its presolved program; the others give none.
WITHOUT_DUALS = ("SCIP", "GLPK_MI", "ECOS_BB")


class CvxpySolver(Backend):
    """One solver behind CVXPY, on forms.

    ``solver``: CVXPY's name of it, for example ``SCS``.
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
        if native in ("gurobi", "mosek") and self.name != native:
            return backends[native].availability()
        return Availability(Access.FULL)

    def version(self) -> str:
        """Version of the package behind, where it is known."""
        native = self.solver.lower()
        if native in backends and self.name != native:
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
        status, message, _ = run_problem(problem, self.solver, options)
        reason, claim = verdict(status)
        # CVXPY has no word for a limit, only "inaccurate" or an error
        reason = limited(reason, time.perf_counter() - begin, options)
        point = None
        if column.value is not None:  # first-order methods end a little outside the bounds
            point = np.clip(np.asarray(column.value, dtype=np.float64), form.lower, form.upper)
        return Answer.at(
            point,
            form,
            claim,
            duals=lambda: _row_duals(form, families) if Ability.DUALS in self.abilities else None,
            reason=reason,
            message=message,
        )


@backend("cvxpy")
class ViaCvxpy(CvxpySolver):
    """Bridge to every solver of CVXPY; ``cvxpy`` alone means ``cvxpy:CLARABEL``."""

    abilities = Ability.LINEAR | Ability.DUALS | Ability.CONIC
    detail = "bridge: cvxpy:NAME; farkas[solvers] brings more"
    availability, version = Backend.availability, Backend.version

    def __init__(self) -> None:
        super().__init__(DEFAULT)

    def names(self) -> tuple[str, ...]:
        """Its solvers of linear programs."""
        return known_to_cvxpy() if installed(self.package) else ()

    def bridge(self, solver: str) -> Backend:
        """Backend for one solver of CVXPY."""
        return CvxpySolver(solver.upper() or DEFAULT)


def _absent(solver: str) -> Availability:
    """Say how to get a solver that CVXPY knows and does not load, or should not."""
    if solver in SHARED:
        told = "its library and HiGHS's share symbols; use highs"
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
    for chosen, compared, side, sign in (
        (equal, operator.eq, form.row_lower, -toward),
        (above, operator.le, form.row_upper, -toward),
        (below, operator.ge, form.row_lower, toward),
    ):
        at = np.flatnonzero(chosen)
        if len(at):
            families.append((compared(matrix[at] @ column, side[at]), at, sign))
    bounds = [
        compared(column[at], ends[at])
        for compared, ends in ((operator.ge, form.lower), (operator.le, form.upper))
        if len(at := np.flatnonzero(np.isfinite(ends)))
    ]
    goal = cp.Minimize((toward * form.cost) @ column)
    return cp.Problem(goal, [f[0] for f in families] + bounds), column, families


def _row_duals(form: LinearForm, families: list[tuple[Any, Any, float]]) -> Floats | None:
    duals = np.zeros(form.num_rows)
    for relation, at, sign in families:
        if relation.dual_value is None:
            return None
        duals[at] += sign * np.asarray(relation.dual_value).ravel()
    return duals


class Termination(NamedTuple):
    """How a solver ended."""

    status: str  #: In the words of CVXPY.
    message: str = ""  #: Words of a failure.
    #: Value of its point less that of its dual point, of the minimum that it was given; NaN where
    #: it states none.
    gap: float = math.nan


def run_problem(problem: Any, solver: str, options: Options) -> Termination:
    """Solve; the problem's variables hold the point afterwards."""
    import cvxpy as cp

    with off_stdout(options.log), warnings.catch_warnings():
        # what CVXPY warns of, doubtful accuracy, is checked below on the point itself
        warnings.simplefilter("ignore")
        try:
            # as `Problem.solve` does, which keeps nothing of a dual point's value
            given = arguments(solver, options)
            data, chain, inverse = problem.get_problem_data(
                solver, verbose=options.log, solver_opts=given
            )
            # from nothing: an answer does not depend on what was solved before
            raw = chain.solve_via_data(problem, data, False, options.log, given)
            problem.unpack_results(raw, chain, inverse)
        except cp.error.SolverError as failure:
            return Termination("solver_error", " ".join(str(failure).split()))
    status = str(problem.status)
    message = "" if status in ("optimal", "infeasible") else status.replace("_", " ")
    return Termination(status, message, gap_of(raw))


def gap_of(raw: Any) -> float:
    """Return by how much the two values of a solver's own answer differ; NaN without them."""
    held = raw.get("info", {}) if isinstance(raw, dict) else raw
    for names in GAPS:
        primal, dual = (
            held.get(x) if isinstance(held, dict) else getattr(held, x, None) for x in names
        )
        if isinstance(primal, float) and isinstance(dual, float):
            return primal - dual
    return math.nan


#: Names of the values of point and dual point: of Clarabel, SCS and ECOS.
GAPS = (("obj_val", "obj_val_dual"), ("pobj", "dobj"), ("pcost", "dcost"))


def verdict(status: str) -> tuple[Reason, Conclusion]:
    """Return what a status of CVXPY means; raises `UndecidedRay` where it means two things."""
    if status in ("unbounded", "unbounded_inaccurate", "infeasible_or_unbounded"):
        raise UndecidedRay
    if status == "optimal":
        return Reason.FINISHED, Conclusion.OPTIMAL
    if status == "infeasible":
        return Reason.FINISHED, Conclusion.INFEASIBLE
    if status == "optimal_inaccurate":
        return Reason.NUMERICAL, Conclusion.FEASIBLE
    if status == "user_limit":  # of iterations, unless the time has passed
        return Reason.ITERATION_LIMIT, Conclusion.FEASIBLE
    return (Reason.NUMERICAL if status.endswith("inaccurate") else Reason.ERROR), Conclusion.NONE


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


#: What brings a solver of CVXPY; all of it is in farkas[solvers].
PACKAGES = {
    "COPT": "coptpy", "CVXOPT": "cvxopt", "ECOS": "ecos", "GLPK": "cvxopt",
    "GLPK_MI": "cvxopt", "PIQP": "piqp", "QOCO": "qoco", "XPRESS": "xpress",
}  # fmt: skip
#: Solvers of OR-tools, not to be loaded beside HiGHS.
SHARED = ("GLOP", "PDLP")
MANUAL = "https://www.cvxpy.org/tutorial/solvers says how to get it"
#: Accuracy asked of SCS and OSQP, in their own measure; what they reach is measured here.
FIRST_ORDER = 1e-8

_WORDS: dict[str, Words] = {
    **{name.upper(): words for name, words in WORDS.items()},
    "CLARABEL": ("time_limit", "", "max_threads", ""),
    "SCS": ("time_limit_secs", "", "", ""),
    "OSQP": ("time_limit", "", "", ""),
    "SCIPY": ("time_limit", "mip_rel_gap", "", ""),
    "XPRESS": ("timelimit", "miprelstop", "threads", "randomseed"),
    "COPT": ("TimeLimit", "RelGap", "Threads", ""),
    "MOSEK": (
        "MSK_DPAR_OPTIMIZER_MAX_TIME",
        "MSK_DPAR_MIO_TOL_REL_GAP",
        "MSK_IPAR_NUM_THREADS",
        "",
    ),
}
#: Argument that takes the words, of solvers that do not take them as arguments of their own.
_NESTED = {"SCIP": "scip_params", "MOSEK": "mosek_params", "SCIPY": "scipy_options"}
_ACCURACY = {"eps_abs": FIRST_ORDER, "eps_rel": FIRST_ORDER}
_ALWAYS: dict[str, dict[str, float]] = {
    "SCS": {**_ACCURACY, "max_iters": 100_000},
    "OSQP": {**_ACCURACY, "max_iter": 100_000},
}


def how_to_get(solver: str) -> str:
    """Return what pip installs for a solver: a package, or an extra; empty if none."""
    if solver in PACKAGES:
        return PACKAGES[solver]
    extra = solver.lower().replace("_", "-")
    if extra in EXTRAS:
        return f"farkas[{EXTRAS[extra]}]"
    extras = importlib.metadata.metadata("cvxpy").get_all("Provides-Extra") or ()
    return f"cvxpy[{extra}]" if extra in extras else ""


def arguments(solver: str, options: Options) -> dict[str, Any]:
    """Our options in the words of each solver; refuses a limit that cannot be passed."""
    words = _WORDS.get(solver, ("", "", "", ""))
    given = options.worded(words, f"cvxpy:{solver}", ("time_limit",))
    return {_NESTED[solver]: given} if solver in _NESTED else {**_ALWAYS.get(solver, {}), **given}
