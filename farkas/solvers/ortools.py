"""CP-SAT of OR-tools, as ``ortools`` or ``ortools:cpsat``: programs of whole columns.

It runs in a process of its own, since its library and HiGHS's share symbols.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from farkas.errors import InvalidOption, UnknownName, UnsupportedForm
from farkas.forms import LinearForm
from farkas.messages import named
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Conclusion, Reason
from farkas.solvers.base import Ability, Backend, backend
from farkas.solvers.options import CtrlC, Options

#: What the process starts with; modules of the current folder are not found (``-P``).
START = "import sys; sys.path.append(sys.argv[1]); from farkas.solvers.ortools import main; main()"
INSTEAD = {"glop": "cvxpy:GLOP", "pdlp": "cvxpy:PDLP"}  # of other solvers of OR-tools
GRACE = 30.0  # seconds beyond a time limit, to start and to stop
FAREWELL = 5.0  # seconds in which the solver may say what it has found when Ctrl-C is pressed
LARGEST = 2**62  # no sum of a row, and no sum of costs, may reach this
MOST_PASSES = 8  # over the rows, to find ends of columns that have none

End: TypeAlias = int | None
Row: TypeAlias = tuple[list[int], list[int], int, int]  # columns, their values, both sides


@backend("ortools")
class CpSat(Backend):
    """CP-SAT, which counts in whole numbers: it is handed units in which every row is whole."""

    package = "ortools"
    bringer = "farkas[solvers]"
    abilities = Ability.INTEGER

    def names(self) -> tuple[str, ...]:
        """Its full name."""
        return ("cpsat",)

    def bridge(self, solver: str) -> Backend:
        """Return this backend, which is the only one of OR-tools."""
        if solver not in ("", *self.names()):
            instead = INSTEAD.get(solver, "ortools:cpsat")
            raise UnknownName(f"unknown solver ortools:{solver}; use {instead}")
        return self

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve once."""
        begin = time.perf_counter()
        whole = whole_program(form)
        if isinstance(whole, str):
            return Answer(reason=Reason.FINISHED, claim=Conclusion.INFEASIBLE, message=whole)
        asked, unit = whole
        words = ("max_time_in_seconds", "relative_gap_limit", "num_workers", "random_seed")
        asked |= {"log": options.log, "options": options.worded(words), "hint": []}
        if start is not None:
            asked["hint"] = np.clip(np.rint(start), *asked["ends"]).astype(np.int64).tolist()
        said, how = ask(asked, options.time_limit, options.log)
        if "refused" in said:
            raise InvalidOption(f"{self.name} refuses its option {named(said['refused'])}")
        late = time.perf_counter() - begin >= options.time_limit
        status, point = said.get("status", "UNKNOWN"), said.get("point")
        reason = Reason.FINISHED if status in ("OPTIMAL", "INFEASIBLE") else Reason.ITERATION_LIMIT
        if how == "interrupted":
            reason = Reason.INTERRUPTED
        elif reason is not Reason.FINISHED and late:
            reason = Reason.TIME_LIMIT
        return Answer(
            reason=reason,
            claim=getattr(Conclusion, status, Conclusion.NONE),
            bound=float(unit) * said.get("bound", math.nan),
            raw_point=np.array(point, dtype=np.float64) if point else None,
            message="" if reason is Reason.FINISHED else status,
        )


def whole_program(form: LinearForm) -> tuple[dict[str, Any], Fraction] | str:
    """Write a form as a minimum in whole numbers, exactly; and the worth of 1 in it.

    Doubles are whole multiples of powers of two, so that every row is one of whole numbers in some
    unit; sides are rounded inwards.  Columns without an end get the one that rows imply.  Words say
    which column or row leaves no whole number.  Raises `UnsupportedForm`: the numbers need more
    than 64 bits, or no row bounds a column; names it.
    """
    lower = [None if math.isinf(x) else math.ceil(x) for x in form.lower.tolist()]
    upper = [None if math.isinf(x) else math.floor(x) for x in form.upper.tolist()]
    rows: list[Row] = []
    for i in range(form.num_rows):
        where, values = form.matrix.row(i)
        whole, unit = _in_whole(values[values != 0].tolist())
        low, high = float(form.row_lower[i]), float(form.row_upper[i])
        # no sum reaches the largest number, which stands for no side
        least = -LARGEST if math.isinf(low) else max(-LARGEST, math.ceil(Fraction(low) / unit))
        most = LARGEST if math.isinf(high) else min(LARGEST, math.floor(Fraction(high) / unit))
        if least > most:
            return f"{form.row_name(i)}: no whole number between its sides"
        rows.append((where[values != 0].tolist(), whole, least, most))
    _derive_ends(rows, lower, upper)
    ends: tuple[list[int], list[int]] = ([], [])
    for j, (a, b) in enumerate(zip(lower, upper, strict=True)):
        if a is None or b is None:
            end = "lower" if a is None else "upper"
            words = f"ortools: {form.column_name(j)} has no {end} bound, and no row implies one"
            raise UnsupportedForm(f"{words}; state one, or use another solver")
        if a > b:
            return f"{form.column_name(j)}: no whole number within its bounds"
        ends[0].append(a)
        ends[1].append(b)
    toward = 1 if form.sense == "min" else -1
    cost, unit = _in_whole([toward * c for c in form.cost.tolist()])
    every = [*range(form.num_columns)]
    sums = [(row[0], row[1], form.row_name(i)) for i, row in enumerate(rows)]
    sums += [([j], [1], form.column_name(j)) for j in every] + [(every, cost, "the objective")]
    size = [max(abs(a), abs(b)) for a, b in zip(*ends, strict=True)]
    for columns, factors, name in sums:
        if sum(abs(v) * size[j] for j, v in zip(columns, factors, strict=True)) >= LARGEST:
            raise UnsupportedForm(
                f"ortools: {name} needs numbers of more than 64 bits; use another solver"
            )
    return {"ends": ends, "rows": rows, "cost": cost}, toward * unit


