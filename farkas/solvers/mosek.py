"""MOSEK: linear and integer programs, rays.  Its wheel holds no licence."""

import math
from typing import Any

import numpy as np

from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Claimed, Reason
from farkas.solvers.base import (
    Ability,
    Access,
    Availability,
    Backend,
    Undecided,
    backend,
    installed,
    missing,
)
from farkas.solvers.options import CtrlC, Options, refused_by


@backend("mosek")
class Mosek(Backend):
    """MOSEK through its Optimizer API."""

    name = "mosek"
    package = "mosek"
    bringer = "farkas[mosek]"
    abilities = Ability.LINEAR | Ability.INTEGER | Ability.DUALS | Ability.RAYS | Ability.CONIC

    def __init__(self) -> None:
        self._found: Availability | None = None

    def availability(self) -> Availability:
        """Standing here."""
        if self._found is None:
            self._found = _look() if installed(self.package) else missing(self.bringer)
        return self._found

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve once."""
        import mosek

        with mosek.Env() as environment, environment.Task() as task, CtrlC() as key:
            fill(task, form)
            _set_options(task, options, key)
            kind = mosek.soltype.itg if form.is_mip else mosek.soltype.bas
            if start is not None and form.is_mip:
                task.putxx(kind, start)
            ended = task.optimize()
            return _read(task, kind, ended, form)


def fill(task: Any, form: LinearForm) -> None:
    """Hand the form over, in whole arrays."""
    import mosek

    task.appendvars(form.num_columns)
    task.appendcons(form.num_rows)
    task.putcslice(0, form.num_columns, form.cost)
    task.putcfix(form.offset)
    kinds, low, high = _bounds(form.lower, form.upper)
    task.putvarboundslice(0, form.num_columns, kinds, low, high)
    if form.num_rows:
        starts = form.matrix.starts
        task.putarowslice(
            0, form.num_rows, starts[:-1], starts[1:], form.matrix.columns, form.matrix.values
        )
        kinds, low, high = _bounds(form.row_lower, form.row_upper)
        task.putconboundslice(0, form.num_rows, kinds, low, high)
    whole = np.flatnonzero(form.integer).astype(np.int32)
    if len(whole):
        task.putvartypelist(whole, [mosek.variabletype.type_int] * len(whole))
    sense = mosek.objsense.minimize if form.sense == "min" else mosek.objsense.maximize
    task.putobjsense(sense)


def _bounds(low: Floats, high: Floats) -> tuple[list[Any], Floats, Floats]:
    """Keys and finite values; MOSEK looks only at the sides that the key names."""
    import mosek

    names = mosek.boundkey
    table = np.array([names.fr, names.lo, names.up, names.ra, names.fx], dtype=object)
    code = np.isfinite(low) + 2 * np.isfinite(high) + (low == high)
    finite_low = np.where(np.isfinite(low), low, 0.0)
    finite_high = np.where(np.isfinite(high), high, 0.0)
    return table[code].tolist(), finite_low, finite_high


def _set_options(task: Any, options: Options, key: CtrlC) -> None:
    import sys

    import mosek

    task.putintparam(mosek.iparam.num_threads, options.threads)
    task.putintparam(mosek.iparam.mio_seed, options.seed)
    task.putdouparam(mosek.dparam.mio_tol_rel_gap, options.gap)
    if math.isfinite(options.time_limit):
        task.putdouparam(mosek.dparam.optimizer_max_time, options.time_limit)
        task.putdouparam(mosek.dparam.mio_max_time, options.time_limit)
    for word, value in options.solver_options:
        with refused_by("mosek", word):
            task.putparam(word, str(value))
    if options.log:
        task.set_Stream(mosek.streamtype.log, sys.stderr.write)
    task.set_Progress(lambda _caller: int(key.pressed))


def _look() -> Availability:
    """Solve one column: only an optimisation asks for the licence."""
    import mosek

    try:
        with mosek.Env() as environment, environment.Task() as task:
            task.appendvars(1)
            task.putvarbound(0, mosek.boundkey.ra, 0.0, 1.0)
            task.optimize()
    except mosek.Error as failure:
        words = str(failure.msg).split(".")[0].strip()
        return Availability(
            Access.UNLICENSED,
            f"{words}; put a licence file at ~/mosek/mosek.lic or name it in MOSEKLM_LICENSE_FILE",
        )
    return Availability(Access.FULL)


def _read(task: Any, kind: Any, ended: Any, form: LinearForm) -> Answer:
    import mosek

    reasons = {
        mosek.rescode.trm_max_time: Reason.TIME_LIMIT,
        mosek.rescode.trm_max_iterations: Reason.ITERATION_LIMIT,
        mosek.rescode.trm_mio_num_branches: Reason.NODE_LIMIT,
        mosek.rescode.trm_mio_num_relaxs: Reason.NODE_LIMIT,
        mosek.rescode.trm_user_callback: Reason.INTERRUPTED,
        mosek.rescode.trm_stall: Reason.NUMERICAL,
        mosek.rescode.trm_numerical_problem: Reason.NUMERICAL,
        mosek.rescode.ok: Reason.FINISHED,
    }
    reason = reasons.get(ended, Reason.ERROR)
    message = "" if reason is Reason.FINISHED else str(ended)
    common: dict[str, Any] = {"reason": reason, "message": message}
    if not form.is_mip and not task.solutiondef(kind):
        kind = mosek.soltype.itr
    if not task.solutiondef(kind):
        return Answer(**common)
    claimed, problem = task.getsolsta(kind), task.getprosta(kind)
    if claimed == mosek.solsta.dual_infeas_cer or problem in (
        mosek.prosta.prim_infeas_or_unbounded,
        mosek.prosta.dual_infeas,
    ):
        raise Undecided
    if claimed == mosek.solsta.prim_infeas_cer:
        return Answer(claim=Claimed.INFEASIBLE, raw_ray=np.array(task.gety(kind)), **common)
    if problem == mosek.prosta.prim_infeas:
        return Answer(claim=Claimed.INFEASIBLE, **common)
    optimal = claimed in (mosek.solsta.optimal, mosek.solsta.integer_optimal)
    bound = float(task.getdouinf(mosek.dinfitem.mio_obj_bound)) if form.is_mip else math.nan
    if not optimal and claimed not in (mosek.solsta.prim_feas, mosek.solsta.prim_and_dual_feas):
        return Answer(bound=bound, **common)
    return Answer.at(
        np.array(task.getxx(kind)),
        form,
        optimal=optimal,
        bound=lambda: bound,
        duals=lambda: np.array(task.gety(kind)),
        **common,
    )
