"""Clarabel: linear programs as cone programs, by interior points."""

import dataclasses
import math
from typing import Any

import numpy as np

from farkas.forms import LinearForm
from farkas.forms.matrices import as_scipy
from farkas.numbers import Floats, Ints
from farkas.solvers.answer import Answer, Claimed, Reason
from farkas.solvers.base import Ability, Backend, Undecided, backend
from farkas.solvers.options import CtrlC, Options, log_to_stderr, refused_by


@backend("clarabel")
class Clarabel(Backend):
    """Clarabel through its own Python module.

    ``min q x`` with ``G x + s = h``, ``s`` zero for equations and nonnegative else; bounds of
    columns are rows of ``G``.
    """

    name = "clarabel"
    package = "clarabel"
    bringer = "farkas[convex]"
    abilities = Ability.LINEAR | Ability.DUALS | Ability.RAYS | Ability.CONIC

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve once."""
        import clarabel
        import scipy.sparse as sp

        cones = conic(form)
        if not len(cones.right):
            return _without_rows(form)
        settings = clarabel.DefaultSettings()
        settings.verbose = options.log
        settings.max_threads = options.threads
        if math.isfinite(options.time_limit):
            settings.time_limit = options.time_limit
        for word, value in options.solver_options:
            with refused_by("clarabel", word):
                setattr(settings, word, value)
        quadratic = sp.csc_matrix((form.num_columns, form.num_columns))
        kinds = [clarabel.ZeroConeT(cones.num_equal)] if cones.num_equal else []
        if len(cones.right) > cones.num_equal:
            kinds.append(clarabel.NonnegativeConeT(len(cones.right) - cones.num_equal))
        with log_to_stderr(options.log), CtrlC() as key:
            solver = clarabel.DefaultSolver(
                quadratic, cones.cost, cones.matrix, cones.right, kinds, settings
            )
            solver.set_termination_callback(lambda _info: key.pressed)
            solution = solver.solve()
        return _read(solution, cones, form)


@dataclasses.dataclass(frozen=True, slots=True)
class Conic:
    """The form as a cone program, and the way back."""

    cost: Floats  #: Shape (columns,), to be minimised.
    #: matrix, right: ``G`` (sparse by columns) and ``h``; equations first.
    matrix: Any
    right: Floats
    num_equal: int  #: Number of equations.
    line: Ints  #: Shape (rows of G,): row of the form, or -1 for the bound of a column.
    #: Shape (rows of G,): +1 where the right-hand side is that of the form, -1 where negated.
    sign: Floats

    def to_rows(self, multipliers: Floats, num_rows: int) -> Floats:
        """Turn multipliers of the cones into derivatives by the form's right-hand sides."""
        mine = self.line >= 0
        out = np.bincount(self.line[mine], -(self.sign * multipliers)[mine], num_rows)
        return np.asarray(out, dtype=np.float64)


def conic(form: LinearForm) -> Conic:
    """Write the form as a cone program."""
    import scipy.sparse as sp

    rows, bounds = as_scipy(form.matrix), sp.eye_array(form.num_columns, format="csr")
    low = np.concatenate([form.row_lower, form.lower])
    high = np.concatenate([form.row_upper, form.upper])
    equal = np.flatnonzero(low == high)
    above = np.flatnonzero((high < math.inf) & (low != high))
    below = np.flatnonzero((low > -math.inf) & (low != high))
    order = np.concatenate([equal, above, below])
    sign = np.ones(len(order))
    sign[len(equal) + len(above) :] = -1.0
    everything = sp.vstack([rows, bounds], format="csr")
    matrix = sp.csc_matrix(sp.diags_array(sign) @ everything[order])
    right = sign * np.concatenate([high[equal], high[above], low[below]])
    cost = form.cost if form.sense == "min" else -form.cost
    line = np.where(order < form.num_rows, order, -1)
    return Conic(cost, matrix, right, len(equal), line, sign)


def _without_rows(form: LinearForm) -> Answer:
    """Free columns only: any cost is unbounded."""
    if form.cost.any():
        return Answer(reason=Reason.FINISHED, claim=Claimed.UNBOUNDED)
    return Answer(
        reason=Reason.FINISHED,
        claim=Claimed.OPTIMAL,
        raw_point=np.zeros(form.num_columns),
        raw_row_duals=np.zeros(form.num_rows),
    )


_REASONS = {
    "Solved": Reason.FINISHED,
    "PrimalInfeasible": Reason.FINISHED,
    "AlmostSolved": Reason.NUMERICAL,
    "AlmostPrimalInfeasible": Reason.NUMERICAL,
    "AlmostDualInfeasible": Reason.NUMERICAL,
    "MaxIterations": Reason.ITERATION_LIMIT,
    "MaxTime": Reason.TIME_LIMIT,
    "InsufficientProgress": Reason.NUMERICAL,
    "NumericalError": Reason.NUMERICAL,
    "CallbackTerminated": Reason.INTERRUPTED,
}


def _read(solution: Any, cones: Conic, form: LinearForm) -> Answer:
    name = str(solution.status).rsplit(".", 1)[-1]
    if name == "DualInfeasible":
        raise Undecided
    reason = _REASONS.get(name, Reason.ERROR)
    message = "" if reason is Reason.FINISHED else name
    multipliers = cones.to_rows(np.array(solution.z), form.num_rows)
    if name == "PrimalInfeasible":
        return Answer(reason=reason, claim=Claimed.INFEASIBLE, raw_ray=multipliers)
    if reason is Reason.ERROR or name.endswith("Infeasible"):
        return Answer(reason=reason, message=message)
    # interior points end a rounding error outside their bounds
    point = np.clip(np.array(solution.x), form.lower, form.upper)
    solved = name == "Solved"
    toward = 1.0 if form.sense == "min" else -1.0
    return Answer(
        reason=reason,
        claim=Claimed.OPTIMAL if solved else Claimed.FEASIBLE,
        bound=toward * float(solution.obj_val_dual) + form.offset if solved else math.nan,
        raw_point=point,
        raw_row_duals=toward * multipliers if solved else None,
        message=message,
    )