def _in_whole(values: Sequence[float]) -> tuple[list[int], Fraction]:
    """Numbers as small whole multiples of a unit, exactly."""
    parts = [value.as_integer_ratio() for value in values]
    below = max((d for _, d in parts), default=1)  # all are powers of two
    whole = [n * (below // d) for n, d in parts]
    common = math.gcd(*whole) or 1
    return [n // common for n in whole], Fraction(common, below)


def _derive_ends(rows: Sequence[Row], lower: list[End], upper: list[End]) -> None:
    """Fill in the ends that follow from one row at a time, where there are none."""
    pairs = [(list(zip(*row[:2], strict=True)), *row[2:]) for row in rows]
    below = [(terms, high) for terms, _, high in pairs if high < LARGEST]
    below += [([(j, -v) for j, v in terms], -a) for terms, a, _ in pairs if a > -LARGEST]
    for _ in range(MOST_PASSES if None in (*lower, *upper) else 0):
        for terms, side in below:  # that is terms x <= side
            for j, v in terms:
                ends = upper if v > 0 else lower
                if ends[j] is not None:
                    continue
                others = [(lower[k] if u > 0 else upper[k], u) for k, u in terms if k != j]
                known = [end * u for end, u in others if end is not None]
                if len(known) == len(others):
                    room = side - sum(known)
                    ends[j] = room // v if v > 0 else -(room // -v)


def ask(asked: dict[str, Any], time_limit: float, log: bool) -> tuple[dict[str, Any], str]:
    """Return the answer of a process, if any, and whether it is done, interrupted or overlong."""
    until, how, pipe = time.monotonic() + time_limit + GRACE, "done", subprocess.PIPE
    question: str | None = json.dumps(asked)
    with (
        CtrlC() as key,
        subprocess.Popen(
            [sys.executable, "-P", "-c", START, str(Path(__file__).resolve().parents[2])],
            stdin=pipe, stdout=pipe, stderr=None if log else pipe, text=True,
            start_new_session=True,  # Ctrl-C reaches this process, which decides
        ) as child,
        contextlib.ExitStack() as at_end,
    ):  # fmt: skip
        at_end.callback(child.kill)
        while True:
            try:
                said, words = child.communicate(question, 0.1)
                break
            except subprocess.TimeoutExpired:
                question = None  # it is on its way
            if key.pressed and how == "done":
                child.send_signal(signal.SIGINT)
                until, how = time.monotonic() + FAREWELL, "interrupted"
            if time.monotonic() > until:
                return {}, "overlong" if how == "done" else how
    if child.returncode and how == "done":
        last = (words or "").strip().rpartition("\n")[2]
        raise RuntimeError(f"its process ended with status {child.returncode}: {last}")
    return {} if child.returncode else json.loads(said), how


def main() -> None:
    """Answer the question of the parent process."""
    threading.Thread(target=_end_with, args=[os.getppid()], daemon=True).start()
    asked = json.load(sys.stdin)
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)  # the library writes its log there
        json.dump(answered(asked), out)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def answered(asked: dict[str, Any]) -> dict[str, Any]:
    """Solve what `CpSat.run` asks, in a process that loads no other solver."""
    from ortools.sat.python import cp_model_helper as helper  # the rest of it takes two seconds

    parameters, model, solver = helper.SatParameters(), helper.CpModelProto(), helper.SolveWrapper()
    parameters.log_search_progress = asked["log"]
    for name, value in asked["options"].items():
        spelt = json.dumps(value)
        # a word names a choice, or is text in quotes
        if not any(parameters.merge_text_format(f"{name}: {text}") for text in (value, spelt)):
            return {"refused": f"{name} = {spelt}"}
    for ends in zip(*asked["ends"], strict=True):
        model.variables.add().domain.extend(ends)
    for columns, values, low, high in asked["rows"]:
        row = model.constraints.add().linear
        row.vars.extend(columns)
        row.coeffs.extend(values)
        row.domain.extend([low, high])
    if any(asked["cost"]):
        model.objective.vars.extend(range(len(asked["cost"])))
        model.objective.coeffs.extend(asked["cost"])
    if asked["hint"]:
        model.solution_hint.vars.extend(range(len(asked["hint"])))
        model.solution_hint.values.extend(asked["hint"])
    solver.set_parameters(parameters)
    found = solver.solve(model)
    said = {"status": found.status.name, "point": list(found.solution)}
    if said["point"] and abs(found.best_objective_bound) < LARGEST:
        said["bound"] = found.best_objective_bound
    return said
