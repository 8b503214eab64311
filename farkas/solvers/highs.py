"""HiGHS: linear and integer programs, warm sessions, rays."""

import contextlib
import dataclasses
import math
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from farkas.errors import InvalidOption
from farkas.forms import LinearForm
from farkas.forms.scale import in_units
from farkas.messages import named, shown
from farkas.numbers import Floats, Ints
from farkas.solvers.answer import Answer, Conclusion, Reason
from farkas.solvers.base import Ability, Backend, backend
from farkas.solvers.options import CtrlC, Options, Raw
from farkas.tolerances import ROUNDING, SIMPLEX

ROWWISE = 2
IRREDUCIBLE = 3  #: HiGHS's status of an infeasible subsystem of which each row and bound is needed.
# below this a solve ends before anybody can press Ctrl-C, and callbacks would only cost time
LISTEN_FROM = 5_000


@backend("highs")
class Highs(Backend):
    """HiGHS through highspy.

    >=1.15 because earlier releases return wrong points for some quadratic programs through other
    packages and because only then rays are recomputed when presolve found the infeasibility.
    """

    name = "highs"
    package = "highspy"
    bringer = "highspy>=1.15"
    abilities = Ability.LINEAR | Ability.INTEGER | Ability.DUALS | Ability.RAYS | Ability.WARM

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve once."""
        with _borrowed() as solver:
            pass_form(solver, form)
            return solve_loaded(solver, form, options, start)


def pass_form(solver: Any, form: LinearForm) -> None:
    """Hand the form over in one call."""
    status = solver.passModel(
        form.num_columns,
        form.num_rows,
        form.num_entries,
        ROWWISE,
        1 if form.sense == "min" else -1,
        form.offset,
        form.cost,
        form.lower,
        form.upper,
        form.row_lower,
        form.row_upper,
        form.matrix.starts.astype(np.int32),
        form.matrix.columns,
        form.matrix.values,
        form.integer.astype(np.int32),
    )
    expect(solver, status, "refused the model")


def contradicting_rows(form: LinearForm, seconds: float) -> tuple[Ints, bool]:
    """Rows of an irreducible infeasible subsystem by HiGHS's word, and whether it is irreducible.

    ``form``: A linear program; there are no such rows where it has a point.  ``seconds``: Wall time
    of the search; Ctrl-C waits for its end.
    """
    from highspy import _core

    solver = new_solver()
    try:
        pass_form(solver, in_units(form, form.units) or form)
    except RuntimeError:  # numbers that lie too far apart
        return np.zeros(0, np.int64), False
    solver.setOptionValue("iis_strategy", int(_core.IisStrategy.kIisStrategyIrreducible))
    solver.setOptionValue("iis_time_limit", seconds)
    status, found = solver.getIis()
    if status.value < 0 or not found.valid_:
        return np.zeros(0, np.int64), False
    rows = np.sort(np.array(found.row_index_, dtype=np.int64))
    return rows, found.status_ == IRREDUCIBLE


def expect(solver: Any, status: Any, what: str) -> None:
    """Raise where HiGHS says that it failed."""
    if status.value < 0:
        raise RuntimeError(f"HiGHS {what}")


class _Idle(threading.local):
    """The solver object that a thread is not using."""

    solver: Any = None


_idle = _Idle()


def new_solver() -> Any:
    """Return a silent, empty solver."""
    from highspy import _core

    solver = _core._Highs()
    solver.setOptionValue("output_flag", False)
    return solver


@contextlib.contextmanager
def _borrowed() -> Iterator[Any]:
    """Lend this thread's solver object, since making one costs half of a small solve."""
    solver, _idle.solver = _idle.solver or new_solver(), None
    yield solver
    # reached only when nothing was raised: a solver that threw is not used again
    solver.clearModel()
    _idle.solver = solver


