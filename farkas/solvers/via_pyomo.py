"""Any solver that Pyomo knows, as ``pyomo:NAME``."""

import contextlib
import dataclasses
import functools
import logging
import math
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from farkas.errors import UnknownName
from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Conclusion, Reason, as_minimum, of_maximum
from farkas.solvers.base import (
    Ability,
    Access,
    Availability,
    Backend,
    UndecidedRay,
    backend,
    backends,
    find,
    finite_side,
    installed,
    limited,
    missing,
    version_of,
)
from farkas.solvers.highs import check_options
from farkas.solvers.options import WORDS, Options, Raw, Words, off_stdout

DEFAULT = "appsi_highs"

_WORDS: dict[str, Words] = {
    **WORDS,
    "cbc": ("sec", "ratio", "threads", "randomSeed"),
    "glpk": ("tmlim", "mipgap", "", "seed"),
    "cplex": ("timelimit", "mip_tolerances_mipgap", "threads", "randomseed"),
    "xpress": ("timelimit", "miprelstop", "threads", "randomseed"),
    "mosek": (
        "dparam.optimizer_max_time",
        "dparam.mio_tol_rel_gap",
        "iparam.num_threads",
        "iparam.mio_seed",
    ),
}


class PyomoSolver(Backend):
    """One solver behind Pyomo.

    ``solver``: Pyomo's name of it.
    """

    package = "pyomo"
    bringer = "farkas[pyomo]"
    abilities = Ability.LINEAR | Ability.INTEGER | Ability.DUALS

    def __init__(self, solver: str) -> None:
        self.solver = solver
        self.name = f"pyomo:{solver}"
        # SCIP has none, and asking Pyomo for them fails the whole solve
        self._duals = "scip" not in solver
        if not self._duals:
            self.abilities = Ability.LINEAR | Ability.INTEGER

    def availability(self) -> Availability:
        """Standing here."""
        if not installed(self.package):
            return missing(self.bringer)
        with _quiet(), _installed_only():
            usable = self._factory().available(exception_flag=False)
        if not usable:
            how = how_to_get(self.solver)
            told = f"Pyomo knows {self.solver} but cannot find or license it"
            return Availability(Access.MISSING, f"{told}; {how}" if how else told)
        behind = self._native()
        return behind.availability() if behind else Availability(Access.FULL)

    def version(self) -> str:
        """Version of the package behind, where it is one."""
        behind = self._native()
        return behind.version() if behind else version_of(BRINGS.get(self.solver, "none"))

    def footprint(self, form: LinearForm) -> tuple[int, int]:
        """Rows and columns inside the solver."""
        behind = self._native()
        return behind.footprint(form) if behind else (form.num_rows, form.num_columns)

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve once."""
        if "cbc" not in self.solver:
            return self._run(form, options)
        # its bound on a maximum has now this sign, now that
        return of_maximum(self._run(as_minimum(form), options), form)

    def _run(self, form: LinearForm, options: Options) -> Answer:
        begin = time.perf_counter()
        model = to_model(form, duals=self._duals and not form.is_mip)
        solver = self._factory()
        words = self._translated(options)
        with off_stdout(options.log), _quiet(), _installed_only():
            results = solver.solve(model, load_solutions=False, tee=options.log, options=words)
            reason, claim, message = _verdict(results)
            if claim in (Conclusion.OPTIMAL, Conclusion.FEASIBLE):
                try:
                    model.solutions.load_from(results)
                except Exception:
                    # results without a solution raise in many ways; none of them has a point
                    claim = Conclusion.NONE
        # CBC's limits have many names, or are called an intermediate result
        reason = limited(reason, time.perf_counter() - begin, options)
        there = claim in (Conclusion.OPTIMAL, Conclusion.FEASIBLE)
        return Answer.at(
            _point(model, form) if there else None,
            form,
            claim,
            bound=lambda: _bound(results, form) if there else math.nan,
            duals=lambda: _duals(model, form) if self._duals else None,
            reason=reason,
            message=message,
        )

    def _factory(self) -> Any:
        import pyomo.environ as pyo

        if self.solver.endswith("_persistent"):
            raise UnknownName(
                f"unknown solver {self.name!r}: it wants a model of its own before it solves; "
                f"use pyomo:{self.solver.removesuffix('persistent')}direct"
            )
        solver = None
        with _quiet(), _installed_only():
            # Pyomo takes every other word for a file, and executes it
            if self.solver in pyo.SolverFactory:
                solver = pyo.SolverFactory(self.solver)
        if solver is None or type(solver).__name__ == "UnknownSolver":
            raise UnknownName(
                f"unknown solver {self.name!r}: Pyomo has no {self.solver!r}; "
                "try pyomo:appsi_highs or pyomo:highs"
            )
        return solver

    def _native(self) -> Backend | None:
        for family in ("gurobi", "mosek"):
            if family in self.solver and family in backends:
                return find(family)
        return None

    def _translated(self, options: Options) -> dict[str, Raw]:
        family = next((f for f in _WORDS if f in self.solver), "")
        if family == "glpk" and math.isfinite(options.time_limit):
            options = dataclasses.replace(options, time_limit=max(1, math.ceil(options.time_limit)))
        if family == "highs":
            check_options(options)  # Pyomo passes over what HiGHS refuses
        every = ("time_limit", "gap", "threads", "seed")
        return options.worded(_WORDS.get(family, ("", "", "", "")), self.name, every)


@backend("pyomo")
class ViaPyomo(PyomoSolver):
    """Bridge to every solver of Pyomo; ``pyomo`` alone means ``pyomo:appsi_highs``."""

    detail = "bridge: pyomo:NAME"
    availability, version = Backend.availability, Backend.version

    def __init__(self) -> None:
        super().__init__(DEFAULT)

    def names(self) -> tuple[str, ...]:
        """Its solvers of linear programs."""
        return tuple(BRINGS) if installed(self.package) else ()

    def bridge(self, solver: str) -> Backend:
        """Backend for one solver of Pyomo."""
        return PyomoSolver(solver.lower() or DEFAULT)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep Pyomo's warnings off the user's terminal; what matters is read from its results."""
    logger = logging.getLogger("pyomo")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            # those of packages that it loads, too
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


