"""OR-tools: GLOP, PDLP and CP-SAT, as ``ortools:glop``, ``ortools:pdlp`` and ``ortools:cpsat``."""

from __future__ import annotations

import dataclasses
import math
import time
from typing import Any

import numpy as np

from farkas.errors import InvalidOption, UnknownName
from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.solvers.access import Availability
from farkas.solvers.answer import Answer, Claimed, Reason
from farkas.solvers.base import Ability, Backend, Undecided, backend
from farkas.solvers.options import Options
from farkas.solvers.ortools_whole import whole_program
from farkas.solvers.process import Arrays, Words, ask
from farkas.words import named

CHILD = "farkas.solvers.ortools_child"
DEFAULT = "glop"
ENGINES = {
    "glop": Ability.LINEAR | Ability.DUALS,
    "pdlp": Ability.LINEAR | Ability.DUALS | Ability.RAYS,
    "cpsat": Ability.INTEGER,
}
NEARLY = 0.9
"""Share of a time limit at which a solver may have stopped because of it."""


class OrtoolsSolver(Backend):
    """One solver of OR-tools, in a process of its own: its library and HiGHS's share symbols.

    Starting that process takes about half a second.  CP-SAT counts in whole numbers: it is handed
    programs of whole columns, in units in which every row is whole.

    Parameters
    ----------
    engine
        Name after the colon.

    Raises
    ------
    UnknownName
        There is no such solver.
    """

    package = "ortools"
    bringer = "farkas[solvers]"

    def __init__(self, engine: str) -> None:
        if engine not in ENGINES:
            raise UnknownName.of("solver of OR-tools", engine, ENGINES)
        self.engine = engine
        self.name = f"ortools:{engine}"
        self.abilities = ENGINES[engine]

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve once."""
        begin = time.perf_counter()
        toward = 1.0 if form.sense == "min" else -1.0
        unit = 1.0
        if self.engine == "cpsat":
            whole = whole_program(form, self.name)
            if whole.empty:
                seconds = time.perf_counter() - begin
                return self._answer(Claimed.INFEASIBLE, seconds=seconds, message=whole.empty)
            arrays, unit = whole.arrays, float(whole.unit)
            if start is not None:
                clipped = np.clip(np.rint(start), arrays["lower"], arrays["upper"])
                arrays = {**arrays, "start": clipped.astype(np.int64)}
        else:
            arrays = _arrays(form, toward)
        said, found, how = ask(
            CHILD,
            self._words(form, options),
            arrays,
            time_limit=options.time_limit,
            log=options.log,
        )
        if "refused" in said:
            name, _, problem = said["refused"].partition(": ")
            raise InvalidOption(f"{self.name} refuses its option {named(name)}: {problem}")
        answer = self._read(said, found, form, time.perf_counter() - begin, options, toward, unit)
        if how == "done":
            return answer
        reason = Reason.INTERRUPTED if how == "interrupted" else Reason.TIME_LIMIT
        return dataclasses.replace(answer, reason=reason)

    def _words(self, form: LinearForm, options: Options) -> Words:
        return {
            "engine": self.engine,
            "time_limit": options.time_limit if math.isfinite(options.time_limit) else None,
            "gap": float(options.gap),
            "threads": int(options.threads),
            "seed": int(options.seed),
            "log": options.log,
            "options": dict(options.solver_options),
            "feasibility": not form.cost.any(),
        }

    def _answer(self, claim: Claimed, **others: Any) -> Answer:
        return Answer(**{"reason": Reason.FINISHED, "claim": claim, "solver": self.name, **others})

    def _read(
        self,
        said: Words,
        found: Arrays,
        form: LinearForm,
        seconds: float,
        options: Options,
        toward: float,
        unit: float,
    ) -> Answer:
        status = said.get("status", "limit")
        if status == "either":
            raise Undecided
        late = seconds >= NEARLY * options.time_limit
        reason = {
            "optimal": Reason.FINISHED,
            "infeasible": Reason.FINISHED,
            "limit": Reason.TIME_LIMIT if late else Reason.ITERATION_LIMIT,
            "numerical": Reason.NUMERICAL,
        }.get(status, Reason.ERROR)
        common: dict[str, Any] = {
            "reason": reason,
            "seconds": seconds,
            "message": "" if reason is Reason.FINISHED else said.get("message", ""),
        }
        if status == "infeasible":
            return self._answer(Claimed.INFEASIBLE, raw_ray=found.get("ray"), **common)
        bound = toward * unit * float(said.get("bound", math.nan))
        if "point" not in found:
            return self._answer(Claimed.NONE, bound=bound, **common)
        return Answer.at(
            found["point"],
            form,
            optimal=status == "optimal",
            bound=lambda: bound,
            duals=lambda: toward * found["duals"],
            solver=self.name,
            **common,
        )


@backend("ortools")
class Ortools(OrtoolsSolver):
    """Bridge to the solvers of OR-tools; ``ortools`` alone means ``ortools:glop``."""

    def __init__(self) -> None:
        super().__init__(DEFAULT)

    def availability(self) -> Availability:
        """Standing here."""
        standing = super().availability()
        return (
            dataclasses.replace(standing, detail="bridge: ortools:NAME") if standing else standing
        )

    def names(self) -> tuple[str, ...]:
        """Its solvers."""
        return tuple(ENGINES)

    def bridge(self, solver: str) -> Backend:
        """Backend for one of its solvers."""
        return OrtoolsSolver(solver or DEFAULT)


def _arrays(form: LinearForm, toward: float) -> Arrays:
    return {
        "cost": toward * form.cost,
        "lower": form.lower,
        "upper": form.upper,
        "row_lower": form.row_lower,
        "row_upper": form.row_upper,
        "starts": form.matrix.starts.astype(np.int32),
        "columns": form.matrix.columns,
        "values": form.matrix.values,
    }