def _set_options(solver: Any, options: Options, *, mip: bool) -> None:
    # linear solves compare the limit with a clock that runs on from solve to solve; the search of
    # integer programs compares it with its own, which starts anew
    spent = 0.0 if mip else solver.getRunTime()
    for name, value in (
        ("time_limit", options.time_limit + spent),
        ("mip_rel_gap", float(options.gap)),
        # its default 1e-6 would end a search that was asked for the optimum
        ("mip_abs_gap", 0.0),
        # a big constant multiplies what is forgiven here
        ("mip_feasibility_tolerance", ROUNDING),
        # HiGHS 1.15.1 crashes in it on some programs of two columns
        ("mip_heuristic_run_feasibility_jump", False),
        # vertices become proofs; its default 1e-7 shows in the 7th digit of a bound
        ("primal_feasibility_tolerance", SIMPLEX if mip else ROUNDING),
        ("dual_feasibility_tolerance", SIMPLEX if mip else ROUNDING),
        ("threads", int(options.threads)),
        ("random_seed", int(options.seed)),
        ("output_flag", options.log),
        ("log_to_console", False),
    ):
        solver.setOptionValue(name, value)
    for name, raw in options.solver_options:
        timed = name == "time_limit" and type(raw) in (int, float)
        _set_own(solver, name, float(raw) + spent if timed else raw)


def check_options(options: Options) -> None:
    """Refuse options of HiGHS's own that it does not know, or whose values it does not take."""
    solver = new_solver()
    for name, value in options.solver_options:
        _set_own(solver, name, value)


def _set_own(solver: Any, name: str, value: Raw) -> None:
    """Set an option by its own name; a whole number also where HiGHS wants a double."""
    failed = solver.setOptionValue(name, value).value < 0
    if failed and isinstance(value, int) and not isinstance(value, bool):
        failed = solver.setOptionValue(name, float(value)).value < 0
    if failed:
        raise InvalidOption(f"highs refuses its option {named(name)} = {shown(value)}")


def solve_loaded(solver: Any, form: LinearForm, options: Options, start: Floats | None) -> Answer:
    """Run, read, and where HiGHS leaves unbounded or infeasible open, decide.

    ``solver``: holds the columns, rows and costs of ``form``, in whatever units.
    """
    if not options.solver_options:
        return _solved(solver, form, options, start)
    kept = solver.getOptions()
    try:
        return _solved(solver, form, options, start)
    finally:
        solver.passOptions(kept)


def _solved(solver: Any, form: LinearForm, options: Options, start: Floats | None) -> Answer:
    begin = time.perf_counter()
    _set_options(solver, options, mip=form.is_mip)
    if start is not None and form.is_mip:
        solver.setSolution(len(start), np.arange(len(start), dtype=np.int32), start)
    pressed = _launch(solver, form, options)
    if not pressed and int(solver.getModelStatus()) == UNBOUNDED_OR_INFEASIBLE:
        answer = _decided(solver, form, options)
    else:
        answer = _read(solver, form)
    seconds = time.perf_counter() - begin
    reason = Reason.INTERRUPTED if pressed else answer.reason
    return dataclasses.replace(answer, solver="highs", seconds=seconds, reason=reason)


def _launch(solver: Any, form: LinearForm, options: Options) -> bool:
    """Run; returns whether Ctrl-C stopped it."""
    small = form.num_entries < LISTEN_FROM and not form.is_mip
    if small and not options.log:
        _run(solver)
        return False
    with CtrlC() as key, listening(solver, key, options.log):
        _run(solver)
        return key.pressed


def _run(solver: Any) -> None:
    status = solver.run()
    if status.value < 0 and int(solver.getModelStatus()) == NOT_SET:
        # HiGHS refuses a number of threads other than that of its first run in this process;
        # waiting for the old pool (True) can hang after a time limit
        solver.resetGlobalScheduler(False)
        solver.run()


@contextlib.contextmanager
def listening(solver: Any, key: CtrlC, log: bool) -> Iterator[None]:
    """Let a solver stop when a key is pressed, and write its log to stderr."""
    from highspy import _core

    kinds = _core.cb.HighsCallbackType
    asked = [
        kinds.kCallbackSimplexInterrupt,
        kinds.kCallbackIpmInterrupt,
        kinds.kCallbackMipInterrupt,
    ]
    if log:
        asked.append(kinds.kCallbackLogging)
    logging = int(kinds.kCallbackLogging)

    def listen(kind: int, message: str, _out: Any, into: Any, _user: Any) -> None:
        if kind == logging:
            sys.stderr.write(message)
        else:
            into.user_interrupt = key.pressed

    solver.setCallback(listen, None)
    for kind in asked:
        solver.startCallback(kind)
    try:
        yield
    finally:
        for kind in asked:
            solver.stopCallback(kind)


