"""What results of a solve answer to, in the words of users of solvers."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from farkas.messages import ShowsItself, suggestion, verb

_WORDS = {
    "x": "primal solution variables",
    "objective": "obj objval objectivevalue optimalvalue fun opt optimum",
    "duals": "dual pi shadowprices marginals multipliers rowduals",
    "bound": "bestbound objbound dualbound lowerbound upperbound bestobjective",
    "gap": "mipgap relativegap",
    "seconds": "time runtime solvetime walltime elapsed",
    "status == 'optimal'": "success isoptimal optimal",
    "status": "terminationcondition solverstatus state",
    "to_pandas()": "todataframe todf df frame",
    "to_builtins()": "todict tojson json asdict",
    "load_into(model)": "load loadsolution writeback loadvars",
    "save(path)": "write tofile",
    "verify()": "certify proof check",
    "duals, which are those of rows": "reducedcosts rc",
}
ELSEWHERE = {other: word for word, others in _WORDS.items() for other in others.split()}
"""What is asked here, by the names of other packages without capitals and underscores."""


class SolveResult(ShowsItself):
    """What is known of the optimum of a program, in the words that users of solvers know.

    ``status``, ``objective``, ``bound``, ``gap``, ``x``, ``duals``, ``solver`` and ``seconds``.
    """

    __slots__ = ()

    to_frame = verb("to_frame")

    def to_pandas(self) -> Any:
        """Return a row for each variable, zeros too; of pandas or polars, else as dictionaries."""
        return import_module("farkas.experiments.plotting").of_point(self.x)

    def __getattr__(self, name: str) -> Any:
        # tools that copy, pickle or display ask for private names, and read no hint
        hint = ""
        if not name.startswith("_"):
            there = ELSEWHERE.get(name.lower().replace("_", ""))
            known = [one for one in dir(type(self)) if not one.startswith("_")]
            hint = f"; use {there}" if there else suggestion(name, known)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")

    def summary(self) -> str:
        """Status, values and notes, a line each; digits are cut so that a bound stays one."""
        rounded = import_module("farkas.certificates.proof").rounded  # above the solvers
        least = self.sense == "min"
        lines = [f"status:    {self.status}"]
        for word, up in {"objective": least, "bound": not least, "gap": True}.items():
            value = getattr(self, word)
            if value is not None:
                lines.append(f"{word + ':':<11}{rounded(value, up=up)}")
        lines += [f"solver:    {self.solver}", f"seconds:   {self.seconds:.3g}"]
        return "\n".join([*lines, *(f"note:      {note}" for note in getattr(self, "notes", ()))])


class SolverAnswer(Protocol):
    """What every solver says of its search."""

    @property
    def claim(self) -> object: ...
    @property
    def solver(self) -> str: ...
    @property
    def seconds(self) -> float: ...


class SolverResult(SolveResult):
    """A result that is a solver's claim."""

    __slots__ = ()
    answer: SolverAnswer

    @property
    def status(self) -> str:
        """What the solver claims: ``optimal``, ``feasible``, ``infeasible``, ``unbounded``."""
        return str(self.answer.claim)

    @property
    def solver(self) -> str:
        """Name of the solver."""
        return self.answer.solver

    @property
    def seconds(self) -> float:
        """Wall time of the solver."""
        return self.answer.seconds