@contextlib.contextmanager
def _installed_only() -> Iterator[None]:
    """Let Pyomo look for executables where they are installed, not in the current folder first."""
    from pyomo.common.fileutils import Executable, find_executable

    manager = Executable._manager
    before = manager._find
    manager._find = functools.partial(find_executable, cwd=False)
    try:
        yield
    finally:
        manager._find = before


def to_model(form: LinearForm, *, duals: bool = False) -> Any:
    """Plain ``ConcreteModel`` of a form: variables ``x``, constraints ``rows``, suffix ``dual``.

    Rows without entries are left out, since Pyomo refuses constant constraints; the caller has
    checked them.
    """
    import pyomo.environ as pyo
    from pyomo.core.expr import LinearExpression

    model = pyo.ConcreteModel()
    low, high = form.lower.tolist(), form.upper.tolist()
    model.x = pyo.Var(
        range(form.num_columns),
        bounds=lambda _m, j: (finite_side(low[j]), finite_side(high[j])),
        domain=lambda _m, j: pyo.Integers if form.integer[j] else pyo.Reals,
    )
    columns = [model.x[j] for j in range(form.num_columns)]

    def line(i: int) -> Any:
        where, values = form.matrix.row(i)
        return LinearExpression(
            constant=0.0,
            linear_coefs=values.tolist(),
            linear_vars=[columns[j] for j in where.tolist()],
        )

    def rule(_model: Any, i: int) -> Any:
        low, high = finite_side(form.row_lower[i]), finite_side(form.row_upper[i])
        return (low, line(i), high) if low != high else (line(i), high)

    filled = np.flatnonzero(np.diff(form.matrix.starts) > 0)
    sided = np.isfinite(form.row_lower) | np.isfinite(form.row_upper)
    model.rows = pyo.Constraint([int(i) for i in filled if sided[i]], rule=rule)
    model.value = pyo.Objective(
        expr=LinearExpression(
            constant=form.offset, linear_coefs=form.cost.tolist(), linear_vars=columns
        ),
        sense=pyo.minimize if form.sense == "min" else pyo.maximize,
    )
    if duals and len(model.rows):
        model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    return model


def _verdict(results: Any) -> tuple[Reason, Conclusion, str]:
    from pyomo.opt import TerminationCondition as Condition

    condition = results.solver.termination_condition
    if condition in (Condition.unbounded, Condition.infeasibleOrUnbounded):
        raise UndecidedRay
    if condition in (Condition.optimal, Condition.globallyOptimal, Condition.locallyOptimal):
        return Reason.FINISHED, Conclusion.OPTIMAL, ""
    if condition == Condition.infeasible:
        return Reason.FINISHED, Conclusion.INFEASIBLE, ""
    reason = {
        Condition.maxTimeLimit: Reason.TIME_LIMIT,
        Condition.maxIterations: Reason.ITERATION_LIMIT,
        Condition.maxEvaluations: Reason.ITERATION_LIMIT,
        Condition.userInterrupt: Reason.INTERRUPTED,
        Condition.feasible: Reason.NUMERICAL,
    }.get(condition, Reason.ERROR)
    # Xpress has no other word for a limit
    stopped = reason is not Reason.ERROR or condition == Condition.other
    return reason, Conclusion.FEASIBLE if stopped else Conclusion.NONE, str(condition)


def _point(model: Any, form: LinearForm) -> Floats | None:
    values = [model.x[j].value for j in range(form.num_columns)]
    # solvers leave out columns that stand in no row and cost nothing: any value will do
    idle = (np.bincount(form.matrix.columns, minlength=form.num_columns) == 0) & (form.cost == 0)
    point = np.array([math.nan if v is None else v for v in values], dtype=np.float64)
    point[idle] = np.clip(0.0, form.lower, form.upper)[idle]
    return None if np.isnan(point).any() else point


def _duals(model: Any, form: LinearForm) -> Floats | None:
    duals = np.zeros(form.num_rows)
    try:
        for i in model.rows:
            duals[i] = model.dual[model.rows[i]]
    except KeyError:
        return None
    return duals


def _bound(results: Any, form: LinearForm) -> float:
    bound = results.problem.lower_bound if form.sense == "min" else results.problem.upper_bound
    try:
        number = float(bound)
    except (TypeError, ValueError):
        return math.nan
    return number if math.isfinite(number) else math.nan


#: What `pip` installs, or which program has to be on the path.
BRINGS = {
    "appsi_highs": "highspy",
    "highs": "highspy",
    "gurobi": "farkas[gurobi]",
    "gurobi_direct": "farkas[gurobi]",
    "scip": "the program scip",
    "scip_direct": "farkas[scip]",
    "mosek": "farkas[mosek]",
    "mosek_direct": "farkas[mosek]",
    "xpress": "farkas[solvers]",
    "xpress_direct": "farkas[solvers]",
    "cplex": "the program cplex",
    "cplex_direct": "cplex",
    "cbc": "the program cbc (Debian: coinor-cbc)",
    "glpk": "the program glpsol (Debian: glpk-utils)",
}


def how_to_get(solver: str) -> str:
    """Say what brings a solver; empty where that is not known."""
    found = BRINGS.get(solver, "")
    if not found:
        return ""
    return f"put {found} on the path" if found.startswith("the ") else f"install {found!r}"