def _decided(solver: Any, form: LinearForm, options: Options) -> Answer:
    """Solve again without presolve; if that leaves it open too, ask for feasibility alone."""
    every = np.arange(form.num_columns, dtype=np.int32)
    cost = np.array(solver.getLp().col_cost_, dtype=np.float64)
    solver.setOptionValue("presolve", "off")
    try:
        pressed = _launch(solver, form, options)
        if pressed or int(solver.getModelStatus()) != UNBOUNDED_OR_INFEASIBLE:
            return _read(solver, form)
        solver.changeColsCost(form.num_columns, every, np.zeros(form.num_columns))
        _launch(solver, form, options)
        if int(solver.getModelStatus()) == OPTIMAL:
            # feasible, and HiGHS had left only unbounded beside infeasible
            return Answer(reason=Reason.FINISHED, claim=Conclusion.UNBOUNDED)
        return _read(solver, form)
    finally:
        solver.setOptionValue("presolve", "choose")
        solver.changeColsCost(form.num_columns, every, cost)


# values of HighsModelStatus; comparing numbers is far cheaper than pybind's enumerations
NOT_SET, OPTIMAL, INFEASIBLE, UNBOUNDED_OR_INFEASIBLE, UNBOUNDED = 0, 7, 8, 9, 10
_REASONS = {
    6: Reason.FINISHED,  # empty model
    OPTIMAL: Reason.FINISHED,
    INFEASIBLE: Reason.FINISHED,
    UNBOUNDED_OR_INFEASIBLE: Reason.NUMERICAL,
    UNBOUNDED: Reason.FINISHED,
    13: Reason.TIME_LIMIT,
    14: Reason.ITERATION_LIMIT,
    15: Reason.NUMERICAL,  # unknown
    16: Reason.NODE_LIMIT,  # solution limit
    17: Reason.INTERRUPTED,
    18: Reason.ERROR,  # memory limit
    19: Reason.INTERRUPTED,
}


def _read(solver: Any, form: LinearForm) -> Answer:
    """Claim, values and ray as HiGHS states them."""
    status = solver.getModelStatus()
    code = int(status)
    reason = _REASONS.get(code, Reason.ERROR)
    optimal = reason is Reason.FINISHED and code not in (INFEASIBLE, UNBOUNDED)
    claim, bound = Conclusion.NONE, math.nan
    point = duals = ray = None
    if code == INFEASIBLE:
        claim, ray = Conclusion.INFEASIBLE, _ray(solver, form)
    elif code == UNBOUNDED:
        claim = Conclusion.UNBOUNDED
    else:
        bound = _bound(solver, form)
        # 2 is "feasible"; anything less is a leftover of the algorithm, not a solution
        if optimal or solver.getInfoValue("primal_solution_status")[1] == 2:
            solution = solver.getSolution()
            values = np.array(solution.col_value, dtype=np.float64)
            if solution.value_valid and len(values) == form.num_columns:
                claim = Conclusion.OPTIMAL if optimal else Conclusion.FEASIBLE
                point = values
            if optimal and not form.is_mip and solution.dual_valid:
                duals = np.array(solution.row_dual, dtype=np.float64)
    return Answer(
        reason=reason,
        claim=claim,
        bound=bound,
        iterations=max(0, int(solver.getInfoValue("simplex_iteration_count")[1])),
        raw_point=point,
        raw_row_duals=duals,
        raw_ray=ray,
        message="" if reason is Reason.FINISHED else solver.modelStatusToString(status),
    )


def _bound(solver: Any, form: LinearForm) -> float:
    if not form.is_mip:
        return math.nan
    bound = float(solver.getInfoValue("mip_dual_bound")[1])
    return bound if math.isfinite(bound) else math.nan


def _ray(solver: Any, form: LinearForm) -> Floats | None:
    if form.is_mip:
        return None
    _status, found, ray = solver.getDualRay()
    return np.array(ray, dtype=np.float64) if found else None
