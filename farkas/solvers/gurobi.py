"""Gurobi: linear and integer programs, rays; the wheel's own licence is limited in size."""

import math
import time
from typing import Any

import numpy as np

from farkas.forms import LinearForm
from farkas.forms.matrices import as_scipy
from farkas.numbers import Bools, Floats, bools
from farkas.solvers.answer import Answer, Conclusion, Reason
from farkas.solvers.base import (
    Ability,
    Access,
    Availability,
    Backend,
    UndecidedRay,
    backend,
    installed,
    missing,
)
from farkas.solvers.options import WORDS, CtrlC, Options, off_stdout, refused_by

# what the licence inside the wheel accepts
MOST = 2000
TOO_LARGE = 10010


@backend("gurobi")
class Gurobi(Backend):
    """Gurobi through gurobipy.

    Rows with two different finite sides become an equation with a slack column, as Gurobi itself
    would do; they count as columns against a limited licence.
    """

    name = "gurobi"
    package = "gurobipy"
    bringer = "farkas[gurobi]"
    abilities = Ability.LINEAR | Ability.INTEGER | Ability.DUALS | Ability.RAYS

    def __init__(self) -> None:
        self._found: Availability | None = None
        self._environment: Any = None

    def availability(self) -> Availability:
        """Standing here."""
        if self._found is None:
            self._found = self._look() if installed(self.package) else missing(self.bringer)
        return self._found

    def footprint(self, form: LinearForm) -> tuple[int, int]:
        """Rows and columns inside the solver."""
        return form.num_rows, form.num_columns + int(_ranged(form).sum())

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve once."""
        begin = time.perf_counter()
        with (
            # Gurobi announces Ctrl-C on stdout
            off_stdout(options.log),
            _model(self._env(), form, options, start) as model,
            CtrlC() as key,
        ):
            _optimize(model, key)
            if _infeasible_or_unbounded(model) and not key.pressed:
                # only a second run tells them apart and yields the ray
                model.Params.DualReductions = 0
                model.Params.InfUnbdInfo = 0 if form.is_mip else 1
                if math.isfinite(options.time_limit):
                    spent = time.perf_counter() - begin
                    model.Params.TimeLimit = max(0.0, options.time_limit - spent)
                _optimize(model, key)
            return _read(model, form)

    def _env(self) -> Any:
        if self._environment is None:
            import gurobipy

            environment = gurobipy.Env(empty=True)
            environment.setParam("OutputFlag", 0)
            environment.start()
            self._environment = environment
        return self._environment

    def _look(self) -> Availability:
        """Ask with a model one column too large: the licence tells its size in no other way."""
        import gurobipy

        try:
            with gurobipy.Model(env=self._env()) as model:
                model.addMVar(MOST + 1)
                model.optimize()
        except gurobipy.GurobiError as failure:
            if failure.errno == TOO_LARGE:
                words = f"{MOST} rows and {MOST} columns"
                return Availability(Access.LIMITED, words, MOST, MOST)
            return Availability(Access.UNLICENSED, " ".join(str(failure).split()))
        return Availability(Access.FULL)


def _ranged(form: LinearForm) -> Bools:
    both = np.isfinite(form.row_lower) & np.isfinite(form.row_upper)
    return bools(both & (form.row_lower != form.row_upper))


def _model(env: Any, form: LinearForm, options: Options, start: Floats | None) -> Any:
    import gurobipy

    model = gurobipy.Model(env=env)
    model.Params.OutputFlag = int(options.log)
    for word, value in options.worded(WORDS["gurobi"]).items():
        with refused_by("gurobi", word):
            model.setParam(word, value)
    columns = model.addMVar(
        form.num_columns,
        lb=form.lower,
        ub=form.upper,
        obj=form.cost,
        vtype=np.where(form.integer, "I", "C"),
    )
    model.ModelSense = 1 if form.sense == "min" else -1
    model.ObjCon = form.offset
    if start is not None:
        columns.setAttr("Start", start)
    if form.num_rows:
        _add_rows(model, columns, form)
    return model


def _add_rows(model: Any, columns: Any, form: LinearForm) -> None:
    ranged = _ranged(form)
    equal = ranged | (form.row_lower == form.row_upper)
    senses = np.where(equal, "=", np.where(np.isfinite(form.row_lower), ">", "<"))
    sides = np.where(np.isfinite(form.row_lower), form.row_lower, form.row_upper)
    model.addMConstr(as_scipy(form.matrix), columns, senses, sides)
    model.update()
    rows = model.getConstrs()
    import gurobipy

    for i in np.flatnonzero(ranged).tolist():
        # row - slack = row_lower with slack up to the distance of the sides
        span = float(form.row_upper[i] - form.row_lower[i])
        model.addVar(ub=span, column=gurobipy.Column([-1.0], [rows[i]]))


def _optimize(model: Any, key: CtrlC) -> None:
    def listen(asked: Any, _where: int) -> None:
        if key.pressed:
            asked.terminate()

    model.optimize(listen)


def _infeasible_or_unbounded(model: Any) -> bool:
    import gurobipy

    kinds = gurobipy.GRB.Status
    if model.Status == kinds.INF_OR_UNBD:
        return True
    return model.Status == kinds.INFEASIBLE and not model.IsMIP


_REASONS = {
    "OPTIMAL": Reason.FINISHED,
    "INFEASIBLE": Reason.FINISHED,
    "TIME_LIMIT": Reason.TIME_LIMIT,
    "NODE_LIMIT": Reason.NODE_LIMIT,
    "ITERATION_LIMIT": Reason.ITERATION_LIMIT,
    "INTERRUPTED": Reason.INTERRUPTED,
    "NUMERIC": Reason.NUMERICAL,
    "SUBOPTIMAL": Reason.NUMERICAL,
}


def _read(model: Any, form: LinearForm) -> Answer:
    import gurobipy

    names = {
        getattr(gurobipy.GRB.Status, name): name for name in (*_REASONS, "UNBOUNDED", "INF_OR_UNBD")
    }
    name = names.get(model.Status, f"status {model.Status}")
    if name in ("UNBOUNDED", "INF_OR_UNBD"):
        raise UndecidedRay
    common: dict[str, Any] = {
        "reason": _REASONS.get(name, Reason.ERROR),
        "message": "" if name in ("OPTIMAL", "INFEASIBLE") else name.lower().replace("_", " "),
    }
    if name == "INFEASIBLE":
        return Answer(claim=Conclusion.INFEASIBLE, raw_ray=_ray(model, form), **common)
    found = model.SolCount > 0
    return Answer.at(
        np.array(model.getAttr("X", model.getVars()[: form.num_columns])) if found else None,
        form,
        Conclusion.OPTIMAL if name == "OPTIMAL" else Conclusion.FEASIBLE,
        bound=lambda: _bound(model, form),
        duals=lambda: np.array(model.getAttr("Pi", model.getConstrs()), dtype=np.float64),
        **common,
    )


def _bound(model: Any, form: LinearForm) -> float:
    bound = float(model.ObjBound) if form.is_mip else math.nan
    return bound if abs(bound) < 1e100 else math.nan


def _ray(model: Any, form: LinearForm) -> Floats | None:
    import gurobipy

    if form.is_mip:
        return None
    try:
        return np.array(model.getAttr("FarkasDual", model.getConstrs()), dtype=np.float64)
    except (AttributeError, gurobipy.GurobiError):
        return None
