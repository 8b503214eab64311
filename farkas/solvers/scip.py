"""SCIP: integer programs, and linear ones without duals."""

import math
from typing import Any

import numpy as np

from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Conclusion, Reason
from farkas.solvers.base import Ability, Backend, UndecidedRay, backend, finite_side
from farkas.solvers.options import WORDS, Options, off_stdout, refused_by


@backend("scip")
class Scip(Backend):
    """SCIP through pyscipopt.

    No duals: SCIP turns rows into bounds and tightens bounds while solving, so the multipliers it
    could give belong to another program.  SCIP listens to Ctrl-C by itself.
    """

    name = "scip"
    package = "pyscipopt"
    bringer = "farkas[scip]"
    abilities = Ability.LINEAR | Ability.INTEGER

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve once."""
        # SCIP announces Ctrl-C on stdout
        with off_stdout(options.log):
            model, columns = _model(form)
            _set_options(model, options)
            if start is not None:
                guess = model.createSol()
                for column, value in zip(columns, start.tolist(), strict=True):
                    model.setSolVal(guess, column, value)
                model.addSol(guess)
            # the plain call keeps the interpreter locked, and with it every other thread
            model.optimizeNogil()
        return _read(model, columns)


def _model(form: LinearForm) -> tuple[Any, list[Any]]:
    from pyscipopt import Model
    from pyscipopt.scip import Expr, ExprCons, Term

    model = Model()
    model.hideOutput()
    columns = [
        model.addVar(vtype="I" if whole else "C", lb=finite_side(low), ub=finite_side(high))
        for low, high, whole in zip(
            form.lower.tolist(), form.upper.tolist(), form.integer.tolist(), strict=True
        )
    ]
    terms = [Term(column) for column in columns]
    for i in range(form.num_rows):
        where, values = form.matrix.row(i)
        row = Expr({terms[j]: v for j, v in zip(where.tolist(), values.tolist(), strict=True)})
        low, high = finite_side(form.row_lower[i]), finite_side(form.row_upper[i])
        if low is None and high is None:
            continue
        model.addCons(ExprCons(row, lhs=low, rhs=high))
    used = np.flatnonzero(form.cost).tolist()
    model.setObjective(
        Expr({terms[j]: float(form.cost[j]) for j in used}),
        "minimize" if form.sense == "min" else "maximize",
    )
    model.addObjoffset(form.offset)
    return model, columns


def _set_options(model: Any, options: Options) -> None:
    if options.log:
        model.hideOutput(quiet=False)
    for word, value in options.worded(WORDS["scip"]).items():
        with refused_by("scip", word):
            model.setParam(word, value)


_REASONS = {
    "optimal": Reason.FINISHED,
    "gaplimit": Reason.FINISHED,
    "infeasible": Reason.FINISHED,
    "timelimit": Reason.TIME_LIMIT,
    "nodelimit": Reason.NODE_LIMIT,
    "totalnodelimit": Reason.NODE_LIMIT,
    "stallnodelimit": Reason.NODE_LIMIT,
    "userinterrupt": Reason.INTERRUPTED,
}


def _read(model: Any, columns: list[Any]) -> Answer:
    status = model.getStatus()
    if status in ("unbounded", "inforunbd"):
        raise UndecidedRay
    reason = _REASONS.get(status, Reason.ERROR)
    if status == "infeasible":
        return Answer(reason=reason, claim=Conclusion.INFEASIBLE)
    optimal = reason is Reason.FINISHED
    bound = float(model.getDualbound())
    bound = bound if abs(bound) < model.infinity() else math.nan
    message = "" if optimal else status
    if model.getNSols() == 0:
        return Answer(reason=reason, bound=bound, message=message)
    best = model.getBestSol()
    return Answer(
        reason=reason,
        claim=Conclusion.OPTIMAL if optimal else Conclusion.FEASIBLE,
        bound=bound,
        raw_point=np.array([model.getSolVal(best, x) for x in columns], dtype=np.float64),
        message=message,
    )
